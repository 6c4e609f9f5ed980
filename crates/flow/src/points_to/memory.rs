//! Objects, their cells, and what happens to them while solving.
//!
//! An object has a *cell* for every offset (in normal form) that some pointer has; a cell's content is a
//! variable. A pointer may also point *anywhere* into an object. What is stored through such a pointer flows to
//! every cell; what is loaded through it comes from every cell.

use super::address::Move;
use super::copies::Rule;
use super::set::Set;
use super::shape::{Offset, Shape};
use super::solver::{EMPTY, ESCAPED, FOREIGN, Loc, Obj, SINK, Solver, UNKNOWN, Var};
use std::collections::BTreeMap;
use std::sync::Arc;

/// An object with more cells than this loses its fields: walking pointers must come to an end.
const MANY_CELLS: usize = 256;
/// Strides below a pointer's size cannot separate pointers.
const POINTER: u64 = 8;

/// Where a pointer can point.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Location {
    pub object: Obj,
    pub offset: Offset,
    /// Takes what is stored here.
    pub into: Var,
    /// Gives what is loaded here.
    pub out: Var,
}

/// How an object keeps its content.
#[derive(Debug, Clone, Default)]
pub(crate) struct ObjectState {
    /// The arrays of its type; `None` when its type is unknown (heap).
    pub shape: Option<Arc<Shape>>,
    /// It has no content (a function), or nothing is known about it (the unknown memory): one location.
    pub opaque: bool,
    /// Nothing can be stored in it after initialisation.
    pub constant: bool,
    /// Offsets count modulo this; 0: they do not. With 1 the object has a single cell.
    pub modulus: u64,
    pub cells: BTreeMap<u64, Loc>,
    pub anywhere: Option<Loc>,
    /// Locations whose cell was unified with another: sets may still hold them.
    pub former: Vec<Loc>,
    pub rules: Vec<Rule>,
    pub escaped: bool,
}

impl Solver {
    pub(super) fn add_unknown(&mut self) {
        let state =
            ObjectState { opaque: true, escaped: true, anywhere: Some(UNKNOWN), ..Default::default() };
        self.objects.push(state);
        self.locations.push(Location { object: 0, offset: Offset::Anywhere, into: ESCAPED, out: FOREIGN });
    }

    pub fn add_object(&mut self, state: ObjectState) -> Obj {
        self.objects.push(state);
        Obj::try_from(self.objects.len() - 1).expect("fewer than 2^32 objects")
    }

    fn add_location(&mut self, location: Location) -> Loc {
        self.locations.push(location);
        let loc = Loc::try_from(self.locations.len() - 1).expect("fewer than 2^32 locations");
        if self.objects[location.object as usize].escaped {
            self.escaped.insert(loc);
        }
        loc
    }

    /// The location at an offset.
    pub fn locate(&mut self, object: Obj, offset: Offset) -> Loc {
        let state = &self.objects[object as usize];
        let offset = match offset {
            _ if state.opaque => Offset::Anywhere,
            _ if state.modulus == 1 => Offset::At(0),
            Offset::At(at) if state.modulus > 1 => Offset::At(at % state.modulus),
            Offset::At(at) => match &state.shape {
                Some(shape) if at > shape.size => Offset::Anywhere,
                Some(shape) => Offset::At(shape.normal(at)),
                None => Offset::At(at),
            },
            Offset::Anywhere => Offset::Anywhere,
        };
        match offset {
            Offset::At(at) => match state.cells.get(&at) {
                Some(&loc) => loc,
                None if state.cells.len() >= MANY_CELLS => {
                    self.narrow(object, 1);
                    self.locate(object, offset)
                }
                None => self.add_cell(object, at),
            },
            Offset::Anywhere => match state.anywhere {
                Some(loc) => loc,
                None => self.add_anywhere(object),
            },
        }
    }

    fn add_cell(&mut self, object: Obj, at: u64) -> Loc {
        let content = self.fresh();
        let loc = self.add_location(Location { object, offset: Offset::At(at), into: content, out: content });
        self.objects[object as usize].cells.insert(at, loc);
        if let Some(anywhere) = self.objects[object as usize].anywhere {
            let Location { into, out, .. } = self.locations[anywhere as usize];
            self.copy(into, content);
            self.copy(content, out);
        }
        self.new_cells.push(loc);
        loc
    }

    fn add_anywhere(&mut self, object: Obj) -> Loc {
        if self.objects[object as usize].opaque {
            let loc =
                self.add_location(Location { object, offset: Offset::Anywhere, into: SINK, out: EMPTY });
            self.objects[object as usize].anywhere = Some(loc);
            return loc;
        }
        let (into, out) = (self.fresh(), self.fresh());
        let loc = self.add_location(Location { object, offset: Offset::Anywhere, into, out });
        self.objects[object as usize].anywhere = Some(loc);
        self.copy(into, out);
        for cell in self.objects[object as usize].cells.values().copied().collect::<Vec<_>>() {
            let content = self.locations[cell as usize].into;
            self.copy(into, content);
            self.copy(content, out);
        }
        self.new_cells.push(loc);
        loc
    }

    /// From now on the offsets of an object count modulo `modulus`: cells that become one are unified.
    pub(super) fn narrow(&mut self, object: Obj, modulus: u64) {
        let state = &mut self.objects[object as usize];
        if state.modulus == modulus {
            return;
        }
        state.modulus = modulus;
        let cells = std::mem::take(&mut state.cells);
        for &loc in &state.former {
            if let Offset::At(at) = &mut self.locations[loc as usize].offset {
                *at %= modulus;
            }
        }
        for (at, loc) in cells {
            let at = at % modulus;
            self.locations[loc as usize].offset = Offset::At(at);
            match self.objects[object as usize].cells.get(&at).copied() {
                Some(first) => {
                    self.objects[object as usize].former.push(loc);
                    self.unify(self.locations[first as usize].into, self.locations[loc as usize].into);
                }
                None => {
                    self.objects[object as usize].cells.insert(at, loc);
                }
            }
        }
        if modulus == 1
            && let Some(anywhere) = self.objects[object as usize].anywhere
        {
            let Location { into, out, .. } = self.locations[anywhere as usize];
            self.unify(into, out);
            match self.objects[object as usize].cells.get(&0).copied() {
                Some(cell) => self.unify(into, self.locations[cell as usize].into),
                None => {
                    self.locations[anywhere as usize].offset = Offset::At(0);
                    self.objects[object as usize].cells.insert(0, anywhere);
                }
            }
        }
        // Rules saw the old offsets; let them see the new ones.
        let state = &self.objects[object as usize];
        self.new_cells.extend(state.cells.values().copied().chain(state.anywhere));
    }

    /// Where a pointer to `loc` may point after a move.
    pub(super) fn moved(&mut self, loc: Loc, by: &Move, out: &mut Vec<Loc>) {
        let Location { object, offset, .. } = self.locations[loc as usize];
        if self.objects[object as usize].opaque {
            return out.push(loc);
        }
        let (Offset::At(from), Move::By { distance, strides }) = (offset, by) else {
            return out.push(self.locate(object, Offset::Anywhere));
        };
        let mut places = Vec::new();
        self.step(object, from, *distance, &mut places);
        for &stride in strides {
            for place in &mut places {
                if let Offset::At(at) = *place {
                    *place = self.walk(object, at, stride);
                }
            }
        }
        for place in places {
            out.push(self.locate(object, place));
        }
    }

    fn step(&self, object: Obj, from: u64, distance: i64, out: &mut Vec<Offset>) {
        let state = &self.objects[object as usize];
        match &state.shape {
            _ if distance == 0 => out.push(Offset::At(from)),
            _ if state.modulus > 0 => {
                let at = (i128::from(from) + i128::from(distance)).rem_euclid(i128::from(state.modulus));
                out.push(Offset::At(at as u64));
            }
            Some(shape) => shape.step(from, distance, out),
            None => out.push(from.checked_add_signed(distance).map_or(Offset::Anywhere, Offset::At)),
        }
    }

    fn walk(&mut self, object: Obj, from: u64, stride: u64) -> Offset {
        let state = &self.objects[object as usize];
        match &state.shape {
            _ if state.modulus == 1 => Offset::At(0),
            Some(shape) if state.modulus == 0 => shape.walk(from, stride),
            _ if stride < POINTER => Offset::Anywhere,
            // An object of unknown type that is walked through is an array of such elements.
            _ => {
                let common = greatest_common_divisor(state.modulus, stride);
                self.narrow(object, if common < POINTER { 1 } else { common });
                Offset::At(from)
            }
        }
    }

    /// What lies `at` bytes behind a location.
    pub(super) fn behind(&mut self, loc: Loc, at: u32) -> Vec<Loc> {
        let mut places = Vec::new();
        self.moved(loc, &Move::By { distance: i64::from(at), strides: Vec::new() }, &mut places);
        places
    }

    pub(super) fn load(&mut self, pointees: &Set, at: u32, to: Var) {
        for loc in pointees.iter() {
            // Nearly all accesses are of this kind.
            if at == 0 {
                self.copy(self.locations[loc as usize].out, to);
                continue;
            }
            for place in self.behind(loc, at) {
                self.copy(self.locations[place as usize].out, to);
            }
        }
    }

    pub(super) fn store(&mut self, pointees: &Set, at: u32, value: Var) {
        for loc in pointees.iter() {
            if at == 0 {
                self.store_into(value, loc);
                continue;
            }
            for place in self.behind(loc, at) {
                self.store_into(value, place);
            }
        }
    }

    /// `value` is stored at a location.
    pub(super) fn store_into(&mut self, value: Var, loc: Loc) {
        let location = self.locations[loc as usize];
        if !self.objects[location.object as usize].constant {
            self.copy(value, location.into);
        }
    }

    /// Unknown code has a pointer to this location: it can read and write the object, or call the function.
    pub(super) fn escape(&mut self, loc: Loc) {
        let object = self.locations[loc as usize].object;
        if std::mem::replace(&mut self.objects[object as usize].escaped, true) {
            return;
        }
        let state = &self.objects[object as usize];
        let known = state.cells.values().copied().chain(state.anywhere).chain(state.former.iter().copied());
        self.escaped.union(&known.collect());
        if self.objects[object as usize].opaque {
            return self.escape_function(object);
        }
        let anywhere = self.locate(object, Offset::Anywhere);
        let Location { into, out, .. } = self.locations[anywhere as usize];
        self.copy(out, ESCAPED);
        if !self.objects[object as usize].constant {
            self.insert(into, UNKNOWN);
        }
    }
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}
