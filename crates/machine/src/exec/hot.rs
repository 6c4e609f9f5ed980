//! The loop that executes frequent instructions of one function. Everything else leaves it.

use super::int::{self, sign};
use super::{Frame, Machine, crossing, float, undefined};
use crate::code::{Instr, Reg};
use crate::fault::{FaultKind, Trouble};
use crate::memory::{ARRAYS_END, CELL_SHIFT, FRAMES, HEAP_SHIFT, Site};
use crate::monitor::{MemoryEvent, Monitor, Place, Step, View};

/// Why the loop was left, at `pc`.
pub(super) enum Exit {
    /// The instruction is not one of the frequent ones.
    Cold,
    /// The slice is used up.
    Slice,
    /// A load of undefined bits: the function must go on carefully.
    Undefined,
    /// No bit is undefined any more.
    Defined,
    /// Something went wrong.
    Trouble(Trouble),
}

fn fault(kind: FaultKind, message: impl Into<String>) -> Exit {
    Exit::Trouble(Trouble::Fault(kind, message.into()))
}

/// Executes until something else must happen, calls and returns included where nobody watches and nothing is undefined. Gives how
/// many instructions were executed. `told`: whether the monitor knows already that the first instruction is executed.
pub(super) fn run<M: Monitor, const CAREFUL: bool>(
    machine: &mut Machine<'_, M>,
    budget: u64,
    mut told: bool,
) -> (u64, Exit) {
    let program = machine.program;
    let strict = machine.limits.strict;
    let mut steps = 0u64;
    'frame: loop {
        let depth = machine.frames.len() - 1;
        let Frame { function, base, end, local, pc: at, dirty: dirty_from, .. } = machine.frames[depth];
        let code = program.code(function).expect("only functions with code have frames");
        let instrs = if M::ACTIVE || CAREFUL { code.instrs.as_slice() } else { code.quick.as_slice() };
        let Machine { memory, registers, shadows, dirty, monitor, .. } = &mut *machine;
        let window = &mut registers[base as usize..end as usize];
        let shadow: &mut [u64] = if CAREFUL { &mut shadows[base as usize..end as usize] } else { &mut [] };
        let local = local as usize;
        let mut pc = at as usize;
        let mut start = pc;
        let (mut branches, mut tolerated) = (0u64, 0u64);
        // The access through a pointer that left its object, and where the pointer came from. Who watches sees all that comes before.
        let mut crossed: Option<(usize, u64)> = None;

        macro_rules! leave {
            ($exit:expr) => {{
                let exit = $exit;
                machine.frames[depth].pc = pc as u32;
                machine.statistics.branches += branches;
                machine.statistics.tolerated += tolerated;
                return (steps + (pc - start) as u64, exit);
            }};
        }
        macro_rules! get {
            ($reg:expr) => {
                window[$reg as usize]
            };
        }
        macro_rules! set {
            ($dst:expr, $value:expr) => {{
                let value = $value;
                window[$dst as usize] = value;
            }};
        }
        macro_rules! jump {
            ($target:expr) => {{
                let target = $target as usize;
                steps += (pc - start) as u64 + 1;
                start = target;
                pc = target;
                if CAREFUL && undefined::is_over(code, shadow, dirty, (dirty_from, base)) {
                    leave!(Exit::Defined);
                }
                if steps >= budget {
                    leave!(Exit::Slice);
                }
                continue;
            }};
        }
        macro_rules! in_its_object {
            ($address:expr, $bytes:expr, $write:expr) => {
                if M::ACTIVE
                    && let Some((_, from)) = crossed.take_if(|one| one.0 == pc)
                {
                    monitor.denied($address, $bytes, $write, View(memory));
                    let (address, bytes) = ($address, u64::from($bytes as u32));
                    leave!(Exit::Trouble(Trouble::Elsewhere { from, address, bytes, write: $write }));
                }
            };
        }
        macro_rules! load {
            ($dst:expr, $ptr:expr, $bytes:expr, $load:ident) => {{
                let address = get!($ptr);
                in_its_object!(address, $bytes, false);
                let Some((region, at)) = memory.find(address, $bytes, false) else {
                    if M::ACTIVE {
                        monitor.denied(address, $bytes, false, View(memory));
                    }
                    leave!(Exit::Trouble(Trouble::Access { address, bytes: $bytes, write: false }))
                };
                let value = match memory.arenas[region].$load(at) {
                    Some(value) => value,
                    None if CAREFUL => memory.arenas[region].read(at, $bytes).0 as u64,
                    None => leave!(Exit::Undefined),
                };
                if M::ACTIVE {
                    monitor.memory(address, MemoryEvent::Load(Place { region, at }, $bytes), View(memory));
                }
                set!($dst, value)
            }};
        }
        macro_rules! store {
            ($src:expr, $ptr:expr, $bytes:expr, $store:ident) => {{
                let address = get!($ptr);
                in_its_object!(address, $bytes, true);
                let Some((region, at)) = memory.find(address, $bytes, true) else {
                    if M::ACTIVE {
                        monitor.denied(address, $bytes, true, View(memory));
                    }
                    leave!(Exit::Trouble(Trouble::Access { address, bytes: $bytes, write: true }))
                };
                if M::ACTIVE {
                    monitor.memory(address, MemoryEvent::Store(Place { region, at }, $bytes), View(memory));
                }
                memory.arenas[region].$store(at, get!($src));
            }};
        }
        macro_rules! load_local {
            ($dst:expr, $offset:expr, $bytes:expr, $load:ident) => {{
                let at = local + $offset as usize;
                let value = match memory.arenas[FRAMES].$load(at) {
                    Some(value) => value,
                    None if CAREFUL => memory.arenas[FRAMES].read(at, $bytes).0 as u64,
                    None => leave!(Exit::Undefined),
                };
                if M::ACTIVE {
                    monitor.memory(0, MemoryEvent::Load(Place { region: FRAMES, at }, $bytes), View(memory));
                }
                set!($dst, value)
            }};
        }
        macro_rules! store_local {
            ($src:expr, $offset:expr, $bytes:expr, $store:ident) => {{
                let at = local + $offset as usize;
                if M::ACTIVE {
                    monitor.memory(0, MemoryEvent::Store(Place { region: FRAMES, at }, $bytes), View(memory));
                }
                memory.arenas[FRAMES].$store(at, get!($src));
            }};
        }
        macro_rules! checked {
            ($dst:expr, $a:expr, $b:expr, $ty:ty, $op:ident, $sign:expr) => {{
                let (a, b) = (get!($a) as $ty, get!($b) as $ty);
                let (value, overflow) = a.$op(b);
                if overflow {
                    let message = format!("{a} {} {b} does not fit in {} bits", $sign, <$ty>::BITS);
                    leave!(fault(FaultKind::SignedOverflow, message));
                }
                set!($dst, int::low(value as u64, <$ty>::BITS))
            }};
        }
        macro_rules! shift {
            ($dst:expr, $a:expr, $b:expr, $width:expr, $compute:expr) => {{
                let by = get!($b);
                if by >= $width {
                    leave!(fault(FaultKind::BadShift, int::bad_shift(by, $width)));
                }
                set!($dst, $compute(get!($a), by as u32))
            }};
        }

        // Several at once: `pc` is at the one that may go wrong.
        macro_rules! branch {
            ($dst:expr, $holds:expr, $then:expr, $otherwise:expr) => {{
                let holds: bool = $holds;
                set!($dst, u64::from(holds));
                pc += 1;
                branches += 1;
                jump!(if holds { $then } else { $otherwise })
            }};
        }
        // Mostly a block ends behind an access.
        macro_rules! and_jump {
            () => {
                if let Some(Instr::Jump { target }) = instrs.get(pc + 1) {
                    pc += 1;
                    jump!(*target)
                }
            };
        }
        // Mostly a character becomes an `int`.
        macro_rules! and_widen {
            ($dst:expr) => {
                if !M::ACTIVE
                    && !CAREFUL
                    && let Some(Instr::SExt { dst, a, from: 8, to: 32 }) = instrs.get(pc + 1)
                    && *a == $dst as Reg
                {
                    pc += 1;
                    set!(*dst, u64::from(i32::from(get!(*a) as u8 as i8) as u32));
                }
            };
        }
        macro_rules! scaled {
            ($dst:expr, $a:expr, $b:expr, $scale:expr) => {{
                let from = get!($a);
                let to = from.wrapping_add(get!($b).wrapping_mul(u64::from($scale)));
                set!($dst, to);
                if ((from ^ to) >> HEAP_SHIFT != 0 || from >= ARRAYS_END && (from ^ to) >> CELL_SHIFT != 0)
                    && let Some(access) = crossing::left(memory, code, pc, (from, to), $dst as Reg, window)
                {
                    if M::ACTIVE {
                        crossed = Some((access.pc, from));
                        pc += 1;
                        continue;
                    }
                    pc = access.pc;
                    let crossing::Access { address, bytes, write, .. } = access;
                    leave!(Exit::Trouble(Trouble::Elsewhere { from, address, bytes, write }));
                }
            }};
        }
        macro_rules! at {
            ($via:expr, $a:expr, $offset:expr) => {{
                set!($via, get!($a).wrapping_add(i64::from($offset) as u64));
                pc += 1;
            }};
        }

        // An access behind the computation of its address, and what mostly follows it.
        macro_rules! load_at {
            ($via:expr, $a:expr, $offset:expr, $dst:expr, $bytes:expr, $load:ident $(, $then:ident)?) => {{
                at!($via, $a, $offset);
                load!($dst, $via, $bytes, $load);
                $($then!();)?
            }};
        }
        macro_rules! store_at {
            ($via:expr, $a:expr, $offset:expr, $src:expr, $bytes:expr, $store:ident $(, $then:ident)?) => {{
                at!($via, $a, $offset);
                store!($src, $via, $bytes, $store);
                $($then!();)?
            }};
        }
        macro_rules! load_indexed {
            ($via:expr, $a:expr, $b:expr, $scale:expr, $dst:expr, $bytes:expr, $load:ident) => {{
                scaled!($via, $a, $b, $scale);
                pc += 1;
                load!($dst, $via, $bytes, $load);
            }};
        }
        macro_rules! store_indexed {
            ($via:expr, $a:expr, $b:expr, $scale:expr, $src:expr, $bytes:expr, $store:ident) => {{
                scaled!($via, $a, $b, $scale);
                pc += 1;
                store!($src, $via, $bytes, $store);
                and_jump!();
            }};
        }
        // The index is computed by the instruction before.
        macro_rules! index {
            ($index:expr, $value:expr) => {{
                set!($index, $value);
                pc += 1;
            }};
        }

        loop {
            let Some(instr) = instrs.get(pc) else {
                leave!(fault(FaultKind::Unreachable, "the function has no more instructions"))
            };
            if M::ACTIVE && !std::mem::take(&mut told) {
                let site = Site { function, pc: pc as u32 };
                monitor.step(Step { site, depth, code, instr, registers: window, view: View(memory) });
            }
            if CAREFUL {
                let mut shadow = undefined::Masks { masks: &mut *shadow, dirty: &mut *dirty, base };
                match undefined::before(code, instr, window, &mut shadow, memory, local) {
                    Ok(None) => {}
                    Ok(Some((region, at, bytes))) => {
                        if M::ACTIVE {
                            monitor.memory(0, MemoryEvent::Store(Place { region, at }, bytes), View(memory));
                        }
                        pc += 1;
                        continue;
                    }
                    Err(trouble) => leave!(Exit::Trouble(trouble)),
                }
            }
            match *instr {
                Instr::LoadLocal32 { dst, offset } => load_local!(dst, offset, 4, load32),
                Instr::LoadLocal64 { dst, offset } => load_local!(dst, offset, 8, load64),
                Instr::LoadLocal8 { dst, offset } => load_local!(dst, offset, 1, load8),
                Instr::LoadLocal16 { dst, offset } => load_local!(dst, offset, 2, load16),
                Instr::StoreLocal32 { src, offset } => store_local!(src, offset, 4, store32),
                Instr::StoreLocal64 { src, offset } => store_local!(src, offset, 8, store64),
                Instr::StoreLocal8 { src, offset } => store_local!(src, offset, 1, store8),
                Instr::StoreLocal16 { src, offset } => store_local!(src, offset, 2, store16),
                Instr::Begin { offset, size } => {
                    let (at, len) = (local + offset as usize, size as usize);
                    memory.arenas[FRAMES].defined[at..at + len].fill(0);
                    if M::ACTIVE {
                        let event = MemoryEvent::Set(Place { region: FRAMES, at }, u64::from(size));
                        monitor.memory(0, event, View(memory));
                    }
                }
                Instr::Life { address, size } => memory.set_life(get!(address), u64::from(size)),
                Instr::Load8 { dst, ptr } => {
                    load!(dst, ptr, 1, load8);
                    and_widen!(dst);
                }
                Instr::Load16 { dst, ptr } => load!(dst, ptr, 2, load16),
                Instr::Load32 { dst, ptr } => load!(dst, ptr, 4, load32),
                Instr::Load64 { dst, ptr } => load!(dst, ptr, 8, load64),
                Instr::Store8 { src, ptr } => store!(src, ptr, 1, store8),
                Instr::Store16 { src, ptr } => store!(src, ptr, 2, store16),
                Instr::Store32 { src, ptr } => store!(src, ptr, 4, store32),
                Instr::Store64 { src, ptr } => store!(src, ptr, 8, store64),
                Instr::Offset { dst, a, offset } => set!(dst, get!(a).wrapping_add(i64::from(offset) as u64)),
                Instr::Scaled { dst, a, b, scale } => scaled!(dst, a, b, scale),
                Instr::Move { dst, src } => set!(dst, get!(src)),
                Instr::MoveWide { dst, src, count } => {
                    let (src, count) = (src as usize, count as usize);
                    window.copy_within(src..src + count, dst as usize);
                }
                Instr::Branch { cond, then, otherwise } => {
                    branches += 1;
                    let target = if get!(cond) & 1 != 0 { then } else { otherwise };
                    if M::ACTIVE {
                        monitor.branch(target);
                    }
                    jump!(target)
                }
                Instr::Jump { target } => jump!(target),
                Instr::Switch { value, table } => {
                    branches += 1;
                    let target = code.switches[table as usize].target(get!(value));
                    if M::ACTIVE {
                        monitor.branch(target);
                    }
                    jump!(target)
                }
                Instr::Add32 { dst, a, b } => set!(dst, int::low(get!(a).wrapping_add(get!(b)), 32)),
                Instr::Add64 { dst, a, b } => set!(dst, get!(a).wrapping_add(get!(b))),
                Instr::Sub32 { dst, a, b } => set!(dst, int::low(get!(a).wrapping_sub(get!(b)), 32)),
                Instr::Sub64 { dst, a, b } => set!(dst, get!(a).wrapping_sub(get!(b))),
                Instr::Mul32 { dst, a, b } => set!(dst, int::low(get!(a).wrapping_mul(get!(b)), 32)),
                Instr::Mul64 { dst, a, b } => set!(dst, get!(a).wrapping_mul(get!(b))),
                Instr::AddS32 { dst, a, b } => checked!(dst, a, b, i32, overflowing_add, "+"),
                Instr::AddS64 { dst, a, b } => checked!(dst, a, b, i64, overflowing_add, "+"),
                Instr::SubS32 { dst, a, b } => checked!(dst, a, b, i32, overflowing_sub, "-"),
                Instr::SubS64 { dst, a, b } => checked!(dst, a, b, i64, overflowing_sub, "-"),
                Instr::MulS32 { dst, a, b } => checked!(dst, a, b, i32, overflowing_mul, "*"),
                Instr::MulS64 { dst, a, b } => checked!(dst, a, b, i64, overflowing_mul, "*"),
                Instr::And { dst, a, b } => set!(dst, get!(a) & get!(b)),
                Instr::Or { dst, a, b } => set!(dst, get!(a) | get!(b)),
                Instr::Xor { dst, a, b } => set!(dst, get!(a) ^ get!(b)),
                Instr::Shl32 { dst, a, b } => shift!(dst, a, b, 32, |a: u64, by: u32| int::low(a << by, 32)),
                Instr::Shl64 { dst, a, b } => shift!(dst, a, b, 64, |a: u64, by: u32| a << by),
                Instr::ShlS { width, dst, a, b } => {
                    let (value, by) = (get!(a), get!(b));
                    if by >= u64::from(width) {
                        leave!(fault(FaultKind::BadShift, int::bad_shift(by, u64::from(width))));
                    }
                    let result = int::low(value << by, u32::from(width));
                    if int::shifts_out(value, result, by, width) {
                        if strict {
                            let message =
                                format!("{} << {by} as a signed number of {width} bits", sign(value, width));
                            leave!(fault(FaultKind::BadShift, message));
                        }
                        tolerated += 1;
                    }
                    set!(dst, result)
                }
                Instr::LShr32 { dst, a, b } => shift!(dst, a, b, 32, |a: u64, by: u32| a >> by),
                Instr::LShr64 { dst, a, b } => shift!(dst, a, b, 64, |a: u64, by: u32| a >> by),
                Instr::AShr32 { dst, a, b } => {
                    shift!(dst, a, b, 32, |a: u64, by: u32| u64::from((a as u32 as i32 >> by) as u32))
                }
                Instr::AShr64 { dst, a, b } => {
                    shift!(dst, a, b, 64, |a: u64, by: u32| (a as i64 >> by) as u64)
                }
                Instr::Eq { dst, a, b } => set!(dst, u64::from(get!(a) == get!(b))),
                Instr::Ne { dst, a, b } => set!(dst, u64::from(get!(a) != get!(b))),
                Instr::Ult { dst, a, b } => set!(dst, u64::from(get!(a) < get!(b))),
                Instr::Ule { dst, a, b } => set!(dst, u64::from(get!(a) <= get!(b))),
                Instr::Slt32 { dst, a, b } => set!(dst, u64::from((get!(a) as i32) < get!(b) as i32)),
                Instr::Sle32 { dst, a, b } => set!(dst, u64::from(get!(a) as i32 <= get!(b) as i32)),
                Instr::Slt64 { dst, a, b } => set!(dst, u64::from((get!(a) as i64) < get!(b) as i64)),
                Instr::Sle64 { dst, a, b } => set!(dst, u64::from(get!(a) as i64 <= get!(b) as i64)),
                Instr::SltN { width, or_equal, dst, a, b } => {
                    let (a, b) = (sign(get!(a), width), sign(get!(b), width));
                    set!(dst, u64::from(if or_equal { a <= b } else { a < b }))
                }
                Instr::Trunc { dst, a, width } => set!(dst, int::low(get!(a), u32::from(width))),
                Instr::SExt { dst, a, from, to } => {
                    set!(dst, int::low(sign(get!(a), from) as u64, u32::from(to)))
                }
                Instr::Int { op, width, nsw, dst, a, b } => {
                    match int::binary(op, width, nsw, get!(a), get!(b)) {
                        Ok(value) => set!(dst, value),
                        Err((kind, message)) => leave!(fault(kind, message)),
                    }
                }
                Instr::FBin64 { op, dst, a, b } => set!(dst, float::binary64(op, get!(a), get!(b))),
                Instr::FBin32 { op, dst, a, b } => set!(dst, float::binary32(op, get!(a), get!(b))),
                Instr::FCmp64 { predicate, dst, a, b } => {
                    let order = f64::from_bits(get!(a)).partial_cmp(&f64::from_bits(get!(b)));
                    set!(dst, u64::from(float::holds(predicate, order)))
                }
                Instr::FCmp32 { predicate, dst, a, b } => {
                    let order = f32::from_bits(get!(a) as u32).partial_cmp(&f32::from_bits(get!(b) as u32));
                    set!(dst, u64::from(float::holds(predicate, order)))
                }
                Instr::Unreachable => {
                    leave!(fault(FaultKind::Unreachable, "code that is marked as unreachable was reached"))
                }
                Instr::Call { site } if !M::ACTIVE && !CAREFUL => {
                    let site = &code.calls[site as usize];
                    machine.frames[depth].pc = pc as u32;
                    let Some(function) = machine.plain_callee(site) else { leave!(Exit::Cold) };
                    machine.statistics.branches += branches;
                    machine.statistics.tolerated += tolerated;
                    steps += (pc - start) as u64 + 1;
                    if let Err(trouble) = machine.enter_checked(function, site) {
                        return (steps, Exit::Trouble(trouble));
                    }
                    if steps >= budget {
                        return (steps, Exit::Slice);
                    }
                    continue 'frame;
                }
                Instr::Return { src, count } if !M::ACTIVE && !CAREFUL => {
                    machine.frames[depth].pc = pc as u32;
                    if !machine.leave_plainly(src, count) {
                        leave!(Exit::Cold)
                    }
                    machine.statistics.branches += branches;
                    machine.statistics.tolerated += tolerated;
                    steps += (pc - start) as u64 + 1;
                    if steps >= budget {
                        return (steps, Exit::Slice);
                    }
                    continue 'frame;
                }
                Instr::Call { .. } | Instr::Return { .. } | Instr::Complex { .. } => leave!(Exit::Cold),
                Instr::LoadAt8 { via, a, dst, offset } => load_at!(via, a, offset, dst, 1, load8),
                Instr::LoadAt16 { via, a, dst, offset } => load_at!(via, a, offset, dst, 2, load16),
                Instr::LoadAt32 { via, a, dst, offset } => load_at!(via, a, offset, dst, 4, load32, and_jump),
                Instr::LoadAt64 { via, a, dst, offset } => load_at!(via, a, offset, dst, 8, load64, and_jump),
                Instr::StoreAt8 { via, a, src, offset } => store_at!(via, a, offset, src, 1, store8),
                Instr::StoreAt16 { via, a, src, offset } => store_at!(via, a, offset, src, 2, store16),
                Instr::StoreAt32 { via, a, src, offset } => {
                    store_at!(via, a, offset, src, 4, store32, and_jump)
                }
                Instr::StoreAt64 { via, a, src, offset } => {
                    store_at!(via, a, offset, src, 8, store64, and_jump)
                }
                Instr::LoadDeep32 { via, inner, a, dst, first, second } => {
                    at!(via, a, first);
                    load_at!(inner, via, second, dst, 4, load32);
                }
                Instr::LoadDeep64 { via, inner, a, dst, first, second } => {
                    at!(via, a, first);
                    load_at!(inner, via, second, dst, 8, load64, and_jump);
                }
                Instr::LoadIndexed8 { via, a, b, dst, scale } => {
                    load_indexed!(via, a, b, scale, dst, 1, load8)
                }
                Instr::LoadIndexed32 { via, a, b, dst, scale } => {
                    load_indexed!(via, a, b, scale, dst, 4, load32)
                }
                Instr::LoadIndexed64 { via, a, b, dst, scale } => {
                    load_indexed!(via, a, b, scale, dst, 8, load64)
                }
                Instr::StoreIndexed8 { via, a, b, src, scale } => {
                    store_indexed!(via, a, b, scale, src, 1, store8)
                }
                Instr::StoreIndexed32 { via, a, b, src, scale } => {
                    store_indexed!(via, a, b, scale, src, 4, store32)
                }
                Instr::StoreIndexed64 { via, a, b, src, scale } => {
                    store_indexed!(via, a, b, scale, src, 8, store64)
                }
                Instr::MoveScaled { index, b, dst, a, scale } => {
                    index!(index, get!(b));
                    scaled!(dst, a, index, scale);
                }
                Instr::WidenScaled { index, b, dst, a, scale } => {
                    index!(index, i64::from(get!(b) as u32 as i32) as u64);
                    scaled!(dst, a, index, scale);
                }
                Instr::MoveIndexed8 { index, b, via, a, dst, scale } => {
                    index!(index, get!(b));
                    load_indexed!(via, a, index, scale, dst, 1, load8);
                    and_widen!(dst);
                }
                Instr::WidenIndexed8 { index, b, via, a, dst, scale } => {
                    index!(index, i64::from(get!(b) as u32 as i32) as u64);
                    load_indexed!(via, a, index, scale, dst, 1, load8);
                    and_widen!(dst);
                }
                Instr::WidenIndexed32 { index, b, via, a, dst, scale } => {
                    index!(index, i64::from(get!(b) as u32 as i32) as u64);
                    load_indexed!(via, a, index, scale, dst, 4, load32);
                }
                Instr::WidenIndexed64 { index, b, via, a, dst, scale } => {
                    index!(index, i64::from(get!(b) as u32 as i32) as u64);
                    load_indexed!(via, a, index, scale, dst, 8, load64);
                }
                Instr::EqBranch { dst, a, b, then, otherwise } => {
                    branch!(dst, get!(a) == get!(b), then, otherwise)
                }
                Instr::NeBranch { dst, a, b, then, otherwise } => {
                    branch!(dst, get!(a) != get!(b), then, otherwise)
                }
                Instr::UltBranch { dst, a, b, then, otherwise } => {
                    branch!(dst, get!(a) < get!(b), then, otherwise)
                }
                Instr::UleBranch { dst, a, b, then, otherwise } => {
                    branch!(dst, get!(a) <= get!(b), then, otherwise)
                }
                Instr::Slt32Branch { dst, a, b, then, otherwise } => {
                    branch!(dst, (get!(a) as i32) < get!(b) as i32, then, otherwise)
                }
                Instr::Sle32Branch { dst, a, b, then, otherwise } => {
                    branch!(dst, get!(a) as i32 <= get!(b) as i32, then, otherwise)
                }
                Instr::Slt64Branch { dst, a, b, then, otherwise } => {
                    branch!(dst, (get!(a) as i64) < get!(b) as i64, then, otherwise)
                }
                Instr::Sle64Branch { dst, a, b, then, otherwise } => {
                    branch!(dst, get!(a) as i64 <= get!(b) as i64, then, otherwise)
                }
                Instr::Choose { dst, cond, then, otherwise } => {
                    set!(dst, if get!(cond) & 1 != 0 { get!(then) } else { get!(otherwise) })
                }
                Instr::Negate { dst, a, sign } => set!(dst, get!(a) ^ 1 << sign),
                Instr::FromInt { dst, a, width, signed, double } => {
                    let value = get!(a);
                    set!(dst, float::from_int(value, width, signed, double))
                }
                Instr::ToInt { dst, a, width, signed, double } => {
                    match float::to_int(get!(a), width, signed, double) {
                        Some(value) => set!(dst, value),
                        None => leave!(Exit::Cold),
                    }
                }
                Instr::Widen { dst, a } => {
                    let value = f32::from_bits(get!(a) as u32);
                    if value.is_nan() {
                        leave!(Exit::Cold);
                    }
                    set!(dst, f64::from(value).to_bits())
                }
                Instr::Narrow { dst, a } => {
                    let value = f64::from_bits(get!(a));
                    if value.is_nan() {
                        leave!(Exit::Cold);
                    }
                    set!(dst, u64::from((value as f32).to_bits()))
                }
                Instr::CopyBytes { to, from, len } => {
                    let (to, from, len) = (get!(to), get!(from), get!(len));
                    let apart = to == from || to.abs_diff(from) >= len;
                    let (source, target) = (memory.range(from, len, false), memory.range(to, len, true));
                    match (source, target) {
                        (Some(source), Some(target)) if apart && len > 0 => {
                            memory.copy(target, source, len as usize);
                        }
                        _ => leave!(Exit::Cold),
                    }
                }
                Instr::MoveJump { dst, src, target } => {
                    set!(dst, get!(src));
                    pc += 1;
                    jump!(target)
                }
            }
            pc += 1;
        }
    }
}
