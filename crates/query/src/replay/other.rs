//! Inputs that are run again: that of an earlier run, and that of one version in the other one (W-5). What a change is said to bring or to
//! take away must be so when both are run.

use super::{Again, Attempt, Ran};
use crate::judge::Shown;
use crate::walk::Analyst;
use hydrogen_evidence::ledger::Limit;
use hydrogen_evidence::{Class, Entry, Finding, Input, Replay, Ruling, Verdict};
use hydrogen_graph::{NodeId, VersionId};
use std::collections::BTreeSet;

impl Analyst<'_> {
    /// Runs an input that showed a fault before; what came of it, if it still shows it.
    pub(crate) fn shown_again(
        &mut self,
        kind: Class,
        version: VersionId,
        input: Input,
        path: &[NodeId],
        statement: &[NodeId],
    ) -> Option<Ran> {
        let graph = self.subject.program.graph;
        let last = *path.last()?;
        let mut lines = BTreeSet::new();
        let nodes = if kind == Class::Leak { statement.to_vec() } else { vec![last] };
        for node in nodes {
            lines.extend(self.lines(node, version));
        }
        let mut files: Vec<String> = Vec::new();
        for node in path {
            let file = graph.location(graph.chain(*node), version).0;
            if !files.iter().any(|other| other == file) {
                files.push(file.to_owned());
            }
        }
        let attempt = Attempt { lines, input, files, ..self.attempt_at(kind, version, last) };
        let ran = self.confirm.as_ref()?.confirm(&attempt);
        (ran.replay == Replay::Confirmed).then_some(ran)
    }

    /// A usual start of the program that fails at one of some statements, with the statement.
    pub(crate) fn shown_by_chance(
        &mut self,
        kind: Class,
        version: VersionId,
        statement: &[NodeId],
    ) -> Option<(NodeId, Ran)> {
        self.confirm.as_ref()?;
        for &node in statement {
            let lines = self.lines(node, version);
            let attempt = Attempt { lines, ..self.attempt_at(kind, version, node) };
            if let Some(ran) = self.confirm.as_ref()?.by_chance(&attempt) {
                return Some((node, ran));
            }
        }
        None
    }

    /// An attempt to see a statement fail in its function, with no input and no lines yet.
    fn attempt_at(&self, kind: Class, version: VersionId, node: NodeId) -> Attempt {
        let graph = self.subject.program.graph;
        let chain = graph.chain(node);
        let file = graph.location(chain, version).0.to_owned();
        Attempt {
            version,
            kind,
            function: graph.name(chain, version).to_owned(),
            files: vec![file.clone()],
            file,
            lines: BTreeSet::new(),
            input: Input::default(),
            without_memory: BTreeSet::new(),
            answers: BTreeSet::new(),
        }
    }

    /// What shows the fault of a call in the program itself: an input that was run.
    pub(crate) fn carried_in(
        &mut self,
        kind: Class,
        version: VersionId,
        shown: &Shown,
        statement: &[NodeId],
    ) -> Option<Ran> {
        self.confirm.as_ref()?;
        let mut attempt = self.attempt(kind, version, shown, statement).ok()?;
        // Nobody promises these to a program: either it comes to the fault without them, or not at all.
        attempt.without_memory.clear();
        attempt.answers.clear();
        self.confirm.as_ref()?.carried(&attempt)
    }

    /// A fault that one of two versions has alone is the change's doing only if its input does no harm in the other one. Otherwise the
    /// other one is not decided.
    pub(crate) fn run_in_both(&self, finding: &mut Finding) {
        let Some(confirm) = &self.confirm else { return };
        let [old, new] = &mut finding.verdicts[..] else { return };
        let (has, other) = match (old.verdict, new.verdict) {
            (Verdict::Present, Verdict::Absent | Verdict::Fixed | Verdict::NotApplicable) => (old, new),
            (Verdict::Absent | Verdict::NotApplicable, Verdict::Present) => (new, old),
            _ => return,
        };
        let (Some(Replay::Confirmed), Some(input)) = (&has.evidence.replay, &has.evidence.input) else {
            return;
        };
        let mut files: Vec<String> = Vec::new();
        for spot in &has.evidence.path {
            if !files.contains(&spot.file) {
                files.push(spot.file.clone());
            }
        }
        let attempt = Attempt {
            version: VersionId(other.id),
            kind: finding.kind,
            function: String::new(),
            file: finding.location.file.clone(),
            lines: BTreeSet::new(),
            input: input.clone(),
            without_memory: BTreeSet::new(),
            answers: BTreeSet::new(),
            files,
        };
        match confirm.again(&attempt) {
            Ok(Again::Fault(what)) => {
                open(other, Entry::SameInputFaults { version: has.version.clone(), what })
            }
            // Whether the input does harm there is not known.
            _ if self.spent() => open(other, Entry::BudgetUsedUp { limit: Limit::Time }),
            Ok(Again::Unfinished(why)) => {
                open(other, Entry::NotConfirmed { replay: Replay::NotReached { why } })
            }
            Ok(Again::Harmless) => {}
            Err(why) => {
                tracing::debug!(version = other.version, why, "an input cannot be run in the other version")
            }
        }
    }
}

/// A version is not decided, for a reason.
fn open(ruling: &mut Ruling, why: Entry) {
    ruling.verdict = Verdict::Unknown;
    ruling.ledger.push(why);
    ruling.ledger.sort();
}
