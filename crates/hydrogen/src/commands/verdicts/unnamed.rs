//! Questions about a fix without a named bug: the statements that it is about are looked for.

use super::ask::answer;
use super::question::Question;
use hydrogen_evidence::{Answer, Class, Command, Counters, Finding};
use hydrogen_graph::Fix;
use hydrogen_graph::{VersionId, VersionSet};
use hydrogen_query::{Analyst, Candidates};

/// What is asked of a fix.
pub struct Unnamed<'a> {
    pub question: &'a Question,
    pub fix: Fix,
    pub kind: Option<Class>,
    /// In the order of the answer.
    pub versions: &'a [VersionId],
}

impl Unnamed<'_> {
    /// The statements that the fix takes states away from, with their verdicts.
    pub fn answer(&self, command: Command, analyst: &mut Analyst<'_>) -> Answer {
        let set: VersionSet = self.versions.iter().copied().collect();
        let Candidates { findings, left } = analyst.candidates(self.fix, self.kind, &set);
        let mut answer = answer(command, self.question, self.ordered(findings), Counters::default());
        answer.candidates = true;
        answer.notes.extend(not_compared(left));
        answer
    }

    /// The verdicts of findings in the order of the versions.
    pub fn ordered(&self, mut findings: Vec<Finding>) -> Vec<Finding> {
        for finding in &mut findings {
            finding
                .verdicts
                .sort_by_key(|ruling| self.versions.iter().position(|version| version.0 == ruling.id));
        }
        findings
    }
}

/// What is said where not all statements were compared.
pub fn not_compared(left: usize) -> Option<String> {
    let what = if left == 1 { "statement" } else { "statements" };
    (left > 0).then(|| format!("{left} more {what} behind the change were not compared"))
}
