//! How the wrong output is computed in both versions, where both go the same way for the same inputs (10.4).

use crate::independent::Independent;
use crate::nearest::{Found, nearest};
use hydrogen_evidence::Input;
use hydrogen_explore::{Conjunct, Observation, show};
use hydrogen_machine::Stream;
use hydrogen_pair::{Difference, Observable};
use hydrogen_term::{Engine, Pool, Solver, Term};

/// The wrong output as expressions over the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expressions {
    /// What the old version computes, where the two begin to differ.
    pub old: String,
    /// What the new version computes there.
    pub new: String,
}

/// The wrong output of both runs.
pub(crate) fn outputs(
    pool: &mut Pool,
    wrong: &Difference,
    old: &Observation,
    new: &Observation,
) -> Option<(Term, Term)> {
    let one = |pool: &mut Pool, seen: &Observation| match &wrong.observable {
        Observable::Stdout => byte(pool, seen, Stream::Stdout, &seen.world.stdout, wrong.same),
        Observable::Stderr => byte(pool, seen, Stream::Stderr, &seen.world.stderr, wrong.same),
        Observable::Named => seen.outputs.get(wrong.same).map(|it| it.value),
        Observable::Ending => match (seen.status, &seen.end) {
            (Some(status), _) => Some(status),
            (None, hydrogen_machine::End::Exit(status)) => Some(pool.bits(8, (*status & 255) as u128)),
            _ => None,
        },
        _ => None,
    };
    Some((one(pool, old)?, one(pool, new)?))
}

fn byte(pool: &mut Pool, seen: &Observation, stream: Stream, bytes: &[u8], at: usize) -> Option<Term> {
    let symbolic = seen.logs.of(stream).find(|(place, _)| *place == at as u64);
    match symbolic {
        Some((_, term)) => Some(term),
        None => bytes.get(at).map(|byte| pool.bits(8, u128::from(*byte))),
    }
}

/// The deepest pair of terms that is not the same while all that stands beside it is.
pub(crate) fn deepest(pool: &mut Pool, old: Term, new: Term) -> Expressions {
    let (mut one, mut two) = (old, new);
    while pool.op(one) == pool.op(two) && pool.args(one).len() == pool.args(two).len() {
        let differ: Vec<(Term, Term)> = pool
            .args(one)
            .iter()
            .copied()
            .zip(pool.args(two).iter().copied())
            .filter(|(a, b)| a != b)
            .collect();
        match differ.as_slice() {
            // Two leaves say less than what they stand in.
            [(a, b)] if !pool.args(*a).is_empty() || !pool.args(*b).is_empty() => (one, two) = (*a, *b),
            _ => break,
        }
    }
    Expressions { old: show(pool, one), new: show(pool, two) }
}

/// An input close to the failing one, on which both versions go the same way as before and give the same.
pub(crate) fn agreeing<S: Solver>(
    engine: &mut Engine<S>,
    pool: &mut Pool,
    conditions: [&[Conjunct]; 2],
    (old, new): (Term, Term),
    near: &Input,
) -> Option<Input> {
    if pool.sort(old) != pool.sort(new) {
        return None;
    }
    let mut all = Independent::default();
    for one in conditions.into_iter().flatten() {
        all.add(pool, one.term);
    }
    let same = pool.eq(old, new);
    match nearest(engine, pool, &mut all, same, near) {
        Found::Input(input) => Some(*input),
        _ => None,
    }
}
