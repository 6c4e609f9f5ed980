//! Finding indices while a run goes on.

use crate::index::{IndexId, Indices, Level};
use crate::regions::Regions;
use std::hash::Hash;

/// Where a run is: the calls that have not returned, and the regions that are open in each.
#[derive(Debug, Clone, Default)]
pub struct Walk {
    frames: Vec<Frame>,
    open: Vec<Open>,
}

#[derive(Debug, Clone)]
struct Frame {
    /// How many regions were open when it was entered.
    base: usize,
    /// The index of the call.
    index: IndexId,
    /// The node that is executed.
    at: Option<usize>,
    /// Where its branch went.
    outcome: Option<u64>,
    /// Calls that the node has made.
    calls: u32,
    landings: u32,
}

#[derive(Debug, Clone)]
struct Open {
    index: IndexId,
    what: Region,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Region {
    Branch { until: Option<usize> },
    Round { head: usize, nth: u32 },
    Landing,
}

impl Walk {
    /// How many calls have not returned.
    pub fn depth(&self) -> usize {
        self.frames.len()
    }

    /// The index of the region that is executed.
    pub fn index(&self) -> IndexId {
        let Some(frame) = self.frames.last() else { return IndexId::ROOT };
        if self.open.len() > frame.base { self.open[self.open.len() - 1].index } else { frame.index }
    }

    /// A function is entered; `caller` is the name of the node that calls, if there is one.
    pub fn enter<N: Copy + Eq + Hash>(&mut self, indices: &mut Indices<N>, caller: Option<N>) {
        let above = self.index();
        let index = match (self.frames.last_mut(), caller) {
            (Some(frame), Some(at)) => {
                frame.calls += 1;
                indices.below(above, Level::Call { at, nth: frame.calls - 1 })
            }
            _ => above,
        };
        let base = self.open.len();
        self.frames.push(Frame { base, index, at: None, outcome: None, calls: 0, landings: 0 });
    }

    /// Functions return until so many are left: one, or several by a `longjmp`.
    pub fn leave(&mut self, left: usize) {
        if let Some(frame) = self.frames.get(left) {
            self.open.truncate(frame.base);
            self.frames.truncate(left);
        }
    }

    /// The node that is executed decides where to go on.
    pub fn decide(&mut self, outcome: u64) {
        if let Some(frame) = self.frames.last_mut() {
            frame.outcome = Some(outcome);
        }
    }

    /// An instance of a node begins in the current function. The instance is named by the node and the index after this.
    pub fn go<N: Copy + Eq + Hash>(
        &mut self,
        indices: &mut Indices<N>,
        regions: &Regions,
        node: usize,
        name: impl Fn(usize) -> N,
    ) {
        let before = self.index();
        let Some(frame) = self.frames.last_mut() else { return };
        let base = frame.base;
        let outcome = frame.outcome.take();
        frame.calls = 0;
        if let Some(was) = frame.at.replace(node).filter(|&was| regions.branches(was)) {
            let level = Level::Branch { at: name(was), outcome: outcome.unwrap_or(0) };
            let index = indices.below(before, level);
            self.open.push(Open { index, what: Region::Branch { until: regions.until(was) } });
        }
        let ends = |open: &Open| match open.what {
            Region::Branch { until } => until == Some(node),
            Region::Round { head, .. } => !regions.is_inside(node, head),
            Region::Landing => false,
        };
        if let Some(first) = self.open[base..].iter().position(ends) {
            self.open.truncate(base + first);
        }
        if regions.is_head(node) {
            let here = |open: &Open| matches!(open.what, Region::Round { head, .. } if head == node);
            let mut nth = 0;
            if let Some(known) = self.open[base..].iter().position(here) {
                if let Region::Round { nth: last, .. } = self.open[base + known].what {
                    nth = last + 1;
                }
                self.open.truncate(base + known);
            }
            let index = indices.below(self.index(), Level::Round { head: name(node), nth });
            self.open.push(Open { index, what: Region::Round { head: node, nth } });
        }
    }

    /// A `longjmp` came to this node of the current function: what it left there is closed.
    pub fn land<N: Copy + Eq + Hash>(&mut self, indices: &mut Indices<N>, at: N) {
        let Some(frame) = self.frames.last_mut() else { return };
        self.open.truncate(frame.base);
        frame.landings += 1;
        (frame.at, frame.outcome, frame.calls) = (None, None, 0);
        let index = indices.below(frame.index, Level::Landing { at, nth: frame.landings - 1 });
        self.open.push(Open { index, what: Region::Landing });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    type Edges = &'static [(usize, usize)];

    /// The indices along a way through a function, as text.
    fn check(edges: Edges, exits: &[usize], way: &[usize], expect: &[&str]) {
        let count = 1 + edges.iter().map(|edge| edge.0.max(edge.1)).max().unwrap_or(0);
        let regions = Regions::new(count, &[0], edges, exits);
        let (mut indices, mut walk) = (Indices::default(), Walk::default());
        walk.enter(&mut indices, None);
        let mut found = Vec::new();
        for (at, &node) in way.iter().enumerate() {
            walk.go(&mut indices, &regions, node, |node| node);
            let levels = indices.levels(walk.index()).into_iter().map(|level| match level {
                Level::Branch { at, outcome } => format!("{at}={outcome}"),
                Level::Round { head, nth } => format!("{head}#{nth}"),
                Level::Call { at, nth } => format!("{at}({nth})"),
                Level::Landing { at, nth } => format!("{at}!{nth}"),
            });
            found.push(format!("{} {node}", levels.collect::<Vec<_>>().join(" ")).trim().to_owned());
            if let Some(next) = way.get(at + 1) {
                walk.decide(*next as u64);
            }
        }
        assert_eq!(found, expect);
    }

    #[test]
    fn a_branch_ends_where_its_ways_meet() {
        check(&[(0, 1), (0, 2), (1, 3), (2, 3)], &[3], &[0, 1, 3], &["0", "0=1 1", "3"]);
    }

    #[test]
    fn rounds_are_counted_and_left() {
        // while (0) { if (1) 2; 3; } 4
        let edges: Edges = &[(0, 1), (1, 2), (1, 3), (2, 3), (3, 0), (0, 4)];
        let expect = [
            "0#0 0",
            "0#0 0=1 1",
            "0#0 0=1 1=2 2",
            "0#0 0=1 3",
            "0#1 0",
            "0#1 0=1 1",
            "0#1 0=1 3",
            "0#2 0",
            "4",
        ];
        check(edges, &[4], &[0, 1, 2, 3, 0, 1, 3, 0, 4], &expect);
    }

    #[test]
    fn an_endless_loop_counts_too() {
        check(&[(0, 1), (1, 0)], &[], &[0, 1, 0], &["0#0 0", "0#0 1", "0#1 0"]);
    }

    #[test]
    fn an_early_return_leaves_everything() {
        let (mut indices, mut walk) = (Indices::default(), Walk::default());
        let regions = Regions::new(3, &[0], &[(0, 1), (0, 2), (1, 0)], &[2, 1]);
        walk.enter(&mut indices, None);
        walk.go(&mut indices, &regions, 0, |node| node);
        for nth in 0..3 {
            walk.enter(&mut indices, Some(0));
            let call = Level::Call { at: 0, nth };
            assert_eq!(indices.last(walk.index()).map(|it| it.1), Some(call));
            walk.go(&mut indices, &regions, 0, |node| node);
            walk.go(&mut indices, &regions, 1, |node| node);
            walk.leave(1);
        }
        assert_eq!(indices.levels(walk.index()), [Level::Round { head: 0, nth: 0 }]);
    }

    proptest! {
        /// Inside one run no two instances have the same index, whatever the control flow.
        #[test]
        fn indices_are_injective(
            edges in prop::collection::btree_set((0usize..7, 0usize..7), 1..16),
            choices in prop::collection::vec(any::<prop::sample::Index>(), 0..60),
        ) {
            let edges: Vec<(usize, usize)> = edges.into_iter().collect();
            let exits: Vec<usize> = (0..7).filter(|node| edges.iter().all(|edge| edge.0 != *node)).collect();
            let regions = Regions::new(7, &[0], &edges, &exits);
            let (mut indices, mut walk) = (Indices::default(), Walk::default());
            walk.enter(&mut indices, None);
            let (mut seen, mut node) = (BTreeSet::new(), 0);
            for choice in choices {
                walk.go(&mut indices, &regions, node, |node| node);
                prop_assert!(seen.insert((walk.index(), node)), "{} twice", node);
                let next: Vec<usize> = edges.iter().filter(|edge| edge.0 == node).map(|edge| edge.1).collect();
                if next.is_empty() {
                    break;
                }
                node = *choice.get(&next);
                walk.decide(node as u64);
            }
        }
    }
}
