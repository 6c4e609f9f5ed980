//! What stands between an analysis and a solver: most questions are answered before one is asked.

mod applications;
mod cache;
mod choose;
mod dump;
mod merge;
mod narrow;
mod ranges;
mod repair;
mod tidy;
mod units;

use std::{
    path::Path,
    time::{Duration, Instant},
};

use applications::Applications;
use cache::{Models, Refuted};
use dump::Dump;
use narrow::Narrowed;
use rustc_hash::FxHashMap;
use tidy::{Fixed, Tidied};

use crate::{
    eval::Evaluator,
    pool::Pool,
    slice::Supports,
    solver::{Answer, Limits, Reason, Solver},
    term::Term,
    value::Model,
};

/// How the questions were answered. Each question is counted once, at the last stage it needed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// Questions.
    pub asked: u64,
    /// Answered by simplification alone.
    pub by_simplifier: u64,
    /// Answered because a set of constraints that cannot hold was part of the question.
    pub by_unsat_cache: u64,
    /// Answered because the values of earlier answers fit.
    pub by_model_cache: u64,
    /// Answered by changing few values of earlier answers.
    pub by_guess: u64,
    /// Answered, or not, by the solver.
    pub by_solver: u64,
    /// Of all questions, those without an answer.
    pub unknown: u64,
    /// Calls of the solver: a question may have independent parts.
    pub solver_calls: u64,
    /// Work of the solver in its own units, which are the same on every machine.
    pub work: u64,
    /// Time spent in the solver.
    pub solver_time: Duration,
    /// Time spent on everything else.
    pub other_time: Duration,
}

/// The last stage a question needed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Simplifier,
    UnsatCache,
    ModelCache,
    Guess,
    Solver,
}

/// Conditions that share unknowns, up to which a solver is asked.
const MOST_TOGETHER: usize = 4000;

/// A solver with a simplifier and caches before it. Use it with one pool.
pub struct Engine<S> {
    solver: S,
    limits: Limits,
    counters: Counters,
    pool: Option<u64>,
    supports: Supports,
    refuted: Refuted,
    models: Models,
    dump: Option<Dump>,
    alone: bool,
    /// When the solver is asked no more.
    deadline: Option<Instant>,
    /// Questions that the solver gave up on, and what they might cost.
    given_up: FxHashMap<Vec<Term>, Limits>,
}

impl<S: Solver> Engine<S> {
    /// Forgets the models of earlier questions. Any of them would be an answer, but the one that is found anew is mostly smaller.
    pub fn forget_models(&mut self) {
        self.models = Models::default();
    }

    /// An engine that asks this solver within these limits.
    pub fn new(solver: S, limits: Limits) -> Self {
        Self {
            solver,
            limits,
            counters: Counters::default(),
            pool: None,
            supports: Supports::default(),
            refuted: Refuted::default(),
            models: Models::default(),
            dump: None,
            alone: false,
            deadline: None,
            given_up: FxHashMap::default(),
        }
    }

    /// For questions that are no steps along one path: more is simplified, and nothing is kept for a next question with the same beginning.
    pub fn alone(mut self) -> Self {
        self.alone = true;
        self
    }

    /// Writes every question that reaches the solver into numbered files of the folder, which is made if it is missing.
    pub fn dump_to(&mut self, folder: &Path) -> std::io::Result<()> {
        self.dump = Some(Dump::new(folder)?);
        Ok(())
    }

    /// What happened so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// The limits of one call of the solver.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Changes the limits for the questions to come.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// From then on, questions that need the solver have no answer.
    pub fn set_deadline(&mut self, deadline: Instant) {
        self.deadline = Some(deadline);
    }

    /// The solver behind.
    pub fn solver(&self) -> &S {
        &self.solver
    }

    /// Whether all the constraints can hold together. Give a path's conditions in order.
    pub fn check(&mut self, pool: &mut Pool, constraints: &[Term]) -> Answer {
        let (started, solving) = (Instant::now(), self.counters.solver_time);
        if self.pool.replace(pool.identity()) != Some(pool.identity()) {
            self.supports = Supports::default();
            self.refuted = Refuted::default();
            self.models = Models::default();
            self.given_up = FxHashMap::default();
        }
        let (answer, stage) = match self.alone {
            true => self.decide_without_functions(pool, constraints),
            false => self.decide(pool, constraints),
        };
        self.counters.asked += 1;
        *match stage {
            Stage::Simplifier => &mut self.counters.by_simplifier,
            Stage::UnsatCache => &mut self.counters.by_unsat_cache,
            Stage::ModelCache => &mut self.counters.by_model_cache,
            Stage::Guess => &mut self.counters.by_guess,
            Stage::Solver => &mut self.counters.by_solver,
        } += 1;
        self.counters.unknown += u64::from(matches!(answer, Answer::Unknown(_)));
        let solver_time = self.counters.solver_time - solving;
        self.counters.other_time += started.elapsed().saturating_sub(solver_time);
        answer
    }

    /// Whether the query holds wherever the path does: `Some(true)` if it must, `Some(false)` if it may fail, none if that is unknown.
    pub fn must_hold(&mut self, pool: &mut Pool, path: &[Term], query: Term) -> Option<bool> {
        let denied = pool.not(query);
        let constraints: Vec<Term> = path.iter().copied().chain([denied]).collect();
        match self.check(pool, &constraints) {
            Answer::Sat(_) => Some(false),
            Answer::Unsat => Some(true),
            Answer::Unknown(_) => None,
        }
    }

    fn decide_without_functions(&mut self, pool: &mut Pool, constraints: &[Term]) -> (Answer, Stage) {
        let mut applications = Applications::of(pool, constraints);
        let plain = applications.replace(pool, constraints);
        match self.decide(pool, &plain) {
            (Answer::Sat(model), stage) => {
                (checked(pool, constraints, applications.restore(pool, model)), stage)
            }
            other => other,
        }
    }

    fn decide(&mut self, pool: &mut Pool, constraints: &[Term]) -> (Answer, Stage) {
        let (rest, fixed) = match tidy::tidy(pool, constraints, self.alone) {
            Tidied::Impossible => return (Answer::Unsat, Stage::Simplifier),
            Tidied::Rest { rest, fixed } => (rest, fixed),
        };
        let groups = self.supports.components(pool, &rest);
        let mut stage = Stage::Simplifier;
        // A part known to be impossible decides all, so these are looked for first.
        if groups.iter().any(|group| self.refuted.covers(group)) {
            return (Answer::Unsat, Stage::UnsatCache);
        }
        if groups.iter().any(|group| ranges::exclude_each_other(pool, group)) {
            return (Answer::Unsat, Stage::Simplifier);
        }
        let (mut parts, mut open) = (Vec::new(), Vec::new());
        for group in groups {
            match self.models.find(pool, &group) {
                Some(model) => {
                    stage = stage.max(Stage::ModelCache);
                    parts.push((group, model));
                }
                None => open.push(group),
            }
        }
        let mut unknown = None;
        for group in open {
            let guess = self.models.recent().find_map(|model| repair::repair(pool, model, &group));
            if let Some(model) = guess {
                stage = stage.max(Stage::Guess);
                self.models.remember(model.clone());
                parts.push((group, model));
                continue;
            }
            stage = Stage::Solver;
            if self.alone
                && let Some(model) = self.ask_about_few(pool, &group)
            {
                parts.push((group, model));
                continue;
            }
            match self.ask(pool, &group) {
                Answer::Sat(model) => parts.push((group, model)),
                Answer::Unsat => return (Answer::Unsat, stage),
                Answer::Unknown(reason) => unknown = unknown.or(Some(reason)),
            }
        }
        match unknown {
            Some(reason) => (Answer::Unknown(reason), stage),
            None => (self.combined(pool, constraints, parts, fixed), stage),
        }
    }

    /// A model of small numbers, if there is one.
    fn ask_about_few(&mut self, pool: &mut Pool, group: &[Term]) -> Option<Model> {
        let narrowed = Narrowed::of(pool, group)?;
        let Tidied::Rest { rest, fixed } = tidy::tidy(pool, &narrowed.constraints, true) else { return None };
        let Answer::Sat(mut model) = self.ask(pool, &rest) else { return None };
        fixed.overwrite(pool, &mut model);
        let model = narrowed.widen(pool, model);
        match checked(pool, group, model) {
            Answer::Sat(model) => {
                self.models.remember(model.clone());
                Some(model)
            }
            _ => None,
        }
    }

    fn ask(&mut self, pool: &Pool, group: &[Term]) -> Answer {
        let mut limits = self.limits;
        if let Some(deadline) = self.deadline {
            limits.time = limits.time.min(deadline.saturating_duration_since(Instant::now()));
        }
        limits.time = limits.time.min(hydrogen_stop::left());
        // More time may help, the same does not.
        let had = |known: &Limits| match limits.work {
            0 => known.time >= limits.time,
            work => known.work == 0 || known.work >= work,
        };
        let is_hopeless = self.given_up.get(group).is_some_and(had);
        if is_hopeless || limits.time.is_zero() || hydrogen_bitwuzla::is_interrupted() {
            return Answer::Unknown(Reason::Timeout);
        }
        // What solvers do before they begin takes more than time in proportion, and cannot be interrupted.
        if group.len() > MOST_TOGETHER {
            let words = format!("{} conditions depend on each other", group.len());
            return Answer::Unknown(Reason::Unsupported(words));
        }
        let started = Instant::now();
        let answer = match self.alone {
            true => self.solver.check_alone(pool, group, &limits),
            false => self.solver.check(pool, group, &limits),
        };
        self.counters.solver_calls += 1;
        self.counters.work = self.solver.work();
        self.counters.solver_time += started.elapsed();
        if let Some(dump) = &mut self.dump {
            dump.write(pool, group, &answer, started.elapsed());
        }
        match &answer {
            Answer::Sat(model) => self.models.remember(model.clone()),
            Answer::Unsat => self.refuted.remember(group),
            Answer::Unknown(Reason::Timeout) => drop(self.given_up.insert(group.to_vec(), limits)),
            Answer::Unknown(_) => {}
        }
        answer
    }

    /// One model from those of independent parts, checked against all that was asked.
    fn combined(
        &mut self,
        pool: &Pool,
        constraints: &[Term],
        parts: Vec<(Vec<Term>, Model)>,
        fixed: Fixed,
    ) -> Answer {
        let mut whole = Model::new();
        for (group, model) in parts {
            merge::merge(pool, &mut self.supports, &mut whole, &group, &model);
        }
        fixed.overwrite(pool, &mut whole);
        checked(pool, constraints, whole)
    }
}

fn checked(pool: &Pool, constraints: &[Term], model: Model) -> Answer {
    let mut evaluator = Evaluator::new(pool, &model);
    match constraints.iter().all(|&constraint| evaluator.holds(constraint)) {
        true => Answer::Sat(model),
        false => {
            Answer::Unknown(Reason::Unsupported("the parts of the answer do not fit together".to_owned()))
        }
    }
}
