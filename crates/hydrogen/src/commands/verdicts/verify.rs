//! `hydrogen verify A..B --bug WHERE`: does the change fix the fault?

use super::ask::{Bug, Judge, answer, findings};
use super::place::Where;
use super::question::Question;
use anyhow::Result;
use hydrogen_graph::VersionId;
use hydrogen_query::{Answer, Counters, Kind};

/// The two ends of the change, and what else was given.
pub struct Verify<'a> {
    pub question: &'a Question,
    pub before: VersionId,
    pub after: VersionId,
    pub bug: Where,
    pub kind: Option<Kind>,
    pub fix: Option<(VersionId, VersionId)>,
}

/// The answer: what is said of the version before and of the one after.
pub fn verify(ask: &Verify<'_>, judge: &mut Judge<'_>) -> Result<Answer> {
    let graph = &ask.question.graph;
    let at = ask.bug.version(graph, Some(ask.before))?;
    let bug = Bug { place: &ask.bug, at, kind: ask.kind, fix: ask.fix };
    let found = findings(graph, &bug, &[ask.before, ask.after], judge)?;
    Ok(answer("verify", ask.question, found, Counters::default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::Outcome;
    use crate::commands::verdicts::answer::outcome;
    use crate::commands::verdicts::ask::Asked;
    use crate::commands::verdicts::ask::tests::{judge, question};
    use hydrogen_query::Verdict;

    #[test]
    fn the_version_after_decides() {
        let mut question = question();
        question.versions.truncate(2);
        for (verdicts, expect) in [
            ([Verdict::Present, Verdict::Fixed], Outcome::Done),
            ([Verdict::Present, Verdict::Present], Outcome::Findings),
            ([Verdict::Present, Verdict::Unknown], Outcome::Undecided),
            ([Verdict::Present, Verdict::NotApplicable], Outcome::Undecided),
        ] {
            let (before, after) = (VersionId(0), VersionId(1));
            let bug = Where::parse("src/main.c:4").unwrap();
            let fix = Some((before, after));
            let ask = Verify { question: &question, before, after, bug, kind: None, fix };
            let mut plain = judge(verdicts);
            let mut judge = |asked: &Asked<'_>| {
                assert_eq!(asked.fix, fix);
                plain(asked)
            };
            let answer = verify(&ask, &mut judge).unwrap();
            assert_eq!(outcome(&answer), expect);
        }
    }
}
