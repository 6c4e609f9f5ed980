//! What a run tells, instruction by instruction: how terms go from registers to memory and back.

use crate::concolic::{Concolic, NamedOutput, Pending};
use crate::frames::{Frame, Registers};
use crate::input::Source;
use crate::ops::{Meaning, meaning};
use crate::path::Kind;
use bstr::ByteSlice;
use hydrogen_evidence::Call;
use hydrogen_machine::code::{Instr, Role, SwitchTable};
use hydrogen_machine::{
    Answered, Builtin, Extent, FuncId, Given, Leaving, MemoryEvent, Monitor, Place, Step, Stream,
    StreamEvent, View, World,
};
use hydrogen_term::Term;

impl Concolic<'_> {
    fn switch(&mut self, table: &SwitchTable, term: Term, value: u64) {
        let width = self.pool.width(term);
        let taken = table.target(value);
        let mut targets: Vec<(u32, Vec<u64>)> = Vec::new();
        for (value, target) in table.arms() {
            match targets.iter_mut().find(|one| one.0 == target) {
                Some(one) => one.1.push(value),
                None => targets.push((target, vec![value])),
            }
        }
        // As a chain of two-way branches, in the order of the table.
        for (target, values) in targets {
            let mut equals = Vec::new();
            for value in values {
                let value = self.pool.bits(width, u128::from(value));
                equals.push(self.pool.eq(term, value));
            }
            let goes = self.pool.or_all(equals);
            if target == taken {
                return self.require(goes, Kind::Branch);
            }
            let not = self.pool.not(goes);
            self.require(not, Kind::Branch);
        }
    }

    fn other(&mut self, step: &Step<'_>) {
        let Some(frame) = self.frames.last().filter(|frame| frame.is_symbolic()) else { return };
        let mut symbolic = false;
        step.code.accesses(step.instr, &mut |access| {
            let mut regs = access.first..access.first + access.count;
            symbolic |= access.role != Role::Result && regs.any(|reg| frame.get(reg).is_some());
        });
        if !symbolic || !self.in_focus {
            return self.clear_results(step.code, step.instr);
        }
        if self.asks_whether() {
            return self.hide_results(step);
        }
        let registers = Registers { frame: self.frames.last(), values: step.registers };
        match meaning(&mut self.pool, step.instr, &registers) {
            Meaning::Value(dst, value, fine) => {
                if let Some(fine) = fine {
                    self.require(fine, Kind::NoFault);
                }
                self.set(dst, Some(value));
            }
            Meaning::Unknown(why) => {
                self.concretise_reads(step, why);
                self.clear_results(step.code, step.instr);
            }
        }
    }

    fn audit_step(&mut self, step: &Step<'_>) {
        let (Some(audit), Some(frame)) = (&mut self.audit, self.frames.last()) else { return };
        step.code.accesses(step.instr, &mut |access| {
            for reg in access.first..access.first + access.count {
                if let (Some(term), true) = (frame.get(reg), access.role != Role::Result) {
                    audit.insert((term, u128::from(step.registers[reg as usize])));
                }
            }
        });
    }
}

impl Monitor for Concolic<'_> {
    fn step(&mut self, step: Step<'_>) {
        self.site = step.site;
        self.instance += 1;
        self.in_focus = self.focus.has(self.instance);
        self.taken = None;
        self.keep(&step);
        self.coverage.step(step.site);
        self.dependent += u64::from(self.reads_input(&step));
        if self.summary.is_some() {
            return self.step_in_summary(&step);
        }
        if self.looping.is_some() && self.step_in_loop(&step) {
            return;
        }
        if self.audit.is_some() {
            self.audit_step(&step);
        }
        match *step.instr {
            Instr::Jump { .. } | Instr::Unreachable => {}
            Instr::Branch { cond, then, otherwise } => {
                if let Some(term) = self.term(cond)
                    && self.states()
                    && !self.begins_loop(&step, [then, otherwise])
                {
                    let bit = self.pool.extract(term, 0, 0);
                    let holds = self.pool.bits_to_bool(bit);
                    let taken = step.registers[cond as usize] & 1 != 0;
                    let term = if taken { holds } else { self.pool.not(holds) };
                    self.taken = Some(if taken { then } else { otherwise });
                    self.require(term, Kind::Branch);
                }
            }
            Instr::Switch { value, table } => {
                if let Some(term) = self.term(value).filter(|_| self.states()) {
                    let table = &step.code.switches[table as usize];
                    self.taken = Some(table.target(step.registers[value as usize]));
                    self.switch(table, term, step.registers[value as usize]);
                }
            }
            Instr::LoadLocal8 { dst, .. }
            | Instr::LoadLocal16 { dst, .. }
            | Instr::LoadLocal32 { dst, .. }
            | Instr::LoadLocal64 { dst, .. } => {
                (self.pending, self.pointer) = (Pending::Load(dst), None);
            }
            Instr::StoreLocal8 { src, .. }
            | Instr::StoreLocal16 { src, .. }
            | Instr::StoreLocal32 { src, .. }
            | Instr::StoreLocal64 { src, .. } => {
                self.pending = Pending::Store(self.term(src), step.registers[src as usize]);
                self.pointer = None;
            }
            Instr::Load8 { dst, ptr }
            | Instr::Load16 { dst, ptr }
            | Instr::Load32 { dst, ptr }
            | Instr::Load64 { dst, ptr } => {
                self.pending = Pending::Load(dst);
                self.pointer = self.term(ptr).map(|term| (term, step.registers[ptr as usize]));
            }
            Instr::Store8 { src, ptr }
            | Instr::Store16 { src, ptr }
            | Instr::Store32 { src, ptr }
            | Instr::Store64 { src, ptr } => {
                self.pending = Pending::Store(self.term(src), step.registers[src as usize]);
                self.pointer = self.term(ptr).map(|term| (term, step.registers[ptr as usize]));
            }
            Instr::MoveWide { dst, src, count } => {
                let terms: Vec<Option<Term>> = (src..src + count).map(|reg| self.term(reg)).collect();
                (dst..).zip(terms).for_each(|(reg, term)| self.set(reg, term));
            }
            Instr::Call { site } => self.call(&step, site),
            Instr::Return { src, count } => {
                self.pending = Pending::Return((src..src + count).map(|reg| self.term(reg)).collect());
            }
            Instr::Complex { index } => self.complex(&step, index),
            _ => self.other(&step),
        }
    }

    fn memory(&mut self, address: u64, event: MemoryEvent, view: View<'_>) {
        if self.summary.is_some() {
            return self.memory_in_summary(address, event);
        }
        self.look_at_texts(event, false);
        self.inside_by_size(event);
        match event {
            MemoryEvent::Load(place, len) => {
                self.touch(place, len, false);
                self.be_sure(place, len);
                self.load(place, len, view);
            }
            MemoryEvent::Store(place, len) => {
                self.touch(place, len, true);
                self.be_written(place, len);
                self.store(place, len, view);
            }
            MemoryEvent::Argument(place, len, reg) => {
                // The callee's frame is not there yet: the register is the caller's.
                let term = self.term(reg);
                self.be_written(place, len);
                self.bytes.store(&mut self.pool, place, len, term);
            }
            MemoryEvent::Copy(to, from, len) => {
                self.touch(from, len, false);
                self.touch(to, len, true);
                if !matches!(self.pending, Pending::Copied) {
                    self.be_sure(from, len);
                    self.be_written(to, len);
                    self.copy(to, from, len, view);
                }
            }
            MemoryEvent::Set(place, len) => {
                self.touch(place, len, true);
                match self.pending {
                    Pending::Copied => {}
                    Pending::Fill(byte) => {
                        self.be_written(place, len);
                        (0..len).for_each(|at| self.bytes.set(place, at, Some(byte)));
                    }
                    _ => {
                        self.be_written(place, len);
                        self.bytes.forget(place, len);
                    }
                }
            }
            MemoryEvent::Fresh(place, len) => {
                self.new_object(address, place, len);
                self.be_written(place, len);
                self.bytes.forget(place, len);
            }
            MemoryEvent::Given(place, len, Given::Argument(index)) => {
                if let (Some(number), Some(_)) = (self.symbolic.numbers.get(&index), self.first_number(index))
                {
                    return self.give_number(address, place, len, index, number.bits);
                }
                let symbolic = self.symbolic.args.get(&index).copied().unwrap_or(0) as u64;
                self.input(place, len, Source::Argument(index), 0, symbolic);
            }
            MemoryEvent::Given(place, len, Given::Environment(index)) => {
                if let Some((name, symbolic)) = self.environment.get(&index).cloned() {
                    let skip = name.len() as u64 + 1;
                    let value = Place { at: place.at + skip as usize, ..place };
                    let source = Source::Environment(name.as_bstr());
                    self.input(value, len.saturating_sub(skip), source, 0, symbolic as u64);
                }
            }
            MemoryEvent::Output(place, len, _) => {
                self.touch(place, len, false);
                self.be_sure(place, len);
                self.go_out(place, len);
            }
            MemoryEvent::Input(place, len, ..) => {
                self.be_written(place, len);
                self.come_in(place, len);
            }
        }
    }

    fn called(&mut self, function: FuncId, _call: &Call, objects: &[Extent], view: View<'_>) {
        self.come_in_by_call(function, objects, view);
    }

    fn answered(&mut self, answered: Answered<'_>) {
        self.unknown_answers(answered);
    }

    fn returned(&mut self, left: &Leaving<'_>, _view: View<'_>) {
        self.leave_call(left);
    }

    fn denied(&mut self, address: u64, bytes: u64, _write: bool, view: View<'_>) {
        self.denied_there(address);
        self.outside_by_size(address, bytes);
        self.strayed = self.pointer.take();
        if let Some((pointer, address)) = self.strayed {
            self.resolve(pointer, address, bytes, true, view);
        }
    }

    fn went_on(&mut self) {
        if let Some(one) =
            self.path.last_mut().filter(|one| one.kind == Kind::NoFault && one.instance == self.instance)
        {
            one.term = self.pool.not(one.term);
            one.kind = Kind::Branch;
        }
        if let Some((pointer, address)) = self.strayed.take() {
            self.concretise(pointer, u128::from(address), "the address of an access outside of its object");
        }
    }

    fn stream(&mut self, stream: Stream, event: StreamEvent, world: &World) {
        if let Stream::Node(_) = stream {
            self.file(stream, world);
        }
        match event {
            StreamEvent::Read { offset, wanted, got } => {
                self.stream = Some((stream, offset));
                if stream == Stream::Stdin && self.symbolic.shorter {
                    self.input_length(offset, wanted, got);
                }
            }
            StreamEvent::Write { offset } => self.stream = Some((stream, offset)),
            StreamEvent::Resize { size } => {
                self.file(stream, world).split_off(&size);
                self.logs.cut(stream, size);
            }
        }
    }

    fn named(&mut self, what: Builtin, name: &[u8], memory: Option<(Place, u64)>) {
        let argument = |index: usize| self.arguments.get(index).copied().unwrap_or((None, 0));
        match (what, memory) {
            (Builtin::Symbolic, Some((place, len))) => {
                self.named.insert(name.into(), len);
                self.input(place, len, Source::Named(name.as_bstr()), 0, len);
            }
            (Builtin::Assume, _) => {
                if let (Some(term), _) = argument(0) {
                    let zero = self.pool.bits(self.pool.width(term), 0);
                    let holds = self.pool.ne(term, zero);
                    self.require(holds, Kind::Assumed);
                }
            }
            (Builtin::NamedOutput, _) => {
                let (term, value) = argument(1);
                let value = term.unwrap_or_else(|| self.pool.bits(64, u128::from(value)));
                self.outputs.push(NamedOutput { name: String::from_utf8_lossy(name).into_owned(), value });
            }
            _ => {}
        }
    }

    fn enter(&mut self, function: FuncId, _depth: usize) {
        self.coverage.enter(function);
        let frame = match std::mem::take(&mut self.pending) {
            Pending::Call(mut terms, dst, count) => {
                // Variable arguments lie in memory; the registers behind the parameters are the callee's own.
                let parameters = self.program.code(function).map_or(0, |code| code.parameters);
                terms.truncate(parameters as usize);
                Frame::new(terms, dst, count)
            }
            _ => Frame::default(),
        };
        self.frames.push(frame);
    }

    fn leave(&mut self, _depth: usize) {
        let Some(frame) = self.frames.pop() else { return };
        let terms = match (std::mem::take(&mut self.pending), self.leave_summary()) {
            (_, Some(result)) => vec![result],
            (Pending::Return(terms), None) => terms,
            _ => Vec::new(),
        };
        if self.memory.frame == Some(self.frames.len() + 1) {
            self.memory.frame = None;
            for (word, value) in terms.iter().enumerate() {
                let name = if word == 0 { "result".to_owned() } else { format!("result, word {word}") };
                self.outputs.extend(value.map(|value| NamedOutput { name, value }));
            }
            return;
        }
        if self.frames.is_empty()
            && let Some(Some(status)) = terms.first()
        {
            self.status = Some(self.pool.resize_unsigned(*status, 8));
        }
        for index in 0..frame.count {
            self.set(frame.dst + index, terms.get(index as usize).copied().flatten());
        }
    }
}
