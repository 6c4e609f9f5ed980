//! How large formulas are, before and after each step that makes them smaller (RT-5).

use hydrogen_term::{Pool, Term};
use rustc_hash::FxHashSet;

/// The nodes of some terms.
pub(crate) fn size(pool: &Pool, terms: impl IntoIterator<Item = Term>) -> usize {
    let mut open: Vec<Term> = terms.into_iter().collect();
    let mut seen: FxHashSet<Term> = FxHashSet::default();
    while let Some(term) = open.pop() {
        if seen.insert(term) {
            open.extend(pool.args(term));
        }
    }
    seen.len()
}
