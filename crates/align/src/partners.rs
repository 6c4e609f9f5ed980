//! Which functions of two versions are the same: by key first, then by what is left.

use crate::alike::Candidate;
use crate::moved::alike;
use std::collections::BTreeMap;
use std::hash::Hash;

/// The functions of two versions that are the same, by their positions in the two lists.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Partners {
    /// Per new function, the old one.
    pub old_of: Vec<Option<usize>>,
    taken: Vec<bool>,
}

impl Partners {
    /// Functions with the same key. The same key twice (alternatives of `#if`) is told apart by order.
    pub fn by_key<K: Ord>(old: impl IntoIterator<Item = K>, new: impl IntoIterator<Item = K>) -> Self {
        let mut waiting: BTreeMap<K, std::collections::VecDeque<usize>> = BTreeMap::new();
        let mut count = 0;
        for key in old {
            waiting.entry(key).or_default().push_back(count);
            count += 1;
        }
        let partner = |key| waiting.get_mut(&key).and_then(|waiting| waiting.pop_front());
        let old_of: Vec<Option<usize>> = new.into_iter().map(partner).collect();
        let mut taken = vec![false; count];
        old_of.iter().flatten().for_each(|&old| taken[old] = true);
        Self { old_of, taken }
    }

    /// Of what is left, functions whose name is left once on both sides: they moved. With several of a name nobody can
    /// tell. For callers that do not have the statements at hand.
    pub fn then_by_name<N: Ord>(&mut self, old: impl Fn(usize) -> N, new: impl Fn(usize) -> N) {
        let once = |positions: Vec<usize>, name: &dyn Fn(usize) -> N| {
            let mut named: BTreeMap<N, Option<usize>> = BTreeMap::new();
            for at in positions {
                named.entry(name(at)).and_modify(|one| *one = None).or_insert(Some(at));
            }
            named
        };
        let gone = once(self.gone(), &old);
        for (name, come) in once(self.come(), &new) {
            if let (Some(come), Some(&Some(gone))) = (come, gone.get(&name)) {
                self.join(gone, come);
            }
        }
    }

    /// Of what is left, functions that say enough of the same.
    pub fn then_by_content<N, S>(
        &mut self,
        old: impl Fn(usize) -> Candidate<N, S>,
        new: impl Fn(usize) -> Candidate<N, S>,
    ) where
        N: Copy + Eq + Hash,
        S: Copy + Eq + Hash,
    {
        let (gone, come) = (self.gone(), self.come());
        if gone.is_empty() || come.is_empty() {
            return;
        }
        let before: Vec<_> = gone.iter().map(|&at| old(at)).collect();
        let after: Vec<_> = come.iter().map(|&at| new(at)).collect();
        for (was, is) in alike(&before, &after, &[]) {
            self.join(gone[was], come[is]);
        }
    }

    /// Old functions without a partner.
    pub fn gone(&self) -> Vec<usize> {
        (0..self.taken.len()).filter(|&at| !self.taken[at]).collect()
    }

    /// New functions without a partner.
    pub fn come(&self) -> Vec<usize> {
        (0..self.old_of.len()).filter(|&at| self.old_of[at].is_none()).collect()
    }

    fn join(&mut self, old: usize, new: usize) {
        self.old_of[new] = Some(old);
        self.taken[old] = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(
        old: &[(&'static str, &'static str, &str)],
        new: &[(&'static str, &'static str, &str)],
        expect: &[Option<usize>],
    ) {
        let mut partners =
            Partners::by_key(old.iter().map(|it| (it.0, it.1)), new.iter().map(|it| (it.0, it.1)));
        let of = |list: &[(&'static str, &'static str, &str)], at: usize| Candidate {
            name: list[at].0,
            file: list[at].1,
            symbols: list[at].2.bytes().collect(),
        };
        partners.then_by_content(|at| of(old, at), |at| of(new, at));
        assert_eq!(partners.old_of, expect);
        let unmatched = old.len() - expect.iter().flatten().count();
        assert_eq!(partners.gone().len(), unmatched);
    }

    #[test]
    fn by_key_then_by_content() {
        check(&[("f", "a.c", "xyz")], &[("f", "a.c", "nothing")], &[Some(0)]);
        check(
            &[("f", "a.c", "xyz"), ("g", "a.c", "abcd")],
            &[("h", "b.c", "abcd"), ("f", "b.c", "xyw")],
            &[Some(1), Some(0)],
        );
        check(&[("f", "a.c", "xyz")], &[("f", "b.c", "abc")], &[None]);
        // Short bodies look alike by chance.
        check(&[("f", "a.c", "xy")], &[("g", "a.c", "xy")], &[None]);
    }

    #[test]
    fn the_same_key_twice_goes_by_order() {
        assert_eq!(Partners::by_key([1, 1, 2], [2, 1, 1, 1]).old_of, [Some(2), Some(0), Some(1), None]);
    }

    #[test]
    fn a_name_that_is_left_once_moved() {
        let moved = |old: &[(&str, &str)], new: &[(&str, &str)]| {
            let mut partners = Partners::by_key(old.to_vec(), new.to_vec());
            partners.then_by_name(|at| old[at].0, |at| new[at].0);
            partners.old_of
        };
        assert_eq!(moved(&[("f", "a.c")], &[("f", "b.c")]), [Some(0)]);
        assert_eq!(moved(&[("f", "a.c")], &[("f", "b.c"), ("f", "c.c")]), [None, None]);
        assert_eq!(moved(&[("f", "a.c"), ("f", "d.c")], &[("f", "b.c")]), [None]);
    }
}
