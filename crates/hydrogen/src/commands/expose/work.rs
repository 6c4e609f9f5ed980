//! A search under way: what it found is run again before it counts.

use super::confirm::{Confirmed, Confirmer};
use super::golden::{Golden, Label};
use super::material::Telling;
use super::report::Finding;
use hydrogen_evidence::Input;
use hydrogen_expose::{Ended, Found, Search, Walk};
use hydrogen_machine::Limits;
use std::time::Instant;

/// How far a search is.
pub enum State {
    /// There is more to ask.
    Open,
    /// Nothing is left to ask.
    Exhausted,
    /// A limit was reached, or enough was found.
    Over,
}

/// An input to begin with.
pub struct Begin {
    pub shape: usize,
    pub input: Input,
    /// Where it is from, if that is worth saying.
    pub how: Option<String>,
    pub from: Whence,
}

/// Where an input to begin with is from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Whence {
    /// As the user or the program says.
    User,
    /// A file of the repository: most of it may have nothing to do with a difference.
    Repository(Telling),
}

/// Inputs of the repository that are watched: of those that execute a change, and of the others.
const WATCHED: usize = 3;
/// So many instructions of inputs that are made of others before it is looked at the time.
const TURN: u64 = 20_000_000;

/// A search under way.
pub struct Work<'a> {
    pub search: Search<'a, 'a>,
    pub limits: &'a Limits,
    pub confirmer: Confirmer<'a>,
    /// How many differences are wanted.
    pub wanted: usize,
    pub findings: Vec<Finding>,
    /// The inputs of the findings, with their shapes.
    pub found: Vec<(usize, Input)>,
    pub refused: Vec<String>,
    /// Whether an input to begin with was not run, for want of time.
    pub skipped: bool,
    /// A version that is right.
    pub golden: Option<Golden>,
}

impl Work<'_> {
    /// Whether as many differences were found as are wanted. What the new version does right is none of them where that is known.
    pub fn is_enough(&self) -> bool {
        let counts = |finding: &&Finding| self.golden.is_none() || finding.label.is_some_and(Label::is_error);
        self.findings.iter().filter(counts).count() >= self.wanted
    }

    /// Whether a run that differs is wrong in the new version, as far as that is known.
    pub fn is_error(&self, walk: &Walk) -> bool {
        let Some(golden) = &self.golden else { return true };
        let world = &self.search.shape(walk.shape).world;
        let [old, new] = self.confirmer.outcomes(world, &walk.input, self.limits);
        golden.label([&old, &new], world, &walk.input, self.limits).is_some_and(Label::is_error)
    }

    /// Runs what is there already. Of files of the repository inputs are made until a time before they are watched, which costs more.
    pub fn begin(&mut self, starts: &[Begin], until: Instant) {
        let of = |wanted: Telling| starts.iter().filter(move |one| one.from == Whence::Repository(wanted));
        for one in of(Telling::Differs) {
            self.start(one);
        }
        let mut material: Vec<&Begin> = of(Telling::Reaches).collect();
        if material.is_empty() {
            material = of(Telling::Covers).collect();
        }
        for one in &material {
            self.search.seed(one.shape, &one.input);
        }
        while !material.is_empty() && Instant::now() < until && !self.is_enough() && !self.search.is_over() {
            if let Some(found) = self.search.vary(TURN) {
                self.take(*found, None);
            }
        }
        let watched = of(Telling::Reaches).take(WATCHED).chain(of(Telling::Covers).take(WATCHED));
        for one in watched.chain(starts.iter().filter(|one| one.from == Whence::User)) {
            self.start(one);
        }
    }

    /// Runs one of them.
    fn start(&mut self, Begin { shape, input, how, from }: &Begin) {
        if self.is_enough() {
            return;
        }
        if self.search.is_over() {
            self.skipped = true;
            return;
        }
        let Some(mut found) = self.search.start(*shape, input.clone()) else { return };
        if *from != Whence::User {
            let small = self.search.small(*shape, input.clone());
            found = self.search.start(*shape, small).unwrap_or(found);
        }
        self.take(*found, Some(how.clone().unwrap_or_else(|| "the first input".to_owned())));
    }

    /// Searches for some runs, but not longer than until a time: then others are asked before the search goes on.
    pub fn first(&mut self, runs: usize, until: Instant, end: Instant) -> State {
        self.search.end_at(until.min(end));
        let state = self.go_on(runs);
        self.search.end_at(end);
        match state {
            State::Over if !self.is_enough() && !self.search.is_over() => State::Open,
            state => state,
        }
    }

    /// Searches on for some runs.
    pub fn go_on(&mut self, runs: usize) -> State {
        let end = self.search.statistics.runs.saturating_add(runs);
        while !self.is_enough() {
            let left = end.saturating_sub(self.search.statistics.runs);
            if left == 0 {
                return State::Open;
            }
            match self.search.search(left) {
                Ended::Found(found) => self.take(*found, None),
                // What was not even begun is not exhausted.
                Ended::Exhausted if self.skipped => return State::Over,
                Ended::Exhausted => return State::Exhausted,
                Ended::Stopped if self.search.statistics.runs >= end => return State::Open,
                Ended::Stopped => return State::Over,
            }
        }
        State::Over
    }

    /// Keeps a difference if it is there again.
    pub fn take(&mut self, found: Found, how: Option<String>) {
        let shape = self.search.shape(found.shape).clone();
        let differs: Vec<String> = found.differences.iter().map(|one| one.observable.to_string()).collect();
        match self.confirmer.confirm(&found, &shape, self.limits) {
            Confirmed::No(why) => self.refused.push(why),
            Confirmed::Yes(natively) => {
                let way = self.search.way(&found);
                let made = found.varied.then(|| "made of other inputs".to_owned());
                let how = how.or(made).or(found.answers.map(|class| format!("found by asking for {class}")));
                let tests = self.confirmer.tests_in_c(&found);
                let call = self.confirmer.call(&found);
                self.found.push((found.shape, found.input.clone()));
                let mut input = found.input;
                if let Some(call) = &found.runs[1].call {
                    // What was symbolic in the call is in the call.
                    input.call = Some(call.as_ref().clone());
                    input.named.clear();
                }
                let [old, new] = found.runs.map(|ran| ran.outcome);
                let label = self
                    .golden
                    .as_ref()
                    .and_then(|golden| golden.label([&old, &new], &shape.world, &input, self.limits));
                self.findings.push(Finding {
                    input,
                    call,
                    tests,
                    world: shape.world.clone(),
                    outcomes: [old, new],
                    differs,
                    natively,
                    way,
                    how: how.unwrap_or_default(),
                    label,
                });
            }
        }
    }
}
