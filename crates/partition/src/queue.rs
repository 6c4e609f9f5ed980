//! What is looked at next (D6): what promises another outcome, then what carries an executed change further, then what may execute
//! other changes, then the rest; first come, first served inside of a class.

use std::collections::VecDeque;

/// What an input is expected to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// It was given.
    Given,
    /// Its outcomes differ where they were equal, or the other way round.
    Differs,
    /// It leaves the way behind an executed change.
    Propagates,
    /// It may execute other changes.
    Reaches,
    /// None of these.
    Other,
    /// No partition holds it.
    Gap,
}

impl std::fmt::Display for Class {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::Given => "given at the start",
            Self::Differs => "the outcomes compare the other way there",
            Self::Propagates => "a branch behind an executed change goes the other way",
            Self::Reaches => "other changes may be executed",
            Self::Other => "a branch goes the other way",
            Self::Gap => "no partition held it",
        })
    }
}

/// A condition of a run that is turned around.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Question {
    pub(crate) run: usize,
    pub(crate) at: usize,
    /// The node before the condition.
    pub(crate) node: u32,
}

/// Questions by class; in a class, those whose other side nobody executed yet come first.
#[derive(Default)]
pub(crate) struct Queue {
    lanes: [VecDeque<Question>; LANES.len()],
}

/// The order in which questions are taken. A side of a branch that is new shows more than one that is known, whatever its class.
const LANES: [(Class, bool); 6] = [
    (Class::Differs, false),
    (Class::Propagates, true),
    (Class::Reaches, true),
    (Class::Propagates, false),
    (Class::Reaches, false),
    (Class::Other, false),
];

impl Queue {
    pub(crate) fn add(&mut self, class: Class, fresh: bool, question: Question) {
        let lane = LANES.iter().position(|lane| *lane == (class, fresh));
        let lane = lane.or_else(|| LANES.iter().position(|lane| lane.0 == class)).unwrap_or(LANES.len() - 1);
        self.lanes[lane].push_back(question);
    }

    pub(crate) fn take(&mut self) -> Option<(Class, Question)> {
        let lanes = LANES.iter().zip(&mut self.lanes);
        lanes.into_iter().find_map(|((class, _), list)| Some((*class, list.pop_front()?)))
    }

    pub(crate) fn len(&self) -> usize {
        self.lanes.iter().map(VecDeque::len).sum()
    }
}
