//! A search under way: what it found is run again before it counts.

use super::confirm::{Confirmed, Confirmer};
use super::golden::Judging;
use super::material::Telling;
use super::report::Finding;
use hydrogen_evidence::Input;
use hydrogen_expose::{Ended, Found, Search, Walk};
use hydrogen_machine::Limits;
use std::rc::Rc;
use std::time::{Duration, Instant};

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
    /// Who says what a difference is worth.
    pub judging: Rc<Judging>,
    /// How long it is searched on behind a difference that is words of messages alone.
    pub patience: Duration,
    /// Until when, once there is one.
    pub deadline: Option<Instant>,
}

impl Work<'_> {
    /// Whether as many differences were found as are wanted. Words alone, and what the new version does right where that is known, are none of them.
    pub fn is_enough(&self) -> bool {
        self.findings.iter().filter(|finding| finding.wanted).count() >= self.wanted
    }

    /// Whether a run that differs is wrong in the new version, as far as that is known.
    pub fn is_error(&self, walk: &Walk) -> bool {
        if !self.judging.has_golden() {
            return true;
        }
        let world = &self.search.shape(walk.shape).world;
        let [old, new] = self.confirmer.outcomes(world, &walk.input, self.limits);
        self.judging.worth(self.judging.judge(world, &walk.input, [&old, &new])).wanted
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
        // Where nobody gave a command line, some are made before the first question.
        let free = |one: &&Begin| one.from == Whence::User && self.search.shape(one.shape).free;
        let own: Vec<(usize, Input)> =
            starts.iter().filter(free).map(|one| (one.shape, one.input.clone())).collect();
        for (shape, input) in &own {
            self.search.seed(*shape, input);
        }
        if !own.is_empty() && material.is_empty() && !self.is_enough() && !self.search.is_over() {
            self.vary();
        }
        while !material.is_empty() && Instant::now() < until && !self.is_enough() && !self.search.is_over() {
            self.vary();
        }
        let watched = of(Telling::Reaches).take(WATCHED).chain(of(Telling::Covers).take(WATCHED));
        for one in watched.chain(starts.iter().filter(|one| one.from == Whence::User)) {
            self.start(one);
        }
    }

    /// Inputs made of others, for a turn.
    fn vary(&mut self) {
        if let Some(found) = self.search.vary(TURN) {
            self.take(*found, None);
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
            let outcomes = [&found.runs[0].outcome, &found.runs[1].outcome];
            let (shape, small) = self.search.small(*shape, input.clone(), outcomes);
            found = self.search.start(shape, small).unwrap_or(found);
        }
        self.take(*found, Some(how.clone().unwrap_or_else(|| "the first input".to_owned())));
    }

    /// Searches for some runs, but not longer than until a time: then others are asked before the search goes on.
    pub fn first(&mut self, runs: usize, until: Instant, end: Instant) -> State {
        let end = self.deadline.map_or(end, |deadline| deadline.min(end));
        self.search.end_at(until.min(end));
        let state = self.go_on(runs);
        self.search.end_at(self.deadline.map_or(end, |deadline| deadline.min(end)));
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
            Confirmed::Yes(natively, platform) => {
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
                let judged = self.judging.judge(&shape.world, &input, [&old, &new]);
                let wanted = self.judging.worth(judged).wanted;
                if !wanted && !self.judging.has_golden() && self.deadline.is_none() {
                    let deadline = Instant::now() + self.patience;
                    self.deadline = Some(deadline);
                    self.search.end_by(deadline);
                }
                self.findings.push(Finding {
                    input,
                    call,
                    tests,
                    world: shape.world.clone(),
                    outcomes: [old, new],
                    differs,
                    natively,
                    platform,
                    way,
                    how: how.unwrap_or_default(),
                    label: judged.label,
                    words: judged.words,
                    wanted,
                });
            }
        }
    }
}
