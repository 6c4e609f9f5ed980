//! Equalities that follow by putting equals for equals and expanding products. A solver that looks at single bits of products would not come to an end.

use hydrogen_term::{Op, Pool, Sort, Term};
use std::collections::BTreeSet;

/// Variables that are replaced one after the other.
const MOST_REPLACED: usize = 12;

/// Whether an equality follows from the premises in that way. `false` says nothing.
pub(crate) fn follows(pool: &mut Pool, premises: &[Term], goal: Term) -> bool {
    let mut known = parts(pool, premises);
    let equal = both_ways(pool, &known);
    known.extend(equal);
    let mut goals = parts(pool, &[goal]);
    for _ in 0..MOST_REPLACED {
        goals.retain(|&goal| !is_same(pool, goal) && !is_one_of(pool, goal, &known));
        if goals.is_empty() {
            return true;
        }
        let Some((at, variable, value)) = replacement(pool, &known) else { return false };
        known.remove(at);
        let mut map = [(variable, value)].into_iter().collect();
        for term in known.iter_mut().chain(&mut goals) {
            *term = pool.substitute_with(*term, &mut map);
        }
    }
    false
}

/// What a conjunction says one by one.
fn parts(pool: &Pool, terms: &[Term]) -> Vec<Term> {
    let (mut open, mut found) = (terms.to_vec(), Vec::new());
    while let Some(term) = open.pop() {
        match pool.op(term) {
            Op::And => open.extend(pool.args(term)),
            _ if found.contains(&term) => {}
            _ => found.push(term),
        }
    }
    found
}

/// Numbers of which neither is less than the other.
fn both_ways(pool: &mut Pool, known: &[Term]) -> Vec<Term> {
    let mut found: BTreeSet<(bool, Term, Term)> = BTreeSet::new();
    for &term in known {
        if pool.op(term) != Op::Not {
            continue;
        }
        let inner = pool.args(term)[0];
        let signed = match pool.op(inner) {
            Op::Slt => true,
            Op::Ult => false,
            _ => continue,
        };
        found.insert((signed, pool.args(inner)[0], pool.args(inner)[1]));
    }
    let equal = found.iter().filter(|(signed, a, b)| a < b && found.contains(&(*signed, *b, *a)));
    let equal: Vec<(Term, Term)> = equal.map(|&(_, a, b)| (a, b)).collect();
    equal.into_iter().map(|(a, b)| pool.eq(a, b)).collect()
}

/// A premise that gives a variable a value without itself.
fn replacement(pool: &Pool, known: &[Term]) -> Option<(usize, Term, Term)> {
    known.iter().enumerate().find_map(|(at, &term)| {
        let [left, right] = *pool.args(term) else { return None };
        if pool.op(term) != Op::Eq || !matches!(pool.sort(left), Sort::Bits(_)) {
            return None;
        }
        [(left, right), (right, left)].into_iter().find_map(|(variable, value)| {
            let is_free =
                matches!(pool.op(variable), Op::Var(_)) && !pool.variables(&[value]).contains(&variable);
            is_free.then_some((at, variable, value))
        })
    })
}

fn sides(pool: &Pool, term: Term) -> Option<(Term, Term)> {
    match *pool.args(term) {
        [left, right] if pool.op(term) == Op::Eq && matches!(pool.sort(left), Sort::Bits(_)) => {
            Some((left, right))
        }
        _ => None,
    }
}

fn is_same(pool: &Pool, goal: Term) -> bool {
    pool.as_bool(goal) == Some(true)
        || sides(pool, goal).is_some_and(|(left, right)| pool.same_polynomial(left, right))
}

/// Whether an equality says the same as one that is known: the differences of both sides are one polynomial, or one is the other's negation.
pub(crate) fn is_one_of(pool: &mut Pool, goal: Term, known: &[Term]) -> bool {
    let Some((left, right)) = sides(pool, goal) else { return known.contains(&goal) };
    let wanted = pool.sub(left, right);
    known.iter().any(|&one| {
        let Some((a, b)) = sides(pool, one) else { return false };
        if pool.width(a) != pool.width(left) {
            return false;
        }
        let (up, down) = (pool.sub(a, b), pool.sub(b, a));
        pool.same_polynomial(up, wanted) || pool.same_polynomial(down, wanted)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_square_at_the_end_of_a_loop() {
        let mut pool = Pool::new();
        let [i, n, s] = ["i", "n", "s"].map(|name| pool.var(name, Sort::Bits(32)));
        let (at_most, square, wanted) = (pool.ule(i, n), pool.mul(i, i), pool.mul(n, n));
        let less = pool.ult(i, n);
        let (over, holds, goal) = (pool.not(less), pool.eq(s, square), pool.eq(s, wanted));
        assert!(follows(&mut pool, &[at_most, over, holds], goal));
        assert!(!follows(&mut pool, &[over, holds], goal));
    }
}
