//! Two traces of one program side by side, in the manner of 2008: for runs that no execution index relates.
//!
//! The least costly alignment (a gap costs 1, a mismatch 2), in linear space: the middle of one trace is aligned first, then both
//! halves. Ties go to a match, then to a gap in the failing trace, then to one in the other.

use crate::ask::Metric;
use crate::branches::Branch;
use hydrogen_machine::Site;
use std::collections::BTreeSet;

/// Longer traces are not aligned.
const MOST: usize = 4000;

const GAP: u32 = 1;
const MISMATCH: u32 = 2;

/// The branches that stand side by side in the alignment of a failing and another run, and went elsewhere: of the failing run.
pub(crate) fn differing(failing: &[Branch], other: &[Branch], metric: Metric) -> Option<Vec<Branch>> {
    if metric != Metric::Branches {
        return Some(alone(failing, other, metric));
    }
    if failing.len() > MOST || other.len() > MOST {
        return None;
    }
    let sites = |trace: &[Branch]| trace.iter().map(|one| one.site).collect::<Vec<Site>>();
    let mut pairs = Vec::new();
    align(&sites(failing), &sites(other), (0, 0), &mut pairs);
    let turned = |(one, two): &(usize, usize)| failing[*one].target != other[*two].target;
    Some(pairs.into_iter().filter(turned).map(|(one, _)| failing[one]).collect())
}

/// The branches of the failing run in what only it has: statements, blocks, or ways between two jumps back.
fn alone(failing: &[Branch], other: &[Branch], metric: Metric) -> Vec<Branch> {
    let paths = |trace: &[Branch]| -> Vec<Vec<(Site, u32)>> {
        let mut all = vec![Vec::new()];
        for one in trace {
            if let Some(last) = all.last_mut() {
                last.push((one.site, one.target));
            }
            if one.target <= one.site.pc {
                all.push(Vec::new());
            }
        }
        all
    };
    match metric {
        Metric::Branches => Vec::new(),
        Metric::Statements => {
            let known: BTreeSet<Site> = other.iter().map(|one| one.site).collect();
            failing.iter().filter(|one| !known.contains(&one.site)).copied().collect()
        }
        Metric::Blocks => {
            let block = |one: &Branch| (one.site.function, one.target);
            let known: BTreeSet<_> = other.iter().map(block).collect();
            failing.iter().filter(|one| !known.contains(&block(one))).copied().collect()
        }
        Metric::Paths => {
            let known: BTreeSet<Vec<(Site, u32)>> = paths(other).into_iter().collect();
            let mut found = Vec::new();
            let mut at = 0;
            for path in paths(failing) {
                let own = &failing[at..at + path.len()];
                at += path.len();
                if known.contains(&path) {
                    continue;
                }
                // The branch that no way of the other run goes on from in this direction.
                let shared =
                    |len: usize| known.iter().any(|way| way.len() >= len && way[..len] == path[..len]);
                found.extend(own.iter().enumerate().find(|(at, _)| !shared(at + 1)).map(|(_, one)| *one));
            }
            found
        }
    }
}

/// The pairs of equal elements that the alignment puts side by side, by their places.
fn align<T: PartialEq>(one: &[T], two: &[T], at: (usize, usize), pairs: &mut Vec<(usize, usize)>) {
    if one.is_empty() || two.is_empty() {
        return;
    }
    if let [single] = one {
        if let Some(place) = two.iter().position(|other| other == single) {
            pairs.push((at.0, at.1 + place));
        }
        return;
    }
    let middle = one.len() / 2;
    let before = costs(one[..middle].iter(), two.iter());
    let behind = costs(one[middle..].iter().rev(), two.iter().rev());
    let total = |split: &usize| before[*split] + behind[two.len() - split];
    // A split further on leaves the gap to the second half, so the first best one is the rule.
    let split = (0..=two.len()).min_by_key(total).unwrap_or(0);
    align(&one[..middle], &two[..split], at, pairs);
    align(&one[middle..], &two[split..], (at.0 + middle, at.1 + split), pairs);
}

/// What it costs to align all of one list with each beginning of another: the last row of the table.
fn costs<'t, T: PartialEq + 't>(
    one: impl Iterator<Item = &'t T>,
    two: impl ExactSizeIterator<Item = &'t T> + Clone,
) -> Vec<u32> {
    let mut row: Vec<u32> = (0..=two.len() as u32).map(|at| at * GAP).collect();
    for element in one {
        let mut diagonal = row[0];
        row[0] += GAP;
        for (at, other) in two.clone().enumerate() {
            let beside = diagonal + if element == other { 0 } else { MISMATCH };
            diagonal = row[at + 1];
            row[at + 1] = beside.min(row[at] + GAP).min(diagonal + GAP);
        }
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use hydrogen_machine::FuncId;

    fn pairs(one: &[u32], two: &[u32]) -> Vec<(usize, usize)> {
        let mut pairs = Vec::new();
        align(one, two, (0, 0), &mut pairs);
        pairs
    }

    /// E-21: one iteration of the loop, with and without the body of the test.
    #[test]
    fn the_body_of_the_test_is_a_gap() {
        let (passing, failing) = ([1, 2, 3, 7, 8, 9], [1, 2, 3, 4, 5, 7, 8, 9]);
        assert_eq!(pairs(&failing, &passing), [(0, 0), (1, 1), (2, 2), (5, 3), (6, 4), (7, 5)]);
        assert_eq!(costs(failing.iter(), passing.iter()).last(), Some(&2));
    }

    #[test]
    fn only_the_branch_that_turned_is_reported() {
        let branch = |line: u32, target: u32| Branch {
            step: u64::from(line),
            site: Site { function: FuncId(0), pc: line },
            target,
        };
        let failing = [branch(1, 2), branch(3, 4), branch(7, 8), branch(1, 0)];
        let passing = [branch(1, 2), branch(3, 7), branch(7, 8), branch(1, 0)];
        let by = |metric: Metric| differing(&failing, &passing, metric);
        assert_eq!(by(Metric::Branches), Some(vec![failing[1]]));
        assert_eq!(differing(&failing, &failing, Metric::Branches), Some(vec![]));
        // Both runs execute all branches, but only one enters the body of the test.
        assert_eq!(by(Metric::Statements), Some(vec![]));
        assert_eq!(by(Metric::Blocks), Some(vec![failing[1]]));
        assert_eq!(by(Metric::Paths), Some(vec![failing[1]]));
    }

    /// The cost of every alignment is that of the usual table, for all short lists of two letters.
    #[test]
    fn the_alignment_is_the_cheapest() {
        let lists: Vec<Vec<u32>> = (0..5u32)
            .flat_map(|len| (0..1 << len).map(move |bits| (0..len).map(|at| bits >> at & 1).collect()))
            .collect();
        for one in &lists {
            for two in &lists {
                let matched = pairs(one, two);
                assert!(matched.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1));
                // What is not matched is a gap on either side, which costs as much as a mismatch.
                let cost = (one.len() + two.len() - 2 * matched.len()) as u32;
                assert_eq!(Some(&cost), costs(one.iter(), two.iter()).last(), "{one:?} {two:?}");
            }
        }
    }
}
