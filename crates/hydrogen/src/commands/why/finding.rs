//! `--finding ID`: the same question where there is no input. Why does `check` find a fault since the change?

use crate::cli::WhyOptions;
use crate::commands::Outcome;
use crate::commands::program::{load_and_choose, names};
use crate::commands::review::{Asker, Part};
use crate::context::Context;
use anyhow::{Result, bail};
use hydrogen_report::why::{finding_place, finding_text};
use hydrogen_why::changed_statements;
use serde_json::Value;
use std::time::Instant;

pub fn run(context: &Context, options: &WhyOptions, id: &str) -> Result<Outcome> {
    let (old, new) = names(&options.program.programs)?;
    let both = format!("{old}..{new}");
    let part = Part::new("check", &[&both], (&old, &new), (&old, &new)).with_budget();
    let asker = Asker::new(context, Instant::now() + options.budget, &context.cancel_flag())?;
    let answer = match asker.ask(&[part]).pop() {
        Some((_, Ok(answer))) => answer,
        Some((_, Err(why))) => bail!("`hydrogen check {both}` gave no answer: {why}"),
        None => bail!("`hydrogen check {both}` gave no answer"),
    };
    let all = answer["findings"].as_array().cloned().unwrap_or_default();
    let finding = match all.iter().filter(|finding| is_meant(finding, id)).collect::<Vec<_>>().as_slice() {
        [one] => (*one).clone(),
        [] => {
            let known: Vec<String> = all.iter().map(named).collect();
            let known = if known.is_empty() { "it has none".into() } else { known.join(", ") };
            bail!("`hydrogen check {both}` has no finding `{id}`: {known}")
        }
        several => {
            let known: Vec<String> = several.iter().map(|one| named(one)).collect();
            bail!("`{id}` is the name of several findings: {}", known.join(", "))
        }
    };
    // The change is looked at as it is compiled; where that does not work, the path alone is told.
    let interrupt = context.cancel_flag();
    let changed = match load_and_choose(context, &options.program, &interrupt) {
        Ok((two, _)) => changed_statements(two.old.program(), two.new.program()),
        Err(error) => {
            tracing::warn!("which statements of the path changed is not known: {error:#}");
            Vec::new()
        }
    };
    context.output(&finding_text(&finding, &changed, &old))?;
    Ok(Outcome::Findings)
}

/// A finding is named by its fingerprint or the beginning of it, or by its place.
fn is_meant(finding: &Value, id: &str) -> bool {
    finding["fingerprint"].as_str().is_some_and(|all| all.starts_with(id))
        || finding_place(&finding["location"]) == id
}

fn named(finding: &Value) -> String {
    let id = finding["fingerprint"].as_str().unwrap_or("");
    format!("{} ({})", &id[..id.len().min(12)], finding_place(&finding["location"]))
}
