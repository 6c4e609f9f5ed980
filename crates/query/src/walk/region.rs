//! Loops with several entries, as a jump into a loop makes them.
//!
//! Such a cycle has no head that all ways in pass. So the places that its rounds come back to are taken as if the cycle might have been
//! gone through in any way before: what it may change is any value there, and the way goes on from all places where it is entered.

use crate::meaning::conditions::group;
use crate::meaning::effect::Effect;
use crate::meaning::eval::{Eval, cell_of};
use crate::meaning::shape::{Entering, Shape, Spot, StepId};
use crate::walk::{Analyst, Frame, Walk};
use hydrogen_evidence::Entry;
use hydrogen_graph::{VersionId, VersionSet};
use hydrogen_term::Term;

/// Whether a way leads back into a cycle that has several entries: backwards, and not to a head that all ways in pass.
pub(super) fn is_odd(shape: &Shape, entering: Entering, step: StepId) -> bool {
    shape.order[entering.from] != usize::MAX
        && shape.order[entering.from] >= shape.order[step]
        && !shape.dominators.dominates(step, entering.from)
}

/// Whether a step from one run to another begins a new round of a loop.
pub(crate) fn is_new_round(shape: &Shape, from: StepId, to: StepId) -> bool {
    shape.dominators.dominates(to, from) || is_odd(shape, Entering { from, successor: None }, to)
}

/// The runs of the cycle with several entries that a run is part of, with the loops inside of it.
pub(super) fn region(shape: &Shape, step: StepId) -> Option<Vec<StepId>> {
    let found = shape.loops.irreducible().iter().find(|one| one.nodes.binary_search(&step).is_ok())?;
    let mut body = found.nodes.clone();
    for inner in shape.loops.all().iter().filter(|inner| found.nodes.binary_search(&inner.header).is_ok()) {
        body.extend(&inner.body);
    }
    body.sort_unstable();
    body.dedup();
    Some(body)
}

impl Analyst<'_> {
    /// From before a run that a cycle with several entries comes back to, to all ways into the cycle, with everything changed that it
    /// may change.
    pub(super) fn around_region(
        &mut self,
        walk: &mut Walk<'_>,
        round: usize,
        spot: Spot,
        term: Term,
        versions: &VersionSet,
    ) {
        let frame = walk.frame;
        let ways = group(versions, |version| self.ways_into_region(frame, spot, term, version));
        for (ways, versions) in ways {
            let Some(ways) = ways else {
                self.lose(&versions, Entry::LoopEntries);
                continue;
            };
            for (from, before) in ways {
                if self.terms.pool.as_bool(before) != Some(false) {
                    walk.push(self, round, from, before, &versions);
                }
            }
        }
    }

    /// The runs from which the cycle is entered, each with the condition behind it; none where the cycle is not known.
    fn ways_into_region(
        &mut self,
        frame: &Frame,
        spot: Spot,
        term: Term,
        version: VersionId,
    ) -> Option<Vec<(Spot, Term)>> {
        let (shape, step) = self.step(frame, spot, version)?;
        let body = region(&shape, step)?;
        let mut effect = self.rounds_effect(frame, &shape, spot, &body);
        self.forget_registers(frame, &shape, &body, &mut effect);
        let any_round = self.terms.before(term, &effect);
        let mut found = Vec::new();
        for &inside in &body {
            for &entering in &shape.steps[inside].entering {
                let from = entering.from;
                if shape.order[from] == usize::MAX || body.binary_search(&from).is_ok() {
                    continue;
                }
                // Only where control goes counts: what is chosen there may have been chosen anew in any round.
                let guard = entering.successor.and_then(|successor| {
                    Eval::new(&mut self.terms, &shape, &frame.prefix, effect.event).guard_of(from, successor)
                });
                let taken = Effect { guard, ..Effect::default() };
                found.push((shape.steps[from].spot, self.terms.before(any_round, &taken)));
            }
        }
        Some(found)
    }

    /// What the runs compute may have been computed anew in any round.
    fn forget_registers(&mut self, frame: &Frame, shape: &Shape, body: &[StepId], effect: &mut Effect) {
        for &id in body.iter().flat_map(|&step| &shape.steps[step].instructions) {
            let Some(cell) = cell_of(shape, shape.body().instruction(id).ty) else { continue };
            let old = Eval::new(&mut self.terms, shape, &frame.prefix, effect.event).register(id);
            let (node, count) = shape.names[id.index()];
            let name = format!("{}%{}.{count} in a round", frame.prefix, node.0);
            let new = self.terms.changed(effect.event, &name, cell);
            effect.set(old, new);
        }
    }
}
