//! Careful execution: undefined bits travel with values until one decides something.
//!
//! A function runs carefully from the moment it loads undefined bits. Each register then has a mask of its undefined bits.
//! Copying them is fine; bits that an `and`, a shift or a truncation takes away no longer matter, which is what makes
//! bit-fields work. A branch, an address or a system call that depends on one is a fault.

use super::int::low;
use crate::code::{Code, Instr, Role};
use crate::fault::{FaultKind, Trouble};
use crate::memory::{FRAMES, Memory};

/// Where a store went that is done: region, byte, length.
pub(super) type Stored = Option<(usize, usize, u64)>;

/// The masks of a function's registers, and the list of those that are not zero.
pub(super) struct Masks<'s> {
    pub(super) masks: &'s mut [u64],
    pub(super) dirty: &'s mut Vec<u32>,
    /// The function's first register.
    pub(super) base: u32,
}

impl Masks<'_> {
    #[inline]
    fn put(&mut self, register: u32, mask: u64) {
        let known = &mut self.masks[register as usize];
        if mask != 0 && *known == 0 {
            self.dirty.push(self.base + register);
        }
        *known = mask;
    }
}

/// Removes from the list, from a place on, what has no undefined bits any more.
pub(super) fn tidy(dirty: &mut Vec<u32>, from: usize, shadows: &[u64]) {
    // A register that had some, had none and has some again is listed twice.
    const MANY: usize = 32;
    let mut kept = from;
    for at in from..dirty.len() {
        let register = dirty[at];
        if shadows[register as usize] != 0 {
            dirty[kept] = register;
            kept += 1;
        }
    }
    dirty.truncate(kept);
    if kept - from > MANY {
        dirty[from..].sort_unstable();
        let mut last = from;
        for at in from + 1..kept {
            if dirty[at] != dirty[last] {
                last += 1;
                dirty[last] = dirty[at];
            }
        }
        dirty.truncate(last + 1);
    }
}

/// Behind a jump: whether nothing that is still read has undefined bits, so that the function need not go on carefully.
pub(super) fn is_over(code: &Code, shadow: &[u64], dirty: &mut Vec<u32>, (from, base): (u32, u32)) -> bool {
    // As `tidy`, but the masks are those of the function alone.
    const MANY: usize = 64;
    if dirty.len() - from as usize > MANY {
        let mut own: Vec<u32> = dirty.split_off(from as usize);
        own.sort_unstable();
        own.dedup();
        dirty.extend(own.into_iter().filter(|register| shadow[(register - base) as usize] != 0));
    }
    let across = code.across();
    dirty[from as usize..].iter().all(|register| {
        let register = register - base;
        shadow[register as usize] == 0 || across.binary_search(&register).is_err()
    })
}

/// Before an instruction: checks what decides, and computes the masks of the results. A store of undefined bits is done here.
pub(super) fn before(
    code: &Code,
    instr: &Instr,
    window: &[u64],
    all: &mut Masks<'_>,
    memory: &mut Memory,
    local: usize,
) -> Result<Stored, Trouble> {
    let at = |reg: u32, shadow: &[u64]| shadow.get(reg as usize).copied().unwrap_or(0);
    let shadow: &[u64] = all.masks;
    macro_rules! put {
        ($dst:expr, $mask:expr) => {{
            let mask = $mask;
            all.put($dst, mask);
        }};
    }
    let load_local = |memory: &Memory, offset: u32, bytes: usize| {
        low(!(memory.arenas[FRAMES].read(local + offset as usize, bytes).1 as u64), bytes as u32 * 8)
    };
    let load = |memory: &Memory, address: u64, bytes: u32| match memory.find(address, bytes, false) {
        Some((region, at)) => low(!(memory.arenas[region].read(at, bytes as usize).1 as u64), bytes * 8),
        None => 0,
    };
    check(code, instr, shadow)?;
    match *instr {
        Instr::LoadLocal8 { dst, offset } => put!(dst, load_local(memory, offset, 1)),
        Instr::LoadLocal16 { dst, offset } => put!(dst, load_local(memory, offset, 2)),
        Instr::LoadLocal32 { dst, offset } => put!(dst, load_local(memory, offset, 4)),
        Instr::LoadLocal64 { dst, offset } => put!(dst, load_local(memory, offset, 8)),
        Instr::Load8 { dst, ptr } => put!(dst, load(memory, window[ptr as usize], 1)),
        Instr::Load16 { dst, ptr } => put!(dst, load(memory, window[ptr as usize], 2)),
        Instr::Load32 { dst, ptr } => put!(dst, load(memory, window[ptr as usize], 4)),
        Instr::Load64 { dst, ptr } => put!(dst, load(memory, window[ptr as usize], 8)),
        Instr::StoreLocal8 { src, offset } => {
            return Ok(store_local(memory, local, offset, 1, src, window, shadow));
        }
        Instr::StoreLocal16 { src, offset } => {
            return Ok(store_local(memory, local, offset, 2, src, window, shadow));
        }
        Instr::StoreLocal32 { src, offset } => {
            return Ok(store_local(memory, local, offset, 4, src, window, shadow));
        }
        Instr::StoreLocal64 { src, offset } => {
            return Ok(store_local(memory, local, offset, 8, src, window, shadow));
        }
        Instr::Store8 { src, ptr } => return Ok(store(memory, ptr, 1, src, window, shadow)),
        Instr::Store16 { src, ptr } => return Ok(store(memory, ptr, 2, src, window, shadow)),
        Instr::Store32 { src, ptr } => return Ok(store(memory, ptr, 4, src, window, shadow)),
        Instr::Store64 { src, ptr } => return Ok(store(memory, ptr, 8, src, window, shadow)),
        Instr::Move { dst, src } => put!(dst, at(src, shadow)),
        Instr::MoveWide { dst, src, count } => {
            let masks: Vec<u64> = shadow[src as usize..(src + count) as usize].to_vec();
            (dst..).zip(masks).for_each(|(dst, mask)| all.put(dst, mask));
        }
        Instr::Trunc { dst, a, width } => put!(dst, low(at(a, shadow), u32::from(width))),
        Instr::SExt { dst, a, from, to } => {
            put!(dst, low(super::int::sign(at(a, shadow), from) as u64, u32::from(to)))
        }
        Instr::Xor { dst, a, b } => put!(dst, at(a, shadow) | at(b, shadow)),
        Instr::And { dst, a, b } => {
            // A defined zero on one side decides the bit.
            let (ua, ub) = (at(a, shadow), at(b, shadow));
            let (va, vb) = (window[a as usize], window[b as usize]);
            put!(dst, (ua | ub) & (va | ua) & (vb | ub))
        }
        Instr::Or { dst, a, b } => {
            let (ua, ub) = (at(a, shadow), at(b, shadow));
            let (va, vb) = (window[a as usize], window[b as usize]);
            put!(dst, (ua | ub) & (!va | ua) & (!vb | ub))
        }
        Instr::Shl32 { dst, a, b } => put!(dst, shifted(a, b, window, shadow, |u, by| low(u << by, 32))),
        Instr::Shl64 { dst, a, b } => put!(dst, shifted(a, b, window, shadow, |u, by| u << by)),
        Instr::ShlS { width, dst, a, b } => {
            put!(dst, shifted(a, b, window, shadow, |u, by| low(u << by, u32::from(width))))
        }
        Instr::LShr32 { dst, a, b } | Instr::LShr64 { dst, a, b } => {
            put!(dst, shifted(a, b, window, shadow, |u, by| u >> by))
        }
        Instr::AShr32 { dst, a, b } => {
            put!(
                dst,
                shifted(a, b, window, shadow, |u, by| u64::from((u as u32 as i32 >> by.min(31)) as u32))
            )
        }
        Instr::AShr64 { dst, a, b } => {
            put!(dst, shifted(a, b, window, shadow, |u, by| (u as i64 >> by) as u64))
        }
        Instr::Int { op, width, dst, a, b, .. } => {
            use hydrogen_ir::BinaryOp::{AShr, Add, LShr, Mul, Shl, Sub};
            let (bits, w) = (u32::from(width), width);
            put!(
                dst,
                match op {
                    Shl => shifted(a, b, window, shadow, |u, by| low(u << by, bits)),
                    LShr => shifted(a, b, window, shadow, |u, by| u >> by),
                    AShr => shifted(a, b, window, shadow, |u, by| low(
                        (super::int::sign(u, w) >> by) as u64,
                        bits
                    )),
                    Add | Sub | Mul => spread(at(a, shadow) | at(b, shadow), bits),
                    // A quotient's lowest bit can come from the highest.
                    _ if at(a, shadow) | at(b, shadow) == 0 => 0,
                    _ => low(u64::MAX, bits),
                }
            )
        }
        Instr::Add32 { dst, a, b }
        | Instr::Sub32 { dst, a, b }
        | Instr::Mul32 { dst, a, b }
        | Instr::AddS32 { dst, a, b }
        | Instr::SubS32 { dst, a, b }
        | Instr::MulS32 { dst, a, b } => {
            put!(dst, spread(at(a, shadow) | at(b, shadow), 32))
        }
        Instr::Add64 { dst, a, b }
        | Instr::Sub64 { dst, a, b }
        | Instr::Mul64 { dst, a, b }
        | Instr::AddS64 { dst, a, b }
        | Instr::SubS64 { dst, a, b }
        | Instr::MulS64 { dst, a, b } => {
            put!(dst, spread(at(a, shadow) | at(b, shadow), 64))
        }
        Instr::Eq { dst, a, b } | Instr::Ne { dst, a, b } => {
            // Defined bits that differ decide.
            let undefined = at(a, shadow) | at(b, shadow);
            let differ = (window[a as usize] ^ window[b as usize]) & !undefined != 0;
            put!(dst, u64::from(undefined != 0 && !differ))
        }
        Instr::Ult { dst, a, b }
        | Instr::Ule { dst, a, b }
        | Instr::Slt32 { dst, a, b }
        | Instr::Sle32 { dst, a, b }
        | Instr::Slt64 { dst, a, b }
        | Instr::Sle64 { dst, a, b }
        | Instr::SltN { dst, a, b, .. }
        | Instr::FCmp64 { dst, a, b, .. }
        | Instr::FCmp32 { dst, a, b, .. } => {
            put!(dst, u64::from(at(a, shadow) | at(b, shadow) != 0))
        }
        // Everything else: any undefined bit spoils the whole result.
        _ => {
            let mut spoiled = false;
            code.accesses(instr, &mut |access| {
                if access.role == Role::Value {
                    spoiled |= (access.first..access.first + access.count).any(|reg| at(reg, shadow) != 0);
                }
            });
            code.accesses(instr, &mut |access| {
                if access.role == Role::Result {
                    for reg in access.first..access.first + access.count {
                        if (reg as usize) < all.masks.len() {
                            all.put(reg, if spoiled { u64::MAX } else { 0 });
                        }
                    }
                }
            });
        }
    }
    Ok(None)
}

/// Whatever decides must be defined.
fn check(code: &Code, instr: &Instr, shadow: &[u64]) -> Result<(), Trouble> {
    let mut bad = false;
    code.accesses(instr, &mut |access| {
        if access.role == Role::Decides {
            let masks = shadow.iter().skip(access.first as usize).take(access.count as usize);
            bad |= masks.into_iter().any(|mask| *mask != 0);
        }
    });
    if !bad {
        return Ok(());
    }
    let what = match instr {
        Instr::Branch { .. } | Instr::Switch { .. } => "decides a branch",
        Instr::Complex { index } => match &code.complex[*index as usize] {
            crate::code::Complex::Syscall { .. } => "is given to the system",
            crate::code::Complex::Select { .. } => "decides a choice",
            _ => "decides what is done",
        },
        Instr::Call { .. } => "decides what is called",
        _ => "is used as an address",
    };
    Err(Trouble::Fault(FaultKind::UninitialisedRead, format!("a value that was never written {what}")))
}

/// A carry can reach every bit above the lowest undefined one.
fn spread(undefined: u64, width: u32) -> u64 {
    match undefined {
        0 => 0,
        _ => low(u64::MAX << undefined.trailing_zeros(), width),
    }
}

fn shifted(a: u32, b: u32, window: &[u64], shadow: &[u64], shift: impl Fn(u64, u32) -> u64) -> u64 {
    if shadow[b as usize] != 0 {
        return u64::MAX;
    }
    shift(shadow[a as usize], (window[b as usize] & 63) as u32)
}

/// A store of undefined bits; a defined one is left to the ordinary way.
fn store_local(
    memory: &mut Memory,
    local: usize,
    offset: u32,
    bytes: usize,
    src: u32,
    window: &[u64],
    shadow: &[u64],
) -> Stored {
    let undefined = shadow[src as usize];
    if undefined == 0 {
        return None;
    }
    let (at, value) = (local + offset as usize, u128::from(window[src as usize]));
    memory.arenas[FRAMES].write(at, bytes, value, !u128::from(undefined));
    Some((FRAMES, at, bytes as u64))
}

fn store(memory: &mut Memory, ptr: u32, bytes: u32, src: u32, window: &[u64], shadow: &[u64]) -> Stored {
    let undefined = shadow[src as usize];
    if undefined == 0 {
        return None;
    }
    let (region, at) = memory.find(window[ptr as usize], bytes, true)?;
    let value = u128::from(window[src as usize]);
    memory.arenas[region].write(at, bytes as usize, value, !u128::from(undefined));
    Some((region, at, u64::from(bytes)))
}
