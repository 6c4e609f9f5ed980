//! Floating-point terms: values as the host computes them, and rules that keep every bit.

#![allow(clippy::unwrap_used)]

mod common;

use expect_test::{Expect, expect};
use hydrogen_term::{Evaluator, FloatOp, Format, Model, Pool, Rounding, Sort, Term, Value};
use proptest::prelude::*;

fn model(x: Term, y: Term, width: u32, a: u128, b: u128) -> Model {
    let mut model = Model::new();
    model.set(x, Value::Bits { width, value: a });
    model.set(y, Value::Bits { width, value: b });
    model
}

fn value(pool: &Pool, model: &Model, term: Term) -> u64 {
    Evaluator::new(pool, model).bits(term) as u64
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn doubles_are_the_hosts(a in any::<u64>(), b in any::<u64>(), near in any::<bool>(), n in any::<i32>()) {
        // Numbers of similar size, so that sums are interesting.
        let b = if near { a ^ b >> 20 } else { b };
        let (x, y) = (f64::from_bits(a), f64::from_bits(b));
        let mut pool = Pool::raw();
        let (tx, ty) = (pool.var("x", Sort::Bits(64)), pool.var("y", Sort::Bits(64)));
        let values = model(tx, ty, 64, u128::from(a), u128::from(b));
        let mut check = |op: FloatOp, args: &[Term], expected: u64| {
            let term = pool.float(op, Format::Double, args);
            let found = value(&pool, &values, term);
            let nan = |bits: u64| f64::from_bits(bits).is_nan();
            prop_assert!(found == expected || (nan(found) && nan(expected)), "{op:?} {a:x} {b:x}: {found:x}");
            Ok(())
        };
        check(FloatOp::Add, &[tx, ty], (x + y).to_bits())?;
        check(FloatOp::Sub, &[tx, ty], (x - y).to_bits())?;
        check(FloatOp::Mul, &[tx, ty], (x * y).to_bits())?;
        check(FloatOp::Div, &[tx, ty], (x / y).to_bits())?;
        check(FloatOp::Fma, &[tx, ty, tx], x.mul_add(y, x).to_bits())?;
        check(FloatOp::Sqrt, &[tx], x.sqrt().to_bits())?;
        check(FloatOp::Round(Rounding::Down), &[tx], x.floor().to_bits())?;
        check(FloatOp::Round(Rounding::NearestEven), &[tx], x.round_ties_even().to_bits())?;
        check(FloatOp::Eq, &[tx, ty], u64::from(x == y))?;
        check(FloatOp::Less, &[tx, ty], u64::from(x < y))?;
        check(FloatOp::LessEq, &[tx, ty], u64::from(x <= y))?;
        let number = pool.bits(32, n as u32 as u128);
        let term = pool.float(FloatOp::FromSigned, Format::Double, &[number]);
        prop_assert_eq!(value(&pool, &values, term), f64::from(n).to_bits());
    }

    #[test]
    fn rules_keep_every_bit(index in 0..4usize, i in 0..14usize, j in 0..14usize, noise in any::<u64>(), random in any::<bool>()) {
        let format = [Format::Half, Format::BFloat, Format::Single, Format::Double][index];
        let width = format.width();
        let corners = common::float_corners(format);
        let all = u128::MAX >> (128 - width);
        let (a, b) = if random { (u128::from(noise) & all, corners[j]) } else { (corners[i], corners[j]) };
        let build = |mut pool: Pool| {
            let (x, y) = (pool.var("x", Sort::Bits(width)), pool.var("y", Sort::Bits(width)));
            let constant = pool.bits(width, b);
            let mut terms = common::float_terms(&mut pool, format, x, y);
            terms.extend(common::float_terms(&mut pool, format, x, constant));
            terms.extend(common::float_terms(&mut pool, format, x, x));
            if format != Format::Double {
                let wide = pool.float(FloatOp::Convert(Format::Double), format, &[x]);
                let threshold = pool.bits(64, u128::from(f64::from_bits(noise).to_bits()));
                let round = pool.bits(64, u128::from(0.5f64.to_bits()));
                for other in [threshold, round] {
                    terms.push(pool.float(FloatOp::Less, Format::Double, &[wide, other]));
                    terms.push(pool.float(FloatOp::Eq, Format::Double, &[other, wide]));
                }
            }
            let values = model(x, y, width, a, b);
            let mut evaluator = Evaluator::new(&pool, &values);
            terms.iter().map(|&term| evaluator.value(term)).collect::<Vec<_>>()
        };
        prop_assert_eq!(build(Pool::new()), build(Pool::raw()));
    }
}

#[test]
fn integers_that_fit_come_back() {
    let mut pool = Pool::new();
    let n = pool.var("n", Sort::Bits(32));
    let double = pool.float(FloatOp::FromSigned, Format::Double, &[n]);
    assert_eq!(pool.float(FloatOp::ToSigned(32), Format::Double, &[double]), n);
    let single = pool.float(FloatOp::FromSigned, Format::Single, &[n]);
    assert_ne!(pool.float(FloatOp::ToSigned(32), Format::Single, &[single]), n);
}

fn check(build: impl Fn(&mut Pool, Term, Term) -> Term, expected: Expect) {
    let mut pool = Pool::new();
    let (x, f) = (pool.var("x", Sort::Bits(64)), pool.var("f", Sort::Bits(32)));
    let term = build(&mut pool, x, f);
    expected.assert_eq(&pool.to_c(term));
}

#[test]
fn printed_as_in_c() {
    let constant = |pool: &mut Pool, value: f64| pool.bits(64, u128::from(value.to_bits()));
    let d = Format::Double;
    check(
        |pool, x, _| {
            let bound = constant(pool, 1.5);
            let sum = pool.float(FloatOp::Add, d, &[x, bound]);
            let product = pool.float(FloatOp::Mul, d, &[sum, x]);
            let two = constant(pool, 2.0);
            pool.float(FloatOp::Less, d, &[product, two])
        },
        expect!["(x + 1.5) * x < 2.0"],
    );
    check(|pool, x, _| pool.is_nan(d, x), expect!["x != x"]);
    check(
        |pool, _, f| {
            let wide = pool.float(FloatOp::Convert(d), Format::Single, &[f]);
            let (tenth, half) = (constant(pool, 0.1), constant(pool, 0.5));
            let (a, b) =
                (pool.float(FloatOp::Less, d, &[wide, tenth]), pool.float(FloatOp::LessEq, d, &[half, wide]));
            pool.or(a, b)
        },
        expect!["0.5 <= f || (double)f < 0.1"],
    );
    check(
        |pool, x, _| {
            let root = pool.float(FloatOp::Sqrt, d, &[x]);
            let negated = pool.float_negated(d, root);
            let floor = pool.float(FloatOp::Round(Rounding::Down), d, &[negated]);
            pool.float(FloatOp::ToSigned(32), d, &[floor])
        },
        expect!["(int32_t)floor(-sqrt(x))"],
    );
}
