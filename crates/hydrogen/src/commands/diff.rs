//! `hydrogen diff OLD NEW`.

mod paths;

use super::Outcome;
use crate::cli::TableFormat;
use crate::context::Context;
use crate::graphs;
use anyhow::{Result, bail};
use hydrogen_evidence::changed::{self, Differing, Place, Statement, StatementChange, Status};
use hydrogen_graph::{ChainId, Diff, Graph, NodeId, VersionId};
use hydrogen_ir::canonical;
use hydrogen_report::histories as report;
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
    let told = told(&graph, &diff, changes, options.paths);
    context.output(&match (options.format, options.paths) {
        (TableFormat::Text, None) => report::diff_text(&told),
        (TableFormat::Text, Some(_)) => report::paths_text(&told),
        (TableFormat::Json, _) => report::diff_json(&told),
    })?;
    Ok(Outcome::Done)
}

/// The versions compared.
const OLD: VersionId = VersionId(0);
const NEW: VersionId = VersionId(1);

/// The changed statements of each function, in source order.
fn changes(graph: &Graph, diff: &Diff) -> BTreeMap<ChainId, Vec<Statement>> {
    let mut all: BTreeMap<ChainId, Vec<Statement>> = BTreeMap::new();
    let mut add = |change: StatementChange, node: NodeId, version: VersionId, because: String| {
        // Synthetic nodes have no text to show.
        if !graph.text(node).is_empty() {
            let line = graph.line(node, version).unwrap_or(0);
            all.entry(graph.chain(node)).or_default().push(Statement {
                change,
                line,
                text: graph.label(node),
                because,
            });
        }
    };
    diff.removed.nodes.iter().for_each(|node| add(StatementChange::Removed, *node, OLD, String::new()));
    diff.added.nodes.iter().for_each(|node| add(StatementChange::Added, *node, NEW, String::new()));
    for (node, reasons) in &diff.changed {
        let why: Vec<String> = reasons.iter().map(ToString::to_string).collect();
        add(StatementChange::Meaning, *node, NEW, why.join(", "));
    }
    all.values_mut().for_each(|list| list.sort_by_key(|one| (one.line, one.change)));
    all
}

/// The name and place of a function, in the new version where it has one.
fn place(graph: &Graph, chain: ChainId) -> Place {
    let version = if graph.chain_in(chain, NEW) { NEW } else { OLD };
    let name = graph.name(chain, version).to_owned();
    let (file, line) = graph.location(chain, version);
    Place { name, file: file.to_owned(), line }
}

/// The functions to speak of: those with changed statements, and those with another name, file or head.
fn shown(graph: &Graph, diff: &Diff, changes: &BTreeMap<ChainId, Vec<Statement>>) -> BTreeSet<ChainId> {
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
    if has_other_head(graph, chain) {
        words.push("its head changed".to_owned());
    }
    (!words.is_empty()).then(|| words.join(", "))
}

/// Whether the head of a function is another one, its name apart.
fn has_other_head(graph: &Graph, chain: ChainId) -> bool {
    let head =
        |version| canonical(&graph.signature(chain, version).replacen(graph.name(chain, version), "", 1));
    head(OLD) != head(NEW)
}

/// All of it as evidence; with `paths`, at most so many paths of each function.
fn told(
    graph: &Graph,
    diff: &Diff,
    mut changes: BTreeMap<ChainId, Vec<Statement>>,
    paths: Option<usize>,
) -> changed::Diff {
    let shown = shown(graph, diff, &changes);
    let one = |chain: ChainId| {
        let status = match (graph.chain_in(chain, OLD), graph.chain_in(chain, NEW)) {
            (false, true) => Status::Added,
            (true, false) => Status::Deleted,
            _ if changes.contains_key(&chain) || has_other_head(graph, chain) => Status::Updated,
            _ => Status::Renamed,
        };
        Differing {
            place: place(graph, chain),
            status,
            became: match status {
                Status::Added | Status::Deleted => None,
                _ => became(graph, chain),
            },
            statements: changes.remove(&chain).unwrap_or_default(),
            paths: paths.map(|most| paths::both(graph, chain, most)),
        }
    };
    changed::Diff {
        functions: shown.into_iter().map(one).collect(),
        unread: diff.unread.chains.iter().map(|chain| place(graph, *chain)).collect(),
    }
}
