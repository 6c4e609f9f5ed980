//! A slice for people and for programs.

use super::{Sources, end};
use crate::columns::table;
use crate::envelope;
use hydrogen_evidence::End;
use hydrogen_evidence::sliced::{Execution, Explained, ExplainedRow, Sliced};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Rows and characters of a cell of an explanation that are shown unasked.
const ROWS: usize = 200;
const WIDEST: usize = 70;

/// For people: the functions with lines in the slice, or the way back if it was explained.
pub fn text(slice: &Sliced<'_>, sources: &dyn Sources, colour: bool) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{} slice of {}: {} of {} executed instructions, {} of {} executed lines",
        slice.kind,
        slice.criterion,
        slice.sliced,
        slice.executed,
        slice.lines.values().filter(|line| line.sliced > 0).count(),
        slice.lines.len()
    );
    match slice.end {
        End::Limit(limit, _) => {
            let _ = writeln!(out, "the run was stopped before its end: {limit}");
        }
        End::Fault(fault) if !slice.criterion.starts_with("the fault") => {
            let _ = writeln!(out, "the run ended with a fault: {}: {}", fault.kind, fault.message);
        }
        _ => {}
    }
    if let Some(explanation) = &slice.explanation {
        out.push('\n');
        out.push_str(&explained(explanation));
        return out;
    }
    if let Some(all) = &slice.executions {
        out.push('\n');
        out.push_str(&executions(all));
        return out;
    }
    let _ = writeln!(out, "* in the slice   . executed   (nothing) not executed");
    let mut last = "";
    let mut shown = BTreeSet::new();
    for (file, from, to) in &slice.functions {
        let text = sources.lines(file);
        if file != last {
            let note = if text.is_none() { " (its text is not here)" } else { "" };
            let _ = writeln!(out, "\n{file}{note}");
        } else {
            let _ = writeln!(out, "     ⋮");
        }
        for number in *from..=*to {
            shown.insert((file.clone(), number));
            let line = text.as_ref().and_then(|text| text.get(number as usize - 1));
            one_line(&mut out, slice, (file, number), line.map_or("", String::as_str), colour);
        }
        last = file;
    }
    // Lines outside of the listed functions: macros and included code.
    let others = slice.lines.iter().filter(|(at, line)| line.sliced > 0 && !shown.contains(*at));
    for ((file, number), _) in others {
        let _ = writeln!(out, "* {file}:{number}");
    }
    out
}

/// Executions of lines that are in the slice, with what they depend on.
fn executions(all: &[Execution]) -> String {
    let name = |at: usize| all.get(at).map_or(String::new(), |one| format!("{}#{}", one.line, one.nth));
    let mut rows = vec![["execution", "decided by", "values from"].map(str::to_owned).to_vec()];
    for one in all.iter().filter(|one| one.sliced) {
        let from: Vec<String> = one.data.iter().map(|at| name(*at)).collect();
        let by = one.control.map_or("the start".to_owned(), name);
        rows.push(vec![format!("{}:{}#{}", one.file, one.line, one.nth), by, from.join(", ")]);
    }
    let more = rows.len().saturating_sub(ROWS + 1);
    rows.truncate(ROWS + 1);
    let mut out = table(&rows);
    if more > 0 {
        let _ = writeln!(out, "and {more} more; --format json has all");
    }
    out
}

fn executions_json(all: &[Execution]) -> Value {
    let one = |(number, one): (usize, &Execution)| {
        json!({
            "number": number, "file": one.file, "line": one.line, "nth": one.nth, "control": one.control,
            "data": one.data, "sliced": one.sliced,
        })
    };
    all.iter().enumerate().map(one).collect()
}

fn one_line(out: &mut String, slice: &Sliced<'_>, (file, number): (&str, u32), text: &str, colour: bool) {
    let counted = slice.lines.get(&(file.to_owned(), number));
    let (mark, style) = match counted {
        Some(line) if line.sliced > 0 => ('*', "\x1b[1;32m"),
        Some(_) => ('.', ""),
        None => (' ', "\x1b[2m"),
    };
    let line = format!("{number:6} {mark} {text}");
    let line = line.trim_end();
    let _ = match colour && !style.is_empty() {
        true => writeln!(out, "{style}{line}\x1b[0m"),
        false => writeln!(out, "{line}"),
    };
}

/// The same for programs.
pub fn json(slice: &Sliced<'_>) -> String {
    let mut files: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for ((file, line), count) in &slice.lines {
        let value = json!({ "line": line, "executed": count.executed, "sliced": count.sliced });
        files.entry(file).or_default().push(value);
    }
    let files: Vec<Value> =
        files.into_iter().map(|(file, lines)| json!({ "file": file, "lines": lines })).collect();
    envelope::json(
        "slice/1",
        &json!({
            "criterion": slice.criterion,
            "kind": slice.kind,
            "end": end::json(slice.end),
            "instructions": { "executed": slice.executed, "sliced": slice.sliced },
            "precise": slice.precise,
            "files": files,
            "explanation": slice.explanation.as_ref().map(explained_json),
            "executions": slice.executions.as_ref().map(|all| executions_json(all)),
        }),
    )
}

fn short(text: String) -> String {
    match text.chars().count() > WIDEST {
        true => text.chars().take(WIDEST).collect::<String>() + "…",
        false => text,
    }
}

/// The way back along a slice, line by line.
fn explained(explanation: &Explained) -> String {
    let mut rows = vec![["line", "values", "to explain", "condition"].map(str::to_owned).to_vec()];
    for row in explanation.rows.iter().take(ROWS) {
        let at = match &row.place {
            None => "(what is explained)".to_owned(),
            Some(place) if place.line == 0 => format!("in {}", place.function),
            Some(place) => format!("{}:{}", place.file, place.line),
        };
        let values: Vec<String> =
            row.values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let condition = if row.condition.is_empty() { "true".to_owned() } else { row.condition.join(" && ") };
        rows.push(vec![at, short(values.join(", ")), short(row.open.join(", ")), short(condition)]);
    }
    let mut out = table(&rows);
    if explanation.rows.len() > ROWS {
        out.push_str(&format!("and {} more lines; --format json has them\n", explanation.rows.len() - ROWS));
    }
    if explanation.cut {
        out.push_str("the way back is longer: the rest is not explained\n");
    }
    out
}

fn explained_json(explanation: &Explained) -> Value {
    let row = |row: &ExplainedRow| {
        let (file, line, function) =
            row.place.as_ref().map_or(("", 0, ""), |place| (&place.file, place.line, &place.function));
        let values: Vec<Value> =
            row.values.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect();
        json!({
            "file": file, "line": line, "function": function, "values": values,
            "to_explain": row.open, "condition": row.condition,
        })
    };
    let rows: Vec<Value> = explanation.rows.iter().map(row).collect();
    json!({ "rows": rows, "cut": explanation.cut })
}
