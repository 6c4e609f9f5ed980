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

/// How two statement graphs of one function differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disagreement {
    /// Why, as far as it can be told.
    pub cause: Cause,
    /// What only compiled mode has (`<`) and what only build-free mode has (`>`).
    pub details: Vec<String>,
}

/// Compares the statement-level graphs: parts of one piece count as one, and a condition's edges by outcome.
/// `None` when they agree.
pub fn disagreement(compiled: &Function, build_free: &Function) -> Option<Disagreement> {
    let left = Shape::of(compiled);
    let right = Shape::of(build_free);
    if left == right {
        return None;
    }
    let has = |function: &Function, role| function.pieces.iter().any(|piece: &Piece| piece.role == role);
    let cause = if has(build_free, Role::Config) {
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
    };
    let (mine, theirs) = (left.lines(), right.lines());
    let only = |mark: &str, these: &BTreeSet<String>, those: &BTreeSet<String>| {
        these.difference(those).map(|line| format!("{mark} {line}")).collect::<Vec<_>>()
    };
    let details = [only("<", &mine, &theirs), only(">", &theirs, &mine)].concat();
    Some(Disagreement { cause, details })
}

/// What a macro stands for, an expression or a declaration, is not to be seen in its use.
fn plain(role: Role) -> Role {
    if role == Role::Declaration { Role::Expression } else { role }
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
        // Source order is the same in both modes; numbering need not be.
        order.sort_by_key(|id| {
            let piece = &function.pieces[id.index()];
            (piece.span.map(|span| (span.start, std::cmp::Reverse(span.end))), piece.role, *id)
        });
        let mut nodes = Vec::new();
        let mut number = BTreeMap::new();
        let mut seen = BTreeMap::new();
        let mut divided: BTreeMap<usize, bool> = BTreeMap::new();
        for id in order {
            let piece = &function.pieces[id.index()];
            let role = plain(piece.role);
            let place = *seen.entry((role, piece.span, piece.text.clone())).or_insert_with(|| {
                nodes.push((role, canonical(&piece.text)));
                nodes.len() - 1
            });
            divided.insert(place, piece.part > 0 || divided.get(&place).copied().unwrap_or(false));
            number.insert(id, place);
        }
        let mut edges = BTreeSet::new();
        for edge in &function.flow {
            let (Some(&from), Some(&to)) = (number.get(&edge.from), number.get(&edge.to)) else { continue };
            if from == to && divided[&from] {
                continue;
            }
            // Where a macro branches inside a statement, the statement itself does not.
            let straight = divided[&from] && nodes[from].0 == Role::Expression;
            edges.insert((from, to, if straight { EdgeKind::Next } else { edge.kind.clone() }));
        }
        Self { nodes, edges }
    }

    /// Nodes and edges in words.
    fn lines(&self) -> BTreeSet<String> {
        let node = |index: usize| format!("{:?} {}", self.nodes[index].0, self.nodes[index].1);
        let edge =
            |(from, to, kind): &(usize, usize, EdgeKind)| format!("{} -> {} {kind}", node(*from), node(*to));
        (0..self.nodes.len()).map(node).chain(self.edges.iter().map(edge)).collect()
    }

    fn has_fewer_outcomes(&self, other: &Shape) -> bool {
        self.nodes == other.nodes && self.edges.is_subset(&other.edges)
    }
}
