//! Overflow predicates, against arithmetic on wide numbers.

#![allow(clippy::unwrap_used)]

use hydrogen_term::{Evaluator, Model, Pool, Sort, Term, Value};
use proptest::prelude::*;

type Predicate = fn(&mut Pool, Term, Term) -> Term;
type Exact = fn(i128, i128) -> Option<i128>;

/// Predicates, whether they read their operands as signed, and the exact operation.
const PREDICATES: &[(Predicate, bool, Exact)] = &[
    (Pool::uadd_overflows, false, i128::checked_add),
    (Pool::sadd_overflows, true, i128::checked_add),
    (Pool::usub_overflows, false, i128::checked_sub),
    (Pool::ssub_overflows, true, i128::checked_sub),
    (Pool::umul_overflows, false, i128::checked_mul),
    (Pool::smul_overflows, true, i128::checked_mul),
    (Pool::sdiv_overflows, true, |a, b| if b == 0 { Some(0) } else { a.checked_div(b) }),
];

/// Compares for variables, and for either operand constant.
fn check(width: u32, a: u128, b: u128) {
    let mut pool = Pool::new();
    let (x, y) = (pool.var("x", Sort::Bits(width)), pool.var("y", Sort::Bits(width)));
    let (ka, kb) = (pool.bits(width, a), pool.bits(width, b));
    let mut model = Model::new();
    model.set(x, Value::Bits { width, value: a });
    model.set(y, Value::Bits { width, value: b });
    for &(predicate, is_signed, exact) in PREDICATES {
        let read = |value: u128| {
            if is_signed { ((value << (128 - width)) as i128) >> (128 - width) } else { value as i128 }
        };
        let (low, high) = match is_signed {
            true => (i128::MIN >> (128 - width), i128::MAX >> (128 - width)),
            false => (0, (u128::MAX >> (128 - width)) as i128),
        };
        let overflows = exact(read(a), read(b)).is_none_or(|value| value < low || value > high);
        for (left, right) in [(x, y), (ka, y), (x, kb), (ka, kb)] {
            let term = predicate(&mut pool, left, right);
            assert_eq!(
                Evaluator::new(&pool, &model).holds(term),
                overflows,
                "{} with x={a} y={b}",
                pool.to_c(term)
            );
        }
    }
}

#[test]
fn all_values_at_small_widths() {
    for width in 1..=4 {
        for a in 0..1 << width {
            (0..1 << width).for_each(|b| check(width, a, b));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn values_at_large_widths(width in 5u32..127, a: u128, b: u128, cut_a in 0u32..120, cut_b in 0u32..120) {
        let fit = |value: u128, cut: u32| (value >> cut) & (u128::MAX >> (128 - width));
        check(width, fit(a, cut_a), fit(b, cut_b));
        check(width, fit(a, cut_a), fit(0u128.wrapping_sub(b >> cut_b), 0));
    }
}

#[test]
fn the_widest() {
    let mut pool = Pool::new();
    let (x, y) = (pool.var("x", Sort::Bits(128)), pool.var("y", Sort::Bits(128)));
    let corners = [0, 1, 2, u128::MAX, u128::MAX - 1, 1 << 127, (1 << 127) - 1, 1 << 64, 1 << 63, 3 << 62];
    for a in corners {
        for b in corners {
            let mut model = Model::new();
            model.set(x, Value::Bits { width: 128, value: a });
            model.set(y, Value::Bits { width: 128, value: b });
            let (sa, sb) = (a as i128, b as i128);
            let expected = [
                (Pool::uadd_overflows as Predicate, a.checked_add(b).is_none()),
                (Pool::sadd_overflows, sa.checked_add(sb).is_none()),
                (Pool::ssub_overflows, sa.checked_sub(sb).is_none()),
                (Pool::umul_overflows, a.checked_mul(b).is_none()),
                (Pool::smul_overflows, sa.checked_mul(sb).is_none()),
            ];
            for (predicate, overflows) in expected {
                let term = predicate(&mut pool, x, y);
                assert_eq!(
                    Evaluator::new(&pool, &model).holds(term),
                    overflows,
                    "{} with x={a} y={b}",
                    pool.to_c(term)
                );
            }
        }
    }
}
