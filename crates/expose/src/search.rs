//! Asking and running until a difference is found, nothing is left to ask, or a limit is reached.

use crate::changes::Changes;
use crate::entries::{Entry, entries};
use crate::joint::{Joint, Towards};
use crate::rank::Queue;
use crate::sequences::{Walk, Walked, sequence_of};
use crate::tree::Tree;
use crate::tries::{Tried, Tries};
use crate::types::{Along, Asked, Ended, Found, Near, Options, Shape};
use crate::uses::Uses;
use bstr::BString;
use hydrogen_evidence::Input;
use hydrogen_evidence::exposed::{Class, Point, Statistics};
use hydrogen_explore::{Distances, Kind};
use hydrogen_machine::{End, Limit, Program};
use hydrogen_pair::{Apart, Difference, Ending, Outcome, Pair, Ran, Setting};
use hydrogen_stop::Stop;
use hydrogen_term::{Engine, Solver, Term, standard};
use hydrogen_trace::Static;
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;
use std::time::Instant;

/// After so many questions, inputs are made of others,
const QUESTIONS: u32 = 8;
/// and run for so many instructions.
const STEPS: u64 = 10_000_000;
/// A run that is watched costs about so many times one that is not.
const WATCHED: u64 = 24;
/// No turn of making inputs takes longer.
const LONGEST: u64 = 400_000_000;
/// So many inputs that come to a change are kept for whoever wants to know how far it got.
const MOST_REACHED: usize = 3;

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
    pub(crate) statics: [Option<Static<'p>>; 2],
    pub(crate) shapes: Vec<Shape>,
    pub(crate) options: &'s Options,
    pub(crate) engine: Engine<Box<dyn Solver + Send>>,
    pub(crate) runs: Vec<Joint>,
    queue: Queue,
    /// Lists of conditions that an input was run with, or asked for.
    tree: Tree,
    tried: BTreeSet<(usize, Input)>,
    /// How often a branch was turned without the rest of its path.
    pub(crate) alone: BTreeMap<hydrogen_machine::Site, u32>,
    /// What was asked for the ends of change-effect graphs.
    pub(crate) wished: FxHashSet<(Term, Vec<Term>)>,
    /// Where what statements write is read, and by version and statement how far it is to there.
    pub(crate) uses: [Option<Uses<'p>>; 2],
    pub(crate) to_uses: BTreeMap<(usize, hydrogen_machine::Site), Distances>,
    tries: Tries<'p>,
    /// Inputs that came to a change and showed no difference, those that did something different first.
    reached: Vec<(bool, usize, Input)>,
    /// The branches that are nearest to a change.
    nearest: Vec<Near>,
    until: Option<Instant>,
    /// Questions that were asked since inputs were last made of others, and what they cost.
    since: u32,
    pub(crate) cost: u64,
}

impl<'p, 's> Search<'p, 's> {
    /// Prepares a search between two programs, the old one first.
    pub fn new(programs: [&'p Program; 2], shapes: Vec<Shape>, options: &'s Options) -> Self {
        let mut pair = Pair::new(&programs);
        let changes = Changes::of(&mut pair.nodes, programs);
        let distances = [0, 1].map(|at| Distances::to_sites(programs[at], changes.sites(at).to_vec()));
        let functions = [0, 1].map(|at| changes.sites(at).iter().map(|site| site.function).collect());
        let tries = Tries::new(programs, functions);
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
            queue: Queue::new(options.strategy),
            tree: Tree::default(),
            tried: BTreeSet::new(),
            alone: BTreeMap::new(),
            wished: FxHashSet::default(),
            uses: [None, None],
            to_uses: BTreeMap::new(),
            tries,
            reached: Vec::new(),
            nearest: Vec::new(),
            until: options.until,
            since: 0,
            cost: 0,
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

    /// Brings the end of the search forward.
    pub fn end_by(&mut self, until: Instant) {
        self.until = Some(self.until.map_or(until, |end| end.min(until)));
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
        self.in_time(|search| search.take(shape, input, None)).flatten()
    }

    /// Work that is left when the time is over: one run with its conditions can take longer than all the time there is.
    fn in_time<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> Option<T> {
        let stop = Stop::never().by(self.until).or(self.options.interrupt.as_ref());
        hydrogen_stop::within(&stop, || work(self)).ok()
    }

    /// Searches on, until the next difference, or for as many runs as are given.
    pub fn search(&mut self, runs: usize) -> Ended {
        self.in_time(|search| search.some_runs(runs)).unwrap_or(Ended::Stopped)
    }

    fn some_runs(&mut self, runs: usize) -> Ended {
        let end = self.statistics.runs.saturating_add(runs).min(self.options.runs);
        loop {
            if self.queue.is_empty() {
                return Ended::Exhausted;
            }
            if self.is_over() || self.statistics.runs >= end {
                return Ended::Stopped;
            }
            // No question leads to another command line: where nobody gave one, making inputs has as much of the time as asking.
            let free = self.shapes.iter().any(|shape| shape.free);
            if self.since >= QUESTIONS || free && self.cost >= STEPS {
                let steps = if free { self.cost.clamp(STEPS, LONGEST) } else { STEPS };
                (self.since, self.cost) = (0, 0);
                if let Some(found) = self.varied(steps) {
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

    /// A command line that people wrote, without the program's name: others are made of its words.
    pub fn learn(&mut self, line: Vec<BString>) {
        self.tries.learn(line);
    }

    /// An input that others are made of.
    pub fn seed(&mut self, shape: usize, input: &Input) {
        self.tries.keep(shape, input, false);
    }

    /// Runs an input that somebody proposes without watching it closely: others are made of it if it does something new.
    pub fn offer(&mut self, shape: usize, input: &Input) -> Option<Box<Found>> {
        self.in_time(|search| {
            let input = search.tries.offer(&search.shapes, search.options, shape, input);
            search.statistics.tried = search.tries.count;
            search.take(shape, input?, None)
        })
        .flatten()
    }

    /// An input on which the versions differ, without what the difference does not need; with fewer words it has another shape.
    pub fn small(&mut self, shape: usize, input: Input, outcomes: [&Outcome; 2]) -> (usize, Input) {
        let whole = self.shapes[shape].clone();
        let worth = self.options.worth(&whole.world, &input, outcomes);
        let free = whole.free;
        let (small, input) = self.tries.smallest(whole, self.options, input, worth);
        (if free { self.add(small) } else { shape }, input)
    }

    /// Tries inputs that are made of others, for about so many instructions. One in which the versions go different ways as never before is
    /// asked about.
    pub fn vary(&mut self, steps: u64) -> Option<Box<Found>> {
        self.in_time(|search| search.varied(steps)).flatten()
    }

    fn varied(&mut self, steps: u64) -> Option<Box<Found>> {
        let (options, until) = (self.options, self.until);
        let tried = self.tries.turn(&mut self.shapes, options, steps, || is_over(options, until));
        self.statistics.tried = self.tries.count;
        let (shape, input) = match tried {
            Tried::Differs(shape, input) => (shape, input),
            Tried::Nothing(new) => new?,
        };
        let mut found = self.take(shape, input, None)?;
        found.varied = true;
        Some(found)
    }

    /// Runs an input in both versions, and asks about what they did.
    pub(crate) fn take(&mut self, shape: usize, input: Input, answers: Option<Class>) -> Option<Box<Found>> {
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
        self.cost += WATCHED * runs.iter().map(|ran| ran.seen.steps).sum::<u64>();
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
            let worth =
                self.options.worth(&self.shapes[shape].world, &input, [&runs[0].outcome, &runs[1].outcome]);
            let told = self.options.along == Along::Difference && !self.tries.tells(worth);
            self.tries.tell(worth);
            if self.options.along != Along::Difference || !worth.wanted {
                // The search goes on from it.
                let joint = self.joint(shape, input.clone(), &runs, None);
                self.enter(joint);
            }
            return (is_new && !told)
                .then(|| Box::new(Found { shape, input, runs, differences, answers, varied: false }));
        }
        for ran in &runs {
            if let Ending::Cut(why) = &ran.outcome.ending {
                *self.statistics.cut.entry(why.clone()).or_insert(0) += 1;
            }
            if ran.seen.world.threads > 0 {
                *self.statistics.concrete.entry("the order of threads".to_owned()).or_insert(0) += 1;
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
        if !joint.reached {
            self.note_nearest(&joint, &runs[1]);
        }
        if joint.reached {
            self.reached.push((!joint.infected, shape, joint.input.clone()));
            self.reached.sort_by_key(|(same, ..)| *same);
            self.reached.truncate(MOST_REACHED);
        }
        self.enter(joint);
        None
    }

    /// Keeps the branches of a run that are nearest to a change, each once.
    fn note_nearest(&mut self, joint: &Joint, ran: &Ran) {
        for part in joint.parts.iter().filter(|part| part.own && part.conjunct.kind == Kind::Branch) {
            let Some(away) = part.distance else { continue };
            let Some(instance) = ran.instances.at_step(part.conjunct.instance) else { continue };
            let known = self.nearest.iter().find(|one| one.branch == instance.node);
            if known.is_some_and(|one| one.away <= away) {
                continue;
            }
            self.nearest.retain(|one| one.branch != instance.node);
            let (shape, input) = (joint.shape, joint.input.clone());
            self.nearest.push(Near { branch: instance.node, away, shape, input });
            self.nearest.sort_by_key(|one| one.away);
            self.nearest.truncate(MOST_REACHED);
        }
    }

    /// The branches that came nearest to a change without going there, with how many branches lie between them and it: what a test must turn.
    pub fn nearest(&self) -> impl Iterator<Item = (Point, &Near)> {
        self.nearest.iter().map(|one| (self.point(one.branch), one))
    }

    /// Inputs that came to a change and showed no difference, the most telling first: what the search knows of why it does not come out.
    pub fn reached(&self) -> impl Iterator<Item = (usize, &Input)> {
        self.reached.iter().map(|(_, shape, input)| (*shape, input))
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
            *self.statistics.concrete.entry(name.clone()).or_insert(0) += 1;
        }
    }

    /// Asks about a run that showed no difference.
    fn enter(&mut self, joint: Joint) {
        let run = self.runs.len();
        self.queue.add_joint(run, &joint);
        let mut place = self.tree.root(joint.shape);
        let goes_on = self.options.limits.go_on;
        for (at, part) in joint.parts.iter().enumerate() {
            let term = part.conjunct.term;
            let other = self.pair.pool.not(term);
            let asked = match part.conjunct.kind {
                Kind::Branch | Kind::Fault => true,
                // Before a change both versions fault alike; where runs go on behind that, they may come to it.
                Kind::NoFault => part.behind || goes_on,
                Kind::Assumed | Kind::Concrete => false,
            };
            let leads = part.behind
                || part.distance.is_some()
                || goes_on && matches!(part.conjunct.kind, Kind::NoFault);
            if asked && !leads {
                self.statistics.elsewhere += 1;
            } else if asked && self.tree.with(place, other).1 {
                self.queue.add_part(run, &joint, at);
            }
            place = self.tree.with(place, term).0;
        }
        self.runs.push(joint);
    }
}

/// Whether the user stopped a search, or its time is over.
fn is_over(options: &Options, until: Option<Instant>) -> bool {
    let interrupted = options.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed));
    interrupted || until.is_some_and(|until| Instant::now() >= until)
}
