//! How an obligation moves along the edges of the graph.

use super::effect::{Effects, Way};
use super::open::{Open, Reasons};
use super::program::{Act, Program, Run};
use super::rule::Order;
use super::summary::{Summaries, Summary};
use hydrogen_evidence::Entry;
use hydrogen_graph::{ChainId, NodeId};
use std::collections::{BTreeMap, BTreeSet};

/// Nodes and how open the obligation is before each, growing until nothing is new.
pub(super) struct Spread<'a> {
    effects: Effects<'a>,
    way: Way,
    pub before: BTreeMap<NodeId, Open>,
    work: BTreeSet<NodeId>,
    /// Where the second function is called with the obligation open.
    pub hit: Open,
    /// Why something is not sure.
    pub reasons: Reasons,
}

impl<'a> Spread<'a> {
    pub fn new(program: &'a Program<'a>, summaries: &'a Summaries, way: Way) -> Self {
        let (before, work) = (BTreeMap::new(), BTreeSet::new());
        let effects = Effects { program, summaries };
        Self { effects, way, before, work, hit: Open::default(), reasons: Reasons::default() }
    }

    /// Everything that the entry of a function leads to inside of it.
    pub fn from_entry(
        program: &'a Program<'a>,
        summaries: &'a Summaries,
        way: Way,
        chain: ChainId,
    ) -> Spread<'a> {
        let mut spread = Spread::new(program, summaries, way);
        if let Some(entry) = program.graph.entry(chain) {
            spread.offer(entry, &Open::sure(program.graph.chain_versions(chain)));
        }
        while spread.step().is_some() {}
        spread
    }

    /// How open it is at the end of a function.
    pub fn at_exit(&self, chain: ChainId) -> Open {
        self.effects.program.exit(chain).map(|exit| self.at(exit)).unwrap_or_default()
    }

    /// How open it is before a node.
    pub fn at(&self, node: NodeId) -> Open {
        self.before.get(&node).cloned().unwrap_or_default()
    }

    /// Another path to a node.
    pub fn offer(&mut self, node: NodeId, open: &Open) {
        if !open.is_empty() && self.before.entry(node).or_default().add(open) {
            self.work.insert(node);
        }
    }

    /// Moves on from one node, and tells which it was.
    pub fn step(&mut self) -> Option<NodeId> {
        let node = self.work.pop_first()?;
        let open = self.at(node);
        let program = self.effects.program;
        let runs = program.runs(node);
        if runs.is_empty() {
            self.leave(node, &open);
        }
        for run in runs {
            self.act(node, run, 0, open.within(&run.versions));
        }
        Some(node)
    }

    /// Performs the calls of a node from one on, and goes on behind it.
    pub fn act(&mut self, node: NodeId, run: &Run, from: usize, mut open: Open) {
        for act in &run.acts[from..] {
            if open.is_empty() {
                return;
            }
            self.note(act, &open);
            if self.way == Way::Rule {
                let hit = self.effects.hit_by(act).and(&open);
                self.hit.add(&hit);
            }
            if act.jumps {
                // Somewhere else the function is left without coming to its end.
                self.reasons.add(Entry::LongJump, &open.may);
                if let Some(exit) = self.effects.program.exit(self.effects.program.graph.chain(node)) {
                    self.offer(exit, &open.weakened());
                }
            }
            open = self.effects.behind(act, self.way).and(&open);
        }
        self.leave(node, &open);
    }

    fn leave(&mut self, node: NodeId, open: &Open) {
        if open.is_empty() {
            return;
        }
        let graph = self.effects.program.graph;
        for edge in graph.outgoing(node) {
            self.offer(graph.ends(edge).1, &open.within(&graph.edge_versions(edge)));
        }
    }

    /// Remembers why what a call does is not sure.
    fn note(&mut self, act: &Act, open: &Open) {
        if self.way == Way::Returns {
            return;
        }
        if let Some(why) = &act.opaque {
            self.reasons.add(why.clone(), &open.may);
        }
        if act.either {
            self.reasons.add(Entry::SeveralTargets, &open.may);
        }
        for &chain in &act.chains {
            let Summary { kept, hit, reasons, .. } = self.effects.summaries.get(chain);
            let asked = if self.effects.program.rule.order == Order::Follows { kept } else { hit };
            let unsure = asked.may.difference(&asked.sure).intersection(&open.may);
            self.reasons.add_all(reasons, &unsure);
        }
    }
}
