//! Asking and running until a difference is found, nothing is left to ask, or a limit is reached.

use crate::changes::Changes;
use crate::entries::{Entry, entries};
use crate::joint::{Joint, Towards};
use crate::rank::{About, Class, Question, Queue};
use crate::sequences::{Walk, Walked, sequence_of};
use crate::tree::Tree;
use crate::tries::{Tried, Tries};
use hydrogen_evidence::Input;
use hydrogen_explore::{Assignment, Distances, Kind, Symbolic, ask};
use hydrogen_machine::{End, Limit, Limits, Program, World};
use hydrogen_pair::{Apart, Difference, Ending, Facts, Observable, Pair, Ran, Setting};
use hydrogen_term::{Answer, Engine, Solver, Term, standard};
use hydrogen_trace::Static;
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// What inputs look like: the world around them, and what of it may change.
#[derive(Debug, Clone)]
pub struct Shape {
    /// The world but for the input.
    pub world: World,
    /// What of the input may change.
    pub symbolic: Symbolic,
    /// Whether inputs may be longer than that, because nobody said how long they are.
    pub open: bool,
}

/// How to search.
#[derive(Clone)]
pub struct Options {
    /// The limits of each run.
    pub limits: Limits,
    /// The most inputs that are run.
    pub runs: usize,
    /// When to stop.
    pub until: Option<Instant>,
    /// What one question may cost.
    pub solver_limits: hydrogen_term::Limits,
    /// What of an outcome is compared.
    pub observables: Vec<Observable>,
    /// Set from outside to stop.
    pub interrupt: Option<Arc<AtomicBool>>,
    /// What the search goes along.
    pub along: Along,
}

/// What a search goes along.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Along {
    /// The shortest way to a difference.
    #[default]
    Difference,
    /// All orders in which changes are executed: each has its share, and a difference of each is wanted (E11).
    Sequences,
    /// The changes one by one, for comparison (E16).
    Changes,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            limits: Limits { steps: 5_000_000, output: 1 << 20, ..Limits::default() },
            runs: usize::MAX,
            until: None,
            solver_limits: hydrogen_term::Limits::default(),
            observables: Observable::usual(),
            interrupt: None,
            along: Along::Difference,
        }
    }
}

/// An input on which the versions differ.
pub struct Found {
    /// Which shape of input.
    pub shape: usize,
    /// The input.
    pub input: Input,
    /// What the old and the new version did.
    pub runs: [Ran; 2],
    /// In what they differ.
    pub differences: Vec<Difference>,
    /// The question that the input answers; none for one that was there already, or was made of others.
    pub answers: Option<Class>,
    /// Whether it was made of inputs that were there already.
    pub varied: bool,
}

/// How a search ended.
pub enum Ended {
    /// The versions differ.
    Found(Box<Found>),
    /// Nothing is left to ask.
    Exhausted,
    /// A limit was reached, or the user stopped it.
    Stopped,
}

/// What was asked, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// What the question was for.
    pub class: Class,
    /// Where the branch is that was turned; none for a question about outcomes.
    pub site: Option<hydrogen_machine::Site>,
    /// The condition that was asked for, as C.
    pub condition: String,
    /// Whether there is an input.
    pub sat: Option<bool>,
}

/// What a search did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Inputs that were run in both versions.
    pub runs: usize,
    /// The first of them that executed a change, from 1.
    pub reached: Option<usize>,
    /// Questions by what they were for.
    pub asked: BTreeMap<Class, u64>,
    /// Branches that lead to no change: the versions are the same there, and nothing was asked.
    pub elsewhere: u64,
    /// Questions that were answered with neither yes nor no, by reason.
    pub unknown: BTreeMap<String, u64>,
    /// Runs that were cut short, by reason.
    pub cut: BTreeMap<String, u64>,
    /// Values that were made concrete, by reason.
    pub concrete: BTreeMap<String, u64>,
}

impl Statistics {
    /// Whether an exhausted search has seen every input: nothing was unknown, cut short or made concrete.
    pub fn is_complete(&self) -> bool {
        self.unknown.is_empty() && self.cut.is_empty() && self.concrete.is_empty()
    }
}

/// A side is asked for without the rest of its path so often.
const MOST_TRIES: u32 = 4;
/// After so many questions, inputs are made of others,
const QUESTIONS: u32 = 8;
/// and run for so many instructions.
const STEPS: u64 = 10_000_000;
/// So many questions are kept for whoever wants to look at them.
const MOST_KEPT: usize = 10_000;

/// A search for an input on which two versions differ.
pub struct Search<'p, 's> {
    /// Both versions.
    pub pair: Pair<'p>,
    /// What differs between them.
    pub changes: Changes,
    /// What was asked, in order.
    pub log: Vec<Asked>,
    /// What was done.
    pub statistics: Statistics,
    /// The runs by the order in which they came to changes, where sequences are asked for.
    pub walks: Vec<Walk>,
    distances: [Distances; 2],
    statics: [Option<Static<'p>>; 2],
    shapes: Vec<Shape>,
    options: &'s Options,
    engine: Engine<Box<dyn Solver + Send>>,
    runs: Vec<Joint>,
    queue: Queue,
    /// Lists of conditions that an input was run with, or asked for.
    tree: Tree,
    tried: BTreeSet<(usize, Input)>,
    /// How often a branch was turned without the rest of its path.
    alone: BTreeMap<hydrogen_machine::Site, u32>,
    tries: Tries<'p>,
    until: Option<Instant>,
    /// Questions that were asked since inputs were last made of others.
    since: u32,
}

impl<'p, 's> Search<'p, 's> {
    /// Prepares a search between two programs, the old one first.
    pub fn new(programs: [&'p Program; 2], shapes: Vec<Shape>, options: &'s Options) -> Self {
        let mut pair = Pair::new(&programs);
        let changes = Changes::of(&mut pair.nodes, programs);
        let distances = [0, 1].map(|at| Distances::to_sites(programs[at], changes.sites(at).to_vec()));
        Self {
            pair,
            changes,
            log: Vec::new(),
            statistics: Statistics::default(),
            walks: Vec::new(),
            distances,
            statics: [None, None],
            shapes,
            options,
            engine: Engine::new(standard(), options.solver_limits),
            runs: Vec::new(),
            queue: Queue::default(),
            tree: Tree::default(),
            tried: BTreeSet::new(),
            alone: BTreeMap::new(),
            tries: Tries::new(programs),
            until: options.until,
            since: 0,
        }
    }

    /// Whether a run of one of the versions that starts with this function can come to a change at all.
    pub fn can_reach(&self, entry: &str) -> bool {
        (0..2).any(|at| {
            let found = self.pair.programs()[at].named(entry, None);
            found.is_none_or(|id| self.distances[at].leads_from(id))
        })
    }

    /// The functions from which a change is reached, the most telling first.
    pub fn entries(&self) -> Vec<Entry> {
        let programs = self.pair.programs();
        entries([programs[0], programs[1]], &self.changes)
    }

    /// Moves the end of the search.
    pub fn end_at(&mut self, until: Instant) {
        self.until = Some(until);
    }

    /// One shape of input more, by its number.
    pub fn add(&mut self, shape: Shape) -> usize {
        self.shapes.push(shape);
        self.shapes.len() - 1
    }

    /// A shape of input.
    pub fn shape(&self, number: usize) -> &Shape {
        &self.shapes[number]
    }

    /// How many questions are open.
    pub fn open(&self) -> usize {
        self.queue.len()
    }

    /// Runs an input that is there already.
    pub fn start(&mut self, shape: usize, input: Input) -> Option<Box<Found>> {
        self.take(shape, input, None)
    }

    /// Searches on, until the next difference, or for as many runs as are given.
    pub fn search(&mut self, runs: usize) -> Ended {
        let end = self.statistics.runs.saturating_add(runs).min(self.options.runs);
        loop {
            if self.queue.is_empty() {
                return Ended::Exhausted;
            }
            if self.is_over() || self.statistics.runs >= end {
                return Ended::Stopped;
            }
            if self.since >= QUESTIONS {
                self.since = 0;
                if let Some(found) = self.vary(STEPS) {
                    return Ended::Found(found);
                }
            }
            self.since += 1;
            let Some(question) = self.queue.take() else { return Ended::Exhausted };
            if let Some(found) = self.answer(question) {
                return Ended::Found(found);
            }
        }
    }

    /// Whether the time is over, or the user stopped it.
    pub fn is_over(&self) -> bool {
        is_over(self.options, self.until)
    }

    /// An input that others are made of.
    pub fn seed(&mut self, shape: usize, input: &Input) {
        self.tries.keep(shape, input, false);
    }

    /// Tries inputs that are made of others, for about so many instructions. One in which the versions go different ways as never before is
    /// asked about.
    pub fn vary(&mut self, steps: u64) -> Option<Box<Found>> {
        let (options, until) = (self.options, self.until);
        let (limits, observables) = (&self.options.limits, &self.options.observables);
        let tried = self.tries.turn(&self.shapes, limits, observables, steps, || is_over(options, until));
        let (shape, input) = match tried {
            Tried::Differs(shape, input) => (shape, input),
            Tried::Nothing(new) => new?,
        };
        let mut found = self.take(shape, input, None)?;
        found.varied = true;
        Some(found)
    }

    /// Runs an input in both versions, and asks about what they did.
    fn take(&mut self, shape: usize, input: Input, answers: Option<Class>) -> Option<Box<Found>> {
        if !self.tried.insert((shape, input.clone())) {
            return None;
        }
        let Shape { world, symbolic, .. } = &self.shapes[shape];
        let setting = Setting { world, symbolic, limits: &self.options.limits };
        let runs: [Ran; 2] = match self.pair.run(setting, &input).map(TryInto::try_into) {
            Ok(Ok(runs)) => runs,
            Ok(Err(_)) => unreachable!("two programs give two runs"),
            Err(error) => {
                *self.statistics.cut.entry(error.to_string()).or_insert(0) += 1;
                return None;
            }
        };
        if runs.iter().any(|ran| matches!(ran.seen.end, End::Limit(Limit::Interrupted, _))) {
            return None;
        }
        self.statistics.runs += 1;
        let changed = |ran: &Ran| ran.instances.all.iter().any(|it| self.changes.contains(it.node));
        if self.statistics.reached.is_none() && runs.iter().any(changed) {
            self.statistics.reached = Some(self.statistics.runs);
        }
        let differences = runs[0].outcome.differences(&runs[1].outcome, &self.options.observables);
        let whole = runs.iter().all(|ran| ran.outcome.is_whole());
        let differs = whole && !differences.is_empty();
        let is_new = self.options.along == Along::Difference
            || self.walk(shape, &input, &runs[1], differs.then_some(&differences));
        if differs {
            if self.options.along != Along::Difference {
                // The search goes on from it.
                let joint = self.joint(shape, input.clone(), &runs, None);
                self.enter(joint);
            }
            return is_new
                .then(|| Box::new(Found { shape, input, runs, differences, answers, varied: false }));
        }
        for ran in &runs {
            if let Ending::Cut(why) = &ran.outcome.ending {
                *self.statistics.cut.entry(why.clone()).or_insert(0) += 1;
            }
            for ((why, _), count) in &ran.seen.concretised {
                *self.statistics.concrete.entry(why.clone()).or_insert(0) += count;
            }
        }
        let apart = Apart::of(&mut self.pair.pool, &runs[0], &runs[1], &self.options.observables);
        if let Some(apart) = &apart {
            self.note_limits_of(apart, &runs);
        }
        let apart = apart.filter(|apart| self.pair.pool.as_bool(apart.differ) != Some(false));
        let joint = self.joint(shape, input, &runs, apart);
        self.enter(joint);
        None
    }

    /// The runs of an input as one list of conditions.
    fn joint(&mut self, shape: usize, input: Input, runs: &[Ran; 2], apart: Option<Apart>) -> Joint {
        let programs = self.pair.programs();
        let is_users = |at: usize, function| programs[at].is_users(function);
        let walked = match self.options.along {
            Along::Sequences => Walked::of(&runs[1], &self.changes),
            _ => Walked::default(),
        };
        let to = Towards { changes: &self.changes, distances: &self.distances, walked };
        let joint = Joint::new(shape, input, runs, &to, apart, is_users);
        self.tries.keep(shape, &joint.input, joint.infected);
        joint
    }

    /// Keeps the sequence of a run; whether it is the first with this sequence that differs.
    fn walk(
        &mut self,
        shape: usize,
        input: &Input,
        ran: &Ran,
        differences: Option<&Vec<Difference>>,
    ) -> bool {
        let sequence = sequence_of(ran, &self.changes);
        let differs: Vec<String> =
            differences.into_iter().flatten().map(|one| one.observable.to_string()).collect();
        let known = self.walks.iter().any(|walk| !walk.differs.is_empty() && walk.sequence == sequence);
        self.walks.push(Walk { shape, input: input.clone(), sequence, differs });
        !known
    }

    /// What the question about outcomes does not cover: then an exhausted search has not seen every input.
    fn note_limits_of(&mut self, apart: &Apart, runs: &[Ran; 2]) {
        let path: FxHashSet<Term> =
            runs.iter().flat_map(|ran| ran.seen.path.iter().map(|one| one.term)).collect();
        if apart.given.iter().any(|term| !path.contains(term)) {
            *self.statistics.concrete.entry("a pointer that the caller sees".to_owned()).or_insert(0) += 1;
        }
        for name in &apart.unclear {
            *self.statistics.concrete.entry(format!("{name}, which one version alone has")).or_insert(0) += 1;
        }
    }

    /// Asks about a run that showed no difference.
    fn enter(&mut self, joint: Joint) {
        let run = self.runs.len();
        self.queue.add_joint(run, &joint);
        let mut place = self.tree.root(joint.shape);
        for (at, part) in joint.parts.iter().enumerate() {
            let term = part.conjunct.term;
            let other = self.pair.pool.not(term);
            let asked = match part.conjunct.kind {
                Kind::Branch | Kind::Fault => true,
                // Before a change both versions fault alike.
                Kind::NoFault => part.behind,
                Kind::Assumed | Kind::Concrete => false,
            };
            let leads = part.behind || part.distance.is_some();
            if asked && !leads {
                self.statistics.elsewhere += 1;
            } else if asked && self.tree.with(place, other).1 {
                self.queue.add_part(run, &joint, at);
            }
            place = self.tree.with(place, term).0;
        }
        self.runs.push(joint);
    }

    /// Asks a question, and runs what answers it.
    fn answer(&mut self, question: Question) -> Option<Box<Found>> {
        let Question { run, about, class } = question;
        let joint = &self.runs[run];
        let pool = &mut self.pair.pool;
        let (before, wanted, site) = match about {
            About::Outcome => (joint.apart.as_ref()?.given.clone(), joint.apart.as_ref()?.differ, None),
            About::Pair(number) => {
                let (old, new) = joint.alike[number];
                let (one, two) = (joint.paths[0][old], joint.paths[1][new]);
                (joint.before_pair((old, new)), pool.xor(one.term, two.term), Some(two.site))
            }
            About::Part(at) => {
                let conjunct = joint.parts[at].conjunct;
                (joint.before(at), pool.not(conjunct.term), Some(conjunct.site))
            }
        };
        let (shape, input) = (joint.shape, joint.input.clone());
        *self.statistics.asked.entry(class).or_insert(0) += 1;
        let answer = ask(&mut self.engine, pool, (&self.shapes[shape].symbolic, &input), &before, wanted);
        if self.log.len() < MOST_KEPT {
            let sat = match &answer {
                Answer::Sat(_) => Some(true),
                Answer::Unsat => Some(false),
                Answer::Unknown(_) => None,
            };
            let condition = hydrogen_explore::show(pool, wanted);
            self.log.push(Asked { class, site, condition, sat });
        }
        match answer {
            Answer::Sat(model) => {
                let next = input.with_model(&self.pair.pool, &model);
                self.take(shape, next, Some(class))
            }
            Answer::Unsat => self.without_the_rest(question, wanted),
            Answer::Unknown(reason) => {
                *self.statistics.unknown.entry(reason.to_string()).or_insert(0) += 1;
                None
            }
        }
    }

    /// Where a branch on the way to a change cannot be turned on this path, conditions that it does not depend on may stand in the way
    /// (E-6): then those that it depends on are enough, and the run may go elsewhere before it.
    fn without_the_rest(&mut self, question: Question, wanted: Term) -> Option<Box<Found>> {
        let About::Part(at) = question.about else { return None };
        let joint = &self.runs[question.run];
        let conjunct = joint.parts[at].conjunct;
        let tries = self.alone.entry(conjunct.site).or_insert(0);
        if !matches!(question.class, Class::Reach | Class::Again)
            || conjunct.kind != Kind::Branch
            || *tries >= MOST_TRIES
        {
            return None;
        }
        *tries += 1;
        let (shape, input) = (joint.shape, joint.input.clone());
        let program = 1;
        let Shape { world, symbolic, .. } = &self.shapes[shape];
        let setting = Setting { world, symbolic, limits: &self.options.limits };
        let ran = self.pair.run_in(program, setting, &input).ok()?;
        let statics = self.statics[program].get_or_insert_with(|| {
            let entry = ran.call.as_ref().map_or(world.entry.as_str(), |call| &call.function);
            Static::new(self.pair.programs()[program], &[entry])
        });
        let facts = Facts::new(statics, &ran).ok()?;
        let condition = facts.reaching(conjunct.instance).ok()?;
        let before: Vec<Term> = condition.conjuncts.iter().map(|one| one.term).collect();
        match ask(&mut self.engine, &mut self.pair.pool, (symbolic, &input), &before, wanted) {
            Answer::Sat(model) => {
                let next = input.with_model(&self.pair.pool, &model);
                self.take(shape, next, Some(question.class))
            }
            _ => None,
        }
    }
}

/// Whether the user stopped a search, or its time is over.
fn is_over(options: &Options, until: Option<Instant>) -> bool {
    let interrupted = options.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed));
    interrupted || until.is_some_and(|until| Instant::now() >= until)
}
