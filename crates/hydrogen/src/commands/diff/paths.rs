//! Paths through functions that only one of two versions has (F23).

use super::{NEW, OLD};
use hydrogen_evidence::changed::{BothPaths, Paths};
use hydrogen_graph::{ChainId, Graph, NodeId, VersionId};

/// What only the new version has, and what only the old one has.
pub fn both(graph: &Graph, chain: ChainId, most: usize) -> BothPaths {
    let paths = |new: VersionId, old: VersionId| {
        if !graph.chain_in(chain, new) {
            return Paths::default();
        }
        let found = graph.changed_paths(chain, new, old, most);
        let lines = found.paths.iter().map(|path| lines(graph, path, new)).collect();
        Paths { lines, more: found.truncated }
    };
    BothPaths { only_new: paths(NEW, OLD), only_old: paths(OLD, NEW) }
}

/// The lines of a path; several statements of one line count once.
fn lines(graph: &Graph, path: &[NodeId], version: VersionId) -> Vec<u32> {
    let mut lines: Vec<u32> = path.iter().filter_map(|&node| graph.line(node, version)).collect();
    lines.dedup();
    lines
}
