//! Paths through functions that only one of two versions has (F23).

use super::{NEW, OLD, place};
use hydrogen_graph::{ChainId, Graph, NodeId, Paths, VersionId};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// What only the new version has, and what only the old one has.
fn both(graph: &Graph, chain: ChainId, most: usize) -> [(&'static str, VersionId, Paths); 2] {
    let paths = |new: VersionId, old: VersionId| match graph.chain_in(chain, new) {
        true => graph.changed_paths(chain, new, old, most),
        false => Paths::default(),
    };
    [("+", NEW, paths(NEW, OLD)), ("-", OLD, paths(OLD, NEW))]
}

/// The lines of a path; several statements of one line count once.
fn lines(graph: &Graph, path: &[NodeId], version: VersionId) -> Vec<u32> {
    let mut lines: Vec<u32> = path.iter().filter_map(|&node| graph.line(node, version)).collect();
    lines.dedup();
    lines
}

pub fn text(graph: &Graph, chains: BTreeSet<ChainId>, most: usize) -> String {
    let mut out = String::new();
    for chain in chains {
        let (name, file, line) = place(graph, chain);
        out.push_str(&format!("{file}:{line} {name}\n"));
        for (mark, version, paths) in both(graph, chain, most) {
            for path in &paths.paths {
                let way: Vec<String> = lines(graph, path, version).iter().map(ToString::to_string).collect();
                out.push_str(&format!("  {mark} {}\n", way.join(" -> ")));
            }
            if paths.truncated {
                out.push_str(&format!("  {mark} and more\n"));
            }
        }
    }
    out.push_str(
        "+ only the new version has this path, - only the old one; lines of the version that has it\n",
    );
    out
}

pub fn json(graph: &Graph, chain: ChainId, most: usize) -> Value {
    let sides = both(graph, chain, most).map(|(_, version, paths)| {
        let all: Vec<Vec<u32>> = paths.paths.iter().map(|path| lines(graph, path, version)).collect();
        json!({ "lines": all, "more": paths.truncated })
    });
    let [new, old] = sides;
    json!({ "only_new": new, "only_old": old })
}
