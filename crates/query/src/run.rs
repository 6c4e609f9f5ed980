//! What belongs to one question: how code is taken, and what was visited, assumed and lost.

use crate::budget::{STEP, TERM};
use crate::clock::Clock;
use crate::walk::Analyst;
use hydrogen_evidence::Entry;
use hydrogen_evidence::ledger::Limit;
use hydrogen_graph::{ChainId, Fix, NodeId, VersionId, VersionSet};
use hydrogen_term::Limits;
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// How loops and unknown calls are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Mode {
    /// Everything that can happen, and more: for refutations.
    Prove,
    /// Only what happens: for witnesses.
    Find,
}

/// How code is taken, and what is noted on the way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asking {
    pub mode: Mode,
    /// Rounds that a loop is followed when a witness is looked for.
    pub rounds: usize,
    /// Whether conditions say which way they came: see `path`.
    pub choices: bool,
    /// The version whose visits are counted; all, if none.
    pub watched: Option<VersionId>,
    /// Whether what was computed for earlier questions counts as visited already.
    pub cached: bool,
    /// Whether shifts count as faults that every compiler computes as two's complement suggests.
    pub strict: bool,
    /// Whether the present question is one that rests on earlier ones.
    pub remember: bool,
    /// A function that is taken as one that anyone may call.
    pub entry: Option<ChainId>,
    /// Whether it is looked for what every round of a loop keeps, for refutations.
    pub inductive: bool,
    /// Whether what stays open is asked near the statement, too.
    pub near: bool,
    /// Whether it is looked through all of the version for what becomes a size.
    pub sizes: bool,
    /// Whether pointers that are moved are asked about.
    pub moved: bool,
    /// Whether it is asked about every read of memory whether that has a value.
    pub contents: bool,
    /// Whether it is asked about every text that is read whether it ends, and not only where the program is seen to leave some without an end.
    pub texts: bool,
    /// Whether something else has decided already, so that the answer only stands beside it.
    pub beside: bool,
    /// The fix whose version before it gives the names that conditions of others are written in, where versions are compared.
    pub reference: Option<Fix>,
}

impl Default for Asking {
    fn default() -> Self {
        Self {
            mode: Mode::Prove,
            rounds: crate::budget::Budget::default().rounds,
            choices: false,
            watched: None,
            cached: false,
            strict: true,
            remember: false,
            entry: None,
            inductive: false,
            near: false,
            sizes: false,
            moved: false,
            contents: false,
            texts: false,
            beside: false,
            reference: None,
        }
    }
}

/// What belongs to one question.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    /// What was taken for granted, per version.
    pub assumed: BTreeMap<VersionId, BTreeSet<Entry>>,
    /// Why not everything was looked at, per version: no refutation holds then.
    pub lost: BTreeMap<VersionId, BTreeSet<Entry>>,
    /// The nodes gone through, in order, each once.
    pub visited: Vec<NodeId>,
    pub seen: FxHashSet<NodeId>,
    pub steps_left: usize,
    /// Whether it is looked at what a round of a loop does, or at the way to one, to show what its rounds keep.
    pub in_rounds: bool,
    /// How many conditions are to be left unchecked.
    pub pause: usize,
    /// What had been done when the question began.
    pub done_before: u64,
    pub asked: Clock,
}

impl Run {
    pub fn new(steps: usize, done_before: u64) -> Self {
        Self {
            assumed: BTreeMap::new(),
            lost: BTreeMap::new(),
            visited: Vec::new(),
            seen: FxHashSet::default(),
            steps_left: steps,
            in_rounds: false,
            pause: 0,
            done_before,
            asked: Clock::start(),
        }
    }
}

impl Analyst<'_> {
    /// Names the functions where execution may begin, besides `main` and those whose address is taken.
    pub fn begin_at(&mut self, entries: Vec<String>) {
        self.subject.entries = entries;
    }

    /// Writes every question that reaches the solver into a folder.
    pub fn dump_to(&mut self, folder: &std::path::Path) -> std::io::Result<()> {
        self.engine.dump_to(folder)
    }

    /// Ends every question as soon as the flag is set.
    pub fn stop_at(&mut self, flag: Arc<AtomicBool>) {
        self.stop = Some(flag);
    }

    /// Whether the user wants an end.
    pub fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// The nodes that the last question went through, in order, each once.
    pub fn visited(&self) -> &[NodeId] {
        &self.run.visited
    }

    pub(crate) fn set_solver_work(&mut self, work: u64) {
        self.budget.solver = work;
        let limits = self.engine.limits();
        self.engine.set_limits(Limits { work, ..limits });
    }

    /// What was done so far for all questions, in the solver's units.
    fn done(&self) -> u64 {
        self.engine.counters().work + TERM * self.terms.pool.len() as u64
    }

    /// What the present question has cost so far.
    pub(crate) fn worked(&self) -> u64 {
        let steps = (self.budget.steps - self.run.steps_left) as u64;
        self.done().saturating_sub(self.run.done_before) + STEP * steps
    }

    /// Whether the present question has cost as much as one may.
    fn is_worked_out(&self) -> bool {
        self.worked() > self.budget.question
    }

    /// A new question.
    pub(crate) fn begin(&mut self) {
        self.run = Run::new(self.budget.steps, self.done());
    }

    /// Does a piece of work with code taken in another way.
    pub(crate) fn with<R>(&mut self, asking: Asking, work: impl FnOnce(&mut Self) -> R) -> R {
        let before = std::mem::replace(&mut self.asking, asking);
        let result = work(self);
        self.asking = before;
        result
    }

    /// Does a piece of work that may cost a part of what a question may.
    pub(crate) fn with_part<R>(&mut self, part: u64, work: impl FnOnce(&mut Self) -> R) -> R {
        let (question, solver) = (self.budget.question, self.budget.solver);
        self.budget.question = question / part;
        self.set_solver_work(solver / part);
        let result = work(self);
        self.budget.question = question;
        self.set_solver_work(solver);
        result
    }

    /// Does a piece of work in another mode.
    pub(crate) fn in_mode<R>(&mut self, mode: Mode, work: impl FnOnce(&mut Self) -> R) -> R {
        self.with(Asking { mode, ..self.asking }, work)
    }

    pub(crate) fn assume(&mut self, versions: &VersionSet, what: Entry) {
        let rests =
            self.asking.mode == Mode::Prove && matches!(what, Entry::OnlyStored { .. } | Entry::TextsEnd);
        for version in versions.iter() {
            self.run.assumed.entry(version).or_default().insert(what.clone());
            if rests {
                self.rests.entry(version).or_default().insert(what.clone());
            }
        }
    }

    pub(crate) fn lose(&mut self, versions: &VersionSet, why: Entry) {
        for version in versions.iter() {
            self.run.lost.entry(version).or_default().insert(why.clone());
        }
    }

    /// The limit that ends the present question, if one is reached. Whoever wants an end does not wait for the solver either.
    pub(crate) fn cut(&mut self) -> Option<Limit> {
        if self.run.steps_left == 0 {
            return Some(Limit::Steps);
        }
        if self.is_stopped() {
            self.engine.set_deadline(Instant::now());
            return Some(Limit::Stopped);
        }
        if self.is_worked_out() {
            return Some(Limit::Work);
        }
        self.out_of_time().then_some(Limit::Time)
    }

    /// Whether the present question is to end: it has cost enough, or time is over.
    pub(crate) fn is_over(&self) -> bool {
        self.is_worked_out() || self.out_of_time()
    }

    fn out_of_time(&self) -> bool {
        self.spent() || self.run.asked.is_over(self.budget.patience)
    }

    pub(crate) fn visit(&mut self, node: NodeId, versions: &VersionSet) {
        if self.asking.watched.is_none_or(|version| versions.contains(version)) && self.run.seen.insert(node)
        {
            self.run.visited.push(node);
        }
    }
}
