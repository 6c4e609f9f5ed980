//! `hydrogen expose A..B`: an input on which the versions differ, or that there is none.

mod calls;
mod confirm;
mod examine;
mod files;
mod golden;
mod inputs;
mod left_out;
mod material;
mod prove;
mod reached;
mod report;
mod sequences;
pub mod tests;
mod timer;
mod work;
mod written;

use super::Outcome;
use super::program::{self, Start};
use crate::cli::{ExposeFormat, ExposeOptions, ProgramOptions};
use crate::context::Context;
use anyhow::Result;
use calls::Callable;
use examine::{Subject, examine};
use hydrogen_evidence::exposed::Conclusion;
use hydrogen_report::exposed as shown;
use report::Report;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// So many programs of tests and examples are run where the functions that others can call show nothing, these having this share of the time, and the
/// programs this share of what is left. The rest is for functions that nobody else can call: what those are called with may be nonsense.
const DRIVERS: usize = 3;
const ALONE: f64 = 0.5;
const DRIVING: f64 = 0.7;
/// What is said of what such a function shows.
const INTERNAL: &str =
    "this is a function that the library alone calls, with what its callers may never pass";
/// How much longer than the user said a command may take because building took so long.
const LEAST: Duration = Duration::from_secs(2);
/// With less time than this, loading such a program is not worth while.
const DRIVEN: Duration = Duration::from_secs(2);

pub fn run(context: &Context, options: &ExposeOptions) -> Result<Outcome> {
    // Building the versions is a part of the time that the user gave; where it takes all of it, a little is searched nevertheless.
    let end = Instant::now() + options.budget;
    let least = (options.budget / 4).min(LEAST);
    let left = || end.saturating_duration_since(Instant::now()).max(least);
    let interrupt = context.cancel_flag();
    let (two, start) = program::load_and_choose(context, &options.program, &interrupt)?;
    let drivers: Vec<String> = match &start {
        Start::Functions { drivers, .. } => drivers.iter().take(DRIVERS).cloned().collect(),
        Start::Program { .. } => Vec::new(),
    };
    let alone = if drivers.is_empty() { left() } else { left().mul_f64(ALONE) };
    let first = if drivers.is_empty() { Callable::All } else { Callable::Public };
    let mut report = examine(
        context,
        options,
        &Subject { two: &two, start: &start, budget: alone, alone: Some(first) },
        &interrupt,
    )?;
    let (mut two, library) = (two, start);
    let is_open = |report: &Report| {
        matches!(report.conclusion, Conclusion::NoneFound(_)) && !interrupt.load(Ordering::Relaxed)
    };
    for (at, driver) in drivers.iter().enumerate() {
        if !is_open(&report) || end.saturating_duration_since(Instant::now()) < DRIVEN {
            break;
        }
        let program = ProgramOptions { unit: Some(driver.clone()), ..options.program.clone() };
        let (driven, start) = program::load_and_choose(context, &program, &interrupt)?;
        let share = left().mul_f64(DRIVING) / (drivers.len() - at) as u32;
        let subject = Subject { two: &driven, start: &start, budget: share, alone: None };
        let next = examine(context, options, &subject, &interrupt)?;
        if matches!(next.conclusion, Conclusion::Differs) {
            report = next;
            report.notes.push(format!("the program of {driver}, which is the same in both versions"));
            two = driven;
        } else {
            report.notes.push(format!("the program of {driver} showed nothing either"));
        }
    }
    if !drivers.is_empty() && is_open(&report) && end.saturating_duration_since(Instant::now()) >= DRIVEN {
        let alone = Some(Callable::Internal);
        let subject = Subject { two: &two, start: &library, budget: left(), alone };
        let next = examine(context, options, &subject, &interrupt)?;
        if matches!(next.conclusion, Conclusion::Differs) {
            report = next;
            report.notes.push(INTERNAL.to_owned());
        }
    }
    if let Some(folder) = context.output_path() {
        // Without it a person still replays the test in a program that is built already.
        let recipes = two.old.recipe(context).and_then(|old| Ok([old, two.new.recipe(context)?]));
        let new = files::write(&folder, &report.findings, recipes.as_ref().ok())?;
        tracing::info!("{new} new tests in {}", folder.display());
        if !report.findings.is_empty() {
            report.notes.push(format!("run it again: sh {}/replay.sh", files::newest(&folder).display()));
        }
    }
    let told = report.told();
    let text = match options.format {
        ExposeFormat::Text => shown::text(&told),
        ExposeFormat::Json => shown::json(&told),
        ExposeFormat::Md => shown::markdown(&told),
        ExposeFormat::Html => {
            let (old, new) = program::names(&options.program.programs)?;
            let [old, new] = program::sources_of(context, [&old, &new])?;
            shown::html(&told, [&old, &new])
        }
    };
    crate::output::write(None, crate::output::shown(&text, false).as_bytes())?;
    Ok(match &report.conclusion {
        _ if interrupt.load(Ordering::Relaxed) => Outcome::Interrupted,
        Conclusion::Differs => Outcome::Findings,
        Conclusion::Never(_) => Outcome::Done,
        Conclusion::NoneFound(_) => Outcome::Undecided,
    })
}
