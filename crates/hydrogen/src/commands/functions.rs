//! `hydrogen functions OLD NEW`.

use super::Outcome;
use crate::cli::TableFormat;
use crate::context::Context;
use crate::output;
use anyhow::Result;
use hydrogen_model::{Comparison, FunctionChange, OUR_BUG, Status, VersionModel, compare};
use serde_json::json;

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
    context.output(&match options.format {
        TableFormat::Json => as_json(&changes),
        TableFormat::Text => as_text(&changes, options.all),
    })?;
    let ours = |model: &VersionModel| model.failures.iter().any(|failure| failure.message.contains(OUR_BUG));
    Ok(match empty {
        Some(model) if ours(model) => Outcome::Bug,
        Some(_) => Outcome::Undecided,
        None => Outcome::Done,
    })
}

fn as_json(changes: &[FunctionChange]) -> String {
    let function = |change: &FunctionChange| {
        let mut function = json!({
            "name": change.name,
            "file": change.file,
            "line": change.line,
            "status": change.status.to_string(),
        });
        if let Some(reason) = &change.change {
            function["reason"] = reason.to_string().into();
        }
        function
    };
    let functions: Vec<_> = changes.iter().map(function).collect();
    output::json("functions/1", &json!({ "functions": functions }))
}

fn as_text(changes: &[FunctionChange], all: bool) -> String {
    let shown = changes.iter().filter(|change| all || change.status != Status::Unchanged);
    let row = |change: &FunctionChange| {
        let reason = change.change.as_ref().map(ToString::to_string).unwrap_or_default();
        let place = format!("{}:{}", change.file, change.line);
        vec![change.status.to_string(), change.name.clone(), place, reason]
    };
    let rows: Vec<Vec<String>> = shown.map(row).collect();
    let count = |status: Status| changes.iter().filter(|change| change.status == status).count();
    let renamed = match count(Status::Renamed) {
        0 => String::new(),
        count => format!("{count} renamed, "),
    };
    format!(
        "{}{} functions: {} added, {} deleted, {} updated, {renamed}{} unchanged\n",
        output::table(&rows),
        changes.len(),
        count(Status::Added),
        count(Status::Deleted),
        count(Status::Updated),
        count(Status::Unchanged),
    )
}
