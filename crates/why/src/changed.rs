//! Which of the executed statements are part of the change.

use crate::ask::Side;
use hydrogen_graph::{Graph, NodeId, VersionId};
use hydrogen_ir::{ContentHash, piece_hashes};
use hydrogen_machine::{FuncId, Program};
use hydrogen_pair::{Node, Pair, Ran, Statement};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// The changed statements among those that were executed.
#[derive(Debug, Default)]
pub(crate) struct Changed {
    /// All of them.
    all: FxHashSet<Node>,
    /// Those with the same words in both versions: a macro, a type or a layout is another one.
    redefined: FxHashSet<Node>,
    /// Those that are the same and are come to from other statements: an `else` before them came or went.
    moved: FxHashSet<Node>,
}

impl Changed {
    pub(crate) fn new(pair: &mut Pair<'_>, runs: [&Ran; 2]) -> Self {
        let mut meanings = FxHashMap::default();
        let mut changed = Self::default();
        let executed: BTreeSet<Node> =
            runs.iter().flat_map(|ran| &ran.instances.all).map(|instance| instance.node).collect();
        for node in executed {
            let Statement::Graph(id) = *pair.nodes.statement(node) else { continue };
            if !pair.nodes.is_shared(node) {
                changed.all.insert(node);
                continue;
            }
            let [old, new] = [Side::Old, Side::New].map(|side| meaning(pair, &mut meanings, side, node));
            if old != new {
                changed.all.insert(node);
                changed.redefined.insert(node);
            } else if is_moved(pair.nodes.graph(), id) {
                changed.all.insert(node);
                changed.moved.insert(node);
            }
        }
        changed
    }

    pub(crate) fn has(&self, node: Node) -> bool {
        self.all.contains(&node)
    }

    pub(crate) fn is_moved(&self, node: Node) -> bool {
        self.moved.contains(&node)
    }

    pub(crate) fn is_redefined(&self, node: Node) -> bool {
        self.redefined.contains(&node)
    }
}

/// Whether a statement of both versions is come to from other statements of both than before. What is new or gone in between does
/// not count: it is a change of its own.
fn is_moved(graph: &Graph, node: NodeId) -> bool {
    let [old, new] = [Side::Old, Side::New].map(|side| VersionId::at(side.number()));
    let before = |version: VersionId| {
        let (mut found, mut seen, mut open) = (BTreeSet::new(), BTreeSet::from([node]), vec![node]);
        while let Some(at) = open.pop() {
            for edge in graph.incoming(at).filter(|edge| graph.edge_in(*edge, version)) {
                let from = graph.ends(edge).0;
                if graph.node_in(from, old) && graph.node_in(from, new) {
                    found.insert(from);
                } else if seen.insert(from) {
                    open.push(from);
                }
            }
        }
        found
    };
    before(old) != before(new)
}

/// The hashes of the pieces of functions that were looked at, by program.
type Known = FxHashMap<(usize, FuncId), Vec<ContentHash>>;

/// What a statement means in a version, by the hash of its instructions.
fn meaning(pair: &mut Pair<'_>, known: &mut Known, side: Side, node: Node) -> Option<ContentHash> {
    let number = side.number();
    let site = pair.nodes.sites(number, node).into_iter().next()?;
    let program: &Program = pair.programs()[number];
    let (module, function) = program.model(site.function)?;
    let hashes = known
        .entry((number, site.function))
        .or_insert_with(|| piece_hashes(module, function).unwrap_or_default());
    let origin = program.code(site.function)?.origin.get(site.pc as usize)?;
    let piece = function.body.as_ref()?.instructions.get(origin.index())?.piece.index();
    hashes.get(piece).copied()
}
