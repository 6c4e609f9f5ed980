//! What solvers answered: enough to go the same way again without asking.

use hydrogen_evidence::Input;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The answer to whether a condition of a test can be turned around.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::large_enum_variant, reason = "most answers are inputs")]
pub enum Answered {
    /// By this input.
    Input(Input),
    /// It cannot.
    Never,
    /// The solver did not say, for this reason.
    Unknown(String),
}

/// Answers by test and condition.
#[derive(Debug, Clone, Default)]
pub struct Answers {
    known: BTreeMap<(usize, usize), Answered>,
    new: Vec<((usize, usize), Answered)>,
}

impl Answers {
    /// Answers of earlier explorations of the same program and options.
    pub fn from_earlier(known: impl IntoIterator<Item = ((usize, usize), Answered)>) -> Self {
        Self { known: known.into_iter().collect(), new: Vec::new() }
    }

    pub(super) fn get(&self, question: (usize, usize)) -> Option<&Answered> {
        self.known.get(&question)
    }

    pub(super) fn add(&mut self, question: (usize, usize), answer: Answered) {
        if self.known.insert(question, answer.clone()).is_none() {
            self.new.push((question, answer));
        }
    }

    /// The answers that are new since the last time.
    pub fn take_new(&mut self) -> Vec<((usize, usize), Answered)> {
        std::mem::take(&mut self.new)
    }
}
