//! The simplification of T5.2.2, as a last resort: where a question has no answer, all of the input that it does not read itself keeps its
//! value, and what follows from that is computed. An input found this way fulfils the whole question (INV-W5); that there is none
//! says nothing about the others (INV-W7), so that it is counted and not believed.

use crate::size::size;
use hydrogen_term::{Answer, Engine, Model, Pool, Solver, Substitution, Term};
use rustc_hash::FxHashSet;

/// What became of a question whose other bytes were kept.
pub(crate) struct Simplified {
    pub(crate) answer: Answer,
    /// Its nodes, before and after.
    pub(crate) sizes: [usize; 2],
}

/// Asks again with everything but `own` as it is `now`.
pub(crate) fn simplified<S: Solver>(
    engine: &mut Engine<S>,
    pool: &mut Pool,
    constraints: &[Term],
    own: &FxHashSet<Term>,
    now: &Model,
) -> Simplified {
    let mut kept = Substitution::default();
    for variable in pool.variables(constraints) {
        let value = now.variables.get(&variable).and_then(|value| value.as_bits());
        if let (false, Some(value)) = (own.contains(&variable), value) {
            kept.insert(variable, pool.bits(pool.width(variable), value));
        }
    }
    let smaller: Vec<Term> = constraints.iter().map(|one| pool.substitute_with(*one, &mut kept)).collect();
    let sizes = [size(pool, constraints.iter().copied()), size(pool, smaller.iter().copied())];
    Simplified { answer: engine.check(pool, &smaller), sizes }
}
