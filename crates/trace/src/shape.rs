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
    /// By instruction that stores at an address that is not constant: the registers that decide where.
    stores: rustc_hash::FxHashMap<u32, Vec<u32>>,
    /// By instruction: whether a call there may not come back.
    gates: Vec<bool>,
    /// Local variables in memory whose address nobody takes: first byte, end; in order.
    slots: Vec<(u32, u32)>,
    variables: Vec<bool>,
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
        is_builtin: &impl Fn(u32) -> bool,
    ) -> Self {
        let control = Control::new(code, is_gate);
        let variables = long_lived(code, &control);
        let mut shape = Self {
            gates: (0..code.instrs.len() as u32).map(is_gate).collect(),
            control,
            read_starts: vec![0],
            reads: Vec::new(),
            write_starts: vec![0],
            writes: Vec::new(),
            stores: rustc_hash::FxHashMap::default(),
            slots: slots(code),
            variables: Vec::new(),
        };
        for (pc, instr) in code.instrs.iter().enumerate() {
            let arguments = matches!(instr, Instr::Call { .. }) && !is_builtin(pc as u32);
            code.accesses(instr, &mut |access| {
                let registers = (access.first..access.first + access.count)
                    .filter(|register| *register < code.first_constant);
                match access.role {
                    Role::Result => shape.writes.extend(registers),
                    // The arguments of a call are looked at one by one when it is known who is called.
                    Role::Value | Role::Decides if arguments => {}
                    _ => shape.reads.extend(
                        registers.map(|register| Read { register, variable: variables[register as usize] }),
                    ),
                }
            });
            if let Instr::Call { site } = instr
                && arguments
                && let hydrogen_machine::code::Target::Indirect(register) = code.calls[*site as usize].target
                && register < code.first_constant
            {
                shape.reads.push(Read { register, variable: variables[register as usize] });
            }
            let places: Vec<u32> = deciding(code, instr, is_builtin(pc as u32))
                .into_iter()
                .filter(|r| *r < code.first_constant)
                .collect();
            if !places.is_empty() {
                shape.stores.insert(pc as u32, places);
            }
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
    /// address.
    pub(crate) fn reads(&self, pc: u32) -> &[Read] {
        &self.reads[self.read_starts[pc as usize] as usize..self.read_starts[pc as usize + 1] as usize]
    }

    /// The registers that an instruction writes.
    pub(crate) fn writes(&self, pc: u32) -> &[u32] {
        &self.writes[self.write_starts[pc as usize] as usize..self.write_starts[pc as usize + 1] as usize]
    }

    /// The registers that decide where an instruction stores; none for places that are always the same.
    pub(crate) fn stores(&self, pc: u32) -> &[u32] {
        self.stores.get(&pc).map_or(&[], Vec::as_slice)
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

/// The registers that decide where an instruction writes memory.
fn deciding(code: &Code, instr: &Instr, is_builtin: bool) -> Vec<u32> {
    let writes = match instr {
        Instr::Store8 { .. } | Instr::Store16 { .. } | Instr::Store32 { .. } | Instr::Store64 { .. } => true,
        Instr::Call { .. } => is_builtin,
        Instr::Complex { index } => matches!(
            code.complex[*index as usize],
            Complex::Store { .. }
                | Complex::Rmw { .. }
                | Complex::CompareExchange { .. }
                | Complex::Syscall { .. }
                | Complex::Intrinsic {
                    which: Intrinsic::MemCpy
                        | Intrinsic::MemMove
                        | Intrinsic::MemSet
                        | Intrinsic::VaStart
                        | Intrinsic::VaCopy,
                    ..
                }
        ),
        _ => false,
    };
    let mut found = Vec::new();
    if writes {
        code.accesses(instr, &mut |access| {
            // All arguments of a built-in function may be addresses and sizes.
            if access.role == Role::Decides || is_builtin && access.role == Role::Value {
                found.extend(access.first..access.first + access.count);
            }
        });
    }
    found
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
