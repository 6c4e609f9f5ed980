//! Copies of memory (`memcpy`, structures by value): cell by cell, also for cells that appear later.

use super::shape::Offset;
use super::solver::{Complex, Loc, Obj, Solver, Var};

/// With more pairs of source and destination than this, a copy goes through one common variable.
const MANY_PAIRS: usize = 1024;

/// A copy between what two pointers point to.
#[derive(Debug, Clone)]
pub(crate) struct MemoryCopy {
    to: Var,
    from: Var,
    /// How many bytes; `None` when that is not constant.
    length: Option<u64>,
    /// The pairs that are connected already.
    pairs: rustc_hash::FxHashSet<(Loc, Loc)>,
    /// Once there are many pairs: takes everything from the sources, gives it to the destinations.
    common: Option<Var>,
}

/// What is in the object at `from .. from + length` is also in `object` at `to`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rule {
    from: u64,
    length: Option<u64>,
    object: Obj,
    to: u64,
}

impl Solver {
    pub fn add_memory_copy(&mut self, to: Var, from: Var, length: Option<u64>) {
        let index = self.memory_copies.len() as u32;
        self.memory_copies.push(MemoryCopy { to, from, length, pairs: Default::default(), common: None });
        self.when(to, Complex::Copy(index));
        self.when(from, Complex::Copy(index));
    }

    /// Connects the pairs of a copy that are new.
    pub(super) fn copy_memory(&mut self, index: u32) {
        let copy = &self.memory_copies[index as usize];
        let (to, from) = (copy.to, copy.from);
        let sources: Vec<Loc> = self.set(from).iter().collect();
        let destinations: Vec<Loc> = self.set(to).iter().collect();
        if copy.common.is_some() || sources.len() * destinations.len() > MANY_PAIRS {
            return self.copy_through_common(index, &sources, &destinations);
        }
        let length = copy.length;
        for &source in &sources {
            for &destination in &destinations {
                if self.memory_copies[index as usize].pairs.insert((source, destination)) {
                    self.connect_memory(source, destination, length);
                }
            }
        }
    }

    fn copy_through_common(&mut self, index: u32, sources: &[Loc], destinations: &[Loc]) {
        let common = match self.memory_copies[index as usize].common {
            Some(common) => common,
            None => self.fresh(),
        };
        self.memory_copies[index as usize].common = Some(common);
        for &source in sources {
            let whole = self.locate(self.locations[source as usize].object, Offset::Anywhere);
            self.copy(self.locations[whole as usize].out, common);
        }
        for &destination in destinations {
            let whole = self.locate(self.locations[destination as usize].object, Offset::Anywhere);
            self.store_into(common, whole);
        }
    }

    fn connect_memory(&mut self, source: Loc, destination: Loc, length: Option<u64>) {
        let (from, to) = (self.locations[source as usize], self.locations[destination as usize]);
        if self.objects[to.object as usize].constant {
            return;
        }
        if let (Offset::At(start), Offset::At(end)) = (from.offset, to.offset) {
            let rule = Rule { from: start, length, object: to.object, to: end };
            if !self.objects[from.object as usize].rules.contains(&rule) {
                self.objects[from.object as usize].rules.push(rule);
                let state = &self.objects[from.object as usize];
                let cells: Vec<_> = state.cells.values().copied().chain(state.anywhere).collect();
                for cell in cells {
                    self.apply(rule, cell);
                }
            }
        } else {
            let whole = self.locate(from.object, Offset::Anywhere);
            let target = self.locate(to.object, Offset::Anywhere);
            self.copy(self.locations[whole as usize].out, self.locations[target as usize].into);
        }
    }

    /// Applies the rules of their objects to all cells that are new.
    pub(super) fn settle(&mut self) {
        while let Some(cell) = self.new_cells.pop() {
            let object = self.locations[cell as usize].object as usize;
            for index in 0..self.objects[object].rules.len() {
                let rule = self.objects[object].rules[index];
                self.apply(rule, cell);
            }
        }
    }

    fn apply(&mut self, rule: Rule, cell: Loc) {
        let location = self.locations[cell as usize];
        let Offset::At(at) = location.offset else {
            // What was stored at an unknown offset arrives at an unknown offset.
            let target = self.locate(rule.object, Offset::Anywhere);
            return self.copy(location.into, self.locations[target as usize].into);
        };
        let mut target: Option<Loc> = None;
        for distance in self.distances(location.object, at, rule) {
            let offset = rule.to.checked_add_signed(distance).map_or(Offset::Anywhere, Offset::At);
            let place = self.locate(rule.object, offset);
            if target.is_some_and(|before| before != place) {
                // Elements of the source's array are not elements of an array over there.
                let whole = self.locate(rule.object, Offset::Anywhere);
                self.copy(location.out, self.locations[whole as usize].into);
            }
            self.copy(location.out, self.locations[place as usize].into);
            target = Some(place);
        }
    }

    /// How far behind the beginning of a copied range a cell can lie: where the range holds several elements of
    /// an array, for the first two of them.
    fn distances(&self, object: Obj, at: u64, rule: Rule) -> Vec<i64> {
        let state = &self.objects[object as usize];
        let mut strides = vec![0];
        match &state.shape {
            _ if state.modulus > 0 => strides.push(state.modulus),
            Some(shape) => strides.extend(shape.around(at).map(|region| region.stride)),
            None => {}
        }
        let from = if state.modulus > 0 { rule.from % state.modulus } else { rule.from };
        let length = rule.length.unwrap_or(u64::MAX);
        let distances = strides.into_iter().filter_map(|stride| {
            let distance = i128::from(at) + i128::from(stride) - i128::from(from);
            let inside = distance >= 0 && distance < i128::from(length);
            i64::try_from(distance).ok().filter(|_| inside)
        });
        distances.collect()
    }
}
