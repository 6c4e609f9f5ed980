//! Cores and near values, against trying everything.

#![allow(clippy::unwrap_used)]

use hydrogen_term::{Answer, Bitwuzla, Engine, Evaluator, Limits, Pool, Smtlib, Solver, Sort};

fn engine() -> Engine<Box<dyn Solver>> {
    let solver: Box<dyn Solver> =
        if Bitwuzla::is_available() { Box::new(Bitwuzla::new()) } else { Box::new(Smtlib::z3()) };
    Engine::new(solver, Limits::default())
}

#[test]
fn a_core_has_nothing_to_spare() {
    let mut pool = Pool::new();
    let names = ["a", "b", "c", "d"];
    let vars = names.map(|name| pool.var(name, Sort::Bits(8)));
    // a < b < c < a, and others that have nothing to do with it.
    let mut terms = vec![pool.ult(vars[0], vars[3])];
    let circle = [(0, 1), (1, 2), (2, 0)].map(|(x, y)| pool.ult(vars[x], vars[y]));
    terms.extend(circle);
    let seven = pool.bits(8, 7);
    terms.push(pool.ult(seven, vars[3]));
    let core = engine().core(&mut pool, &terms).unwrap();
    assert_eq!(core, circle);
    assert_eq!(engine().core(&mut pool, &terms[..2]), None);
}

#[test]
fn near_values_change_little() {
    let mut pool = Pool::new();
    let bytes: Vec<_> = (0..6).map(|at| pool.var(&format!("in[{at}]"), Sort::Bits(8))).collect();
    let wished: Vec<_> = bytes.iter().map(|byte| (*byte, 0x61)).collect();
    // The second byte must be a digit, and the sum of the last two odd.
    let (low, high) = (pool.bits(8, 0x30), pool.bits(8, 0x39));
    let sum = pool.add(bytes[4], bytes[5]);
    let odd = pool.extract(sum, 0, 0);
    let one = pool.bits(1, 1);
    let terms = [pool.ule(low, bytes[1]), pool.ule(bytes[1], high), pool.eq(odd, one)];
    let Answer::Sat(model) = engine().near(&mut pool, &terms, &wished) else { panic!("it can hold") };
    let mut evaluator = Evaluator::new(&pool, &model);
    assert!(terms.iter().all(|term| evaluator.holds(*term)));
    let changed: Vec<usize> = (0..6).filter(|at| evaluator.bits(bytes[*at]) != 0x61).collect();
    assert!(changed == [1, 4] || changed == [1, 5], "{changed:?}");
    let never = pool.bool(false);
    assert!(engine().near(&mut pool, &[never], &wished).is_unsat());
}
