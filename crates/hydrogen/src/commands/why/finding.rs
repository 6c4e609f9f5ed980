//! `--finding ID`: the same question where there is no input. Why does `check` find a fault since the change?

use crate::cli::WhyOptions;
use crate::commands::Outcome;
use crate::commands::program::{load_and_choose, names};
use crate::commands::review::{Asker, Part};
use crate::context::Context;
use anyhow::{Result, bail};
use hydrogen_why::{Spot, changed_statements};
use serde_json::Value;
use std::fmt::Write;
use std::time::Instant;

pub fn run(context: &Context, options: &WhyOptions, id: &str) -> Result<Outcome> {
    let (old, new) = names(&options.program.programs)?;
    let both = format!("{old}..{new}");
    let part = Part::new("check", &[&both], (&old, &new), (&old, &new)).with_budget();
    let asker = Asker::new(context, Instant::now() + options.budget)?;
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
    let interrupt = context.cancel_flag()?;
    let changed = match load_and_choose(context, &options.program, &interrupt) {
        Ok((two, _)) => changed_statements(two.old.program(), two.new.program()),
        Err(error) => {
            tracing::warn!("which statements of the path changed is not known: {error:#}");
            Vec::new()
        }
    };
    context.output(&told(&finding, &changed, &old))?;
    Ok(Outcome::Findings)
}

/// A finding is named by its fingerprint or the beginning of it, or by its place.
fn is_meant(finding: &Value, id: &str) -> bool {
    finding["fingerprint"].as_str().is_some_and(|all| all.starts_with(id))
        || place(&finding["location"]) == id
}

fn place(spot: &Value) -> String {
    format!("{}:{}", spot["file"].as_str().unwrap_or("?"), spot["line"].as_u64().unwrap_or(0))
}

fn named(finding: &Value) -> String {
    let id = finding["fingerprint"].as_str().unwrap_or("");
    format!("{} ({})", &id[..id.len().min(12)], place(&finding["location"]))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("")
}

/// The answer: what goes wrong, how it is come to, and what of that is part of the change.
fn told(finding: &Value, changed: &[Spot], old: &str) -> String {
    let location = &finding["location"];
    let is_changed = |spot: &Value| {
        changed.iter().find(|one| {
            one.side == hydrogen_why::Side::New
                && Some(one.file.as_str()) == spot["file"].as_str()
                && Some(u64::from(one.line)) == spot["line"].as_u64()
        })
    };
    let verdicts = finding["verdicts"].as_array().cloned().unwrap_or_default();
    let present = verdicts.iter().rev().find(|ruling| ruling["verdict"] == "present").or(verdicts.last());
    let none = Value::Null;
    let evidence = present.map_or(&none, |ruling| &ruling["evidence"]);
    let path = evidence["path"].as_array().cloned().unwrap_or_default();
    // The nearest to the fault is the likeliest.
    let reason = path.iter().rev().find_map(is_changed).or_else(|| is_changed(location));
    let mut out = format!("{}: {}", place(location), text(&finding["message"]));
    let _ = match reason {
        Some(spot) => {
            writeln!(out, "; the change comes to it at {}:{}: `{}`", spot.file, spot.line, spot.text)
        }
        None if changed.is_empty() => writeln!(out),
        None => writeln!(out, "; no changed statement lies on its path: something that kept it away is gone"),
    };
    let _ = writeln!(out, "{} of {}", text(&finding["kind"]), text(&finding["function"]));
    for ruling in &verdicts {
        let _ = writeln!(out, "  {}: {}", text(&ruling["version"]), text(&ruling["verdict"]));
    }
    if !path.is_empty() {
        out.push_str("\nthe way to it (+ is part of the change):\n");
    }
    for spot in &path {
        let mark = if is_changed(spot).is_some() { '+' } else { ' ' };
        let notes: Vec<&str> =
            spot["notes"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let notes = if notes.is_empty() { String::new() } else { format!("    {}", notes.join(", ")) };
        let _ = writeln!(
            out,
            "{mark} {} in {}: {}{notes}",
            place(spot),
            text(&spot["function"]),
            text(&spot["text"])
        );
    }
    if !text(&evidence["constraint"]).is_empty() {
        let _ = writeln!(out, "\nit happens where {}", text(&evidence["constraint"]));
    }
    for value in evidence["model"].as_array().into_iter().flatten() {
        let _ = writeln!(out, "  {} = {}", text(&value["name"]), text(&value["value"]));
    }
    if !evidence["input"].is_null() {
        let _ = writeln!(out, "it was run, with {}", evidence["input"]);
    }
    let gone: Vec<String> = changed
        .iter()
        .filter(|spot| {
            spot.side == hydrogen_why::Side::Old
                && Some(spot.function.as_str()) == finding["function"].as_str()
        })
        .map(|spot| format!("{}:{} `{}`", spot.file, spot.line, spot.text))
        .collect();
    if !gone.is_empty() {
        let _ = writeln!(out, "\nonly {old} has, in that function: {}", crate::output::shortened(gone, ", "));
    }
    out
}
