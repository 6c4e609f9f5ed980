//! What holds anyway, put into everything else: a constraint that states a truth, or the value of a function, makes the others simpler.

use crate::{
    pool::Pool,
    rewrite::Substitution,
    term::{Args, Op, Term},
};

/// The constraints, each with what the others state put in. They say the same together: a statement is only put into larger terms, so none
/// can justify itself.
pub(super) fn propagate(pool: &mut Pool, constraints: &[Term]) -> Vec<Term> {
    let mut stated = Substitution::default();
    for &constraint in constraints {
        let (subject, value) = statement(pool, constraint);
        stated.insert(subject, value);
    }
    constraints.iter().map(|&constraint| beside(pool, constraint, &mut stated)).collect()
}

/// The term that a constraint is about, and the value that it gives it.
fn statement(pool: &mut Pool, constraint: Term) -> (Term, Term) {
    match (pool.op(constraint), pool.args(constraint)) {
        (Op::Not, &[denied]) => (denied, pool.bool(false)),
        (Op::Eq, &[subject, value])
            if matches!(pool.op(subject), Op::Apply(_)) && pool.as_bits(value).is_some() =>
        {
            (subject, value)
        }
        _ => (constraint, pool.bool(true)),
    }
}

/// A constraint with the statements put in below its own subject.
fn beside(pool: &mut Pool, constraint: Term, stated: &mut Substitution) -> Term {
    let (subject, value) = statement(pool, constraint);
    let old: Args = pool.args(subject).iter().copied().collect();
    let new: Args = old.iter().map(|&arg| pool.substitute_with(arg, stated)).collect();
    if new == old {
        return constraint;
    }
    let op = pool.op(subject);
    let subject = pool.make(op, &new);
    match pool.as_bool(value) {
        Some(true) => subject,
        Some(false) => pool.not(subject),
        None => pool.eq(subject, value),
    }
}
