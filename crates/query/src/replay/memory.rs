//! Memory as it comes in: objects, their bytes and pointers, from what a model says of single cells.

use hydrogen_evidence::{Cell, Global, Object, Value};
use hydrogen_ir::layout::{SlotKind, plain, pointee, size_of, target_slots};
use hydrogen_ir::{CType, CTypeId, Module};
use std::collections::BTreeMap;

/// Pointers that lead from a parameter to the farthest object that nothing is said of.
const DEPTH: u32 = 3;
/// Objects of one call.
const MOST_OBJECTS: usize = 64;
/// Scalars of an object that are looked at.
const MOST_SLOTS: usize = 512;
/// No object of an input is larger.
pub(super) const LARGEST: u64 = 1 << 24;
/// Arrays that come in have so many elements at least: how many is the caller's choice.
const ELEMENTS: u64 = 64;
/// Memory of no type has so many bytes at least.
const PLAIN: u64 = 512;

/// An object under way.
#[derive(Debug, Clone, Default)]
pub(super) struct Making {
    pub name: String,
    /// The type of its elements.
    pub target: Option<CTypeId>,
    depth: u32,
    /// By place.
    cells: BTreeMap<u64, (String, Value)>,
    /// Strings: where they begin, and their length.
    texts: BTreeMap<u64, u64>,
}

/// All that comes in.
#[derive(Debug, Default)]
pub(super) struct Memory {
    pub objects: Vec<Making>,
    globals: BTreeMap<String, Making>,
    by_number: BTreeMap<u64, usize>,
}

/// Whose memory a cell is in.
#[derive(Debug, Clone)]
pub(super) enum Holder {
    Object(usize),
    Global(String),
}

impl Memory {
    /// The object that a model gives this number.
    pub fn numbered(&mut self, number: u64) -> usize {
        let next = self.objects.len();
        let at = *self.by_number.entry(number).or_insert(next);
        if at == next {
            self.objects.push(Making { depth: 1, ..Making::default() });
        }
        at
    }

    /// A new object that nothing is said of.
    pub fn fresh(&mut self, name: &str, target: Option<CTypeId>, depth: u32) -> usize {
        self.objects.push(Making { name: name.to_owned(), target, depth, ..Making::default() });
        self.objects.len() - 1
    }

    /// What is known of an object besides its cells.
    pub fn describe(&mut self, at: usize, name: String, target: Option<CTypeId>) {
        let object = &mut self.objects[at];
        if object.name.is_empty() {
            object.name = name;
        }
        object.target = object.target.or(target);
    }

    fn holder(&mut self, holder: &Holder) -> &mut Making {
        match holder {
            Holder::Object(at) => &mut self.objects[*at],
            Holder::Global(name) => self.globals.entry(name.clone()).or_default(),
        }
    }

    /// Puts a value into a cell; the first one counts.
    pub fn put(&mut self, holder: &Holder, at: u64, path: String, value: Value) {
        self.holder(holder).cells.entry(at).or_insert((path, value));
    }

    /// There is a string of this length.
    pub fn text(&mut self, holder: &Holder, at: u64, length: u64) {
        self.holder(holder).texts.entry(at).or_insert(length);
    }

    /// Pointers that nothing is said of lead to objects of their type: whoever is handed a structure may use what it leads to.
    pub fn fill(&mut self, module: &Module) {
        let mut at = 0;
        while at < self.objects.len() {
            let (depth, name) = (self.objects[at].depth, self.objects[at].name.clone());
            let target = self.objects[at].target;
            let slots =
                target.map_or(Vec::new(), |target| target_slots(module, target, &name, 1, MOST_SLOTS));
            for slot in slots.into_iter().filter(|slot| slot.kind == SlotKind::Pointer) {
                let known = self.objects[at].cells.contains_key(&slot.at);
                let target = pointee(module, slot.ctype).filter(|target| is_data(module, *target));
                if known || target.is_none() || depth >= DEPTH || self.objects.len() >= MOST_OBJECTS {
                    continue;
                }
                let to = self.fresh(&slot.path, target, depth + 1);
                self.objects[at].cells.insert(slot.at, (slot.path, Value::Object(to, 0)));
            }
            at += 1;
        }
    }

    /// The objects as they are made; `elements` is what numbers beside the pointers suggest. None if they are too large.
    pub fn objects(&self, module: &Module, elements: u64) -> Option<Vec<Object>> {
        let one = |object: &Making| {
            let cells = object.finished()?;
            let element = object.target.and_then(|target| size_of(module, target));
            let usual = match (element, object.target) {
                (Some(size), Some(target)) if is_record(module, target) => size,
                (Some(size), _) => size.checked_mul(elements.clamp(ELEMENTS, LARGEST))?,
                (None, _) => PLAIN.max(elements.min(LARGEST)),
            };
            let used = cells.iter().map(|cell| cell.at + cell.value.bytes()).max().unwrap_or(0);
            let of = object.target.map_or(String::new(), |target| module.ctype_name(target));
            let size = usual.max(used);
            (size <= LARGEST).then(|| Object { name: object.name.clone(), of, size, cells })
        };
        self.objects.iter().map(one).collect()
    }

    /// Global variables with what is said of them.
    pub fn globals(&self) -> Option<Vec<Global>> {
        let one = |(name, object): (&String, &Making)| {
            Some(Global { name: name.clone(), cells: object.finished()? })
        };
        self.globals.iter().map(one).collect()
    }
}

impl Making {
    /// The cells with the bytes of strings; none if one is too long.
    fn finished(&self) -> Option<Vec<Cell>> {
        let mut cells = self.cells.clone();
        for (&at, &length) in &self.texts {
            if length >= LARGEST || at >= LARGEST {
                return None;
            }
            for byte in at..at + length {
                cells.entry(byte).or_insert((String::new(), Value::number(8, b'a'.into())));
            }
            cells.entry(at + length).or_insert((String::new(), Value::number(8, 0)));
        }
        if cells.keys().next_back().is_some_and(|last| *last >= LARGEST) {
            return None;
        }
        Some(cells.into_iter().map(|(at, (path, value))| Cell { at, path, value }).collect())
    }
}

/// Whether a type is that of data and not of code.
pub(super) fn is_data(module: &Module, ctype: CTypeId) -> bool {
    !matches!(module.ctype(plain(module, ctype)), CType::Function { .. })
}

fn is_record(module: &Module, ctype: CTypeId) -> bool {
    matches!(module.ctype(plain(module, ctype)), CType::Record { .. })
}
