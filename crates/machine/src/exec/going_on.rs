//! Going on behind a fault, as C implementations do ([`Limits::go_on`](super::Limits)). The fault is kept in the world.

use super::{End, Machine, int};
use crate::code::{Code, Instr, Reg, Role};
use crate::fault::{Fault, FaultKind, Trouble};
use crate::monitor::Monitor;
use hydrogen_ir::BinaryOp;

/// So many faults are kept; each place counts once.
const MOST: usize = 256;

/// Who watches when nobody does: what happens behind a fault is done step by step.
pub(super) struct Quiet;

impl Monitor for Quiet {
    const THREADS: bool = true;
}

/// Where a run went on, to see that it does not do so for ever: the function's number, the instruction, the steps.
pub(super) type Last = Option<(u64, u32, u64)>;

impl<M: Monitor> Machine<'_, M> {
    /// Goes on behind a fault, if that is wanted and every implementation does: arithmetic wraps, what was never written is what is
    /// there, and an access that left its object for another one goes there. Gives whether the instruction is executed again.
    pub(super) fn go_on(&mut self, trouble: Trouble, code: &Code, cold: bool) -> Result<bool, Trouble> {
        let Some(frame) = self.frames.last().copied().filter(|_| self.limits.go_on) else {
            return Err(trouble);
        };
        let Some(instr) = code.instrs.get(frame.pc as usize) else { return Err(trouble) };
        if let Trouble::Access { address, bytes, write: false } = trouble
            && self.is_over_read(address, bytes)
            && let Some(dst) = loads_into(instr)
        {
            self.keep(&trouble);
            self.read_over_the_end(address, bytes, dst);
            self.statistics.steps += 1;
            self.next();
            if M::ACTIVE {
                self.monitor.went_on();
            }
            return Ok(false);
        }
        if let (Trouble::Fault(FaultKind::BadConversion, _), Instr::Complex { index }) = (&trouble, instr) {
            self.keep(&trouble);
            self.convert_anyway(&code.complex[*index as usize]);
            if M::ACTIVE {
                self.monitor.went_on();
            }
            return Ok(false);
        }
        let again = match &trouble {
            Trouble::Fault(FaultKind::SignedOverflow, _) => false,
            Trouble::Fault(FaultKind::UninitialisedRead, _) => true,
            Trouble::Elsewhere { address, bytes, write, .. } => {
                let bytes = u32::try_from(*bytes).unwrap_or(u32::MAX);
                if self.memory.find(*address, bytes, *write).is_none() {
                    return Err(trouble);
                }
                true
            }
            _ => return Err(trouble),
        };
        if again {
            self.statistics.steps -= u64::from(cold);
            let here = Some((frame.serial, frame.pc, self.statistics.steps));
            if std::mem::replace(&mut self.went_on, here) == here {
                return Err(trouble);
            }
            self.keep(&trouble);
            self.take_as_written(code, instr);
        } else {
            let Some((op, width, dst, a, b)) = wrapping(instr) else { return Err(trouble) };
            let Ok(value) = int::binary(op, width, false, self.get(a), self.get(b)) else {
                return Err(trouble);
            };
            self.keep(&trouble);
            self.set(dst, value);
            self.set_undefined(dst, 0);
            self.statistics.steps += 1;
            self.next();
        }
        if M::ACTIVE {
            self.monitor.went_on();
        }
        Ok(again)
    }

    /// A word of which only the first bytes belong to an object: nobody has written the others.
    fn read_over_the_end(&mut self, address: u64, bytes: u64, dst: Reg) {
        let Some(object) = self.memory.object(address).copied() else { return };
        let inside = (object.base + object.size - address).min(bytes) as usize;
        let Some((region, at)) = self.memory.range(address, inside as u64, false) else { return };
        let (value, defined) = self.memory.arenas[region].read(at, inside);
        self.set(dst, value as u64);
        self.set_undefined(dst, int::low(!defined as u64, bytes as u32 * 8));
    }

    fn keep(&mut self, trouble: &Trouble) {
        let End::Fault(fault) = self.end_of(trouble) else { return };
        let same = |one: &Fault| one.kind == fault.kind && one.stack.first() == fault.stack.first();
        if self.world.faults.len() < MOST && !self.world.faults.iter().any(same) {
            self.world.faults.push(*fault);
        }
    }

    /// What the instruction reads counts as written.
    fn take_as_written(&mut self, code: &Code, instr: &Instr) {
        let mut read: Vec<Reg> = Vec::new();
        code.accesses(instr, &mut |access| {
            if access.role != Role::Result {
                read.extend(access.first..access.first + access.count);
            }
        });
        for reg in read {
            self.set_undefined(reg, 0);
        }
    }
}

/// Where a load of a word of up to eight bytes goes.
fn loads_into(instr: &Instr) -> Option<Reg> {
    match *instr {
        Instr::Load16 { dst, .. } | Instr::Load32 { dst, .. } | Instr::Load64 { dst, .. } => Some(dst),
        _ => None,
    }
}

/// Arithmetic that may overflow: what it does, its width, where the result goes, and of what.
fn wrapping(instr: &Instr) -> Option<(BinaryOp, u8, Reg, Reg, Reg)> {
    use BinaryOp::{Add, Mul, Sub};
    Some(match *instr {
        Instr::AddS32 { dst, a, b } => (Add, 32, dst, a, b),
        Instr::AddS64 { dst, a, b } => (Add, 64, dst, a, b),
        Instr::SubS32 { dst, a, b } => (Sub, 32, dst, a, b),
        Instr::SubS64 { dst, a, b } => (Sub, 64, dst, a, b),
        Instr::MulS32 { dst, a, b } => (Mul, 32, dst, a, b),
        Instr::MulS64 { dst, a, b } => (Mul, 64, dst, a, b),
        Instr::Int { op: op @ (Add | Sub | Mul), width, dst, a, b, .. } => (op, width, dst, a, b),
        _ => return None,
    })
}
