//! `hydrogen expose A..B`: an input on which the versions differ, or that there is none.

mod calls;
mod confirm;
mod files;
mod golden;
mod guess;
mod inputs;
mod page;
mod prove;
mod report;
mod sequences;
pub mod tests;
mod work;

use super::Outcome;
use super::program::{self, Start};
use crate::cli::{ExposeBaseline, ExposeFormat, ExposeOptions};
use crate::context::Context;
use anyhow::{Result, bail};
use confirm::Confirmer;
use golden::Golden;
use hydrogen_evidence::Input;
use hydrogen_expose::{Along, Options, Search, Shape};
pub use inputs::by_look;
use report::{Conclusion, Report};
use sequences::Sequences;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;
use work::{State, Work};

/// Enough for a run of a short input, and an end to loops that have none.
const STEPS: u64 = 5_000_000;
const OUTPUT: u64 = 1 << 20;
/// So many runs before the prover is asked: most differences are found by then.
const FIRST: usize = 48;
/// So many tests that are there already become starts of the search.
const SEEDS: usize = 16;
/// The share of the time for the whole program, where its functions are called alone behind it.
const WHOLE: f64 = 0.6;

pub fn run(context: &Context, options: &ExposeOptions) -> Result<Outcome> {
    let interrupt = context.cancel_flag()?;
    let (two, start) = program::load_and_choose(context, &options.program, &interrupt)?;
    let begun = Instant::now();
    let (old, new) = (two.old.program(), two.new.program());
    let world = program::world(context, &options.program)?;
    let mut limits = program::limits(&options.program, Arc::clone(&interrupt));
    limits.steps = options.program.steps.unwrap_or(STEPS);
    limits.output = options.program.output_limit.unwrap_or(OUTPUT);
    let function = options.program.function.as_deref();
    let library = matches!(start, Start::Functions { .. });
    if library && is_about_a_program(options) {
        bail!("{}", without_program(&start, &options.program.entry));
    }
    let mut shapes = match library {
        true => Vec::new(),
        false => inputs::shapes(&world, options, [old, new])?,
    };
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
        shapes.push(Shape { world: test.world, ..inputs::by_look(world) });
    }
    starts.extend((0..own).map(|shape| (shape, shapes[shape].symbolic.first(&shapes[shape].world), None)));
    let end = begun + options.budget;
    // Where the user says nothing of inputs, functions are called alone when the program shows nothing.
    let goes_on = function.is_none() && !is_about_a_program(options);
    let whole = if goes_on && !library { begun + options.budget.mul_f64(WHOLE) } else { end };
    let search_options = Options {
        limits: limits.clone(),
        runs: options.runs.unwrap_or(usize::MAX),
        until: Some(whole),
        interrupt: Some(Arc::clone(&interrupt)),
        along: match (options.sequences, options.baseline) {
            (false, _) => Along::Difference,
            (true, None) => Along::Sequences,
            (true, Some(ExposeBaseline::Individual)) => Along::Changes,
        },
        ..Options::default()
    };
    let golden = match &options.golden {
        Some(name) => Some(Golden::load(context, &options.program, name, &interrupt)?),
        None => None,
    };
    let wanted = if options.no_native { Err("--no-native".to_owned()) } else { Ok(()) };
    let mut work = Work {
        search: Search::new([old, new], shapes, &search_options),
        limits: &limits,
        confirmer: Confirmer::new(context, &two, wanted),
        wanted: if options.sequences { usize::MAX } else { options.findings.max(1) },
        findings: Vec::new(),
        refused: Vec::new(),
        skipped: false,
        golden,
    };
    let spinner = crate::progress::spinner(context.is_quiet());
    let (mut ledger, mut notes) = (Vec::new(), notes(&start, &options.program.entry));
    let conclusion = if work.search.changes.is_empty() {
        Conclusion::Never("every statement, and what it compiles to, is the same".to_owned())
    } else if let Some(why) = nobody_comes_there(&work, function, library, &options.program.entry) {
        Conclusion::Never(why)
    } else {
        spinner.set_message("running the first inputs");
        work.begin(&starts);
        let mut ended =
            if library { State::Over } else { work.first(FIRST, begun + options.budget / 6, whole) };
        let mut conclusion = None;
        if work.findings.is_empty() && !interrupt.load(Ordering::Relaxed) {
            let left = whole.saturating_duration_since(Instant::now());
            let share = if library { left / 4 } else { left / 2 };
            let proof = prove::prove([old, new], function, Instant::now() + share, |name| {
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
        if conclusion.is_none() && goes_on && work.findings.is_empty() && !interrupt.load(Ordering::Relaxed) {
            spinner.set_message("calling functions alone");
            let called = calls::search(&mut work, [old, new], &world, library, end, &interrupt);
            if !library && !work.findings.is_empty() {
                notes.push(
                    "no input of the whole program was found; this is a function called alone, with what its callers may never pass"
                        .to_owned(),
                );
            }
            ended = called;
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
        notes,
        sequences: options.sequences.then(|| Sequences::of(&work)),
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
        ExposeFormat::Html => page::html(context, &options.program.programs, &report)?,
    };
    crate::output::write(None, text.as_bytes())?;
    Ok(match &report.conclusion {
        _ if interrupt.load(Ordering::Relaxed) => Outcome::Interrupted,
        Conclusion::Differs => Outcome::Findings,
        Conclusion::Never(_) => Outcome::Done,
        Conclusion::NoneFound(_) => Outcome::Undecided,
    })
}

/// Whether the options speak of inputs of a whole program.
fn is_about_a_program(options: &ExposeOptions) -> bool {
    let program = &options.program;
    let given = !options.inputs.is_empty() || !program.symbolic.is_empty() || options.tests.is_some();
    given || !program.args.is_empty() || program.stdin.is_some() || !program.map.is_empty()
}

fn without_program(start: &Start, entry: &str) -> String {
    match start {
        Start::Functions { tests } if !tests.is_empty() => {
            format!("only tests define `{entry}` ({}); --unit FILE runs one of them", tests.join(", "))
        }
        _ => format!("no unit defines `{entry}` in both versions, so there is no program that takes inputs"),
    }
}

/// What the reader must know about where runs begin.
fn notes(start: &Start, entry: &str) -> Vec<String> {
    match start {
        Start::Program { others, unit } if !others.is_empty() => vec![format!(
            "the program of {}; there are others ({}): --unit FILE chooses one",
            unit.as_deref().unwrap_or(entry),
            others.join(", ")
        )],
        Start::Program { .. } => Vec::new(),
        Start::Functions { .. } => {
            vec![format!("{}: functions are called alone", without_program(start, entry))]
        }
    }
}

/// Why no run can come to a change.
fn nobody_comes_there(work: &Work<'_>, function: Option<&str>, library: bool, entry: &str) -> Option<String> {
    if library {
        return work
            .search
            .entries()
            .is_empty()
            .then(|| "no function that both versions have comes to a statement that changed".to_owned());
    }
    let entry = function.unwrap_or(entry);
    (!work.search.can_reach(entry)).then(|| {
        format!("no run that starts with `{entry}` comes to a statement that changed: nobody calls it")
    })
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
    if work.skipped {
        why.push("the time was over before all first inputs were run: --budget gives more".to_owned());
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
