//! A monitor that follows the input through a run.

use crate::address::MOST_CHOICES;
use crate::counted::Shape;
use crate::coverage::Coverage;
use crate::frames::{Frame, Registers};
use crate::given::Memory;
use crate::input::{Source, read_number};
use crate::left::LeftTerms;
use crate::loops::Looping;
use crate::memory::Bytes;
use crate::ops::{Meaning, meaning};
use crate::outputs::Logs;
use crate::path::{Conjunct, Kind};
use crate::shape::Made;
use crate::sizes::Sized;
use crate::summary::Summary;
use crate::symbolic::Symbolic;
use crate::texts::Text;
use bstr::{BString, ByteSlice};
use hydrogen_evidence::{Call, Input};
use hydrogen_machine::code::{Code, Instr, Part, Pc, Reg, Role, SwitchTable};
use hydrogen_machine::{
    Answered, Builtin, End, Extent, FuncId, Given, Leaving, MemoryEvent, Monitor, Place, Program, Site, Step,
    Stream, StreamEvent, View, World,
};
use hydrogen_term::{Pool, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What the current instruction waits for.
#[derive(Debug, Default)]
pub(crate) enum Pending {
    #[default]
    Nothing,
    /// A load into this register.
    Load(Reg),
    /// A store of this term, or this value.
    Store(Option<Term>, u64),
    /// Loads of parts, from the last to the first.
    LoadParts(Reg, Vec<Part>),
    /// Stores of parts, with what they store, from the last to the first.
    StoreParts(Vec<Option<Term>>),
    /// Memory is filled with this byte.
    Fill(Term),
    /// A copy about which everything is said.
    Copied,
    /// A call with these arguments: their terms by the callee's register, and where the result goes.
    Call(Vec<Option<Term>>, Reg, u32),
    /// A return of these.
    Return(Vec<Option<Term>>),
}

/// A value that the program named as its output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedOutput {
    /// The name.
    pub name: String,
    /// Its value as a term; a constant when it does not depend on the input.
    pub value: Term,
}

/// Follows the input through a run: terms beside values, and the path condition.
pub struct Concolic<'p> {
    pub(crate) program: &'p Program,
    pub(crate) symbolic: &'p Symbolic,
    /// By number of a variable of the environment, where its value begins and how many bytes of it are symbolic.
    environment: BTreeMap<usize, (BString, usize)>,
    /// The terms.
    pub pool: Pool,
    /// What the input of this run fulfils, in the order of execution.
    pub path: Vec<Conjunct>,
    /// What the program named as output.
    pub outputs: Vec<NamedOutput>,
    /// The memory that the program named as input, with its size.
    pub named: BTreeMap<BString, u64>,
    /// The bytes that went out and depend on the input.
    pub logs: Logs,
    /// The exit status as a term of eight bits, if it depends on the input.
    pub status: Option<Term>,
    /// Values that could not be followed, by reason and place; each gave a conjunct of kind `Concrete`.
    pub concretised: BTreeMap<(String, Site), u64>,
    /// How many executed instructions had operands that depend on the input.
    pub dependent: u64,
    /// What of the user's program was executed.
    pub coverage: Coverage,
    /// Every term that was used, with the value it stood for; only filled when asked for.
    pub audit: Option<FxHashSet<(Term, u128)>>,
    /// Whether a condition that is no branch is kept every time; otherwise once is enough.
    pub every: bool,
    /// Whether functions on texts and counted loops are terms instead of paths. Slices need paths.
    pub summaries: bool,
    /// The instances of accesses whose address depends on the input.
    pub somewhere: FxHashSet<u64>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) bytes: Bytes,
    pub(crate) pending: Pending,
    /// The symbolic address of the current access, and what it is in this run.
    pub(crate) pointer: Option<(Term, u64)>,
    /// The symbolic address of an access that was not allowed.
    strayed: Option<(Term, u64)>,
    pub(crate) arguments: Vec<(Option<Term>, u64)>,
    pub(crate) site: Site,
    pub(crate) instance: u64,
    /// Where the current branch goes.
    pub(crate) taken: Option<Pc>,
    /// Conditions that were required without being branches; once is enough.
    pub(crate) known: FxHashSet<Term>,
    /// Tables that cannot change, as arrays of the solver.
    pub(crate) arrays: FxHashMap<(Place, u64), Term>,
    /// The stream that the next bytes come from or go to.
    pub(crate) stream: Option<(Stream, u64)>,
    /// What comes in with the call of a single function, until it is entered.
    pub(crate) made: Option<Made>,
    pub(crate) memory: Memory,
    /// What the call of a single function left behind, once it has returned.
    pub(crate) left: Option<LeftTerms>,
    /// Symbolic bytes of files, by file and offset; absent: the file was not looked at yet.
    pub(crate) files: FxHashMap<Stream, BTreeMap<u64, Term>>,
    /// The loops that branches belong to, where they can be counted.
    pub(crate) shapes: FxHashMap<Site, Option<Arc<Shape>>>,
    /// The loop under way that is not followed.
    pub(crate) looping: Option<Looping>,
    /// The size that the current call asks for, if it depends on the input.
    pub(crate) asked_size: Option<Term>,
    /// Objects whose size depends on the input.
    pub(crate) sized: Vec<Sized>,
    /// Bytes that a copy gave a value only where its length reached them: the side that this run is on.
    pub(crate) unsure: FxHashMap<Place, Term>,
    /// So many bytes may still become choices by writes at symbolic addresses.
    pub(crate) writable: u64,
    /// The numbers among the arguments, as they are in this run.
    first_numbers: BTreeMap<usize, i64>,
    /// Their texts.
    pub(crate) texts: Vec<Text>,
    /// The call under way that is not followed.
    pub(crate) summary: Option<Summary>,
}

impl<'p> Concolic<'p> {
    /// A monitor for one run in a world. Terms go into `pool`, which may hold those of earlier runs.
    pub fn new(program: &'p Program, symbolic: &'p Symbolic, world: &World, pool: Pool) -> Self {
        let variable = |(name, len): (&BString, &usize)| {
            let (index, _) = world.variable(name)?;
            Some((index, (name.clone(), *len)))
        };
        let number = |index: &usize| Some((*index, read_number(world.args.get(*index)?)?));
        Self {
            program,
            symbolic,
            environment: symbolic.environment.iter().filter_map(variable).collect(),
            pool,
            path: Vec::new(),
            outputs: Vec::new(),
            named: BTreeMap::new(),
            logs: Logs::default(),
            status: None,
            concretised: BTreeMap::new(),
            dependent: 0,
            coverage: Coverage::new(program),
            audit: None,
            every: false,
            summaries: false,
            somewhere: FxHashSet::default(),
            frames: Vec::new(),
            bytes: Bytes::default(),
            pending: Pending::Nothing,
            pointer: None,
            strayed: None,
            arguments: Vec::new(),
            site: Site { function: FuncId(0), pc: 0 },
            instance: 0,
            taken: None,
            known: FxHashSet::default(),
            arrays: FxHashMap::default(),
            stream: None,
            made: None,
            memory: Memory::default(),
            left: None,
            files: FxHashMap::default(),
            shapes: FxHashMap::default(),
            looping: None,
            asked_size: None,
            sized: Vec::new(),
            unsure: FxHashMap::default(),
            writable: MOST_CHOICES,
            first_numbers: symbolic.numbers.keys().filter_map(number).collect(),
            texts: Vec::new(),
            summary: None,
        }
    }

    /// The number that an argument is in this run.
    pub(crate) fn first_number(&self, index: usize) -> Option<i64> {
        self.first_numbers.get(&index).copied()
    }

    /// The same for the call that an input stands for, if a single function is called.
    pub fn with_call(mut self, input: &Input) -> Self {
        let entry = self.symbolic.call.as_ref();
        let open = |name: &str| self.symbolic.may_change(name);
        self.made =
            entry.and_then(|entry| entry.made(self.program, self.symbolic.surroundings, &open, input));
        self
    }

    /// Tells how the run ended. An assumption that does not hold is a branch whose other side goes on; a check that the
    /// fault broke, as `holds` finds out, is the fault's reason.
    pub fn finish(&mut self, end: &End, holds: impl Fn(&Pool, Term) -> bool) {
        // What a call that is not followed requires was said where it was called.
        let now = self.summary.as_ref().map_or(self.instance, |summary| summary.instance);
        let last = |one: &Conjunct| one.instance == now;
        match end {
            End::Fault(_) => {
                let first = self.path.iter().rposition(|one| !last(one)).map_or(0, |at| at + 1);
                let broken = (first..self.path.len()).find(|at| {
                    self.path[*at].kind == Kind::NoFault && !holds(&self.pool, self.path[*at].term)
                });
                if let Some(at) = broken {
                    let term = self.pool.not(self.path[at].term);
                    self.path.truncate(at + 1);
                    self.path[at] = Conjunct { term, kind: Kind::Fault, ..self.path[at] };
                }
            }
            End::Assumption(_) => {
                if let Some(assumed) = self.path.pop_if(|one| last(one) && one.kind == Kind::Assumed) {
                    let term = self.pool.not(assumed.term);
                    self.path.push(Conjunct { term, kind: Kind::Branch, ..assumed });
                }
            }
            _ => {}
        }
    }

    pub(crate) fn term(&self, reg: Reg) -> Option<Term> {
        self.frames.last().and_then(|frame| frame.get(reg))
    }

    pub(crate) fn set(&mut self, reg: Reg, term: Option<Term>) {
        let term = term.filter(|term| self.pool.as_bits(*term).is_none());
        if let Some(frame) = self.frames.last_mut() {
            frame.set(reg, term);
        }
    }

    /// Sets a value of up to 128 bits.
    pub(crate) fn set_wide(&mut self, reg: Reg, term: Term) {
        let width = self.pool.width(term);
        if width <= 64 {
            return self.set(reg, Some(term));
        }
        let (low, high) = (self.pool.extract(term, 63, 0), self.pool.extract(term, width - 1, 64));
        self.set(reg, Some(low));
        self.set(reg + 1, Some(high));
    }

    pub(crate) fn clear_results(&mut self, code: &Code, instr: &Instr) {
        let Some(frame) = self.frames.last_mut().filter(|frame| frame.is_symbolic()) else { return };
        code.accesses(instr, &mut |access| {
            if access.role == Role::Result {
                (access.first..access.first + access.count).for_each(|reg| frame.set(reg, None));
            }
        });
    }

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
        if !symbolic {
            return self.clear_results(step.code, step.instr);
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
        self.taken = None;
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
                if let Some(term) = self.term(value) {
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
