//! The graph that a patched release must have: E_{p→r} = (E_r ∖ E⁻) ∪ E⁺.

use super::hunks::{Extent, Hunk};
use hydrogen_graph::{EdgeId, Fix, Graph, VersionId};
use std::collections::{BTreeMap, BTreeSet};

/// The functions of a patched release whose edges are not those that the hunks promise (AINV-7). Edges are compared by the statements
/// that they connect: which of two equal statements is which does not matter.
pub fn as_predicted(
    graph: &Graph,
    fix: Fix,
    release: VersionId,
    patched: VersionId,
    hunks: &[&Hunk],
) -> Vec<String> {
    let mut by_chain: BTreeMap<_, Vec<&Hunk>> = BTreeMap::new();
    for hunk in hunks {
        by_chain.entry(hunk.chain).or_default().push(hunk);
    }
    let words = |edge: EdgeId| {
        let (from, to) = graph.ends(edge);
        let word = |node| (graph.label(node), graph.part(node));
        (word(from), word(to), graph.edge_kind(edge))
    };
    let mut wrong = Vec::new();
    for (chain, hunks) in by_chain {
        let (of, key) = match hunks[0].extent {
            Extent::Gone => continue,
            Extent::New => (fix.after, graph.key(chain, fix.after)),
            Extent::Part => (release, graph.key(chain, release)),
        };
        let removed: BTreeSet<EdgeId> = hunks.iter().flat_map(|hunk| hunk.removed.iter().copied()).collect();
        let added = hunks.iter().filter(|hunk| hunk.extent == Extent::Part);
        let added: BTreeSet<EdgeId> = added.flat_map(|hunk| hunk.added.iter().copied()).collect();
        let kept =
            |edge: &EdgeId| added.contains(edge) || graph.edge_in(*edge, of) && !removed.contains(edge);
        let mut promised: Vec<_> = graph.chain_edges(chain).filter(kept).map(words).collect();
        let there = graph.find(&key, patched).or(graph.chain_in(chain, patched).then_some(chain));
        let mut found: Vec<_> = there
            .into_iter()
            .flat_map(|chain| graph.chain_edges(chain).filter(|&edge| graph.edge_in(edge, patched)))
            .map(words)
            .collect();
        promised.sort();
        found.sort();
        if promised != found {
            wrong.push(graph.name(chain, of).to_owned());
        }
    }
    wrong
}
