//! Two runs side by side.

use crate::follow::Instances;
use hydrogen_align::{IndexId, lcs};
use hydrogen_evidence::Node;
use rustc_hash::FxHashMap;

/// The instances that two runs share, by their positions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Alignment {
    /// Per instance of the first run, that of the second.
    pub second_of: Vec<Option<u32>>,
    /// Per instance of the second run, that of the first.
    pub first_of: Vec<Option<u32>>,
    /// How many of the pairs were found by order alone: their indices differ, because a loop or branch around them is another
    /// statement now.
    pub by_order: usize,
}

impl Alignment {
    /// Instances with equal indices and statements are the same. What is left between two of them, on both sides, is compared
    /// by the order of its statements.
    pub fn of(first: &Instances, second: &Instances) -> Self {
        let mut known: FxHashMap<(IndexId, Node), u32> = FxHashMap::default();
        for (at, instance) in (0u32..).zip(&second.all) {
            known.insert((instance.index, instance.node), at);
        }
        let mut alignment = Self {
            second_of: first.all.iter().map(|it| known.get(&(it.index, it.node)).copied()).collect(),
            first_of: vec![None; second.all.len()],
            by_order: 0,
        };
        for (at, other) in (0u32..).zip(&alignment.second_of) {
            if let Some(other) = other {
                alignment.first_of[*other as usize] = Some(at);
            }
        }
        alignment.fill(first, second);
        alignment
    }

    /// The pairs, in the order of the first run.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (0u32..).zip(&self.second_of).filter_map(|(one, other)| Some((one, (*other)?)))
    }

    /// The pairs whose instances computed something else: where values begin to differ.
    pub fn unequal<'a>(
        &'a self,
        first: &'a Instances,
        second: &'a Instances,
    ) -> impl Iterator<Item = (u32, u32)> + 'a {
        self.pairs().filter(|(one, two)| first.all[*one as usize].values != second.all[*two as usize].values)
    }

    /// Runs of instances without a partner, between partners that stand in the same order.
    fn fill(&mut self, first: &Instances, second: &Instances) {
        let mut anchors: Vec<(u32, u32)> = vec![];
        for pair in self.pairs() {
            // A statement may be executed before another in one run and behind it in the other: no gap is between them.
            if anchors.last().is_none_or(|last| last.1 < pair.1) {
                anchors.push(pair);
            }
        }
        anchors.push((first.all.len() as u32, second.all.len() as u32));
        let (mut i, mut j) = (0, 0);
        for (x, y) in anchors {
            let left: Vec<u32> = (i..x).filter(|at| self.second_of[*at as usize].is_none()).collect();
            let right: Vec<u32> = (j..y).filter(|at| self.first_of[*at as usize].is_none()).collect();
            if !left.is_empty() && !right.is_empty() {
                let nodes = |of: &Instances, at: &[u32]| -> Vec<Node> {
                    at.iter().map(|at| of.all[*at as usize].node).collect()
                };
                for (a, b) in lcs(&nodes(first, &left), &nodes(second, &right)) {
                    self.second_of[left[a] as usize] = Some(right[b]);
                    self.first_of[right[b] as usize] = Some(left[a]);
                    self.by_order += 1;
                }
            }
            (i, j) = (x + 1, y + 1);
        }
    }
}
