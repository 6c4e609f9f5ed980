//! Programs that end before: a test where a program starts, behind which it goes on only with limits that fit. What functions far from there do
//! with such limits is not wrong, though no way from the test to them is followed.

use crate::meaning::shape::{Shape, StepId};
use crate::meaning::state::{Cell, Role};
use crate::run::Mode;
use crate::walk::{Analyst, Frame, Start, Stop};
use hydrogen_graph::{ChainId, Target, VersionId, VersionSet};
use hydrogen_ir::Role as Kind;
use hydrogen_term::{Op, Term};
use std::collections::BTreeSet;

/// How many ends of a program are looked at.
const MOST_ENDS: usize = 256;

impl Analyst<'_> {
    /// Where a program ends in all states of a condition, if it does so in `main()` or in a function that `main()` calls: the place for the
    /// reader. What the condition says must be of memory that all functions share.
    pub(crate) fn ends_before(&mut self, term: Term, version: VersionId) -> Option<hydrogen_evidence::Spot> {
        // What was spent on the way in is not spent on this.
        self.begin();
        let asked = self.memory_of(term);
        let mut looked_at = 0;
        for chain in self.started_with(version) {
            let Some(shape) = self.shape(chain, version) else { continue };
            for step in 0..shape.steps.len() {
                if shape.order[step] == usize::MAX || !self.is_stuck(&shape, step) {
                    continue;
                }
                looked_at += 1;
                if looked_at > MOST_ENDS || self.is_over() {
                    return None;
                }
                let Some(test) = self.test_before(&shape, step) else { continue };
                let Some(ends) = self.leads_from(&shape, test, step, version) else { continue };
                if self.memory_of(ends).is_disjoint(&asked) {
                    continue;
                }
                let goes_on = self.terms.pool.not(ends);
                let goes_on = self.terms.pool.and(term, goes_on);
                if self.is_possible(goes_on) == Some(false) {
                    return Some(self.spot(shape.steps[test].spot.node, version));
                }
            }
        }
        None
    }

    /// The memory that a condition speaks of.
    fn memory_of(&self, term: Term) -> BTreeSet<Term> {
        let is_memory = |one: &Term| match self.terms.pool.op(*one) {
            Op::Apply(function) => matches!(self.terms.role(function), Role::Memory(Cell::Int(_), _)),
            _ => false,
        };
        self.terms.pool.postorder(&[term]).into_iter().filter(is_memory).collect()
    }

    /// `main()`, and what it calls.
    fn started_with(&self, version: VersionId) -> Vec<ChainId> {
        let graph = self.subject.program.graph;
        let mains = graph.chains_named("main").into_iter().filter(|&chain| graph.chain_in(chain, version));
        let mains: Vec<ChainId> = mains.collect();
        let mut found = mains.clone();
        for node in mains.into_iter().flat_map(|main| graph.pieces(main, version)) {
            for target in graph.targets(node, version) {
                match target {
                    Target::Chain(callee) if !found.contains(&callee) => found.push(callee),
                    _ => {}
                }
            }
        }
        found
    }

    /// The nearest test that all ways to a run pass.
    fn test_before(&self, shape: &Shape, step: StepId) -> Option<StepId> {
        let graph = self.subject.program.graph;
        shape.dominators.dominators_of(step).find(|&one| {
            let spot = shape.steps[one].spot;
            spot.ordinal == 0 && matches!(graph.role(spot.node), Kind::If | Kind::Switch | Kind::Condition)
        })
    }

    /// The states before one run from which another is certainly reached; none if that is not followed.
    fn leads_from(&mut self, shape: &Shape, from: StepId, to: StepId, version: VersionId) -> Option<Term> {
        let name = self.subject.program.graph.name(shape.chain, version).to_owned();
        // Its variables are none of the statement's.
        let frame =
            Frame { chain: shape.chain, prefix: format!("{name}() before:"), depth: 0, within: Vec::new() };
        let yes = self.terms.pool.bool(true);
        let start = Start::Before(shape.steps[to].spot, yes, VersionSet::one(version));
        let stop = Stop::Before(shape.steps[from].spot);
        let found = self.in_mode(Mode::Find, |one| one.walk(&frame, vec![start], stop));
        found.0.first().map(|(term, _)| *term)
    }
}
