//! `hydrogen history FILE:LINE|FUNCTION V…`.

use super::Outcome;
use crate::cli::TableFormat;
use crate::context::Context;
use crate::{graphs, output};
use anyhow::{Context as _, Result, bail};
use hydrogen_graph::{Graph, NodeId, VersionId};
use serde_json::{Value, json};

pub fn run(
    context: &Context,
    place: &str,
    names: &[String],
    syntax: bool,
    format: TableFormat,
) -> Result<Outcome> {
    let graph = graphs::plain(context, names, syntax)?;
    let entries = match statement(place) {
        Some((file, line)) => of_statements(&graph, file, line)?,
        None => of_function(&graph, place)?,
    };
    context.output(&match format {
        TableFormat::Json => output::json(&json!({ "history": entries })),
        TableFormat::Text => as_text(&entries),
    })?;
    Ok(Outcome::Done)
}

/// FILE:LINE, when it is one.
fn statement(place: &str) -> Option<(&str, u32)> {
    let (file, line) = place.rsplit_once(':')?;
    Some((file, line.parse().ok()?))
}

fn of_statements(graph: &Graph, file: &str, line: u32) -> Result<Vec<Value>> {
    let newest = graph.newest().context("the graph has a version")?;
    let nodes = graph.nodes_at(newest, file, line);
    if nodes.is_empty() {
        let name = &graph.versions()[newest.index()].name;
        bail!("no statement of {name} begins at {file}:{line}; the line counts in the newest version given");
    }
    Ok(nodes.into_iter().flat_map(|node| events(graph, node)).collect())
}

fn events(graph: &Graph, node: NodeId) -> Vec<Value> {
    let history = graph.node_history(node);
    let event = |version: &VersionId, what: &str| {
        let line = graph.node_in(node, *version).then(|| graph.line(node, *version)).flatten();
        entry(graph, *version, what, &graph.label(node), line)
    };
    let mut all: Vec<(VersionId, Value)> = Vec::new();
    all.extend(history.introduced.iter().map(|version| (*version, event(version, "introduced"))));
    all.extend(
        history
            .first_seen
            .iter()
            .map(|version| (*version, event(version, "first seen (its file could not be read before)"))),
    );
    all.extend(
        history
            .unread
            .iter()
            .map(|version| (*version, event(version, "unknown (its file could not be read)"))),
    );
    all.extend(history.changed.iter().map(|version| (*version, event(version, "changed meaning"))));
    all.extend(history.removed.iter().map(|version| (*version, event(version, "removed"))));
    all.sort_by_key(|(version, _)| *version);
    all.into_iter().map(|(_, value)| value).collect()
}

fn of_function(graph: &Graph, name: &str) -> Result<Vec<Value>> {
    let chains = graph.chains_named(name);
    let mut entries = Vec::new();
    for chain in chains {
        for (version, events) in graph.chain_history(chain) {
            for event in events {
                entries.push(entry(graph, version, &event.to_string(), name, None));
            }
        }
    }
    if entries.is_empty() {
        bail!("no version defines a function `{name}`");
    }
    Ok(entries)
}

fn entry(graph: &Graph, version: VersionId, what: &str, text: &str, line: Option<u32>) -> Value {
    let info = &graph.versions()[version.index()];
    json!({
        "version": info.name,
        "event": what,
        "text": text,
        "line": line,
        "commit": info.commit,
        "author": info.author,
        "date": info.date,
        "summary": info.summary,
    })
}

fn as_text(entries: &[Value]) -> String {
    let cell = |entry: &Value, key: &str| match &entry[key] {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    let keys = ["version", "date", "event", "text", "author", "summary"];
    let rows: Vec<Vec<String>> =
        entries.iter().map(|entry| keys.iter().map(|key| cell(entry, key)).collect()).collect();
    output::table(&rows)
}
