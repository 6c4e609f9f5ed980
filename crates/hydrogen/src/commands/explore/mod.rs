//! `hydrogen explore PROGRAM… --symbolic WHAT`.

mod calls;
mod files;
mod observe;
mod report;
mod state;

use super::Outcome;
use super::program;
use crate::cli::{ExploreOptions, TableFormat};
use crate::context::Context;
use anyhow::{Context as _, Result, bail};
use bstr::BString;
use calls::Base;
use hydrogen_evidence::Natively;
use hydrogen_explore::{
    ByPath, Distances, Exploration, Explorer, FunctionEntry, Globals, MakeSolver, Observer, Options, Search,
    Surroundings,
};
use hydrogen_machine::{End, Program};
use hydrogen_program::Done;
use hydrogen_report::runs;
use report::Told;
use state::State;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Enough for a run of a short input, and an end to loops that have none.
const STEPS: u64 = 5_000_000;
const OUTPUT: u64 = 1 << 20;
/// Of the options that a program has, so many are among the first arguments.
const MOST_OPTIONS: usize = 6;

/// Makes the solver that the user wants, once it is known to be there.
fn solver(name: Option<&str>) -> Result<MakeSolver> {
    crate::solvers::named(name)?;
    let name = name.map(str::to_owned);
    Ok(Arc::new(move || crate::solvers::named(name.as_deref()).unwrap_or_else(|_| hydrogen_term::standard())))
}

pub fn run(context: &Context, options: &ExploreOptions) -> Result<Outcome> {
    let interrupt = context.cancel_flag();
    let mut world = program::world(context, &options.program)?;
    let loaded = program::load(context, &options.program, &interrupt)?;
    if options.program.args.is_empty() && options.program.symbolic.iter().any(|what| what == "arg:*") {
        world.args.extend(option_words(&loaded.linked.program));
    }
    let mut symbolic = match options.program.function {
        Some(_) => program::symbolic_call(&options.program.symbolic, &world)?,
        None => program::symbolic(&options.program.symbolic, &world)?,
    };
    let folder = context.output_path();
    if let Some(folder) = folder.as_ref().filter(|folder| folder.is_file()) {
        bail!("{} is a file; --output names the folder for the tests", folder.display());
    }
    let native = match options.native && options.program.function.is_none() {
        true => Some(program::native(context, &options.program, &loaded)?),
        false => None,
    };
    let program = &loaded.linked.program;
    let mut seed = std::collections::BTreeMap::new();
    if let Some(function) = &options.program.function {
        let (depth, elements) = shape(&options.shape)?;
        let mut entry =
            FunctionEntry { function: function.clone(), unit: options.program.unit.clone(), depth, elements };
        if let Some(why) = entry.refusal(program) {
            bail!("{why}");
        }
        if let Some(stranger) = entry.strangers(program, symbolic.only.iter()).first() {
            bail!(
                "`{function}` has no parameter `{stranger}`, and reads no global variable of that name that could change"
            );
        }
        if let (Some((module, model)), false) = (entry.find(program), options.program.args.is_empty()) {
            let words: Vec<String> =
                options.program.args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
            let call = hydrogen_program::call_of(module, model, &words)?;
            seed = entry.seed(program, &call);
        }
        if options.by == crate::cli::By::Rsc {
            bail!("a function is explored by paths; leave out --by rsc");
        }
        symbolic.call = Some(entry);
        let globals = match options.globals {
            crate::cli::GlobalValues::Any => Globals::Any,
            crate::cli::GlobalValues::Initial => Globals::Initial,
        };
        symbolic.surroundings = Surroundings { globals, strings: options.terminated };
    }
    // Reading and building count, and of the rest two thirds are for exploring when every test is to be run natively too.
    let left = options.budget.saturating_sub(context.elapsed());
    let until = Instant::now() + left;
    let mut limits = program::limits(&options.program, Arc::clone(&interrupt));
    limits.steps = options.program.steps.unwrap_or(STEPS);
    limits.output = options.program.output_limit.unwrap_or(OUTPUT);
    let dump = match &options.dump_smt {
        Some(folder) => {
            let folder = context.path(folder);
            std::fs::create_dir_all(&folder)
                .with_context(|| format!("cannot write into {}", folder.display()))?;
            Some(folder)
        }
        None => None,
    };
    let how = Options {
        symbolic,
        solver: solver(options.solver.as_deref())?,
        dump,
        limits,
        runs: options.tests.unwrap_or(usize::MAX).max(1),
        time: if options.native { left * 2 / 3 } else { left },
        search: search(program, &options.search)?,
        faults: options.faults,
        summaries: options.summaries == crate::cli::Summaries::Terms,
        jobs: context.jobs(),
        solver_limits: hydrogen_term::Limits { time: options.solver_time, ..Default::default() },
        interrupt: Some(Arc::clone(&interrupt)),
    };
    let mut first = how.symbolic.with_globals(program, how.symbolic.first(&world));
    first.named.extend(seed.into_iter().map(|(name, bytes)| (name.into(), bytes)));
    let key = state::key(&loaded.linked.key, options, &how, &world);
    // Whoever wants another solver, or to see the questions, wants them asked.
    let fresh = options.fresh || options.dump_smt.is_some() || options.solver.is_some();
    let mut state = State::open(context, folder.as_deref(), key, fresh)?;
    observe::known(program, &options.of)?;
    let relevant = observe::Relevant::new(program, options)?;
    let by_rsc = relevant.as_ref().map(observe::Relevant::observer);
    let observer: &dyn Observer = match &by_rsc {
        Some(by_rsc) => by_rsc,
        None => &ByPath,
    };
    let begun = Instant::now();
    let mut explorer = Explorer::new(program, &world, first, &how, observer, state.answers());
    let bar = crate::progress::spinner(context.quiet());
    let mut times = vec![begun.elapsed()];
    while explorer.round() {
        state.append(explorer.answers().take_new())?;
        times.resize(explorer.found().tests.len().max(times.len()), begun.elapsed());
        bar.set_message(progress(explorer.found(), explorer.open()));
    }
    state.append(explorer.answers().take_new())?;
    bar.finish_and_clear();
    let mut found = explorer.finish();
    if how.symbolic.call.is_some() {
        // A test says what is called with which memory; what was symbolic in it is in there.
        for test in &mut found.tests {
            test.input.call = how.symbolic.call_of(program, &test.input);
            test.input.named.clear();
        }
    }
    let interrupted = interrupt.load(Ordering::Relaxed);
    let replayed = match native.filter(|_| !interrupted) {
        Some(native) => {
            let tests: Vec<Done<'_>> = found
                .tests
                .iter()
                .map(|test| Done { input: &test.input, end: &test.end, after: &test.world })
                .collect();
            Some(native.replay(&tests, &world, context.jobs(), until, &interrupt)?)
        }
        None if options.native && !interrupted => {
            let base = Base { world: &world, limits: &how.limits, until };
            Some(calls::replay(context, options, &loaded, &found, base)?)
        }
        None => None,
    };
    let outcome = outcome(&found, interrupted, replayed.as_deref());
    let signatures = options.signature || matches!(options.format, TableFormat::Json) || folder.is_some();
    let told = Told { program, options, interrupted, earlier: state.earlier, signatures };
    let mut told = told.explored(&mut found, replayed);
    if options.groups {
        let setting = hydrogen_explore::Setting {
            program,
            world: &world,
            symbolic: &how.symbolic,
            limits: &how.limits,
            summaries: false,
        };
        told.groups = Some(observe::grouped(setting, options, &found));
    }
    if let Some(folder) = &folder {
        files::write(folder, &files::Written { program, found: &found, told: &told, times: &times })?;
    }
    let text = match options.format {
        TableFormat::Json => runs::explored_json(&told),
        TableFormat::Text => {
            let sources = program::Sources::new(context, &options.program.programs)?;
            let folder = folder.as_ref().map(|folder| folder.display().to_string());
            runs::explored_text(&told, &sources, options.all, folder.as_deref())
        }
    };
    crate::output::write(None, crate::output::shown(&text, false).as_bytes())?;
    Ok(outcome)
}

/// The arguments that a program tells `getopt` it has, one of each, and one that is none of them: where none is given, these are the first.
fn option_words(program: &Program) -> Vec<BString> {
    let letters = program.units().next().map(hydrogen_expose::options::letters).unwrap_or_default();
    let word = |(letter, wants): &(char, bool)| match wants {
        true => format!("-{letter}a"),
        false => format!("-{letter}"),
    };
    let words: Vec<String> = letters.iter().take(MOST_OPTIONS).map(word).collect();
    let other = (!words.is_empty()).then(|| "a".to_owned());
    words.into_iter().chain(other).map(BString::from).collect()
}

/// `--shape depth=3,elements=4`.
fn shape(text: &str) -> Result<(u32, u64)> {
    let (mut depth, mut elements) = (3, 4);
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let number: u64 =
            value.parse().ok().filter(|number| (1..=64).contains(number)).with_context(|| {
                format!("`--shape {part}`: write depth=N,elements=N with numbers from 1 to 64")
            })?;
        match name {
            "depth" => depth = number as u32,
            "elements" => elements = number,
            _ => bail!("`--shape {part}`: there are depth and elements"),
        }
    }
    Ok((depth, elements))
}

fn progress(found: &Exploration, open: usize) -> String {
    let faults = found.tests.iter().filter(|test| matches!(test.end, End::Fault(_))).count();
    let faults = if faults > 0 { format!(", {faults} faults") } else { String::new() };
    format!("{} tests{faults}, {} questions answered, {open} open", found.tests.len(), found.asked)
}

fn search(program: &Program, how: &str) -> Result<Search> {
    let place = match how {
        "generational" => return Ok(Search::Generational),
        "depth" => return Ok(Search::Depth),
        _ => how.strip_prefix("directed:"),
    };
    let place = place
        .and_then(|place| place.rsplit_once(':'))
        .and_then(|(file, line)| Some((file, line.parse::<u32>().ok()?)));
    let Some((file, line)) = place else {
        bail!("`--search {how}`: write generational, depth or directed:FILE:LINE");
    };
    let distances = Distances::to_line(program, file, line)
        .with_context(|| format!("{file}:{line} is no line of the program with code"))?;
    Ok(Search::Directed(Arc::new(distances)))
}

fn outcome(found: &Exploration, interrupted: bool, replayed: Option<&[Natively]>) -> Outcome {
    let differs = replayed.is_some_and(|all| all.iter().any(|one| matches!(one, Natively::Differs(_))));
    let faults = found.tests.iter().any(|test| matches!(test.end, End::Fault(_)));
    match () {
        () if !found.alarms.is_empty() => Outcome::Bug,
        () if interrupted => Outcome::Interrupted,
        () if faults || differs => Outcome::Findings,
        () if found.reached.is_some() || found.is_complete() => Outcome::Done,
        () => Outcome::Undecided,
    }
}
