//! `hydrogen functions OLD NEW`.

use super::Outcome;
use crate::cli::TableFormat;
use crate::context::Context;
use anyhow::Result;
use hydrogen_evidence::changed::Function;
use hydrogen_model::{Comparison, FunctionChange, OUR_BUG, VersionModel, compare};
use hydrogen_report::histories as report;

pub struct Options {
    pub syntax: bool,
    pub all: bool,
    pub format: TableFormat,
}

pub fn run(context: &Context, old: &str, new: &str, options: Options) -> Result<Outcome> {
    let versions = [context.resolve_one(old)?, context.resolve_one(new)?];
    let modeller = context.modeller()?;
    let models = context.models(&modeller, &versions, options.syntax)?;
    drop(modeller);
    let Comparison { functions: changes, undecided } = compare(&models[0], &models[1]);
    for function in &undecided {
        let FunctionChange { name, file, line, .. } = function;
        tracing::warn!("{file}:{line} {name}: left out, the file does not compile in one of the versions");
    }
    let empty = models.iter().find(|model| model.units.is_empty());
    if let Some(model) = empty {
        tracing::error!("{}: nothing could be read of this version", model.version.name);
    }
    let told = |change: FunctionChange| Function {
        name: change.name,
        file: change.file,
        line: change.line,
        status: change.status,
        reason: change.change.map(|reason| reason.to_string()),
    };
    let changes: Vec<Function> = changes.into_iter().map(told).collect();
    context.output(&match options.format {
        TableFormat::Json => report::functions_json(&changes),
        TableFormat::Text => report::functions_text(&changes, options.all),
    })?;
    let ours = |model: &VersionModel| model.failures.iter().any(|failure| failure.message.contains(OUR_BUG));
    Ok(match empty {
        Some(model) if ours(model) => Outcome::Bug,
        Some(_) => Outcome::Undecided,
        None => Outcome::Done,
    })
}
