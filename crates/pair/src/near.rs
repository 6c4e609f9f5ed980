//! Inputs that fulfil conditions and change as little as can be of a given one.

use hydrogen_evidence::Input;
use hydrogen_explore::Assignment;
use hydrogen_term::{Answer, Engine, Pool, Solver, Term};

/// An input that fulfils the conditions and keeps of the given one what it can; otherwise the solver's answer, which is no model then.
pub fn near<S: Solver>(
    engine: &mut Engine<S>,
    pool: &mut Pool,
    conditions: &[Term],
    input: &Input,
) -> Result<Input, Answer> {
    let variables = pool.variables(conditions);
    let now = input.model(pool, &variables);
    let value = |variable: &Term| Some((*variable, now.variables.get(variable)?.as_bits()?));
    let wished: Vec<(Term, u128)> = variables.iter().filter_map(value).collect();
    match engine.near(pool, conditions, &wished) {
        Answer::Sat(model) => Ok(input.with_model(pool, &model)),
        other => Err(other),
    }
}
