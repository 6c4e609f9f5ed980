//! Earlier answers: sets of constraints that cannot hold, and values that made others hold.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{eval::Evaluator, pool::Pool, term::Term, value::Model};

/// How much is remembered.
const MOST_REFUTED: usize = 10_000;
const MOST_MODELS: usize = 48;

/// Sets of constraints that cannot hold together. Neither can any set that contains one of them.
#[derive(Default)]
pub(super) struct Refuted {
    /// By their newest member, which a set that contains them must contain too.
    sets: FxHashMap<Term, Vec<Vec<Term>>>,
    count: usize,
}

impl Refuted {
    /// Whether some set is contained in the constraints.
    pub fn covers(&self, constraints: &[Term]) -> bool {
        let given: FxHashSet<Term> = constraints.iter().copied().collect();
        let candidates = constraints.iter().filter_map(|constraint| self.sets.get(constraint)).flatten();
        candidates.into_iter().any(|set| set.iter().all(|member| given.contains(member)))
    }

    /// Adds a set.
    pub fn remember(&mut self, constraints: &[Term]) {
        if self.count >= MOST_REFUTED {
            *self = Self::default();
        }
        let Some(&newest) = constraints.iter().max() else { return };
        self.sets.entry(newest).or_default().push(constraints.to_vec());
        self.count += 1;
    }
}

/// The most recently useful models.
pub(super) struct Models {
    recent: VecDeque<Model>,
}

impl Default for Models {
    /// That everything is zero is worth a try before the first answer.
    fn default() -> Self {
        Self { recent: VecDeque::from([Model::new()]) }
    }
}

impl Models {
    /// A model under which all of the constraints hold.
    pub fn find(&mut self, pool: &Pool, constraints: &[Term]) -> Option<Model> {
        let fits = |model: &Model| {
            let mut evaluator = Evaluator::new(pool, model);
            constraints.iter().rev().all(|&constraint| evaluator.holds(constraint))
        };
        let position = self.recent.iter().position(fits)?;
        let model = self.recent.remove(position)?;
        self.recent.push_front(model.clone());
        Some(model)
    }

    /// The first few models, as starting points.
    pub fn recent(&self) -> impl Iterator<Item = &Model> {
        self.recent.iter().take(6)
    }

    /// Adds a model.
    pub fn remember(&mut self, model: Model) {
        self.recent.push_front(model);
        self.recent.truncate(MOST_MODELS);
    }
}
