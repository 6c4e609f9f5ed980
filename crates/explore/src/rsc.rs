//! Relevant-slice conditions: of a run's path condition, what a criterion depends on, in the order in which it may
//! be turned around.

use crate::path::{Conjunct, Kind};
use crate::priority::{Relations, misplaced, out_of_order, ranked};
use crate::reorder::reorder;
use hydrogen_trace::{Dependences, Edges, Seeds, Slice, TraceError};

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
    /// By branch, where wanted: its shortened priority, as the names of branches.
    pub priorities: Option<Vec<Vec<Name>>>,
    /// What is wrong with the order, by a bug of ours: the number of the branch, and why.
    pub wrong: Option<(usize, &'static str)>,
}

/// What names a branch in every run: its execution index, and which of the conjuncts there.
pub type Name = (u64, u32);

impl Relevant {
    /// All conjuncts in the order in which they may be turned around: each branch behind what it depends on.
    pub fn conjuncts(&self) -> Vec<Conjunct> {
        self.entries().into_iter().map(|(conjunct, _)| conjunct).collect()
    }

    /// The same with the number of the branch where it is one.
    pub(crate) fn entries(&self) -> Vec<(Conjunct, Option<usize>)> {
        let mut taken = vec![false; self.sides.len()];
        let mut all = Vec::with_capacity(self.sides.len() + self.branches.len());
        for (number, (branch, sides)) in self.branches.iter().zip(&self.sides_of).enumerate() {
            for side in sides {
                if !std::mem::replace(&mut taken[*side as usize], true) {
                    all.push((self.sides[*side as usize], None));
                }
            }
            all.push((branch.conjunct, Some(number)));
        }
        let rest = self.sides.iter().zip(taken).filter(|(_, taken)| !taken);
        all.extend(rest.map(|(side, _)| (*side, None)));
        all
    }
}

/// More branches than these are not put in order together.
const MOST: usize = 20_000;
/// The order of more than these is not checked.
const MOST_CHECKED: usize = 3_000;

/// Something to put in order: a branch of the path condition, or a choice that is no condition.
#[derive(Clone, Copy)]
struct Item {
    member: usize,
    part: u32,
    conjunct: Option<usize>,
}

/// The conjuncts of a run that its criterion depends on, in order. The dependences must be of the same run, with indices; with
/// those of all choices where priorities are to be kept and checked.
pub fn relevant(
    dependences: &Dependences<'_, '_>,
    path: &[Conjunct],
    seeds: &Seeds,
    check: bool,
) -> Result<Relevant, TraceError> {
    let slice = dependences.relevant_slice(seeds)?;
    let mut members: Vec<u64> =
        path.iter().map(|one| one.instance).filter(|step| slice.contains(*step)).collect();
    let first = members.first().copied().unwrap_or(u64::MAX);
    let decided = members.len();
    // A choice that no input decides can still stand between others, but not before the first that one does.
    let choices = dependences.choices(&slice, first)?;
    members.extend(&choices);
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
        // A choice that nothing of the input stands behind does not change the order of others. An operation that might fault
        // is no choice, whatever its operands are: the order must not depend on which values happen to be constants, for another
        // input of the same prefix may make a constant of what is a symbol here.
        let chooses = choices.binary_search(step).is_ok();
        if !branches && chooses && by_input.iter().any(|other| slices.contains(*other, member)) {
            items.push(Item { member, part, conjunct: None });
        }
    }
    let all: Vec<usize> = (0..items.len()).collect();
    let in_slice = |one: usize, of: usize| {
        let (one, of) = (items[one], items[of]);
        if one.member == of.member { one.part < of.part } else { slices.contains(one.member, of.member) }
    };
    let mut found = Relevant { reduced, slice, ..Relevant::default() };
    found.sides = sides.iter().map(|(_, index)| path[*index]).collect();
    let name = |item: usize| {
        let item: Item = items[item];
        (dependences.index(members[item.member]).unwrap_or(0), item.part)
    };
    let order = reorder(&all, &in_slice);
    let ranked = match check && items.len() <= MOST_CHECKED {
        true => {
            let reached = dependences.reach(&members, &members, Edges::Control)?;
            let controlled = |one: usize, by: usize| {
                let (one, by) = (items[one], items[by]);
                if one.member == by.member {
                    by.part < one.part
                } else {
                    reached.depends(one.member, by.member)
                }
            };
            let relations = Relations { in_slice: &in_slice, controlled: &controlled };
            let ranked = ranked(items.len(), &relations);
            found.wrong =
                misplaced(&ranked, &relations).map(|at| (at, "it does not stand where its priority says"));
            found.priorities = Some(Vec::new());
            ranked
        }
        false => Vec::new(),
    };
    if (check || cfg!(debug_assertions))
        && items.len() <= MOST_CHECKED
        && let Some(at) = out_of_order(&order, &in_slice)
    {
        found.wrong = Some((at, "it stands before one that it depends on"));
    }
    for (at, item) in order.into_iter().map(|item| items[item]).enumerate() {
        let Some(conjunct) = item.conjunct else { continue };
        let conjunct = path[conjunct];
        let index = dependences.index(conjunct.instance).unwrap_or(0);
        found.branches.push(RelevantBranch { conjunct, index, part: item.part });
        let depends = (0u32..).zip(&sides).filter(|(_, side)| slices.contains(side.0, item.member));
        found.sides_of.push(depends.map(|(number, _)| number).collect());
        if let (Some(priorities), Some(ranked)) = (&mut found.priorities, ranked.get(at)) {
            priorities.push(ranked.priority.iter().map(|one| name(*one)).collect());
        }
    }
    Ok(found)
}
