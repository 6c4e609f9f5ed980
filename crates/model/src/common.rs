//! What two versions of a list have in common.

use std::sync::Arc;

/// How many are the same, and not only alike, at the beginning and at the end of both.
pub fn in_common<T>(old: &[Arc<T>], new: &[Arc<T>]) -> (usize, usize) {
    let same = |(a, b): &(&Arc<T>, &Arc<T>)| Arc::ptr_eq(a, b);
    let before = old.iter().zip(new).take_while(same).count();
    let (old, new) = (&old[before..], &new[before..]);
    (before, old.iter().rev().zip(new.iter().rev()).take_while(same).count())
}

/// Both lists without what they have in common at their beginnings and ends.
pub fn without_common<'a, T>(old: &'a [Arc<T>], new: &'a [Arc<T>]) -> (&'a [Arc<T>], &'a [Arc<T>]) {
    let (before, behind) = in_common(old, new);
    (&old[before..old.len() - behind], &new[before..new.len() - behind])
}
