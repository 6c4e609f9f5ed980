//! Relevant-slice conditions: of a run's path condition, what a criterion depends on, in the order in which it may
//! be turned around.

use crate::path::{Conjunct, Kind};
use crate::reorder::reorder;
use hydrogen_trace::{Dependences, Seeds, Slice, TraceError};

/// A branch of a relevant-slice condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RelevantBranch {
    /// Its conjunct.
    pub conjunct: Conjunct,
    /// Its execution index: equal for the same branch in two runs.
    pub index: u64,
    /// Which of the conjuncts of its instruction: a `switch` has several.
    pub part: u32,
}

/// The relevant-slice condition of a run.
#[derive(Debug, Clone, Default)]
pub struct Relevant {
    /// The branches, each behind those that it depends on.
    pub branches: Vec<RelevantBranch>,
    /// What else the input fulfils and the criterion depends on: assumptions, values made concrete, operations that did not
    /// fault.
    pub sides: Vec<Conjunct>,
    /// By branch: the sides that it depends on, by number.
    pub sides_of: Vec<Vec<u32>>,
    /// Whether choices that no input decides were left out of the order, because there are too many of them. The order may
    /// then break the prefix property.
    pub reduced: bool,
    /// The relevant slice.
    pub slice: Slice,
}

impl Relevant {
    /// All conjuncts in the order in which they may be turned around: each branch behind what it depends on.
    pub fn conjuncts(&self) -> Vec<Conjunct> {
        let mut taken = vec![false; self.sides.len()];
        let mut all = Vec::with_capacity(self.sides.len() + self.branches.len());
        for (branch, sides) in self.branches.iter().zip(&self.sides_of) {
            for side in sides {
                if !std::mem::replace(&mut taken[*side as usize], true) {
                    all.push(self.sides[*side as usize]);
                }
            }
            all.push(branch.conjunct);
        }
        all.extend(self.sides.iter().zip(taken).filter(|(_, taken)| !taken).map(|(side, _)| *side));
        all
    }
}

/// More branches than these are not put in order together.
const MOST: usize = 20_000;

/// Something to put in order: a branch of the path condition, or a choice that is no condition.
#[derive(Clone, Copy)]
struct Item {
    member: usize,
    part: u32,
    conjunct: Option<usize>,
}

/// The conjuncts of a run that its criterion depends on, in order. The dependences must be of the same run, with indices.
pub fn relevant(
    dependences: &Dependences<'_, '_>,
    path: &[Conjunct],
    seeds: &Seeds,
) -> Result<Relevant, TraceError> {
    let slice = dependences.relevant_slice(seeds)?;
    let mut members: Vec<u64> =
        path.iter().map(|one| one.instance).filter(|step| slice.contains(*step)).collect();
    let first = members.first().copied().unwrap_or(u64::MAX);
    let decided = members.len();
    // A choice that no input decides can still stand between others, but not before the first that one does.
    members.extend(dependences.choices(&slice, first)?);
    let reduced = members.len() > MOST.max(decided);
    if reduced {
        members.truncate(decided);
    }
    members.sort_unstable();
    members.dedup();
    let slices = dependences.slices(seeds, &members)?;
    let by_input: Vec<usize> = (0..members.len())
        .filter(|member| path.binary_search_by_key(&members[*member], |one| one.instance).is_ok())
        .collect();
    let mut items: Vec<Item> = Vec::new();
    let mut sides: Vec<(usize, usize)> = Vec::new();
    for (member, step) in members.iter().enumerate() {
        let from = path.partition_point(|one| one.instance < *step);
        let mut part = 0;
        let mut branches = false;
        for (index, conjunct) in path.iter().enumerate().skip(from).take_while(|one| one.1.instance == *step)
        {
            match conjunct.kind {
                Kind::Branch => {
                    items.push(Item { member, part, conjunct: Some(index) });
                    part += 1;
                    branches = true;
                }
                _ => sides.push((member, index)),
            }
        }
        // A choice that nothing of the input stands behind does not change the order of others.
        if !branches && by_input.iter().any(|other| slices.contains(*other, member)) {
            items.push(Item { member, part, conjunct: None });
        }
    }
    let order: Vec<usize> = (0..items.len()).collect();
    let in_slice = |one: usize, of: usize| {
        let (one, of) = (items[one], items[of]);
        if one.member == of.member { one.part < of.part } else { slices.contains(one.member, of.member) }
    };
    let mut found = Relevant { reduced, slice, ..Relevant::default() };
    found.sides = sides.iter().map(|(_, index)| path[*index]).collect();
    for item in reorder(&order, &in_slice).into_iter().map(|item| items[item]) {
        let Some(conjunct) = item.conjunct else { continue };
        let conjunct = path[conjunct];
        let index = dependences.index(conjunct.instance).unwrap_or(0);
        found.branches.push(RelevantBranch { conjunct, index, part: item.part });
        let depends = (0u32..).zip(&sides).filter(|(_, side)| slices.contains(side.0, item.member));
        found.sides_of.push(depends.map(|(number, _)| number).collect());
    }
    Ok(found)
}
