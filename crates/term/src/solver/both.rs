//! Two solvers asked the same: a second opinion, for tests and for the careful.

use super::{Answer, Limits, Reason, Solver};
use crate::{pool::Pool, term::Term};

/// Asks both and compares. Where only one has an answer, that is the answer.
pub struct Both<A, B> {
    first: A,
    second: B,
    name: String,
}

impl<A: Solver, B: Solver> Both<A, B> {
    /// Both of these.
    pub fn new(first: A, second: B) -> Self {
        let name = format!("{} and {}", first.name(), second.name());
        Self { first, second, name }
    }
}

impl<A: Solver, B: Solver> Solver for Both<A, B> {
    fn name(&self) -> &str {
        &self.name
    }

    fn check(&mut self, pool: &Pool, constraints: &[Term], limits: &Limits) -> Answer {
        let first = self.first.check(pool, constraints, limits);
        let second = self.second.check(pool, constraints, limits);
        self.compared(pool, constraints, first, second)
    }

    fn check_alone(&mut self, pool: &Pool, constraints: &[Term], limits: &Limits) -> Answer {
        let first = self.first.check_alone(pool, constraints, limits);
        let second = self.second.check_alone(pool, constraints, limits);
        self.compared(pool, constraints, first, second)
    }

    fn work(&self) -> u64 {
        self.first.work().saturating_add(self.second.work())
    }
}

impl<A: Solver, B: Solver> Both<A, B> {
    fn compared(&self, pool: &Pool, constraints: &[Term], first: Answer, second: Answer) -> Answer {
        match (&first, &second) {
            (Answer::Unknown(_), _) => second,
            (_, Answer::Unknown(_)) => first,
            _ if first.word() == second.word() => first,
            _ => Answer::Unknown(Reason::Disagreement(format!(
                "{} says {}, {} says {} on\n{}",
                self.first.name(),
                first.word(),
                self.second.name(),
                second.word(),
                pool.to_smt_script(constraints)
            ))),
        }
    }
}
