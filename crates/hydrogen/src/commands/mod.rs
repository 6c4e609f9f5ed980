//! One module per command.

mod cache;
mod functions;
mod ir;
mod versions;

use crate::cli::{Cli, Command};
use crate::context::Context;
use anyhow::Result;

/// The exit codes of the tool.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Done.
    Done = 0,
    /// The user or the input is wrong.
    BadInput = 2,
    /// There is no answer, because too much is missing.
    Undecided = 3,
}

pub fn run(cli: Cli) -> Result<Outcome> {
    let context = Context::new(cli.global)?;
    match cli.command {
        Command::Versions { versions, format } => versions::run(&context, &versions, format),
        Command::Functions { old, new, syntax, all, format } => {
            functions::run(&context, &old, &new, functions::Options { syntax, all, format })
        }
        Command::Ir { version, function, unit, syntax, format } => {
            ir::run(&context, &version, ir::Options { function, unit, syntax, format })
        }
        Command::Cache { action } => cache::run(&context, action),
    }
}
