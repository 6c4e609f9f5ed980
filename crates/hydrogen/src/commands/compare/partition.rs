//! `hydrogen compare A..B --inputs SPEC`: whole programs, by partitions of their inputs.

use super::partition_kept::Kept;
use crate::cli::{BaselineName, CompareFormat, CompareOptions, Observed, PartitionOptions, ProgramOptions};
use crate::commands::Outcome;
use crate::commands::program::{self, Loaded, Side, Two};
use crate::context::Context;
use anyhow::{Context as _, Result, bail};
use hydrogen_evidence::partitioned::{Confirmed, Part, Partitioned, Status};
use hydrogen_evidence::{Call, Input, Note};
use hydrogen_explore::{FunctionEntry, Symbolic};
use hydrogen_expose::{Shape, try_inputs};
use hydrogen_ir::{FunctionId, Module};
use hydrogen_machine::{After, Off, Program, World};
use hydrogen_pair::{Agreement, Built, Observable, Pair, Setting, TestInC, run_lightly, unsteady};
use hydrogen_partition::{
    Baseline, Cell, Found, Options, Partitioner, Rename, Subject, Undefined, judge, measure,
};
use hydrogen_relate::{Certificate, Inputs, Rejected, Subject as Judged, check, depends_on_numbers_alone};
use hydrogen_report::compared as report;
use hydrogen_stop::Stop;
use hydrogen_term::{Pool, standard};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Enough for a run of a short input, and an end to loops that have none.
const STEPS: u64 = 5_000_000;
const OUTPUT: u64 = 1 << 20;
/// What a comparison may take where the user says nothing.
const BUDGET: Duration = Duration::from_secs(60);
/// The share of the time for trying inputs before anything is asked, and the most of it.
const TRIED: f64 = 0.25;
const MOST_TRIED: Duration = Duration::from_secs(20);
/// Differences that are run natively.
const REPLAYED: usize = 20;
/// What the checker may take.
const CHECKED: Duration = Duration::from_secs(10);
/// Why a difference was not run natively.
const LATE: &str = "the budget was used up before native runs were done";
/// How much of the budget is for finding partitions: the rest is for showing them, and for running differences natively.
const SEARCHED: f64 = 0.85;
/// Random inputs of a baseline.
const RANDOM: u64 = 10_000;

pub fn run(context: &Context, options: &CompareOptions) -> Result<Outcome> {
    let own = &options.partition;
    let interrupt = context.cancel_flag();
    let program_options = program_options(options)?;
    let two = program::load_two(context, &program_options, &interrupt)?;
    let others = more(context, &program_options, &own.versions, &interrupt)?;
    let golden = more(context, &program_options, own.golden.as_slice(), &interrupt)?.pop();
    let world = program::world(context, &program_options)?;
    let symbolic = match &program_options.function {
        Some(function) => calls_of(function, &two)?,
        None => program::symbolic(&own.inputs, &world)?,
    };
    let mut limits = program::limits(&program_options, Arc::clone(&interrupt));
    (limits.steps, limits.output) = (STEPS, OUTPUT);
    limits.go_on = own.faults.goes_on();
    let mut programs = vec![two.old.program()];
    programs.extend(others.iter().map(|one| &one.linked.program));
    programs.push(two.new.program());
    let mut subject = Subject::new(programs, &world, &symbolic, &limits);
    subject.observables = observables(&options.observe);
    subject.undefined = undefined(options);
    subject.renames = renames(&own.rename, subject.programs.len() - 1)?;
    let given = given(context, own, &symbolic, &world)?;
    let shaken = if symbolic.call.is_some() { Vec::new() } else { shaken(&subject, &given[0]) };
    // What reading the versions took counts, and a part is for what is done with the partitions.
    let budget = options.budget.unwrap_or(BUDGET);
    let whole = Stop::never().by(Instant::now().checked_add(budget.saturating_sub(context.elapsed())));
    let how = Options {
        runs: own.runs.unwrap_or(usize::MAX),
        time: budget.saturating_sub(context.elapsed()).mul_f64(SEARCHED),
        stop_on_difference: options.stop_on_difference,
        by_reach: own.by_reach,
        hints: true,
        interrupt: Some(Arc::clone(&interrupt)),
        ..Options::default()
    };
    if let Some(name) = own.baseline {
        return baseline(context, options, &subject, &how, given, name);
    }
    let keys: Vec<[u8; 32]> =
        [&two.old.loaded, &two.new.loaded].into_iter().chain(&others).map(|one| one.linked.key).collect();
    let key = super::partition_kept::key(&keys, options, &subject, &given);
    let suite = match &own.tests {
        Some(place) => Some(super::partition_tests::read(&context.path(place), &world, &symbolic)?),
        None => None,
    };
    let mut kept = Kept::open(context, key, own.fresh);
    let begun = Instant::now();
    let given = tried(&subject, &how, given);
    let (mut found, conditions) = explore(context, &subject, (&how, &whole), given, &mut kept);
    let time = begun.elapsed();
    let suite = suite.map(|suite| suite.in_cells(&found));
    let share = Some(found.share());
    let confirmed =
        hydrogen_stop::within(&whole, || confirm(context, (own, &program_options), &two, &subject, &found));
    // What could not be run natively in time was not: the machine's answer stands.
    let late = || {
        found.differences().take(REPLAYED).map(|(at, _)| (at, Confirmed::Impossible(LATE.into()))).collect()
    };
    let confirmed = confirmed.unwrap_or_else(|_| late());
    let mut parts: Vec<Part> =
        found.cells.iter().zip(conditions).map(|(cell, text)| part(cell, text)).collect();
    for part in &mut parts {
        part.input = as_test(&symbolic, two.new.program(), &part.input);
    }
    for (at, confirmed) in confirmed {
        parts[at].confirmed = Some(confirmed);
    }
    if let Some(golden) = &golden {
        for (at, cell) in found.differences() {
            parts[at].judged = Some(judge(&subject, &golden.linked.program, cell));
        }
    }
    if let Some(function) = &program_options.function
        && others.is_empty()
        && let Some(why) = refused(function, &two, &parts)
    {
        found.status = Status::Open(why);
    }
    let told = Partitioned {
        names: names(&two, own),
        parts,
        status: found.status,
        share,
        excluded: found.excluded.len(),
        unresolved: found.unresolved,
        alarms: found.alarms.into_iter().map(|alarm| (alarm.input, alarm.wrong.to_string())).collect(),
        missing: found.missing.into_iter().map(|(text, count)| Note { text, count }).collect(),
        shaken,
        asked: found.asked,
        runs: found.runs,
        time,
        explain: own.explain,
        suite,
    };
    if let Some(path) = &own.picture {
        crate::output::write(Some(&context.path(path)), report::picture(&told).as_bytes())?;
    }
    context.output(&match options.format {
        CompareFormat::Text | CompareFormat::Md => report::parts_text(&told),
        CompareFormat::Html => report::picture(&told),
        CompareFormat::Json => report::parts_json(&told),
    })?;
    Ok(match () {
        () if !told.alarms.is_empty() => Outcome::Bug,
        () if told.has_difference() => Outcome::Findings,
        () if told.is_equal() => Outcome::Done,
        () if interrupt.load(Ordering::Relaxed) => Outcome::Interrupted,
        () => Outcome::Undecided,
    })
}

/// Why the checker does not follow a proof by runs, if it can read the function: where its arguments alone decide, nothing is said to be
/// equal that it does not see.
fn refused(function: &str, two: &Two, parts: &[Part]) -> Option<String> {
    fn subject<'p>(side: &'p Side, function: &str) -> Option<Judged<'p>> {
        place(side.program(), function).map(|(module, function)| Judged { module, function })
    }
    let (old, new) = (subject(&two.old, function)?, subject(&two.new, function)?);
    let is_alone = [old, new].iter().all(|one| depends_on_numbers_alone(one.module, one.function));
    if !is_alone || !parts.iter().all(|part| part.is_equal) {
        return None;
    }
    let inputs = parts.iter().filter_map(|part| Some(super::bounded::numbers(part.input.call.as_ref()?)));
    let certificate = Certificate::Inputs(Inputs::new(old, new, inputs.collect())?);
    match check(&certificate, old, new, standard(), CHECKED) {
        Err(Rejected::DoesNotFollow(why)) => Some(format!("the checker does not follow the runs: {why}")),
        _ => None,
    }
}

/// A cell as evidence.
fn part(cell: &Cell, condition: String) -> Part {
    let executed = cell.executed.iter().map(|one| (one.version, one.file.clone(), one.line));
    let place = |one: &hydrogen_partition::Change| format!("{}:{}", one.file, one.line);
    Part {
        letter: cell.label.letter(),
        is_equal: cell.is_equal(),
        condition,
        input: cell.input.clone(),
        outcomes: cell.sides.iter().map(|side| side.outcome.clone()).collect(),
        executed: executed.collect(),
        why: cell.why.0.to_string(),
        beside: cell.why.1,
        narrowed: cell.narrowed,
        converged: cell.converged.iter().map(|(old, new)| (place(old), place(new))).collect(),
        confirmed: None,
        judged: None,
    }
}

fn program_options(options: &CompareOptions) -> Result<ProgramOptions> {
    let own = &options.partition;
    let function = match (own.inputs.as_slice(), options.functions.as_slice()) {
        ([word], [function]) if word == "call" => Some(function.clone()),
        ([word], _) if word == "call" => {
            bail!("--inputs call compares the calls of one function: name it with --function")
        }
        (_, []) => None,
        _ => bail!("--function goes with --inputs call: a function's input is its call"),
    };
    Ok(ProgramOptions {
        function,
        cflags: own.cflags.clone(),
        args: own.args.clone(),
        ..ProgramOptions::plain(options.what.clone())
    })
}

/// All calls of a function within the usual bounds of what a pointer leads to.
fn calls_of(function: &str, two: &Two) -> Result<Symbolic> {
    let entry = FunctionEntry { function: function.to_owned(), unit: None, depth: 3, elements: 4 };
    for side in [&two.old, &two.new] {
        if let Some(why) = entry.refusal(side.program()) {
            bail!("{}: {why}", side.name);
        }
    }
    let [old, new] = [&two.old, &two.new].map(|side| place(side.program(), function));
    if let (Some(old), Some(new)) = (old, new)
        && let Some(what) = hydrogen_align::laid_out_otherwise(old, new)
    {
        bail!("`{what}` lies in memory in another way, so that no call is the same for both versions");
    }
    Ok(Symbolic { call: Some(entry), ..Symbolic::default() })
}

/// A function in its module.
fn place<'p>(program: &'p Program, name: &str) -> Option<(&'p Module, FunctionId)> {
    let (module, function) = program.model(program.named(name, None)?)?;
    let at = module.functions.iter().position(|one| std::ptr::eq(one, function))?;
    Some((module, FunctionId::at(at)))
}

/// What becomes of inputs on which behaviour is undefined.
pub fn undefined(options: &CompareOptions) -> Undefined {
    match options.assume_defined {
        _ if !options.observe.contains(&Observed::Faults) => Undefined::Excluded,
        true => Undefined::ExcludedInOldest,
        false => Undefined::Counts,
    }
}

/// An input as it is shown: what is symbolic in a call is in the call itself.
pub fn as_test(symbolic: &Symbolic, program: &Program, input: &Input) -> Input {
    match symbolic.call.as_ref().and_then(|entry| entry.call(program, input)) {
        Some(call) => Input { call: Some(call), named: Default::default(), ..input.clone() },
        None => input.clone(),
    }
}

/// What the user wants to see compared.
pub fn observables(observe: &[Observed]) -> Vec<Observable> {
    let mut all = Vec::new();
    for one in observe {
        all.extend(match one {
            Observed::Return | Observed::Memory => vec![Observable::Named, Observable::Memory],
            Observed::Stdout => vec![Observable::Stdout],
            Observed::Stderr => vec![Observable::Stderr],
            Observed::Status | Observed::Faults => vec![Observable::Ending],
            Observed::Files => vec![Observable::Files],
        });
    }
    all.sort();
    all.dedup();
    all
}

/// Versions beside the two.
fn more(
    context: &Context,
    options: &ProgramOptions,
    names: &[String],
    interrupt: &Arc<std::sync::atomic::AtomicBool>,
) -> Result<Vec<Loaded>> {
    let load = |name: &String| {
        let options = ProgramOptions { programs: vec![name.clone()], ..options.clone() };
        program::load(context, &options, interrupt).with_context(|| format!("cannot load {name}"))
    };
    names.iter().map(load).collect()
}

fn names(two: &Two, own: &PartitionOptions) -> Vec<String> {
    let mut names = vec![two.old.name.clone()];
    names.extend(own.versions.iter().cloned());
    names.push(two.new.name.clone());
    names
}

fn renames(list: &[String], version: usize) -> Result<Vec<Rename>> {
    let rename = |text: &String| {
        let (own, common) = text
            .split_once('=')
            .with_context(|| format!("`--rename {text}`: write NEW=OLD, as arg:2=arg:1"))?;
        Ok(Rename { version, common: common.to_owned(), own: own.to_owned() })
    };
    list.iter().map(rename).collect()
}

/// The inputs to begin with: what the user has, and what the world has.
fn given(
    context: &Context,
    own: &PartitionOptions,
    symbolic: &Symbolic,
    world: &World,
) -> Result<Vec<Input>> {
    let mut given = Vec::new();
    for path in &own.given {
        let path = context.path(path);
        let text =
            std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let input: Input =
            serde_json::from_str(&text).with_context(|| format!("{} is no test", path.display()))?;
        given.push(input);
    }
    given.push(symbolic.first(world));
    Ok(given)
}

/// The inputs, with one that tells the versions apart before them, if trying finds one soon: one input is enough to differ.
fn tried(subject: &Subject<'_>, how: &Options, mut given: Vec<Input>) -> Vec<Input> {
    if subject.renames.is_empty()
        && let [old, .., new] = subject.programs.as_slice()
    {
        let shape = Shape {
            world: subject.world.clone(),
            symbolic: subject.symbolic.clone(),
            open: false,
            free: false,
        };
        let end = Instant::now() + how.time.mul_f64(TRIED).min(MOST_TRIED);
        let is_over = || {
            Instant::now() >= end || how.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
        };
        let found = try_inputs([old, new], &shape, &given, subject.limits, &subject.observables, is_over);
        given.splice(0..0, found);
    }
    given
}

/// What of the outcomes the input does not determine (P-6): nothing can be claimed then.
pub fn shaken(subject: &Subject<'_>, input: &Input) -> Vec<String> {
    let mut found = Vec::new();
    for program in &subject.programs {
        for (by, what) in unsteady(program, subject.world, input, subject.limits, &subject.observables) {
            let line = format!("{} changes with {by}, although the input does not", what.observable);
            if !found.contains(&line) {
                found.push(line);
            }
        }
    }
    found
}

/// Explores to the end or to a limit, keeping what was answered; the conditions come as text.
fn explore(
    context: &Context,
    subject: &Subject<'_>,
    (how, whole): (&Options, &Stop),
    given: Vec<Input>,
    kept: &mut Kept,
) -> (Found, Vec<String>) {
    /// Conditions of one cell that are shortened.
    const SHORTENED: usize = 24;
    let bar = crate::progress::spinner(context.quiet());
    let mut partitioner = Partitioner::new(subject, how, given, kept.answers());
    while partitioner.step() {
        kept.append(partitioner.answers().take_new());
        let (cells, open) = (partitioner.found().cells.len(), partitioner.open());
        bar.set_message(format!("{cells} partitions, {open} questions open"));
    }
    kept.append(partitioner.answers().take_new());
    bar.finish_and_clear();
    let worth = |(at, cell): (usize, &Cell)| (at < 40 || !cell.is_equal()).then_some(at);
    let cells: Vec<usize> = partitioner.found().cells.iter().enumerate().filter_map(worth).take(60).collect();
    // Conditions of long runs are large: shortening and writing them ends with the budget.
    let mut short = Vec::new();
    for at in cells {
        let Ok(terms) = hydrogen_stop::within(whole, || partitioner.shortened(at, SHORTENED)) else { break };
        short.push((at, terms));
    }
    let mut found = partitioner.finish();
    let mut texts: Vec<Option<String>> = vec![None; found.cells.len()];
    for (at, terms) in short {
        texts[at] = hydrogen_stop::within(whole, || hydrogen_partition::shown(&mut found.pool, &terms)).ok();
    }
    for (text, cell) in texts.iter_mut().zip(&found.cells).filter(|(text, _)| text.is_none()) {
        let pool = &mut found.pool;
        *text = hydrogen_stop::within(whole, || hydrogen_partition::shown(pool, &cell.condition)).ok();
    }
    let late = || "not written: the budget is used up".to_owned();
    (found, texts.into_iter().map(|text| text.unwrap_or_else(late)).collect())
}

/// Runs differences natively, in the oldest and in the newest version.
fn confirm(
    context: &Context,
    (own, options): (&PartitionOptions, &ProgramOptions),
    two: &Two,
    subject: &Subject<'_>,
    found: &Found,
) -> Vec<(usize, Confirmed)> {
    let cells: Vec<(usize, &Cell)> = found.differences().take(REPLAYED).collect();
    if cells.is_empty() || own.no_native {
        return cells.into_iter().map(|(at, _)| (at, Confirmed::NotAsked)).collect();
    }
    let all = match subject.symbolic.call {
        Some(_) => confirm_calls(context, options, two, subject, &cells),
        None => confirm_programs(context, two, subject, &cells),
    };
    match all {
        Ok(all) => cells.iter().map(|(at, _)| *at).zip(all).collect(),
        Err(error) => {
            let why = format!("{error:#}");
            cells.into_iter().map(|(at, _)| (at, Confirmed::Impossible(why.clone()))).collect()
        }
    }
}

pub fn confirm_programs(
    context: &Context,
    two: &Two,
    subject: &Subject<'_>,
    cells: &[(usize, &Cell)],
) -> Result<Vec<Confirmed>> {
    let natives = [two.old.native(context)?, two.new.native(context)?];
    let built = natives.each_ref().map(Built::Program);
    cells.iter().map(|(_, cell)| confirm_one(&built, subject, cell)).collect()
}

fn confirm_calls(
    context: &Context,
    options: &ProgramOptions,
    two: &Two,
    subject: &Subject<'_>,
    cells: &[(usize, &Cell)],
) -> Result<Vec<Confirmed>> {
    let names = program::names(&options.programs)?;
    let alone = |name: &str| {
        let path = name.split_once('=').map_or(name, |(_, path)| path).to_owned();
        ProgramOptions { programs: vec![path], ..options.clone() }
    };
    let (old, new) = (alone(&names.0), alone(&names.1));
    let run = |options: &ProgramOptions, loaded: &Loaded, call: &Call, after: Option<&After>| {
        let done = program::native_call(context, options, loaded, call, after);
        done.map_err(|error| hydrogen_program::Error::NotNative(format!("{error:#}")))
    };
    let old: Box<TestInC<'_>> = Box::new(|call, after| run(&old, &two.old.loaded, call, after));
    let new: Box<TestInC<'_>> = Box::new(|call, after| run(&new, &two.new.loaded, call, after));
    let built = [Built::Calls(&*old), Built::Calls(&*new)];
    cells.iter().map(|(_, cell)| confirm_one(&built, subject, cell)).collect()
}

fn confirm_one(built: &[Built<'_>; 2], subject: &Subject<'_>, cell: &Cell) -> Result<Confirmed> {
    let newest = subject.programs.len() - 1;
    let ends = [subject.programs[0], subject.programs[newest]];
    let pair = Pair::new(&ends);
    let setting = Setting { world: subject.world, symbolic: subject.symbolic, limits: subject.limits };
    let mut runs = Vec::new();
    for (at, version) in [0, newest].into_iter().enumerate() {
        let own = subject.own_input(version, &cell.input);
        let (mut ran, _) = run_lightly(ends[at], setting, &own, &mut Pool::new(), Off)?;
        ran.program = at;
        runs.push(ran);
    }
    let agreed = pair.replay(&runs, built, subject.world)?;
    for one in &agreed {
        if let Agreement::Differs(how) = one {
            return Ok(Confirmed::Otherwise(how.clone()));
        }
    }
    Ok(match agreed.iter().all(Agreement::is_same) {
        true => Confirmed::Same,
        false => Confirmed::Stopped,
    })
}

fn baseline(
    context: &Context,
    options: &CompareOptions,
    subject: &Subject<'_>,
    how: &Options,
    given: Vec<Input>,
    name: BaselineName,
) -> Result<Outcome> {
    let method = match name {
        BaselineName::Dart => Baseline::Dart,
        BaselineName::Express => Baseline::Express,
        BaselineName::Random => Baseline::Random(how.runs.min(RANDOM as usize) as u64, None),
    };
    if options.partition.picture.is_some() {
        bail!("--baseline has no partitions to draw");
    }
    let found = measure(subject, how, given, &method);
    context.output(&match options.format {
        CompareFormat::Text | CompareFormat::Md | CompareFormat::Html => report::baseline_text(&found),
        CompareFormat::Json => report::baseline_json(&found),
    })?;
    Ok(if found.differences > 0 { Outcome::Findings } else { Outcome::Undecided })
}
