//! Questions for the solver, and answers that are kept: the way of an exploration follows from its answers, so that one that was
//! interrupted goes on where it was when it is given them.

use hydrogen_evidence::Input;
use hydrogen_explore::{Answered, Assignment};
use hydrogen_term::{Answer, Engine, Pool, Solver, Term, slice};
use std::time::Instant;

/// The answers of an exploration, in the order of its questions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answers {
    all: Vec<Answered>,
    next: usize,
    kept: usize,
}

impl Answers {
    /// Answers of an earlier exploration of the same with the same options.
    pub fn from_earlier(all: Vec<Answered>) -> Self {
        let kept = all.len();
        Self { all, next: 0, kept }
    }

    /// The answers that are new since the last time.
    pub fn take_new(&mut self) -> &[Answered] {
        let from = std::mem::replace(&mut self.kept, self.all.len());
        &self.all[from..]
    }
}

/// Who answers.
pub(crate) struct Asker {
    engine: Engine<Box<dyn Solver + Send>>,
    answers: Answers,
    pub(crate) asked: u64,
}

impl Asker {
    pub(crate) fn new(
        solver: Box<dyn Solver + Send>,
        limits: hydrogen_term::Limits,
        deadline: Option<Instant>,
        answers: Answers,
    ) -> Self {
        let mut engine = Engine::new(solver, limits);
        if let Some(deadline) = deadline {
            engine.set_deadline(deadline);
        }
        Self { engine, answers, asked: 0 }
    }

    pub(crate) fn answers(&mut self) -> &mut Answers {
        &mut self.answers
    }

    /// An input that fulfils the conditions and the question, as near to another as independence allows: what the question does not
    /// depend on stays as it is there.
    pub(crate) fn ask(
        &mut self,
        pool: &mut Pool,
        conditions: &[Term],
        question: Term,
        near: &Input,
    ) -> Answered {
        self.asked += 1;
        let at = self.answers.next;
        self.answers.next += 1;
        if let Some(known) = self.answers.all.get(at) {
            return known.clone();
        }
        let mut asked = slice(pool, conditions, question);
        asked.push(question);
        let answer = match self.engine.check(pool, &asked) {
            // What a model does not mention is zero, not what it was.
            Answer::Sat(model) => Answered::Input(near.with_model(pool, &model.completed(pool, &asked))),
            Answer::Unsat => Answered::Never,
            Answer::Unknown(reason) => Answered::Unknown(reason.to_string()),
        };
        self.answers.all.push(answer.clone());
        answer
    }

    /// Whether the question must hold where the conditions do; what is shown to people may ask this, nothing else depends on it.
    pub(crate) fn must_hold(&mut self, pool: &mut Pool, conditions: &[Term], question: Term) -> bool {
        self.engine.must_hold(pool, conditions, question) == Some(true)
    }
}
