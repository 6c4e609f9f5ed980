//! What two versions of a list have in common.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

/// How many are the same, and not only alike, at the beginning and at the end of both.
pub fn in_common<T>(old: &[Arc<T>], new: &[Arc<T>]) -> (usize, usize) {
    around(old, new, Arc::as_ptr)
}

fn around<T, K: Eq>(old: &[T], new: &[T], key: impl Fn(&T) -> K) -> (usize, usize) {
    let same = |(a, b): &(&T, &T)| key(a) == key(b);
    let before = old.iter().zip(new).take_while(same).count();
    let (old, new) = (&old[before..], &new[before..]);
    (before, old.iter().rev().zip(new.iter().rev()).take_while(same).count())
}

/// What only the old and what only the new list has, by a key: elements that both have are left out wherever they stand, as often
/// as both have them. A file that changed at its beginning and at its end has most in common between.
pub fn differing<'a, T, K: Eq + Hash>(
    old: &'a [T],
    new: &'a [T],
    key: impl Fn(&T) -> K,
) -> (Vec<&'a T>, Vec<&'a T>) {
    let (before, behind) = around(old, new, &key);
    let (old, new) = (&old[before..old.len() - behind], &new[before..new.len() - behind]);
    if old.is_empty() || new.is_empty() {
        return (old.iter().collect(), new.iter().collect());
    }
    let mut left: HashMap<K, usize> = HashMap::with_capacity(old.len());
    old.iter().for_each(|it| *left.entry(key(it)).or_default() += 1);
    let mut take = |it: &T| match left.get_mut(&key(it)) {
        Some(count) if *count > 0 => {
            *count -= 1;
            true
        }
        _ => false,
    };
    let added = new.iter().filter(|it| !take(it)).collect();
    (old.iter().filter(|it| take(it)).collect(), added)
}

#[cfg(test)]
mod tests {
    use super::differing;
    use proptest::prelude::*;

    proptest! {
        /// Taking away the one and adding the other leads from the old list to the new one, and nothing is in both.
        #[test]
        fn a_list_is_the_other_with_what_differs(
            old in prop::collection::vec(0u8..6, 0..12),
            new in prop::collection::vec(0u8..6, 0..12),
        ) {
            let (gone, added) = differing(&old, &new, |it| *it);
            prop_assert!(gone.iter().all(|it| !added.contains(it)));
            let mut one: Vec<u8> = old.iter().chain(added).copied().collect();
            let mut two: Vec<u8> = new.iter().chain(gone).copied().collect();
            one.sort_unstable();
            two.sort_unstable();
            prop_assert_eq!(one, two);
        }
    }
}
