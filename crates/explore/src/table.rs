//! Reading a table at a symbolic place: which value is where, as a term.

use hydrogen_term::{Pool, Term};

/// More different stretches than this become an array of the solver.
const MOST_SEGMENTS: usize = 192;

/// A stretch of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Values {
    /// The same constant everywhere.
    Same(u128),
    /// The index plus a constant: tables of characters are full of these.
    Rising(u128),
    /// A term, which may be the same everywhere.
    Term(Term),
}

#[derive(Debug, Clone, Copy)]
struct Segment {
    first: u64,
    count: u64,
    values: Values,
}

/// The value at `index` in a table whose entries from `first` on are given; all have this width. The index is in the table, as
/// some condition says elsewhere. `None` when the table is too rich for one term.
pub(crate) fn lookup(pool: &mut Pool, index: Term, first: u64, entries: &[Term], width: u32) -> Option<Term> {
    let mask = u128::MAX >> (128 - width);
    let mut segments: Vec<Segment> = Vec::new();
    for (at, entry) in (first..).zip(entries) {
        let values = match pool.as_bits(*entry) {
            Some(value) => Values::Same(value),
            None => Values::Term(*entry),
        };
        if let Some(last) = segments.last_mut() {
            let rising = |value: u128| value.wrapping_sub(u128::from(at)) & mask;
            let grown = match (last.values, values) {
                (old, new) if old == new => Some(old),
                (Values::Rising(by), Values::Same(value)) if rising(value) == by => Some(Values::Rising(by)),
                (Values::Same(old), Values::Same(value))
                    if last.count == 1 && old.wrapping_add(1) & mask == value =>
                {
                    Some(Values::Rising(rising(value)))
                }
                _ => None,
            };
            if let Some(grown) = grown {
                last.values = grown;
                last.count += 1;
                continue;
            }
        }
        segments.push(Segment { first: at, count: 1, values });
    }
    match segments.len() {
        0 => None,
        1..=MOST_SEGMENTS => Some(choose(pool, index, &segments, width)),
        _ => None,
    }
}

/// A balanced tree of comparisons.
fn choose(pool: &mut Pool, index: Term, segments: &[Segment], width: u32) -> Term {
    if let [segment] = segments {
        return match segment.values {
            Values::Same(value) => pool.bits(width, value),
            Values::Rising(by) => {
                let (low, by) = (pool.resize_unsigned(index, width), pool.bits(width, by));
                pool.add(low, by)
            }
            Values::Term(term) => term,
        };
    }
    let (left, right) = segments.split_at(segments.len() / 2);
    let border = pool.bits(pool.width(index), u128::from(right[0].first));
    let below = pool.ult(index, border);
    let (left, right) = (choose(pool, index, left, width), choose(pool, index, right, width));
    pool.ite(below, left, right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hydrogen_term::{Evaluator, Model, Sort, Value};

    #[test]
    fn every_entry_is_found() {
        let mut pool = Pool::new();
        let index = pool.var("i", Sort::Bits(64));
        let x = pool.var("x", Sort::Bits(8));
        let digits: Vec<u128> = [255; 40].into_iter().chain(0..10).chain([255; 7]).chain(10..36).collect();
        let mut entries: Vec<Term> = digits.iter().map(|value| pool.bits(8, *value)).collect();
        entries[60] = x;
        let term = lookup(&mut pool, index, 3, &entries, 8).expect("a table of few stretches");
        for (at, entry) in (3..).zip(&entries) {
            let mut model = Model::new();
            model.set(index, Value::Bits { width: 64, value: at });
            model.set(x, Value::Bits { width: 8, value: 77 });
            let mut evaluator = Evaluator::new(&pool, &model);
            assert_eq!(evaluator.bits(term), evaluator.bits(*entry), "at {at}");
        }
        assert!(pool.postorder(&[term]).len() < 60, "stretches are joined");
    }
}
