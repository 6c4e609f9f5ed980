//! Two memories that were written in the same places.

use hydrogen_term::{Op, Pool, Term};
use rustc_hash::FxHashSet;

/// Writes that are compared one by one.
const MOST: usize = 400;

/// What must be equal so that two memories are: the values of writes to the same addresses in the same order. None where they were written otherwise.
pub(crate) fn pairs(pool: &Pool, a: Term, b: Term) -> Option<Vec<(Term, Term)>> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut open = vec![(a, b)];
    while let Some((a, b)) = open.pop() {
        if a == b || !seen.insert((a, b)) {
            continue;
        }
        let (one, other) = (pool.args(a), pool.args(b));
        match (pool.op(a), pool.op(b)) {
            (Op::Store, Op::Store) if one[1] == other[1] => {
                if one[2] != other[2] {
                    found.push((one[2], other[2]));
                }
                open.push((one[0], other[0]));
            }
            (Op::Ite, Op::Ite) if one[0] == other[0] => {
                open.push((one[1], other[1]));
                open.push((one[2], other[2]));
            }
            _ => return None,
        }
        if found.len() > MOST {
            return None;
        }
    }
    Some(found)
}
