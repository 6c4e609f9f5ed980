//! One module per command.

mod affects;
mod cache;
mod compare;
mod complexity;
mod delta;
mod depends;
mod diff;
mod doctor;
mod env;
mod explore;
mod expose;
mod files;
mod functions;
mod graph;
mod history;
mod interact;
mod ir;
mod manual;
mod mine;
mod program;
mod review;
mod run;
mod select;
mod slice;
mod stats;
mod step;
mod verdicts;
mod versions;
mod why;

use crate::cli::{Cli, Command};
use crate::context::Context;
use anyhow::Result;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The exit codes of the tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Done.
    Done,
    /// Done, and something was found.
    Findings,
    /// The user or the input is wrong.
    BadInput,
    /// There is no answer, because too much is missing or a limit was reached.
    Undecided,
    /// A promise of ours is broken.
    Bug,
    /// The user stopped it.
    Interrupted,
    /// What the interpreted program ended with, where the user asked for it.
    Status(u8),
}

impl Outcome {
    /// What the tool exits with.
    pub fn code(self) -> u8 {
        match self {
            Outcome::Done => 0,
            Outcome::Findings => 1,
            Outcome::BadInput => 2,
            Outcome::Undecided => 3,
            Outcome::Bug => 70,
            Outcome::Interrupted => crate::signals::code(),
            Outcome::Status(status) => status,
        }
    }
}

pub fn run(cli: Cli, cancel: Arc<AtomicBool>) -> Result<Outcome> {
    let context = Context::new(cli.global, cancel)?;
    let outcome = match cli.command {
        Command::Versions { versions, files: true, format } => files::run(&context, &versions, format),
        Command::Versions { versions, format, .. } => versions::run(&context, &versions, format),
        Command::Functions { versions, syntax, all, format } => {
            let (old, new) = program::names(&versions)?;
            functions::run(&context, &old, &new, functions::Options { syntax, all, format })
        }
        Command::Ir { version, function, unit, link, syntax, format } => {
            ir::run(&context, &version, ir::Options { function, unit, link, syntax, format })
        }
        Command::Graph {
            versions,
            syntax,
            function,
            subset,
            check,
            pointers,
            base,
            calls,
            reaching,
            format,
        } => graph::run(
            &context,
            &versions,
            graph::Options { syntax, function, subset, check, pointers, base, calls, reaching, format },
        ),
        Command::Diff { versions, syntax, paths, function, format } => {
            let (old, new) = program::names(&versions)?;
            diff::run(&context, &[old, new], diff::Options { syntax, paths, function, format })
        }
        Command::History { place, versions, syntax, no_older, uses, format } => {
            let options = history::Options { syntax, older: !no_older, uses, format };
            history::run(&context, &place, &versions, options)
        }
        Command::Stats { versions, syntax, sample, seed, format } => {
            let sample = sample.map(|count| (count.get(), seed));
            stats::run(&context, &versions, stats::Options { syntax, sample, format })
        }
        Command::Review(options) => review::run(&context, &options),
        Command::Explain { id } => review::explain(&context, &id),
        Command::Watch(options) => review::watch(&context, &options),
        Command::Delta(options) => delta::run(&context, &options),
        Command::Env(action) => env::run(&context, action),
        Command::Compare(options) => compare::run(&context, &options),
        Command::Why(options) => why::run(&context, &options),
        Command::Expose(options) => expose::run(&context, &options),
        Command::Select(options) => select::run(&context, &options),
        Command::Check(options) => verdicts::check::run(&context, &options),
        Command::Verify(options) => verdicts::verify::run(&context, &options),
        Command::Impact(options) => verdicts::impact::run(&context, &options),
        Command::Patch(options) => verdicts::patch::run(&context, &options),
        Command::Run(options) => run::run(&context, &options),
        Command::Slice(options) => slice::run(&context, &options),
        Command::Depends(options) => depends::run(&context, &options),
        Command::Explore(options) => explore::run(&context, &options),
        Command::Complexity { what, history, top, reading, first_parent, sequences, format } => {
            let options = complexity::Options { history, top, reading, first_parent, sequences, format };
            complexity::run(&context, &what, &options)
        }
        Command::Interact { import: Some(file), format, .. } => interact::import(&context, &file, format),
        Command::Interact { what, tests: true, budget, format, .. } => {
            let what = what.unwrap_or_default();
            let json = matches!(format, crate::cli::InteractFormat::Json);
            expose::run(&context, &crate::cli::ExposeOptions::along_sequences(what, budget, json))
        }
        Command::Interact { what, run: true, stdin, granularity, configurations, format, args, .. } => {
            let options = interact::runs::Options { stdin, args, granularity, configurations, format };
            interact::runs::run(&context, &what.unwrap_or_default(), &options)
        }
        Command::Interact { what, all_locations, compiled, format, .. } => {
            let options = interact::Options { all: all_locations, compiled, format };
            interact::run(&context, &what.unwrap_or_default(), &options)
        }
        Command::Affects { commit, with, likely, reduce, compiled, why, granularity, format } => {
            let granularity = granularity.into();
            let options = affects::Options { with, likely, compiled, why, granularity, reduce, format };
            affects::run(&context, &commit, &options)
        }
        Command::Mine { what } => mine::run(&context, what),
        Command::Cache { action } => cache::run(&context, action),
        Command::Doctor { format } => doctor::run(&context, format),
        Command::Completions { shell } => manual::completions(&context, shell),
        Command::Man { folder } => manual::pages(&context, &folder),
    }?;
    // Where most is missing, that nothing was found says nothing.
    Ok(if outcome == Outcome::Done && context.told.too_little() { Outcome::Undecided } else { outcome })
}
