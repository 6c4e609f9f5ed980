//! What is missing on a machine, and the command that helps.

use crate::columns::table;
use crate::envelope;
use hydrogen_evidence::setup::{Need, Part};

/// The parts as a table.
pub fn text(parts: &[Part]) -> String {
    let row = |part: &Part| {
        let (state, detail) = match (&part.found, part.need) {
            (Ok(place), _) => ("ok", place.clone()),
            (Err(why), Need::Required) => ("MISSING", format!("{why}; try: {}", part.help)),
            (Err(why), Need::Optional) => ("without", format!("{why}; try: {}", part.help)),
        };
        vec![state.to_owned(), part.name.to_owned(), part.what_for.to_owned(), detail]
    };
    table(&parts.iter().map(row).collect::<Vec<_>>())
}

/// The parts as `doctor/1`.
pub fn json(parts: &[Part]) -> String {
    envelope::json("doctor/1", &serde_json::json!({ "parts": parts }))
}
