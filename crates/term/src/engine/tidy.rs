//! Constraints made simpler as a set: conjunctions taken apart, known values put in, bounds of one term joined, contradictions found.

use rustc_hash::{FxHashMap, FxHashSet};

use super::units;
use crate::{
    pool::Pool,
    rewrite::Substitution,
    sort::Sort,
    term::{Op, Term},
    value::{Model, Value},
};

/// How often values are put in; each round may uncover others.
const ROUNDS: usize = 8;

/// Values that constraints state outright.
#[derive(Default)]
pub(super) struct Fixed {
    variables: Vec<(Term, Value)>,
    elements: Vec<(Term, u64, u128)>,
}

impl Fixed {
    /// Writes the values into a model.
    pub fn overwrite(self, pool: &Pool, model: &mut Model) {
        for (variable, value) in self.variables {
            model.set(variable, value);
        }
        for (array, at, element) in self.elements {
            let blank = Value::zero(pool.sort(array));
            if let Value::Array(value) = model.variables.entry(array).or_insert(blank) {
                value.set(at, element);
            }
        }
    }
}

/// One such value.
enum Known {
    Variable(Term, Value),
    /// Of an array variable, at a constant index.
    Element(Term, u64, u128),
}

/// What is left of constraints.
pub(super) enum Tidied {
    /// They cannot hold together.
    Impossible,
    /// These remain, and variables that do not occur in them have these values.
    Rest {
        /// In the order given.
        rest: Vec<Term>,
        fixed: Fixed,
    },
}

/// `alone` says that the question is no step of a path: it may then be changed as a whole, though that leaves no common beginning with the
/// next one.
pub(super) fn tidy(pool: &mut Pool, constraints: &[Term], alone: bool) -> Tidied {
    let mut fixed = Fixed::default();
    let mut rest = constraints.to_vec();
    for _ in 0..ROUNDS {
        let Some(flat) = flattened(pool, &rest) else { return Tidied::Impossible };
        let Some(joined) = joined(pool, flat) else { return Tidied::Impossible };
        rest = joined;
        let mut values = Substitution::default();
        let mut remaining = Vec::with_capacity(rest.len());
        for constraint in rest {
            match known_value(pool, constraint) {
                Some(known) => put(pool, &mut values, &mut fixed, known),
                None => remaining.push(constraint),
            }
        }
        rest = remaining;
        if values.is_empty() {
            let simpler = if alone { units::propagate(pool, &rest) } else { break };
            if simpler == rest {
                break;
            }
            rest = simpler;
            continue;
        }
        rest = rest.into_iter().map(|constraint| pool.substitute_with(constraint, &mut values)).collect();
    }
    match flattened(pool, &rest) {
        Some(rest) => Tidied::Rest { rest, fixed },
        None => Tidied::Impossible,
    }
}

/// Adds a known value to those that are put in. Comparisons of one term are joined before, so no unknown has two.
fn put(pool: &mut Pool, values: &mut Substitution, fixed: &mut Fixed, known: Known) {
    match known {
        Known::Variable(variable, value) => {
            let constant = pool.value_of(pool.sort(variable), value.as_bits().unwrap_or(0));
            values.insert(variable, constant);
            fixed.variables.push((variable, value));
        }
        // The array with the element stored: reads elsewhere pass through, reads at unknown indices still see it.
        Known::Element(array, at, element) => {
            let Sort::Array { index, element: width } = pool.sort(array) else { return };
            let (index, value) = (pool.bits(index, u128::from(at)), pool.bits(width, element));
            let current = values.get(&array).copied().unwrap_or(array);
            let stored = pool.store(current, index, value);
            values.insert(array, stored);
            fixed.elements.push((array, at, element));
        }
    }
}

/// Conjuncts, each once; none if one is false or denies another.
fn flattened(pool: &Pool, constraints: &[Term]) -> Option<Vec<Term>> {
    let (mut seen, mut flat) = (FxHashSet::default(), Vec::new());
    for &constraint in constraints {
        for conjunct in pool.conjuncts(constraint) {
            if pool.as_bool(conjunct) == Some(false) {
                return None;
            }
            if seen.insert(conjunct) {
                flat.push(conjunct);
            }
        }
    }
    let denied = |&term: &Term| pool.op(term) == Op::Not && seen.contains(&pool.args(term)[0]);
    (!flat.iter().any(denied)).then_some(flat)
}

/// Comparisons of one term with constants, joined where that is simpler; none if they exclude each other.
fn joined(pool: &mut Pool, constraints: Vec<Term>) -> Option<Vec<Term>> {
    let mut by_term: FxHashMap<Term, Vec<usize>> = FxHashMap::default();
    let mut result: Vec<Option<Term>> = Vec::with_capacity(constraints.len());
    for constraint in constraints {
        let Some(compared) = compared_with_constant(pool, constraint) else {
            result.push(Some(constraint));
            continue;
        };
        let mut current = constraint;
        let others = by_term.entry(compared).or_default();
        others.retain(|&position| {
            let Some(other) = result[position] else { return false };
            let both = pool.and(other, current);
            let is_simpler = pool.op(both) != Op::And;
            if is_simpler {
                current = both;
                result[position] = None;
            }
            !is_simpler
        });
        if pool.as_bool(current) == Some(false) {
            return None;
        }
        others.push(result.len());
        result.push(Some(current));
    }
    Some(result.into_iter().flatten().collect())
}

/// The term that a comparison or its negation compares with a constant.
fn compared_with_constant(pool: &Pool, constraint: Term) -> Option<Term> {
    let inner = match pool.op(constraint) {
        Op::Not => pool.args(constraint)[0],
        _ => constraint,
    };
    match (pool.op(inner), pool.args(inner)) {
        (Op::Eq | Op::Ult | Op::Slt, &[compared, constant]) if pool.as_bits(constant).is_some() => {
            Some(compared)
        }
        _ => None,
    }
}

/// The unknown and its value, if that is what a constraint says.
fn known_value(pool: &Pool, constraint: Term) -> Option<Known> {
    let is_variable = |term: Term| matches!(pool.op(term), Op::Var(_));
    match (pool.op(constraint), pool.args(constraint)) {
        (Op::Var(_), _) => Some(Known::Variable(constraint, Value::Bool(true))),
        (Op::Not, &[inner]) if is_variable(inner) => Some(Known::Variable(inner, Value::Bool(false))),
        (Op::Eq, &[unknown, value]) => {
            let (value, width) = (pool.as_bits(value)?, pool.width(value));
            match (pool.op(unknown), pool.args(unknown)) {
                (Op::Var(_), _) => Some(Known::Variable(unknown, Value::Bits { width, value })),
                (Op::Select, &[array, index]) if is_variable(array) => {
                    let at = u64::try_from(pool.as_bits(index)?).expect("indices have at most 64 bits");
                    Some(Known::Element(array, at, value))
                }
                _ => None,
            }
        }
        _ => None,
    }
}
