//! The page: what is affected, folded by function, so that its beginning fits on a screen.

use super::text::{SCREEN, kind, name, sentence};
use crate::listing::escape;
use hydrogen_evidence::interaction::{InteractionGraph, InteractionNode, NodeKind};
use std::collections::BTreeMap;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:1000px;padding:0 1em}td,th{padding:.3em \
.7em;text-align:left;border-bottom:1px solid #ccc;vertical-align:top}table{border-collapse:collapse;width:100%}.location td{background:\
#ffe9e9}.change td{background:#fff6e5}code{white-space:pre-wrap}td{overflow-wrap:anywhere}summary{cursor:pointer;overflow-wrap:anywhere}\
details details{margin-left:1em}h2{font-size:1.05em;margin:1.2em 0 .3em}:target td{outline:2px solid #4878a8}@media(max-width:600px){\
body{margin:1em auto;padding:0 .5em}tr{display:block;border-bottom:1px solid #ccc;padding:.3em 0}thead{display:none}td{display:block;border:0;padding:.1em .4em}\
details details{margin-left:.4em}}@media(prefers-color-scheme:dark){body{background:#0d1117;color:#e6edf3}.location td{background:#4a1d1d}\
.change td{background:#3d2f10}a{color:#79c0ff}}";

/// So many links stand in a cell; the JSON form has all.
const LINKS: usize = 12;
/// So many functions of a kind are listed at once; the others are folded together.
const FUNCTIONS: usize = 30;

/// The graph as a page of its own.
pub fn html(graph: &InteractionGraph) -> String {
    let mut next: BTreeMap<usize, Vec<Option<usize>>> = BTreeMap::new();
    for &(from, to) in &graph.flow {
        if let Some(from) = from {
            next.entry(from).or_default().push(to);
        }
    }
    let mut body = String::new();
    for (wanted, title) in [
        (NodeKind::Change, "changes"),
        (NodeKind::Location, "locations that depend on several changes"),
        (NodeKind::Output, "outputs that depend on a change"),
    ] {
        let mut groups: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
        for (at, node) in graph.nodes.iter().enumerate().filter(|(_, node)| node.kind == wanted) {
            groups.entry((&node.file, &node.function)).or_default().push(at);
        }
        let count: usize = groups.values().map(Vec::len).sum();
        body.push_str(&format!("<h2>{count} {title}</h2>\n"));
        let tables: Vec<String> = groups
            .iter()
            .map(|((file, function), nodes)| {
                let rows: String =
                    nodes.iter().map(|&at| row(graph, at, next.get(&at).map_or(&[][..], |it| it))).collect();
                let title = format!("{} {}: {}", escape(file), escape(function), nodes.len());
                folded(&title, &table(&rows), count <= SCREEN)
            })
            .collect();
        let shown = tables.len().min(FUNCTIONS);
        body.push_str(&tables[..shown].concat());
        if shown < tables.len() {
            let title = format!("{} more functions", tables.len() - shown);
            body.push_str(&folded(&title, &tables[shown..].concat(), false));
        }
    }
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'unsafe-inline'\"><title>Change interaction</title><style>{STYLE}</style></head>\
         <body><h1>Change interaction</h1><p>{}</p>{body}</body></html>\n",
        escape(&sentence(graph))
    )
}

fn folded(title: &str, inside: &str, open: bool) -> String {
    let open = if open { " open" } else { "" };
    format!("<details{open}><summary>{title}</summary>{inside}</details>\n")
}

fn table(rows: &str) -> String {
    format!(
        "<table><thead><tr><th>line</th><th>statement</th><th>depends on</th><th>may be followed by</th></tr></thead>\
         <tbody>\n{rows}</tbody></table>"
    )
}

fn row(graph: &InteractionGraph, at: usize, next: &[Option<usize>]) -> String {
    let node: &InteractionNode = &graph.nodes[at];
    let link = |at: Option<usize>| match at {
        Some(at) => format!("<a href=\"#n{at}\">{}</a>", escape(&name(graph, Some(at), ""))),
        None => "exit".to_owned(),
    };
    let list = |all: Vec<Option<usize>>| {
        let mut links: Vec<String> = all.iter().take(LINKS).map(|&at| link(at)).collect();
        if all.len() > LINKS {
            links.push(format!("and {} more", all.len() - LINKS));
        }
        links.join(", ")
    };
    format!(
        "<tr id=\"n{at}\" class=\"{}\"><td>{}</td><td><code>{}</code></td><td>{}</td><td>{}</td></tr>\n",
        kind(node.kind),
        node.line,
        escape(&node.text),
        list(node.depends_on.iter().copied().map(Some).collect()),
        list(next.to_vec())
    )
}
