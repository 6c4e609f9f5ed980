//! `hydrogen versions`.

use super::Outcome;
use crate::cli::TableFormat;
use crate::context::Context;
use crate::output;
use anyhow::Result;
use hydrogen_history::version::{Source, Version};
use hydrogen_model::{Modeller, State};
use serde_json::json;

pub fn run(context: &Context, names: &[String], format: TableFormat) -> Result<Outcome> {
    let defaults = ["*".to_owned(), "HEAD".to_owned()];
    let versions = match names {
        // A repository without tags still has a HEAD.
        [] => context.resolve(&defaults).or_else(|_| context.resolve(&defaults[1..]))?,
        names => context.resolve(names)?,
    };
    let modeller = context.modeller()?;
    let states = versions.iter().map(|version| Ok((version, modeller.state(version)?)));
    let states: Vec<(&Version, State)> = states.collect::<Result<_>>()?;
    drop::<Modeller>(modeller);
    context.output(&match format {
        TableFormat::Json => as_json(&states),
        TableFormat::Text => as_text(&states),
    })?;
    Ok(Outcome::Done)
}

fn as_text(states: &[(&Version, State)]) -> String {
    let mut rows = vec![["version", "is", "date", "built by", "model", "about"].map(str::to_owned).to_vec()];
    for (version, state) in states {
        let (is, date, about) = describe(version);
        let model = match &state.cached {
            None => "not yet".to_owned(),
            Some(record) if record.failed == 0 => format!("{} units", record.units),
            Some(record) => format!("{} units, {} failed", record.units, record.failed),
        };
        rows.push(vec![version.name.clone(), is, date, state.how.clone(), model, about]);
    }
    output::table(&rows)
}

/// What the version is, its date and its subject.
fn describe(version: &Version) -> (String, String, String) {
    match &version.source {
        Source::Commit(commit) => {
            let short = commit.commit.chars().take(10).collect();
            (short, commit.date(), commit.summary.clone())
        }
        Source::Directory(path) => ("folder".into(), String::new(), path.display().to_string()),
        Source::Bitcode(path) => ("bitcode".into(), String::new(), path.display().to_string()),
    }
}

fn as_json(states: &[(&Version, State)]) -> String {
    let version = |(version, state): &(&Version, State)| {
        let mut value = json!({ "name": version.name, "built_by": state.how });
        match &version.source {
            Source::Commit(commit) => {
                value["commit"] = commit.commit.clone().into();
                value["tree"] = commit.tree.clone().into();
                value["parents"] = commit.parents.clone().into();
                value["author"] = commit.author.clone().into();
                value["date"] = commit.date().into();
                value["summary"] = commit.summary.clone().into();
            }
            Source::Directory(path) | Source::Bitcode(path) => {
                value["path"] = path.display().to_string().into();
            }
        }
        value["cached"] = match &state.cached {
            None => serde_json::Value::Null,
            Some(record) => json!({ "units": record.units, "failed": record.failed }),
        };
        value
    };
    let versions: Vec<_> = states.iter().map(version).collect();
    output::json("versions/1", &json!({ "versions": versions }))
}
