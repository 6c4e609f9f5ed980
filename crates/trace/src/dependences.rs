//! Dynamic dependence of a recorded run: data, control, and what potential dependence needs.

use crate::criterion::OutputName;
use crate::frames::{Activation, mix, owner_on_stack, unknown};
use crate::node::Node;
use crate::places::{Cell, FILES, NAMES, OUTPUT, Objects, Owner, PSEUDO, STOPPED};
use crate::record::{Trace, TraceError};
use crate::records::{Record, Records};
use crate::replay::{Event, FRAMES, Watch, replay};
use crate::shadow::Shadow;
use crate::slice::Slice;
use crate::statics::Static;
use hydrogen_flow::{ObjectId, Offset};
use hydrogen_machine::code::{Instr, Target};
use hydrogen_machine::{FuncId, Place};
use rustc_hash::{FxHashMap, FxHashSet};

/// How to find dependences.
#[derive(Debug, Clone)]
pub struct Options {
    /// How many bytes of the result may stay in memory; the rest goes to a temporary file.
    pub bound: usize,
    /// Executed instructions, by number, that access memory at an address which depends on the input: such a load reads, and
    /// such a store changes, the object as a whole.
    pub anywhere: FxHashSet<u64>,
    /// Whether to keep the execution index of every branch.
    pub indices: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { bound: 256 << 20, anywhere: FxHashSet::default(), indices: false }
    }
}

/// What every executed instruction of a run depends on.
pub struct Dependences<'s, 'p> {
    pub(crate) statics: &'s Static<'p>,
    pub(crate) records: Records,
    pub(crate) cells: Vec<Cell>,
    /// What went out, in order.
    pub(crate) outputs: Vec<(OutputName, Node)>,
    /// How many instructions were executed.
    pub steps: u64,
    indices: FxHashMap<u64, u64>,
}

impl<'s, 'p> Dependences<'s, 'p> {
    /// Plays a trace of the program that the facts are about.
    pub fn new(statics: &'s Static<'p>, trace: &Trace, options: &Options) -> Result<Self, TraceError> {
        const LONGEST: u64 = 1 << 32;
        if trace.steps > LONGEST {
            return Err(TraceError::TooLong(LONGEST));
        }
        let mut builder = Builder::new(statics, options);
        replay(statics.program, trace, &mut builder)?;
        // What the outside is like no longer matters to the system call that ends the run.
        builder.current.cells.retain(|cell| cell.0 != FILES);
        builder.flush();
        builder.records.finish()?;
        let Builder { records, cells, outputs, indices, step, .. } = builder;
        Ok(Self { statics, records, cells, outputs, steps: step, indices })
    }

    /// The execution index of a branch, where they are kept: equal for "the same" branch in two runs.
    pub fn index(&self, step: u64) -> Option<u64> {
        self.indices.get(&step).copied()
    }

    /// Members of a slice behind a step that chose between several ways or places, by number: branches, accesses at addresses
    /// that are computed, and calls through pointers.
    pub fn choices(&self, slice: &Slice, behind: u64) -> Result<Vec<u64>, TraceError> {
        let mut found = Vec::new();
        self.records.forwards(|record| {
            let step = record.node.number();
            let chooses = record.taken.is_some() || record.chooses_place();
            if chooses && !record.node.is_part() && step > behind && slice.contains(step) {
                found.push(step);
            }
        })?;
        Ok(found)
    }

    /// Bytes that the dependences take, in memory and in a temporary file.
    pub fn size(&self) -> (usize, u64) {
        self.records.len()
    }
}

struct Builder<'s, 'p, 'o> {
    statics: &'s Static<'p>,
    options: &'o Options,
    frames: Vec<Activation<'s>>,
    activations: u32,
    shadow: Shadow,
    objects: Objects,
    records: Records,
    /// The current instruction, and its parts.
    current: Record,
    open: bool,
    parts: Vec<Record>,
    step: u64,
    /// Writers of the cells that are no memory.
    pseudo: [Node; PSEUDO as usize],
    cells: Vec<Cell>,
    numbers: FxHashMap<Cell, u32>,
    known: FxHashMap<(ObjectId, u64, u64), u32>,
    outputs: Vec<(OutputName, Node)>,
    indices: FxHashMap<u64, u64>,
    /// A frame is being made, and what else lies in it.
    entering: bool,
    areas: Vec<(usize, u64)>,
    wrote: bool,
    scratch: Vec<Node>,
}

impl<'s, 'p, 'o> Builder<'s, 'p, 'o> {
    fn new(statics: &'s Static<'p>, options: &'o Options) -> Self {
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
            records: Records::new(options.bound),
            current: Record::default(),
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
        }
    }

    /// Writes the current instruction and its parts down.
    fn flush(&mut self) {
        if std::mem::take(&mut self.open) {
            self.records.push(&self.current);
            self.parts.drain(..).for_each(|part| self.records.push(&part));
        }
    }

    fn node(&self) -> Node {
        if self.step == 0 { Node::NONE } else { Node::step(self.step) }
    }

    /// The object that a byte belongs to.
    fn owner(&self, place: Place, len: u64) -> Owner {
        match place.region {
            FRAMES => owner_on_stack(&self.frames, self.statics, place),
            _ => self.objects.get(place.at).copied(),
        }
        .unwrap_or_else(|| unknown(place, len))
    }

    fn cell(&mut self, object: ObjectId, offset: u64, size: u64) -> u32 {
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
    fn read(&mut self, place: Place, len: u64, into: &mut Record) {
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

    fn read_now(&mut self, place: Place, len: u64) {
        let mut record = std::mem::take(&mut self.current);
        self.read(place, len, &mut record);
        self.current = record;
    }

    /// The current instruction reads and changes something that is no memory.
    fn touch(&mut self, cell: u32) {
        self.current.cells.push((cell, self.pseudo[cell as usize]));
        self.pseudo[cell as usize] = self.node();
    }

    fn read_register(frame: &Activation<'_>, register: u32, into: &mut Record) {
        let writer = frame.writer(register);
        if register < frame.code.first_constant && frame.shape.is_variable(register) {
            into.variables.push((register, writer));
        } else if writer != Node::NONE {
            into.data.push(writer);
        }
    }

    /// A part of the current call, for an argument. When there are too many, the call itself stands for the rest.
    fn part(&mut self, fill: impl FnOnce(&mut Self, &mut Record)) -> Node {
        let number = Node::FIRST_ARGUMENT + self.parts.len() as u64;
        if number >= Node::MOST {
            let mut record = std::mem::take(&mut self.current);
            fill(self, &mut record);
            self.current = record;
            return self.node();
        }
        let Record { frame, function, pc, control, .. } = self.current;
        let node = Node::part(self.step, number);
        let mut part = Record { node, frame, function, pc, control, ..Record::default() };
        fill(self, &mut part);
        self.parts.push(part);
        node
    }

    /// The writer that a callee sees for an argument: whoever computed it, or a part of the call where branches before
    /// the call might have changed it.
    fn passed(&mut self, register: u32) -> Node {
        let Some(frame) = self.frames.last() else { return Node::NONE };
        let writer = frame.writer(register);
        if register >= frame.code.first_constant || !frame.shape.is_variable(register) {
            return writer;
        }
        self.part(|_, part| part.variables.push((register, writer)))
    }

    fn enter(&mut self, function: FuncId, local: usize) {
        let mut registers = Vec::new();
        let mut by_value = Vec::new();
        let called = self.frames.last().and_then(|frame| match frame.code.instrs.get(frame.pc as usize) {
            Some(Instr::Call { site }) if self.open => Some(&frame.code.calls[*site as usize]),
            _ => None,
        });
        let parameters = self.statics.program.code(function).map_or(0, |code| code.parameter_parts.len());
        for (index, arg) in called.iter().flat_map(|call| &call.args).enumerate() {
            let count: u32 = arg.parts.iter().map(|part| part.scalar.registers()).sum();
            if index < parameters {
                registers.extend((arg.src..arg.src + count).map(|register| self.passed(register)));
                by_value.extend(arg.by_value.map(|_| index as u32));
            }
        }
        let parent = (self.node(), self.frames.last().map_or(0, Activation::index));
        self.activations += 1;
        let Some(mut frame) = Activation::new(self.statics, self.activations, function, local, parent) else {
            return;
        };
        for (register, writer) in frame.registers.iter_mut().zip(registers) {
            *register = writer;
        }
        let mut by_value = by_value.into_iter();
        for (start, len) in std::mem::take(&mut self.areas) {
            let object = self.statics.passed(function, by_value.next());
            frame.areas.push(Owner { start, len, object });
        }
        self.entering = false;
        self.frames.push(frame);
    }

    fn leave(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        let returned = matches!(frame.code.instrs.get(frame.pc as usize), Some(Instr::Return { .. }));
        let node = self.node();
        let Some(caller) = self.frames.last_mut() else { return };
        let Some(Instr::Call { .. }) = caller.code.instrs.get(caller.pc as usize) else { return };
        if !returned {
            return;
        }
        let pc = caller.pc;
        for register in caller.shape.writes(pc) {
            caller.registers[*register as usize] = node;
        }
        if caller.shape.is_gate(pc) {
            let back = Node::part(self.step, Node::RETURNED);
            let (control, index) = caller.control;
            caller.decide(pc, (back, mix(mix(index, caller.function.0.into()), pc.into())));
            let part = Record {
                node: back,
                frame: caller.number,
                function: caller.function.0,
                pc,
                control,
                cells: vec![(STOPPED, self.pseudo[STOPPED as usize])],
                ..Record::default()
            };
            self.parts.push(part);
        }
    }

    /// New memory.
    fn fresh(&mut self, place: Place, len: u64) {
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
    fn write(&mut self, place: Place, len: u64) {
        let node = self.node();
        if self.options.anywhere.contains(&self.step) {
            let owner = self.owner(place, len);
            let whole = Place { at: owner.start, ..place };
            self.read_now(whole, owner.len);
            return self.shadow.set(whole, owner.len, node);
        }
        self.shadow.set(place, len, node);
    }

    /// The machine did the current call or system call itself.
    fn opaque(&mut self) {
        let node = self.node();
        let Some(frame) = self.frames.last_mut() else { return };
        let pc = frame.pc;
        // After a `longjmp` the function on top is another one.
        if (frame.number, pc) != (self.current.frame, self.current.pc) {
            return;
        }
        match &frame.code.instrs[pc as usize] {
            Instr::Call { site } => {
                let call = &frame.code.calls[*site as usize];
                if let Target::Indirect(_) = call.target {
                    for arg in &call.args {
                        let count: u32 = arg.parts.iter().map(|part| part.scalar.registers()).sum();
                        for register in arg.src..arg.src + count {
                            Self::read_register(frame, register, &mut self.current);
                        }
                    }
                }
                for register in frame.shape.writes(pc) {
                    frame.registers[*register as usize] = node;
                }
                if frame.shape.is_gate(pc) {
                    let index = frame.index();
                    frame.decide(pc, (node, index));
                }
            }
            _ if !self.wrote => self.touch(FILES),
            _ => {}
        }
    }

    /// `longjmp` came back to the call of `setjmp` before this instruction.
    fn land(&mut self, pc: u32) {
        let node = self.node();
        let Some(frame) = self.frames.last_mut() else { return };
        let Some(call) = pc.checked_sub(1) else { return };
        if matches!(frame.code.instrs.get(call as usize), Some(Instr::Call { .. })) {
            for register in frame.shape.writes(call) {
                frame.registers[*register as usize] = node;
            }
            let index = mix(frame.index(), self.current.pc.into());
            frame.decide(call, (node, index));
        }
    }
}

impl Watch for Builder<'_, '_, '_> {
    fn step(&mut self, function: FuncId, pc: u32) {
        self.flush();
        self.step += 1;
        self.entering = false;
        self.wrote = false;
        self.areas.clear();
        self.current.clear();
        let node = Node::step(self.step);
        let Some(frame) = self.frames.last_mut() else { return };
        frame.go(pc);
        let record = &mut self.current;
        (record.node, record.frame, record.function, record.pc) = (node, frame.number, function.0, pc);
        (record.control, record.first) = (frame.control.0, !std::mem::replace(&mut frame.started, true));
        self.open = true;
        let (reads, addresses) = frame.shape.reads(pc);
        record.stores = frame.shape.stores(pc);
        for (number, read) in reads.iter().enumerate() {
            if number == addresses {
                record.address = (record.data.len() as u32, record.variables.len() as u32);
            }
            let writer = frame.registers[read.register as usize];
            if read.variable {
                record.variables.push((read.register, writer));
            } else if writer != Node::NONE {
                record.data.push(writer);
            }
        }
        if addresses == reads.len() && addresses > 0 {
            record.address = (record.data.len() as u32, record.variables.len() as u32);
        }
        if !matches!(frame.code.instrs[pc as usize], Instr::Call { .. }) {
            for register in frame.shape.writes(pc) {
                frame.registers[*register as usize] = node;
            }
        }
    }

    fn event(&mut self, event: Event) {
        match event {
            Event::Load(place, len) => self.read_now(place, len),
            Event::Store(place, len) => self.write(place, len),
            Event::Copy(to, from, len) if self.entering => {
                let part = self.part(|builder, part| builder.read(from, len, part));
                self.shadow.set(to, len, part);
            }
            Event::Copy(to, from, len) => {
                self.read_now(from, len);
                self.write(to, len);
            }
            Event::Set(place, len) | Event::Symbolic(place, len) => self.write(place, len),
            Event::Fresh(place, len) => self.fresh(place, len),
            Event::Argument(place, len, register) => {
                let writer = self.passed(register);
                self.shadow.set(place, len, writer);
            }
            Event::Given(place, len) => self.objects.add(place.at, len + 1, ObjectId::UNKNOWN),
            Event::Input(place, len, _) => self.write(place, len),
            Event::Output(place, len, fd) => {
                self.wrote = true;
                self.read_now(place, len);
                self.touch(OUTPUT);
                self.outputs.push((OutputName::Descriptor(fd), self.node()));
            }
            Event::Assume => self.touch(STOPPED),
            Event::NamedOutput(name) => {
                self.touch(NAMES);
                let name = String::from_utf8_lossy(&name).into_owned();
                self.outputs.push((OutputName::Named(name), self.node()));
            }
            Event::Enter(function, local) => self.enter(function, local),
            Event::Leave => self.leave(),
            Event::Branch(target) => {
                let node = self.node();
                let Some(frame) = self.frames.last_mut() else { return };
                let pc = frame.pc;
                let block = frame.shape.control.block_of[pc as usize];
                if frame.shape.control.branches(block) {
                    let index = frame.index();
                    frame.decide(pc, (node, index));
                    self.current.taken = Some(target);
                    if self.options.indices {
                        self.indices.insert(self.step, index);
                    }
                }
            }
            Event::Opaque => self.opaque(),
            Event::Land(pc) => self.land(pc),
        }
    }
}
