//! Exploring a program: one input per condition.
//!
//! An [`Explorer`] runs an input, turns one condition of the run after the other around, solves, and runs the new input. Work is
//! done in rounds of fixed size, and each part of a round starts from nothing but the run it came from, so that the result is the
//! same for any number of threads; what was answered can be kept and given to a later explorer, which then asks no solver for it.

mod answers;
mod ask;
mod queue;
mod round;
mod small;

pub use answers::{Answered, Answers};
pub use ask::ask;
pub use queue::Search;

use crate::NamedOutput;
use crate::coverage::Coverage;
use crate::observe::{Observation, Observer, Setting, first_broken, holds};
use crate::outputs::Logs;
use crate::outside::Outside;
use crate::path::{Conjunct, Kind};
use crate::rsc::Name;
use crate::symbolic::Symbolic;
use hydrogen_evidence::Input;
use hydrogen_machine::{End, FrameInfo, Limits, Program, Site, World};
use hydrogen_stop::Stop;
use hydrogen_term::{Importer, Pool, Solver, Term, standard};
use queue::{Question, Queue};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// How to explore.
#[derive(Clone)]
pub struct Options {
    /// What of the input may change.
    pub symbolic: Symbolic,
    /// The limits of each run.
    pub limits: Limits,
    /// The most runs.
    pub runs: usize,
    /// The most time.
    pub time: Duration,
    /// Which condition is turned around next.
    pub search: Search,
    /// Whether inputs that fault are looked for: overflow, bad shifts, division by zero, accesses out of bounds.
    pub faults: bool,
    /// Whether `strlen`, `strcmp` and their like are terms instead of paths, exploring by path.
    pub summaries: bool,
    /// How many threads.
    pub jobs: usize,
    /// What one question may cost.
    pub solver_limits: hydrogen_term::Limits,
    /// Makes solvers: one per part of a round.
    pub solver: MakeSolver,
    /// The folder that every question to a solver is written to: in a folder for the first one of a part, by test and condition, so
    /// that threads do not change the names.
    pub dump: Option<PathBuf>,
    /// Set from outside to stop.
    pub interrupt: Option<Arc<AtomicBool>>,
}

/// Makes a solver.
pub type MakeSolver = Arc<dyn Fn() -> Box<dyn Solver + Send> + Send + Sync>;

impl Default for Options {
    fn default() -> Self {
        Self {
            symbolic: Symbolic::default(),
            limits: Limits::default(),
            runs: usize::MAX,
            time: Duration::MAX,
            search: Search::Depth,
            faults: false,
            summaries: true,
            jobs: 1,
            solver_limits: hydrogen_term::Limits::default(),
            solver: Arc::new(standard),
            dump: None,
            interrupt: None,
        }
    }
}

/// A run that was found.
#[derive(Debug, Clone)]
pub struct Test {
    /// Its input.
    pub input: Input,
    /// The test it was made from, and the condition of it that was turned around.
    pub from: Option<(usize, usize)>,
    /// What the input fulfils, in the order of execution.
    pub path: Vec<Conjunct>,
    /// What is turned around, where that is not the path.
    pub condition: Option<Vec<Conjunct>>,
    /// By condition, where wanted: the shortened priority of a branch.
    pub priorities: Option<Vec<Vec<Name>>>,
    /// What the program named as output.
    pub outputs: Vec<NamedOutput>,
    /// The bytes that went out and depend on the input.
    pub logs: Logs,
    /// The exit status as a term, if it depends on the input.
    pub status: Option<Term>,
    /// How it ended.
    pub end: End,
    /// The world afterwards.
    pub world: World,
    /// Instructions.
    pub steps: u64,
    /// How many instructions of the user's program no earlier test had executed.
    pub new: u64,
}

impl Test {
    /// The conditions that exploration turns around, in order.
    pub fn condition(&self) -> &[Conjunct] {
        self.condition.as_deref().unwrap_or(&self.path)
    }
}

/// What is wrong with a run, by a bug of ours and never of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wrong {
    /// It does not fulfil its own condition with this number (INV-P1).
    Condition(usize),
    /// It does not start with the conditions that it was made for (INV-R5): they differ from this number on.
    Prefix(usize),
    /// The condition with this number is not where it should be in the order (INV-R4, L-6.5): why.
    Order(usize, &'static str),
    /// The branch of the condition with this number has another priority than in the run it was made from (INV-R12).
    Priority(usize),
    /// Run again without being watched it did something else.
    Again,
}

/// A run that did not do what its condition promised. It is not used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alarm {
    /// The number of the test that the input was made from.
    pub from: usize,
    /// The input that went elsewhere.
    pub input: Input,
    /// What is wrong.
    pub wrong: Wrong,
}

/// Why an exploration is not complete.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Missing {
    /// Questions that the solver did not answer, by reason.
    pub unknown: BTreeMap<String, u64>,
    /// Runs that were cut short, by reason.
    pub cut: BTreeMap<String, u64>,
    /// Values that were made concrete, by reason and place.
    pub concretised: BTreeMap<(String, Site), u64>,
    /// Questions that were not asked: the time or the number of runs was used up, or the goal was reached.
    pub open: u64,
    /// Questions that do not lead to the goal of a directed search.
    pub elsewhere: u64,
    /// Runs whose threads took turns in one order of many.
    pub orders: u64,
}

/// What an exploration found.
pub struct Exploration {
    /// The terms of all conditions.
    pub pool: Pool,
    /// One test per condition, in the order they were found.
    pub tests: Vec<Test>,
    /// Runs that broke a promise of ours.
    pub alarms: Vec<Alarm>,
    /// Why it is not complete.
    pub missing: Missing,
    /// What all tests together executed.
    pub coverage: Coverage,
    /// By relevant slices: what no output depends on.
    pub outside: Option<Outside>,
    /// Questions to the solver.
    pub asked: u64,
    /// The test that reached the goal of a directed search.
    pub reached: Option<usize>,
}

impl Exploration {
    /// Whether these are all conditions: nothing was cut short, unknown or made concrete, and there is but one thread.
    pub fn is_complete(&self) -> bool {
        self.missing == Missing::default() && self.alarms.is_empty()
    }

    /// Whether these are all conditions of the one order in which threads took turns.
    pub fn is_complete_in_order(&self) -> bool {
        self.missing == Missing { orders: self.missing.orders, ..Missing::default() }
            && self.missing.orders > 0
            && self.alarms.is_empty()
    }
}

/// An exploration under way.
pub struct Explorer<'p> {
    program: &'p Program,
    world: &'p World,
    options: &'p Options,
    observer: &'p dyn Observer,
    begun: Instant,
    found: Exploration,
    queue: Queue,
    answers: Answers,
    /// Questions of a round that was interrupted.
    left_over: Vec<Question>,
    /// Places where a fault was found already: one input for each is enough.
    faulty: BTreeSet<Site>,
    /// By branch and side: how many runs with other values than those that were made concrete it gave.
    other_values: BTreeMap<(Site, Option<u32>), u32>,
    /// The paths of these runs and of those that they came from, without the values.
    ways: BTreeSet<Vec<Term>>,
    /// Whether the time was over in the middle of something.
    is_left: bool,
}

/// What is cut where not even the first run came to its end in time.
const FIRST: &str = "the time was over before the first run had ended";

impl<'p> Explorer<'p> {
    /// Runs the first input. What earlier explorers of the same were answered need not be asked again.
    pub fn new(
        program: &'p Program,
        world: &'p World,
        first: Input,
        options: &'p Options,
        observer: &'p dyn Observer,
        answers: Answers,
    ) -> Self {
        let found = Exploration {
            pool: Pool::new(),
            tests: Vec::new(),
            alarms: Vec::new(),
            missing: Missing::default(),
            coverage: Coverage::new(program),
            outside: None,
            asked: 0,
            reached: None,
        };
        let mut explorer = Self {
            program,
            world,
            options,
            observer,
            begun: Instant::now(),
            found,
            queue: Queue::new(&options.search),
            answers,
            left_over: Vec::new(),
            faulty: BTreeSet::new(),
            other_values: BTreeMap::new(),
            ways: BTreeSet::new(),
            is_left: false,
        };
        let begun = hydrogen_stop::within(&explorer.stop(), || {
            let mut pool = Pool::new();
            let seen = observer.observe(explorer.setting(), &first, &mut pool);
            let wrong = first_broken(&pool, &first, seen.condition()).map(Wrong::Condition);
            explorer.take_in(&pool, first, None, seen, wrong);
        });
        if begun.is_err() {
            *explorer.found.missing.cut.entry(FIRST.to_owned()).or_insert(0) += 1;
            explorer.is_left = true;
        }
        explorer
    }

    /// When the exploration ends, whatever it is doing.
    fn stop(&self) -> Stop {
        Stop::never().by(self.begun.checked_add(self.options.time)).or(self.options.interrupt.as_ref())
    }

    fn setting(&self) -> Setting<'p> {
        Setting {
            program: self.program,
            world: self.world,
            symbolic: &self.options.symbolic,
            limits: &self.options.limits,
            summaries: self.options.summaries,
        }
    }

    /// What was found so far.
    pub fn found(&self) -> &Exploration {
        &self.found
    }

    /// How many questions are open.
    pub fn open(&self) -> usize {
        self.queue.len() + self.left_over.len()
    }

    /// The answers so far; those of this explorer's own rounds are new.
    pub fn answers(&mut self) -> &mut Answers {
        &mut self.answers
    }

    /// Whether a limit of the whole exploration is reached.
    fn is_over(&self) -> bool {
        self.is_left
            || self.found.tests.len() >= self.options.runs
            || self.stop().is_over()
            || self.found.reached.is_some()
    }

    /// Ends the exploration: what is left is said to be missing.
    pub fn finish(mut self) -> Exploration {
        self.found.missing.open = (self.queue.len() + self.left_over.len()) as u64;
        self.found.missing.elsewhere = self.queue.elsewhere();
        self.found
    }

    /// Explores to the end, or to a limit.
    pub fn run(mut self) -> Exploration {
        while self.round() {}
        self.finish()
    }

    /// Keeps a run, and asks for the other sides of its later conditions.
    fn take_in(
        &mut self,
        pool: &Pool,
        mut input: Input,
        why: Option<&Question>,
        seen: Observation,
        wrong: Option<Wrong>,
    ) {
        let found = &mut self.found;
        for (key, count) in &seen.concretised {
            *found.missing.concretised.entry(key.clone()).or_insert(0) += count;
        }
        found.missing.orders += u64::from(seen.world.threads > 0);
        let cut = match &seen.end {
            End::Limit(limit, _) => Some(limit.to_string()),
            End::Unresolved(name, stack) => {
                Some(format!("`{name}` is used, and no unit defines it{}", place(stack)))
            }
            End::Unsupported(what, stack) => {
                Some(format!("the machine cannot execute {what}{}", place(stack)))
            }
            _ => None,
        };
        if let Some(cut) = cut {
            *found.missing.cut.entry(cut).or_insert(0) += 1;
        }
        if let Some(outside) = &seen.outside {
            found.outside.get_or_insert_default().add(outside);
        }
        let from = why.map(|question| (question.test, question.at));
        let mut importer = Importer::new(pool);
        let into = &mut found.pool;
        let mut conjuncts = |list: Vec<Conjunct>| -> Vec<Conjunct> {
            list.into_iter().map(|one| Conjunct { term: importer.import(into, one.term), ..one }).collect()
        };
        let path = conjuncts(seen.path);
        let condition = seen.condition.map(&mut conjuncts);
        let starts = condition.as_deref().unwrap_or(&path);
        // Where another value was taken for one that had been made concrete, the runs part there.
        let parts = from.and_then(|(test, at)| {
            let list = &found.tests[test].path[..(at + 1).min(found.tests[test].path.len())];
            let concrete =
                |one: &Conjunct| one.kind == Kind::Concrete && !holds(&found.pool, &input, one.term);
            list.iter().position(concrete).filter(|_| condition.is_none())
        });
        if let Some((test, at)) = from.filter(|_| parts.is_some()) {
            let turned = &found.tests[test].path[at];
            *self.other_values.entry((turned.site, turned.taken)).or_insert(0) += 1;
            let old = found.tests[test].path.clone();
            self.ways.insert(way(&old));
            if !self.ways.insert(way(&path)) {
                return;
            }
        }
        let promised = from.filter(|_| parts.is_none());
        let wrong =
            wrong.or_else(|| differs(&mut found.pool, &found.tests, promised, starts).map(Wrong::Prefix));
        let wrong = wrong.or(seen.wrong);
        let wrong = wrong.or_else(|| {
            let priority = other_priority(&found.tests, from, seen.priorities.as_deref()?);
            priority.map(Wrong::Priority)
        });
        // A run by relevant slices can fault where nothing was asked: that is found, and no promise broken.
        let strayed = condition.is_some()
            && matches!(wrong, Some(Wrong::Prefix(_)))
            && matches!(seen.end, End::Fault(_) | End::Limit(..));
        if strayed {
            *found.missing.cut.entry("a fault outside of what the output depends on".into()).or_insert(0) +=
                1;
        }
        if let Some(wrong) = wrong.filter(|_| !strayed) {
            found.alarms.push(Alarm { from: from.map_or(0, |(test, _)| test), input, wrong });
            return;
        }
        let into = &mut found.pool;
        let mut term = |term: Term| importer.import(into, term);
        let outputs = seen.outputs.into_iter();
        let outputs = outputs.map(|one| NamedOutput { value: term(one.value), ..one }).collect();
        let logs = seen.logs.map(&mut term);
        let status = seen.status.map(&mut term);
        let new = found.coverage.add(&seen.coverage);
        let number = found.tests.len();
        let (end, world, steps) = (seen.end, seen.world, seen.steps);
        // What a test does not say is zero: it is said, so that a test is whole.
        for (name, len) in seen.named {
            let bytes = input.named.entry(name).or_default();
            bytes.resize(bytes.len().max(len as usize), 0);
        }
        let priorities = seen.priorities;
        let test =
            Test { input, from, path, condition, priorities, outputs, logs, status, end, world, steps, new };
        if let Some(last) = test.path.last().filter(|last| last.kind == Kind::Fault) {
            self.faulty.insert(last.site);
        }
        if found.reached.is_none() && self.options.search.is_reached(&seen.coverage) {
            found.reached = Some(number);
        }
        let known = why.map_or(0, |question| parts.unwrap_or(question.at) + 1);
        let (program, coverage) = (self.program, &found.coverage);
        if !strayed {
            let values = self.options.symbolic.call.is_none();
            let ask = (self.options.faults, values);
            self.queue.add(number, &test, known, ask, |one| fresh(program, coverage, one));
        }
        found.tests.push(test);
    }
}

/// A path without the values that were made concrete.
fn way(path: &[Conjunct]) -> Vec<Term> {
    path.iter().filter(|one| one.kind != Kind::Concrete).map(|one| one.term).collect()
}

/// The other side of a branch of the user's, if nobody executed it yet.
fn fresh(program: &Program, coverage: &Coverage, conjunct: &Conjunct) -> Option<Site> {
    let (function, taken) = (conjunct.site.function, conjunct.taken?);
    if !program.is_users(function) {
        return None;
    }
    let code = program.code(function)?;
    let sides = crate::outside::sides(code, conjunct.site.pc);
    let mut sites = sides.filter(|pc| *pc != taken).map(|pc| Site { function, pc });
    sites.find(|site| !coverage.has(*site))
}

/// Where something happened, for a note.
fn place(stack: &[FrameInfo]) -> String {
    let frame = stack.iter().find(|frame| frame.users && frame.line > 0);
    frame.map_or(String::new(), |frame| format!(" ({}:{})", frame.file, frame.line))
}

/// Where a run does not start with what it was made for: the conditions before, and the one that was turned around.
fn differs(
    pool: &mut Pool,
    tests: &[Test],
    from: Option<(usize, usize)>,
    starts: &[Conjunct],
) -> Option<usize> {
    let (test, at) = from?;
    let list = tests[test].condition();
    let other = pool.not(list[at].term);
    let expected = list[..at].iter().map(|one| one.term).chain([other]);
    let found = starts.iter().map(|one| Some(one.term)).chain(std::iter::repeat(None));
    expected.zip(found).position(|(expected, found)| found != Some(expected))
}

/// The first condition before the one that was turned around, or itself, whose branch has another priority in the new run.
fn other_priority(tests: &[Test], from: Option<(usize, usize)>, new: &[Vec<Name>]) -> Option<usize> {
    let (test, at) = from?;
    let old = tests[test].priorities.as_ref()?;
    (0..=at).find(|number| old.get(*number) != new.get(*number))
}

/// Explores from an input to the end, or to a limit.
pub fn explore(
    program: &Program,
    world: &World,
    first: Input,
    options: &Options,
    observer: &dyn Observer,
) -> Exploration {
    Explorer::new(program, world, first, options, observer, Answers::default()).run()
}
