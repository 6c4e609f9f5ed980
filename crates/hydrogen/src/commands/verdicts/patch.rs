//! `hydrogen patch --from A..B --bug WHERE V…`: does the patch fix every release?

use super::ask::{Bug, answer, findings};
use super::place::Where;
use super::question::Question;
use anyhow::Result;
use hydrogen_graph::VersionId;
use hydrogen_query::{Answer, Counters, Finding, Kind};

/// What was asked: the patch leads from the first of the two versions to the second.
pub struct Patch<'a> {
    pub question: &'a Question,
    pub from: (VersionId, VersionId),
    pub bug: Where,
    pub kind: Option<Kind>,
    /// The releases to be patched.
    pub releases: &'a [VersionId],
}

/// A question about one piece of a statement in releases that are patched: {p→r} for every release r.
pub struct Patched<'a> {
    pub node: hydrogen_graph::NodeId,
    pub at: VersionId,
    pub kind: Option<Kind>,
    pub from: (VersionId, VersionId),
    pub releases: &'a hydrogen_graph::VersionSet,
}

/// Whoever answers such questions: one finding per hunk and kind.
pub type JudgePatch<'a> = dyn FnMut(&Patched<'_>) -> Vec<Finding> + 'a;

/// What the patch does to every release.
pub fn patch(ask: &Patch<'_>, judge: &mut JudgePatch<'_>) -> Result<Answer> {
    let graph = &ask.question.graph;
    let at = ask.bug.version(graph, Some(ask.from.0))?;
    let bug = Bug { place: &ask.bug, at, kind: ask.kind, fix: None };
    let mut one = |asked: &super::ask::Asked<'_>| {
        let (node, at, kind) = (asked.node, asked.at, asked.kind);
        judge(&Patched { node, at, kind, from: ask.from, releases: asked.versions })
    };
    let found = findings(graph, &bug, ask.releases, &mut one)?;
    Ok(answer("patch", ask.question, found, Counters::default()))
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
    fn every_release_is_asked_about() {
        let mut question = question();
        question.versions.truncate(2);
        let (old, new) = (VersionId(0), VersionId(1));
        let bug = Where::parse("src/main.c:4").unwrap();
        let ask = Patch { question: &question, from: (old, new), bug, kind: None, releases: &[old, new] };
        let mut plain = judge([Verdict::Fixed, Verdict::NotApplicable]);
        let mut judge = |asked: &Patched<'_>| {
            assert_eq!(asked.from, (old, new));
            let Patched { node, at, kind, releases, .. } = *asked;
            plain(&Asked { node, at, kind, versions: releases, fix: None })
        };
        let answer = patch(&ask, &mut judge).unwrap();
        assert_eq!(answer.findings[0].settled(), [("v1", Verdict::Fixed), ("v2", Verdict::NotApplicable)]);
        assert_eq!(outcome(&answer), Outcome::Done);
    }
}
