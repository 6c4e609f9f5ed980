//! What is known about a decoded function before it runs: its blocks, and the variables that its instructions read and
//! write.
//!
//! A *variable* is a register that lives longer than a block, or a local variable in memory whose address nobody takes.
//! Only these can have been changed by code of the same activation that was not executed.

use crate::control::Control;
use hydrogen_machine::code::{Code, Complex, Instr, Intrinsic, Role};

/// The static facts of a function.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) control: Control,
    /// By instruction: where its reads begin.
    read_starts: Vec<u32>,
    reads: Vec<Read>,
    write_starts: Vec<u32>,
    writes: Vec<u32>,
    /// By instruction: how many of its reads decide where it reads, writes or calls; and whether it writes there.
    addresses: Vec<(u8, bool)>,
    /// By instruction: whether a call there may not come back.
    gates: Vec<bool>,
    /// Local variables in memory whose address nobody takes: first byte, end; in order.
    slots: Vec<(u32, u32)>,
    variables: Vec<bool>,
}

/// A function that the machine does itself is called.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Called {
    /// Whether it reads or writes memory where its arguments say.
    pub(crate) at_addresses: bool,
}

/// A register that is read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Read {
    pub(crate) register: u32,
    /// Whether it is a variable.
    pub(crate) variable: bool,
}

impl Shape {
    pub(crate) fn new(
        code: &Code,
        is_gate: &impl Fn(u32) -> bool,
        builtin: &impl Fn(u32) -> Option<Called>,
        falls: &[(u32, u32)],
    ) -> Self {
        let control = Control::new(code, is_gate, falls);
        let variables = long_lived(code, &control);
        let mut shape = Self {
            gates: (0..code.instrs.len() as u32).map(is_gate).collect(),
            control,
            read_starts: vec![0],
            reads: Vec::new(),
            write_starts: vec![0],
            writes: Vec::new(),
            addresses: Vec::new(),
            slots: slots(code),
            variables: Vec::new(),
        };
        for (pc, instr) in code.instrs.iter().enumerate() {
            let places = places(code, instr, builtin(pc as u32));
            let calls = matches!(instr, Instr::Call { .. }) && builtin(pc as u32).is_none();
            let (mut first, mut rest) = (Vec::new(), Vec::new());
            code.accesses(instr, &mut |access| {
                let registers = (access.first..access.first + access.count)
                    .filter(|register| *register < code.first_constant);
                match access.role {
                    Role::Result => shape.writes.extend(registers),
                    Role::Decides if places != Places::Same => first.extend(registers),
                    Role::Value if places == Places::Builtin => first.extend(registers),
                    // The arguments of a call are looked at one by one when it is entered.
                    _ if calls => {}
                    _ => rest.extend(registers),
                }
            });
            first.truncate(u8::MAX.into());
            shape.addresses.push((first.len() as u8, matches!(places, Places::Written | Places::Builtin)));
            let read = |register: u32| Read { register, variable: variables[register as usize] };
            shape.reads.extend(first.into_iter().chain(rest).map(read));
            shape.read_starts.push(shape.reads.len() as u32);
            shape.write_starts.push(shape.writes.len() as u32);
        }
        shape.variables = variables;
        shape
    }

    /// Whether a register is a variable.
    pub(crate) fn is_variable(&self, register: u32) -> bool {
        self.variables[register as usize]
    }

    /// The registers that an instruction reads; of a call of something that is not the machine's own only the callee's
    /// address. So many of them, from the first on, decide where it reads, writes or calls.
    pub(crate) fn reads(&self, pc: u32) -> (&[Read], usize) {
        let range = self.read_starts[pc as usize] as usize..self.read_starts[pc as usize + 1] as usize;
        (&self.reads[range], self.addresses[pc as usize].0.into())
    }

    /// The registers that an instruction writes.
    pub(crate) fn writes(&self, pc: u32) -> &[u32] {
        &self.writes[self.write_starts[pc as usize] as usize..self.write_starts[pc as usize + 1] as usize]
    }

    /// Whether an instruction writes where registers decide.
    pub(crate) fn stores(&self, pc: u32) -> bool {
        self.addresses[pc as usize].1
    }

    pub(crate) fn is_gate(&self, pc: u32) -> bool {
        self.gates[pc as usize]
    }

    /// The variable that an access at this byte of the frame is to, if nobody takes its address.
    pub(crate) fn slot(&self, offset: u32) -> Option<u32> {
        let index = self.slots.partition_point(|slot| slot.1 <= offset);
        let slot = self.slots.get(index)?;
        (slot.0 <= offset).then_some((self.variables.len() + index) as u32)
    }
}

/// What the deciding registers of an instruction decide about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Places {
    /// No place: a branch, or nothing.
    Same,
    /// Where it reads, or whom it calls.
    Read,
    Written,
    /// A function of the machine's own, all of whose arguments may be addresses and sizes.
    Builtin,
}

fn places(code: &Code, instr: &Instr, builtin: Option<Called>) -> Places {
    match instr {
        Instr::Load8 { .. } | Instr::Load16 { .. } | Instr::Load32 { .. } | Instr::Load64 { .. } => {
            Places::Read
        }
        Instr::Store8 { .. } | Instr::Store16 { .. } | Instr::Store32 { .. } | Instr::Store64 { .. } => {
            Places::Written
        }
        Instr::Call { .. } => match builtin {
            None => Places::Read,
            Some(Called { at_addresses: true }) => Places::Builtin,
            Some(_) => Places::Same,
        },
        Instr::Complex { index } => match code.complex[*index as usize] {
            Complex::Load { .. } => Places::Read,
            Complex::Store { .. }
            | Complex::Rmw { .. }
            | Complex::CompareExchange { .. }
            | Complex::Syscall { .. }
            | Complex::Intrinsic {
                which:
                    Intrinsic::MemCpy
                    | Intrinsic::MemMove
                    | Intrinsic::MemSet
                    | Intrinsic::VaStart
                    | Intrinsic::VaCopy,
                ..
            } => Places::Written,
            _ => Places::Same,
        },
        _ => Places::Same,
    }
}

/// By register: whether something reads it in another block than it is written in, or before.
fn long_lived(code: &Code, control: &Control) -> Vec<bool> {
    let mut found = vec![false; code.registers as usize];
    let mut written_in = vec![u32::MAX; code.registers as usize];
    for (pc, instr) in code.instrs.iter().enumerate() {
        let block = control.block_of[pc];
        code.accesses(instr, &mut |access| {
            for register in access.first..access.first + access.count {
                if access.role != Role::Result && written_in[register as usize] != block {
                    found[register as usize] = true;
                }
            }
        });
        code.accesses(instr, &mut |access| {
            if access.role == Role::Result {
                written_in[access.first as usize..(access.first + access.count) as usize].fill(block);
            }
        });
    }
    found
}

/// The direct accesses to locals that have no address, merged where they overlap.
fn slots(code: &Code) -> Vec<(u32, u32)> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for instr in &code.instrs {
        let (offset, len) = match *instr {
            Instr::LoadLocal8 { offset, .. } | Instr::StoreLocal8 { offset, .. } => (offset, 1),
            Instr::LoadLocal16 { offset, .. } | Instr::StoreLocal16 { offset, .. } => (offset, 2),
            Instr::LoadLocal32 { offset, .. } | Instr::StoreLocal32 { offset, .. } => (offset, 4),
            Instr::LoadLocal64 { offset, .. } | Instr::StoreLocal64 { offset, .. } => (offset, 8),
            _ => continue,
        };
        let escapes = code.locals.iter().any(|l| l.offset <= offset && offset < l.offset + l.size);
        if !escapes {
            ranges.push((offset, offset + len));
        }
    }
    ranges.sort_unstable();
    let mut merged: Vec<(u32, u32)> = Vec::new();
    for (start, end) in ranges {
        match merged.last_mut() {
            Some(last) if start < last.1 => last.1 = last.1.max(end),
            _ => merged.push((start, end)),
        }
    }
    merged
}
