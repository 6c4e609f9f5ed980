//! Whether build-free mode and compiled mode see the same statement graph.

use crate::canonical;
use hydrogen_ir::{EdgeKind, Function, Piece, PieceId, Role};
use std::collections::{BTreeMap, BTreeSet};

/// Why two statement graphs of one function differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// Build-free mode kept both alternatives of a preprocessor conditional.
    Conditional,
    /// Build-free mode could not read a region.
    Unreadable,
    /// Compiled mode found control flow inside a macro that leaves it or skips what follows.
    MacroFlow,
    /// The compiler decided a condition that the text leaves open.
    Folded,
    /// Other pieces.
    Pieces,
    /// The same pieces and other edges.
    Edges,
}

impl std::fmt::Display for Cause {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.pad(match self {
            Cause::Conditional => "preprocessor conditional",
            Cause::Unreadable => "unreadable region",
            Cause::MacroFlow => "macro with control flow",
            Cause::Folded => "condition decided by the compiler",
            Cause::Pieces => "other pieces",
            Cause::Edges => "other edges",
        })
    }
}

/// Compares the statement-level graphs: parts of one piece count as one, and a condition's edges by outcome.
/// `None` when they agree.
pub fn disagreement(compiled: &Function, build_free: &Function) -> Option<Cause> {
    let left = Shape::of(compiled);
    let right = Shape::of(build_free);
    if left == right {
        return None;
    }
    let has = |function: &Function, role| function.pieces.iter().any(|piece: &Piece| piece.role == role);
    Some(if has(build_free, Role::Config) {
        Cause::Conditional
    } else if has(build_free, Role::Opaque) {
        Cause::Unreadable
    } else if compiled.pieces.iter().any(|piece| piece.part > 0) {
        Cause::MacroFlow
    } else if left.nodes.len() < right.nodes.len() || left.has_fewer_outcomes(&right) {
        Cause::Folded
    } else if left.nodes != right.nodes {
        Cause::Pieces
    } else {
        Cause::Edges
    })
}

/// A statement graph without names: nodes in order, edges between them.
#[derive(PartialEq, Eq)]
struct Shape {
    nodes: Vec<(Role, String)>,
    edges: BTreeSet<(usize, usize, EdgeKind)>,
}

impl Shape {
    fn of(function: &Function) -> Self {
        let mut order: Vec<PieceId> = (0..function.pieces.len()).map(PieceId::at).collect();
        order.retain(|id| function.pieces[id.index()].role != Role::Parameters);
        // Source order is the same in both modes; numbering need not be.
        order.sort_by_key(|id| {
            let piece = &function.pieces[id.index()];
            (piece.span.map(|span| (span.start, std::cmp::Reverse(span.end))), piece.role, *id)
        });
        let mut nodes = Vec::new();
        let mut number = BTreeMap::new();
        let mut seen = BTreeMap::new();
        for id in order {
            let piece = &function.pieces[id.index()];
            let place = *seen.entry((piece.role, piece.span, piece.text.clone())).or_insert_with(|| {
                nodes.push((piece.role, canonical(&piece.text)));
                nodes.len() - 1
            });
            number.insert(id, place);
        }
        let mut edges = BTreeSet::new();
        for edge in &function.flow {
            if let (Some(&from), Some(&to)) = (number.get(&edge.from), number.get(&edge.to)) {
                let inner = from == to
                    && function.pieces[edge.from.index()].part != function.pieces[edge.to.index()].part;
                if !inner {
                    edges.insert((from, to, edge.kind.clone()));
                }
            }
        }
        Self { nodes, edges }
    }

    fn has_fewer_outcomes(&self, other: &Shape) -> bool {
        self.nodes == other.nodes && self.edges.is_subset(&other.edges)
    }
}
