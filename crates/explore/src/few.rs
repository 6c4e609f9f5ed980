//! The few values that a term can have: those of choices between constants, such as where in a text a character was found.

use hydrogen_term::{Op, Pool, Substitution, Term};
use std::collections::BTreeSet;

/// All values that a term may have, in order, if they are at most so many and follow from choices between constants; there may be some among
/// them that it never has.
pub(crate) fn few_values(pool: &mut Pool, term: Term, most: usize) -> Option<Vec<u128>> {
    let mut found = BTreeSet::new();
    let mut open = vec![term];
    let mut steps = 0;
    while let Some(term) = open.pop() {
        if let Some(value) = pool.as_bits(term) {
            found.insert(value);
            continue;
        }
        steps += 1;
        if steps > most || found.len() > most {
            return None;
        }
        // The outermost choice has the fewest beside it.
        let inner = pool.postorder(&[term]);
        let (choice, values) =
            inner.into_iter().rev().find_map(|inner| Some((inner, constants(pool, inner, most)?)))?;
        for value in values {
            let mut put: Substitution = [(choice, value)].into_iter().collect();
            open.push(pool.substitute_with(term, &mut put));
        }
    }
    (found.len() <= most).then(|| found.into_iter().collect())
}

/// The constants that a term chooses between.
fn constants(pool: &Pool, term: Term, most: usize) -> Option<BTreeSet<Term>> {
    if pool.op(term) != Op::Ite {
        return None;
    }
    let mut found = BTreeSet::new();
    let mut open = vec![term];
    let mut seen = BTreeSet::new();
    while let Some(term) = open.pop() {
        if !seen.insert(term) {
            continue;
        }
        match pool.op(term) {
            Op::Ite => open.extend(&pool.args(term)[1..]),
            Op::Bits(_) => drop(found.insert(term)),
            _ => return None,
        }
        if seen.len() > 4 * most {
            return None;
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hydrogen_term::Sort;

    #[test]
    fn choices_between_constants_have_few_values() {
        let mut pool = Pool::new();
        let [a, b] = ["a", "b"].map(|name| pool.var(name, Sort::Bits(8)));
        let ten = pool.bits(8, 10);
        let conditions = [pool.ult(a, ten), pool.ult(b, ten)];
        let [one, five, nine] = [1 << 40, 5 << 40, 9 << 40].map(|value| pool.bits(64, value));
        let inner = pool.ite(conditions[0], five, nine);
        let place = pool.ite(conditions[1], one, inner);
        let moved = pool.sub(place, one);
        let limit = pool.bits(64, 6 << 40);
        let less = pool.ult(moved, limit);
        let least = pool.ite(less, moved, limit);
        assert_eq!(few_values(&mut pool, least, 16), Some(vec![0, 4 << 40, 6 << 40]));
        assert_eq!(few_values(&mut pool, least, 2), None);
        assert_eq!(few_values(&mut pool, a, 16), None);
    }
}
