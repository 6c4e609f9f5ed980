//! `hydrogen diff OLD NEW`.

mod paths;

use super::Outcome;
use crate::cli::TableFormat;
use crate::context::Context;
use crate::{graphs, output};
use anyhow::{Result, bail};
use hydrogen_graph::{ChainId, Diff, Graph, NodeId, VersionId};
use hydrogen_ir::canonical;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

pub struct Options {
    pub syntax: bool,
    /// List at most so many paths of each function that only one of the versions has.
    pub paths: Option<usize>,
    pub function: Option<String>,
    pub format: TableFormat,
}

pub fn run(context: &Context, names: &[String], options: Options) -> Result<Outcome> {
    let graph = graphs::plain(context, names, options.syntax)?;
    if graph.versions().len() != 2 {
        // Two names of one version, or a version that could not be read.
        if graph.versions().len() == 1 && names.windows(2).all(|pair| pair[0] == pair[1]) {
            context.output("no difference\n")?;
            return Ok(Outcome::Done);
        }
        bail!("two versions are needed, and {} could be read", graph.versions().len());
    }
    let mut diff = graph.diff(OLD, NEW);
    let mut changes = changes(&graph, &diff);
    if let Some(name) = &options.function {
        let wanted = graph.chains_named(name);
        anyhow::ensure!(!wanted.is_empty(), "no version defines a function `{name}`");
        diff.renamed.retain(|chain| wanted.contains(chain));
        diff.unread.chains.retain(|chain| wanted.contains(chain));
        changes.retain(|chain, _| wanted.contains(chain));
    }
    context.output(&match (options.format, options.paths) {
        (TableFormat::Text, None) => as_text(&graph, &diff, &changes),
        (TableFormat::Text, Some(most)) => paths::text(&graph, shown(&graph, &diff, &changes), most),
        (TableFormat::Json, most) => as_json(&graph, &diff, &changes, most),
    })?;
    Ok(Outcome::Done)
}

/// What happened to a statement.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Removed,
    Added,
    Meaning,
}

struct Change {
    kind: Kind,
    node: NodeId,
    line: u32,
    why: String,
}

/// The versions compared.
const OLD: VersionId = VersionId(0);
const NEW: VersionId = VersionId(1);

/// The changed statements of each function, in source order.
fn changes(graph: &Graph, diff: &Diff) -> BTreeMap<ChainId, Vec<Change>> {
    let mut all: BTreeMap<ChainId, Vec<Change>> = BTreeMap::new();
    let mut add = |kind: Kind, node: NodeId, version: VersionId, why: String| {
        // Synthetic nodes have no text to show.
        if !graph.text(node).is_empty() {
            let line = graph.line(node, version).unwrap_or(0);
            all.entry(graph.chain(node)).or_default().push(Change { kind, node, line, why });
        }
    };
    diff.removed.nodes.iter().for_each(|node| add(Kind::Removed, *node, OLD, String::new()));
    diff.added.nodes.iter().for_each(|node| add(Kind::Added, *node, NEW, String::new()));
    for (node, reasons) in &diff.changed {
        let why: Vec<String> = reasons.iter().map(ToString::to_string).collect();
        add(Kind::Meaning, *node, NEW, why.join(", "));
    }
    all.values_mut().for_each(|list| list.sort_by_key(|change| (change.line, change.kind)));
    all
}

/// The name and place of a function, in the new version where it has one.
fn place(graph: &Graph, chain: ChainId) -> (String, String, u32) {
    let version = if graph.chain_in(chain, NEW) { NEW } else { OLD };
    let name = graph.name(chain, version).to_owned();
    let (file, line) = graph.location(chain, version);
    (name, file.to_owned(), line)
}

/// The functions to speak of: those with changed statements, and those with another name, file or head.
fn shown(graph: &Graph, diff: &Diff, changes: &BTreeMap<ChainId, Vec<Change>>) -> BTreeSet<ChainId> {
    let renamed = diff.renamed.iter().filter(|chain| became(graph, **chain).is_some());
    changes.keys().chain(renamed).copied().collect()
}

/// What became of the name, file and head of a function that both versions have.
fn became(graph: &Graph, chain: ChainId) -> Option<String> {
    let mut words = Vec::new();
    let (old, new) = (graph.name(chain, OLD), graph.name(chain, NEW));
    if old != new {
        words.push(format!("renamed from {old}"));
    }
    let (before, after) = (graph.location(chain, OLD).0, graph.location(chain, NEW).0);
    if before != after {
        words.push(format!("moved from {before}"));
    }
    let head =
        |version| canonical(&graph.signature(chain, version).replacen(graph.name(chain, version), "", 1));
    if head(OLD) != head(NEW) {
        words.push("its head changed".to_owned());
    }
    (!words.is_empty()).then(|| words.join(", "))
}

fn as_text(graph: &Graph, diff: &Diff, changes: &BTreeMap<ChainId, Vec<Change>>) -> String {
    let mut out = String::new();
    let mut counts = [0; 3];
    let none = Vec::new();
    for chain in shown(graph, diff, changes) {
        let (name, file, line) = place(graph, chain);
        let status = match (graph.chain_in(chain, OLD), graph.chain_in(chain, NEW)) {
            (false, true) => " (added)".to_owned(),
            (true, false) => " (deleted)".to_owned(),
            _ => became(graph, chain).map(|words| format!(" ({words})")).unwrap_or_default(),
        };
        out.push_str(&format!("{file}:{line} {name}{status}\n"));
        for change in changes.get(&chain).unwrap_or(&none) {
            let mark = ['-', '+', '~'][change.kind as usize];
            counts[change.kind as usize] += 1;
            let why = if change.why.is_empty() { String::new() } else { format!("   [{}]", change.why) };
            out.push_str(&format!("  {mark} {:>5}  {}{why}\n", change.line, graph.label(change.node)));
        }
    }
    let [removed, added, meaning] = counts;
    out.push_str(&format!(
        "{} functions changed: {added} statements added, {removed} removed, {meaning} with another meaning\n",
        shown(graph, diff, changes).len()
    ));
    if !diff.unread.chains.is_empty() {
        out.push_str(&format!(
            "{} functions are in one version only because their file could not be read in the other; nothing is said of them:\n",
            diff.unread.chains.len()
        ));
        for chain in &diff.unread.chains {
            let (name, file, line) = place(graph, *chain);
            out.push_str(&format!("  ? {file}:{line} {name}\n"));
        }
    }
    out
}

fn as_json(
    graph: &Graph,
    diff: &Diff,
    changes: &BTreeMap<ChainId, Vec<Change>>,
    paths: Option<usize>,
) -> String {
    let functions: Vec<_> = shown(graph, diff, changes)
        .into_iter()
        .map(|chain| {
            let (name, file, line) = place(graph, chain);
            let list = changes.get(&chain).into_iter().flatten();
            let statements: Vec<_> = list
                .map(|change| {
                    let kind = ["removed", "added", "meaning"][change.kind as usize];
                    let mut value =
                        json!({ "change": kind, "line": change.line, "text": graph.label(change.node) });
                    if !change.why.is_empty() {
                        value["because"] = change.why.clone().into();
                    }
                    value
                })
                .collect();
            let mut value = json!({ "name": name, "file": file, "line": line, "statements": statements });
            let both = graph.chain_in(chain, OLD) && graph.chain_in(chain, NEW);
            if let Some(words) = Some(chain).filter(|_| both).and_then(|chain| became(graph, chain)) {
                value["became"] = words.into();
            }
            if let Some(most) = paths {
                value["paths"] = paths::json(graph, chain, most);
            }
            value
        })
        .collect();
    let unread: Vec<_> = diff
        .unread
        .chains
        .iter()
        .map(|chain| {
            let (name, file, line) = place(graph, *chain);
            json!({ "name": name, "file": file, "line": line })
        })
        .collect();
    output::json("diff/1", &json!({ "functions": functions, "unread": unread }))
}
