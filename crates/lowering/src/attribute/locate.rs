//! From a place in the source to the innermost piece there.

use hydrogen_ir::{Location, Piece};

/// Finds pieces by place. The extents of pieces nest: a part of a statement lies inside the whole.
pub(super) struct Locator {
    /// Pieces with text, ordered so that outer ones come before the inner ones that begin at the same place.
    order: Vec<usize>,
    /// The smallest piece around each piece.
    parents: Vec<Option<usize>>,
}

impl Locator {
    pub(super) fn new(pieces: &[Piece]) -> Self {
        let spanned = |index: &usize| pieces[*index].span.is_some_and(|span| span.start < span.end);
        let mut order: Vec<usize> = (0..pieces.len()).filter(spanned).collect();
        // Of equal extents the later piece is the whole: parts are evaluated first.
        order.sort_by_key(|&index| {
            let span = pieces[index].span;
            (
                span.map(|span| (span.file, span.start)),
                std::cmp::Reverse(span.map(|span| span.end)),
                std::cmp::Reverse(index),
            )
        });
        let mut parents = vec![None; pieces.len()];
        let mut open: Vec<usize> = Vec::new();
        for &index in &order {
            while open.last().is_some_and(|&outer| !encloses(pieces, outer, index)) {
                open.pop();
            }
            parents[index] = open.last().copied();
            open.push(index);
        }
        Self { order, parents }
    }

    /// The innermost piece that contains the place.
    pub(super) fn innermost(&self, pieces: &[Piece], place: Location) -> Option<usize> {
        let starts_before = |&index: &usize| {
            pieces[index].span.is_some_and(|span| (span.file, span.start) <= (place.file, place.position))
        };
        let at = self.order.partition_point(starts_before);
        let mut candidate = self.order[..at].last().copied();
        while let Some(index) = candidate {
            if pieces[index].span.is_some_and(|span| span.contains(place)) {
                return candidate;
            }
            candidate = self.parents[index];
        }
        None
    }

    /// The smallest piece around a piece.
    pub(super) fn parent(&self, piece: usize) -> Option<usize> {
        self.parents.get(piece).copied().flatten()
    }

    /// Whether pieces lie inside a piece.
    pub(super) fn has_parts(&self, piece: usize) -> bool {
        self.parents.contains(&Some(piece))
    }

    /// Whether `inner` lies inside `outer` and is another piece.
    pub(super) fn inside(&self, inner: usize, outer: usize) -> bool {
        let mut at = self.parent(inner);
        while let Some(piece) = at {
            if piece == outer {
                return true;
            }
            at = self.parent(piece);
        }
        false
    }
}

fn encloses(pieces: &[Piece], outer: usize, inner: usize) -> bool {
    match (pieces[outer].span, pieces[inner].span) {
        (Some(outer), Some(inner)) => outer.encloses(&inner),
        _ => false,
    }
}
