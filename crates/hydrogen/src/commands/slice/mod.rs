//! `hydrogen slice PROGRAM… --at FILE:LINE -- ARGS`.

mod page;
mod place;
mod report;

use super::Outcome;
use super::program::{self, Sources};
use crate::cli::{SliceKind, SliceOptions, TableFormat};
use crate::context::Context;
use anyhow::{Context as _, Result, bail};
use hydrogen_evidence::Input;
use hydrogen_evidence::sliced::Sliced;
use hydrogen_explore::{Explained, explain};
use hydrogen_machine::End;
use hydrogen_report::runs;
use hydrogen_trace::{Criterion, Dependences, Options, OutputName, Recorder, Static, TraceError, lines};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Longer runs are cut, unless the user wants them whole.
const STEPS: u64 = 200_000_000;

pub fn run(context: &Context, options: &SliceOptions) -> Result<Outcome> {
    let interrupt = context.cancel_flag();
    let mut world = program::world(context, &options.program)?;
    let symbolic = program::symbolic(&options.program.symbolic, &world)?;
    if !options.program.symbolic.is_empty() {
        if !options.explain {
            tracing::warn!("--symbolic says nothing here without --explain");
        }
        world = world.with_input(&symbolic.first(&world));
    }
    let mut asked = criterion(options, &Sources::new(context, &options.program.programs)?)?;
    if options.program.function.is_some() && options.kind == SliceKind::Relevant {
        // What else might have been written is found from `main`, where nobody gives objects.
        bail!("the memory of a call is followed in dynamic slices only; add --kind dynamic");
    }
    let program = program::load(context, &options.program, &interrupt)?.linked.program;
    if let Some(call) = program::call(&program, &options.program, None)? {
        world = world.with_input(&Input { call: Some(call), ..Input::default() });
    }
    let mut limits = program::limits(&options.program, Arc::clone(&interrupt));
    limits.steps = options.program.steps.unwrap_or(STEPS);
    let run = program.run_with(world.clone(), limits.clone(), Recorder::default());
    if interrupt.load(Ordering::Relaxed) {
        return Ok(Outcome::Interrupted);
    }
    // What the world refused may be why the run went where it did.
    for (note, _) in run.world.ledger() {
        tracing::warn!("{note}");
    }
    let trace = run.monitor.finish()?;
    if let End::Unresolved(name, _) = &run.end {
        tracing::warn!("`{name}` is used, and no unit of the program defines it: the run ends there");
    }
    if let End::Unsupported(what, _) = &run.end {
        tracing::warn!("{what}: the machine cannot do this, and the run ends there");
    }
    let entry = options.program.function.as_ref().unwrap_or(&options.program.entry);
    let statics = Static::new(&program, &[entry]).with_jumps();
    if !statics.is_precise() {
        tracing::warn!("the analysis of pointers took too long: every pointer may point everywhere");
    }
    if let Some((descriptor, file)) = first_difference(options) {
        let expected = std::fs::read(context.path(Path::new(file)))
            .with_context(|| format!("`--of`: cannot read {file}"))?;
        let written = if descriptor == 1 { &run.world.stdout } else { &run.world.stderr };
        asked = Some(different(descriptor, written, &expected)?);
    }
    if let Some(name) = options.of.as_ref().and_then(|name| name.strip_prefix("file:")) {
        let stream = run.world.stream_of(name.as_bytes());
        let stream = stream.with_context(|| format!("`--of`: there is no file {name} when the run ends"))?;
        asked = Some(Criterion::File(stream, name.to_owned()));
    }
    let bytes = match &asked {
        Some(Criterion::Bytes(descriptor, range)) => Some((*descriptor, range.clone())),
        _ => None,
    };
    let global = match &asked {
        Some(Criterion::Global(name)) => Some(name.clone()),
        _ => None,
    };
    let named = match &asked {
        Some(Criterion::Named(named)) => Some(named.clone()),
        _ => None,
    };
    let how = Options { bytes, global, named, interrupt: Some(Arc::clone(&interrupt)), ..Options::default() };
    let dependences = match Dependences::new(&statics, &trace, &how) {
        Err(TraceError::Interrupted) => return Ok(Outcome::Interrupted),
        found => found?,
    };
    let criterion = asked.unwrap_or_else(|| usual(&run.end, &dependences));
    let seeds = dependences.find(&criterion)?;
    let slice = match options.kind {
        SliceKind::Dynamic => dependences.dynamic_slice(&seeds),
        SliceKind::Relevant => dependences.relevant_slice(&seeds),
    };
    let slice = match slice {
        Err(TraceError::Interrupted) => return Ok(Outcome::Interrupted),
        found => found?,
    };
    let explanation = options.explain.then(|| {
        let what = match &criterion {
            Criterion::Output(name) => Explained::Output(name.clone()),
            _ => Explained::Steps(seeds.numbers()),
        };
        explain(&program, &symbolic, world, limits, &slice, &what)
    });
    if let Some(path) = &options.html {
        let dynamic = dependences.dynamic_slice(&seeds)?;
        let dynamic = lines(&dependences, &dynamic, !options.library)?;
        let relevant = lines(&dependences, &slice, !options.library)?;
        let sources = Sources::new(context, &options.program.programs)?;
        let page = page::html(&program, &sources, &dynamic, &relevant, &describe(&criterion, &run.end));
        crate::output::write(Some(&context.path(path)), page.as_bytes())?;
    }
    let lines = lines(&dependences, &slice, !options.library)?;
    let executions = match options.instances {
        true => {
            let all = dependences.executions(&slice)?;
            Some(all.context("the run is too long for its executions to be listed; cut it with --steps")?)
        }
        false => None,
    };
    let told = Sliced {
        executions: executions.map(report::executions),
        kind: match options.kind {
            SliceKind::Dynamic => "dynamic",
            SliceKind::Relevant => "relevant",
        },
        criterion: describe(&criterion, &run.end),
        end: &run.end,
        executed: dependences.steps,
        sliced: slice.count,
        precise: statics.is_precise(),
        functions: report::functions(&program, &lines),
        lines,
        explanation: explanation.map(|one| report::explained(&program, one)),
    };
    match options.format {
        TableFormat::Json => context.output(&runs::slice_json(&told))?,
        TableFormat::Text => {
            let sources = Sources::new(context, &options.program.programs)?;
            context.output(&runs::slice_text(&told, &sources, context.wants_colour()))?;
        }
    }
    Ok(match run.end {
        End::Limit(..) | End::Unsupported(..) => Outcome::Undecided,
        End::Unresolved(..) => Outcome::BadInput,
        _ => Outcome::Done,
    })
}

/// An output by its name.
pub fn output(name: &str) -> Criterion {
    match name {
        "stdout" => Criterion::Output(OutputName::Descriptor(1)),
        "stderr" => Criterion::Output(OutputName::Descriptor(2)),
        "exit" | "end" | "fault" => Criterion::End,
        name => Criterion::Output(OutputName::Named(name.to_owned())),
    }
}

/// The descriptor of a standard stream.
fn stream(name: &str) -> Option<i32> {
    ["stdin", "stdout", "stderr"].iter().position(|one| *one == name).filter(|at| *at > 0).map(|at| at as i32)
}

/// `--of stdout:first-difference=FILE`: the stream and the file.
fn first_difference(options: &SliceOptions) -> Option<(i32, &str)> {
    let (name, file) = options.of.as_ref()?.split_once(":first-difference=")?;
    Some((stream(name)?, file))
}

/// The first byte that is not as expected; where something is missing, that no more was written.
fn different(descriptor: i32, written: &[u8], expected: &[u8]) -> Result<Criterion> {
    let at = written.iter().zip(expected).position(|(one, other)| one != other);
    Ok(match at {
        Some(at) => Criterion::Bytes(descriptor, at as u64..at as u64 + 1),
        None if written.len() > expected.len() => {
            let at = expected.len() as u64;
            Criterion::Bytes(descriptor, at..at + 1)
        }
        None if written.len() < expected.len() => Criterion::Output(OutputName::Descriptor(descriptor)),
        None => bail!("the run writes exactly what the file has: there is no difference to explain"),
    })
}

/// `stdout@17`, `stdout@17..20`: bytes of a stream.
fn bytes(name: &str) -> Option<Criterion> {
    let (name, range) = name.split_once('@')?;
    let (start, end) = match range.split_once("..") {
        Some((start, end)) => (start.parse().ok()?, end.parse().ok()?),
        None => (range.parse().ok()?, range.parse::<u64>().ok()?.checked_add(1)?),
    };
    Some(Criterion::Bytes(stream(name)?, start..end))
}

/// What the user asks to explain.
fn criterion(options: &SliceOptions, sources: &Sources) -> Result<Option<Criterion>> {
    if let Some(name) = &options.of {
        let global = name.strip_prefix("global:").map(|name| Criterion::Global(name.to_owned()));
        return Ok(Some(bytes(name).or(global).unwrap_or_else(|| output(name))));
    }
    options.at.as_ref().map(|place| place::criterion(place, sources)).transpose()
}

/// Without a question: what went wrong, else what was written, else the exit status.
fn usual(end: &End, dependences: &Dependences<'_, '_>) -> Criterion {
    let stdout = Criterion::Output(OutputName::Descriptor(1));
    match end {
        End::Exit(_) if dependences.find(&stdout).is_ok() => stdout,
        _ => Criterion::End,
    }
}

fn describe(criterion: &Criterion, end: &End) -> String {
    match (criterion, end) {
        (Criterion::Line { file, line, nth: None }, _) => format!("the last execution of {file}:{line}"),
        (Criterion::Line { file, line, nth: Some(nth) }, _) => format!("execution {nth} of {file}:{line}"),
        (Criterion::Expression { file, line, nth, text, .. }, _) => {
            let nth = nth.map_or("the last execution".to_owned(), |nth| format!("execution {nth}"));
            format!("the value of `{text}` at {nth} of {file}:{line}")
        }
        (Criterion::Named(asked), _) => {
            let nth = asked.nth.map_or("the last execution".to_owned(), |nth| format!("execution {nth}"));
            format!("what `{}` holds at {nth} of {}:{}", asked.name, asked.file, asked.line)
        }
        (Criterion::Output(OutputName::Named(name)), _) => format!("the output `{name}`"),
        (Criterion::Output(name), _) => name.to_string(),
        (Criterion::Bytes(descriptor, range), _) => {
            let name = OutputName::Descriptor(*descriptor);
            match range.end - range.start {
                1 => format!("byte {} of {name}", range.start),
                _ => format!("bytes {} to {} of {name}", range.start, range.end - 1),
            }
        }
        (Criterion::File(_, name), _) => format!("what was written to the file {name}"),
        (Criterion::Global(name), _) => format!("what the global variable `{name}` holds at the end"),
        (Criterion::End, End::Exit(status)) => format!("exit status {status}"),
        (Criterion::End, End::Fault(fault)) => format!("the fault: {}: {}", fault.kind, fault.message),
        (Criterion::End, _) => "the last instruction".into(),
        (Criterion::Everything, _) => "everything".into(),
    }
}
