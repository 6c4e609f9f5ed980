//! `hydrogen delta A..B`: what exactly each hunk does differently, and when.

use super::{Outcome, program::names};
use crate::cli::{DeltaFormat, DeltaOptions, Expected};
use crate::context::Context;
use crate::progress;
use anyhow::{Result, bail};
use hydrogen_evidence::delta::{Says, Told};
use hydrogen_report::delta as report;
use hydrogen_session::Session;
use std::sync::Arc;

pub fn run(context: &Context, options: &DeltaOptions) -> Result<Outcome> {
    let (old, new) = names(&options.what)?;
    let cancel = context.cancel_flag();
    let versions = [context.resolve_one(&old)?, context.resolve_one(&new)?];
    let modeller = context.modeller_with(Arc::clone(&cancel), Vec::new())?;
    let mut models = context.models(&modeller, &versions, false)?;
    let (Some(after), Some(before)) = (models.pop(), models.pop()) else { bail!("two versions are needed") };
    let is_empty = before.units.is_empty() || after.units.is_empty();
    let session = Session::new(&modeller, before, after, cancel, context.jobs());
    let spinner = progress::spinner(context.is_quiet());
    let told = session.deltas(&|name, file| is_wanted(&options.functions, name, file), &|one| {
        spinner.set_message(format!("{}()", one.name));
    })?;
    spinner.finish_and_clear();
    if let (false, true) = (options.functions.is_empty(), told.functions.is_empty() && told.added.is_empty())
    {
        tracing::warn!("no function of this name changed");
    }
    context.output(&match options.format {
        DeltaFormat::Text => report::text(&told),
        DeltaFormat::Json => report::json(&told),
        DeltaFormat::Md => report::markdown(&told),
        DeltaFormat::Html => report::page(&told),
    })?;
    if context.is_cancelled() {
        return Ok(Outcome::Interrupted);
    }
    Ok(if is_empty {
        Outcome::Undecided
    } else if options.expect == Some(Expected::None) && !is_same(&told) {
        Outcome::Findings
    } else if told.functions.iter().any(|one| one.says == Says::Summary) || !told.missing.is_empty() {
        Outcome::Undecided
    } else {
        Outcome::Done
    })
}

/// Whether nothing is done differently.
fn is_same(told: &Told) -> bool {
    told.functions.iter().all(|one| one.says == Says::Same) && told.variables.is_empty()
}

/// Whether a function is one of those asked about; all are where none is named.
fn is_wanted(wanted: &[String], name: &str, file: &str) -> bool {
    wanted.is_empty()
        || wanted.iter().any(|one| match one.rsplit_once(':') {
            Some((path, function)) => function == name && file.ends_with(path),
            None => one == name,
        })
}
