//! What two versions of functions give back, case by case.

use crate::columns::plural;
use crate::envelope;
use hydrogen_evidence::deltas::{Case, Deltas, Shown};
use serde_json::json;

/// The functions with their cases as lines.
pub fn deltas_text(all: &[Deltas]) -> String {
    let mut out = String::new();
    let (mut equal, mut open) = (0, 0);
    for function in all {
        out.push_str(&format!("{} {}\n", function.place, function.name));
        let cases = match &function.cases {
            Ok(cases) => cases,
            Err(reason) => {
                open += 1;
                out.push_str(&format!("  not known: {reason}\n"));
                continue;
            }
        };
        for (side, list) in [("old", &cases.old), ("new", &cases.new)] {
            let line = |case: &Case| format!("  {side}  {}: {}\n", case.when, case.gives);
            out.extend(list.iter().map(line));
        }
        equal += usize::from(cases.deltas.iter().all(|delta| delta.shown == Shown::Nothing));
        for delta in &cases.deltas {
            out.push_str(&format!("  delta  {}: {} became {}\n", delta.when, delta.old, delta.new));
            let opened = if delta.common { ", once the common code is looked into" } else { "" };
            out.push_str(&match &delta.shown {
                Shown::Nothing => {
                    format!("         no input has {}{opened}: both give the same there\n", delta.witness)
                }
                Shown::Input(input) => {
                    let given: Vec<String> =
                        input.iter().map(|(name, value)| format!("{name} = {value}")).collect();
                    format!("         an input with {}{opened}: {}\n", delta.witness, given.join(", "))
                }
                Shown::Unknown => {
                    format!("         whether some input has {} is not known{opened}\n", delta.witness)
                }
            });
        }
    }
    let differ = all.len() - equal - open;
    out + &format!(
        "{}: {equal} give back the same, {differ} something else, {open} not known; what they do besides is not looked at\n",
        plural(all.len(), "function")
    )
}

/// The same as `compare-deltas/1`.
pub fn deltas_json(all: &[Deltas]) -> String {
    let function = |one: &Deltas| match &one.cases {
        Ok(cases) => {
            json!({ "name": one.name, "place": one.place, "old": cases.old, "new": cases.new, "deltas": cases.deltas })
        }
        Err(reason) => json!({ "name": one.name, "place": one.place, "reason": reason }),
    };
    envelope::json("compare-deltas/1", &json!({ "functions": all.iter().map(function).collect::<Vec<_>>() }))
}
