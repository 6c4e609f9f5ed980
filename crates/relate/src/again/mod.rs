//! The checker's own reading of code: from one cut to the next, written apart from the prover's so that a mistake there is not made twice.
//!
//! Only what says what things *are* is shared with the prover: the nodes of a function, the table of meanings, and the names of unknown functions. How runs
//! go through nodes, where they meet, what memory holds and what calls see is worked out here, by other means: all lanes that arrive at a node are
//! merged at once, and an access looks at every place that its address may lead to.

mod bytes;
mod calls;
mod gather;
mod loops;
mod operate;
mod paths;
mod walk;

pub use paths::Inputs;
pub(crate) use paths::check_paths;

use crate::{
    Obstacle,
    context::Context,
    segment::{End, RESULT, Runner, Segment, Target},
    state::{State, Value, choose},
};
use hydrogen_term::Term;
use std::collections::BTreeMap;

/// Runs that came the same way so far.
#[derive(Clone)]
struct Lane {
    /// What branches decided, in order.
    taken: Vec<Term>,
    /// That nothing has gone wrong.
    safe: Term,
    state: State,
}

impl Lane {
    fn new(context: &mut Context, taken: Vec<Term>, state: State) -> Self {
        Self { taken, safe: context.pool.bool(true), state }
    }

    /// When a run is in this lane and nothing went wrong.
    fn when(&self, context: &mut Context) -> Term {
        let all: Vec<Term> = self.taken.iter().copied().chain([self.safe]).collect();
        context.pool.and_all(all)
    }
}

/// Everything that can happen from a place on within this number of visits of cuts.
pub(crate) fn advance(
    runner: &Runner,
    context: &mut Context,
    from: Target,
    state: State,
    steps: usize,
) -> Result<Segment, Obstacle> {
    let mut segment = Segment::default();
    let first = Lane::new(context, Vec::new(), state);
    let mut frontier = BTreeMap::from([(from, vec![first])]);
    for _ in 0..steps {
        let mut next: BTreeMap<Target, Vec<Lane>> = BTreeMap::new();
        for (target, lanes) in std::mem::take(&mut frontier) {
            let node = match target {
                Target::Entry => 0,
                Target::Head(node) => node,
                Target::Return | Target::Stop => {
                    next.entry(target).or_default().extend(lanes);
                    continue;
                }
            };
            let lane = merged(context, lanes);
            // The lane as a whole is one condition from here on: it did not fault before.
            let when = lane.when(context);
            let lane = Lane::new(context, vec![when], lane.state);
            let found = walk::Walk::new(runner, context).from(node, lane, &mut segment)?;
            for (target, lanes) in found {
                next.entry(target).or_default().extend(lanes);
            }
        }
        frontier = next;
    }
    for (target, lanes) in frontier {
        // Lanes of different steps have nothing in common but that they are there.
        let lanes = lanes.into_iter().map(|lane| {
            let when = lane.when(context);
            Lane::new(context, vec![when], lane.state)
        });
        let lanes: Vec<Lane> = lanes.collect();
        let lane = merged(context, lanes);
        let guard = lane.when(context);
        if context.pool.as_bool(guard) != Some(false) {
            let result = lane.state.values.get(&RESULT).cloned();
            segment.ends.push(End { target, guard, state: lane.state, result });
        }
    }
    Ok(segment)
}

/// Lanes that arrive at one place as one. A run is in one of them at most, so each value is chosen by the lane's own condition, the last one's by none.
fn merged(context: &mut Context, mut lanes: Vec<Lane>) -> Lane {
    let mut last = lanes.pop().expect("somebody arrives");
    if lanes.is_empty() {
        return last;
    }
    let same = |at: usize| lanes.iter().all(|lane| lane.taken.get(at) == last.taken.get(at));
    let common = (0..last.taken.len()).take_while(|&at| same(at)).count();
    let own = |lane: &Lane, context: &mut Context| context.pool.and_all(lane.taken[common..].iter().copied());
    let mut any = own(&last, context);
    last.taken.truncate(common);
    for lane in lanes.into_iter().rev() {
        let condition = own(&lane, context);
        any = context.pool.or(condition, any);
        last.safe = context.pool.ite(condition, lane.safe, last.safe);
        last.state = either(context, condition, &lane.state, &last.state);
    }
    if context.pool.as_bool(any) != Some(true) {
        last.taken.push(any);
    }
    last
}

/// One state where the condition holds, another where it does not. What only one of them has nobody reads.
fn either(context: &mut Context, condition: Term, then: &State, otherwise: &State) -> State {
    let values = then.values.iter().filter_map(|(var, value)| {
        let value: Option<Value> = choose(context, condition, value, otherwise.values.get(var)?);
        Some((*var, value?))
    });
    let values = values.collect();
    let mut pick = |a: Term, b: Term| context.pool.ite(condition, a, b);
    State {
        values,
        public: pick(then.public, otherwise.public),
        world: pick(then.world, otherwise.world),
        epoch: pick(then.epoch, otherwise.epoch),
        objects: then.objects.iter().zip(&otherwise.objects).map(|(&a, &b)| pick(a, b)).collect(),
    }
}

#[cfg(test)]
mod tests;
