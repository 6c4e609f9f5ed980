//! What `compare` says, as text and JSON.

use super::{Row, Side};
use hydrogen_relate::{Method, Proof, Verdict};
use serde_json::{Value, json};
use std::fmt::Write;

/// Everything that is known in the end.
pub struct All<'a> {
    pub old: &'a Side,
    pub new: &'a Side,
    pub rows: &'a [Row],
    pub removed: &'a [String],
    pub added: &'a [String],
    /// Variables whose initial value changed.
    pub variables: &'a [String],
}

fn method(proof: &Proof) -> String {
    let how = match proof.method {
        Method::SameCode => "the same code".to_owned(),
        Method::SameForm => "both compute the same".to_owned(),
        Method::Paths => "on all paths".to_owned(),
        Method::Induction => "by induction over the loops".to_owned(),
    };
    match proof.lemmas.as_slice() {
        [] => how,
        lemmas => format!("{how}, with {} equal", lemmas.join(", ")),
    }
}

pub fn text(all: &All) -> String {
    let mut out = String::new();
    let (mut equal, mut differs, mut open) = (0, 0, 0);
    let mut ledger: Vec<&str> = Vec::new();
    for row in all.rows {
        let _ = match (&row.verdict, &row.runs) {
            (Verdict::Equal(proof), _) => {
                equal += 1;
                for line in &proof.ledger {
                    if !ledger.contains(&line.as_str()) {
                        ledger.push(line);
                    }
                }
                writeln!(out, "equal    {} {} (proved: {})", row.place, row.name, method(proof))
            }
            (_, Some(runs)) if runs.differ => {
                differs += 1;
                writeln!(
                    out,
                    "differs  {} {}\n           {}\n           {}: {}\n           {}: {}",
                    row.place, row.name, runs.call, all.old.name, runs.old, all.new.name, runs.new
                )
            }
            (Verdict::Candidate(candidate), runs) => {
                open += 1;
                let why = runs.as_ref().map_or(String::new(), |runs| {
                    format!("; run, {} {} and {} {}", all.old.name, runs.old, all.new.name, runs.new)
                });
                writeln!(out, "open     {} {}: {} may differ{why}", row.place, row.name, candidate.what)
            }
            (Verdict::Open(reasons), _) => {
                open += 1;
                writeln!(out, "open     {} {}: {}", row.place, row.name, reasons.join("; "))
            }
        };
    }
    for (names, side) in [(all.removed, all.old), (all.added, all.new)] {
        if !names.is_empty() {
            let _ = writeln!(out, "only in {}: {}", side.name, names.join(", "));
        }
    }
    if !all.variables.is_empty() {
        let _ = writeln!(
            out,
            "open     variables that begin with other values: {} (functions are compared for every value)",
            all.variables.join(", ")
        );
    }
    let _ = match all.rows {
        [] => writeln!(out, "no changed function that both versions have"),
        _ => writeln!(out, "{equal} equal, {differs} differ, {open} open"),
    };
    for line in ledger {
        let _ = writeln!(out, "assumed: {line}");
    }
    for side in [all.old, all.new] {
        for missing in &side.missing {
            let _ = writeln!(out, "not read in {}: {missing}", side.name);
        }
    }
    out
}

pub fn json(all: &All) -> Value {
    let function = |row: &Row| {
        let verdict = match &row.verdict {
            Verdict::Equal(_) => "equal",
            _ if row.is_difference() => "differs",
            _ => "open",
        };
        let mut value = json!({ "name": row.name, "place": row.place, "verdict": verdict, "differences": [], "ledger": [] });
        match &row.verdict {
            Verdict::Equal(proof) => {
                value["ledger"] = json!(proof.ledger);
                value["proof"] = json!(proof);
            }
            Verdict::Candidate(candidate) => value["why"] = json!([format!("{} may differ", candidate.what)]),
            Verdict::Open(reasons) => value["why"] = json!(reasons),
        }
        if let Some(runs) = row.runs.as_ref().filter(|runs| runs.differ) {
            value["differences"] = json!([{ "input": runs.call, "old": runs.old, "new": runs.new }]);
        }
        value
    };
    json!({
        "old": all.old.name, "new": all.new.name,
        "functions": all.rows.iter().map(function).collect::<Vec<_>>(),
        "removed": all.removed, "added": all.added, "variables": all.variables,
        "missing": { "old": all.old.missing, "new": all.new.missing },
    })
}
