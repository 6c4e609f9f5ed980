//! Solvers: what they are asked and what they answer.

mod bitwuzla;
mod both;
mod fallback;
mod floats;
mod smtlib;

use std::{fmt, time::Duration};

pub use bitwuzla::Bitwuzla;
pub use both::Both;
pub use fallback::{Fallback, by_name, standard};
pub use smtlib::Smtlib;

use crate::{eval::Evaluator, pool::Pool, term::Term, value::Model};

/// What one question may cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Time: a stop, not a measure.
    pub time: Duration,
    /// Work of the solver in its own units, which are the same on every machine; 0 for no limit.
    pub work: u64,
    /// Memory in mebibytes, of the solver alone.
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: Duration::from_secs(10), work: 0, memory: 2048 }
    }
}

/// The answer to whether constraints can hold together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// They can: with these values. Every model has been checked by evaluation.
    Sat(Model),
    /// They cannot.
    Unsat,
    /// No answer, and why.
    Unknown(Reason),
}

impl Answer {
    /// Whether the constraints can hold.
    pub fn is_sat(&self) -> bool {
        matches!(self, Answer::Sat(_))
    }

    /// Whether the constraints cannot hold.
    pub fn is_unsat(&self) -> bool {
        matches!(self, Answer::Unsat)
    }

    /// One word: `sat`, `unsat` or `unknown`.
    pub fn word(&self) -> &'static str {
        match self {
            Answer::Sat(_) => "sat",
            Answer::Unsat => "unsat",
            Answer::Unknown(_) => "unknown",
        }
    }
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The time limit was reached.
    Timeout,
    /// The memory limit was reached.
    Memory,
    /// The solver is not installed.
    Missing(String),
    /// The solver ended or broke its protocol; the next question starts it again.
    Crashed(String),
    /// The solver gave up, or its answer could not be used.
    Unsupported(String),
    /// Two solvers gave contradicting answers.
    Disagreement(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Timeout => write!(f, "the time limit was reached"),
            Reason::Memory => write!(f, "the memory limit was reached"),
            Reason::Missing(what) => write!(f, "the solver is missing: {what}"),
            Reason::Crashed(what) => write!(f, "the solver crashed: {what}"),
            Reason::Unsupported(what) => write!(f, "the solver gave up: {what}"),
            Reason::Disagreement(what) => write!(f, "solvers disagree: {what}"),
        }
    }
}

/// A decision procedure. Implementations keep what they learnt about the longest common prefix of this question and the last,
/// so questions along a path should list the path's conditions in order.
pub trait Solver {
    /// Its name, for people.
    fn name(&self) -> &str;

    /// Whether all the constraints, which are truth-valued terms of the pool, can hold together.
    fn check(&mut self, pool: &Pool, constraints: &[Term], limits: &Limits) -> Answer;

    /// As [`Solver::check`], for a question that has no beginning in common with others.
    fn check_alone(&mut self, pool: &Pool, constraints: &[Term], limits: &Limits) -> Answer {
        self.check(pool, constraints, limits)
    }

    /// The work of all questions so far, in units that are the same on every machine; 0 where the solver does not count.
    fn work(&self) -> u64 {
        0
    }
}

impl<S: Solver + ?Sized> Solver for Box<S> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn check(&mut self, pool: &Pool, constraints: &[Term], limits: &Limits) -> Answer {
        (**self).check(pool, constraints, limits)
    }

    fn check_alone(&mut self, pool: &Pool, constraints: &[Term], limits: &Limits) -> Answer {
        (**self).check_alone(pool, constraints, limits)
    }

    fn work(&self) -> u64 {
        (**self).work()
    }
}

/// A solver's model as an answer, if the constraints really hold under it.
fn confirmed(pool: &Pool, constraints: &[Term], model: Model) -> Answer {
    let mut evaluator = Evaluator::new(pool, &model);
    match constraints.iter().all(|&constraint| evaluator.holds(constraint)) {
        true => Answer::Sat(model),
        false => {
            Answer::Unknown(Reason::Unsupported("its model does not satisfy the constraints".to_owned()))
        }
    }
}

/// How many leading constraints two lists share.
fn common_prefix(left: &[Term], right: &[Term]) -> usize {
    left.iter().zip(right).take_while(|(a, b)| a == b).count()
}
