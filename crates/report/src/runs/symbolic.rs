//! Conditions on the input, and outputs as expressions over it.

use super::end::line;
use crate::columns::table;
use hydrogen_evidence::{Condition, ConditionKind, Output, Symbolic, Table, TableRow};
use serde_json::{Value, json};
use std::fmt::Write;

/// Where a condition is, for people.
fn place(condition: &Condition) -> String {
    let place = &condition.place;
    match !place.users || place.line == 0 {
        true => format!("in {}", place.function),
        false => format!("{}:{}", place.file, place.line),
    }
}

/// Conditions, one per line, with their places; `none` stands for none.
pub(super) fn list(out: &mut String, conditions: &[&Condition], none: &str) {
    const WIDEST: usize = 60;
    let width = conditions.iter().map(|one| one.text.chars().count()).max().unwrap_or(0).min(WIDEST);
    for one in conditions {
        let _ = writeln!(out, "    {:width$}  {}", one.text, place(one));
    }
    if conditions.is_empty() {
        let _ = writeln!(out, "    ({none})");
    }
}

pub(super) fn outputs(out: &mut String, outputs: &[Output]) {
    for one in outputs {
        let _ = writeln!(out, "    {} = {}", one.name, one.text);
    }
}

pub(super) fn text(out: &mut String, symbolic: &Symbolic) {
    line(out, "for every input with");
    // That nothing overflowed is a matter of course; JSON has it.
    let told = symbolic.conditions.iter().filter(|one| one.kind != ConditionKind::NoFault);
    list(out, &told.collect::<Vec<_>>(), "any");
    line(out, "the outputs are");
    outputs(out, &symbolic.outputs);
    for (why, place, count) in &symbolic.concretised {
        let times = if *count == 1 { String::new() } else { format!(" ({count} times)") };
        let at = if place.users { format!("{}:{}", place.file, place.line) } else { place.function.clone() };
        line(out, format!("note: {why} was not followed{times} at {at}; the condition fixes its value"));
    }
    line(out, format!("{} instructions had operands that depend on the input", symbolic.dependent));
    if let Some(found) = &symbolic.table {
        rows(out, found);
    }
}

/// A run line by line.
fn rows(out: &mut String, found: &Table) {
    let row = |row: &TableRow| {
        let set: Vec<String> = row.values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let at = format!("{}:{}", row.place.file, row.place.line);
        vec![at, set.join(", "), row.condition.join(" && ")]
    };
    let mut all = vec![["line", "sets", "asks"].map(str::to_owned).to_vec()];
    all.extend(found.rows.iter().map(row));
    out.push_str(&table(&all));
    if found.cut {
        line(out, "and so on: longer tables are cut");
    }
}

fn table_json(found: &Table) -> Value {
    let row = |row: &TableRow| {
        let values = row.values.iter().map(|(name, value)| json!({ "name": name, "value": value }));
        json!({
            "file": row.place.file, "line": row.place.line, "function": row.place.function,
            "values": values.collect::<Vec<Value>>(), "condition": row.condition,
        })
    };
    json!({ "rows": found.rows.iter().map(row).collect::<Vec<Value>>(), "cut": found.cut })
}

pub(super) fn condition_json(condition: &Condition) -> Value {
    let place = &condition.place;
    json!({
        "text": condition.text, "kind": condition.kind.word(), "file": place.file, "line": place.line,
        "column": place.column, "function": place.function, "library": !place.users, "instance": condition.instance,
    })
}

pub(super) fn output_json(output: &Output) -> Value {
    json!({ "name": output.name, "text": output.text, "symbolic": output.symbolic })
}

pub(super) fn json(symbolic: &Symbolic) -> serde_json::Map<String, Value> {
    let concretised = symbolic.concretised.iter().map(|(why, place, count)| {
        json!({ "why": why, "file": place.file, "line": place.line, "function": place.function, "count": count })
    });
    let conditions = symbolic.conditions.iter().map(condition_json);
    let outputs = symbolic.outputs.iter().map(output_json);
    let mut fields = serde_json::Map::new();
    fields.insert("condition".into(), conditions.collect());
    fields.insert("outputs".into(), outputs.collect());
    fields.insert("concretised".into(), concretised.collect());
    fields.insert("dependent".into(), symbolic.dependent.into());
    if let Some(found) = &symbolic.table {
        fields.insert("table".into(), table_json(found));
    }
    fields
}
