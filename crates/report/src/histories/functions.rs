//! Which functions two versions have in common, and which changed.

use crate::columns::{plural, table};
use crate::envelope;
use hydrogen_evidence::changed::{Function, Status};
use serde_json::json;

/// The functions as `functions/1`.
pub fn json(changes: &[Function]) -> String {
    let function = |change: &Function| {
        let mut function = json!({
            "name": change.name,
            "file": change.file,
            "line": change.line,
            "status": change.status.to_string(),
        });
        if let Some(reason) = &change.reason {
            function["reason"] = reason.clone().into();
        }
        function
    };
    let functions: Vec<_> = changes.iter().map(function).collect();
    envelope::json("functions/1", &json!({ "functions": functions }))
}

/// The functions as a table; without `all`, those that changed.
pub fn text(changes: &[Function], all: bool) -> String {
    let shown = changes.iter().filter(|change| all || change.status != Status::Unchanged);
    let row = |change: &Function| {
        let reason = change.reason.clone().unwrap_or_default();
        let place = format!("{}:{}", change.file, change.line);
        vec![change.status.to_string(), change.name.clone(), place, reason]
    };
    let rows: Vec<Vec<String>> = shown.map(row).collect();
    let count = |status: Status| changes.iter().filter(|change| change.status == status).count();
    let renamed = match count(Status::Renamed) {
        0 => String::new(),
        count => format!("{count} renamed, "),
    };
    format!(
        "{}{}: {} added, {} deleted, {} updated, {renamed}{} unchanged\n",
        table(&rows),
        plural(changes.len(), "function"),
        count(Status::Added),
        count(Status::Deleted),
        count(Status::Updated),
        count(Status::Unchanged),
    )
}
