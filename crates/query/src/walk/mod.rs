//! The walk: conditions go backwards through a function, in all versions at once, until they are refuted or reach its entry.
//!
//! Runs are visited against a reverse post-order, so that what comes back along several ways is one condition (their disjunction) before
//! it goes on. Every version has its own code; where several do the same to the same condition, that is computed once.

pub(crate) mod calls;
mod entry;
mod guesses;
pub(crate) mod inductive;
pub(crate) mod mods;
mod parameters;
mod refute;
pub(crate) mod region;
pub(crate) mod rounds;
pub(crate) mod slots;
mod steady;
mod together;
pub(crate) mod up;
pub(crate) mod whom;

use crate::budget::Budget;
use crate::meaning::approximate::Toward;
use crate::meaning::conditions::{Conditions, group};
use crate::meaning::effect::Effect;
use crate::meaning::eval::Eval;
use crate::meaning::held::Held;
use crate::meaning::program::Program;
use crate::meaning::shape::{ENTRY, Entering, Shape, Spot, StepId};
use crate::meaning::state::Terms;
use crate::run::{Asking, Mode, Run};
use crate::store::Store;
use crate::subject::Subject;
use crate::walk::region::{is_new_round, is_odd};
use hydrogen_evidence::Entry;
use hydrogen_graph::{ChainId, NodeId, VersionId, VersionSet};
use hydrogen_library::Library;
use hydrogen_term::{Engine, Limits, Solver, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Conditions of up to this many terms are checked on the way.
const SMALL: usize = 400;

/// An activation of a function.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    pub chain: ChainId,
    /// What its variables' names begin with.
    pub prefix: String,
    pub depth: usize,
    /// The calls that led here, the innermost first, where the question is about these alone.
    pub within: Vec<NodeId>,
}

impl Frame {
    /// The activation that a question begins in.
    pub fn of(chain: ChainId) -> Self {
        Self { chain, prefix: String::new(), depth: 0, within: Vec::new() }
    }
}

/// Where conditions are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Before the function.
    Entry,
    /// Before a run.
    Before(Spot),
}

/// Analyses of one program: what is asked about does not change, what was computed is kept, and every question has a run of its own.
pub struct Analyst<'a> {
    pub(crate) subject: Subject<'a>,
    pub(crate) store: Store,
    pub(crate) terms: Terms,
    pub(crate) engine: Engine<Box<dyn Solver + Send>>,
    pub(crate) budget: Budget,
    /// How code is taken at present.
    pub(crate) asking: Asking,
    /// The present question.
    pub(crate) run: Run,
    /// What refutations of the present ruling take for granted.
    pub(crate) rests: BTreeMap<VersionId, BTreeSet<Entry>>,
    pub(crate) started: Instant,
    pub(crate) functions: FxHashSet<ChainId>,
    pub(crate) counters: hydrogen_evidence::Counters,
    pub(crate) kept: crate::kept::Kept<'a>,
    pub(crate) left_out: usize,
    /// Who runs witnesses.
    pub(crate) confirm: Option<Box<dyn crate::replay::Confirm + 'a>>,
    /// Set when the user wants an end.
    pub(crate) stop: Option<Arc<AtomicBool>>,
}

impl<'a> Analyst<'a> {
    /// An analyst of the program, with this solver.
    pub fn new(
        program: Program<'a>,
        solver: Box<dyn Solver + Send>,
        library: Library,
        budget: Budget,
    ) -> Self {
        let limits = Limits { time: budget.patience, work: budget.solver, ..Limits::default() };
        let mut engine = Engine::new(solver, limits).alone();
        engine.set_deadline(Instant::now() + budget.time);
        Self {
            subject: Subject { program, library, entries: Vec::new(), comes_in: Default::default() },
            store: Store::default(),
            terms: Terms::new(),
            engine,
            budget,
            asking: Asking { rounds: budget.rounds, ..Asking::default() },
            run: Run::new(budget.steps, 0),
            rests: BTreeMap::new(),
            started: Instant::now(),
            functions: FxHashSet::default(),
            counters: hydrogen_evidence::Counters::default(),
            kept: crate::kept::Kept::default(),
            left_out: 0,
            confirm: None,
            stop: None,
        }
    }

    pub(crate) fn shape(&mut self, chain: ChainId, version: VersionId) -> Option<Arc<Shape>> {
        self.kept.code(chain, version);
        if let Some(known) = self.store.shapes.get(&(chain, version)) {
            return known.clone();
        }
        let shape = Shape::new(self.subject.program, chain, version).map(|mut shape| {
            shape.statics = self.statics_of(&shape.module);
            shape.defined = self.defined_for(&shape.module, shape.body(), version);
            shape.held = Held::of(&shape.module, shape.body(), &self.subject.library);
            Arc::new(shape)
        });
        self.store.shapes.insert((chain, version), shape.clone());
        shape
    }

    /// The name of a place in an activation, for events and heap objects.
    pub(crate) fn place(frame: &Frame, spot: Spot, round: usize) -> String {
        format!("{}{}.{}#{round}", frame.prefix, spot.node.0, spot.ordinal)
    }

    /// The effect of a run that is no call.
    fn effect(&mut self, frame: &Frame, shape: &Shape, step: StepId, round: usize) -> Arc<Effect> {
        let common = (self.terms.layouts.is_some(), self.terms.shared.is_some());
        let key = (frame.prefix.clone(), self.asking.mode, common, round, frame.chain, shape.version, step);
        if let Some(effect) = self.store.effects.get(&key) {
            return Arc::clone(effect);
        }
        let place = Self::place(frame, shape.steps[step].spot, round);
        let event = self.terms.event(Entry::NotFollowed, false, &place);
        let mut effect = Eval::new(&mut self.terms, shape, &frame.prefix, event).run(step);
        self.terms.note_writes(&mut effect);
        let effect = Arc::new(effect);
        self.store.effects.insert(key, Arc::clone(&effect));
        effect
    }

    /// Takes conditions that hold at the ends of runs (or, with `Start::Before`, before them) backwards to the stop.
    fn walk_alike(&mut self, frame: &Frame, starts: Vec<Start>, stop: Stop) -> Conditions {
        self.functions.insert(frame.chain);
        let mut walk = Walk {
            frame,
            stop,
            pending: BTreeMap::new(),
            orders: FxHashMap::default(),
            reached: Conditions::default(),
        };
        for start in starts {
            match start {
                Start::Before(spot, term, versions) => {
                    if self.asking.cached {
                        self.pass(frame, spot, term, term, true, &versions);
                    } else {
                        self.visit(spot.node, &versions);
                    }
                    self.before_run(&mut walk, 0, spot, term, versions);
                }
                Start::After(spot, term, versions) => walk.push(self, 0, spot, term, &versions),
                Start::Around(spot, term, versions) => {
                    self.enter(&mut walk, 0, spot, term, &versions, Ways::Around)
                }
                Start::Outside(spot, term, versions) => {
                    self.enter(&mut walk, 0, spot, term, &versions, Ways::FromOutside)
                }
            }
        }
        while let Some(((round, _, spot), conditions)) = walk.pending.pop_first() {
            for (term, versions) in conditions.0 {
                self.through_run(&mut walk, round, spot, term, versions);
            }
        }
        walk.reached
    }

    /// From behind a run to before it.
    fn through_run(
        &mut self,
        walk: &mut Walk<'_>,
        round: usize,
        spot: Spot,
        term: Term,
        versions: VersionSet,
    ) {
        if let Some(limit) = self.cut() {
            return self.lose(&versions, Entry::BudgetUsedUp { limit });
        }
        self.run.steps_left -= 1;
        let frame = walk.frame;
        // AINV-2: no version comes to a statement that it has not.
        debug_assert!(versions.is_subset(&self.subject.program.graph.node_versions(spot.node)));
        let mut works = false;
        let mut calls = VersionSet::empty();
        let mut straight = VersionSet::empty();
        for version in versions.iter() {
            let Some((shape, step)) = self.step(frame, spot, version) else { continue };
            works |= shape.steps[step].works;
            let one = VersionSet::one(version);
            match shape.call(step) {
                Some(_) => calls = calls.union(&one),
                None => straight = straight.union(&one),
            }
        }
        if works && !self.asking.cached {
            self.visit(spot.node, &versions);
        }
        let groups = group(&straight, |version| {
            self.step(frame, spot, version).map(|(shape, step)| self.effect(frame, &shape, step, round))
        });
        for (effect, versions) in groups {
            let Some(effect) = effect else { continue };
            let before = self.terms.before(term, &effect);
            self.pass(frame, spot, term, before, works, &versions);
            self.before_run(walk, round, spot, before, versions);
        }
        if !calls.is_empty() {
            for (before, versions) in self.before_call(frame, spot, round, term, calls).0 {
                self.pass(frame, spot, term, before, works, &versions);
                self.before_run(walk, round, spot, before, versions);
            }
        }
    }

    /// A condition went through a run; new where it did not before.
    fn pass(
        &mut self,
        frame: &Frame,
        spot: Spot,
        behind: Term,
        before: Term,
        works: bool,
        versions: &VersionSet,
    ) {
        if self.asking.cached
            && self.store.passed.insert((frame.chain, spot, behind, before))
            && self.asking.remember
            && works
        {
            self.visit(spot.node, versions);
        }
    }

    pub(crate) fn step(
        &mut self,
        frame: &Frame,
        spot: Spot,
        version: VersionId,
    ) -> Option<(Arc<Shape>, StepId)> {
        let shape = self.shape(frame.chain, version)?;
        let step = *shape.by_spot.get(&spot)?;
        Some((shape, step))
    }

    /// From before a run to behind those that lead to it.
    fn before_run(
        &mut self,
        walk: &mut Walk<'_>,
        round: usize,
        spot: Spot,
        term: Term,
        versions: VersionSet,
    ) {
        if self.terms.pool.as_bool(term) == Some(false) {
            return;
        }
        let term = self.slim(term, &versions);
        let size = self.terms.pool.postorder(&[term]).len();
        if walk.stop == Stop::Before(spot) {
            return walk.reached.add(&mut self.terms.pool, term, &versions);
        }
        if size <= SMALL && walk.is_alone(&versions) && self.is_refuted_in_passing(term, size) {
            return;
        }
        let frame = walk.frame;
        let kinds = group(&versions, |version| self.entrance(frame, spot, version));
        for (entrance, versions) in kinds {
            match entrance {
                Entrance::Gone => self.lose(&versions, Entry::WayNotCompiled),
                Entrance::Function => {
                    let term = self.chosen_round(frame, round, term);
                    walk.reached.add(&mut self.terms.pool, term, &versions);
                }
                Entrance::Plain => self.enter(walk, round, spot, term, &versions, Ways::All),
                Entrance::Region if self.asking.mode == Mode::Prove => {
                    self.around_region(walk, round, spot, term, &versions);
                }
                Entrance::Region => {
                    self.enter(walk, round, spot, term, &versions, Ways::FromOutside);
                    if round < self.asking.rounds {
                        self.enter(walk, round + 1, spot, term, &versions, Ways::Around);
                    } else {
                        self.lose(&versions, Entry::LoopBounded);
                    }
                }
                Entrance::Loop if self.asking.mode == Mode::Prove => {
                    let effects = group(&versions, |version| {
                        let effect = self.loop_effect(frame, spot, version)?;
                        Some(match self.asking.inductive {
                            true => self.kept_by_rounds(frame, spot, version, term, effect),
                            false => effect,
                        })
                    });
                    for (effect, versions) in effects {
                        let Some(effect) = effect else { continue };
                        let any_round = self.terms.before(term, &effect);
                        self.enter(walk, round, spot, any_round, &versions, Ways::FromOutside);
                    }
                }
                Entrance::Loop => {
                    self.enter(walk, round, spot, term, &versions, Ways::FromOutside);
                    if round < self.asking.rounds {
                        self.enter(walk, round + 1, spot, term, &versions, Ways::Around);
                    } else {
                        self.lose(&versions, Entry::LoopBounded);
                    }
                    for (found, versions) in self.many_rounds(frame, spot, term, &versions) {
                        self.enter(walk, round, spot, found, &versions, Ways::FromOutside);
                    }
                }
            }
        }
    }

    /// The condition, or a smaller one that serves as well in this mode.
    fn slim(&mut self, term: Term, versions: &VersionSet) -> Term {
        let toward = match self.asking.mode {
            Mode::Prove => Toward::Weaker,
            Mode::Find => Toward::Stronger,
        };
        let slim = self.terms.slim(term, toward, self.budget.terms);
        if slim != term && self.asking.mode == Mode::Find {
            self.lose(versions, Entry::TooLarge);
        }
        slim
    }

    /// What leads to a run.
    fn entrance(&mut self, frame: &Frame, spot: Spot, version: VersionId) -> Entrance {
        let Some((shape, step)) = self.step(frame, spot, version) else { return Entrance::Gone };
        if step == ENTRY {
            return Entrance::Function;
        }
        if shape.steps[step].entering.iter().any(|&entering| is_odd(&shape, entering, step)) {
            return Entrance::Region;
        }
        match shape.loops.all().iter().any(|one| one.header == step) {
            true => Entrance::Loop,
            false => Entrance::Plain,
        }
    }

    fn enter(
        &mut self,
        walk: &mut Walk<'_>,
        round: usize,
        spot: Spot,
        term: Term,
        versions: &VersionSet,
        ways: Ways,
    ) {
        let frame = walk.frame;
        let groups = group(versions, |version| {
            let Some((shape, step)) = self.step(frame, spot, version) else { return Vec::new() };
            let is_back = |entering: Entering| is_new_round(&shape, entering.from, step);
            let mut found: Vec<(Spot, Effect)> = Vec::new();
            for &entering in &shape.steps[step].entering {
                // Code that nothing leads to.
                if shape.order[entering.from] == usize::MAX {
                    continue;
                }
                let wanted = match ways {
                    Ways::All => true,
                    Ways::FromOutside => !is_back(entering),
                    Ways::Around => is_back(entering),
                };
                if wanted {
                    let place = Self::place(frame, spot, round);
                    let event = self.terms.event(Entry::NotFollowed, false, &place);
                    let effect =
                        Eval::new(&mut self.terms, &shape, &frame.prefix, event).enter(entering, step);
                    found.push((shape.steps[entering.from].spot, effect));
                }
            }
            found
        });
        for (ways, versions) in groups {
            for (from, effect) in ways {
                let before = self.terms.before(term, &effect);
                if self.terms.pool.as_bool(before) != Some(false) {
                    let before = self.chosen(frame, round, from, spot, before);
                    walk.push(self, round, from, before, &versions);
                }
            }
        }
    }
}

/// Where a walk begins.
#[derive(Clone)]
pub(crate) enum Start {
    Before(Spot, Term, VersionSet),
    After(Spot, Term, VersionSet),
    /// Before the head of a loop, coming from its rounds alone.
    Around(Spot, Term, VersionSet),
    /// Before the head of a loop, coming from outside alone.
    Outside(Spot, Term, VersionSet),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Entrance {
    Gone,
    Function,
    Plain,
    Loop,
    /// A place that a cycle with several entries comes back to.
    Region,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ways {
    All,
    FromOutside,
    Around,
}

struct Walk<'f> {
    frame: &'f Frame,
    stop: Stop,
    /// Conditions behind runs: fewest rounds first, then last in the function first.
    pending: BTreeMap<(usize, std::cmp::Reverse<usize>, Spot), Conditions>,
    orders: FxHashMap<Spot, usize>,
    reached: Conditions,
}

impl Walk<'_> {
    /// Whether no other condition of these versions is under way: what is refuted then is refuted for good.
    fn is_alone(&self, versions: &VersionSet) -> bool {
        let apart = |theirs: &VersionSet| theirs.intersection(versions).is_empty();
        self.pending.values().all(|conditions| conditions.0.iter().all(|(_, theirs)| apart(theirs)))
    }

    fn push(
        &mut self,
        analyst: &mut Analyst<'_>,
        round: usize,
        spot: Spot,
        term: Term,
        versions: &VersionSet,
    ) {
        let order = match self.orders.get(&spot) {
            Some(order) => *order,
            None => {
                let first = versions.first().and_then(|version| analyst.step(self.frame, spot, version));
                let order = first.map_or(0, |(shape, step)| shape.order[step]);
                self.orders.insert(spot, order);
                order
            }
        };
        let there = self.pending.entry((round, std::cmp::Reverse(order), spot)).or_default();
        there.add(&mut analyst.terms.pool, term, versions);
    }
}
