//! The orders in which runs came to changes, and the changes that a difference needs together.

use hydrogen_evidence::exposed::{Sequence, Sequences};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// So many are listed, and so many places of each.
const MOST: usize = 12;
const LONGEST: usize = 16;

pub(super) fn text(sequences: &Sequences) -> String {
    let mut out = String::new();
    let tests: usize = sequences.all.iter().map(|one| one.tests).sum();
    let differ = sequences.all.iter().filter(|one| one.differ > 0).count();
    let _ = writeln!(
        out,
        "{tests} tests execute the changes in {} orders; behind {differ} of them the versions differ",
        sequences.all.len()
    );
    for one in sequences.all.iter().take(MOST) {
        let mut places = one.places.clone();
        let more = places.len().saturating_sub(LONGEST);
        places.truncate(LONGEST);
        if more > 0 {
            places.push(format!("… {more} more"));
        }
        let order = if places.is_empty() { "no change".to_owned() } else { places.join(", ") };
        let _ = writeln!(out, "    {order}: {} tests, {} differ", one.tests, one.differ);
    }
    if sequences.all.len() > MOST {
        let _ = writeln!(out, "    … {} orders more", sequences.all.len() - MOST);
    }
    if sequences.critical.len() > 1 {
        let _ = writeln!(
            out,
            "these changes together: every test that differs executes them in this order, and a test need not"
        );
        for (place, text) in &sequences.critical {
            let _ = writeln!(out, "    {place}  {text}");
        }
    }
    out
}

pub(super) fn json(sequences: &Sequences) -> Value {
    let one = |one: &Sequence| json!({"changes": one.places, "tests": one.tests, "differ": one.differ});
    let critical: Vec<&String> = sequences.critical.iter().map(|(place, _)| place).collect();
    json!({"orders": sequences.all.iter().map(one).collect::<Vec<_>>(), "critical": critical})
}
