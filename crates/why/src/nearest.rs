//! Inputs that fulfil a condition and are close to the failing one: few bytes change, and these to values that people can read.

use crate::independent::Independent;
use hydrogen_evidence::Input;
use hydrogen_explore::Assignment;
use hydrogen_term::{Answer, Engine, Model, Pool, Solver, Term, Value};
use rustc_hash::FxHashSet;

/// So many other values are tried for what cannot be kept.
const MOST_TRIED: usize = 24;

/// The answer to a question.
pub(crate) enum Found {
    /// This input fulfils it, and what belongs to it.
    Input(Box<Input>),
    /// None does.
    None,
    /// The solver did not say.
    Unknown,
}

/// Looks for an input that fulfils a question and the conditions that it is about.
pub(crate) fn nearest<S: Solver>(
    engine: &mut Engine<S>,
    pool: &mut Pool,
    conditions: &mut Independent,
    question: Term,
    near: &Input,
) -> Found {
    let mut constraints = conditions.about(pool, question);
    constraints.push(question);
    let own: FxHashSet<Term> = conditions.variables(pool, question).iter().copied().collect();
    let mut variables = pool.variables(&constraints);
    // Often it is enough to change what the question itself reads (the simplification of T5.2.2), so the rest is tried first to be
    // kept. Where that cannot be, nothing is lost.
    variables.sort_by_key(|one| own.contains(one));
    let now = near.model(pool, &variables);
    let wished: Vec<(Term, u128)> = variables.iter().map(|one| (*one, value(&now, *one))).collect();
    let mut best = match engine.near(pool, &constraints, &wished) {
        Answer::Sat(model) => model,
        Answer::Unsat => return Found::None,
        Answer::Unknown(_) => return Found::Unknown,
    };
    let moved = |model: &Model, variable: Term| value(model, variable) != value(&now, variable);
    let mut asked = constraints.clone();
    for variable in variables.iter().filter(|one| !moved(&best, **one)) {
        asked.push(keep(pool, &now, *variable));
    }
    let mut tried = 0;
    // What cannot, takes a value of the same kind where there is one.
    for variable in variables {
        if !moved(&best, variable) || tried > MOST_TRIED {
            continue;
        }
        for wish in wishes(pool, &now, variable) {
            tried += 1;
            asked.push(wish);
            match engine.check(pool, &asked) {
                Answer::Sat(model) => {
                    best = model;
                    break;
                }
                _ => drop(asked.pop()),
            }
        }
    }
    let mut own = Model::new();
    for variable in pool.variables(&constraints) {
        own.set(variable, Value::Bits { width: pool.width(variable), value: value(&best, variable) });
    }
    Found::Input(Box::new(near.with_model(pool, &own)))
}

/// What a model does not mention is zero.
fn value(model: &Model, variable: Term) -> u128 {
    model.variables.get(&variable).and_then(|value| value.as_bits()).unwrap_or(0)
}

fn keep(pool: &mut Pool, now: &Model, variable: Term) -> Term {
    let width = pool.width(variable);
    let value = pool.bits(width, value(now, variable));
    pool.eq(variable, value)
}

/// Conditions on a value that make it look like the present one, the best first.
fn wishes(pool: &mut Pool, now: &Model, variable: Term) -> Vec<Term> {
    let (width, value) = (pool.width(variable), value(now, variable));
    if width != 8 {
        let now = pool.bits(width, value);
        let mut wishes = Vec::new();
        for far in [1u128, 4, 16, 64, 256, 1024, 1 << 16].into_iter().filter(|far| far >> (width - 1) == 0) {
            let (far, twice) = (pool.bits(width, far), pool.bits(width, 2 * far));
            let least = pool.sub(now, far);
            let above = pool.sub(variable, least);
            wishes.push(pool.ule(above, twice));
        }
        return wishes;
    }
    let mut between = |low: u8, high: u8| {
        let (low, high) = (pool.bits(8, low.into()), pool.bits(8, high.into()));
        let (above, below) = (pool.uge(variable, low), pool.ule(variable, high));
        pool.and(above, below)
    };
    match value as u8 {
        b'0'..=b'9' => vec![between(b'0', b'9'), between(b'!', b'~')],
        b'a'..=b'z' => vec![between(b'a', b'z'), between(b'A', b'Z'), between(b'!', b'~')],
        b'A'..=b'Z' => vec![between(b'A', b'Z'), between(b'a', b'z'), between(b'!', b'~')],
        _ => vec![between(b'a', b'z'), between(b'0', b'9'), between(b' ', b'~')],
    }
}
