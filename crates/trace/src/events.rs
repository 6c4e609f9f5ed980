//! Finding dependences while a trace is played: instructions, calls and what else happens.

use crate::builder::Builder;
use crate::criterion::OutputName;
use crate::dependences::Indices;
use crate::frames::{Activation, mix};
use crate::node::Node;
use crate::places::{FILES, NAMES, OUTPUT, Owner, STOPPED};
use crate::records::Draft;
use crate::replay::{Event, Watch};
use hydrogen_flow::ObjectId;
use hydrogen_machine::FuncId;
use hydrogen_machine::code::{Instr, Target};

impl Builder<'_, '_, '_> {
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
            let part = Draft {
                node: back,
                frame: caller.number,
                function: caller.function.0,
                pc,
                control,
                cells: vec![(STOPPED, self.pseudo[STOPPED as usize])],
                ..Draft::default()
            };
            self.parts.push(part);
        }
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
    fn stop(&self) -> bool {
        // Looking at the flag costs little, but not nothing.
        self.step & 0xffff == 0 && self.records.go_on().is_err()
    }

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
        if self.options.indices == Indices::Choices && record.chooses_place() {
            self.indices.insert(self.step, frame.index());
        }
        // A jump statement decides like a branch, where such count.
        let goes_to = match frame.code.instrs[pc as usize] {
            Instr::Jump { target } => Some(target),
            Instr::Return { .. } => Some(0),
            _ => None,
        };
        if goes_to.is_some() && frame.shape.control.branches(frame.shape.control.block_of[pc as usize]) {
            let index = frame.index();
            frame.decide(pc, (node, index));
            record.taken = goes_to;
        }
        if self.looking.is_some() {
            self.look(function, pc);
        }
        let Some(frame) = self.frames.last_mut() else { return };
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
                self.give_out(place, len, fd);
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
                    if self.options.indices != Indices::None {
                        self.indices.insert(self.step, index);
                    }
                }
            }
            Event::Opaque => self.opaque(),
            Event::Land(pc) => self.land(pc),
        }
    }
}
