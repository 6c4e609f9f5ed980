//! A monitor that follows the input through a run.

use crate::input::{Symbolic, variable};
use crate::memory::Bytes;
use crate::ops::{Meaning, meaning};
use crate::path::{Conjunct, Kind};
use hydrogen_machine::code::{Code, Instr, Reg, Role, SwitchTable, Target};
use hydrogen_machine::{
    Builtin, End, FuncId, FuncKind, Given, MemoryEvent, Monitor, Place, Program, Site, Step, View,
};
use hydrogen_term::{Pool, Term};
use std::collections::BTreeMap;

/// The terms of one activation's registers.
#[derive(Debug, Default)]
struct Frame {
    terms: Vec<Option<Term>>,
    /// Where the caller wants the result.
    dst: Reg,
    count: u32,
}

impl Frame {
    fn get(&self, reg: Reg) -> Option<Term> {
        self.terms.get(reg as usize).copied().flatten()
    }

    fn set(&mut self, reg: Reg, term: Option<Term>) {
        if self.terms.len() <= reg as usize {
            if term.is_none() {
                return;
            }
            self.terms.resize(reg as usize + 1, None);
        }
        self.terms[reg as usize] = term;
    }
}

/// What the current instruction waits for.
#[derive(Debug, Default)]
enum Pending {
    #[default]
    Nothing,
    /// A load into this register.
    Load(Reg),
    /// A store of this term.
    Store(Option<Term>),
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
    program: &'p Program,
    symbolic: &'p Symbolic,
    /// The terms.
    pub pool: Pool,
    /// What the input of this run fulfils, in the order of execution.
    pub path: Vec<Conjunct>,
    /// What the program named as output.
    pub outputs: Vec<NamedOutput>,
    /// Values that could not be followed, by reason and place; each gave a conjunct of kind `Concrete`.
    pub concretised: BTreeMap<(String, Site), u64>,
    frames: Vec<Frame>,
    bytes: Bytes,
    pending: Pending,
    arguments: Vec<(Option<Term>, u64)>,
    site: Site,
    instance: u64,
}

impl<'p> Concolic<'p> {
    /// A monitor for one run. Terms go into `pool`, which may hold those of earlier runs.
    pub fn new(program: &'p Program, symbolic: &'p Symbolic, pool: Pool) -> Self {
        Self {
            program,
            symbolic,
            pool,
            path: Vec::new(),
            outputs: Vec::new(),
            concretised: BTreeMap::new(),
            frames: Vec::new(),
            bytes: Bytes::default(),
            pending: Pending::Nothing,
            arguments: Vec::new(),
            site: Site { function: FuncId(0), pc: 0 },
            instance: 0,
        }
    }

    /// Tells how the run ended. The check that a fault broke is not part of the path; an assumption that does not hold
    /// is a branch whose other side goes on.
    pub fn finish(&mut self, end: &End) {
        let Some(last) = self.path.last().copied().filter(|last| last.instance == self.instance) else {
            return;
        };
        match (end, last.kind) {
            (End::Fault(_), Kind::NoFault) => {
                self.path.pop();
            }
            (End::Assumption(_), Kind::Assumed) => {
                self.path.pop();
                let term = self.pool.not(last.term);
                self.path.push(Conjunct { term, kind: Kind::Branch, ..last });
            }
            _ => {}
        }
    }

    fn term(&self, reg: Reg) -> Option<Term> {
        self.frames.last().and_then(|frame| frame.get(reg))
    }

    fn set(&mut self, reg: Reg, term: Option<Term>) {
        let term = term.filter(|term| self.pool.as_bits(*term).is_none());
        if let Some(frame) = self.frames.last_mut() {
            frame.set(reg, term);
        }
    }

    fn require(&mut self, term: Term, kind: Kind) {
        if self.pool.as_bool(term).is_none() {
            self.path.push(Conjunct { term, kind, site: self.site, instance: self.instance });
        }
    }

    /// Gives up on a symbolic value: it equals what it is in this run.
    fn concretise(&mut self, term: Term, value: u128, why: &str) {
        let width = self.pool.width(term);
        let value = self.pool.bits(width, value);
        let equal = self.pool.eq(term, value);
        self.require(equal, Kind::Concrete);
        *self.concretised.entry((why.to_owned(), self.site)).or_insert(0) += 1;
    }

    fn concretise_reads(&mut self, step: &Step<'_>, roles: &[Role], why: &str) {
        let mut found = Vec::new();
        step.code.accesses(step.instr, &mut |access| {
            if roles.contains(&access.role) {
                found.extend(access.first..access.first + access.count);
            }
        });
        for reg in found {
            if let Some(term) = self.term(reg) {
                self.concretise(term, u128::from(step.registers[reg as usize]), why);
            }
        }
    }

    fn clear_results(&mut self, code: &Code, instr: &Instr) {
        let mut found = Vec::new();
        code.accesses(instr, &mut |access| {
            if access.role == Role::Result {
                found.extend(access.first..access.first + access.count);
            }
        });
        found.into_iter().for_each(|reg| self.set(reg, None));
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

    fn call(&mut self, step: &Step<'_>, site: u32) {
        let call = &step.code.calls[site as usize];
        let target = match call.target {
            Target::Direct(function) => Some(self.program.function(function).kind),
            Target::Indirect(reg) => {
                if let Some(term) = self.term(reg) {
                    self.concretise(
                        term,
                        u128::from(step.registers[reg as usize]),
                        "the address of a callee",
                    );
                }
                None
            }
        };
        let first = |index: usize| {
            call.args
                .get(index)
                .map_or((None, 0), |arg| (self.term(arg.src), step.registers[arg.src as usize]))
        };
        match target {
            Some(FuncKind::Builtin(Builtin::Assume | Builtin::NamedOutput)) => {
                self.arguments = vec![first(0), first(1)];
            }
            Some(FuncKind::Builtin(_)) => {
                let why = "an argument of a function that the machine does itself";
                self.concretise_reads(step, &[Role::Value, Role::Decides], why);
            }
            _ => {
                let mut terms = Vec::new();
                for arg in &call.args {
                    let count: u32 = arg.parts.iter().map(|part| part.scalar.registers()).sum();
                    terms.extend((arg.src..arg.src + count).map(|reg| self.term(reg)));
                }
                self.pending = Pending::Call(terms, call.dst, call.count);
                return;
            }
        }
        self.clear_results(step.code, step.instr);
    }

    fn input(&mut self, place: Place, len: u64, source: &str, first: u64, symbolic: u64) {
        for byte in 0..len {
            let at = first + byte;
            let term = (at < symbolic).then(|| variable(&mut self.pool, source, at));
            self.bytes.set(place, byte, term);
        }
    }
}

impl Monitor for Concolic<'_> {
    fn step(&mut self, step: Step<'_>) {
        self.site = step.site;
        self.instance += 1;
        self.pending = Pending::Nothing;
        match *step.instr {
            Instr::Jump { .. } | Instr::Unreachable => {}
            Instr::Branch { cond, .. } => {
                if let Some(term) = self.term(cond) {
                    let bit = self.pool.extract(term, 0, 0);
                    let holds = self.pool.bits_to_bool(bit);
                    let taken = step.registers[cond as usize] & 1 != 0;
                    let term = if taken { holds } else { self.pool.not(holds) };
                    self.require(term, Kind::Branch);
                }
            }
            Instr::Switch { value, table } => {
                if let Some(term) = self.term(value) {
                    self.switch(&step.code.switches[table as usize], term, step.registers[value as usize]);
                }
            }
            Instr::LoadLocal8 { dst, .. }
            | Instr::LoadLocal16 { dst, .. }
            | Instr::LoadLocal32 { dst, .. }
            | Instr::LoadLocal64 { dst, .. } => self.pending = Pending::Load(dst),
            Instr::StoreLocal8 { src, .. }
            | Instr::StoreLocal16 { src, .. }
            | Instr::StoreLocal32 { src, .. }
            | Instr::StoreLocal64 { src, .. } => self.pending = Pending::Store(self.term(src)),
            Instr::Load8 { dst, .. }
            | Instr::Load16 { dst, .. }
            | Instr::Load32 { dst, .. }
            | Instr::Load64 { dst, .. } => {
                self.concretise_reads(&step, &[Role::Decides], "the address of a read");
                self.pending = Pending::Load(dst);
            }
            Instr::Store8 { src, .. }
            | Instr::Store16 { src, .. }
            | Instr::Store32 { src, .. }
            | Instr::Store64 { src, .. } => {
                self.concretise_reads(&step, &[Role::Decides], "the address of a write");
                self.pending = Pending::Store(self.term(src));
            }
            Instr::MoveWide { dst, src, count } => {
                let terms: Vec<Option<Term>> = (src..src + count).map(|reg| self.term(reg)).collect();
                (dst..).zip(terms).for_each(|(reg, term)| self.set(reg, term));
            }
            Instr::Call { site } => self.call(&step, site),
            Instr::Return { src, count } => {
                self.pending = Pending::Return((src..src + count).map(|reg| self.term(reg)).collect());
            }
            _ => {
                let mut symbolic = false;
                step.code.accesses(step.instr, &mut |access| {
                    let mut regs = access.first..access.first + access.count;
                    symbolic |= access.role != Role::Result && regs.any(|reg| self.term(reg).is_some());
                });
                if !symbolic {
                    return self.clear_results(step.code, step.instr);
                }
                let (frames, registers) = (&self.frames, step.registers);
                let read = |pool: &mut Pool, reg: Reg, width: u32| match frames
                    .last()
                    .and_then(|frame| frame.get(reg))
                {
                    Some(term) => pool.resize_unsigned(term, width),
                    None => {
                        pool.bits(width, u128::from(registers[reg as usize]) & (u128::MAX >> (128 - width)))
                    }
                };
                match meaning(&mut self.pool, step.instr, read) {
                    Meaning::Value(dst, value, fine) => {
                        if let Some(fine) = fine {
                            self.require(fine, Kind::NoFault);
                        }
                        self.set(dst, Some(value));
                    }
                    Meaning::Unknown => {
                        let why = "an operation that has no terms here";
                        self.concretise_reads(&step, &[Role::Value, Role::Decides], why);
                        self.clear_results(step.code, step.instr);
                    }
                }
            }
        }
    }

    fn memory(&mut self, _address: u64, event: MemoryEvent, view: View<'_>) {
        match event {
            MemoryEvent::Load(place, len) => {
                let term = self.bytes.load(&mut self.pool, place, len, view);
                match (&self.pending, term) {
                    (Pending::Load(dst), _) => self.set(*dst, term),
                    (_, Some(term)) => {
                        let mut value = [0; 16];
                        let bytes = view.bytes(place, len.min(16));
                        value[..bytes.len()].copy_from_slice(bytes);
                        self.concretise(term, u128::from_le_bytes(value), "a read of several parts");
                    }
                    (_, None) => {}
                }
            }
            MemoryEvent::Store(place, len) => {
                let term = if let Pending::Store(term) = self.pending { term } else { None };
                self.bytes.store(&mut self.pool, place, len, term);
            }
            MemoryEvent::Argument(place, len, reg) => {
                let term = self.term(reg);
                self.bytes.store(&mut self.pool, place, len, term);
            }
            MemoryEvent::Copy(to, from, len) => self.bytes.copy(to, from, len),
            MemoryEvent::Set(place, len) | MemoryEvent::Fresh(place, len) => self.bytes.forget(place, len),
            MemoryEvent::Given(place, len, Given::Argument(index)) => {
                let symbolic = self.symbolic.args.get(&index).copied().unwrap_or(0) as u64;
                self.input(place, len, &format!("arg:{index}"), 0, symbolic);
            }
            MemoryEvent::Given(..) | MemoryEvent::Output(..) => {}
            MemoryEvent::Input(place, len, fd, offset) => {
                let symbolic = if fd == 0 { self.symbolic.stdin as u64 } else { 0 };
                self.input(place, len, "stdin", offset, symbolic);
            }
        }
    }

    fn named(&mut self, what: Builtin, name: &[u8], memory: Option<(Place, u64)>) {
        let argument = |index: usize| self.arguments.get(index).copied().unwrap_or((None, 0));
        let name = String::from_utf8_lossy(name).into_owned();
        match (what, memory) {
            (Builtin::Symbolic, Some((place, len))) => self.input(place, len, &format!("mem:{name}"), 0, len),
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
                self.outputs.push(NamedOutput { name, value });
            }
            _ => {}
        }
    }

    fn enter(&mut self, _function: FuncId, _depth: usize) {
        let frame = match std::mem::take(&mut self.pending) {
            Pending::Call(terms, dst, count) => Frame { terms, dst, count },
            _ => Frame::default(),
        };
        self.frames.push(frame);
    }

    fn leave(&mut self, _depth: usize) {
        let Some(frame) = self.frames.pop() else { return };
        let terms = match std::mem::take(&mut self.pending) {
            Pending::Return(terms) => terms,
            _ => Vec::new(),
        };
        for index in 0..frame.count {
            self.set(frame.dst + index, terms.get(index as usize).copied().flatten());
        }
    }
}
