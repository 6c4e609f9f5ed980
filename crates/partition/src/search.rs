//! The loop (Alg. 1): an input, its cell, the neighbours of the cell, until no input is left.

use crate::ask::{Answers, Asker};
use crate::cell::{Cell, Label};
use crate::changes::{Changes, identical};
use crate::convergence::Converging;
use crate::found::Found;
use crate::joint::Atom;
use crate::look::side;
use crate::queue::{Class, Question, Queue};
use crate::reach::Reach;
use crate::subject::Subject;
use crate::tree::Tree;
use crate::watch::Marks;
use hydrogen_evidence::Input;
use hydrogen_evidence::partitioned::Status;
use hydrogen_explore::{Answered, Assignment, Coverage, Distances};
use hydrogen_machine::Site;
use hydrogen_stop::Stop;
use hydrogen_term::{Evaluator, Pool, Solver, Term, standard};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What is turned around.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// Conditions of all versions, and whether outcomes are equal: cells are partitions.
    #[default]
    Partitions,
    /// Conditions of the newest version alone (as DART does). Cells are single tests then, and prove nothing.
    Paths,
    /// The same, leaving out what cannot execute a change (as eXpress does).
    PathsToChanges,
}

/// How to explore.
#[derive(Clone)]
pub struct Options {
    /// What is turned around.
    pub method: Method,
    /// Whether inputs that execute no change are told by what decides over changes alone (`reach`), so that branches elsewhere make no
    /// partitions; otherwise by their whole paths.
    pub by_reach: bool,
    /// Whether it is found out where runs with the same outcome become the same again (Alg. 3): branches there are turned around first.
    pub hints: bool,
    /// The most runs of all versions.
    pub runs: usize,
    /// The most time.
    pub time: Duration,
    /// Whether the first difference is enough.
    pub stop_on_difference: bool,
    /// What one question may cost.
    pub solver_limits: hydrogen_term::Limits,
    /// Makes the solver.
    pub solver: fn() -> Box<dyn Solver + Send>,
    /// Set from outside to stop.
    pub interrupt: Option<Arc<AtomicBool>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            method: Method::Partitions,
            by_reach: false,
            hints: false,
            runs: usize::MAX,
            time: Duration::MAX,
            stop_on_difference: false,
            solver_limits: hydrogen_term::Limits::default(),
            solver: standard,
            interrupt: None,
        }
    }
}

/// Why an exploration ended before its end.
const NO_TIME: &str = "the budget is used up";

/// Where an input came from.
pub(crate) struct Origin {
    pub(crate) class: Class,
    /// The question that it answers: what its row must begin with.
    pub(crate) question: Option<Question>,
}

/// A run, as far as its neighbours are concerned.
pub(crate) struct Known {
    pub(crate) atoms: Vec<Atom>,
    pub(crate) input: Input,
    pub(crate) cell: Option<usize>,
    /// Whether the row is that of a run without changes, by what decides over them.
    pub(crate) by_reach: bool,
}

/// Explores step by step.
pub struct Partitioner<'a> {
    pub(crate) subject: &'a Subject<'a>,
    pub(crate) options: &'a Options,
    pub(crate) marks: Vec<Marks>,
    pub(crate) changes: Changes,
    /// By version, distances to changed statements.
    pub(crate) distances: Vec<Distances>,
    /// By version, what was executed.
    pub(crate) coverage: Vec<Coverage>,
    /// How often a side that nobody executed was preferred.
    pub(crate) tries: BTreeMap<(usize, Site), u32>,
    pub(crate) reach: Option<Reach<'a>>,
    pub(crate) converging: Option<Converging<'a>>,
    pub(crate) begun: Instant,
    pub(crate) given: std::collections::VecDeque<Input>,
    pub(crate) queue: Queue,
    pub(crate) tree: Tree,
    pub(crate) known: Vec<Known>,
    pub(crate) asker: Asker,
    pub(crate) found: Found,
    pub(crate) over: bool,
    /// Whether threads took turns in one order of many.
    pub(crate) one_order: bool,
}

impl<'a> Partitioner<'a> {
    /// Begins with inputs that are given; what earlier explorations of the same were answered need not be asked again.
    pub fn new(subject: &'a Subject<'a>, options: &'a Options, given: Vec<Input>, answers: Answers) -> Self {
        let changes = Changes::of(&subject.programs);
        let versions = 0..subject.programs.len();
        let marks: Vec<Marks> =
            versions.clone().map(|at| Marks::new(subject.programs[at], &changes, at)).collect();
        let coverage = subject.programs.iter().map(|program| Coverage::new(program)).collect();
        let wanted = options.by_reach && subject.renames.is_empty() && subject.symbolic.call.is_none();
        let reach = wanted.then(|| Reach::new(subject, &marks));
        let converging = options.hints.then(|| Converging::new(subject)).flatten();
        let distances =
            versions.map(|at| Distances::to_sites(subject.programs[at], marks[at].sites())).collect();
        let begun = Instant::now();
        let deadline = begun.checked_add(options.time);
        let found = Found {
            pool: Pool::new(),
            cells: Vec::new(),
            excluded: Vec::new(),
            unresolved: Vec::new(),
            alarms: Vec::new(),
            missing: BTreeMap::new(),
            domain: Vec::new(),
            status: Status::Open("it has not ended".into()),
            asked: 0,
            runs: 0,
            first_difference: None,
            changes: changes.all(),
        };
        Self {
            subject,
            options,
            marks,
            changes,
            distances,
            coverage,
            tries: BTreeMap::new(),
            reach,
            converging,
            begun,
            given: given.into(),
            queue: Queue::default(),
            tree: Tree::default(),
            known: Vec::new(),
            asker: Asker::new((options.solver)(), options.solver_limits, deadline, answers),
            found,
            over: false,
            one_order: false,
        }
    }

    /// What was found so far.
    pub fn found(&self) -> &Found {
        &self.found
    }

    /// How many questions are open.
    pub fn open(&self) -> usize {
        self.queue.len() + self.given.len()
    }

    /// The answers so far.
    pub fn answers(&mut self) -> &mut Answers {
        self.asker.answers()
    }

    /// Explores to the end, or to a limit.
    pub fn run(mut self) -> Found {
        while self.step() {}
        self.finish()
    }

    /// Ends the exploration with what is known.
    pub fn finish(mut self) -> Found {
        self.found.asked = self.asker.asked;
        self.found
    }

    /// Looks at one more input. False when there is nothing more to do, or a limit is reached.
    pub fn step(&mut self) -> bool {
        if self.over {
            return false;
        }
        let stop =
            Stop::never().by(self.begun.checked_add(self.options.time)).or(self.options.interrupt.as_ref());
        // One run with its conditions can take longer than all the time there is. What it was about is open then.
        hydrogen_stop::within(&stop, || self.one_step()).unwrap_or_else(|_| {
            let why = self.limit().unwrap_or_else(|| NO_TIME.into());
            self.end(Status::Open(why))
        })
    }

    fn one_step(&mut self) -> bool {
        if let Some(why) = self.limit() {
            return self.end(Status::Open(why));
        }
        if self.found.runs == 0 && self.all_identical() {
            // The same program does the same: one partition, all inputs.
            let input = self.given.pop_front().unwrap_or_default();
            self.take_whole(input);
            return self.end(Status::Complete);
        }
        if let Some(input) = self.given.pop_front() {
            if !self.is_member(&input) {
                self.look_at(input, Origin { class: Class::Given, question: None });
            }
            return true;
        }
        match self.queue.take() {
            Some((class, question)) => self.turn_around(class, question),
            None => self.close(),
        }
    }

    pub(crate) fn end(&mut self, status: Status) -> bool {
        self.found.status = status;
        self.over = true;
        false
    }

    fn limit(&self) -> Option<String> {
        let flag = self.options.interrupt.as_ref();
        match () {
            () if flag.is_some_and(|flag| flag.load(Ordering::Relaxed)) => Some("it was interrupted".into()),
            () if self.found.runs >= self.options.runs => Some("the most runs are used up".into()),
            () if self.begun.elapsed() > self.options.time => Some(NO_TIME.into()),
            () => None,
        }
    }

    fn all_identical(&self) -> bool {
        let programs = &self.subject.programs;
        self.options.method == Method::Partitions
            && self.subject.renames.is_empty()
            && programs.windows(2).all(|two| identical(two[0], two[1]))
    }

    fn is_member(&self, input: &Input) -> bool {
        let pool = &self.found.pool;
        let mut evaluated = |term: Term| {
            let model = input.model(pool, &pool.variables(&[term]));
            Evaluator::new(pool, &model).holds(term)
        };
        self.tree.holds(&mut evaluated)
    }

    /// Asks for an input on the other side of a condition, and looks at it.
    fn turn_around(&mut self, class: Class, question: Question) -> bool {
        let known = &self.known[question.run];
        let pool = &mut self.found.pool;
        let other = pool.not(known.atoms[question.at].term);
        if self.tree.was_visited(question.node, other) {
            return true;
        }
        let before: Vec<Term> = known.atoms[..question.at].iter().map(|atom| atom.term).collect();
        match self.asker.ask(pool, &before, other, &known.input) {
            // Rows of different kinds overlap: then somebody may have been there.
            Answered::Input(input) if self.reach.is_some() && self.is_member(&input) => {}
            Answered::Input(input) => self.look_at(input, Origin { class, question: Some(question) }),
            Answered::Never => {}
            Answered::Unknown(reason) => self.note(format!("a question had no answer: {reason}"), 1),
        }
        true
    }

    /// Nothing is left to turn around: is there an input that no cell holds?
    fn close(&mut self) -> bool {
        if self.options.method != Method::Partitions {
            return self.end(Status::Open("single tests prove nothing".into()));
        }
        let gap = self.tree.gap(&mut self.found.pool);
        let near = self.known.first().map(|known| known.input.clone()).unwrap_or_default();
        if self.found.pool.as_bool(gap) == Some(false) {
            return self.complete();
        }
        match self.asker.ask(&mut self.found.pool, &[], gap, &near) {
            Answered::Input(input) => {
                let before = self.known.len();
                self.look_at(input, Origin { class: Class::Gap, question: None });
                match self.known.len() > before {
                    true => true,
                    false => self.end(Status::Open("a run did not do what was promised".into())),
                }
            }
            Answered::Never => self.complete(),
            Answered::Unknown(reason) => self.end(Status::Open(format!(
                "whether the partitions hold every input had no answer: {reason}"
            ))),
        }
    }

    fn complete(&mut self) -> bool {
        let status = match () {
            () if !self.found.alarms.is_empty() => Status::Open("a run did not do what was promised".into()),
            () if !self.found.unresolved.is_empty() => Status::Open("runs were cut short".into()),
            () if self.one_order => Status::Open("other orders of threads were not looked at".into()),
            () => Status::Complete,
        };
        self.end(status)
    }

    pub(crate) fn note(&mut self, what: String, count: u64) {
        *self.found.missing.entry(what).or_insert(0) += count;
    }

    /// The only cell of programs that are the same.
    fn take_whole(&mut self, input: Input) {
        let sides = self.run_all(&input).map_or(Vec::new(), |runs| runs.into_iter().map(side).collect());
        self.found.cells.push(Cell {
            label: Label::Unreached,
            condition: Vec::new(),
            input,
            sides,
            executed: BTreeSet::new(),
            why: (Class::Given, None),
            converged: BTreeSet::new(),
            narrowed: false,
        });
    }
}
