//! Everything that a caller can see after a call: the result, the objects it gave, global variables, and what can be reached from there.
//!
//! Values are named by the way to them, `p->next->n`, not by where they lie, so that two versions are comparable whose structures are
//! laid out differently. An object that the function made is named by the way on which it is first met.

use crate::observed::{
    by_value, given_back, number_text, result_slot, result_slots, result_type, slots_of, target_of,
};
use hydrogen_evidence::{Call, Value};
use hydrogen_ir::layout::{Slot, SlotKind, pointee, size_of, slots, target_slots};
use hydrogen_ir::{CTypeId, Function, Module};
use hydrogen_machine::{After, Left, result_words};
use std::collections::{BTreeMap, VecDeque};

/// What holds a value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Holder {
    /// A word of the result.
    Result(usize),
    /// An object, by its number in [`After::objects`].
    Object(usize),
    /// A global variable.
    Global(String),
}

/// A value that a caller sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// The way to it.
    pub path: String,
    /// What holds it.
    pub holder: Holder,
    /// Where in it, in bytes.
    pub at: u64,
    /// How many bytes.
    pub bytes: u64,
    /// Whether it is a pointer: then the text says where it leads, and its bytes mean nothing.
    pub is_pointer: bool,
    /// Its bits, where it is no pointer.
    pub bits: u64,
    /// The value as text.
    pub text: String,
    /// Whether it is another one than before the call.
    pub changed: bool,
}

/// No more values of one object are looked at one by one.
const MOST: usize = 4096;

/// What a caller sees after a call, in a fixed order.
pub fn seen(module: &Module, function: &Function, call: &Call, after: &After) -> Vec<Seen> {
    let names = (0..).zip(&call.objects).map(|(at, object)| (at, object.name.clone())).collect();
    let mut look = Look { module, call, after, names, open: VecDeque::new(), found: Vec::new() };
    look.result(function);
    for at in 0..call.objects.len() {
        if by_value(module, function, call, at).is_some() {
            continue;
        }
        let object = &call.objects[at];
        let target =
            target_of(module, function, call, at).and_then(|target| Some((target, size_of(module, target)?)));
        let slots = match target {
            Some((target, size)) => {
                target_slots(module, target, &object.name, object.size / size.max(1), MOST)
            }
            None => slots_of(module, function, call, at),
        };
        look.object(at, &object.name, &slots);
    }
    for (name, left) in &after.globals {
        let global = module.globals.iter().find(|global| global.name == *name);
        let slots = global
            .and_then(|global| global.ctype)
            .map_or(Vec::new(), |ctype| slots(module, ctype, name, MOST));
        let changed = after.changed.contains(name);
        for slot in whole(module, left, name, &slots) {
            look.slot(&slot, Holder::Global(name.clone()), left, changed);
        }
    }
    while let Some((at, name, target)) = look.open.pop_front() {
        let Some(Some(left)) = after.objects.get(at) else { continue };
        let size = target.and_then(|target| size_of(module, target));
        let slots = match (target, size) {
            (Some(target), Some(size)) => {
                target_slots(module, target, &name, left.bytes.len() as u64 / size.max(1), MOST)
            }
            _ => Vec::new(),
        };
        look.object(at, &name, &slots);
    }
    look.found
}

/// The lines of what a call changed, and of its result, sorted.
pub fn changes(seen: &[Seen]) -> Vec<String> {
    let told = seen.iter().filter(|one| one.changed);
    let mut lines: Vec<String> = told.map(|one| format!("{} = {}", one.path, one.text)).collect();
    lines.sort();
    lines
}

struct Look<'a> {
    module: &'a Module,
    call: &'a Call,
    after: &'a After,
    /// By number of an object that was met.
    names: BTreeMap<usize, String>,
    /// Objects that the function made and that were not looked at yet.
    open: VecDeque<(usize, String, Option<CTypeId>)>,
    found: Vec<Seen>,
}

impl Look<'_> {
    /// A structure that is the result: its members, where they lie.
    fn structure(&mut self, function: &Function, left: &Left) {
        let words = result_words(self.module, function);
        let object = match self.after.result.first() {
            Some(Value::Object(at, 0)) if words.is_empty() => Some(*at),
            _ => None,
        };
        for slot in result_slots(self.module, function) {
            let inside = |(from, bytes): &(u64, u64)| (*from..from + bytes).contains(&slot.at);
            let (holder, from) = match (object, words.iter().position(inside)) {
                (Some(at), _) => (Holder::Object(at), 0),
                (None, Some(word)) => (Holder::Result(word), words[word].0),
                (None, None) => continue,
            };
            self.slot(&slot, holder, left, true);
            if let Some(last) = self.found.last_mut() {
                last.at -= from;
            }
        }
        if let Some(at) = object {
            self.names.insert(at, "result".into());
        }
    }

    fn result(&mut self, function: &Function) {
        if let Some(left) = given_back(self.module, function, self.after) {
            return self.structure(function, &left);
        }
        let slot = result_slot(self.module, function);
        for (word, value) in self.after.result.iter().enumerate() {
            let path = if slot.is_some() { "result".to_owned() } else { format!("result, word {word}") };
            let holder = Holder::Result(word);
            let bytes = slot.as_ref().map_or(8, |slot| slot.bytes);
            let one = match (value, &slot) {
                (Value::Number(number), Some(slot)) => {
                    let text = number_text(slot, number.bits);
                    let is_pointer = slot.kind == SlotKind::Pointer;
                    Seen { path, holder, at: 0, bytes, is_pointer, bits: number.bits, text, changed: true }
                }
                (Value::Number(number), None) => {
                    let (bits, text) = (number.bits, format!("{:#x}", number.bits));
                    Seen { path, holder, at: 0, bytes, is_pointer: false, bits, text, changed: true }
                }
                (pointer, _) => {
                    let target =
                        result_type(self.module, function).and_then(|ctype| pointee(self.module, ctype));
                    let text = self.pointer(Some(pointer), &path, target);
                    Seen { path, holder, at: 0, bytes, is_pointer: true, bits: 0, text, changed: true }
                }
            };
            self.found.push(one);
        }
    }

    fn object(&mut self, at: usize, name: &str, slots: &[Slot]) {
        let given = self.call.objects.get(at);
        match self.after.objects.get(at) {
            Some(Some(left)) => {
                for slot in whole(self.module, left, name, slots) {
                    let before = given.map(|object| object.cells.iter().find(|cell| cell.at == slot.at));
                    let before = before.map(|cell| cell.map_or(Value::Null, |cell| cell.value.clone()));
                    let changed = before.is_none_or(|before| !holds(left, &slot, &before));
                    self.slot(&slot, Holder::Object(at), left, changed);
                }
            }
            Some(None) => self.found.push(Seen {
                path: format!("<{name}>"),
                holder: Holder::Object(at),
                at: 0,
                bytes: 0,
                is_pointer: true,
                bits: 0,
                text: "freed".into(),
                changed: true,
            }),
            None => {}
        }
    }

    fn slot(&mut self, slot: &Slot, holder: Holder, left: &Left, changed: bool) {
        let (bits, pointer) = (bits(left, slot), left.pointers.get(&slot.at));
        let is_pointer = slot.kind == SlotKind::Pointer || pointer.is_some();
        let text = match pointer {
            None if is_pointer && bits != 0 => "elsewhere".into(),
            pointer if is_pointer => {
                let target = pointee(self.module, slot.ctype);
                self.pointer(pointer, &slot.path, target)
            }
            _ => number_text(slot, bits),
        };
        let (path, at, bytes) = (slot.path.clone(), slot.at, slot.bytes);
        self.found.push(Seen { path, holder, at, bytes, is_pointer, bits, text, changed });
    }

    fn pointer(&mut self, value: Option<&Value>, path: &str, target: Option<CTypeId>) -> String {
        match value {
            None | Some(Value::Null) => "NULL".into(),
            Some(Value::Object(at, offset)) => {
                if !self.names.contains_key(at) {
                    self.names.insert(*at, path.to_owned());
                    self.open.push_back((*at, path.to_owned(), target.filter(|_| *offset == 0)));
                }
                format!("&<{}> + {offset}", self.names[at])
            }
            Some(Value::Global(name, offset)) => format!("&{name} + {offset}"),
            Some(Value::Function(name)) => name.clone(),
            Some(Value::Number(number)) => format!("{:#x}", number.bits),
        }
    }
}

/// The slots of at most eight bytes; where the type is not known, or larger, all bytes one by one, but for those of pointers.
fn whole(module: &Module, left: &Left, name: &str, slots: &[Slot]) -> Vec<Slot> {
    let small: Vec<Slot> = slots.iter().filter(|slot| slot.bytes <= 8).cloned().collect();
    if !small.is_empty() {
        return small;
    }
    let size = left.bytes.len() as u64;
    let byte = crate::observed::byte_type(module);
    let slot = |at: u64, bytes: u64, kind: SlotKind| Slot {
        at,
        bytes,
        path: format!("{name}, byte {at}"),
        kind,
        ctype: byte.unwrap_or(CTypeId(0)),
    };
    let mut found = Vec::new();
    let mut at = 0;
    while at < size && found.len() < MOST {
        let pointer = left.pointers.contains_key(&at);
        let (bytes, kind) =
            if pointer { (8, SlotKind::Pointer) } else { (1, SlotKind::Number { signed: false }) };
        found.push(slot(at, bytes, kind));
        at += bytes;
    }
    found
}

fn bits(left: &Left, slot: &Slot) -> u64 {
    let mut word = [0; 8];
    if let Some(bytes) = left.bytes.get(slot.at as usize..(slot.at + slot.bytes) as usize) {
        word[..bytes.len()].copy_from_slice(bytes);
    }
    u64::from_le_bytes(word)
}

/// Whether a value that was there before the call still is.
fn holds(left: &Left, slot: &Slot, before: &Value) -> bool {
    let mask = if slot.bytes >= 8 { u64::MAX } else { (1 << (8 * slot.bytes)) - 1 };
    match (before, left.pointers.get(&slot.at)) {
        (Value::Number(number), None) => bits(left, slot) == number.bits & mask,
        (Value::Null, None) => bits(left, slot) == 0,
        (before, Some(now)) => before == now,
        _ => false,
    }
}
