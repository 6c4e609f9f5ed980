//! What an input fulfils in all versions, in one row: the newest version's conditions, those of the one before it, and so on, and at
//! the end whether the outcomes are equal. Turning around the last, or one under those before it, gives the neighbours (Alg. 4).

use crate::subject::Subject;
use hydrogen_explore::{Conjunct, Kind};
use hydrogen_term::{Pool, Term};
use rustc_hash::FxHashSet;

/// What becomes of the inputs on the other side of a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// One is looked for.
    Ask,
    /// They are left out of the comparison.
    Exclude,
    /// They are found when nothing else is left: a value was made concrete, and there may be too many others.
    Leave,
}

/// One condition.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Atom {
    pub(crate) term: Term,
    pub(crate) turn: Turn,
    /// The version and what it decided; none for the equality of outcomes.
    pub(crate) of: Option<(usize, Conjunct)>,
}

/// The row of a run: the conditions of versions, the newest first. What was said before is not said again.
pub(crate) fn row<'c>(
    subject: &Subject<'_>,
    conditions: impl IntoIterator<Item = (usize, &'c [Conjunct])>,
) -> Vec<Atom> {
    let mut known = FxHashSet::default();
    let mut atoms = Vec::new();
    for (version, conjuncts) in conditions {
        for conjunct in conjuncts.iter().filter(|one| known.insert(one.term)) {
            let turn = match conjunct.kind {
                Kind::Branch | Kind::Fault => Turn::Ask,
                Kind::NoFault if subject.undefined.excludes(version) => Turn::Exclude,
                Kind::NoFault => Turn::Ask,
                Kind::Assumed => Turn::Exclude,
                Kind::Concrete => Turn::Leave,
            };
            atoms.push(Atom { term: conjunct.term, turn, of: Some((version, *conjunct)) });
        }
    }
    atoms
}

/// Adds what outcomes are compared under, beyond the ways of the runs: values that are taken as they are.
pub(crate) fn add_given(atoms: &mut Vec<Atom>, given: &[Term]) {
    for term in given {
        if !atoms.iter().any(|atom| atom.term == *term) {
            atoms.push(Atom { term: *term, turn: Turn::Leave, of: None });
        }
    }
}

/// Adds whether the outcomes are equal, where that depends on the input.
pub(crate) fn add_equality(pool: &mut Pool, atoms: &mut Vec<Atom>, equality: Term, equal: bool) {
    if pool.as_bool(equality).is_some() {
        return;
    }
    let term = if equal { equality } else { pool.not(equality) };
    if !atoms.iter().any(|atom| atom.term == term) {
        atoms.push(Atom { term, turn: Turn::Ask, of: None });
    }
}
