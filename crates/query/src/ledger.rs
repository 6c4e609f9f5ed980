//! What an analyst keeps beside conditions: settings, what was visited, assumed and lost.

use crate::walk::Analyst;
use hydrogen_graph::{NodeId, VersionSet};
use hydrogen_term::Limits;
use rustc_hash::FxHashSet;
use std::time::{Duration, Instant};

impl Analyst<'_> {
    /// Names the functions where execution may begin, besides `main` and those whose address is taken.
    pub fn begin_at(&mut self, entries: Vec<String>) {
        self.entries = entries;
    }

    /// Writes every question that reaches the solver into a folder.
    pub fn dump_to(&mut self, folder: &std::path::Path) -> std::io::Result<()> {
        self.engine.dump_to(folder)
    }

    /// The nodes that the last question went through, in order, each once.
    pub fn visited(&self) -> &[NodeId] {
        &self.visited
    }

    pub(crate) fn set_solver_time(&mut self, time: Duration) {
        self.budget.solver = time;
        let limits = self.engine.limits();
        self.engine.set_limits(Limits { time, ..limits });
    }

    /// Forgets what belongs to one question.
    pub(crate) fn begin(&mut self) {
        self.assumed.clear();
        self.lost.clear();
        self.visited.clear();
        self.seen.clear();
        self.steps_left = self.budget.steps;
        self.asked = Instant::now();
        self.pause = 0;
    }

    pub(crate) fn seen_nodes(&self) -> FxHashSet<NodeId> {
        self.seen.clone()
    }

    pub(crate) fn restore_visited(&mut self, (visited, seen): (Vec<NodeId>, FxHashSet<NodeId>)) {
        (self.visited, self.seen) = (visited, seen);
    }

    pub(crate) fn assume(&mut self, versions: &VersionSet, what: impl Into<String>) {
        let what = what.into();
        for version in versions.iter() {
            self.assumed.entry(version).or_default().insert(what.clone());
        }
    }

    pub(crate) fn lose(&mut self, versions: &VersionSet, why: impl Into<String>) {
        let why = why.into();
        for version in versions.iter() {
            self.lost.entry(version).or_default().insert(why.clone());
        }
    }

    pub(crate) fn out_of_time(&self) -> bool {
        self.started.elapsed() > self.budget.time || self.asked.elapsed() > self.budget.question
    }

    pub(crate) fn visit(&mut self, node: NodeId, versions: &VersionSet) {
        if self.watched.is_none_or(|version| versions.contains(version)) && self.seen.insert(node) {
            self.visited.push(node);
        }
    }
}
