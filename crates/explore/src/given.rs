//! What comes in with the call of a single function: names for its scalars, and decisions about its pointers when they are first used.

use crate::concolic::Concolic;
use crate::path::Kind;
use crate::shape::{Given, Incoming, Made, data, function_id, id, more, variable};
use crate::surroundings::functions_behind;
use hydrogen_evidence::{Call, Cell, Value};
use hydrogen_ir::layout::{Slot, SlotKind, plain, target_slots};
use hydrogen_ir::{CTypeId, Module};
use hydrogen_machine::code::{Part, Reg};
use hydrogen_machine::{Extent, FuncId, Passing, Place, View};
use hydrogen_term::{Sort, Term};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// A pointer that nobody has used yet.
#[derive(Debug, Clone)]
struct Undecided {
    name: String,
    to: Target,
    /// How deep an object made for it would lie.
    depth: u32,
    /// Where it leads in this run.
    leads: Option<Value>,
}

/// What a pointer can lead to.
#[derive(Debug, Clone)]
enum Target {
    /// An object of this type.
    Data(CTypeId),
    /// One of these functions.
    Code(Vec<String>),
}

/// The memory of a call, as far as it was looked at.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    made: Option<Made>,
    extents: Vec<Extent>,
    undecided: BTreeMap<Place, Undecided>,
    /// The objects that some decision has made, in that order.
    seen: Vec<usize>,
    /// By object: so many elements are known to be there.
    least: Vec<u64>,
    /// The conditions about which objects there are, and how large they are.
    pub(crate) shape: FxHashSet<Term>,
    /// The depth of the call's own frame.
    pub(crate) frame: Option<usize>,
}

impl Memory {
    /// The call that was made, once it is.
    pub(crate) fn call(&self) -> Option<&Call> {
        self.made.as_ref().map(|made| &made.call)
    }
}

impl Concolic<'_> {
    /// The function is entered: its parameters and objects get their names.
    pub(crate) fn come_in_by_call(&mut self, function: FuncId, extents: &[Extent], view: View<'_>) {
        let Some(made) = self.made.take() else { return };
        self.memory.frame = Some(self.frames.len());
        self.memory.extents = extents.to_vec();
        self.memory.least = vec![1; made.objects.len()];
        let Some((module, _)) = self.program.model(function) else { return };
        for ((given, extent), object) in made.objects.iter().zip(extents).zip(&made.call.objects) {
            self.hold(module, &given.slots, extent.place, &object.cells, given.depth + 1);
        }
        for given in &made.globals {
            let cells = made.call.globals.iter().find(|global| global.name == given.name);
            let cells = cells.map_or(&[][..], |global| &global.cells);
            let place = self.program.globals().find(|(unit, id, ..)| *unit == 0 && *id == given.id);
            if let Some((_, _, place, _)) = place {
                self.hold(module, &given.slots, place, cells, 1);
            }
        }
        let code = self.program.code(function);
        let parts = code.map(|code| code.parameter_parts.clone()).unwrap_or_default();
        let arguments = made.parameters.clone();
        let values: Vec<Value> = made.call.arguments.iter().map(|one| one.value.clone()).collect();
        self.memory.made = Some(made);
        for (parameter, value) in arguments.iter().zip(values) {
            match (&parameter.passing, &parameter.slot) {
                (Passing::Direct(at), Some(slot)) if parameter.used => {
                    self.come_in_directly(parameter, slot, value, first_register(&parts, *at), &parts[*at]);
                }
                (Passing::Pieces(pieces), _) => {
                    let Value::Object(object, _) = value else { continue };
                    let Some(extent) = self.memory.extents.get(object).copied() else { continue };
                    // Whoever takes a structure apart has read its pointers.
                    self.touch(extent.place, extent.size, false);
                    for (at, offset) in pieces {
                        let register = first_register(&parts, *at);
                        self.piece(extent.place, *offset, register, &parts[*at], view);
                    }
                }
                _ => {}
            }
        }
    }

    /// A number or pointer in a register.
    fn come_in_directly(
        &mut self,
        parameter: &Incoming,
        slot: &Slot,
        value: Value,
        register: Reg,
        parts: &[Part],
    ) {
        let [part] = parts else { return };
        match (slot.kind, parameter.target) {
            (SlotKind::Pointer, target) => {
                let to = match target {
                    Some(target) => Target::Data(target),
                    None => Target::Code(parameter.functions.clone()),
                };
                let name = parameter.name.clone();
                self.decide_pointer(&Undecided { name, to, depth: 1, leads: Some(value) });
            }
            _ if !self.symbolic.may_change(&parameter.name) => {}
            (kind, _) => {
                let term = self.incoming(&parameter.name, slot.bytes, kind);
                let term = self.pool.resize_unsigned(term, part.scalar.width());
                self.set(register, Some(term));
            }
        }
    }

    /// The bytes of a structure that a parameter takes.
    fn piece(&mut self, first: Place, offset: u64, register: Reg, parts: &[Part], view: View<'_>) {
        for part in parts {
            let place = Place { at: first.at + (offset + u64::from(part.offset)) as usize, ..first };
            let bytes = u64::from(part.scalar.width().div_ceil(8));
            if let Some(term) = self.bytes.load(&mut self.pool, place, bytes, view) {
                let term = self.pool.resize_unsigned(term, part.scalar.width());
                self.set(register + part.register, Some(term));
            }
        }
    }

    /// Memory that comes in holds numbers that are symbols, and pointers that are decided when somebody looks.
    fn hold(&mut self, module: &Module, slots: &[Slot], first: Place, cells: &[Cell], depth: u32) {
        for slot in slots {
            let place = Place { at: first.at + slot.at as usize, ..first };
            if slot.kind != SlotKind::Pointer && !self.symbolic.may_change(&slot.path) {
                continue;
            }
            if slot.kind != SlotKind::Pointer {
                let term = self.incoming(&slot.path, slot.bytes, slot.kind);
                self.bytes.store(&mut self.pool, place, slot.bytes, Some(term));
                continue;
            }
            let to = match data(module, slot.ctype) {
                Some(target) => Target::Data(target),
                None => Target::Code(functions_behind(module, slot.ctype)),
            };
            let leads = cells.iter().find(|cell| cell.at == slot.at).map(|cell| cell.value.clone());
            let name = slot.path.clone();
            self.memory.undecided.insert(place, Undecided { name, to, depth, leads });
        }
    }

    /// The variable of a scalar.
    pub(crate) fn incoming(&mut self, path: &str, bytes: u64, kind: SlotKind) -> Term {
        let name = variable(path);
        self.named.insert(name.as_str().into(), bytes);
        let term = self.pool.var(&name, Sort::Bits(bytes as u32 * 8));
        if kind == SlotKind::Truth {
            let one = self.pool.bits(bytes as u32 * 8, 1);
            let fits = self.pool.ule(term, one);
            self.require(fits, Kind::Assumed);
        }
        term
    }

    /// A pointer is used for the first time: it is null, leads to a new object, or to one that is there already.
    fn decide_pointer(&mut self, pointer: &Undecided) {
        if !self.symbolic.may_change(&pointer.name) {
            if let Some(Value::Object(at, _)) = pointer.leads
                && !self.memory.seen.contains(&at)
            {
                self.memory.seen.push(at);
            }
            return;
        }
        let Some(made) = &self.memory.made else { return };
        let Some(entry) = &self.symbolic.call else { return };
        let Some((module, _)) = entry.find(self.program) else { return };
        let kind = |target: CTypeId| format!("{:?}", module.ctype(plain(module, target)));
        let mut options = vec![0];
        match &pointer.to {
            Target::Data(target) => {
                if pointer.depth <= entry.depth {
                    options.push(id(&pointer.name));
                }
                let own = kind(*target);
                let same = |at: &&usize| kind(made.objects[**at].target) == own;
                options.extend(self.memory.seen.iter().filter(same).map(|at| id(&made.objects[*at].name)));
            }
            Target::Code(functions) => options.extend(functions.iter().map(|name| function_id(name))),
        }
        let (chosen, object) = match &pointer.leads {
            Some(Value::Object(at, _)) => (id(&made.objects[*at].name), Some(*at)),
            Some(Value::Function(name)) => (function_id(name), None),
            _ => (0, None),
        };
        let new = object.filter(|at| !self.memory.seen.contains(at));
        let new = new.map(|at| (at, made.objects[at].name.clone(), entry.elements));
        let name = variable(&pointer.name);
        self.named.insert(name.as_str().into(), 8);
        let term = self.pool.var(&name, Sort::Bits(64));
        let mut equals = Vec::new();
        for option in &options {
            let value = self.pool.bits(64, u128::from(*option));
            equals.push(self.pool.eq(term, value));
        }
        let one = self.pool.or_all(equals.clone());
        self.suppose(one);
        for (option, equal) in options.iter().zip(equals) {
            if *option == chosen {
                self.choose(equal);
                break;
            }
            let other = self.pool.not(equal);
            self.choose(other);
        }
        // What is said of the object comes behind the choice that made it, as in every run with that choice.
        if let Some((at, name, most)) = new {
            self.memory.seen.push(at);
            self.bound_elements(&name, most);
            if self.symbolic.surroundings.strings {
                self.be_string(at, most);
            }
        }
    }

    /// What is known of the memory that comes in.
    fn suppose(&mut self, term: Term) {
        self.memory.shape.insert(term);
        self.require(term, Kind::Assumed);
    }

    /// What the run chooses about the memory that comes in.
    fn choose(&mut self, term: Term) {
        self.memory.shape.insert(term);
        self.require_choice(term);
    }

    /// An object of characters holds a string: one of the bytes that it has is zero.
    fn be_string(&mut self, number: usize, most: u64) {
        let Some(entry) = &self.symbolic.call else { return };
        let Some((module, _)) = entry.find(self.program) else { return };
        let Some(given) = self.given(number).filter(|given| is_character(module, given.target)) else {
            return;
        };
        let count = variable(&more(&given.name));
        let places = target_slots(module, given.target, &given.name, most, most as usize);
        let mut ends = Vec::new();
        for (at, slot) in (0u128..).zip(places) {
            let byte = self.incoming(&slot.path, 1, slot.kind);
            let (more, zero) = (self.pool.var(&count, Sort::Bits(64)), self.pool.bits(8, 0));
            let border = self.pool.bits(64, at);
            let (there, ends_here) = (self.pool.ule(border, more), self.pool.eq(byte, zero));
            ends.push(self.pool.and(there, ends_here));
        }
        let ends = self.pool.or_all(ends);
        self.suppose(ends);
    }

    /// How many elements an object can have.
    fn bound_elements(&mut self, name: &str, most: u64) {
        let name = variable(&more(name));
        self.named.insert(name.as_str().into(), 8);
        let term = self.pool.var(&name, Sort::Bits(64));
        let most = self.pool.bits(64, u128::from(most.max(1) - 1));
        let fits = self.pool.ule(term, most);
        self.suppose(fits);
    }

    /// An access to memory that came in: pointers that it reads are decided, and so many elements must be there.
    pub(crate) fn touch(&mut self, place: Place, len: u64, write: bool) {
        if len == 0 || self.memory.extents.is_empty() && self.memory.undecided.is_empty() {
            return;
        }
        let inside = |extent: &Extent| {
            extent.place.region == place.region
                && (extent.place.at..extent.place.at + extent.size as usize).contains(&place.at)
        };
        if let Some(number) = self.memory.extents.iter().position(inside) {
            let offset = (place.at - self.memory.extents[number].place.at) as u64;
            self.needs(number, (offset + len - 1) / self.element(number) + 1);
            if self.pointer.is_some() {
                // Where in the object is the input's choice: then all of its elements count.
                let elements = self.given(number).map_or(1, |given| given.elements);
                self.has_no_more(number, elements);
            }
        }
        let end = Place { at: place.at + len as usize, ..place };
        let begin = Place { at: place.at.saturating_sub(7), ..place };
        let met: Vec<Place> = self.memory.undecided.range(begin..end).map(|(place, _)| *place).collect();
        for at in met {
            let Some(pointer) = self.memory.undecided.remove(&at) else { continue };
            if !write || at.at < place.at || at.at + 8 > end.at {
                self.decide_pointer(&pointer);
            }
        }
    }

    /// Whether an address leads into memory that came in.
    pub(crate) fn came_in(&self, address: u64) -> bool {
        self.memory.extents.iter().any(|extent| extent.is_near(address))
    }

    /// An access behind the end of an object that came in: with more elements it would be inside.
    pub(crate) fn denied_there(&mut self, address: u64) {
        let found = self.memory.extents.iter().position(|extent| extent.is_near(address));
        let Some(number) = found else { return };
        let elements = self.given(number).map_or(1, |given| given.elements);
        self.has_no_more(number, elements);
    }

    fn given(&self, number: usize) -> Option<&Given> {
        self.memory.made.as_ref().and_then(|made| made.objects.get(number))
    }

    fn element(&self, number: usize) -> u64 {
        self.given(number).map_or(1, |given| given.element.max(1))
    }

    /// Whether there are no more elements than so many; none for what has its size.
    fn at_most(&mut self, number: usize, elements: u64) -> Option<Term> {
        let given = self.given(number)?;
        if given.by_value || !self.symbolic.may_change(&given.name) {
            return None;
        }
        let name = variable(&more(&given.name));
        let term = self.pool.var(&name, Sort::Bits(64));
        let border = self.pool.bits(64, u128::from(elements - 1));
        Some(self.pool.ule(term, border))
    }

    /// There are at least so many elements. One after the other is asked for, so that runs with fewer and with more decide alike.
    fn needs(&mut self, number: usize, elements: u64) {
        while self.memory.least[number] < elements {
            let Some(fewer) = self.at_most(number, self.memory.least[number]) else { return };
            self.memory.least[number] += 1;
            let there = self.pool.not(fewer);
            self.choose(there);
        }
    }

    /// There are so many elements and no more, where more could be.
    fn has_no_more(&mut self, number: usize, elements: u64) {
        self.needs(number, elements);
        let most = self.symbolic.call.as_ref().map_or(1, |entry| entry.elements);
        if elements < most
            && let Some(fewer) = self.at_most(number, elements)
        {
            self.choose(fewer);
        }
    }
}

/// Whether a type is one of characters.
fn is_character(module: &Module, ctype: CTypeId) -> bool {
    let name = module.ctype_name(plain(module, ctype));
    matches!(name.as_str(), "char" | "signed char" | "unsigned char")
}

/// The first register of a parameter.
fn first_register(parts: &[Vec<Part>], at: usize) -> Reg {
    let taken = |parts: &Vec<Part>| parts.last().map_or(0, |last| last.register + last.scalar.registers());
    parts.iter().take(at).map(taken).sum()
}
