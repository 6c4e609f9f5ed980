//! One search in two versions, from the first input to the conclusion.

use super::calls::{self, Callable};
use super::confirm::Confirmer;
use super::golden::{Golden, Judging};
use super::left_out::{left_out, said};
use super::material::Material;
use super::reached::reached;
use super::report::{Report, started};
use super::sequences::sequences;
use super::timer::Timer;
use super::work::{Begin, State, Whence, Work};
use super::written::written;
use super::{inputs, material, prove, tests};
use crate::cli::{ExposeBaseline, ExposeOptions};
use crate::commands::program::{self, Side, Start, Two};
use crate::context::Context;
use anyhow::{Result, bail};
use bstr::{BString, ByteSlice};
use hydrogen_evidence::Input;
use hydrogen_evidence::exposed::Conclusion;
use hydrogen_expose::scripts::Line;
use hydrogen_expose::{Along, Options, Search, Shape};
use hydrogen_machine::{Limits, Program, World};
use hydrogen_pair::Outcome;
use hydrogen_report::exposed::{command, place};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Enough for a run of a short input, and an end to loops that have none.
const STEPS: u64 = 5_000_000;
const OUTPUT: u64 = 1 << 20;
/// So many runs before the prover is asked: most differences are found by then.
const FIRST: usize = 48;
/// So many tests that are there already become starts of the search.
const SEEDS: usize = 16;
/// An input that nobody gave may take so many times what none takes, and so many instructions in any case.
const LONGER: u64 = 4;
const SHORT: u64 = 1_000_000;
/// A run of a file of the repository is cut after so many instructions: most are short.
const FEW: u64 = 1_000_000;
/// The share of the time for making inputs of them before any is watched.
const VARIED: f64 = 0.2;
/// The share of the time for trying such files.
const MATERIAL: f64 = 0.15;
/// More branches are no distance, but a call that may go anywhere.
const FAR: u64 = 1 << 20;
/// The share of the time for the whole program, where its functions are called alone behind it.
const WHOLE: f64 = 0.6;

/// This part of the time, but not more than so much, is left for native runs of what is found last.
const RESERVED: u32 = 8;
const LONGEST_RESERVE: Duration = Duration::from_secs(3);
/// The share of the time behind a difference that is words of messages alone.
const PATIENCE: f64 = 0.25;

/// What is searched.
pub struct Subject<'a> {
    pub two: &'a Two,
    pub start: &'a Start,
    pub budget: Duration,
    /// Which functions are called alone, where there is no program, or it shows nothing.
    pub alone: Option<Callable>,
}

/// Searches in two versions.
pub fn examine(
    context: &Context,
    options: &ExposeOptions,
    subject: &Subject<'_>,
    interrupt: &Arc<AtomicBool>,
) -> Result<Report> {
    let Subject { two, start, budget, alone } = *subject;
    let begun = Instant::now();
    // What is found last has to be built and run natively, too.
    let close = begun + budget;
    let budget = budget - (budget / RESERVED).min(LONGEST_RESERVE);
    let (old, new) = (two.old.program(), two.new.program());
    let mut world = program::world(context, &options.program)?;
    if two.new.loaded.version().is_some()
        && let Some(name) = name_of(new, &world.entry)
    {
        world.args[0] = name;
    }
    let mut limits = program::limits(&options.program, Arc::clone(interrupt));
    limits.steps = options.program.steps.unwrap_or(STEPS);
    limits.output = options.program.output_limit.unwrap_or(OUTPUT);
    limits.go_on = options.faults.goes_on();
    let function = options.program.function.as_deref();
    let library = matches!(start, Start::Functions { .. });
    if library && is_about_a_program(options) {
        bail!("{}", without_program(start, &options.program.entry));
    }
    let mut shapes = match library {
        true => Vec::new(),
        false => inputs::shapes(&world, options, [old, new])?,
    };
    if function.is_some() && options.tests.is_some() {
        bail!("--tests are inputs of the whole program, and --function calls one function");
    }
    let own = shapes.len();
    let mut starts = from_tests(context, options, &world, [old, new], &limits, &mut shapes)?;
    // Where the user says nothing of inputs, functions are called alone when the program shows nothing.
    let guessed = function.is_none() && !is_about_a_program(options);
    let goes_on = guessed && (alone.is_some() || library);
    let lines = if guessed && !library { written_for(two, &world) } else { Vec::new() };
    if guessed && !library {
        let until = begun + budget.mul_f64(MATERIAL);
        starts.extend(from_files(two, &world, &lines, &limits, until, &mut shapes));
    }
    starts.extend((0..own).map(|shape| Begin {
        shape,
        input: shapes[shape].symbolic.first(&shapes[shape].world),
        how: None,
        from: Whence::User,
    }));
    let end = begun + budget;
    let whole = if goes_on && !library { begun + budget.mul_f64(WHOLE) } else { end };
    if guessed && !library {
        // Nobody gave a command line, so it may be another one.
        shapes.iter_mut().for_each(|shape| shape.free = true);
        if options.program.steps.is_none() {
            limits.steps = plain_steps(new, &world, &limits).saturating_mul(LONGER).clamp(SHORT, STEPS);
        }
    }
    let golden = match &options.golden {
        Some(name) => Some(Golden::load(context, &options.program, name, interrupt)?),
        None => None,
    };
    let judging = Rc::new(Judging::new(golden, [old, new], &limits));
    let judge = Rc::clone(&judging);
    // A run that is watched may take long: the end of the time ends it, too.
    let mut timer = Timer::until(begun + budget, interrupt);
    let search_options = Options {
        limits: Limits { interrupt: Some(timer.flag()), ..limits.clone() },
        judge: Some(Rc::new(move |world: &World, input: &Input, outcomes: [&Outcome; 2]| {
            judge.worth(judge.judge(world, input, outcomes))
        })),
        runs: options.runs.unwrap_or(usize::MAX),
        until: Some(whole),
        interrupt: Some(Arc::clone(interrupt)),
        along: match (options.sequences, options.baseline) {
            (false, _) => Along::Difference,
            (true, None) => Along::Sequences,
            (true, Some(ExposeBaseline::Individual)) => Along::Changes,
        },
        strategy: options.strategy.into(),
        ..Options::default()
    };
    let wanted = if options.no_native { Err("--no-native".to_owned()) } else { Ok(()) };
    let mut work = Work {
        search: Search::new([old, new], shapes, &search_options),
        limits: &limits,
        confirmer: Confirmer::new(context, two, wanted, close),
        wanted: if options.sequences { usize::MAX } else { options.findings.max(1) },
        findings: Vec::new(),
        found: Vec::new(),
        refused: Vec::new(),
        skipped: false,
        judging,
        patience: budget.mul_f64(PATIENCE),
        deadline: None,
    };
    for line in lines {
        work.search.learn(line.args);
    }
    if work.search.changes.is_wording() {
        work.judging.want_words();
    }
    let spinner = crate::progress::spinner(context.is_quiet());
    let (mut ledger, mut notes) = (Vec::new(), notes(start, &options.program.entry));
    let left_out = left_out(two);
    let conclusion = if work.search.changes.is_empty() {
        match left_out.as_slice() {
            [] => Conclusion::Never("every statement, and what it compiles to, is the same".to_owned()),
            files => Conclusion::NoneFound(vec![said(files)]),
        }
    } else if let Some(conclusion) = nobody_comes_there(&work, two, function, library, &options.program.entry)
    {
        conclusion
    } else {
        spinner.set_message("running the first inputs");
        work.begin(&starts, begun + budget.mul_f64(MATERIAL + VARIED));
        let mut ended = if library { State::Over } else { work.first(FIRST, begun + budget / 6, whole) };
        let mut conclusion = None;
        if work.findings.is_empty() && !interrupt.load(Ordering::Relaxed) {
            let left = whole.saturating_duration_since(Instant::now());
            let share = if library { left / 4 } else { left / 2 };
            let proof = prove::prove([old, new], function, Instant::now() + share, |name| {
                spinner.set_message(format!("comparing {name}"));
            });
            if let Some(proof) = proof {
                let names = proof.functions.join(", ");
                let verb = if proof.functions.len() == 1 { "behaves" } else { "behave" };
                conclusion = Some(Conclusion::Never(format!("proved: {names} {verb} as before")));
                ledger = proof.ledger;
                if !left_out.is_empty() {
                    ledger.push(said(&left_out));
                }
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
            let texts = two.new.loaded.version().map_or(Vec::new(), material::texts);
            let which = (library, alone.unwrap_or(Callable::All));
            let called = calls::search(&mut work, [old, new], &world, which, &texts, end, interrupt);
            if !library && !work.findings.is_empty() {
                notes.push(
                    "no input of the whole program was found; this is a function called alone, with what its callers may never pass"
                        .to_owned(),
                );
            }
            ended = called;
        }
        // What was found is not what was searched for: then there is the time that functions would have had.
        if !work.findings.is_empty() && !work.is_enough() {
            work.search.end_at(work.deadline.map_or(end, |deadline| deadline.min(end)));
            while matches!(work.go_on(FIRST), State::Open) {}
        }
        match conclusion {
            Some(conclusion) => conclusion,
            None if !work.findings.is_empty() => Conclusion::Differs,
            None => none_found(&work, &ended, bounds(options), &mut ledger),
        }
    };
    spinner.finish_and_clear();
    timer.stop();
    let reached = if options.explain { reached(&mut work) } else { Vec::new() };
    Ok(Report {
        names: [two.old.name.clone(), two.new.name.clone()],
        conclusion,
        ledger,
        notes,
        sequences: options.sequences.then(|| sequences(&work)),
        statistics: work.search.statistics.clone(),
        log: options.explain.then(|| work.search.log.clone()),
        reached,
        findings: work.findings,
        refused: work.refused,
    })
}

/// What a program calls itself in its messages: the file of its entry point, not the version.
fn name_of(program: &Program, entry: &str) -> Option<BString> {
    let (module, function) = program::called(program, entry, None).ok()?;
    let file = module.file(function.file()?);
    Some(std::path::Path::new(file).file_stem()?.to_string_lossy().as_bytes().into())
}

/// How many instructions a program takes without arguments: what inputs nobody gave may take is measured by it.
fn plain_steps(program: &Program, world: &World, limits: &Limits) -> u64 {
    program.run(world.clone(), limits.clone()).statistics.steps
}

/// The tests that the user names.
fn from_tests(
    context: &Context,
    options: &ExposeOptions,
    world: &World,
    programs: [&Program; 2],
    limits: &Limits,
    shapes: &mut Vec<Shape>,
) -> Result<Vec<Begin>> {
    let suite = match &options.tests {
        Some(place) => tests::read(&context.path(place), world)?,
        None => Vec::new(),
    };
    let mut starts = Vec::new();
    for test in tests::most_telling(suite, programs, limits, SEEDS) {
        let how = Some(format!("the test {}", test.name));
        starts.push(Begin { shape: shapes.len(), input: test.input.clone(), how, from: Whence::User });
        let world = test.world.with_input(&test.input);
        shapes.push(Shape { world: test.world, ..Shape::by_look(world) });
    }
    Ok(starts)
}

/// The command lines that the repository's scripts have for the program.
fn written_for(two: &Two, world: &World) -> Vec<Line> {
    let name = world.args.first().map(|name| name.to_str_lossy().into_owned()).unwrap_or_default();
    two.new.loaded.version().map_or(Vec::new(), |version| written(version, &name))
}

/// What files of the repository give.
fn from_files(
    two: &Two,
    world: &World,
    lines: &[Line],
    limits: &Limits,
    until: Instant,
    shapes: &mut Vec<Shape>,
) -> Vec<Begin> {
    let Some(version) = two.new.loaded.version() else { return Vec::new() };
    let short = Limits { steps: limits.steps.min(FEW), ..limits.clone() };
    let programs = [two.old.program(), two.new.program()];
    let pieces = material::pieces(version);
    let material = Material { pieces: &pieces, lines };
    let tests = material::starts(world, programs, &material, &short, until, SEEDS);
    let mut starts: Vec<Begin> = Vec::new();
    for (test, telling) in tests {
        let how = Some(match test.name.as_str() {
            material::NOTHING => "with options of the program".to_owned(),
            material::WRITTEN => "made of a test script in the repository".to_owned(),
            name => format!("made of {name} in the repository"),
        });
        let shape = Shape::by_look(test.world.with_input(&test.input));
        let input = shape.symbolic.first(&shape.world);
        starts.push(Begin { shape: shapes.len(), input, how, from: Whence::Repository(telling) });
        shapes.push(shape);
    }
    starts
}

/// Whether the options speak of inputs of a whole program.
pub fn is_about_a_program(options: &ExposeOptions) -> bool {
    let program = &options.program;
    let given = !options.inputs.is_empty() || !program.symbolic.is_empty() || options.tests.is_some();
    given || !program.args.is_empty() || program.stdin.is_some() || !program.map.is_empty()
}

fn without_program(start: &Start, entry: &str) -> String {
    match start {
        Start::Functions { tests, .. } if !tests.is_empty() => {
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

/// What is concluded where no run can come to a change.
fn nobody_comes_there(
    work: &Work<'_>,
    two: &Two,
    function: Option<&str>,
    library: bool,
    entry: &str,
) -> Option<Conclusion> {
    if library {
        if !work.search.entries().is_empty() {
            return None;
        }
        // A program on one side alone is compared with nothing.
        let starts = |side: &Side| {
            let program = side.program();
            program.named(entry, None).is_some_and(|id| program.is_users(id) && program.code(id).is_some())
        };
        let alone = match [starts(&two.old), starts(&two.new)] {
            [true, false] => &two.old.name,
            [false, true] => &two.new.name,
            _ => {
                let why = "no function that both versions have comes to a statement that changed";
                return Some(Conclusion::Never(why.to_owned()));
            }
        };
        let why =
            format!("only {alone} has `{entry}`, and no function that both versions have comes to a change");
        return Some(Conclusion::NoneFound(vec![why]));
    }
    let entry = function.unwrap_or(entry);
    (!work.search.can_reach(entry)).then(|| {
        Conclusion::Never(format!(
            "no run that starts with `{entry}` comes to a statement that changed: nobody calls it"
        ))
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
    if exhausted && statistics.is_complete() && work.refused.is_empty() {
        why.push(
            "every input of the shapes that were tried gives the same; --inputs says which ones matter"
                .to_owned(),
        );
    } else if !exhausted {
        why.push(format!("{} questions are open", work.search.open()));
    } else if !work.refused.is_empty() {
        why.push("some inputs give something else, which is not shown to come of the change".to_owned());
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
        // What a person who writes a test must do.
        for (point, near) in work.search.nearest().filter(|(_, near)| near.input.call.is_none()) {
            let command =
                command(&started(&work.search.shape(near.shape).world, &near.input, None)).join("; ");
            let further = match near.away {
                0 => String::new(),
                away if away < FAR => format!(", {away} branches further"),
                _ => ", over calls through pointers".to_owned(),
            };
            why.push(format!(
                "nearest: the other side of {}  {} leads to a change{further}; a run comes to it with {command}",
                place(&point),
                point.text
            ));
        }
    }
    Conclusion::NoneFound(why)
}
