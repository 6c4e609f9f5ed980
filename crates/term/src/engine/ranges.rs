//! Ranges under constraints: what each comparison with a constant says about a term is carried to all terms that contain it. This decides most checks
//! for overflow and bounds.

use rustc_hash::FxHashMap;

use crate::{
    build::interval::{Interval, literal},
    facts::Facts,
    pool::Pool,
    sort::Sort,
    term::{Op, Term},
    words::{mask, signed},
};

/// Larger questions are left to the solver at once.
const MOST_TERMS: usize = 20_000;

/// Comparisons of two unknown terms are used this often.
const ROUNDS: usize = 3;

/// Whether the constraints cannot hold together, by ranges alone.
pub(super) fn exclude_each_other(pool: &Pool, constraints: &[Term]) -> bool {
    let order = pool.postorder(constraints);
    if order.len() > MOST_TERMS {
        return false;
    }
    let mut stated: FxHashMap<Term, Facts> = FxHashMap::default();
    for &constraint in constraints {
        if let Some((term, interval)) = literal(pool, constraint)
            && !state_interval(pool, &mut stated, term, interval)
        {
            return true;
        }
    }
    for round in 0..ROUNDS {
        let Some(ranges) = Ranges::compute(pool, &order, &stated) else { return true };
        if constraints.iter().any(|&constraint| ranges.truth(pool, constraint) == Some(false)) {
            return true;
        }
        if round + 1 == ROUNDS || !compare_unknowns(pool, constraints, &ranges, &mut stated) {
            return stated.values().any(Facts::is_empty);
        }
    }
    false
}

/// Adds what is said about a term; false if nothing is left.
fn state(pool: &Pool, stated: &mut FxHashMap<Term, Facts>, term: Term, facts: Facts) -> bool {
    let width = pool.width(term);
    let known = stated.entry(term).or_insert_with(|| *pool.facts(term));
    *known = known.meet(facts, width);
    !known.is_empty()
}

/// An interval of `x + 3` is one of `x`, too; and of what is extended to `x`.
fn state_interval(pool: &Pool, stated: &mut FxHashMap<Term, Facts>, term: Term, interval: Interval) -> bool {
    if !state(pool, stated, term, of_interval(interval)) {
        return false;
    }
    if pool.op(term) == Op::Add {
        let sum = pool.sum_of(term);
        if let [(atom, 1)] = *sum.parts {
            let start = interval.start.wrapping_sub(sum.constant) & mask(interval.width);
            return state_interval(pool, stated, atom, Interval { start, ..interval });
        }
    }
    // What is known of the whole is known of the extended part.
    if let (Op::Zext(_), &[inner]) = (pool.op(term), pool.args(term)) {
        let (low, high) = stated[&term].unsigned;
        return state(pool, stated, inner, Facts::from_unsigned(pool.width(inner), low, high));
    }
    if let (Op::Sext(_), &[inner]) = (pool.op(term), pool.args(term)) {
        let (low, high) = stated[&term].signed;
        return state(pool, stated, inner, Facts::from_signed(pool.width(inner), low, high));
    }
    true
}

/// An interval on the circle as ranges; one that wraps says nothing about that reading.
fn of_interval(interval: Interval) -> Facts {
    let (start, end, width) = (interval.start, interval.end(), interval.width);
    let mut facts = Facts::any(width);
    if start <= end {
        facts = facts.meet(Facts::from_unsigned(width, start, end), width);
    }
    let (low, high) = (signed(start, width), signed(end, width));
    if low <= high {
        facts = facts.meet(Facts::from_signed(width, low, high), width);
    }
    facts
}

/// `a < b` bounds both by what is known of the other. Whether anything was added.
fn compare_unknowns(
    pool: &Pool,
    constraints: &[Term],
    ranges: &Ranges,
    stated: &mut FxHashMap<Term, Facts>,
) -> bool {
    let mut added = false;
    for &constraint in constraints {
        let (inner, negated) = match pool.op(constraint) {
            Op::Not => (pool.args(constraint)[0], true),
            _ => (constraint, false),
        };
        let (op, &[left, right]) = (pool.op(inner), pool.args(inner)) else { continue };
        if !matches!(op, Op::Ult | Op::Slt) || pool.as_bits(right).is_some() || pool.as_bits(left).is_some() {
            continue;
        }
        // a < b, or b <= a.
        let (small, large, strict) = if negated { (right, left, 0) } else { (left, right, 1) };
        let (a, b, width) = (ranges.facts[&small], ranges.facts[&large], pool.width(left));
        let (below, above) = if op == Op::Ult {
            let (Some(most), Some(least)) =
                (b.unsigned.1.checked_sub(strict), a.unsigned.0.checked_add(strict))
            else {
                continue;
            };
            (Facts::from_unsigned(width, 0, most), Facts::from_unsigned(width, least, mask(width)))
        } else {
            let strict = strict as i128;
            let (Some(most), Some(least)) = (b.signed.1.checked_sub(strict), a.signed.0.checked_add(strict))
            else {
                continue;
            };
            let any = Facts::any(width).signed;
            (Facts::from_signed(width, any.0, most), Facts::from_signed(width, least, any.1))
        };
        for (term, facts) in [(small, below), (large, above)] {
            let before = stated.get(&term).copied();
            state(pool, stated, term, facts);
            added |= before != stated.get(&term).copied();
        }
    }
    added
}

/// Facts of all terms, and truth values as far as they follow.
struct Ranges {
    facts: FxHashMap<Term, Facts>,
    truths: FxHashMap<Term, bool>,
}

impl Ranges {
    /// None if nothing is left for some term.
    fn compute(pool: &Pool, order: &[Term], stated: &FxHashMap<Term, Facts>) -> Option<Self> {
        let mut ranges = Self { facts: FxHashMap::default(), truths: FxHashMap::default() };
        for &term in order {
            match pool.sort(term) {
                Sort::Bits(width) => {
                    let (op, args) = (pool.op(term), pool.args(term));
                    let follows = match op {
                        // Its condition may be known here.
                        Op::Ite => match ranges.truth(pool, args[0]) {
                            Some(true) => ranges.facts[&args[1]],
                            Some(false) => ranges.facts[&args[2]],
                            None => {
                                Facts::of_with(pool, op, Sort::Bits(width), args, |arg| ranges.facts[&arg])
                            }
                        },
                        _ => Facts::of_with(pool, op, Sort::Bits(width), args, |arg| ranges.facts[&arg]),
                    };
                    let mut facts = follows.meet(*pool.facts(term), width);
                    if let Some(&stated) = stated.get(&term) {
                        facts = facts.meet(stated, width);
                    }
                    if facts.is_empty() {
                        return None;
                    }
                    ranges.facts.insert(term, facts);
                }
                Sort::Bool => {
                    if let Some(value) = ranges.follows(pool, term) {
                        ranges.truths.insert(term, value);
                    }
                }
                Sort::Array { .. } => {}
            }
        }
        Some(ranges)
    }

    fn truth(&self, pool: &Pool, term: Term) -> Option<bool> {
        pool.as_bool(term).or_else(|| self.truths.get(&term).copied())
    }

    fn follows(&self, pool: &Pool, term: Term) -> Option<bool> {
        let args = pool.args(term);
        let truth = |position: usize| self.truth(pool, args[position]);
        match pool.op(term) {
            Op::Not => truth(0).map(|value| !value),
            Op::And => match (truth(0), truth(1)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            Op::Or => match (truth(0), truth(1)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
            Op::Ite => truth(if truth(0)? { 1 } else { 2 }),
            Op::Eq => match pool.sort(args[0]) {
                Sort::Bool => Some(truth(0)? == truth(1)?),
                Sort::Bits(_) => {
                    let (a, b) = (self.facts[&args[0]], self.facts[&args[1]]);
                    match (a.single(), b.single()) {
                        (Some(a), Some(b)) => Some(a == b),
                        _ => a.excludes(&b).then_some(false),
                    }
                }
                Sort::Array { .. } => None,
            },
            Op::Ult => {
                let (a, b) = (self.facts[&args[0]].unsigned, self.facts[&args[1]].unsigned);
                if a.1 < b.0 { Some(true) } else { (a.0 >= b.1).then_some(false) }
            }
            Op::Slt => {
                let (a, b) = (self.facts[&args[0]].signed, self.facts[&args[1]].signed);
                if a.1 < b.0 { Some(true) } else { (a.0 >= b.1).then_some(false) }
            }
            _ => None,
        }
    }
}
