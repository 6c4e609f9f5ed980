//! `hydrogen expose A..B`: an input on which the versions differ, or that there is none.

mod confirm;
mod files;
mod guess;
mod inputs;
mod prove;
mod report;
mod tests;

use super::Outcome;
use super::program;
use crate::cli::{ExposeFormat, ExposeOptions};
use crate::context::Context;
use anyhow::{Result, bail};
use confirm::{Confirmed, Confirmer};
use hydrogen_evidence::Input;
use hydrogen_expose::{Ended, Found, Options, Search, Shape};
use hydrogen_machine::Limits;
use report::{Conclusion, Finding, Report};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Enough for a run of a short input, and an end to loops that have none.
const STEPS: u64 = 5_000_000;
const OUTPUT: u64 = 1 << 20;
/// So many runs before the prover is asked: most differences are found by then.
const FIRST: usize = 48;
/// So many tests that are there already become starts of the search.
const SEEDS: usize = 16;

pub fn run(context: &Context, options: &ExposeOptions) -> Result<Outcome> {
    let interrupt = context.cancel_flag()?;
    let two = program::load_two(context, &options.program, &interrupt)?;
    let begun = Instant::now();
    let (old, new) = (two.old.program(), two.new.program());
    let world = program::world(context, &options.program)?;
    let mut limits = program::limits(&options.program, Arc::clone(&interrupt));
    limits.steps = options.program.steps.unwrap_or(STEPS);
    limits.output = options.program.output_limit.unwrap_or(OUTPUT);
    let mut shapes = inputs::shapes(&world, options, [old, new])?;
    let function = options.program.function.as_deref();
    if function.is_some() && options.tests.is_some() {
        bail!("--tests are inputs of the whole program, and --function calls one function");
    }
    let mut starts: Vec<(usize, Input, Option<String>)> = Vec::new();
    let suite = match &options.tests {
        Some(place) => tests::read(&context.path(place), &world)?,
        None => Vec::new(),
    };
    let own = shapes.len();
    for test in tests::most_telling(suite, [old, new], &limits, SEEDS) {
        starts.push((shapes.len(), test.input.clone(), Some(test.name)));
        let world = test.world.with_input(&test.input);
        shapes.push(Shape { symbolic: inputs::by_look(world).symbolic, world: test.world });
    }
    starts.extend((0..own).map(|shape| (shape, shapes[shape].symbolic.first(&shapes[shape].world), None)));
    let search_options = Options {
        limits: limits.clone(),
        runs: options.runs.unwrap_or(usize::MAX),
        until: Some(begun + options.budget),
        interrupt: Some(Arc::clone(&interrupt)),
        ..Options::default()
    };
    let wanted = if options.no_native { Err("--no-native".to_owned()) } else { Ok(()) };
    let mut work = Work {
        search: Search::new([old, new], &shapes, &search_options),
        shapes: &shapes,
        limits: &limits,
        confirmer: Confirmer::new(context, &two, wanted),
        wanted: options.findings.max(1),
        findings: Vec::new(),
        refused: Vec::new(),
    };
    let spinner = crate::progress::spinner(context.is_quiet());
    let mut ledger = Vec::new();
    let conclusion = if work.search.changes.is_empty() {
        Conclusion::Never("every statement, and what it compiles to, is the same".to_owned())
    } else if !work.search.can_reach(function.unwrap_or(&options.program.entry)) {
        let entry = function.unwrap_or(&options.program.entry);
        Conclusion::Never(format!(
            "no run that starts with `{entry}` comes to a statement that changed: nobody calls it"
        ))
    } else {
        spinner.set_message("running the first inputs");
        work.begin(&starts);
        let mut ended = work.go_on(FIRST);
        let mut conclusion = None;
        if work.findings.is_empty() && !interrupt.load(Ordering::Relaxed) {
            let left = (begun + options.budget).saturating_duration_since(Instant::now());
            let proof = prove::prove([old, new], function, Instant::now() + left / 2, |name| {
                spinner.set_message(format!("comparing {name}"));
            });
            if let Some(proof) = proof {
                let names = proof.functions.join(", ");
                conclusion = Some(Conclusion::Never(format!("proved: {names} behave as before")));
                ledger = proof.ledger;
            }
        }
        while conclusion.is_none() && matches!(ended, State::Open) {
            spinner.set_message(format!(
                "{} runs, {} questions open",
                work.search.statistics.runs,
                work.search.open()
            ));
            ended = work.go_on(FIRST);
        }
        match conclusion {
            Some(conclusion) => conclusion,
            None if !work.findings.is_empty() => Conclusion::Differs,
            None => none_found(&work, &ended, bounds(options), &mut ledger),
        }
    };
    spinner.finish_and_clear();
    let report = Report {
        names: [two.old.name.clone(), two.new.name.clone()],
        conclusion,
        ledger,
        statistics: work.search.statistics.clone(),
        log: options.explain.then(|| work.search.log.clone()),
        findings: work.findings,
        refused: work.refused,
    };
    if let Some(folder) = context.output_path() {
        let new = files::write(&folder, &report.findings)?;
        tracing::info!("{new} new tests in {}", folder.display());
    }
    let text = match options.format {
        ExposeFormat::Text => report.text(),
        ExposeFormat::Json => crate::output::json("expose/1", &report.json()),
        ExposeFormat::Md => report.markdown(),
    };
    crate::output::write(None, text.as_bytes())?;
    Ok(match &report.conclusion {
        _ if interrupt.load(Ordering::Relaxed) => Outcome::Interrupted,
        Conclusion::Differs => Outcome::Findings,
        Conclusion::Never(_) => Outcome::Done,
        Conclusion::NoneFound(_) => Outcome::Undecided,
    })
}

/// How far a search is.
enum State {
    /// There is more to ask.
    Open,
    /// Nothing is left to ask.
    Exhausted,
    /// A limit was reached, or enough was found.
    Over,
}

/// A search under way.
struct Work<'a> {
    search: Search<'a, 'a>,
    shapes: &'a [Shape],
    limits: &'a Limits,
    confirmer: Confirmer<'a>,
    /// How many differences are wanted.
    wanted: usize,
    findings: Vec<Finding>,
    refused: Vec<String>,
}

impl Work<'_> {
    /// Runs what is there already.
    fn begin(&mut self, starts: &[(usize, Input, Option<String>)]) {
        for (shape, input, test) in starts {
            if self.findings.len() >= self.wanted {
                return;
            }
            if let Some(found) = self.search.start(*shape, input.clone()) {
                let how = match test {
                    Some(name) => format!("the test {name}"),
                    None => "the first input".to_owned(),
                };
                self.take(*found, Some(how));
            }
        }
    }

    /// Searches on for some runs.
    fn go_on(&mut self, runs: usize) -> State {
        let end = self.search.statistics.runs + runs;
        while self.findings.len() < self.wanted {
            let left = end.saturating_sub(self.search.statistics.runs);
            if left == 0 {
                return State::Open;
            }
            match self.search.search(left) {
                Ended::Found(found) => self.take(*found, None),
                Ended::Exhausted => return State::Exhausted,
                Ended::Stopped if self.search.statistics.runs >= end => return State::Open,
                Ended::Stopped => return State::Over,
            }
        }
        State::Over
    }

    /// Keeps a difference if it is there again.
    fn take(&mut self, found: Found, how: Option<String>) {
        let shape = &self.shapes[found.shape];
        let differs: Vec<String> = found.differences.iter().map(|one| one.observable.to_string()).collect();
        match self.confirmer.confirm(&found, shape, self.limits) {
            Confirmed::No(why) => self.refused.push(why),
            Confirmed::Yes(natively) => {
                let way = self.search.way(&found);
                let how = how.or(found.answers.map(|class| format!("found by asking for {class}")));
                let tests = self.confirmer.tests_in_c(&found);
                let mut input = found.input;
                if let Some(call) = &found.runs[1].call {
                    // What was symbolic in the call is in the call.
                    input.call = Some(call.as_ref().clone());
                    input.named.clear();
                }
                let [old, new] = found.runs.map(|ran| ran.outcome);
                self.findings.push(Finding {
                    input,
                    tests,
                    world: shape.world.clone(),
                    outcomes: [old, new],
                    differs,
                    natively,
                    way,
                    how: how.unwrap_or_default(),
                });
            }
        }
    }
}

/// Which inputs count, where the user said so: then to have seen all of them is an answer.
fn bounds(options: &ExposeOptions) -> Option<String> {
    if options.program.function.is_some() {
        let (depth, elements) = (inputs::DEPTH, inputs::ELEMENTS);
        return Some(format!(
            "pointers lead to objects of at most {elements} elements, {depth} of them in a row"
        ));
    }
    let given = !options.inputs.is_empty() || !options.program.symbolic.is_empty();
    given.then(|| "inputs are as --inputs says, and everything else is as it was given".to_owned())
}

/// What is said when nothing was found: every input of the shapes that the user gave was seen, or what is missing.
fn none_found(
    work: &Work<'_>,
    ended: &State,
    bounds: Option<String>,
    ledger: &mut Vec<String>,
) -> Conclusion {
    let statistics = &work.search.statistics;
    let exhausted = matches!(ended, State::Exhausted);
    if let Some(bounds) = bounds.filter(|_| exhausted && statistics.is_complete() && work.refused.is_empty())
    {
        ledger.push(bounds);
        return Conclusion::Never("on every pair of paths the same comes out".to_owned());
    }
    let mut why = Vec::new();
    if exhausted && statistics.is_complete() {
        why.push(
            "every input of the shapes that were tried gives the same; --inputs says which ones matter"
                .to_owned(),
        );
    } else if !exhausted {
        why.push(format!("{} questions are open", work.search.open()));
    }
    let lists = [
        (&statistics.unknown, "not answered"),
        (&statistics.cut, "runs were cut"),
        (&statistics.concrete, "made concrete"),
    ];
    for (list, what) in lists {
        why.extend(list.iter().map(|(reason, count)| format!("{what}: {reason} ({count} times)")));
    }
    if statistics.reached.is_none() {
        why.push("no run executed a statement that changed".to_owned());
    }
    Conclusion::NoneFound(why)
}
