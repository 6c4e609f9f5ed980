//! `--finding ID`: the same question where there is no input: a fault that `check` finds since the change, as it told it in JSON.

use crate::columns::shortened;
use hydrogen_evidence::why::{Side, Spot};
use serde_json::Value;
use std::fmt::Write;

/// Where a finding, or a step of the way to it, is.
pub fn place(spot: &Value) -> String {
    format!("{}:{}", spot["file"].as_str().unwrap_or("?"), spot["line"].as_u64().unwrap_or(0))
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or("")
}

/// The answer: what goes wrong, how it is come to, and what of that is part of the change.
pub fn text(finding: &Value, changed: &[Spot], old: &str) -> String {
    let location = &finding["location"];
    let is_changed = |spot: &Value| {
        changed.iter().find(|one| {
            one.side == Side::New
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
    let mut out = format!("{}: {}", place(location), word(&finding["message"]));
    let _ = match reason {
        Some(spot) => {
            writeln!(out, "; the change comes to it at {}:{}: `{}`", spot.file, spot.line, spot.text)
        }
        None if changed.is_empty() => writeln!(out),
        None => writeln!(out, "; no changed statement lies on its path: something that kept it away is gone"),
    };
    let _ = writeln!(out, "{} of {}", word(&finding["kind"]), word(&finding["function"]));
    for ruling in &verdicts {
        let _ = writeln!(out, "  {}: {}", word(&ruling["version"]), word(&ruling["verdict"]));
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
            word(&spot["function"]),
            word(&spot["text"])
        );
    }
    if !word(&evidence["constraint"]).is_empty() {
        let _ = writeln!(out, "\nit happens where {}", word(&evidence["constraint"]));
    }
    for value in evidence["model"].as_array().into_iter().flatten() {
        let _ = writeln!(out, "  {} = {}", word(&value["name"]), word(&value["value"]));
    }
    if !evidence["input"].is_null() {
        let _ = writeln!(out, "it was run, with {}", evidence["input"]);
    }
    let gone: Vec<String> = changed
        .iter()
        .filter(|spot| spot.side == Side::Old && Some(spot.function.as_str()) == finding["function"].as_str())
        .map(|spot| format!("{}:{} `{}`", spot.file, spot.line, spot.text))
        .collect();
    if !gone.is_empty() {
        let _ = writeln!(out, "\nonly {old} has, in that function: {}", shortened(gone, ", "));
    }
    out
}
