//! One question to the solver, about an input that is to change as little as possible.

use super::small;
use crate::input::Assignment;
use crate::symbolic::Symbolic;
use hydrogen_evidence::Input;
use hydrogen_term::{Answer, Engine, Pool, Solver, Term, Value, slice};

/// Whether an input can fulfil conditions and one more. What does not depend on that one is left out: the answer gives values to what
/// does, and everything else stays as it is in the old input, which fulfils the conditions.
pub fn ask<S: Solver>(
    engine: &mut Engine<S>,
    pool: &mut Pool,
    (symbolic, input): (&Symbolic, &Input),
    conditions: &[Term],
    other: Term,
) -> Answer {
    let mut asked = slice(pool, conditions, other);
    asked.push(other);
    // What the user allows is known of every variable, wherever the run has said so.
    for variable in pool.variables(&asked) {
        asked.extend(symbolic.domain(pool, variable));
    }
    let present = input.model(pool, &pool.variables(&asked));
    let now = |one: Term| present.variables.get(&one).and_then(Value::as_bits).unwrap_or(0) as u8;
    let answer = small::decide(pool, &asked, now);
    match answer.unwrap_or_else(|| engine.check(pool, &asked)) {
        // What a model does not mention is zero, not what it was.
        Answer::Sat(model) => Answer::Sat(model.completed(pool, &asked)),
        answer => answer,
    }
}
