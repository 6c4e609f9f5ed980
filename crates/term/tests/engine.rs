//! The engine answers what the solver would, and asks it seldom.

#![allow(clippy::unwrap_used)]

mod common;

use std::{process::Command, time::Duration};

use common::World;
use hydrogen_term::{
    Answer, Bitwuzla, Engine, Evaluator, Limits, Model, Pool, Reason, Smtlib, Solver, Sort, Term, Value,
    components, slice,
};
use proptest::{collection::vec, prelude::*};

fn solver() -> Box<dyn Solver> {
    if Bitwuzla::is_available() { Box::new(Bitwuzla::new()) } else { Box::new(Smtlib::z3()) }
}

fn limits() -> Limits {
    Limits { time: Duration::from_millis(500), memory: 4096, ..Limits::default() }
}

/// An engine for steps of a path, or for questions that stand alone.
fn engine<S: Solver>(solver: S, alone: bool) -> Engine<S> {
    let engine = Engine::new(solver, limits());
    if alone { engine.alone() } else { engine }
}

/// A solver that must not be asked.
struct Unasked;

impl Solver for Unasked {
    fn name(&self) -> &str {
        "unasked"
    }

    fn check(&mut self, pool: &Pool, constraints: &[Term], _: &Limits) -> Answer {
        panic!("asked\n{}", pool.to_smt_script(constraints))
    }
}

fn byte(pool: &mut Pool, array: Term, at: u128) -> Term {
    let index = pool.bits(64, at);
    pool.select(array, index)
}

#[test]
fn simple_questions_do_not_reach_the_solver() {
    let mut pool = Pool::new();
    let mut engine = Engine::new(Unasked, limits());
    let (x, y) = (pool.var("x", Sort::Bits(32)), pool.var("y", Sort::Bits(32)));
    let input = pool.var("input", Sort::MEMORY);
    let k: Vec<Term> = (0..10).map(|value| pool.bits(32, value)).collect();
    let (low, high, is_3, is_4) = (pool.ugt(x, k[5]), pool.ult(x, k[4]), pool.eq(x, k[3]), pool.eq(x, k[4]));
    assert_eq!(engine.check(&mut pool, &[low, high]), Answer::Unsat);
    assert_eq!(engine.check(&mut pool, &[is_3, is_4]), Answer::Unsat);
    let sum = pool.add(x, y);
    let is_9 = pool.eq(sum, k[9]);
    let Answer::Sat(model) = engine.check(&mut pool, &[is_9, is_3]) else { panic!() };
    assert_eq!(model.variables[&y], Value::Bits { width: 32, value: 6 });
    // Bytes of an input.
    let (first, second) = (byte(&mut pool, input, 0), byte(&mut pool, input, 1));
    let (a, b) = (pool.bits(8, 65), pool.bits(8, 66));
    let (is_a, is_b, differs) = (pool.eq(first, a), pool.eq(second, b), pool.ne(first, second));
    assert!(engine.check(&mut pool, &[is_a, is_b, differs]).is_sat());
    let same = pool.eq(first, second);
    assert_eq!(engine.check(&mut pool, &[same, is_a, is_b]), Answer::Unsat);
    assert_eq!(engine.must_hold(&mut pool, &[is_a], is_b), Some(false));
    assert_eq!(engine.must_hold(&mut pool, &[is_a, is_b], differs), Some(true));
    assert_eq!(engine.check(&mut pool, &[]), Answer::Sat(Model::new()));
    let counters = engine.counters();
    assert_eq!((counters.asked, counters.by_simplifier, counters.by_model_cache), (8, 7, 1));
}

#[test]
fn caches_answer_related_questions() {
    let mut pool = Pool::new();
    let mut engine = Engine::new(solver(), limits());
    let (x, y) = (pool.var("x", Sort::Bits(32)), pool.var("y", Sort::Bits(32)));
    let (product, bound) = (pool.mul(x, y), pool.bits(32, 1000));
    let (large, ordered, odd) = (pool.ugt(product, bound), pool.ult(x, y), pool.eq(product, x));
    assert!(engine.check(&mut pool, &[large, ordered]).is_sat());
    assert_eq!(engine.counters().by_solver, 1);
    assert!(engine.check(&mut pool, &[ordered]).is_sat());
    assert_eq!(engine.counters().by_model_cache, 1);
    let reversed = pool.ult(y, x);
    assert!(engine.check(&mut pool, &[ordered, large, reversed]).is_unsat());
    let before = engine.counters().solver_calls;
    assert!(engine.check(&mut pool, &[odd, reversed, ordered, large]).is_unsat());
    assert_eq!(engine.counters().solver_calls, before);
    assert_eq!(engine.counters().by_unsat_cache, 1);
}

#[test]
fn independent_parts() {
    let mut pool = Pool::new();
    let input = pool.var("input", Sort::MEMORY);
    let bytes: Vec<Term> = (0..4).map(|at| byte(&mut pool, input, at)).collect();
    let i = pool.var("i", Sort::Bits(64));
    let pairs: Vec<Term> = bytes.windows(2).map(|pair| pool.ult(pair[0], pair[1])).collect();
    assert_eq!(components(&pool, &[pairs[0], pairs[2]]), [[pairs[0]], [pairs[2]]]);
    assert_eq!(components(&pool, &[pairs[0], pairs[2], pairs[1]]), [[pairs[0], pairs[2], pairs[1]]]);
    // An unknown index may be any of them.
    let any = pool.select(input, i);
    let is_zero = pool.bits_to_bool(any);
    assert_eq!(components(&pool, &[pairs[0], pairs[2], is_zero]).len(), 1);
    assert_eq!(slice(&pool, &[pairs[0], pairs[2]], pairs[1]), [pairs[0], pairs[2]]);
    assert_eq!(slice(&pool, &[pairs[0]], pairs[2]), []);
}

#[test]
fn a_missing_solver_is_told() {
    let mut pool = Pool::new();
    let mut engine = Engine::new(Smtlib::new("no-such-solver", &[]), limits());
    let (x, y) = (pool.var("x", Sort::Bits(32)), pool.var("y", Sort::Bits(32)));
    let (product, wanted) = (pool.mul(x, y), pool.bits(32, 1_000_003));
    let equal = pool.eq(product, wanted);
    assert!(matches!(engine.check(&mut pool, &[equal]), Answer::Unknown(Reason::Missing(_))));
    assert_eq!(engine.counters().unknown, 1);
}

#[test]
fn dumped_questions_are_good_smt_lib() {
    let folder = tempfile::tempdir().unwrap();
    let mut pool = Pool::new();
    let mut engine = Engine::new(solver(), limits());
    engine.dump_to(&folder.path().join("new/queries")).unwrap();
    let mut world = World::new(&mut pool);
    let mut state = 1u64;
    for _ in 0..300 {
        let mut byte = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as u8
        };
        let step = [byte(), byte(), byte(), byte()];
        world.step(&mut pool, step);
        let newest = *world.terms.last().unwrap();
        if pool.sort(newest) == Sort::Bool {
            engine.check(&mut pool, &[newest]);
        }
    }
    let weird = pool.var("a |weird| \\ name", Sort::Bits(8));
    let twin = pool.var("a |weird| / name", Sort::Bits(8));
    let less = pool.ult(weird, twin);
    engine.check(&mut pool, &[less]);
    let (product, odd) = (pool.mul(weird, twin), pool.bits(8, 211));
    let is_odd = pool.eq(product, odd);
    engine.check(&mut pool, &[less, is_odd]);
    let mut files: Vec<_> = std::fs::read_dir(folder.path().join("new/queries"))
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    files.sort();
    assert_eq!(files.len() as u64, engine.counters().solver_calls);
    assert!(files.len() > 2);
    assert!(files[0].ends_with("000001.smt2"));
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let output = Command::new("z3").arg("-T:5").arg(&file).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(["sat", "unsat", "timeout"].contains(&said.trim()), "{said} for {text}");
        assert!(
            said.trim() == "timeout"
                || text.contains(&format!(":status {})\n", said.trim()))
                || text.contains(":status unknown"),
            "{said} {text}"
        );
    }
}

/// A solver that knows nothing.
struct Silent;

impl Solver for Silent {
    fn name(&self) -> &str {
        "silent"
    }

    fn check(&mut self, _: &Pool, _: &[Term], _: &Limits) -> Answer {
        Answer::Unknown(Reason::Timeout)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever holds under some values is never called impossible before the solver is asked.
    #[test]
    fn what_is_possible_is_not_denied(program in vec(any::<[u8; 4]>(), 20..60), numbers in vec(any::<u64>(), 40..60), alone: bool) {
        let mut pool = Pool::new();
        let mut world = World::new(&mut pool);
        world.run(&mut pool, &program);
        let model = world.model(&pool, &numbers);
        let mut engine = engine(Silent, alone);
        let mut path = Vec::new();
        for term in world.terms.clone() {
            if pool.sort(term) == Sort::Bool {
                let holds = Evaluator::new(&pool, &model).holds(term);
                path.push(if holds { term } else { pool.not(term) });
            } else if let Value::Bits { width, value } = Evaluator::new(&pool, &model).value(term) && value % 3 == 0 {
                // Bounds around the value, so that ranges have something to work with.
                let (low, high) = (pool.bits(width, value.saturating_sub(3)), pool.bits(width, value | 15));
                path.extend([pool.uge(term, low), pool.ule(term, high)]);
            }
            let answer = engine.check(&mut pool, &path);
            prop_assert!(!answer.is_unsat(), "{}", pool.to_smt_script(&path));
            prop_assert!(!matches!(answer, Answer::Unknown(Reason::Unsupported(_))), "{:?} {}", answer, pool.to_smt_script(&path));
        }
    }
}

#[test]
fn functions_are_taken_out_of_questions_that_stand_alone() {
    let mut pool = Pool::new();
    let mut engine = engine(solver(), true);
    let word = Sort::Bits(64);
    let f = pool.function("f", &[word], word);
    let (x, y) = (pool.var("x", word), pool.var("y", word));
    let (fx, fy) = (pool.apply(f, &[x]), pool.apply(f, &[y]));
    let (ffx, differ, same) = (pool.apply(f, &[fx]), pool.ne(fx, fy), pool.eq(x, y));
    assert!(engine.check(&mut pool, &[differ, same]).is_unsat());
    let large = pool.bits(64, 1 << 60);
    let constraints = [differ, pool.ugt(ffx, large), pool.ult(x, y)];
    let Answer::Sat(model) = engine.check(&mut pool, &constraints) else { panic!() };
    let mut evaluator = Evaluator::new(&pool, &model);
    assert!(constraints.iter().all(|&one| evaluator.holds(one)));
    assert!(model.variables.keys().all(|&variable| variable == x || variable == y));
}

/// Answers nothing, and counts.
struct Slow(u32);

impl Solver for Slow {
    fn name(&self) -> &str {
        "slow"
    }

    fn check(&mut self, _: &Pool, _: &[Term], _: &Limits) -> Answer {
        self.0 += 1;
        Answer::Unknown(Reason::Timeout)
    }
}

#[test]
fn what_took_too_long_is_not_asked_again_in_the_same_time() {
    let mut pool = Pool::new();
    let mut engine = engine(Slow(0), false);
    let (x, y) = (pool.var("x", Sort::Bits(64)), pool.var("y", Sort::Bits(64)));
    let (product, one) = (pool.mul(x, y), pool.bits(64, 77));
    let (square, two) = (pool.mul(x, x), pool.bits(64, 78));
    let hard = [pool.eq(product, one), pool.eq(square, two)];
    assert!(matches!(engine.check(&mut pool, &hard), Answer::Unknown(_)));
    assert!(matches!(engine.check(&mut pool, &hard), Answer::Unknown(_)));
    assert_eq!(engine.solver().0, 1);
    engine.set_limits(Limits { time: Duration::from_secs(5), ..limits() });
    assert!(matches!(engine.check(&mut pool, &hard), Answer::Unknown(_)));
    assert_eq!(engine.solver().0, 2);
    engine.set_deadline(std::time::Instant::now());
    engine.set_limits(Limits { time: Duration::from_secs(50), ..limits() });
    assert!(matches!(engine.check(&mut pool, &hard), Answer::Unknown(_)));
    assert_eq!(engine.solver().0, 2);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_engine_agrees_with_the_solver(program in vec(any::<[u8; 4]>(), 20..60), choices in vec(any::<u16>(), 12), alone: bool) {
        let mut pool = Pool::new();
        let mut world = World::new(&mut pool);
        world.run(&mut pool, &program);
        let truths: Vec<Term> = world.terms.iter().copied().filter(|&term| pool.sort(term) == Sort::Bool).collect();
        let mut engine = engine(solver(), alone);
        let mut plain = solver();
        let mut path: Vec<Term> = Vec::new();
        for choice in choices {
            let term = truths[usize::from(choice / 2) % truths.len()];
            path.push(if choice % 2 == 0 { term } else { pool.not(term) });
            let answer = engine.check(&mut pool, &path);
            let expected = plain.check(&pool, &path, &limits());
            if let Answer::Sat(model) = &answer {
                let mut evaluator = Evaluator::new(&pool, model);
                prop_assert!(path.iter().all(|&constraint| evaluator.holds(constraint)));
            }
            let is_known = |answer: &Answer| !matches!(answer, Answer::Unknown(Reason::Timeout | Reason::Memory));
            if is_known(&answer) && is_known(&expected) {
                prop_assert_eq!(answer.word(), expected.word(), "{:?} {:?} {}", answer, expected, pool.to_smt_script(&path));
            }
            if !answer.is_sat() {
                path.pop();
            }
        }
    }
}
