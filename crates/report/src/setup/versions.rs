//! The versions that can be asked about.

use crate::columns::table;
use crate::envelope;
use hydrogen_evidence::setup::{VersionKind, VersionState};
use serde_json::json;

/// The versions as a table.
pub fn text(states: &[VersionState]) -> String {
    let mut rows = vec![["version", "is", "date", "built by", "model", "about"].map(str::to_owned).to_vec()];
    for state in states {
        let (is, date, about) = match &state.is {
            VersionKind::Commit { commit, date, summary, .. } => {
                (commit.chars().take(10).collect(), date.clone(), summary.clone())
            }
            VersionKind::Path(kind, path) => ((*kind).to_owned(), String::new(), path.clone()),
        };
        let model = match &state.cached {
            None => "not yet".to_owned(),
            Some(record) if record.failed == 0 => format!("{} units", record.units),
            Some(record) => format!("{} units, {} failed", record.units, record.failed),
        };
        rows.push(vec![state.name.clone(), is, date, state.built_by.clone(), model, about]);
    }
    table(&rows)
}

/// The versions as `versions/1`.
pub fn json(states: &[VersionState]) -> String {
    let version = |state: &VersionState| {
        let mut value = json!({ "name": state.name, "built_by": state.built_by });
        match &state.is {
            VersionKind::Commit { commit, tree, parents, author, date, summary } => {
                value["commit"] = commit.clone().into();
                value["tree"] = tree.clone().into();
                value["parents"] = parents.clone().into();
                value["author"] = author.clone().into();
                value["date"] = date.clone().into();
                value["summary"] = summary.clone().into();
            }
            VersionKind::Path(_, path) => value["path"] = path.clone().into(),
        }
        value["cached"] = json!(state.cached);
        value
    };
    let versions: Vec<_> = states.iter().map(version).collect();
    envelope::json("versions/1", &json!({ "versions": versions }))
}
