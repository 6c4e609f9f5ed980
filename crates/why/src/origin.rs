//! Where the difference begins: the first statement that both versions have and that computed something else, and the changed
//! statements that it depends on. This finds also what decides no branch: a wrong constant, operator or assignment (10.4).

use crate::ask::WhyError;
use crate::chain;
use crate::changed::Changed;
use crate::told::Told;
use hydrogen_align::{IndexId, Level};
use hydrogen_evidence::why::Side;
use hydrogen_pair::{Alignment, Ending, Instance, Instances, Node, Pair, Ran, Statement};
use hydrogen_trace::Slice;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// A changed statement that was executed and that the wrong output depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) side: Side,
    pub(crate) node: Node,
    /// Its last instruction that counts.
    pub(crate) step: u64,
}

/// What is known about the beginning.
#[derive(Debug, Default)]
pub(crate) struct Origins {
    /// By side, the first statement of both versions that computed something else, or that only one of them executed.
    pub(crate) first: [Option<Node>; 2],
    /// By side, the position of what it comes from; else its own.
    pub(crate) at: [Option<usize>; 2],
    /// The changed statements that these depend on, the nearest first.
    pub(crate) near: Vec<Origin>,
    /// The changed statements that the wrong output depends on at all.
    pub(crate) all: Vec<Origin>,
    /// By side, how many instructions the run has.
    pub(crate) steps: [u64; 2],
}

pub(crate) fn origins(
    pair: &Pair<'_>,
    changed: &Changed,
    alignment: &Alignment,
    runs: [&Ran; 2],
    told: [&Told<'_, '_>; 2],
) -> Result<Origins, WhyError> {
    let new = runs[1];
    let steps = [told[0].dependences.steps, told[1].dependences.steps];
    let mut found = Origins { steps, ..Origins::default() };
    for side in [Side::New, Side::Old] {
        let number = side.number();
        let (own, other) = (&runs[number].instances, &runs[1 - number].instances);
        let partners = if side == Side::Old { &alignment.second_of } else { &alignment.first_of };
        let told = told[number];
        // That a statement is come to in another way says something only where the difference begins.
        let all = those(changed, side, own, &told.slice).into_iter();
        found.all.extend(all.filter(|one| !changed.is_moved(one.node)));
        // A statement ends with its last instruction: what it calls comes before that.
        let mut ends: Vec<(u64, usize)> = last_steps(own, &told.slice);
        ends.sort_unstable();
        let differs = |position: usize| {
            let instance = &own.all[position];
            let shared = matches!(pair.nodes.statement(instance.node), Statement::Graph(_))
                && pair.nodes.is_shared(instance.node);
            let partner = partners[position].map(|at| &other.all[at as usize]);
            // Where only the order says who is whose partner, names of variables differ with the calls around them.
            let laid = changed.is_laid(instance.node);
            shared
                && !laid
                && partner.is_none_or(|it| it.index == instance.index && it.values != instance.values)
        };
        let differing: Vec<usize> =
            ends.into_iter().map(|(_, position)| position).filter(|at| differs(*at)).collect();
        // One execution of each statement is enough: the first.
        let firsts = |some: &mut dyn Iterator<Item = usize>| -> Vec<usize> {
            let mut known: FxHashSet<Node> = FxHashSet::default();
            some.filter(|at| known.insert(own.all[*at].node)).collect()
        };
        let comes_from_change = |some: &[usize]| -> Result<bool, WhyError> {
            let steps: Vec<u64> = some.iter().flat_map(|at| steps_of(own, told, *at)).collect();
            Ok(!those(changed, side, own, &told.behind(&steps)?).is_empty())
        };
        // What a changed statement does in its calls is no wrong value yet: that is what comes of it. Where nothing does, there is no other.
        let own_work = |at: &usize| partners[*at].is_none() && in_changed_call(pair, own.all[*at].index);
        let outside = firsts(&mut differing.iter().copied().filter(|at| !own_work(at)));
        let caused = match first_caused(&outside, comes_from_change)? {
            None => first_caused(&firsts(&mut differing.iter().copied()), comes_from_change)?,
            some => some,
        };
        let Some(first) = caused.or(differing.first().copied()) else { continue };
        let instance = own.all[first];
        found.first[number] = Some(instance.node);
        let steps: Vec<u64> = steps_of(own, told, first);
        let behind = told.behind(&steps)?;
        let mut near = those(changed, side, own, &behind);
        // A call hands its operands over: what is computed of them there is all that speaks of them.
        if near.is_empty() {
            let inner = inner_steps(pair, own, told, instance);
            near = those(changed, side, own, &told.behind(&inner)?);
        }
        // What a call gives back is not among the operands of the call: what it executed is looked at by itself.
        for one in called(pair, own, told, instance, changed, side) {
            if !near.iter().any(|known| known.node == one.node) {
                near.push(one);
            }
        }
        chain::in_order(pair, changed, own, told, &steps, &mut near)?;
        let changed_at = near.first().and_then(|one| own.position(one.step));
        found.at[number] = Some(changed_at.map_or(first, |at| first.min(at as usize)));
        found.near.extend(near);
    }
    // Where the new version faults at a changed statement, no other comes before it.
    if let Ending::Fault(_, Some(node)) = new.outcome.ending
        && changed.has(node)
        && !changed.is_moved(node)
    {
        found.near.retain(|one| one.node != node);
        found.near.insert(0, Origin { side: Side::New, node, step: told[1].dependences.steps });
    }
    Ok(found)
}

/// Of statements that computed something else, in order, the first that the change can have led to: numbers made of addresses differ
/// without any reason. Each question takes a pass over the run, so that many are asked about together.
fn first_caused(
    differing: &[usize],
    is_caused: impl Fn(&[usize]) -> Result<bool, WhyError>,
) -> Result<Option<usize>, WhyError> {
    if differing.is_empty() {
        return Ok(None);
    }
    let (mut innocent, mut many) = (0, 1);
    while !is_caused(&differing[innocent..(innocent + many).min(differing.len())])? {
        innocent += many;
        many *= 4;
        if innocent >= differing.len() {
            return Ok(None);
        }
    }
    let mut guilty = (innocent + many).min(differing.len());
    while guilty - innocent > 1 {
        let middle = innocent + (guilty - innocent) / 2;
        match is_caused(&differing[innocent..middle])? {
            true => guilty = middle,
            false => innocent = middle,
        }
    }
    Ok(Some(differing[innocent]))
}

/// The changed statements that the calls of an instance executed, and that the wrong output depends on.
fn called(
    pair: &Pair<'_>,
    instances: &Instances,
    told: &Told<'_, '_>,
    caller: Instance,
    changed: &Changed,
    side: Side,
) -> Vec<Origin> {
    let mut last: BTreeMap<Node, u64> = BTreeMap::new();
    for (step, position) in instances.along(told.slice.steps(caller.step)) {
        let instance = &instances.all[position];
        if changed.has(instance.node)
            && !changed.is_moved(instance.node)
            && is_inside(pair, instance.index, caller)
        {
            last.insert(instance.node, step);
        }
    }
    last.into_iter().map(|(node, step)| Origin { side, node, step }).collect()
}

/// The steps of the slice inside of the calls that an instance makes.
fn inner_steps(pair: &Pair<'_>, instances: &Instances, told: &Told<'_, '_>, caller: Instance) -> Vec<u64> {
    let mut known: Option<(usize, bool)> = None;
    let mut inside = |position: usize| match known {
        Some((at, inside)) if at == position => inside,
        _ => {
            let inside = is_inside(pair, instances.all[position].index, caller);
            known = Some((position, inside));
            inside
        }
    };
    let steps = instances.along(told.slice.steps(caller.step));
    steps.filter(|(_, position)| inside(*position)).map(|(step, _)| step).collect()
}

/// Whether an index lies in a call that an instance makes.
pub(crate) fn is_inside(pair: &Pair<'_>, mut index: IndexId, caller: Instance) -> bool {
    while let Some((above, level)) = pair.indices.last(index) {
        if above == caller.index && matches!(level, Level::Call { at, .. } if at == caller.node) {
            return true;
        }
        index = above;
    }
    false
}

/// Whether an index lies in a call that a statement makes which only one version has.
fn in_changed_call(pair: &Pair<'_>, mut index: IndexId) -> bool {
    while let Some((above, level)) = pair.indices.last(index) {
        if matches!(level, Level::Call { at, .. } if !pair.nodes.is_shared(at)) {
            return true;
        }
        index = above;
    }
    false
}

/// By instance with a part in a slice: its last instruction there, and its position.
fn last_steps(instances: &Instances, slice: &Slice) -> Vec<(u64, usize)> {
    let mut last: Vec<u64> = vec![0; instances.all.len()];
    for (step, position) in instances.along(slice.steps(1)) {
        last[position] = step;
    }
    let found = last.into_iter().enumerate().filter(|(_, step)| *step != 0);
    found.map(|(position, step)| (step, position)).collect()
}

fn steps_of(instances: &Instances, told: &Told<'_, '_>, wanted: usize) -> Vec<u64> {
    let steps = instances.along(told.slice.steps(instances.all[wanted].step));
    steps.filter(|(_, position)| *position == wanted).map(|(step, _)| step).collect()
}

/// The changed statements of a slice.
pub(crate) fn those(changed: &Changed, side: Side, instances: &Instances, slice: &Slice) -> Vec<Origin> {
    let mut last: BTreeMap<Node, u64> = BTreeMap::new();
    for (step, position) in instances.along(slice.steps(1)) {
        let node = instances.all[position].node;
        if changed.has(node) {
            last.insert(node, step);
        }
    }
    last.into_iter().map(|(node, step)| Origin { side, node, step }).collect()
}
