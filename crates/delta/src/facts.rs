//! What holds where a region begins, whatever comes in: the branches directly in front of it that both versions took, as long as nothing between
//! them and the region can have changed what they test.

use crate::{cut::Cut, evaluate::Start, level::Level};
use hydrogen_sym::{
    code::Var,
    context::Context,
    segment::{Runner, Segment},
    state::{State, Way},
};
use hydrogen_term::Term;
use std::collections::BTreeSet;

/// So many statements in front of a region are looked at.
const MOST: usize = 8;

/// Statements in front of a region, the nearest first: nodes of both versions, with those that control goes on to.
pub(crate) type Chain = Vec<((usize, usize), (usize, usize))>;

/// The level statements that every run to a region has just come through, one by one.
pub(crate) fn chain((old, new): (&Cut, &Cut), level: &Level, start: Start) -> Chain {
    let mut found = Vec::new();
    let Some(mut at) = start.from else { return found };
    let mut next = (start.old, start.new);
    while found.len() < MOST && level.same.get(&at.0) == Some(&at.1) {
        let leads = |cut: &Cut, from: usize, to: usize| {
            cut.code.nodes[from].frame == 0 && cut.code.successors(from).contains(&to)
        };
        if !leads(old, at.0, next.0) || !leads(new, at.1, next.1) {
            break;
        }
        found.push((at, next));
        let (Some(a), Some(b)) = (only_way(old, at.0), only_way(new, at.1)) else { break };
        (at, next) = ((a, b), at);
    }
    found
}

/// The only node that leads to a node.
fn only_way(cut: &Cut, to: usize) -> Option<usize> {
    if cut.loops.contains(&to) || to == 0 {
        return None;
    }
    match cut.ways_in[to].as_slice() {
        [one] => Some(*one),
        _ => None,
    }
}

/// What variables the statements of a chain read.
pub(crate) fn reads(cut: &Cut, chain: &Chain, is_old: bool) -> BTreeSet<Var> {
    let nodes = chain.iter().map(|(at, _)| if is_old { at.0 } else { at.1 });
    nodes.flat_map(|node| cut.code.live(node).iter().copied()).collect()
}

/// When control comes through a chain, as far back as it changes nothing and can be read.
pub(crate) fn hold(
    runner: &Runner,
    context: &mut Context,
    chain: &Chain,
    is_old: bool,
    state: &State,
) -> Vec<Term> {
    let mut found = Vec::new();
    for (at, next) in chain {
        let (node, to) = if is_old { (at.0, next.0) } else { (at.1, next.1) };
        let way = Way { branches: Vec::new(), sound: context.pool.bool(true) };
        let only = BTreeSet::from([node]);
        let Ok(mut walk) = runner.walk(context, node, way, state.clone(), None, Some((node, &only))) else {
            break;
        };
        let Some((way, after)) = walk.outside.remove(&to).or_else(|| walk.heads.remove(&to)) else { break };
        if !is_untouched(state, &after, &walk.segment) {
            break;
        }
        found.push(way.guard(context));
    }
    found
}

/// Whether a statement left everything as it was.
fn is_untouched(before: &State, after: &State, segment: &Segment) -> bool {
    let same = before.values.iter().all(|(var, value)| {
        matches!(var, Var::Register(..)) || after.values.get(var).is_none_or(|one| one == value)
    });
    same && segment.required.is_empty()
        && before.public == after.public
        && before.objects == after.objects
        && before.world == after.world
        && before.epoch == after.epoch
}
