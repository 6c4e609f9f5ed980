//! `hydrogen interact A..B`.

use super::{Outcome, step};
use crate::cli::InteractFormat;
use crate::context::Context;
use crate::output;
use anyhow::Result;
use hydrogen_interact::{InteractionGraph, InteractionNode, NodeKind, Verdict, export, interactions};
use serde_json::json;
use std::collections::BTreeMap;

pub fn run(context: &Context, what: &str, all: bool, format: InteractFormat) -> Result<Outcome> {
    let (old, new) = step::ends(context, what)?;
    let repository = context.trees.repository(&new.repository)?;
    let step = step::read(&repository, old.as_ref().map(|old| old.tree.as_str()), &new.tree)?;
    let graph = interactions(&step, all)?;
    context.output(&match format {
        InteractFormat::Text => text(&graph),
        InteractFormat::Dot => dot(&graph),
        InteractFormat::Json => as_json(&graph),
        InteractFormat::Html => html(&graph),
        InteractFormat::Csg => export(&graph),
    })?;
    Ok(if matches!(graph.verdict, Verdict::Unknown(_)) { Outcome::Undecided } else { Outcome::Done })
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

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:1000px;padding:0 1em}td,th{padding:.3em \
.7em;text-align:left;border-bottom:1px solid #ccc;vertical-align:top}table{border-collapse:collapse;width:100%}.location td{background:\
#ffe9e9}.change td{background:#fff6e5}code{white-space:pre-wrap}td{overflow-wrap:anywhere}summary{cursor:pointer;margin:1em 0 .3em}:target td{outline:2px solid #4878a8}@media(prefers-color-scheme:dark){\
body{background:#0d1117;color:#e6edf3}.location td{background:#4a1d1d}.change td{background:#3d2f10}a{color:#79c0ff}}";

fn html(graph: &InteractionGraph) -> String {
    let escape = |text: &str| {
        text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
    };
    let link = |at: Option<usize>, other: &str| match at {
        Some(at) => format!("<a href=\"#n{at}\">{}</a>", escape(&name(graph, Some(at), ""))),
        None => other.to_owned(),
    };
    let row = |at: usize, node: &InteractionNode| {
        let list = |links: Vec<String>| links.join(", ");
        let on = list(node.depends_on.iter().map(|&it| link(Some(it), "")).collect());
        let next = graph.flow.iter().filter(|edge| edge.0 == Some(at));
        let next = list(next.map(|edge| link(edge.1, "exit")).collect());
        format!(
            "<tr id=\"n{at}\" class=\"{0}\"><td>{0}</td><td>{1}:{2}<br>{3}</td><td><code>{4}</code></td><td>{on}</td><td>{next}</td></tr>\n",
            kind(node.kind),
            escape(&node.file),
            node.line,
            escape(&node.function),
            escape(&node.text)
        )
    };
    // Long tables are folded: the page begins with what is short.
    let mut tables = String::new();
    for (wanted, title) in [
        (NodeKind::Change, "changes"),
        (NodeKind::Location, "locations that depend on several changes"),
        (NodeKind::Output, "outputs that depend on a change"),
    ] {
        let own = graph.nodes.iter().enumerate().filter(|(_, node)| node.kind == wanted);
        let rows: Vec<String> = own.map(|(at, node)| row(at, node)).collect();
        let open = if rows.len() <= SCREEN { " open" } else { "" };
        tables.push_str(&format!(
            "<details{open}><summary>{} {title}</summary><table><thead><tr><th>kind</th><th>place</th><th>statement</th>\
             <th>depends on</th><th>may be followed by</th></tr></thead><tbody>\n{}</tbody></table></details>\n",
            rows.len(),
            rows.concat()
        ));
    }
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'unsafe-inline'\"><title>Change interaction</title><style>{STYLE}</style></head>\
         <body><h1>Change interaction</h1><p>{}</p>{tables}</body></html>\n",
        escape(&sentence(graph))
    )
}
