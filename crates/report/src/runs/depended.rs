//! What depends on what in a program, as text and JSON.

use crate::envelope;
use hydrogen_evidence::depended::{Decides, Depended, Sides, Spot};
use serde_json::{Value, json};
use std::fmt::Write;

/// Longer texts of statements are cut.
const WIDEST: usize = 60;

/// For people.
pub fn text(found: &Depended) -> String {
    let mut out = String::new();
    match found {
        Depended::Control(rows) => {
            let mut function = None;
            for (spot, decided) in rows {
                let here = Some((&spot.file, &spot.function));
                if function != here {
                    let gap = if function.is_some() { "\n" } else { "" };
                    let _ = writeln!(out, "{gap}{}: {}", spot.file, spot.function);
                    function = here;
                }
                let by: Vec<String> = decided.iter().map(said).collect();
                let by = if by.is_empty() { "always".to_owned() } else { by.join(", ") };
                let _ = writeln!(out, "{:6}  {by:<16} {}", spot.line, short(&spot.text));
            }
        }
        Depended::Distance(place, rows) => {
            let _ = writeln!(out, "branches to decide before {place}, on each side of a branch");
            for (spot, sides) in rows {
                let _ = writeln!(out, "{}:{}  {}", spot.file, spot.line, short(&spot.text));
                for (side, distance) in sides {
                    let far =
                        distance.map_or("does not lead there".to_owned(), |distance| distance.to_string());
                    let _ = writeln!(out, "    to line {:<6} {far}", side.line);
                }
            }
        }
        Depended::Uses(place, rows) => {
            if rows.is_empty() {
                let _ = writeln!(out, "{place} sets nothing");
            }
            for (variable, uses) in rows {
                let _ = writeln!(out, "{place} sets {variable}");
                for spot in uses {
                    let _ = writeln!(out, "    read by {}:{}  {}", spot.file, spot.line, short(&spot.text));
                }
                if uses.is_empty() {
                    let _ = writeln!(out, "    nobody reads that");
                }
            }
        }
    }
    out
}

fn said(by: &Decides) -> String {
    format!("{} {}", by.line, by.outcome)
}

fn short(text: &str) -> String {
    match text.chars().count() > WIDEST {
        true => text.chars().take(WIDEST).collect::<String>() + "…",
        false => text.to_owned(),
    }
}

/// For programs.
pub fn json(found: &Depended) -> String {
    let place = |spot: &Spot| json!({ "file": spot.file, "line": spot.line, "function": spot.function, "text": spot.text });
    let value = match found {
        Depended::Control(rows) => {
            let by = |by: &Decides| json!({ "line": by.line, "outcome": by.outcome });
            let row = |(spot, decided): &(Spot, Vec<Decides>)| {
                with(place(spot), "decided_by", decided.iter().map(by).collect())
            };
            json!({ "control": rows.iter().map(row).collect::<Vec<Value>>() })
        }
        Depended::Distance(to, rows) => {
            let side = |(side, far): &(Spot, Option<u64>)| json!({ "line": side.line, "distance": far });
            let row =
                |(spot, sides): &(Spot, Sides)| with(place(spot), "sides", sides.iter().map(side).collect());
            json!({ "to": to, "branches": rows.iter().map(row).collect::<Vec<Value>>() })
        }
        Depended::Uses(of, rows) => {
            let row = |(variable, uses): &(String, Vec<Spot>)| json!({ "variable": variable, "uses": uses.iter().map(place).collect::<Vec<Value>>() });
            json!({ "of": of, "definitions": rows.iter().map(row).collect::<Vec<Value>>() })
        }
    };
    envelope::json("depends/1", &value)
}

fn with(mut value: Value, name: &str, list: Vec<Value>) -> Value {
    if let Some(object) = value.as_object_mut() {
        object.insert(name.to_owned(), list.into());
    }
    value
}
