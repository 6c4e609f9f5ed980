//! Arithmetic, comparisons, conversions, loads and stores.

use super::decode::{Decoder, Value};
use super::instr::{Complex, Instr, Reg};
use super::locals::is_plain;
use super::scalar::{Scalar, in_memory};
use hydrogen_ir::{BinaryOp, CastOp, FloatKind, FloatPredicate, InstructionId, IntPredicate, Op};

impl Decoder<'_> {
    /// Decodes an instruction that ends no block; `None` when its types are beyond the machine.
    pub(super) fn operation(&mut self, id: InstructionId, op: &Op) -> Option<()> {
        match op {
            Op::Unary { value, .. } => {
                let (value, result) = (self.operand(value)?, self.result()?);
                for (part, from) in result.parts.iter().zip(&value.parts) {
                    let (dst, a) = (result.first + part.register, value.first + from.register);
                    self.complex(Complex::FloatNegate { kind: part.scalar, dst, a });
                }
            }
            Op::Binary { op, left, right, flags, .. } => {
                let (left, right, result) = (self.operand(left)?, self.operand(right)?, self.result()?);
                for (index, part) in result.parts.iter().enumerate() {
                    let dst = result.first + part.register;
                    let a = left.first + left.parts.get(index)?.register;
                    let b = right.first + right.parts.get(index)?.register;
                    match part.scalar {
                        Scalar::Int(width @ 1..=64) if *op == BinaryOp::Shl && flags.other => {
                            self.emit(Instr::ShlS { width: width as u8, dst, a, b });
                        }
                        scalar => self.binary(*op, scalar, flags.nsw, dst, a, b),
                    }
                }
            }
            Op::IntCompare { predicate, left, right } => {
                let (left, right, result) = (self.operand(left)?, self.operand(right)?, self.result()?);
                for (index, part) in result.parts.iter().enumerate() {
                    let from = left.parts.get(index)?;
                    let dst = result.first + part.register;
                    let a = left.first + from.register;
                    let b = right.first + right.parts.get(index)?.register;
                    self.compare(*predicate, from.scalar, dst, a, b);
                }
            }
            Op::FloatCompare { predicate, left, right, .. } => {
                let (left, right, result) = (self.operand(left)?, self.operand(right)?, self.result()?);
                for (index, part) in result.parts.iter().enumerate() {
                    let from = left.parts.get(index)?;
                    let dst = result.first + part.register;
                    let a = left.first + from.register;
                    let b = right.first + right.parts.get(index)?.register;
                    self.float_compare(*predicate, from.scalar, dst, a, b);
                }
            }
            Op::Cast { op, value, .. } => {
                let (value, result) = (self.operand(value)?, self.result()?);
                self.cast(*op, &value, &result)?;
            }
            Op::Freeze { value } => {
                let (value, result) = (self.operand(value)?, self.result()?);
                self.copy(result.first, value.first, result.registers());
            }
            Op::Alloca { ty, count, align } => {
                if self.locals.places[id.index()].is_none() {
                    let (count, dst) = (self.operand(count)?.first, self.result()?.first);
                    let size = self.module.types.layout(*ty)?.alloc_bytes;
                    self.complex(Complex::Alloca { dst, count, size, align: *align });
                }
            }
            Op::Load { pointer, .. } => self.load(pointer)?,
            Op::Store { value, pointer, .. } => self.store(value, pointer)?,
            Op::ElementAddress { source, base, indices, .. } => {
                self.element_address(id, *source, base, indices)?
            }
            Op::Call { callee, ty, arguments, attributes } => {
                self.call(callee, *ty, arguments, attributes)?
            }
            Op::Asm { asm, arguments, .. } => self.assembly(asm, arguments)?,
            Op::Fence { .. } => {}
            Op::CompareExchange { pointer, expected, new, .. } => {
                let (ptr, expected) = (self.operand(pointer)?.first, self.operand(expected)?);
                let (new, dst) = (self.operand(new)?.first, self.result()?.first);
                let kind = expected.scalar().filter(|kind| kind.width() <= 128)?;
                self.complex(Complex::CompareExchange { kind, dst, ptr, expected: expected.first, new });
            }
            Op::AtomicRmw { op, pointer, value, .. } => {
                let (ptr, value) = (self.operand(pointer)?.first, self.operand(value)?);
                let kind = value.scalar().filter(|kind| kind.width() <= 128)?;
                let dst = self.result()?.first;
                self.complex(Complex::Rmw { op: *op, kind, dst, ptr, value: value.first });
            }
            Op::VaArg { .. } => self.unsupported("va_arg as an instruction"),
            Op::Opaque { name, .. } => self.unsupported(format!("the instruction `{name}`")),
            op => self.parts_operation(op)?,
        }
        Some(())
    }

    pub(super) fn copy(&mut self, dst: Reg, src: Reg, count: u32) {
        match count {
            0 => {}
            1 => self.emit(Instr::Move { dst, src }),
            _ => self.emit(Instr::MoveWide { dst, src, count }),
        }
    }

    fn binary(&mut self, op: BinaryOp, kind: Scalar, nsw: bool, dst: Reg, a: Reg, b: Reg) {
        use BinaryOp::*;
        let width = match kind {
            Scalar::Float(FloatKind::Double) => return self.emit(Instr::FBin64 { op, dst, a, b }),
            Scalar::Float(FloatKind::Float) => return self.emit(Instr::FBin32 { op, dst, a, b }),
            Scalar::Float(_) => return self.complex(Complex::Float { op, kind, dst, a, b }),
            Scalar::Int(width) if width > 128 => {
                return self.complex(Complex::BigInt { op, kind, dst, a, b });
            }
            Scalar::Int(width) if width > 64 => {
                let width = width as u8;
                return self.complex(Complex::WideInt { op, width, nsw, dst, a, b });
            }
            Scalar::Int(width) => width as u8,
            Scalar::Pointer => 64,
        };
        self.emit(match (op, width, nsw) {
            (And, ..) => Instr::And { dst, a, b },
            (Or, ..) => Instr::Or { dst, a, b },
            (Xor, ..) => Instr::Xor { dst, a, b },
            (Add, 32, false) => Instr::Add32 { dst, a, b },
            (Add, 32, true) => Instr::AddS32 { dst, a, b },
            (Add, 64, false) => Instr::Add64 { dst, a, b },
            (Add, 64, true) => Instr::AddS64 { dst, a, b },
            (Sub, 32, false) => Instr::Sub32 { dst, a, b },
            (Sub, 32, true) => Instr::SubS32 { dst, a, b },
            (Sub, 64, false) => Instr::Sub64 { dst, a, b },
            (Sub, 64, true) => Instr::SubS64 { dst, a, b },
            (Mul, 32, false) => Instr::Mul32 { dst, a, b },
            (Mul, 32, true) => Instr::MulS32 { dst, a, b },
            (Mul, 64, false) => Instr::Mul64 { dst, a, b },
            (Mul, 64, true) => Instr::MulS64 { dst, a, b },
            (Shl, 32, false) => Instr::Shl32 { dst, a, b },
            (Shl, 64, false) => Instr::Shl64 { dst, a, b },
            (LShr, 32, _) => Instr::LShr32 { dst, a, b },
            (LShr, 64, _) => Instr::LShr64 { dst, a, b },
            (AShr, 32, _) => Instr::AShr32 { dst, a, b },
            (AShr, 64, _) => Instr::AShr64 { dst, a, b },
            _ => Instr::Int { op, width, nsw, dst, a, b },
        });
    }

    fn compare(&mut self, predicate: IntPredicate, kind: Scalar, dst: Reg, a: Reg, b: Reg) {
        use IntPredicate::*;
        if kind.width() > 128 {
            return self.complex(Complex::BigCompare { predicate, kind, dst, a, b });
        }
        if kind.width() > 64 {
            let width = kind.width() as u8;
            return self.complex(Complex::WideCompare { predicate, width, dst, a, b });
        }
        let signed = |or_equal: bool, a: Reg, b: Reg| match (kind.width(), or_equal) {
            (32, false) => Instr::Slt32 { dst, a, b },
            (32, true) => Instr::Sle32 { dst, a, b },
            (64, false) => Instr::Slt64 { dst, a, b },
            (64, true) => Instr::Sle64 { dst, a, b },
            (width, _) => Instr::SltN { width: width as u8, or_equal, dst, a, b },
        };
        self.emit(match predicate {
            Eq => Instr::Eq { dst, a, b },
            Ne => Instr::Ne { dst, a, b },
            Ult => Instr::Ult { dst, a, b },
            Ule => Instr::Ule { dst, a, b },
            Ugt => Instr::Ult { dst, a: b, b: a },
            Uge => Instr::Ule { dst, a: b, b: a },
            Slt => signed(false, a, b),
            Sle => signed(true, a, b),
            Sgt => signed(false, b, a),
            Sge => signed(true, b, a),
        });
    }

    fn float_compare(&mut self, predicate: FloatPredicate, kind: Scalar, dst: Reg, a: Reg, b: Reg) {
        match kind {
            Scalar::Float(FloatKind::Double) => self.emit(Instr::FCmp64 { predicate, dst, a, b }),
            Scalar::Float(FloatKind::Float) => self.emit(Instr::FCmp32 { predicate, dst, a, b }),
            _ => self.complex(Complex::FloatCompare { predicate, kind, dst, a, b }),
        }
    }

    fn cast(&mut self, op: CastOp, value: &Value, result: &Value) -> Option<()> {
        if op == CastOp::BitCast && (value.parts.len() > 1 || result.parts.len() > 1) {
            if value.parts.iter().chain(&result.parts).any(|part| part.scalar.width() > 128) {
                return None;
            }
            let bytes = value.parts.iter().map(|part| part.offset + part.scalar.bytes()).max()?;
            let (from, to) = (value.parts.clone(), result.parts.clone());
            self.complex(Complex::Repack { from, to, dst: result.first, src: value.first, bytes });
            return Some(());
        }
        for (from, to) in value.parts.iter().zip(&result.parts) {
            let (dst, src) = (result.first + to.register, value.first + from.register);
            let (from, to) = (from.scalar, to.scalar);
            let narrow = from.width() <= 64 && to.width() <= 64;
            match op {
                _ if from.width() > 128 || to.width() > 128 => {
                    self.complex(Complex::BigCast { op, from, to, dst, src })
                }
                CastOp::BitCast | CastOp::AddrSpaceCast => self.copy(dst, src, to.registers()),
                CastOp::ZExt if narrow => self.copy(dst, src, 1),
                CastOp::PtrToInt | CastOp::IntToPtr if narrow && to.width() >= from.width() => {
                    self.copy(dst, src, 1)
                }
                CastOp::Trunc | CastOp::PtrToInt if narrow => {
                    self.emit(Instr::Trunc { dst, a: src, width: to.width() as u8 })
                }
                CastOp::SExt if narrow => {
                    let (from, to) = (from.width() as u8, to.width() as u8);
                    self.emit(Instr::SExt { dst, a: src, from, to })
                }
                _ => self.complex(Complex::Cast { op, from, to, dst, src }),
            }
        }
        Some(())
    }

    fn load(&mut self, pointer: &hydrogen_ir::Operand) -> Option<()> {
        let result = self.result()?;
        let dst = result.first;
        if let Some(src) = self.variable(pointer) {
            // Where the value is the variable itself, there is nothing to do.
            if src != dst {
                self.emit(Instr::Move { dst, src });
            }
            return Some(());
        }
        let plain = result.scalar().filter(|scalar| is_plain(*scalar));
        if let Some(scalar) = plain
            && let Some(offset) = self.locals.direct_bytes(pointer, scalar.bytes())
        {
            self.emit(match scalar.bytes() {
                1 => Instr::LoadLocal8 { dst, offset },
                2 => Instr::LoadLocal16 { dst, offset },
                4 => Instr::LoadLocal32 { dst, offset },
                _ => Instr::LoadLocal64 { dst, offset },
            });
            return Some(());
        }
        let ptr = self.operand(pointer)?.first;
        match plain.map(Scalar::bytes) {
            Some(1) => self.emit(Instr::Load8 { dst, ptr }),
            Some(2) => self.emit(Instr::Load16 { dst, ptr }),
            Some(4) => self.emit(Instr::Load32 { dst, ptr }),
            Some(_) => self.emit(Instr::Load64 { dst, ptr }),
            None => self.complex(Complex::Load { ptr, dst, parts: in_memory(result.parts) }),
        }
        Some(())
    }

    fn store(&mut self, value: &hydrogen_ir::Operand, pointer: &hydrogen_ir::Operand) -> Option<()> {
        if self.promotion.skip[self.current.index()] {
            return Some(());
        }
        let value = self.operand(value)?;
        let src = value.first;
        if let Some(dst) = self.variable(pointer) {
            self.emit(Instr::Move { dst, src });
            return Some(());
        }
        let plain = value.scalar().filter(|scalar| is_plain(*scalar));
        if let Some(scalar) = plain
            && let Some(offset) = self.locals.direct_bytes(pointer, scalar.bytes())
        {
            self.emit(match scalar.bytes() {
                1 => Instr::StoreLocal8 { src, offset },
                2 => Instr::StoreLocal16 { src, offset },
                4 => Instr::StoreLocal32 { src, offset },
                _ => Instr::StoreLocal64 { src, offset },
            });
            return Some(());
        }
        let ptr = self.operand(pointer)?.first;
        match plain.map(Scalar::bytes) {
            Some(1) => self.emit(Instr::Store8 { src, ptr }),
            Some(2) => self.emit(Instr::Store16 { src, ptr }),
            Some(4) => self.emit(Instr::Store32 { src, ptr }),
            Some(_) => self.emit(Instr::Store64 { src, ptr }),
            None => self.complex(Complex::Store { ptr, src, parts: in_memory(value.parts) }),
        }
        Some(())
    }
}
