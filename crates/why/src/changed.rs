//! Which of the executed statements are part of the change.

use crate::chain::only_moves;
use crate::spot::{of_graph, partner_of};
use hydrogen_align::{Piece, only_laid_out};
use hydrogen_evidence::why::{Side, Spot};
use hydrogen_graph::{Graph, NodeId, VersionId};
use hydrogen_ir::{ContentHash, piece_hashes};
use hydrogen_machine::{FuncId, Program};
use hydrogen_pair::{Node, Nodes, Pair, Ran, Statement};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// The changed statements among those that were executed.
#[derive(Debug, Default)]
pub(crate) struct Changed {
    /// The statements that were executed in one of the runs, changed or not.
    executed: FxHashSet<NodeId>,
    /// All of them that changed.
    all: FxHashSet<Node>,
    /// Those with the same words in both versions: a macro, a type or a layout is another one.
    redefined: FxHashSet<Node>,
    /// Those with the same words that only find the members of their structures elsewhere. They are not part of the change.
    laid: FxHashSet<Node>,
    /// Those that say the same in other words: brackets, a constant by another name. They are not part of the change.
    reworded: FxHashSet<Node>,
    /// Those that only read variables and put their values elsewhere.
    moving: FxHashSet<Node>,
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
            changed.executed.insert(id);
            if !pair.nodes.is_shared(node) {
                changed.all.insert(node);
                continue;
            }
            let [old, new] = [Side::Old, Side::New].map(|side| meaning(pair, &mut meanings, side, node));
            if old != new && is_laid(pair, node) {
                changed.laid.insert(node);
            } else if old != new {
                changed.all.insert(node);
                changed.redefined.insert(node);
            } else if is_moved(pair.nodes.graph(), id) {
                changed.all.insert(node);
                changed.moved.insert(node);
            }
        }
        changed.leave_out_reworded(pair, &mut meanings);
        for node in changed.all.iter().copied().collect::<Vec<_>>() {
            let sides = [Side::Old, Side::New].map(|side| piece(pair, side, node));
            if sides.iter().flatten().any(|(_, piece)| only_moves(piece)) {
                changed.moving.insert(node);
            }
        }
        // Where nothing else changed, the layout is what changed.
        if changed.all.is_empty() {
            changed.all.clone_from(&changed.laid);
            changed.redefined = std::mem::take(&mut changed.laid);
        }
        changed
    }

    /// Statements that only one version has, and that do what stands in their place in the other.
    fn leave_out_reworded(&mut self, pair: &mut Pair<'_>, meanings: &mut Known) {
        let own: Vec<Node> = self.all.iter().copied().filter(|node| !pair.nodes.is_shared(*node)).collect();
        for new in own {
            let Some(old) = partner_of(&pair.nodes, self, Side::New, new) else { continue };
            let [one, two] = [old, new].map(|node| match pair.nodes.statement(node) {
                Statement::Graph(id) => Some(pair.nodes.graph().role(*id)),
                Statement::Elsewhere(..) => None,
            });
            let before = meaning(pair, meanings, Side::Old, old);
            if one == two && before.is_some() && before == meaning(pair, meanings, Side::New, new) {
                self.reworded.extend([old, new]);
            }
        }
        // Where nothing else changed, words are what changed: a name that means something else is behind them.
        if self.all.iter().any(|node| !self.reworded.contains(node)) {
            self.all.retain(|node| !self.reworded.contains(node));
        }
    }

    pub(crate) fn has(&self, node: Node) -> bool {
        self.all.contains(&node)
    }

    /// Whether a statement only reads variables and puts their values elsewhere.
    pub(crate) fn only_moves(&self, node: Node) -> bool {
        self.moving.contains(&node)
    }

    /// Whether a statement was executed in one of the runs.
    pub(crate) fn was_executed(&self, id: NodeId) -> bool {
        self.executed.contains(&id)
    }

    pub(crate) fn is_moved(&self, node: Node) -> bool {
        self.moved.contains(&node)
    }

    /// Whether a statement differs by the layout of its types alone, so that other sizes and places are no wrong values.
    pub(crate) fn is_laid(&self, node: Node) -> bool {
        self.laid.contains(&node)
    }

    pub(crate) fn is_redefined(&self, node: Node) -> bool {
        self.redefined.contains(&node)
    }
}

/// The statements that only one of two versions has, without running anything: those of the new version, then those that are gone.
pub fn changed_statements(old: &Program, new: &Program) -> Vec<Spot> {
    let nodes = Nodes::new(&[old, new]);
    let graph = nodes.graph();
    let mut found: Vec<Spot> = Vec::new();
    for side in [Side::New, Side::Old] {
        let [own, other] = [side, side.other()].map(|side| VersionId::at(side.number()));
        for chain in graph.chains().filter(|chain| graph.chain_in(*chain, own)) {
            let alone = graph.lines(chain, own).into_iter().filter(|(node, _)| !graph.node_in(*node, other));
            found.extend(alone.filter_map(|(node, _)| of_graph(graph, side, node)));
        }
    }
    // A statement of several pieces is one line.
    found.dedup_by(|two, one| (one.side, &one.file, one.line) == (two.side, &two.file, two.line));
    found
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
    let (id, piece) = piece(pair, side, node)?;
    let hashes = known
        .entry((side.number(), id))
        .or_insert_with(|| piece_hashes(piece.module, piece.function).unwrap_or_default());
    hashes.get(piece.number).copied()
}

/// Whether a statement of both versions differs by the layout of its types alone.
fn is_laid(pair: &mut Pair<'_>, node: Node) -> bool {
    let [old, new] = [Side::Old, Side::New].map(|side| piece(pair, side, node));
    matches!((old, new), (Some((_, old)), Some((_, new))) if only_laid_out(old, new))
}

/// The piece of a statement in a version, with its function.
fn piece<'p>(pair: &mut Pair<'p>, side: Side, node: Node) -> Option<(FuncId, Piece<'p>)> {
    let number = side.number();
    let site = pair.nodes.sites(number, node).into_iter().next()?;
    let program: &'p Program = pair.programs()[number];
    let (module, function) = program.model(site.function)?;
    let origin = program.code(site.function)?.origin.get(site.pc as usize)?;
    let number = function.body.as_ref()?.instructions.get(origin.index())?.piece.index();
    Some((site.function, Piece { module, function, number }))
}
