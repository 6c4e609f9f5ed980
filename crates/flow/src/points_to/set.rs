//! Sets of small numbers, stored as sorted blocks of 64.

/// A set of `u32`. Numbers that are made together lie together, so a block usually holds several.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Set {
    blocks: Vec<(u32, u64)>,
}

impl Set {
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    pub fn len(&self) -> usize {
        self.blocks.iter().map(|(_, bits)| bits.count_ones() as usize).sum()
    }

    /// A measure of the work that a pass over the set costs.
    pub fn weight(&self) -> usize {
        self.blocks.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.blocks.iter().flat_map(|&(key, bits)| {
            // No block is empty.
            let rest = |bits: &u64| Some(bits & (bits - 1)).filter(|&rest| rest != 0);
            std::iter::successors(Some(bits), rest).map(move |bits| key * 64 + bits.trailing_zeros())
        })
    }

    pub fn contains(&self, item: u32) -> bool {
        self.blocks
            .binary_search_by_key(&(item / 64), |block| block.0)
            .is_ok_and(|at| self.blocks[at].1 >> (item % 64) & 1 == 1)
    }

    /// Adds a number; whether it is new.
    pub fn insert(&mut self, item: u32) -> bool {
        let bit = 1 << (item % 64);
        match self.blocks.binary_search_by_key(&(item / 64), |block| block.0) {
            Ok(at) => {
                let old = self.blocks[at].1;
                self.blocks[at].1 |= bit;
                old & bit == 0
            }
            Err(at) => {
                self.blocks.insert(at, (item / 64, bit));
                true
            }
        }
    }

    /// Adds all of `other`; whether anything was new.
    pub fn union(&mut self, other: &Set) -> bool {
        if self.blocks.is_empty() {
            self.blocks.clone_from(&other.blocks);
            return !other.blocks.is_empty();
        }
        // Most unions add nothing, or only to blocks that exist: do those in place.
        let (mut changed, mut missing, mut at) = (false, false, 0);
        for &(key, bits) in &other.blocks {
            while at < self.blocks.len() && self.blocks[at].0 < key {
                at += 1;
            }
            match self.blocks.get_mut(at) {
                Some(block) if block.0 == key => {
                    changed |= bits & !block.1 != 0;
                    block.1 |= bits;
                }
                _ => missing = true,
            }
        }
        if missing {
            let own = std::mem::take(&mut self.blocks);
            self.blocks = merge(own, &other.blocks);
        }
        changed | missing
    }

    /// What is here and not in `other`.
    pub fn difference(&self, other: &Set) -> Set {
        let mut at = 0;
        let blocks = self.blocks.iter().filter_map(|&(key, bits)| {
            while at < other.blocks.len() && other.blocks[at].0 < key {
                at += 1;
            }
            let taken = other.blocks.get(at).filter(|block| block.0 == key).map_or(0, |block| block.1);
            Some((key, bits & !taken)).filter(|block| block.1 != 0)
        });
        Set { blocks: blocks.collect() }
    }

    /// What is in both.
    pub fn intersection(&self, other: &Set) -> Set {
        let mut at = 0;
        let blocks = self.blocks.iter().filter_map(|&(key, bits)| {
            while at < other.blocks.len() && other.blocks[at].0 < key {
                at += 1;
            }
            let common = other.blocks.get(at).filter(|block| block.0 == key).map_or(0, |block| block.1);
            Some((key, bits & common)).filter(|block| block.1 != 0)
        });
        Set { blocks: blocks.collect() }
    }
}

fn merge(left: Vec<(u32, u64)>, right: &[(u32, u64)]) -> Vec<(u32, u64)> {
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let mut rest = right.iter().copied().peekable();
    for block in left {
        while let Some(&other) = rest.peek().filter(|other| other.0 < block.0) {
            merged.push(other);
            rest.next();
        }
        // Common blocks already hold the union.
        rest.next_if(|other| other.0 == block.0);
        merged.push(block);
    }
    merged.extend(rest);
    merged
}

impl FromIterator<u32> for Set {
    fn from_iter<I: IntoIterator<Item = u32>>(items: I) -> Self {
        let mut set = Set::default();
        for item in items {
            set.insert(item);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::Set;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn sets_behave_like_ordered_sets(a in prop::collection::btree_set(0u32..400, 0..40),
                                         b in prop::collection::btree_set(0u32..400, 0..40)) {
            let (x, y): (Set, Set) = (a.iter().copied().collect(), b.iter().copied().collect());
            let list = |set: &Set| set.iter().collect::<Vec<_>>();
            prop_assert_eq!(list(&x), a.iter().copied().collect::<Vec<_>>());
            prop_assert_eq!(list(&x.difference(&y)), a.difference(&b).copied().collect::<Vec<_>>());
            prop_assert_eq!(list(&x.intersection(&y)), a.intersection(&b).copied().collect::<Vec<_>>());
            let mut both = x.clone();
            prop_assert_eq!(both.union(&y), !b.is_subset(&a));
            prop_assert_eq!(list(&both), a.union(&b).copied().collect::<Vec<_>>());
            prop_assert_eq!(both.len(), a.union(&b).count());
            prop_assert!((0..400).all(|n| both.contains(n) == BTreeSet::contains(&a, &n) | b.contains(&n)));
        }
    }
}
