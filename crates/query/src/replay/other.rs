//! Inputs that are run again: that of an earlier run, and that of one version in the other one (W-5).

use super::{Again, Attempt, Ran};
use crate::judge::Shown;
use crate::walk::Analyst;
use hydrogen_evidence::{Class, Input, Replay, Ruling};
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
        statements: &[NodeId],
    ) -> Option<(NodeId, Ran)> {
        self.first_that_fails(kind, version, statements, |one, attempt, _| {
            one.confirm.as_ref()?.by_chance(attempt)
        })
    }

    /// The first of some statements that a run fails at, with that run; none where nobody can run anything.
    pub(super) fn first_that_fails(
        &mut self,
        kind: Class,
        version: VersionId,
        statements: &[NodeId],
        run: impl Fn(&mut Self, &Attempt, NodeId) -> Option<Ran>,
    ) -> Option<(NodeId, Ran)> {
        self.confirm.as_ref()?;
        statements.iter().find_map(|&node| {
            let lines = self.lines(node, version);
            let attempt = Attempt { lines, ..self.attempt_at(kind, version, node) };
            Some((node, run(self, &attempt, node)?))
        })
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

    /// Runs the input of a ruling in another version, where these statements stand for the one that failed.
    pub(crate) fn run_elsewhere(
        &mut self,
        kind: Class,
        has: &Ruling,
        other: VersionId,
        statement: &[NodeId],
    ) -> Result<Again, String> {
        let attempt = self.attempt_elsewhere(kind, has, other, statement);
        let confirm = self.confirm.as_ref().ok_or("nobody can run anything")?;
        confirm.again(&attempt, VersionId(has.id))
    }

    /// Whether another version fails at these statements with an input near that of a ruling.
    pub(crate) fn fails_near(
        &mut self,
        kind: Class,
        has: &Ruling,
        other: VersionId,
        statement: &[NodeId],
    ) -> bool {
        let attempt = self.attempt_elsewhere(kind, has, other, statement);
        self.confirm.as_ref().is_some_and(|confirm| confirm.fails_near(&attempt))
    }

    fn attempt_elsewhere(
        &mut self,
        kind: Class,
        has: &Ruling,
        other: VersionId,
        statement: &[NodeId],
    ) -> Attempt {
        let graph = self.subject.program.graph;
        let mut files: Vec<String> = Vec::new();
        for spot in &has.evidence.path {
            if !files.contains(&spot.file) {
                files.push(spot.file.clone());
            }
        }
        let (mut lines, mut function) = (BTreeSet::new(), String::new());
        for &node in statement {
            function = graph.name(graph.chain(node), other).to_owned();
            lines.extend(self.lines(node, other));
        }
        Attempt {
            version: other,
            kind,
            function,
            file: files.first().cloned().unwrap_or_default(),
            lines,
            input: has.evidence.input.clone().unwrap_or_default(),
            without_memory: BTreeSet::new(),
            answers: BTreeSet::new(),
            files,
        }
    }
}
