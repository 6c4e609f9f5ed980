//! Pointers that arithmetic took out of their object so far that another one, or none, is there.
//!
//! Addresses of different objects differ in their upper halves, so this is seen where the pointer is computed; whether it is used
//! is seen by looking ahead. A pointer that is put away first and used in another block is not followed.
//!
//! Variables of different calls can have the same upper half one after the other. There the computation looks like any other, and
//! when the access has failed, looking back tells whose pointer it was.

use super::report::NEAR_NULL;
use crate::code::{Code, Instr, Reg, Role};
use crate::memory::{Memory, place_of};
use std::ops::Range;

/// An access through such a pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Access {
    /// The instruction.
    pub(super) pc: usize,
    pub(super) address: u64,
    pub(super) bytes: u64,
    pub(super) write: bool,
}

/// So far ahead an access is looked for.
const AHEAD: usize = 24;

/// The access through a pointer that the instruction at `pc` took from an object, or from null, to where another one or none is.
#[inline(never)]
pub(super) fn left(
    memory: &Memory,
    code: &Code,
    pc: usize,
    (from, to): (u64, u64),
    pointer: Reg,
    window: &[u64],
) -> Option<Access> {
    if memory.are_together(from, to) || from >= NEAR_NULL && !memory.is_alive(from) {
        return None;
    }
    let access = access(code, pc, pointer, window)?;
    let stays = match from < NEAR_NULL {
        true => place_of(access.address) == place_of(from),
        false => {
            memory.object(from).map(|object| object.base)
                == memory.object(access.address).map(|object| object.base)
        }
    };
    (!stays).then_some(access)
}

/// The first access at a pointer that the instruction at `pc` has just put into a register, or at one computed from it, if it
/// follows before any branch or call.
#[cold]
#[inline(never)]
pub(super) fn access(code: &Code, pc: usize, pointer: Reg, window: &[u64]) -> Option<Access> {
    // Registers whose values at that point are known: the pointer and what is computed from it.
    let mut known: Vec<(Reg, u64)> = vec![(pointer, window[pointer as usize])];
    let mut written: Vec<Reg> = Vec::new();
    for (pc, instr) in code.instrs.iter().enumerate().skip(pc + 1).take(AHEAD) {
        let value = |reg: Reg| known.iter().find(|one| one.0 == reg).map(|one| one.1);
        let found =
            |ptr: Reg, bytes: u64, write: bool| Some(Access { pc, address: value(ptr)?, bytes, write });
        let access = match *instr {
            Instr::Load8 { ptr, .. } => found(ptr, 1, false),
            Instr::Load16 { ptr, .. } => found(ptr, 2, false),
            Instr::Load32 { ptr, .. } => found(ptr, 4, false),
            Instr::Load64 { ptr, .. } => found(ptr, 8, false),
            Instr::Store8 { ptr, .. } => found(ptr, 1, true),
            Instr::Store16 { ptr, .. } => found(ptr, 2, true),
            Instr::Store32 { ptr, .. } => found(ptr, 4, true),
            Instr::Store64 { ptr, .. } => found(ptr, 8, true),
            Instr::Jump { .. }
            | Instr::Branch { .. }
            | Instr::Switch { .. }
            | Instr::Call { .. }
            | Instr::Return { .. }
            | Instr::Unreachable
            | Instr::Complex { .. } => return None,
            _ => None,
        };
        if access.is_some() {
            return access;
        }
        let computed = match *instr {
            Instr::Move { dst, src } => value(src).map(|value| (dst, value)),
            Instr::Offset { dst, a, offset } => {
                value(a).map(|value| (dst, value.wrapping_add(i64::from(offset) as u64)))
            }
            Instr::Scaled { dst, a, b, scale } if !written.contains(&b) => value(a).map(|value| {
                let by = window[b as usize].wrapping_mul(u64::from(scale));
                (dst, value.wrapping_add(by))
            }),
            _ => None,
        };
        code.accesses(instr, &mut |access| {
            if access.role == Role::Result {
                let range = access.first..access.first + access.count;
                known.retain(|one| !range.contains(&one.0));
                written.extend(range);
            }
        });
        known.extend(computed);
        if known.is_empty() {
            return None;
        }
    }
    None
}

/// The pointer into an object that is alive, or to null, from which the instruction at `pc` got its `address`, if that was computed since the
/// last branch.
pub(super) fn origin(
    code: &Code,
    pc: usize,
    address: u64,
    window: &[u64],
    is_known: impl Fn(u64) -> bool,
) -> Option<u64> {
    let mut pointer = None;
    code.accesses(code.instrs.get(pc)?, &mut |access| {
        if access.role != Role::Result && window.get(access.first as usize) == Some(&address) {
            pointer = Some(access.first);
        }
    });
    let mut pointer: Reg = pointer?;
    // Registers whose values are no longer those that were used.
    let mut written: Vec<Range<Reg>> = Vec::new();
    for instr in code.instrs[..pc].iter().rev() {
        let from = match *instr {
            Instr::Jump { .. } | Instr::Branch { .. } | Instr::Switch { .. } | Instr::Return { .. } => {
                return None;
            }
            Instr::Move { src, .. } => Some(src),
            Instr::Offset { a, .. } | Instr::Scaled { a, .. } => Some(a),
            _ => None,
        };
        let mut makes_it = false;
        code.accesses(instr, &mut |access| {
            if access.role == Role::Result {
                let range = access.first..access.first + access.count;
                makes_it |= range.contains(&pointer);
                written.push(range);
            }
        });
        if makes_it {
            pointer = from.filter(|from| !written.iter().any(|range| range.contains(from)))?;
            let value = *window.get(pointer as usize)?;
            if is_known(value) {
                return Some(value);
            }
        }
    }
    None
}
