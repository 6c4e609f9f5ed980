//! Functions called alone: where there is no program, or none of its inputs shows the change.

use super::inputs;
use super::work::{Begin, State, Whence, Work};
use crate::commands::program::{called, is_test};
use hydrogen_align::changed_variables;
use hydrogen_evidence::Input;
use hydrogen_explore::{FunctionEntry, Symbolic};
use hydrogen_expose::{Entry, Shape};
use hydrogen_machine::{Program, World};
use hydrogen_program::takes_plain_values;
use hydrogen_relate::{Subject, different_signatures};
use hydrogen_trial::{Effort, Given, Hidden, Made, Proposer, Side, does_something, only_in_one};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// So many functions are called.
const MOST: usize = 12;
/// A public function that is further away than so many calls seldom shows the change.
const FARTHEST: u32 = 4;
/// Inputs of one round of trials, and rounds that begin behind what does not come again.
const TRIES: u64 = 1500;
const ROUNDS: u64 = 3;
/// So many proposed calls are what others are made of, and so many instructions at a time.
const SEEDS: u64 = 24;
const TURN: u64 = 20_000_000;
/// The least and the most time for the trials of one function.
const LEAST: Duration = Duration::from_millis(300);
const LONGEST: Duration = Duration::from_secs(8);

/// Which functions of a library are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Callable {
    /// Those that others can call.
    Public,
    /// Those that its own functions alone call.
    Internal,
    All,
}

impl Callable {
    fn has(self, entry: &Entry) -> bool {
        match self {
            Self::Public => entry.public,
            Self::Internal => !entry.public,
            Self::All => true,
        }
    }
}

/// The functions worth calling: of a library those that others can call first, of a program those that changed. A function that takes numbers and texts
/// alone comes before one that takes structures: a call of it is what a person would write. Functions of tests are nobody's to call: that a test changed
/// says nothing of what it tests.
fn worth(entries: Vec<Entry>, program: &Program, library: bool, which: Callable) -> Vec<Entry> {
    let near = |entry: &Entry| entry.away == 0 || library && entry.public && entry.away <= FARTHEST;
    let of_test = |entry: &Entry| {
        let file = called(program, &entry.name, None)
            .ok()
            .and_then(|(module, function)| Some(module.file(function.file()?)));
        file.is_some_and(is_test)
    };
    let is = |entry: &Entry| near(entry) && which.has(entry) && !(library && of_test(entry));
    let mut all: Vec<Entry> = entries.into_iter().filter(is).collect();
    let is_plain = |entry: &Entry| {
        let found = called(program, &entry.name, None);
        found.is_ok_and(|(module, function)| takes_plain_values(module, function))
    };
    all.sort_by_key(|entry| (!entry.public, !is_plain(entry), entry.away));
    all.truncate(MOST);
    all
}

/// Calls the functions that come to a change until a difference is found or the time is over. Texts that the repository's files hold are
/// among what they are called with.
pub fn search(
    work: &mut Work<'_>,
    programs: [&Program; 2],
    world: &World,
    (library, which): (bool, Callable),
    files: &[Vec<u8>],
    end: Instant,
    interrupt: &Arc<AtomicBool>,
) -> State {
    let mut texts = programs[1].units().next().map_or(Vec::new(), hydrogen_trial::texts);
    texts.extend(files.iter().cloned());
    let mut entries = worth(work.search.entries(), programs[1], library, which);
    let mut shapes = Vec::new();
    entries.retain(|entry| {
        let made = FunctionEntry {
            function: entry.name.clone(),
            unit: None,
            depth: inputs::DEPTH,
            elements: inputs::ELEMENTS,
        };
        let refusal = programs.into_iter().find_map(|program| made.refusal(program));
        let refusal = refusal.or_else(|| differently_called(programs, &entry.name));
        match refusal {
            Some(why) => work.refused.push(why),
            None => {
                let symbolic = Symbolic { call: Some(made), ..Symbolic::default() };
                shapes.push(Shape { world: world.clone(), symbolic, open: false, free: false });
                return true;
            }
        }
        false
    });
    work.search.end_at(end);
    for (at, entry) in entries.iter().enumerate() {
        let left = end.saturating_duration_since(Instant::now());
        let share = left / 3 / (entries.len() - at).max(1) as u32;
        let until = Instant::now() + share.clamp(LEAST, LONGEST);
        let as_given = work.search.add(Shape {
            world: world.clone(),
            symbolic: Symbolic::default(),
            open: true,
            free: false,
        });
        trials(work, programs, (&texts, as_given), &entry.name, until, interrupt);
        if work.is_enough() {
            return State::Over;
        }
    }
    let half = Instant::now() + end.saturating_duration_since(Instant::now()) / 2;
    while !entries.is_empty() && Instant::now() < half && !interrupt.load(Ordering::Relaxed) {
        if let Some(found) = work.search.vary(TURN) {
            work.take(*found, None);
        }
        if work.is_enough() {
            return State::Over;
        }
    }
    let starts: Vec<Begin> = shapes
        .into_iter()
        .map(|shape| {
            let input = shape.symbolic.first(&shape.world);
            Begin { shape: work.search.add(shape), input, how: None, from: Whence::User }
        })
        .collect();
    work.begin(&starts, Instant::now());
    work.go_on(usize::MAX)
}

/// That no call is the same for both versions of a function.
fn differently_called(programs: [&Program; 2], name: &str) -> Option<String> {
    let sides = programs.map(|program| Side {
        program,
        unit: None,
        ignored: BTreeSet::new(),
        hidden: Hidden::default(),
    });
    let [old, new] = [&sides[0], &sides[1]].map(|side| side.place(name));
    let (old, new) = (old?, new?);
    let subject = |(module, function): (_, _)| Subject { module, function };
    different_signatures(subject(old), subject(new)).map(|why| format!("{name}: {why}"))
}

/// Calls a function as the program's own code and tests do, and with the texts that they and the files of the repository hold.
fn known(
    work: &mut Work<'_>,
    program: &Program,
    (proposer, texts): (&Proposer<'_>, &[Vec<u8>]),
    as_given: usize,
    name: &str,
    until: Instant,
) {
    let made = program.units().next().map_or(Vec::new(), |module| hydrogen_trial::made(module, name));
    let with_text = |at: usize, text: &Vec<u8>| -> Made {
        let mut made = vec![None; at];
        made.push(Some(Given::Text(text.clone())));
        made
    };
    let places = proposer.text_parameters();
    let single = texts.iter().flat_map(|text| places.iter().map(|at| with_text(*at, text)));
    let all = made.into_iter().flat_map(|made| [(made.clone(), 1), (made, 2)]);
    for (made, n) in all.chain(single.map(|made| (made, 1))) {
        if work.is_enough() || Instant::now() >= until {
            return;
        }
        let input = Input { call: Some(proposer.like(&made, n)), ..Input::default() };
        if let Some(found) = work.search.offer(as_given, &input) {
            work.take(*found, Some("called like in the program's own code and tests".to_owned()));
        }
    }
}

/// Calls a function with values that its types and the constants in its code suggest.
fn trials(
    work: &mut Work<'_>,
    programs: [&Program; 2],
    (texts, as_given): (&[Vec<u8>], usize),
    name: &str,
    until: Instant,
    interrupt: &Arc<AtomicBool>,
) {
    let modules = programs.map(|program| program.units().next());
    let ignored: BTreeSet<String> = match modules {
        [Some(old), Some(new)] => {
            let one_sided = only_in_one(programs[0], programs[1]);
            changed_variables(old, new).into_iter().chain(one_sided).collect()
        }
        _ => return,
    };
    let [old, new] = programs.map(|program| Side {
        program,
        unit: None,
        ignored: ignored.clone(),
        hidden: Hidden::default(),
    });
    let (Some(one), Some(other)) = (old.place(name), new.place(name)) else { return };
    let has_body = |name: &str| programs.iter().any(|program| does_something(program, name));
    let proposer = Proposer::new(one, other, has_body);
    for number in 0..SEEDS {
        let input = Input { call: Some(proposer.call(number)), ..Input::default() };
        work.search.seed(as_given, &input);
    }
    known(work, programs[1], (&proposer, texts), as_given, name, until);
    if work.is_enough() || interrupt.load(Ordering::Relaxed) {
        return;
    }
    let mut effort =
        Effort { deadline: Some(until), interrupt: Some(Arc::clone(interrupt)), ..Effort::default() };
    for round in 0..ROUNDS {
        effort.tries = round * TRIES..(round + 1) * TRIES;
        let Ok(Some(found)) = hydrogen_trial::search(&old, &new, &[], &proposer, &effort) else { return };
        let input = Input { call: Some(found.call), ..Input::default() };
        if let Some(found) = work.search.start(as_given, input) {
            work.take(*found, Some("called with values that its types suggest".to_owned()));
        }
        if work.is_enough() {
            return;
        }
    }
}
