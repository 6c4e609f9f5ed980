//! Change sequences: in which order runs of the new version come to changes (E11, E15), and which of them a difference needs (Definition 10).

use crate::changes::Changes;
use hydrogen_evidence::Input;
use hydrogen_pair::{Instance, Node, Ran};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// An input by the order in which the new version comes to changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Walk {
    /// Which shape of input.
    pub shape: usize,
    /// The input.
    pub input: Input,
    /// The changed statements in the order in which they are executed.
    pub sequence: Vec<Node>,
    /// In what the versions differ; nothing where they do the same.
    pub differs: Vec<String>,
}

/// The changed statements that a run executes, in order.
pub(crate) fn sequence_of(ran: &Ran, changes: &Changes) -> Vec<Node> {
    ran.instances.all.iter().map(|it| it.node).filter(|node| changes.contains(*node)).collect()
}

/// What stands for the changes that a run has executed, by step.
#[derive(Debug, Default)]
pub(crate) struct Walked(Vec<(u64, u64)>);

impl Walked {
    pub(crate) fn of(ran: &Ran, changes: &Changes) -> Self {
        let mut hasher = FxHasher::default();
        let changed = ran.instances.all.iter().filter(|it| changes.contains(it.node));
        let one = |it: &Instance| {
            it.node.hash(&mut hasher);
            (it.step, hasher.finish())
        };
        Self(changed.map(one).collect())
    }

    /// What stands for those before a step.
    pub(crate) fn until(&self, step: u64) -> u64 {
        let count = self.0.partition_point(|(at, _)| *at <= step);
        count.checked_sub(1).map_or(0, |last| self.0[last].1)
    }
}

/// The changes that every failing sequence has, in this order, and that are not in every sequence: a run that leaves one of them out does not fail, as far as
/// these runs show. Where there are fewer than two, no interaction of changes is needed.
pub fn critical(failing: &[&[Node]], others: &[&[Node]]) -> Vec<Node> {
    let mut failing: Vec<&[Node]> = failing.to_vec();
    failing.sort_by_key(|sequence| sequence.len());
    let Some((first, rest)) = failing.split_first() else { return Vec::new() };
    let common = rest.iter().fold(first.to_vec(), |common, sequence| common_to(&common, sequence));
    let everywhere = |node: &Node| failing.iter().chain(others).all(|sequence| sequence.contains(node));
    common.into_iter().filter(|node| !everywhere(node)).collect()
}

/// The longest list that is part of both in their order.
fn common_to<T: Copy + PartialEq>(one: &[T], two: &[T]) -> Vec<T> {
    let mut best = vec![vec![0u32; two.len() + 1]; one.len() + 1];
    for i in (0..one.len()).rev() {
        for j in (0..two.len()).rev() {
            best[i][j] = match one[i] == two[j] {
                true => best[i + 1][j + 1] + 1,
                false => best[i + 1][j].max(best[i][j + 1]),
            };
        }
    }
    let (mut i, mut j, mut common) = (0, 0, Vec::new());
    while i < one.len() && j < two.len() {
        if one[i] == two[j] {
            common.push(one[i]);
            (i, j) = (i + 1, j + 1);
        } else if best[i + 1][j] >= best[i][j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    common
}

#[cfg(test)]
mod tests {
    use super::common_to;

    #[test]
    fn the_longest_common_part() {
        let nodes = |text: &str| text.bytes().collect::<Vec<u8>>();
        for (one, two, common) in
            [("157", "1757", "157"), ("1557", "1575", "157"), ("17", "5", ""), ("", "1", "")]
        {
            assert_eq!(common_to(&nodes(one), &nodes(two)), nodes(common), "{one} {two}");
        }
    }
}
