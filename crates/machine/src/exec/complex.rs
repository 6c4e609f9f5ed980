//! The rare instructions.

use super::{Machine, assembly, big, cast, float, int, x86};
use crate::code::{Complex, Part, Scalar};
use crate::fault::{FaultKind, Trouble};
use crate::monitor::{MemoryEvent, Monitor, Place, View};
use hydrogen_ir::RmwOp;

impl<M: Monitor> Machine<'_, M> {
    pub(super) fn complex(&mut self, complex: &Complex) -> Result<(), Trouble> {
        let fault = |(kind, message): (FaultKind, String)| Trouble::Fault(kind, message);
        let no_format = || Trouble::Unsupported("a floating-point format of another machine".into());
        match complex {
            Complex::Select { dst, cond, then, otherwise, count } => {
                let from = if self.get(*cond) & 1 != 0 { *then } else { *otherwise };
                for index in 0..*count {
                    self.set(dst + index, self.get(from + index));
                    let mask = self.undefined_bits(from + index);
                    self.set_undefined(dst + index, mask);
                }
            }
            Complex::WideInt { op, width, nsw, dst, a, b } => {
                let (mut a, mut b) = (self.get_wide(*a, 2), self.get_wide(*b, 2));
                if int::reads_signed(*op, *nsw) {
                    a = int::sign_wide(a, *width);
                    if !int::shifts(*op) {
                        b = int::sign_wide(b, *width);
                    }
                }
                let value = int::wide_binary(*op, *width, *nsw, a, b).map_err(fault)?;
                self.set_wide(*dst, 2, int::low_wide(value, u32::from(*width)));
            }
            Complex::WideCompare { predicate, width, dst, a, b } => {
                let (a, b) = (self.get_wide(*a, 2), self.get_wide(*b, 2));
                self.set(*dst, u64::from(int::compare(*predicate, *width, a, b)));
            }
            Complex::BigInt { op, kind, dst, a, b } => {
                let (a, b) = (self.words(*a, *kind), self.words(*b, *kind));
                let unknown = || Trouble::Unsupported(format!("{op:?} of {} bits", kind.width()));
                let words = big::binary(*op, kind.width(), &a, &b).ok_or_else(unknown)?.map_err(fault)?;
                self.set_words(*dst, &words);
            }
            Complex::BigCompare { predicate, kind, dst, a, b } => {
                let (a, b) = (self.words(*a, *kind), self.words(*b, *kind));
                self.set(*dst, u64::from(big::compare(*predicate, kind.width(), &a, &b)));
            }
            Complex::BigCast { op, from, to, dst, src } => {
                let value = self.words(*src, *from);
                let unknown = || Trouble::Unsupported(format!("{op:?} of {} bits", from.width()));
                let words = big::cast(*op, from.width(), to.width(), &value).ok_or_else(unknown)?;
                self.set_words(*dst, &words);
            }
            Complex::Float { op, kind, dst, a, b } => {
                let count = kind.registers();
                let (a, b) = (self.get_wide(*a, count), self.get_wide(*b, count));
                let value = float::binary(*op, *kind, a, b).ok_or_else(no_format)?;
                self.set_wide(*dst, count, value);
            }
            Complex::FloatCompare { predicate, kind, dst, a, b } => {
                let count = kind.registers();
                let (a, b) = (self.get_wide(*a, count), self.get_wide(*b, count));
                let order = float::compare(*kind, a, b).ok_or_else(no_format)?;
                self.set(*dst, u64::from(float::holds(*predicate, order)));
            }
            Complex::FloatNegate { kind, dst, a } => {
                let count = kind.registers();
                let value = float::negate(*kind, self.get_wide(*a, count));
                self.set_wide(*dst, count, value);
            }
            Complex::Cast { op, from, to, src, .. } => {
                let value = self.get_wide(*src, from.registers());
                if !cast::fits(*op, *from, *to, value) && self.undefined_bits(*src) == 0 {
                    return Err(Trouble::Fault(FaultKind::BadConversion, cast::unfit(*from, *to, value)));
                }
                self.convert_anyway(complex);
                return Ok(());
            }
            Complex::Repack { from, to, dst, src, bytes } => {
                let mut buffer = vec![0u8; *bytes as usize + 16];
                for part in from {
                    let value = self.get_wide(src + part.register, part.scalar.registers());
                    let (at, len) = (part.offset as usize, part.scalar.bytes() as usize);
                    buffer[at..at + len].copy_from_slice(&value.to_le_bytes()[..len]);
                }
                for part in to {
                    let (at, len) = (part.offset as usize, part.scalar.bytes() as usize);
                    let mut value = [0; 16];
                    value[..len].copy_from_slice(buffer.get(at..at + len).unwrap_or(&[0; 16][..len]));
                    let value = u128::from_le_bytes(value);
                    self.set_wide(dst + part.register, part.scalar.registers(), value);
                }
            }
            Complex::Load { ptr, dst, parts } => {
                let address = self.get(*ptr);
                for part in parts {
                    let (value, undefined) = self.load_part(address, part)?;
                    let count = part.scalar.registers();
                    self.set_wide(dst + part.register, count, value);
                    self.set_undefined(dst + part.register, undefined as u64);
                    if count == 2 {
                        self.set_undefined(dst + part.register + 1, (undefined >> 64) as u64);
                    }
                }
            }
            Complex::Store { ptr, src, parts } => {
                let address = self.get(*ptr);
                for part in parts {
                    self.store_part(address, *src, part)?;
                }
            }
            Complex::Alloca { dst, count, size, align } => {
                let count = self.get(*count);
                let bytes = count.checked_mul(*size).filter(|bytes| *bytes <= self.limits.stack);
                let full = || format!("an array of {count} × {size} bytes does not fit on the stack");
                let bytes = bytes.ok_or_else(|| Trouble::Fault(FaultKind::StackExhausted, full()))?;
                let (address, _) = self.push_dynamic(bytes, *align)?;
                self.set(*dst, address);
            }
            Complex::ExtractElement { dst, vector, index, lanes, stride } => {
                let index = self.get(*index);
                if index >= u64::from(*lanes) {
                    return Err(lane(index, *lanes));
                }
                for word in 0..*stride {
                    let value = self.get(vector + index as u32 * stride + word);
                    self.set(dst + word, value);
                }
            }
            Complex::InsertElement { dst, vector, value, index, lanes, stride } => {
                let index = self.get(*index);
                if index >= u64::from(*lanes) {
                    return Err(lane(index, *lanes));
                }
                for word in 0..lanes * stride {
                    let value = self.get(vector + word);
                    self.set(dst + word, value);
                }
                for word in 0..*stride {
                    let value = self.get(value + word);
                    self.set(dst + index as u32 * stride + word, value);
                }
            }
            Complex::Rmw { op, kind, dst, ptr, value } => self.rmw(*op, *kind, *dst, *ptr, *value)?,
            Complex::CompareExchange { kind, dst, ptr, expected, new } => {
                let part = Part { scalar: *kind, offset: 0, register: 0 };
                let address = self.get(*ptr);
                let count = kind.registers();
                let (old, undefined) = self.load_part(address, &part)?;
                if undefined != 0 {
                    let message = "a value that was never written decides an exchange".into();
                    return Err(Trouble::Fault(FaultKind::UninitialisedRead, message));
                }
                let equal = old == self.get_wide(*expected, count);
                if equal {
                    self.store_part(address, *new, &part)?;
                }
                self.set_wide(*dst, count, old);
                self.set(dst + count, u64::from(equal));
            }
            Complex::Intrinsic { which, kind, dst, args, lanes } => {
                self.intrinsic(*which, *kind, *dst, args, *lanes)?
            }
            Complex::Packed { which, dst, result, args } => {
                let lanes = |(first, parts): &(u32, Vec<Part>)| x86::Lanes {
                    bits: parts.iter().map(|part| self.get(first + part.register)).collect(),
                    kind: parts.first().map_or(Scalar::Int(64), |part| part.scalar),
                };
                let args: Vec<x86::Lanes> = args.iter().map(lanes).collect();
                let values = x86::compute(*which, &args, result, self.statistics.steps);
                let values = values.ok_or_else(no_format)?;
                for (part, value) in result.iter().zip(values) {
                    self.set(dst + part.register, value);
                }
            }
            Complex::Assembly { which, outputs, places, inputs } => {
                let inputs: Vec<u64> = inputs.iter().map(|input| self.get(*input)).collect();
                let answers = assembly::compute(*which, &inputs, self.statistics.steps);
                for (output, place) in outputs.iter().zip(places) {
                    self.set(*output, answers[place % answers.len()]);
                }
            }
            Complex::AsmCopy { dst, src, count } => {
                if let Some(src) = src {
                    for index in 0..*count {
                        let value = self.get(src + index);
                        self.set(dst + index, value);
                    }
                }
            }
            Complex::Syscall { dst, args } => return self.system_call(*dst, args),
            Complex::ThreadPointer { dst } => self.set(*dst, self.thread_pointer),
            Complex::IndirectJump { address, targets } => {
                let function = self.site().function;
                let entry = self.program.function(function).address;
                let block = self.get(*address).wrapping_sub(entry + 1);
                let target = targets.iter().find(|(number, _)| u64::from(*number) == block);
                let message = || "a jump to something that is no label here".to_owned();
                let (_, target) = target.ok_or_else(|| Trouble::Fault(FaultKind::BadCall, message()))?;
                if M::ACTIVE {
                    self.monitor.branch(*target);
                }
                if let Some(frame) = self.frames.last_mut() {
                    frame.pc = *target;
                }
                return Ok(());
            }
            Complex::Unsupported { what } => return Err(Trouble::Unsupported(what.clone())),
        }
        self.next();
        Ok(())
    }

    /// A conversion; what does not fit becomes what x86 makes of it.
    pub(super) fn convert_anyway(&mut self, complex: &Complex) {
        if let Complex::Cast { op, from, to, dst, src } = complex {
            let value = self.get_wide(*src, from.registers());
            if let Some(value) = cast::cast(*op, *from, *to, value) {
                self.set_wide(*dst, to.registers(), value);
            }
        }
        self.next();
    }

    fn words(&self, first: u32, kind: Scalar) -> Vec<u64> {
        (first..first + kind.registers()).map(|reg| self.get(reg)).collect()
    }

    fn set_words(&mut self, first: u32, words: &[u64]) {
        for (index, word) in words.iter().enumerate() {
            self.set(first + index as u32, *word);
        }
    }

    /// Reads a part of a value: its bits and which of them are undefined.
    pub(super) fn load_part(&mut self, address: u64, part: &Part) -> Result<(u128, u128), Trouble> {
        let (address, bytes) = (address.wrapping_add(u64::from(part.offset)), part.scalar.bytes());
        let access = || Trouble::Access { address, bytes: u64::from(bytes), write: false };
        let (region, at) = self.memory.find(address, bytes, false).ok_or_else(access)?;
        if M::ACTIVE {
            self.monitor.memory(
                address,
                MemoryEvent::Load(Place { region, at }, u64::from(bytes)),
                View(&self.memory),
            );
        }
        let (value, defined) = self.memory.arenas[region].read(at, bytes as usize);
        let width = part.scalar.width();
        Ok((int::low_wide(value, width), int::low_wide(!defined, width)))
    }

    /// Writes a part of a value that starts at register `src`.
    pub(super) fn store_part(&mut self, address: u64, src: u32, part: &Part) -> Result<(), Trouble> {
        let (address, bytes) = (address.wrapping_add(u64::from(part.offset)), part.scalar.bytes());
        let access = || Trouble::Access { address, bytes: u64::from(bytes), write: true };
        let (region, at) = self.memory.find(address, bytes, true).ok_or_else(access)?;
        if M::ACTIVE {
            self.monitor.memory(
                address,
                MemoryEvent::Store(Place { region, at }, u64::from(bytes)),
                View(&self.memory),
            );
        }
        let first = src + part.register;
        let value = self.get_wide(first, part.scalar.registers());
        let mut undefined = u128::from(self.undefined_bits(first));
        if part.scalar.registers() == 2 {
            undefined |= u128::from(self.undefined_bits(first + 1)) << 64;
        }
        self.memory.arenas[region].write(at, bytes as usize, value, !undefined);
        Ok(())
    }

    fn rmw(&mut self, op: RmwOp, kind: Scalar, dst: u32, ptr: u32, value: u32) -> Result<(), Trouble> {
        let part = Part { scalar: kind, offset: 0, register: 0 };
        let address = self.get(ptr);
        let count = kind.registers();
        let (old, undefined) = self.load_part(address, &part)?;
        let with = self.get_wide(value, count);
        let width = kind.width() as u8;
        let signed = |value: u128| int::sign_wide(value, width) as i128;
        let float = |op| float::binary(op, kind, old, with).unwrap_or(0);
        let new = match op {
            RmwOp::Xchg => with,
            RmwOp::Add => old.wrapping_add(with),
            RmwOp::Sub => old.wrapping_sub(with),
            RmwOp::And => old & with,
            RmwOp::Nand => !(old & with),
            RmwOp::Or => old | with,
            RmwOp::Xor => old ^ with,
            RmwOp::Max => {
                if signed(old) > signed(with) {
                    old
                } else {
                    with
                }
            }
            RmwOp::Min => {
                if signed(old) < signed(with) {
                    old
                } else {
                    with
                }
            }
            RmwOp::UMax => old.max(with),
            RmwOp::UMin => old.min(with),
            RmwOp::FAdd => float(hydrogen_ir::BinaryOp::FAdd),
            RmwOp::FSub => float(hydrogen_ir::BinaryOp::FSub),
            RmwOp::UIncWrap => {
                if old >= with {
                    0
                } else {
                    old + 1
                }
            }
            RmwOp::UDecWrap => {
                if old == 0 || old > with {
                    with
                } else {
                    old - 1
                }
            }
            RmwOp::FMax | RmwOp::FMin | RmwOp::Other => {
                return Err(Trouble::Unsupported("this atomic operation".into()));
            }
        };
        // The new value goes through the register of the result, where it is replaced by the old one.
        self.set_wide(dst, count, int::low_wide(new, kind.width()));
        let spoiled = if op != RmwOp::Xchg && undefined != 0 { u64::MAX } else { self.undefined_bits(value) };
        self.set_undefined(dst, spoiled);
        self.store_part(address, dst, &part)?;
        self.set_wide(dst, count, old);
        self.set_undefined(dst, undefined as u64);
        Ok(())
    }
}

fn lane(index: u64, lanes: u32) -> Trouble {
    Trouble::Fault(FaultKind::OutOfBoundsRead, format!("lane {index} of a vector of {lanes}"))
}
