//! What every solver must do, asked of each back end.

#![allow(clippy::unwrap_used)]

mod common;

use std::time::{Duration, Instant};

use common::World;
use hydrogen_term::{
    Answer, Bitwuzla, Both, Evaluator, FloatOp, Format, Importer, Limits, Model, Pool, Reason, Smtlib,
    Solver, Sort, Term, Value, by_name, standard,
};

fn limits() -> Limits {
    Limits { time: Duration::from_secs(60), memory: 4096, ..Limits::default() }
}

fn assert_sat(solver: &mut dyn Solver, pool: &Pool, constraints: &[Term]) -> Model {
    match solver.check(pool, constraints, &limits()) {
        Answer::Sat(model) => {
            let mut evaluator = Evaluator::new(pool, &model);
            assert!(constraints.iter().all(|&constraint| evaluator.holds(constraint)));
            model
        }
        other => panic!("{}: {other:?} for\n{}", solver.name(), pool.to_smt_script(constraints)),
    }
}

fn assert_unsat(solver: &mut dyn Solver, pool: &Pool, constraints: &[Term]) {
    let answer = solver.check(pool, constraints, &limits());
    assert!(answer.is_unsat(), "{}: {answer:?} for\n{}", solver.name(), pool.to_smt_script(constraints));
}

/// Each operator on corner values: the solver finds the evaluator's result possible and every other impossible.
fn operators(solver: &mut dyn Solver) {
    for width in [1u32, 7, 32, 64, 128] {
        let mut pool = Pool::raw();
        let (x, y) = (pool.var("x", Sort::Bits(width)), pool.var("y", Sort::Bits(width)));
        let all = u128::MAX >> (128 - width);
        let corners = [0, 1, 5, all, all >> 1, (all >> 1) + 1].map(|value| value & all);
        let mut terms: Vec<Term> = common::BINARY.iter().map(|&op| pool.make(op, &[x, y])).collect();
        terms.push(pool.bitnot(x));
        terms.push(pool.neg(y));
        terms.push(pool.extract(x, width - 1, width / 2));
        if width <= 64 {
            terms.extend([pool.concat(x, y), pool.zext(x, width + 3), pool.sext(x, width + 3)]);
        }
        for (position, &a) in corners.iter().enumerate() {
            for &b in &corners[position % 2..] {
                let (ka, kb) = (pool.bits(width, a), pool.bits(width, b));
                let fixed = [pool.eq(x, ka), pool.eq(y, kb)];
                let mut model = Model::new();
                model.set(x, Value::Bits { width, value: a });
                model.set(y, Value::Bits { width, value: b });
                let same: Vec<Term> = terms
                    .iter()
                    .map(|&term| match Evaluator::new(&pool, &model).value(term) {
                        Value::Bool(value) => (term, pool.bool(value)),
                        Value::Bits { width, value } => (term, pool.bits(width, value)),
                        Value::Array(_) => unreachable!(),
                    })
                    .collect::<Vec<_>>()
                    .into_iter()
                    .map(|(term, value)| pool.eq(term, value))
                    .collect();
                let all_same = pool.and_all(same.iter().copied());
                let differs = pool.not(all_same);
                assert_sat(solver, &pool, &[fixed[0], fixed[1], all_same]);
                assert_unsat(solver, &pool, &[fixed[0], fixed[1], differs]);
            }
        }
    }
}

/// Floating-point operators on corner values, and questions about any value.
fn floats(solver: &mut dyn Solver) {
    for format in [Format::Half, Format::BFloat, Format::Single, Format::Double] {
        let width = format.width();
        let mut pool = Pool::raw();
        let (x, y) = (pool.var("x", Sort::Bits(width)), pool.var("y", Sort::Bits(width)));
        let mut terms = common::float_terms(&mut pool, format, x, y);
        let corners = common::float_corners(format);
        // A few pairs of every format; of those that are quickly decided, more.
        let step = if width == 16 { 5 } else { 14 };
        for (position, &a) in corners.iter().enumerate() {
            for &b in corners.iter().skip(position % step).step_by(step) {
                let (ka, kb) = (pool.bits(width, a), pool.bits(width, b));
                let fixed = [pool.eq(x, ka), pool.eq(y, kb)];
                let mut model = Model::new();
                model.set(x, Value::Bits { width, value: a });
                model.set(y, Value::Bits { width, value: b });
                let mut all_same = pool.bool(true);
                for term in &mut terms {
                    let value = match Evaluator::new(&pool, &model).value(*term) {
                        Value::Bool(value) => pool.bool(value),
                        Value::Bits { width, value } => pool.bits(width, value),
                        Value::Array(_) => unreachable!(),
                    };
                    let same = pool.eq(*term, value);
                    all_same = pool.and(all_same, same);
                }
                let differs = pool.not(all_same);
                let answer = solver.check_alone(&pool, &[fixed[0], fixed[1], all_same], &limits());
                assert!(matches!(answer, Answer::Sat(_)), "{format:?} {a:x} {b:x}: {answer:?}");
                let answer = solver.check_alone(&pool, &[fixed[0], fixed[1], differs], &limits());
                assert!(answer.is_unsat(), "{format:?} {a:x} {b:x}: {answer:?}");
            }
        }
    }
}

/// Questions about floating-point numbers that are not given, in scopes.
fn float_questions(solver: &mut dyn Solver) {
    let limits = || Limits { time: Duration::from_secs(3), memory: 4096, ..Limits::default() };
    let mut pool = Pool::new();
    let half = Format::Half;
    let (x, y) = (pool.var("x", Sort::Bits(16)), pool.var("y", Sort::Bits(16)));
    let (one, zero) = (pool.bits(16, 0x3c00), pool.bits(16, 0));
    let next = pool.float(FloatOp::Add, half, &[x, one]);
    let absorbed = pool.float(FloatOp::Eq, half, &[next, x]);
    let limit = pool.bits(16, half.infinity());
    let finite = pool.float(FloatOp::Less, half, &[x, limit]);
    let positive = pool.float(FloatOp::Less, half, &[zero, x]);
    let model = assert_sat(solver, &pool, &[positive, finite, absorbed]);
    assert!(Evaluator::new(&pool, &model).bits(x) >= 0x6800, "2048 is the first that absorbs one");
    let small = pool.bits(16, 0x6400);
    let below = pool.float(FloatOp::Less, half, &[x, small]);
    assert_unsat(solver, &pool, &[positive, finite, below, absorbed]);
    // The bits of results: sums of the same numbers in any order differ at most in which NaN they are.
    let (sum, other) = (pool.float(FloatOp::Add, half, &[x, y]), pool.float(FloatOp::Add, half, &[y, x]));
    let (differ, x_nan, y_nan) = (pool.ne(sum, other), pool.is_nan(half, x), pool.is_nan(half, y));
    let (x_number, y_number) = (pool.not(x_nan), pool.not(y_nan));
    // Not every solver finds out in time.
    for number in [x_number, y_number] {
        let answer = solver.check(&pool, &[differ, number], &limits());
        assert!(matches!(answer, Answer::Unsat | Answer::Unknown(Reason::Timeout)), "{answer:?}");
    }
    let model = assert_sat(solver, &pool, &[differ]);
    assert!(half.is_nan(Evaluator::new(&pool, &model).bits(x)));
    // Zeros are equal and have different bits; their sum is positive.
    let (equal, unlike) = (pool.float(FloatOp::Eq, half, &[x, y]), pool.ne(x, y));
    let model = assert_sat(solver, &pool, &[equal, unlike]);
    assert_eq!(Evaluator::new(&pool, &model).bits(x) & 0x7fff, 0);
    let is_negative_zero = {
        let negative_zero = pool.bits(16, 0x8000);
        pool.eq(sum, negative_zero)
    };
    assert_unsat(solver, &pool, &[equal, unlike, is_negative_zero]);
    // Bits of a result are bits like any others.
    let negated = pool.float_negated(half, sum);
    let table = pool.var("table", Sort::Array { index: 16, element: 8 });
    let (at_sum, at_negated) = (pool.select(table, sum), pool.select(table, negated));
    let same_place = pool.ne(at_sum, at_negated);
    assert_sat(solver, &pool, &[same_place, x_number]);
    // Integers come back.
    let n = pool.var("n", Sort::Bits(32));
    let number = pool.float(FloatOp::FromSigned, Format::Single, &[n]);
    let back = pool.float(FloatOp::ToSigned(32), Format::Single, &[number]);
    let lost = pool.ne(back, n);
    let model = assert_sat(solver, &pool, &[lost]);
    assert!(Evaluator::new(&pool, &model).bits(n) as u32 as i32 as f32 as i32 as u32 != 0);
    let (bound, small) = (pool.bits(32, 1 << 24), pool.bits(32, 0));
    let (at_most, at_least) = (pool.sle(n, bound), pool.sle(small, n));
    assert_unsat(solver, &pool, &[lost, at_most, at_least]);
    // As in a program: two thresholds of a double.
    let d = pool.var("d", Sort::Bits(64));
    let constant = |pool: &mut Pool, value: f64| pool.bits(64, u128::from(value.to_bits()));
    let (low, high) = (constant(&mut pool, 1.5), constant(&mut pool, 1.75));
    let (above, below) = (
        pool.float(FloatOp::Less, Format::Double, &[low, d]),
        pool.float(FloatOp::Less, Format::Double, &[d, high]),
    );
    let model = assert_sat(solver, &pool, &[above, below]);
    let value = f64::from_bits(Evaluator::new(&pool, &model).bits(d) as u64);
    assert!(1.5 < value && value < 1.75);
    let reversed = pool.float(FloatOp::Less, Format::Double, &[d, low]);
    assert_unsat(solver, &pool, &[above, reversed]);
}

fn truth(solver: &mut dyn Solver) {
    let mut pool = Pool::raw();
    let (p, q) = (pool.var("p", Sort::Bool), pool.var("q", Sort::Bool));
    let (not_p, and, or, implies, same) =
        (pool.not(p), pool.and(p, q), pool.or(p, q), pool.implies(p, q), pool.eq(p, q));
    assert_sat(solver, &pool, &[]);
    assert_unsat(solver, &pool, &[p, not_p]);
    assert_sat(solver, &pool, &[p, implies, or, and, same]);
    let not_q = pool.not(q);
    assert_unsat(solver, &pool, &[p, implies, not_q]);
    let choice = pool.ite(p, q, not_q);
    let model = assert_sat(solver, &pool, &[choice, not_p]);
    assert!(!Evaluator::new(&pool, &model).holds(q));
    let (yes, no) = (pool.bool(true), pool.bool(false));
    assert_sat(solver, &pool, &[yes]);
    assert_unsat(solver, &pool, &[yes, no]);
}

fn arrays(solver: &mut dyn Solver) {
    let mut pool = Pool::new();
    let memory = pool.var("memory", Sort::MEMORY);
    let (i, j) = (pool.var("i", Sort::Bits(64)), pool.var("j", Sort::Bits(64)));
    let (seven, word) = (pool.bits(8, 7), pool.bits(32, 0x0403_0201));
    let written = pool.store(memory, i, seven);
    let read = pool.select(written, j);
    let (same, differs) = (pool.eq(i, j), pool.ne(read, seven));
    assert_unsat(solver, &pool, &[same, differs]);
    assert_sat(solver, &pool, &[differs]);
    let value = pool.read_le(memory, i, 4);
    let is_word = pool.eq(value, word);
    let model = assert_sat(solver, &pool, &[is_word, differs]);
    let at = Evaluator::new(&pool, &model).bits(i) as u64;
    let Value::Array(bytes) = Evaluator::new(&pool, &model).value(memory) else { panic!() };
    assert_eq!([0, 1, 2, 3].map(|offset| bytes.get(at.wrapping_add(offset))), [1, 2, 3, 4]);
    // Whole arrays.
    let other = pool.var("other", Sort::MEMORY);
    let (equal, reread) = (pool.eq(written, other), pool.select(other, i));
    let lost = pool.ne(reread, seven);
    assert_sat(solver, &pool, &[equal]);
    assert_unsat(solver, &pool, &[equal, lost]);
    let zeros = pool.bits(8, 0);
    let blank = pool.const_array(64, zeros);
    let condition = pool.ult(i, j);
    let chosen = pool.ite(condition, written, blank);
    let element = pool.select(chosen, i);
    let (is_seven, reversed) = (pool.eq(element, seven), pool.ult(j, i));
    assert_unsat(solver, &pool, &[is_seven, reversed]);
    assert_sat(solver, &pool, &[is_seven, condition]);
    // Small arrays with wide elements.
    let table = pool.var("table", Sort::Array { index: 2, element: 33 });
    let indices = (0..4).map(|at| pool.bits(2, at)).collect::<Vec<_>>();
    let elements = indices.iter().map(|&at| pool.select(table, at)).collect::<Vec<_>>();
    let constraints = elements.windows(2).map(|pair| pool.ult(pair[0], pair[1])).collect::<Vec<_>>();
    assert_sat(solver, &pool, &constraints);
}

/// Not every solver can do this; none may say something wrong.
fn constant_arrays(solver: &mut dyn Solver) {
    let mut pool = Pool::new();
    let (memory, other) = (pool.var("memory", Sort::MEMORY), pool.var("other", Sort::MEMORY));
    let (i, seven, zero) = (pool.var("i", Sort::Bits(64)), pool.bits(8, 7), pool.bits(8, 0));
    let (written, blank) = (pool.store(memory, i, seven), pool.const_array(64, zero));
    let (equal, is_blank) = (pool.eq(written, other), pool.eq(other, blank));
    let answer = solver.check(&pool, &[equal, is_blank], &limits());
    assert!(matches!(answer, Answer::Unsat | Answer::Unknown(Reason::Unsupported(_))), "{answer:?}");
    let answer = solver.check(&pool, &[is_blank], &limits());
    assert!(matches!(answer, Answer::Sat(_) | Answer::Unknown(Reason::Unsupported(_))), "{answer:?}");
}

fn functions(solver: &mut dyn Solver) {
    let mut pool = Pool::new();
    let f = pool.function("fadd", &[Sort::Bits(64), Sort::Bits(64)], Sort::Bits(64));
    let g = pool.function("is nan", &[Sort::Bits(64), Sort::Bool], Sort::Bool);
    let (x, y, p) = (pool.var("x", Sort::Bits(64)), pool.var("y", Sort::Bits(64)), pool.var("p", Sort::Bool));
    let (fxy, fyx) = (pool.apply(f, &[x, y]), pool.apply(f, &[y, x]));
    let (same, differs) = (pool.eq(x, y), pool.ne(fxy, fyx));
    assert_unsat(solver, &pool, &[same, differs]);
    assert_sat(solver, &pool, &[differs]);
    let (gx, gy) = (pool.apply(g, &[x, p]), pool.apply(g, &[fxy, p]));
    let not_gy = pool.not(gy);
    let chain = pool.eq(x, fxy);
    assert_unsat(solver, &pool, &[gx, not_gy, chain]);
    assert_sat(solver, &pool, &[gx, not_gy]);
    assert_sat(solver, &pool, &[gx, differs, p]);
}

/// Questions that grow, shrink and change in the middle, as along paths; and a change of pools.
fn prefixes(solver: &mut dyn Solver) {
    for _ in 0..2 {
        let mut pool = Pool::new();
        let x = pool.var("x y|z", Sort::Bits(32));
        let bounds = (0..20).map(|bound| pool.bits(32, bound)).collect::<Vec<_>>();
        let above = bounds.iter().map(|&bound| pool.ugt(x, bound)).collect::<Vec<_>>();
        let below = bounds.iter().map(|&bound| pool.ult(x, bound)).collect::<Vec<_>>();
        for at in 1..19 {
            let mut path = above[..=at].to_vec();
            assert_sat(solver, &pool, &path);
            path.push(below[at]);
            assert_unsat(solver, &pool, &path);
            path.pop();
            path.push(below[at + 1]);
            assert_unsat(solver, &pool, &path);
            path[0] = below[19];
            assert_unsat(solver, &pool, &path);
        }
        let both = [above[3], below[5]];
        let model = assert_sat(solver, &pool, &both);
        assert_eq!(Evaluator::new(&pool, &model).bits(x), 4);
    }
}

/// Something hard enough to need a limit: factoring a product of two large primes.
fn hard(pool: &mut Pool) -> Vec<Term> {
    let (x, y) = (pool.var("x", Sort::Bits(128)), pool.var("y", Sort::Bits(128)));
    let (product, one) =
        (pool.bits(128, 2_305_843_009_213_693_951 * 18_446_744_073_709_551_557), pool.bits(128, 1));
    let (half, multiplied) = (pool.bits(128, 1 << 64), pool.mul(x, y));
    vec![
        pool.ult(x, half),
        pool.ult(y, half),
        pool.ugt(x, one),
        pool.ugt(y, one),
        pool.eq(multiplied, product),
    ]
}

fn time_limit(solver: &mut dyn Solver) {
    let mut pool = Pool::new();
    let constraints = hard(&mut pool);
    let started = Instant::now();
    let short = Limits { time: Duration::from_millis(300), memory: 4096, ..Limits::default() };
    assert_eq!(solver.check(&pool, &constraints, &short), Answer::Unknown(Reason::Timeout));
    assert!(started.elapsed() < Duration::from_secs(6), "{:?}", started.elapsed());
    // It works again afterwards, with the same prefix.
    assert_sat(solver, &pool, &constraints[..4]);
}

fn memory_limit(solver: &mut dyn Solver) {
    let mut pool = Pool::new();
    // Many different products: more than fits.
    let x = pool.var("x", Sort::Bits(128));
    let mut constraints = Vec::new();
    for number in 0..400 {
        let y = pool.var(&format!("y{number}"), Sort::Bits(128));
        let (product, constant) = (pool.mul(x, y), pool.bits(128, 1 << 90 | (number * 2 + 1)));
        let quotient = pool.udiv(product, y);
        constraints.push(pool.ult(quotient, constant));
        constraints.push(pool.ult(constant, product));
    }
    let small = Limits { time: Duration::from_secs(20), memory: 60, ..Limits::default() };
    let started = Instant::now();
    let answer = solver.check(&pool, &constraints, &small);
    assert_eq!(answer, Answer::Unknown(Reason::Memory), "after {:?}", started.elapsed());
    assert_sat(solver, &pool, &[]);
}

/// Random terms, raw and simplified: no solver finds a difference between them.
fn rules(solver: &mut dyn Solver, seeds: std::ops::Range<u64>) {
    let quick = Limits { time: Duration::from_millis(500), memory: 4096, ..Limits::default() };
    let mut unknown = 0;
    for seed in seeds.clone() {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut byte = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as u8
        };
        let program: Vec<[u8; 4]> = (0..25).map(|_| [byte(), byte(), byte(), byte()]).collect();
        let mut raw = Pool::raw();
        let mut world = World::new(&mut raw);
        world.run(&mut raw, &program);
        let mut simple = Pool::new();
        let plain = raw.clone();
        let mut importer = Importer::new(&plain);
        for &term in world.terms.iter().rev().take(4) {
            let simplified = importer.import(&mut simple, term);
            let back = raw.import(&simple, simplified);
            if back == term {
                continue;
            }
            let differs = raw.ne(term, back);
            match solver.check(&raw, &[differs], &quick) {
                Answer::Unsat => {}
                Answer::Unknown(Reason::Timeout) => unknown += 1,
                other => panic!("{other:?}: {} became {}", raw.to_smt(term), raw.to_smt(back)),
            }
        }
    }
    assert!(unknown <= seeds.count() / 5, "{unknown} comparisons timed out");
}

/// Says so where a solver cannot be tested.
fn is_there(available: bool) -> bool {
    if !available {
        hydrogen_testkit::skip("this build has no Bitwuzla");
    }
    available
}

macro_rules! conformance {
    ($back_end:ident, $new:expr, $available:expr) => {
        mod $back_end {
            use super::*;

            #[test]
            fn operators() {
                if is_there($available) {
                    super::operators(&mut $new);
                }
            }
            #[test]
            fn floats() {
                if is_there($available) {
                    super::floats(&mut $new);
                }
            }
            #[test]
            fn float_questions() {
                if is_there($available) {
                    super::float_questions(&mut $new);
                }
            }
            #[test]
            fn truth() {
                if is_there($available) {
                    super::truth(&mut $new);
                }
            }
            #[test]
            fn arrays() {
                if is_there($available) {
                    super::arrays(&mut $new);
                }
            }
            #[test]
            fn constant_arrays() {
                if is_there($available) {
                    super::constant_arrays(&mut $new);
                }
            }
            #[test]
            fn functions() {
                if is_there($available) {
                    super::functions(&mut $new);
                }
            }
            #[test]
            fn prefixes() {
                if is_there($available) {
                    super::prefixes(&mut $new);
                }
            }
            #[test]
            fn time_limit() {
                if is_there($available) {
                    super::time_limit(&mut $new);
                }
            }
            #[test]
            fn memory_limit() {
                if is_there($available) {
                    super::memory_limit(&mut $new);
                }
            }
            #[test]
            fn rules() {
                if is_there($available) {
                    super::rules(&mut $new, 0..60);
                }
            }
        }
    };
}

conformance!(z3, Smtlib::z3(), true);
conformance!(bitwuzla, Bitwuzla::new(), Bitwuzla::is_available());
conformance!(both, Both::new(Bitwuzla::new(), Smtlib::z3()), Bitwuzla::is_available());

#[test]
fn the_standard_solver_does_everything() {
    let mut solver = standard();
    operators(&mut solver);
    arrays(&mut solver);
    constant_arrays(&mut solver);
    let mut pool = Pool::new();
    let (memory, zero) = (pool.var("memory", Sort::MEMORY), pool.bits(8, 0));
    let blank = pool.const_array(64, zero);
    let is_blank = pool.eq(memory, blank);
    assert_sat(&mut solver, &pool, &[is_blank]);
}

#[test]
fn solvers_have_names() {
    assert!(by_name("z3").is_some_and(|solver| solver.name() == "z3"));
    // Any program that is there can be named, with its arguments; one that is not there cannot.
    assert!(by_name("cat --incremental").is_some_and(|solver| solver.name() == "cat"));
    assert!(by_name("no-such-solver --incremental").is_none());
    assert_eq!(by_name("bitwuzla").is_some(), Bitwuzla::is_available());
    assert!(by_name("").is_none());
}

/// A solver that always says the same.
struct Stubborn(Answer);

impl Solver for Stubborn {
    fn name(&self) -> &str {
        "stubborn"
    }

    fn check(&mut self, _: &Pool, _: &[Term], _: &Limits) -> Answer {
        self.0.clone()
    }
}

#[test]
fn a_disagreement_is_reported() {
    let mut pool = Pool::new();
    let p = pool.var("p", Sort::Bool);
    let ask = |first: Answer, second: Answer| {
        Both::new(Stubborn(first), Stubborn(second)).check(&pool, &[p], &limits())
    };
    let sat = || Answer::Sat(Model::new());
    let unknown = || Answer::Unknown(Reason::Timeout);
    let answer = ask(sat(), Answer::Unsat);
    assert!(
        matches!(answer, Answer::Unknown(Reason::Disagreement(ref text)) if text.contains("(assert p)")),
        "{answer:?}"
    );
    assert_eq!(ask(sat(), unknown()), sat());
    assert_eq!(ask(unknown(), Answer::Unsat), Answer::Unsat);
    assert_eq!(ask(unknown(), unknown()), unknown());
}
