//! `hydrogen env`: what in the environment makes a program fail.

mod confined;
mod source;
mod told;

use super::Outcome;
use crate::cli::{EnvAction, EnvFormat, EnvRun};
use crate::context::Context;
use crate::progress;
use anyhow::{Context as _, Result, bail};
use hydrogen_env::record::{End, Record, Start};
use hydrogen_env::{Options, Oracle, Order, Question};
use hydrogen_report::environment as report;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

pub fn run(context: &Context, action: EnvAction) -> Result<Outcome> {
    match action {
        EnvAction::Record { time_limit, trap_clock, command } => {
            record(context, &command, time_limit, trap_clock)
        }
        EnvAction::Replay { file, calls: Some(calls), command, in_place, .. } => {
            semi_replay(context, &file, calls, &command, in_place)
        }
        EnvAction::Replay { file, inside: true, .. } => confined::replay(context, &read(context, &file)?),
        EnvAction::Replay { file, .. } => {
            confined::start(context, &context.path(&file), &read(context, &file)?)
        }
        EnvAction::Show { file, redact } if !redact.is_empty() => {
            let Some(copy) = context.output_path() else {
                bail!("a copy needs a file: hydrogen env show FILE --redact TEXT -o COPY");
            };
            let texts: Vec<Vec<u8>> = redact.into_iter().map(OsString::into_vec).collect();
            hydrogen_env::write(&copy, &read(context, &file)?.redacted(&texts))?;
            Ok(Outcome::Done)
        }
        EnvAction::Show { file, .. } => {
            context.output(&hydrogen_env::show::record(&read(context, &file)?))?;
            Ok(Outcome::Done)
        }
        EnvAction::Deps { file } => {
            context.output(&hydrogen_env::deps::text(&read(context, &file)?))?;
            Ok(Outcome::Done)
        }
        EnvAction::Diff { file, run } => diff(context, &file, &run),
        EnvAction::Why { recorded, source, run } => why(context, &recorded, &source, &run),
    }
}

fn read(context: &Context, file: &Path) -> Result<Record> {
    Ok(hydrogen_env::read(&context.path(file))?)
}

fn inherited() -> [Stdio; 3] {
    [Stdio::inherit(), Stdio::inherit(), Stdio::inherit()]
}

fn record(
    context: &Context,
    command: &[OsString],
    most: Option<Duration>,
    traps_clock: bool,
) -> Result<Outcome> {
    let Some(file) = context.output_path() else {
        bail!("a record needs a file: hydrogen env record -o FILE -- COMMAND");
    };
    std::env::set_current_dir(context.here()).context("the folder is gone")?;
    let options = Options { streams: inherited(), most, linger: None, cancel: context.cancel_flag() };
    let start = Start { traps_clock, ..hydrogen_env::here(command)? };
    let recorded = hydrogen_env::record_run(start, options)?;
    hydrogen_env::write(&file, &recorded.record)?;
    let count = recorded.record.count();
    for note in &recorded.record.notes {
        tracing::warn!("{note}");
    }
    if let End::Partial(why) = &recorded.record.end {
        tracing::warn!("the record is partial, with {count} calls: {why}");
        return Ok(Outcome::Undecided);
    }
    tracing::info!("{count} calls are recorded in {}; it holds what the program read", file.display());
    Ok(Outcome::Done)
}

fn semi_replay(
    context: &Context,
    file: &Path,
    calls: usize,
    command: &[OsString],
    in_place: bool,
) -> Result<Outcome> {
    let record = read(context, file)?;
    if record.is_redacted {
        bail!("something in this record was blotted out: it can be shown, but not replayed");
    }
    std::env::set_current_dir(context.here()).context("the folder is gone")?;
    let silent = |_: String| {};
    let question = Question {
        record: &record,
        start: &hydrogen_env::here(command)?,
        oracle: None,
        limit: Duration::from_secs(3600),
        most_runs: 1,
        trusts_code: false,
        in_place,
        network: context.allows_network(),
        cancel: context.cancel_flag(),
        progress: &silent,
    };
    let (ran, notes) = hydrogen_env::semi_replay(&question, calls, inherited())?;
    for note in notes {
        tracing::warn!("{note}");
    }
    Ok(match ran.status {
        Some(status) if status & 0x7f == 0 => {
            Outcome::Status(u8::try_from(status >> 8 & 0xff).unwrap_or(u8::MAX))
        }
        Some(status) => Outcome::Status(u8::try_from(128 + (status & 0x7f)).unwrap_or(u8::MAX)),
        None => Outcome::Undecided,
    })
}

/// Asks with what the user said, and shows how far it is.
fn asked<T>(
    context: &Context,
    record: &Record,
    run: &EnvRun,
    ask: impl FnOnce(&Question<'_>) -> Result<T>,
) -> Result<T> {
    if record.is_redacted {
        bail!("something in this record was blotted out: it can be shown, but not compared with");
    }
    std::env::set_current_dir(context.here()).context("the folder is gone")?;
    let spinner = progress::spinner(context.is_quiet());
    let progress = |what: String| spinner.set_message(what);
    let exit = run.expect_exit.map(|code| Oracle::Exit(code.into()));
    let oracle = run.oracle.clone().map(Oracle::Command).or_else(|| run.alive.map(Oracle::Alive)).or(exit);
    let question = Question {
        record,
        start: &hydrogen_env::here(&run.command)?,
        oracle,
        limit: run.time_limit,
        most_runs: run.runs,
        trusts_code: run.recorded_code,
        in_place: run.in_place,
        network: context.allows_network(),
        cancel: context.cancel_flag(),
        progress: &progress,
    };
    let answer = ask(&question);
    spinner.finish_and_clear();
    answer
}

fn diff(context: &Context, file: &Path, run: &EnvRun) -> Result<Outcome> {
    let record = read(context, file)?;
    let (differences, here) = asked(context, &record, run, |question| Ok(hydrogen_env::diff(question)?))?;
    let compared = told::compared(&run.command, here, &differences);
    context.output(&match run.format {
        EnvFormat::Text => report::compared_text(&compared),
        EnvFormat::Json => report::compared_json(&compared),
        EnvFormat::Html => report::compared_page(&compared),
    })?;
    Ok(match compared.differences.iter().any(|one| !one.volatile) {
        true => Outcome::Findings,
        false => Outcome::Done,
    })
}

fn why(context: &Context, file: &Path, source: &[String], run: &EnvRun) -> Result<Outcome> {
    let record = read(context, file)?;
    let answer = asked(context, &record, run, |question| Ok(hydrogen_env::why(question)?))?;
    let mut searched = told::searched(&run.command, &record, &answer);
    if !source.is_empty() && searched.outcome == hydrogen_evidence::environment::Outcome::Found {
        match source::followed(context, source, run, &searched.causes) {
            Ok(lines) => searched.source = lines,
            Err(error) => searched.notes.push(format!("the source was not followed: {error:#}")),
        }
    }
    context.output(&match run.format {
        EnvFormat::Text => report::text(&searched),
        EnvFormat::Json => report::json(&searched),
        EnvFormat::Html => report::page(&searched),
    })?;
    Ok(match answer.outcome {
        _ if context.is_cancelled() => Outcome::Interrupted,
        hydrogen_env::Outcome::Found => Outcome::Findings,
        hydrogen_env::Outcome::PassesHere => Outcome::Done,
        _ => Outcome::Undecided,
    })
}

/// A full replay, without anything around it.
fn full(context: &Context, record: &Record) -> Result<hydrogen_env::Replayed> {
    let mut start = record.start.clone();
    // The folder is what the record says it is; the kernel is not asked.
    start.folder = b"/".to_vec();
    let streams = [Stdio::null(), Stdio::null(), Stdio::null()];
    let order = Order {
        start: &start,
        streams,
        most: None,
        linger: None,
        copied: None,
        cancel: context.cancel_flag(),
    };
    Ok(hydrogen_env::replay(record, order)?)
}
