//! How the wrong output is computed in both versions, where both go the same way for the same inputs (10.4).

use crate::independent::Independent;
use crate::nearest::{Found, nearest};
use hydrogen_evidence::Input;
use hydrogen_evidence::why::Expressions;
use hydrogen_explore::{Conjunct, Observation, show};
use hydrogen_machine::Stream;
use hydrogen_pair::{Difference, Observable, Outcome};
use hydrogen_term::{Engine, Pool, Solver, Term};

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

/// That the wrong output is what it was, in both runs; nothing where it is no number.
pub(crate) fn given_out(
    pool: &mut Pool,
    wrong: &Difference,
    outcomes: [&Outcome; 2],
    outputs: (Term, Term),
) -> Option<[Term; 2]> {
    let value = |outcome: &Outcome| match &wrong.observable {
        Observable::Stdout => outcome.stdout.get(wrong.same).map(|byte| u128::from(*byte)),
        Observable::Stderr => outcome.stderr.get(wrong.same).map(|byte| u128::from(*byte)),
        Observable::Named => outcome.named.get(wrong.same).map(|(_, value)| u128::from(*value)),
        _ => None,
    };
    let mut is = |term: Term, value: u128| {
        let hydrogen_term::Sort::Bits(width) = pool.sort(term) else { return None };
        let mask = if width >= 128 { u128::MAX } else { (1 << width) - 1 };
        let value = pool.bits(width, value & mask);
        Some(pool.eq(term, value))
    };
    let [old, new] = [value(outcomes[0])?, value(outcomes[1])?];
    Some([is(outputs.0, old)?, is(outputs.1, new)?])
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
    match nearest(engine, pool, &mut all, same, near).found {
        Found::Input(input) => Some(*input),
        _ => None,
    }
}
