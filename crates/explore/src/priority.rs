//! Priorities of branches (T6.2.2.1, Alg 6.2): the pivots under which reordering put a branch in front. The proof of the prefix
//! property rests on them; here they are checked on real runs (INV-R12), which finds a missing dependence that happens to leave
//! the conditions alone.

/// What branches have to do with each other. Branches are numbered in the order of execution.
pub struct Relations<'a> {
    /// Whether the first is in the relevant slice of the second.
    pub in_slice: &'a dyn Fn(usize, usize) -> bool,
    /// Whether the first was executed because of how the second went, over any number of steps.
    pub controlled: &'a dyn Fn(usize, usize) -> bool,
}

/// A branch and its shortened priority: its pivots and itself, without those that others among them control.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ranked {
    /// The branch.
    pub branch: usize,
    /// The shortened priority.
    pub priority: Vec<usize>,
}

/// Reorders the branches below `count` as [`reorder`](crate::reorder) does, and keeps the shortened priorities.
pub fn ranked(count: usize, relations: &Relations<'_>) -> Vec<Ranked> {
    enum Work {
        Sort(Vec<usize>, Vec<usize>),
        Done(Ranked),
    }
    let mut out = Vec::with_capacity(count);
    let mut work = vec![Work::Sort((0..count).collect(), Vec::new())];
    while let Some(next) = work.pop() {
        match next {
            Work::Done(ranked) => out.push(ranked),
            Work::Sort(mut branches, pivots) => {
                let Some(pivot) = branches.pop() else { continue };
                let own = with(&pivots, pivot, relations);
                let in_front = |one: &usize| (relations.in_slice)(*one, pivot);
                let (front, back) = branches.into_iter().partition(in_front);
                work.push(Work::Sort(back, pivots));
                work.push(Work::Done(Ranked { branch: pivot, priority: own.clone() }));
                work.push(Work::Sort(front, own));
            }
        }
    }
    out
}

/// A shortened priority with one more pivot. Control is transitive, so those that are left out already need not be asked.
fn with(pivots: &[usize], pivot: usize, relations: &Relations<'_>) -> Vec<usize> {
    let controlled = relations.controlled;
    if pivots.iter().any(|one| controlled(pivot, *one)) {
        return pivots.to_vec();
    }
    let mut all: Vec<usize> = pivots.iter().copied().filter(|one| !controlled(*one, pivot)).collect();
    all.push(pivot);
    all
}

/// Whether the first has the higher priority (the order of L-6.5).
fn is_higher(x: &Ranked, y: &Ranked, relations: &Relations<'_>) -> bool {
    let common = x.priority.iter().zip(&y.priority).take_while(|(one, other)| one == other).count();
    match (x.priority.get(common), y.priority.get(common)) {
        (Some(one), Some(other)) => {
            (relations.controlled)(*other, *one) || !(relations.controlled)(*one, *other) && one > other
        }
        _ => (relations.in_slice)(x.branch, y.branch),
    }
}

/// Up to so many branches all pairs are compared, of more those that follow each other.
const ALL_PAIRS: usize = 256;

/// The place of the first branch that does not stand where its priority says (L-6.5), or whose priority is no chain of dependences
/// (L-6.10).
pub fn misplaced(order: &[Ranked], relations: &Relations<'_>) -> Option<usize> {
    (0..order.len()).find(|at| {
        let one = &order[*at];
        let linked = one.priority.windows(2).all(|pair| (relations.in_slice)(pair[1], pair[0]));
        let before = if order.len() <= ALL_PAIRS { 0..*at } else { at.saturating_sub(1)..*at };
        !linked || before.into_iter().any(|earlier| !is_higher(&order[earlier], one, relations))
    })
}

/// The place of the first branch that stands before one of its own slice (INV-R4).
pub fn out_of_order(order: &[usize], in_slice: &dyn Fn(usize, usize) -> bool) -> Option<usize> {
    (0..order.len()).find(|at| order[at + 1..].iter().any(|later| in_slice(*later, order[*at])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reorder::reorder;

    /// N-1 of the specification: 1 3 5 and 2 4 6 are two chains.
    #[test]
    fn priorities_are_the_pivots_in_front_of_which_a_branch_stands() {
        let slices: [&[usize]; 6] = [&[], &[], &[0], &[1], &[2, 0], &[3, 1]];
        let in_slice = |one: usize, of: usize| slices[of].contains(&one);
        let none = |_: usize, _: usize| false;
        let relations = Relations { in_slice: &in_slice, controlled: &none };
        let order = ranked(6, &relations);
        let all: Vec<usize> = (0..6).collect();
        let branches: Vec<usize> = order.iter().map(|one| one.branch).collect();
        assert_eq!(branches, reorder(&all, &in_slice));
        let priorities: Vec<&[usize]> = order.iter().map(|one| one.priority.as_slice()).collect();
        assert_eq!(priorities, [&[5, 3, 1][..], &[5, 3], &[5], &[4, 2, 0], &[4, 2], &[4]]);
        assert_eq!(misplaced(&order, &relations), None);
        assert_eq!(out_of_order(&branches, &in_slice), None);
    }

    /// Where branches control each other, the outermost stands for all.
    #[test]
    fn what_others_control_is_left_out() {
        let below = |one: usize, of: usize| one < of;
        let above = |one: usize, of: usize| one > of;
        let relations = Relations { in_slice: &below, controlled: &above };
        let order = ranked(3, &relations);
        let priorities: Vec<&[usize]> = order.iter().map(|one| one.priority.as_slice()).collect();
        assert_eq!(priorities, [&[0][..], &[1], &[2]]);
        assert_eq!(misplaced(&order, &relations), None);
    }

    #[test]
    fn a_wrong_order_is_noticed() {
        let in_slice = |one: usize, of: usize| one == 0 && of == 1;
        let none = |_: usize, _: usize| false;
        assert_eq!(out_of_order(&[1, 0], &in_slice), Some(0));
        let relations = Relations { in_slice: &in_slice, controlled: &none };
        let mut order = ranked(2, &relations);
        order.reverse();
        assert_eq!(misplaced(&order, &relations), Some(1));
    }
}
