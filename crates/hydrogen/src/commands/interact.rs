//! `hydrogen interact A..B`.

mod page;
pub mod runs;

use super::{Outcome, step};
use crate::cli::InteractFormat;
use crate::context::Context;
use crate::output;
use anyhow::{Context as _, Result};
use hydrogen_history::version::{Source, Version};
use hydrogen_interact::{
    Changes, Index, InteractionGraph, InteractionNode, NodeKind, Touched, Verdict, export, interactions,
};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;

pub fn run(context: &Context, what: &str, all: bool, format: InteractFormat) -> Result<Outcome> {
    let (old, new) = step::ends(context, what)?;
    let repository = context.trees.repository(&new.repository)?;
    let before = old.as_ref().map(|old| old.tree.as_str());
    if matches!(format, InteractFormat::Text) && !all {
        let (index, touched) = step::touched(&repository, before, &new.tree)?;
        if let Some((file, line, function)) = only_change(&index, &touched) {
            let version = Version { name: new.commit.clone(), source: Source::Commit(new) };
            let source = context.trees.read_path(&version, file.as_str().into())?.unwrap_or_default();
            let source = source.split(|&byte| byte == b'\n').nth(line as usize - 1).unwrap_or_default();
            context.output(&format!(
                "change    {file}:{line}  {function}  {}\nthe changes cannot interact: there is only one; \
                 `hydrogen affects` says what it reaches\n",
                String::from_utf8_lossy(source).trim()
            ))?;
            return Ok(Outcome::Done);
        }
    }
    let step = step::read(&repository, before, &new.tree)?;
    show(context, &interactions(&step, all)?, format)
}

/// Shows a graph that was written as a file.
pub fn import(context: &Context, file: &Path, format: InteractFormat) -> Result<Outcome> {
    let path = context.path(file);
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let graph = hydrogen_interact::import(&text).with_context(|| path.display().to_string())?;
    show(context, &graph, format)
}

fn show(context: &Context, graph: &InteractionGraph, format: InteractFormat) -> Result<Outcome> {
    context.output(&match format {
        InteractFormat::Text => text(graph),
        InteractFormat::Dot => dot(graph),
        InteractFormat::Json => as_json(graph),
        InteractFormat::Html => page::html(graph),
        InteractFormat::Csg => export(graph),
    })?;
    Ok(if matches!(graph.verdict, Verdict::Unknown(_)) { Outcome::Undecided } else { Outcome::Done })
}

/// The file, line and function of the change of a step with a single one, for which no dependence needs to be known.
fn only_change(index: &Index, touched: &[Touched]) -> Option<(String, u32, String)> {
    let mut sides = touched.iter().flat_map(|file| [&file.old, &file.new]).flatten();
    // What could not be read may hide another change.
    let read = sides.all(|file| file.failed.is_none() && file.functions.iter().all(|it| it.problems == 0));
    let changes = Changes::of(index, touched);
    let mut functions = changes.functions.iter();
    let (Some((&key, change)), None) = (functions.next(), functions.next()) else { return None };
    let facts = index.function(key);
    let line = match (change.pieces.len(), change.deletions.len(), change.head) {
        (1, 0, false) => facts.line_of(*change.pieces.keys().next()? as usize),
        (0, 1, false) => change.deletions[0].line,
        (0, 0, true) => facts.line,
        _ => return None,
    };
    let file = index.file(key.file)?.path.to_string();
    (read && changes.gone.is_empty() && line > 0).then(|| (file, line, facts.name.to_string()))
}

fn kind(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::Change => "change",
        NodeKind::Location => "location",
        NodeKind::Output => "output",
    }
}

/// The verdict in a sentence.
fn sentence(graph: &InteractionGraph) -> String {
    let count = |wanted: NodeKind| graph.nodes.iter().filter(|node| node.kind == wanted).count();
    match &graph.verdict {
        _ if count(NodeKind::Change) == 0 => "no executable change".into(),
        Verdict::Cannot => {
            "the changes cannot interact as far as dependence is seen in the source: they can be tested one by one".into()
        }
        Verdict::May => format!(
            "the changes may interact: {} changes, {} locations that depend on several, {} outputs that depend on one",
            count(NodeKind::Change),
            count(NodeKind::Location),
            count(NodeKind::Output)
        ),
        Verdict::Unknown(reasons) => format!("unknown, because {}", reasons.join("; ")),
    }
}

fn name(graph: &InteractionGraph, at: Option<usize>, other: &str) -> String {
    at.map_or(other.to_owned(), |at| format!("{}:{}", graph.nodes[at].file, graph.nodes[at].line))
}

/// So many nodes are shown one by one; more are grouped.
const SCREEN: usize = 25;
/// So many groups of a kind are shown.
const GROUPS: usize = 8;

fn text(graph: &InteractionGraph) -> String {
    if graph.nodes.len() > SCREEN {
        return grouped(graph);
    }
    let row = |node: &InteractionNode| {
        let place = format!("{}:{}", node.file, node.line);
        vec![kind(node.kind).into(), place, node.function.to_string(), node.text.clone()]
    };
    let rows: Vec<Vec<String>> = graph.nodes.iter().map(row).collect();
    let mut out = String::new();
    // What a node depends on stands below it, not in a column: it may be long.
    for (line, node) in output::table(&rows).lines().zip(&graph.nodes) {
        out.push_str(&format!("{line}\n"));
        if node.kind != NodeKind::Change || node.depends_on.len() > 1 {
            let on = node.depends_on.iter().map(|&at| name(graph, Some(at), "")).collect();
            out.push_str(&format!("            depends on {}\n", output::shortened(on, ", ")));
        }
    }
    for flow in graph.flow.chunk_by(|a, b| a.0 == b.0) {
        let next = flow.iter().map(|(_, to)| name(graph, *to, "exit")).collect();
        out.push_str(&format!("{} -> {}\n", name(graph, flow[0].0, "entry"), output::shortened(next, " ")));
    }
    out + &sentence(graph) + "\n"
}

/// The verdict, and where the nodes of each kind are: functions with the most of them first.
fn grouped(graph: &InteractionGraph) -> String {
    let mut out = sentence(graph) + "\n";
    for wanted in [NodeKind::Change, NodeKind::Location, NodeKind::Output] {
        let mut groups: BTreeMap<(&str, &str), Vec<&InteractionNode>> = BTreeMap::new();
        for node in graph.nodes.iter().filter(|node| node.kind == wanted) {
            groups.entry((&node.file, &node.function)).or_default().push(node);
        }
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.sort_by_key(|(_, nodes)| std::cmp::Reverse(nodes.len()));
        for ((file, function), nodes) in groups.iter().take(GROUPS) {
            let lines = nodes.iter().map(|node| node.line.to_string()).collect();
            let lines = output::shortened(lines, ", ");
            out.push_str(&format!("{:<8} {file} {function}: {} at {lines}\n", kind(wanted), nodes.len()));
        }
        if groups.len() > GROUPS {
            let rest: usize = groups[GROUPS..].iter().map(|(_, nodes)| nodes.len()).sum();
            let functions = groups.len() - GROUPS;
            out.push_str(&format!("{:<8} {rest} more in {functions} functions\n", kind(wanted)));
        }
    }
    out + "--format html or json shows each, what it depends on and what may follow it\n"
}

fn dot(graph: &InteractionGraph) -> String {
    let escape = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let mut out = "digraph changes {\n  entry [shape=circle];\n  exit [shape=doublecircle];\n".to_owned();
    for (at, node) in graph.nodes.iter().enumerate() {
        let style = match node.kind {
            NodeKind::Change => "shape=box, style=filled, fillcolor=\"#ffe3b3\"",
            NodeKind::Location => "shape=diamond, style=filled, fillcolor=\"#ffc9c9\"",
            NodeKind::Output => "shape=ellipse",
        };
        let label = escape(&format!("{}:{} {}", node.file, node.line, node.text));
        out.push_str(&format!("  n{at} [{style}, label=\"{label}\"];\n"));
    }
    let end = |it: Option<usize>, other: &str| it.map_or(other.to_owned(), |it| format!("n{it}"));
    for &(from, to) in &graph.flow {
        out.push_str(&format!("  {} -> {};\n", end(from, "entry"), end(to, "exit")));
    }
    for (change, location) in &graph.dependence {
        out.push_str(&format!("  n{change} -> n{location} [style=dashed, color=red];\n"));
    }
    out + "}\n"
}

fn as_json(graph: &InteractionGraph) -> String {
    let nodes: Vec<_> = graph
        .nodes
        .iter()
        .map(|node| {
            json!({
                "kind": kind(node.kind), "file": node.file, "line": node.line, "function": node.function,
                "text": node.text, "depends_on": node.depends_on,
            })
        })
        .collect();
    let (verdict, reasons) = match &graph.verdict {
        Verdict::Cannot => ("cannot interact", Vec::new()),
        Verdict::May => ("may interact", Vec::new()),
        Verdict::Unknown(reasons) => ("unknown", reasons.clone()),
    };
    output::json(
        "interact/1",
        &json!({
            "verdict": verdict, "reasons": reasons, "nodes": nodes, "flow": graph.flow, "dependence": graph.dependence,
        }),
    )
}
