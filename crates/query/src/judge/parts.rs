//! The parts of a statement with control flow inside.

use crate::walk::Analyst;
use hydrogen_graph::{NodeId, VersionId};

impl Analyst<'_> {
    /// The parts of a statement that begin on other lines than it. What a statement computes before its first `?:`, `&&` or
    /// `||` is done in the part that comes first, so a question about the statement is one about its parts too.
    pub fn parts(&mut self, node: NodeId, version: VersionId) -> Vec<NodeId> {
        let graph = self.subject.program.graph;
        let chain = graph.chain(node);
        let Some(shape) = self.shape(chain, version) else { return Vec::new() };
        let nodes = graph.pieces(chain, version);
        let pieces = &shape.function().pieces;
        let placed = nodes.iter().zip(pieces);
        let Some(whole) = placed.clone().find(|(one, _)| **one == node).map(|(_, piece)| piece) else {
            return Vec::new();
        };
        let Some(around) = whole.span else { return Vec::new() };
        let inside = |piece: &hydrogen_ir::Piece| {
            let span = piece.span.filter(|span| around.encloses(span) && *span != around);
            piece.statement == whole.statement
                && span.is_some_and(|span| span.start.line != around.start.line)
        };
        placed.filter(|(_, piece)| inside(piece)).map(|(one, _)| *one).collect()
    }
}
