//! Which cells of a run the places of the static analysis touch: found once per place, and put together per branch.

use crate::dependences::Dependences;
use crate::effects::Written;
use crate::places::PSEUDO;
use hydrogen_flow::ObjectId;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Cells as words of bits with something in them, ascending.
pub(crate) type Words = Arc<[(u32, u64)]>;

/// Cells, by what may write them.
#[derive(Debug)]
pub(crate) struct Touched {
    /// The cells of each object.
    by_object: FxHashMap<ObjectId, Vec<u32>>,
    /// By number of a place: the cells that it touches, once it was asked for.
    by_place: FxHashMap<u32, Vec<u32>>,
    /// By number of a set of places: the cells that it touches, once it was asked for.
    by_set: FxHashMap<u32, Words>,
    /// Cells that unknown code may write.
    seen_by_all: Vec<u32>,
}

impl Touched {
    pub(crate) fn new(dependences: &Dependences<'_, '_>) -> Self {
        let mut by_object: FxHashMap<ObjectId, Vec<u32>> = FxHashMap::default();
        for (number, cell) in (0u32..).zip(&dependences.cells).skip(PSEUDO as usize) {
            by_object.entry(cell.place.object).or_default().push(number);
        }
        let points_to = &dependences.statics.points_to;
        let escaped = by_object
            .iter()
            .filter(|(object, _)| **object != ObjectId::UNKNOWN && points_to.is_escaped(**object));
        let seen_by_all = escaped.flat_map(|(_, cells)| cells.iter().copied()).collect();
        Self { by_object, by_place: FxHashMap::default(), by_set: FxHashMap::default(), seen_by_all }
    }

    /// The cells of memory that a set of places touches.
    pub(crate) fn cells(&mut self, dependences: &Dependences<'_, '_>, set: &Written) -> Words {
        if let Some(known) = self.by_set.get(&set.number) {
            return Arc::clone(known);
        }
        let points_to = &dependences.statics.points_to;
        let mut bits = vec![0u64; dependences.cells.len().div_ceil(64)];
        let mut add = |cell: u32| bits[cell as usize / 64] |= 1 << (cell % 64);
        if set.unknown {
            self.seen_by_all.iter().copied().for_each(&mut add);
        }
        if set.unknown || set.escaped {
            self.by_object.get(&ObjectId::UNKNOWN).into_iter().flatten().copied().for_each(&mut add);
        }
        for (number, place, size) in dependences.statics.places_of(set) {
            let is_known = place.object != ObjectId::UNKNOWN;
            let Some(of_object) = self.by_object.get(&place.object).filter(|_| is_known) else { continue };
            let cells = self.by_place.entry(number).or_insert_with(|| {
                let touches = |cell: &&u32| {
                    let cell = &dependences.cells[**cell as usize];
                    points_to.overlap(place, size, cell.place, cell.size)
                };
                of_object.iter().filter(touches).copied().collect()
            });
            cells.iter().copied().for_each(&mut add);
        }
        let words: Words = (0u32..).zip(bits).filter(|word| word.1 != 0).collect();
        self.by_set.insert(set.number, Arc::clone(&words));
        words
    }
}
