//! Whether changes interact, for people and for programs.

use crate::{columns, envelope};
use hydrogen_evidence::interaction::{InteractionGraph, InteractionNode, NodeKind, Verdict};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn kind(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::Change => "change",
        NodeKind::Location => "location",
        NodeKind::Output => "output",
    }
}

/// The verdict in a sentence.
pub(super) fn sentence(graph: &InteractionGraph) -> String {
    let count = |wanted: NodeKind| graph.nodes.iter().filter(|node| node.kind == wanted).count();
    match &graph.verdict {
        _ if count(NodeKind::Change) == 0 => "no executable change".into(),
        Verdict::Cannot => {
            "the changes cannot interact as far as dependence is followed: they can be tested one by one"
                .into()
        }
        Verdict::May => format!(
            "the changes may interact: {}, {} where several meet, {} that a change may reach",
            columns::plural(count(NodeKind::Change), "change"),
            columns::plural(count(NodeKind::Location), "location"),
            columns::plural(count(NodeKind::Output), "output")
        ),
        Verdict::Unknown(reasons) => format!("unknown, because {}", reasons.join("; ")),
    }
}

pub(super) fn name(graph: &InteractionGraph, at: Option<usize>, other: &str) -> String {
    at.map_or(other.to_owned(), |at| format!("{}:{}", graph.nodes[at].file, graph.nodes[at].line))
}

/// So many nodes are shown one by one; more are grouped.
pub(super) const SCREEN: usize = 25;
/// So many groups of a kind are shown.
const GROUPS: usize = 8;

/// The graph as lines.
pub fn text(graph: &InteractionGraph) -> String {
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
    for (line, node) in columns::table(&rows).lines().zip(&graph.nodes) {
        out.push_str(&format!("{line}\n"));
        if node.kind != NodeKind::Change || node.depends_on.len() > 1 {
            let on = node.depends_on.iter().map(|&at| name(graph, Some(at), "")).collect();
            out.push_str(&format!("            depends on {}\n", columns::shortened(on, ", ")));
        }
    }
    for flow in graph.flow.chunk_by(|a, b| a.0 == b.0) {
        let next = flow.iter().map(|(_, to)| name(graph, *to, "exit")).collect();
        out.push_str(&format!("{} -> {}\n", name(graph, flow[0].0, "entry"), columns::shortened(next, " ")));
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
            let lines: BTreeSet<u32> = nodes.iter().map(|node| node.line).collect();
            let lines = columns::shortened(lines.iter().map(u32::to_string).collect(), ", ");
            out.push_str(&format!("{:<8} {file} {function}: {} at {lines}\n", kind(wanted), nodes.len()));
        }
        if groups.len() > GROUPS {
            let rest: usize = groups[GROUPS..].iter().map(|(_, nodes)| nodes.len()).sum();
            let functions = columns::plural(groups.len() - GROUPS, "function");
            out.push_str(&format!("{:<8} {rest} more in {functions}\n", kind(wanted)));
        }
    }
    out + "--format html or json shows each, what it depends on and what may follow it\n"
}

/// The graph for Graphviz.
pub fn dot(graph: &InteractionGraph) -> String {
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

/// The graph as `interact/1`.
pub fn json(graph: &InteractionGraph) -> String {
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
    envelope::json(
        "interact/1",
        &json!({
            "verdict": verdict, "reasons": reasons, "nodes": nodes, "flow": graph.flow, "dependence": graph.dependence,
        }),
    )
}

/// The answer where there is one change alone: its place, its function and its line of the source.
pub fn alone(file: &str, line: u32, function: &str, source: &str) -> String {
    format!(
        "change    {file}:{line}  {function}  {source}\nthe changes cannot interact: there is only one; \
         `hydrogen affects` says what it reaches\n"
    )
}
