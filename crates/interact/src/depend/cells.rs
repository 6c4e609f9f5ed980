//! The memory that compiled statements share: who sets which places, and who may read them.

use super::compiled::Compiled;
use hydrogen_flow::{ObjectId, Place};
use std::collections::BTreeMap;

/// Statements that set a place and statements that read it.
#[derive(Default)]
pub(crate) struct Shared {
    pub sets: Vec<usize>,
    pub reads: Vec<usize>,
}

/// A place, and how many bytes are touched there.
type Cell = (Place, u64);
/// The cells of an object.
type OfObject<'a> = Vec<(&'a Cell, &'a Shared)>;

/// The cells that statements set or read.
#[derive(Default)]
pub(crate) struct Cells(BTreeMap<Cell, Shared>);

impl Cells {
    pub fn read(&mut self, node: usize, touched: impl IntoIterator<Item = Cell>) {
        touched.into_iter().for_each(|cell| self.0.entry(cell).or_default().reads.push(node));
    }

    pub fn set(&mut self, node: usize, touched: impl IntoIterator<Item = Cell>) {
        touched.into_iter().for_each(|cell| self.0.entry(cell).or_default().sets.push(node));
    }

    /// Per cell that is set, its setters and all who may read some of its bytes.
    pub fn joined(&self, compiled: &Compiled<'_>) -> Vec<Shared> {
        let mut by_object: BTreeMap<ObjectId, OfObject<'_>> = BTreeMap::new();
        for (cell, shared) in &self.0 {
            by_object.entry(cell.0.object).or_default().push((cell, shared));
        }
        let points_to = &compiled.points_to;
        let escaped: Vec<usize> = by_object
            .iter()
            .filter(|(object, _)| **object != ObjectId::UNKNOWN && points_to.is_escaped(**object))
            .flat_map(|(_, cells)| cells.iter().flat_map(|(_, shared)| shared.reads.iter().copied()))
            .collect();
        let none = Vec::new();
        let unknown = by_object.get(&ObjectId::UNKNOWN).unwrap_or(&none);
        let unknown: Vec<usize> =
            unknown.iter().flat_map(|(_, shared)| shared.reads.iter().copied()).collect();
        let mut joined = Vec::new();
        for (&object, cells) in &by_object {
            for (cell, shared) in cells.iter().filter(|(_, shared)| !shared.sets.is_empty()) {
                let overlapping =
                    cells.iter().filter(|(other, _)| points_to.overlap(cell.0, cell.1, other.0, other.1));
                let mut reads: Vec<usize> =
                    overlapping.flat_map(|(_, other)| other.reads.iter().copied()).collect();
                if object == ObjectId::UNKNOWN {
                    reads.extend(&escaped);
                } else if points_to.is_escaped(object) {
                    reads.extend(&unknown);
                }
                reads.sort_unstable();
                reads.dedup();
                let mut sets = shared.sets.clone();
                sets.sort_unstable();
                sets.dedup();
                joined.push(Shared { sets, reads });
            }
        }
        joined
    }
}
