//! What became of a statement or a function over versions.

use crate::columns::table;
use crate::envelope;
use hydrogen_evidence::lineage::{By, Entry};
use serde_json::json;

/// The entries as a table.
pub fn text(entries: &[Entry]) -> String {
    let row = |entry: &Entry| {
        let by = |one: fn(&By) -> &Option<String>| entry.by.as_ref().and_then(|by| one(by).clone());
        let cells = [
            entry.version.clone(),
            by(|by| &by.date),
            Some(entry.event.clone()),
            Some(entry.text.clone()),
            by(|by| &by.author),
            by(|by| &by.summary),
        ];
        cells.map(Option::unwrap_or_default).to_vec()
    };
    table(&entries.iter().map(row).collect::<Vec<_>>())
}

/// The entries as `history/1`.
pub fn json(entries: &[Entry]) -> String {
    envelope::json("history/1", &json!({ "history": entries }))
}
