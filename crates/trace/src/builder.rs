//! Finding dependences while a trace is played: registers, memory and parts of instructions.

use crate::criterion::{OutputName, Seeds};
use crate::dependences::Options;
use crate::frames::{Activation, owner_on_stack, unknown};
use crate::named::Looking;
use crate::node::Node;
use crate::places::{Cell, Objects, Owner, PSEUDO};
use crate::records::{Draft, Records};
use crate::replay::FRAMES;
use crate::shadow::Shadow;
use crate::statics::Static;
use hydrogen_flow::{ObjectId, Offset};
use hydrogen_ir::GlobalId;
use hydrogen_machine::Place;
use hydrogen_machine::code::Instr;
use rustc_hash::FxHashMap;

/// Finds dependences while a trace is played.
pub(crate) struct Builder<'s, 'p, 'o> {
    pub(crate) statics: &'s Static<'p>,
    pub(crate) options: &'o Options,
    pub(crate) frames: Vec<Activation<'s>>,
    pub(crate) activations: u32,
    pub(crate) shadow: Shadow,
    pub(crate) objects: Objects,
    pub(crate) records: Records,
    /// The current instruction, and its parts.
    pub(crate) current: Draft,
    pub(crate) open: bool,
    pub(crate) parts: Vec<Draft>,
    pub(crate) step: u64,
    /// Writers of the cells that are no memory.
    pub(crate) pseudo: [Node; PSEUDO as usize],
    pub(crate) cells: Vec<Cell>,
    pub(crate) numbers: FxHashMap<Cell, u32>,
    pub(crate) known: FxHashMap<(ObjectId, u64, u64), u32>,
    pub(crate) outputs: Vec<(OutputName, Node)>,
    pub(crate) indices: FxHashMap<u64, u64>,
    /// A frame is being made, and what else lies in it.
    pub(crate) entering: bool,
    pub(crate) areas: Vec<(usize, u64)>,
    pub(crate) wrote: bool,
    pub(crate) scratch: Vec<Node>,
    /// Where the bytes of an output come from that were asked for, and how many went out, by descriptor.
    pub(crate) bytes: Seeds,
    pub(crate) written: FxHashMap<i32, u64>,
    /// Looks for the variable at a line that was asked about.
    pub(crate) looking: Option<Looking<'p>>,
}

impl<'s, 'p, 'o> Builder<'s, 'p, 'o> {
    pub(crate) fn new(statics: &'s Static<'p>, options: &'o Options) -> Self {
        let nowhere = hydrogen_flow::Place { object: ObjectId::UNKNOWN, offset: Offset::Anywhere };
        let mut objects = Objects::default();
        for (unit, id, place, len) in statics.program.globals() {
            objects.add(place.at, len, statics.global(unit, id));
        }
        Self {
            statics,
            options,
            frames: Vec::new(),
            activations: 0,
            shadow: Shadow::default(),
            objects,
            records: Records::new(options.bound, options.interrupt.clone()),
            current: Draft::default(),
            open: false,
            parts: Vec::new(),
            step: 0,
            pseudo: [Node::NONE; PSEUDO as usize],
            cells: vec![Cell { place: nowhere, size: 0 }; PSEUDO as usize],
            numbers: FxHashMap::default(),
            known: FxHashMap::default(),
            outputs: Vec::new(),
            indices: FxHashMap::default(),
            entering: false,
            areas: Vec::new(),
            wrote: false,
            scratch: Vec::new(),
            bytes: Seeds::default(),
            written: FxHashMap::default(),
            looking: options.named.as_ref().map(|_| Looking::new(statics.program)),
        }
    }

    /// Writes the current instruction and its parts down.
    pub(crate) fn flush(&mut self) {
        if std::mem::take(&mut self.open) {
            self.records.push(&self.current);
            self.parts.drain(..).for_each(|part| self.records.push(&part));
        }
    }

    pub(crate) fn node(&self) -> Node {
        if self.step == 0 { Node::NONE } else { Node::step(self.step) }
    }

    /// The object that a byte belongs to.
    pub(crate) fn owner(&self, place: Place, len: u64) -> Owner {
        match place.region {
            FRAMES => owner_on_stack(&self.frames, self.statics, place),
            _ => self.objects.get(place.at).copied(),
        }
        .unwrap_or_else(|| unknown(place, len))
    }

    pub(crate) fn cell(&mut self, object: ObjectId, offset: u64, size: u64) -> u32 {
        let key = if object == ObjectId::UNKNOWN { (object, 0, 1) } else { (object, offset, size) };
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let cell = self.statics.cell(object, key.1, key.2);
        let number = *self.numbers.entry(cell).or_insert_with(|| {
            self.cells.push(cell);
            self.cells.len() as u32 - 1
        });
        self.known.insert(key, number);
        number
    }

    /// Bytes are read: by whom they were written, and what might have been written there instead.
    pub(crate) fn read(&mut self, place: Place, len: u64, into: &mut Draft) {
        if len == 0 {
            return;
        }
        let (mut from, mut count) = (place, len);
        let local = self.frames.last().and_then(|frame| {
            let offset = place.at.checked_sub(frame.local)?;
            let inside = place.region == FRAMES && offset < frame.code.local_bytes as usize;
            inside.then(|| frame.shape.slot(offset as u32)).flatten()
        });
        let owner = match local {
            Some(_) => unknown(place, len),
            None => self.owner(place, len),
        };
        if self.options.anywhere.contains(&self.step) && local.is_none() {
            (from, count) = (Place { at: owner.start, ..place }, owner.len);
        }
        self.scratch.clear();
        let mut scratch = std::mem::take(&mut self.scratch);
        let oldest = self.shadow.writers(from, count, &mut scratch);
        scratch.sort_unstable();
        scratch.dedup();
        let others = scratch.iter().filter(|writer| **writer != oldest && **writer != Node::NONE);
        into.data.extend(others);
        self.scratch = scratch;
        match local {
            Some(variable) => into.variables.push((variable, oldest)),
            None => {
                let offset = (from.at - owner.start.min(from.at)) as u64;
                let cell = self.cell(owner.object, offset, count);
                into.cells.push((cell, oldest));
            }
        }
    }

    pub(crate) fn read_now(&mut self, place: Place, len: u64) {
        let mut record = std::mem::take(&mut self.current);
        self.read(place, len, &mut record);
        self.current = record;
    }

    /// The current instruction reads and changes something that is no memory.
    pub(crate) fn touch(&mut self, cell: u32) {
        self.current.cells.push((cell, self.pseudo[cell as usize]));
        self.pseudo[cell as usize] = self.node();
    }

    pub(crate) fn read_register(frame: &Activation<'_>, register: u32, into: &mut Draft) {
        let writer = frame.writer(register);
        if register < frame.code.first_constant && frame.shape.is_variable(register) {
            into.variables.push((register, writer));
        } else if writer != Node::NONE {
            into.data.push(writer);
        }
    }

    /// A part of the current call, for an argument. When there are too many, the call itself stands for the rest.
    pub(crate) fn part(&mut self, fill: impl FnOnce(&mut Self, &mut Draft)) -> Node {
        let number = Node::FIRST_ARGUMENT + self.parts.len() as u64;
        if number >= Node::MOST {
            let mut record = std::mem::take(&mut self.current);
            fill(self, &mut record);
            self.current = record;
            return self.node();
        }
        let Draft { frame, function, pc, control, .. } = self.current;
        let node = Node::part(self.step, number);
        let mut part = Draft { node, frame, function, pc, control, ..Draft::default() };
        fill(self, &mut part);
        self.parts.push(part);
        node
    }

    /// Bytes go out: whoever wrote those that were asked for, and that they go out at all, is kept.
    pub(crate) fn give_out(&mut self, place: Place, len: u64, descriptor: i32) {
        let from = self.written.entry(descriptor).or_insert(0);
        let begin = *from;
        *from += len;
        let Some((_, range)) = self.options.bytes.as_ref().filter(|bytes| bytes.0 == descriptor) else {
            return;
        };
        let (first, end) = (range.start.max(begin), range.end.min(begin + len));
        for byte in first..end {
            self.keep(Place { at: place.at + (byte - begin) as usize, ..place });
        }
        if first < end {
            self.bytes.nodes.push(self.current.control);
        }
    }

    /// A byte is asked about as it is now: who wrote it, and what might have been written there instead.
    fn keep(&mut self, at: Place) {
        let writer = self.shadow.get(at);
        let owner = self.owner(at, 1);
        let cell = self.cell(owner.object, (at.at - owner.start.min(at.at)) as u64, 1);
        self.bytes.nodes.push(writer);
        self.bytes.cells.push((cell, writer));
    }

    /// A global variable of the user's program is asked about as it is now.
    pub(crate) fn keep_global(&mut self, name: &str) {
        let program = self.statics.program;
        let Some(user) = program.units().next() else { return };
        let named = |one: &(u32, GlobalId, Place, u64)| one.0 == 0 && user.global(one.1).name == name;
        let found: Vec<(Place, u64)> = program.globals().filter(named).map(|one| (one.2, one.3)).collect();
        for (place, len) in found {
            (0..len as usize).for_each(|byte| self.keep(Place { at: place.at + byte, ..place }));
        }
        self.bytes.cells.sort_unstable();
        self.bytes.cells.dedup();
        self.bytes.nodes.sort_unstable();
        self.bytes.nodes.dedup();
    }

    /// New memory.
    pub(crate) fn fresh(&mut self, place: Place, len: u64) {
        let node = self.node();
        self.shadow.set(place, len, node);
        let frame = self.frames.last_mut();
        let instr = frame.as_ref().and_then(|frame| frame.code.instrs.get(frame.pc as usize));
        let origin = frame.as_ref().and_then(|frame| frame.code.origin.get(frame.pc as usize).copied());
        let called = self.step == 0 || matches!(instr, Some(Instr::Call { .. }));
        match (place.region, frame, origin) {
            (FRAMES, Some(frame), Some(origin)) if !called => {
                let object = self.statics.made_at(frame.function, origin, false);
                // The stack may have been cut back since.
                frame.areas.retain(|area| area.start < place.at);
                frame.areas.push(Owner { start: place.at, len, object });
            }
            (FRAMES, ..) if self.entering => self.areas.push((place.at, len)),
            (FRAMES, ..) => self.entering = true,
            (_, Some(frame), Some(origin)) if called && self.step > 0 => {
                let object = self.statics.made_at(frame.function, origin, true);
                self.objects.add(place.at, len, object);
            }
            _ => self.objects.add(place.at, len, ObjectId::UNKNOWN),
        }
    }

    /// Bytes are written by the current instruction.
    pub(crate) fn write(&mut self, place: Place, len: u64) {
        let node = self.node();
        if self.options.anywhere.contains(&self.step) {
            let owner = self.owner(place, len);
            let whole = Place { at: owner.start, ..place };
            self.read_now(whole, owner.len);
            return self.shadow.set(whole, owner.len, node);
        }
        self.shadow.set(place, len, node);
    }
}
