//! The rare instructions, as terms.

use crate::concolic::{Concolic, Pending};
use crate::copies::Filling;
use crate::frames::Registers;
use crate::ops::{NO_FLOAT, binary, kind_of};
use crate::path::Kind;
use hydrogen_ir::CastOp;
use hydrogen_machine::Step;
use hydrogen_machine::code::{Complex, Intrinsic, Part, Reg, Role};
use hydrogen_semantics::{self as semantics, Kind as Values};
use hydrogen_term::{Pool, Term};

const EXIT: u64 = 60;
const EXIT_GROUP: u64 = 231;

impl Concolic<'_> {
    pub(crate) fn complex(&mut self, step: &Step<'_>, index: u32) {
        let complex = &step.code.complex[index as usize];
        (self.pending, self.pointer) = (Pending::Nothing, None);
        match complex {
            Complex::Load { ptr, dst, parts } => {
                self.concretise_register(*ptr, step.registers, "the address of a read of several parts");
                return self.pending = Pending::LoadParts(*dst, parts.iter().rev().copied().collect());
            }
            Complex::Store { ptr, src, parts } => {
                self.concretise_register(*ptr, step.registers, "the address of a write of several parts");
                return self.pending = Pending::StoreParts(self.parts(step, *src, parts));
            }
            _ => {}
        }
        if !self.reads_input(step) || !self.in_focus {
            return self.clear_results(step.code, step.instr);
        }
        if self.asks_whether() {
            return self.hide_complex(step, complex);
        }
        match complex {
            Complex::Intrinsic {
                which: which @ (Intrinsic::MemCpy | Intrinsic::MemMove | Intrinsic::MemSet),
                args,
                ..
            } if self.copies_by_intrinsic(*which, args, step) => {
                return self.clear_results(step.code, step.instr);
            }
            Complex::Intrinsic { which: Intrinsic::MemCpy | Intrinsic::MemMove, args, .. } => {
                self.pointer = args.get(1).and_then(|from| self.take_source(*from, step.registers));
            }
            Complex::Intrinsic { which: Intrinsic::MemSet, args, .. } => {
                if let Some(byte) = args.get(1).and_then(|byte| self.take_source(*byte, step.registers)) {
                    self.pending = Pending::Fill(self.pool.resize_unsigned(byte.0, 8));
                }
            }
            _ => {}
        }
        if self.follow(step, complex).is_none() {
            let why = match complex {
                Complex::Syscall { .. } => "an argument of a system call",
                Complex::Alloca { .. } => "the size of an array",
                Complex::Rmw { .. } | Complex::CompareExchange { .. } => "an atomic operation",
                Complex::ExtractElement { .. } | Complex::InsertElement { .. } => "the number of a lane",
                Complex::Float { .. } | Complex::FloatCompare { .. } | Complex::Cast { .. } => NO_FLOAT,
                Complex::Intrinsic {
                    which: Intrinsic::MemCpy | Intrinsic::MemMove | Intrinsic::MemSet,
                    ..
                } => "the length of a copy",
                _ => "an operation that has no terms here",
            };
            let sizes = ["an argument of a system call", "the size of an array", "the length of a copy"];
            match sizes.contains(&why) {
                true => {
                    for reg in Self::reads(step) {
                        self.decide_size(reg, step.registers, why);
                    }
                }
                false => self.concretise_reads(step, why),
            }
            self.clear_results(step.code, step.instr);
        }
    }

    fn copies_by_intrinsic(&mut self, which: Intrinsic, args: &[Reg], step: &Step<'_>) -> bool {
        let filling = match which {
            Intrinsic::MemCpy => Filling::Apart,
            Intrinsic::MemMove => Filling::Bytes,
            _ => Filling::Byte,
        };
        args.first_chunk().is_some_and(|args| self.copies(filling, *args, step))
    }

    pub(crate) fn reads_input(&self, step: &Step<'_>) -> bool {
        let Some(frame) = self.frames.last().filter(|frame| frame.is_symbolic()) else { return false };
        let mut symbolic = false;
        step.code.accesses(step.instr, &mut |access| {
            let mut regs = access.first..access.first + access.count;
            symbolic |= access.role != Role::Result && regs.any(|reg| frame.get(reg).is_some());
        });
        symbolic
    }

    /// The terms of the parts of a value that depend on the input, from the last to the first.
    fn parts(&mut self, step: &Step<'_>, src: Reg, parts: &[Part]) -> Vec<Option<Term>> {
        let registers = Registers { frame: self.frames.last(), values: step.registers };
        let pool = &mut self.pool;
        let term = |part: &Part| {
            let first = src + part.register;
            let symbolic = (first..first + part.scalar.registers()).any(|reg| registers.term(reg).is_some());
            symbolic.then(|| registers.read(pool, first, part.scalar.width().min(128)))
        };
        parts.iter().rev().map(term).collect()
    }

    /// Follows the input through the instruction; `None` when there are no terms for it.
    fn follow(&mut self, step: &Step<'_>, complex: &Complex) -> Option<()> {
        let registers = Registers { frame: self.frames.last(), values: step.registers };
        let pool = &mut self.pool;
        match complex {
            Complex::Select { dst, cond, then, otherwise, count } => {
                let bit = registers.read(pool, *cond, 1);
                let holds = pool.bits_to_bool(bit);
                let mut results = Vec::new();
                for index in 0..*count {
                    let a = registers.read(pool, then + index, 64);
                    let b = registers.read(pool, otherwise + index, 64);
                    results.push(pool.ite(holds, a, b));
                }
                (*dst..).zip(results).for_each(|(reg, term)| self.set(reg, Some(term)));
            }
            Complex::WideInt { op, width, nsw, dst, a, b } => {
                let width = u32::from(*width);
                let (a, b) = (registers.read(pool, *a, width), registers.read(pool, *b, width));
                let (value, fine) = binary(pool, *op, *nsw, a, b)?;
                if let Some(fine) = fine {
                    self.require(fine, Kind::NoFault);
                }
                self.set_wide(*dst, value);
            }
            Complex::WideCompare { predicate, width, dst, a, b } => {
                let width = u32::from(*width);
                let (a, b) = (registers.read(pool, *a, width), registers.read(pool, *b, width));
                let holds = semantics::compare(pool, *predicate, a, b);
                let bit = pool.bool_to_bits(holds, 1);
                self.set(*dst, Some(bit));
            }
            Complex::Float { op, kind, dst, a, b } => {
                let Values::Float(format) = kind_of(*kind)? else { return None };
                let width = format.width();
                let (a, b) = (registers.read(pool, *a, width), registers.read(pool, *b, width));
                let value = semantics::float_binary(pool, *op, format, a, b)?;
                self.set_wide(*dst, value);
            }
            Complex::FloatCompare { predicate, kind, dst, a, b } => {
                let Values::Float(format) = kind_of(*kind)? else { return None };
                let width = format.width();
                let (a, b) = (registers.read(pool, *a, width), registers.read(pool, *b, width));
                let holds = semantics::float_compare(pool, *predicate, format, a, b)?;
                let bit = pool.bool_to_bits(holds, 1);
                self.set(*dst, Some(bit));
            }
            Complex::FloatNegate { kind, dst, a } => {
                let value = registers.read(pool, *a, kind.width());
                let value = semantics::float_negated(pool, value);
                self.set_wide(*dst, value);
            }
            Complex::Cast { op, from, to, dst, src } => {
                let (source, target) = (kind_of(*from)?, kind_of(*to)?);
                let value = registers.read(pool, *src, source.width());
                let signed = match op {
                    CastOp::FpToSi => Some(true),
                    CastOp::FpToUi => Some(false),
                    _ => None,
                };
                let fine = match (signed, source, target) {
                    (Some(signed), Values::Float(from), Values::Int(width)) => {
                        semantics::fits(pool, signed, from, width, value)
                    }
                    _ => None,
                };
                let value = semantics::cast(pool, *op, source, target, value)?;
                if let Some(fine) = fine {
                    self.require(fine, Kind::NoFault);
                }
                (*dst..dst + to.registers()).for_each(|reg| self.set(reg, None));
                self.set_wide(*dst, value);
            }
            Complex::Repack { from, to, dst, src, .. } => {
                let bytes = unpack(pool, &registers, from, *src)?;
                let mut results = Vec::new();
                for part in to {
                    results.push((part.register, pack(pool, &bytes, part)?));
                }
                for (register, term) in results {
                    self.set_wide(dst + register, term);
                }
            }
            Complex::ExtractElement { dst, vector, index, lanes: _, stride } => {
                if registers.term(*index).is_some() {
                    return None;
                }
                let first = vector + registers.value(*index) as u32 * stride;
                let terms: Vec<Option<Term>> =
                    (first..first + stride).map(|reg| registers.term(reg)).collect();
                (*dst..).zip(terms).for_each(|(reg, term)| self.set(reg, term));
            }
            Complex::InsertElement { dst, vector, value, index, lanes, stride } => {
                if registers.term(*index).is_some() {
                    return None;
                }
                let all = lanes * stride;
                let mut terms: Vec<Option<Term>> =
                    (*vector..vector + all).map(|reg| registers.term(reg)).collect();
                let first = registers.value(*index) as u32 * stride;
                for word in 0..*stride {
                    *terms.get_mut((first + word) as usize)? = registers.term(value + word);
                }
                (*dst..).zip(terms).for_each(|(reg, term)| self.set(reg, term));
            }
            Complex::AsmCopy { dst, src: Some(src), count } => {
                let terms: Vec<Option<Term>> = (*src..src + count).map(|reg| registers.term(reg)).collect();
                (*dst..).zip(terms).for_each(|(reg, term)| self.set(reg, term));
            }
            Complex::Intrinsic { which, kind, dst, args, lanes } => {
                let values = kind_of(*kind).filter(|_| *lanes <= 1)?;
                let args: Vec<Term> =
                    args.iter().map(|&arg| registers.read(pool, arg, values.width())).collect();
                let computed = semantics::intrinsic(pool, *which, values, &args)?;
                let overflow = computed.overflow.map(|overflow| pool.bool_to_bits(overflow, 1));
                self.clear_results(step.code, step.instr);
                self.set_wide(*dst, computed.value);
                if let Some(overflow) = overflow {
                    self.set(dst + kind.registers(), Some(overflow));
                }
            }
            Complex::Syscall { args, .. } => {
                let status = *args.get(1)?;
                let exits = registers.value(args[0]) == EXIT_GROUP || registers.value(args[0]) == EXIT;
                if !exits || registers.term(args[0]).is_some() || registers.term(status).is_none() {
                    return None;
                }
                self.status = Some(registers.read(pool, status, 8));
            }
            Complex::IndirectJump { address, .. } => {
                self.go_to(*address, step.registers, "the address of a label");
            }
            _ => return None,
        }
        Some(())
    }
}

/// The bytes of a value of several parts, by their place in memory.
fn unpack(pool: &mut Pool, registers: &Registers<'_>, parts: &[Part], src: Reg) -> Option<Vec<Option<Term>>> {
    let mut bytes = Vec::new();
    for part in parts {
        let width = part.scalar.width();
        if !width.is_multiple_of(8) || width > 128 {
            return None;
        }
        let value = registers.read(pool, src + part.register, width);
        for byte in 0..width / 8 {
            let at = (part.offset + byte) as usize;
            if bytes.len() <= at {
                bytes.resize(at + 1, None);
            }
            bytes[at] = Some(pool.extract(value, byte * 8 + 7, byte * 8));
        }
    }
    Some(bytes)
}

fn pack(pool: &mut Pool, bytes: &[Option<Term>], part: &Part) -> Option<Term> {
    let width = part.scalar.width();
    if !width.is_multiple_of(8) || width > 128 {
        return None;
    }
    let mut value: Option<Term> = None;
    for byte in 0..width / 8 {
        let at = (part.offset + byte) as usize;
        let term = bytes.get(at).copied().flatten().unwrap_or_else(|| pool.bits(8, 0));
        value = Some(match value {
            None => term,
            Some(low) => pool.concat(term, low),
        });
    }
    value
}
