//! What comes in with the call of a single function: names for its scalars, and decisions about its pointers when they are first used.

use crate::concolic::Concolic;
use crate::path::Kind;
use crate::shape::{Given, Made, data, id, more, variable};
use hydrogen_ir::CTypeId;
use hydrogen_ir::layout::{SlotKind, plain};
use hydrogen_machine::{Extent, FuncId, Place};
use hydrogen_term::{Sort, Term};
use std::collections::BTreeMap;

/// A pointer that nobody has used yet.
#[derive(Debug, Clone)]
struct Undecided {
    name: String,
    target: CTypeId,
    /// How deep an object made for it would lie.
    depth: u32,
    /// The object that it leads to in this run, by number.
    leads: Option<usize>,
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
    /// The depth of the call's own frame.
    pub(crate) frame: Option<usize>,
}

impl Concolic<'_> {
    /// The function is entered: its parameters and objects get their names.
    pub(crate) fn come_in_by_call(&mut self, function: FuncId, extents: &[Extent]) {
        let Some(made) = self.made.take() else { return };
        self.memory.frame = Some(self.frames.len());
        self.memory.extents = extents.to_vec();
        self.memory.least = vec![1; made.objects.len()];
        let Some((module, _)) = self.program.model(function) else { return };
        for (number, (given, extent)) in made.objects.iter().zip(extents).enumerate() {
            for slot in &given.slots {
                let place = Place { at: extent.place.at + slot.at as usize, ..extent.place };
                match slot.kind {
                    SlotKind::Pointer => {
                        let Some(target) = data(module, slot.ctype) else { continue };
                        let leads = made.leads(number, slot.at);
                        let (name, depth) = (slot.path.clone(), given.depth + 1);
                        self.memory.undecided.insert(place, Undecided { name, target, depth, leads });
                    }
                    kind => {
                        let term = self.incoming(&slot.path, slot.bytes, kind);
                        self.bytes.store(&mut self.pool, place, slot.bytes, Some(term));
                    }
                }
            }
        }
        let code = self.program.code(function);
        let parts = code.map(|code| code.parameter_parts.clone()).unwrap_or_default();
        let mut register = 0;
        let arguments = made.parameters.clone();
        let leads: Vec<Option<usize>> = (0..arguments.len()).map(|at| made.argument(at)).collect();
        self.memory.made = Some(made);
        for ((parameter, parts), leads) in arguments.iter().zip(&parts).zip(leads) {
            let [part] = parts.as_slice() else { return };
            match (parameter.slot.kind, parameter.target) {
                _ if !parameter.used => {}
                (SlotKind::Pointer, Some(target)) => {
                    let name = parameter.name.clone();
                    self.decide_pointer(&Undecided { name, target, depth: 1, leads });
                }
                (SlotKind::Pointer, None) | (SlotKind::Float, _) => {}
                (kind, _) => {
                    let term = self.incoming(&parameter.name, parameter.slot.bytes, kind);
                    let width = part.scalar.width();
                    let term = self.pool.resize_unsigned(term, width);
                    self.set(register, Some(term));
                }
            }
            register += part.scalar.registers();
        }
    }

    /// The variable of a scalar.
    fn incoming(&mut self, path: &str, bytes: u64, kind: SlotKind) -> Term {
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
        let Some(made) = &self.memory.made else { return };
        let Some(entry) = &self.symbolic.call else { return };
        let Some((module, _)) = entry.find(self.program) else { return };
        let kind = |target: CTypeId| format!("{:?}", module.ctype(plain(module, target)));
        let own = kind(pointer.target);
        let mut options = vec![0];
        if pointer.depth <= entry.depth {
            options.push(id(&pointer.name));
        }
        let same = |at: &&usize| kind(made.objects[**at].target) == own;
        options.extend(self.memory.seen.iter().filter(same).map(|at| id(&made.objects[*at].name)));
        let chosen = pointer.leads.map_or(0, |at| id(&made.objects[at].name));
        let new = pointer.leads.filter(|at| !self.memory.seen.contains(at));
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
        self.require(one, Kind::Assumed);
        for (option, equal) in options.iter().zip(equals) {
            if *option == chosen {
                self.require_choice(equal);
                break;
            }
            let other = self.pool.not(equal);
            self.require_choice(other);
        }
        // What is said of the object comes behind the choice that made it, as in every run with that choice.
        if let Some((at, name, most)) = new {
            self.memory.seen.push(at);
            self.bound_elements(&name, most);
        }
    }

    /// How many elements an object can have.
    fn bound_elements(&mut self, name: &str, most: u64) {
        let name = variable(&more(name));
        self.named.insert(name.as_str().into(), 8);
        let term = self.pool.var(&name, Sort::Bits(64));
        let most = self.pool.bits(64, u128::from(most.max(1) - 1));
        let fits = self.pool.ule(term, most);
        self.require(fits, Kind::Assumed);
    }

    /// An access to memory that came in: pointers that it reads are decided, and so many elements must be there.
    pub(crate) fn touch(&mut self, place: Place, len: u64, write: bool) {
        if self.memory.extents.is_empty() || len == 0 {
            return;
        }
        let inside = |extent: &Extent| {
            extent.place.region == place.region
                && (extent.place.at..extent.place.at + extent.size as usize).contains(&place.at)
        };
        let Some(number) = self.memory.extents.iter().position(inside) else { return };
        let offset = (place.at - self.memory.extents[number].place.at) as u64;
        self.needs(number, (offset + len - 1) / self.element(number) + 1);
        if self.pointer.is_some() {
            // Where in the object is the input's choice: then all of its elements count.
            let elements = self.given(number).map_or(1, |given| given.elements);
            self.has_no_more(number, elements);
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
        self.memory.extents.iter().any(|extent| extent.address >> 32 == address >> 32)
    }

    /// An access behind the end of an object that came in: with more elements it would be inside.
    pub(crate) fn denied_there(&mut self, address: u64) {
        let found = self.memory.extents.iter().position(|extent| extent.address >> 32 == address >> 32);
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

    /// Whether there are no more elements than so many.
    fn at_most(&mut self, number: usize, elements: u64) -> Option<Term> {
        let name = variable(&more(&self.given(number)?.name));
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
            self.require_choice(there);
        }
    }

    /// There are so many elements and no more, where more could be.
    fn has_no_more(&mut self, number: usize, elements: u64) {
        self.needs(number, elements);
        let most = self.symbolic.call.as_ref().map_or(1, |entry| entry.elements);
        if elements < most
            && let Some(fewer) = self.at_most(number, elements)
        {
            self.require_choice(fewer);
        }
    }
}

impl Made {
    /// The object that a pointer inside another one leads to.
    fn leads(&self, object: usize, at: u64) -> Option<usize> {
        let cell = self.call.objects[object].cells.iter().find(|cell| cell.at == at)?;
        match cell.value {
            hydrogen_evidence::Value::Object(to, _) => Some(to),
            _ => None,
        }
    }

    fn argument(&self, at: usize) -> Option<usize> {
        match self.call.arguments.get(at)?.value {
            hydrogen_evidence::Value::Object(to, _) => Some(to),
            _ => None,
        }
    }
}
