//! Two lists of statements, or of lines: what they share and where they differ.

use crate::lcs;
use std::hash::Hash;
use std::ops::Range;

/// A run of elements that was replaced, inserted or deleted; one of the ranges may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// The old elements.
    pub old: Range<usize>,
    /// The new elements.
    pub new: Range<usize>,
}

/// Which elements two lists share.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Matching {
    /// Per old element, the new one.
    pub new_of: Vec<Option<usize>>,
    /// Per new element, the old one.
    pub old_of: Vec<Option<usize>>,
    /// The runs between, in order.
    pub hunks: Vec<Hunk>,
}

impl Matching {
    /// Matches equal elements, as many as possible without crossing.
    pub fn of<S: Copy + Eq + Hash>(old: &[S], new: &[S]) -> Self {
        let mut matching =
            Self { new_of: vec![None; old.len()], old_of: vec![None; new.len()], hunks: Vec::new() };
        let (mut i, mut j) = (0, 0);
        for (x, y) in lcs(old, new).into_iter().chain([(old.len(), new.len())]) {
            if x > i || y > j {
                matching.hunks.push(Hunk { old: i..x, new: j..y });
            }
            if let (Some(was), Some(is)) = (matching.new_of.get_mut(x), matching.old_of.get_mut(y)) {
                (*was, *is) = (Some(y), Some(x));
            }
            (i, j) = (x + 1, y + 1);
        }
        matching
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Every element is matched with an equal one or in exactly one hunk.
        #[test]
        fn every_element_is_matched_or_in_a_hunk(
            old in prop::collection::vec(0u8..4, 0..20),
            new in prop::collection::vec(0u8..4, 0..20),
        ) {
            let matching = Matching::of(&old, &new);
            for (x, partner) in matching.new_of.iter().enumerate() {
                let in_hunks = matching.hunks.iter().filter(|hunk| hunk.old.contains(&x)).count();
                prop_assert_eq!(in_hunks, usize::from(partner.is_none()));
                if let Some(y) = *partner {
                    prop_assert_eq!(matching.old_of[y], Some(x));
                    prop_assert_eq!(old[x], new[y]);
                }
            }
            for (y, partner) in matching.old_of.iter().enumerate() {
                let in_hunks = matching.hunks.iter().filter(|hunk| hunk.new.contains(&y)).count();
                prop_assert_eq!(in_hunks, usize::from(partner.is_none()));
            }
            prop_assert_eq!(Matching::of(&old, &old).hunks, vec![]);
        }
    }
}
