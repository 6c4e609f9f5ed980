//! What constants are worth, once every symbol has its address.

use super::Program;
use crate::code::{Part, parts};
use hydrogen_ir::{BinaryOp, CastOp, Const, ConstExpr, ConstId, Module, Type, TypeId};

/// Constants are not nested deeper in any program that a compiler wrote.
const DEEPEST: u32 = 200;

/// The type of a constant.
pub(crate) fn constant_type(module: &Module, id: ConstId) -> Option<TypeId> {
    let pointer = || module.types.iter().find(|(_, ty)| matches!(ty, Type::Pointer(0))).map(|(id, _)| id);
    module.constant(id).ty().or_else(pointer)
}

/// An integer constant, sign-extended.
pub(crate) fn constant_int(module: &Module, id: ConstId) -> Option<i64> {
    match module.constant(id) {
        Const::Int { ty, bits } => match module.types.get(*ty) {
            Type::Int(width @ 1..=64) => Some(((*bits as u64) << (64 - width)) as i64 >> (64 - width)),
            _ => None,
        },
        Const::Zero(_) => Some(0),
        _ => None,
    }
}

/// Pointers are the only scalars that need a symbol.
fn pointer_parts() -> Vec<Part> {
    vec![Part { scalar: crate::code::Scalar::Pointer, offset: 0, register: 0 }]
}

impl Program {
    /// A constant as registers.
    pub(crate) fn constant_words(&self, unit: usize, id: ConstId) -> Option<(Vec<u64>, Vec<Part>)> {
        let module = self.module(unit);
        match module.constant(id) {
            Const::Global(_) | Const::Function(_) | Const::BlockAddress { .. } => {
                return Some((vec![self.scalar(unit, id, 0)? as u64], pointer_parts()));
            }
            _ => {}
        }
        let ty = constant_type(module, id)?;
        let parts = parts(&module.types, ty)?;
        let bytes = parts.iter().map(|part| part.offset as usize + 16).max().unwrap_or(0);
        let mut image = vec![0; bytes];
        if let ([part], false) = (parts.as_slice(), matches!(module.constant(id), Const::Aggregate { .. })) {
            let mut words = match module.constant(id) {
                Const::WideInt { words, .. } => words.clone(),
                _ => {
                    let value = self.scalar(unit, id, 0)?;
                    vec![value as u64, (value >> 64) as u64]
                }
            };
            words.resize(part.scalar.registers() as usize, 0);
            return Some((words, parts));
        }
        self.write_constant(unit, id, 0, &mut image, 0)?;
        let mut words = Vec::new();
        for part in &parts {
            let at = part.offset as usize;
            let mut value = [0; 16];
            let len = part.scalar.bytes() as usize;
            if len > value.len() {
                return None;
            }
            value[..len].copy_from_slice(&image[at..at + len]);
            let value = u128::from_le_bytes(value);
            words.push(value as u64);
            if part.scalar.registers() == 2 {
                words.push((value >> 64) as u64);
            }
        }
        Some((words, parts))
    }

    /// Writes a constant as the linker would, at `at` of `out`.
    pub(super) fn write_constant(
        &self,
        unit: usize,
        id: ConstId,
        at: usize,
        out: &mut [u8],
        depth: u32,
    ) -> Option<()> {
        let module = self.module(unit);
        if depth > DEEPEST {
            return None;
        }
        match module.constant(id) {
            Const::Zero(_) | Const::Undef(_) | Const::Poison(_) => Some(()),
            Const::Bytes { data, .. } => {
                out.get_mut(at..at + data.len())?.copy_from_slice(data);
                Some(())
            }
            Const::WideInt { words, ty } => {
                let size = module.types.layout(*ty)?.alloc_bytes as usize;
                let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                let len = bytes.len().min(size);
                out.get_mut(at..at + len)?.copy_from_slice(&bytes[..len]);
                Some(())
            }
            Const::Aggregate { ty, elements } => {
                for (index, element) in elements.iter().enumerate() {
                    let offset = element_offset(module, *ty, index)?;
                    self.write_constant(unit, *element, at + offset, out, depth + 1)?;
                }
                Some(())
            }
            _ => {
                let ty = constant_type(module, id)?;
                let bytes = (module.types.layout(ty)?.size_bits.div_ceil(8) as usize).min(16);
                let value = self.scalar(unit, id, depth)?;
                out.get_mut(at..at + bytes)?.copy_from_slice(&value.to_le_bytes()[..bytes]);
                Some(())
            }
        }
    }

    /// A constant of at most 128 bits.
    pub(super) fn scalar(&self, unit: usize, id: ConstId, depth: u32) -> Option<u128> {
        let module = self.module(unit);
        if depth > DEEPEST {
            return None;
        }
        Some(match module.constant(id) {
            Const::Int { bits, .. } | Const::Float { bits, .. } => *bits,
            Const::Zero(_) | Const::Undef(_) | Const::Poison(_) => 0,
            Const::Global(global) => u128::from(self.global_address(unit, *global, depth)?),
            Const::Function(function) => u128::from(self.function_address(unit, *function)),
            Const::BlockAddress { function, block } => {
                // A label is a place inside its function, one byte per block behind the entry.
                u128::from(self.function_address(unit, *function) + 1 + u64::from(block.0))
            }
            Const::Expr { ty, expr } => self.expression(unit, *ty, expr, depth + 1)?,
            Const::WideInt { .. } | Const::Aggregate { .. } | Const::Bytes { .. } => return None,
        })
    }

    fn expression(&self, unit: usize, ty: TypeId, expr: &ConstExpr, depth: u32) -> Option<u128> {
        let module = self.module(unit);
        let width = module.types.layout(ty)?.size_bits.min(128) as u32;
        let mask = if width == 128 { u128::MAX } else { (1 << width) - 1 };
        let value = match expr {
            ConstExpr::ElementAddress { source, base, indices, .. } => {
                let mut address = self.scalar(unit, *base, depth)? as u64;
                let mut ty = *source;
                for (position, index) in indices.iter().enumerate() {
                    let index = constant_int(module, *index)?;
                    let step = crate::code::step(module, &mut ty, position == 0, index)?;
                    address = address.wrapping_add(step as u64);
                }
                u128::from(address)
            }
            ConstExpr::Cast(CastOp::SExt, from) => {
                let value = self.scalar(unit, *from, depth)?;
                let ty = constant_type(module, *from)?;
                let from = module.types.layout(ty)?.size_bits.clamp(1, 128) as u32;
                ((value << (128 - from)) as i128 >> (128 - from)) as u128
            }
            ConstExpr::Cast(
                CastOp::Trunc
                | CastOp::ZExt
                | CastOp::PtrToInt
                | CastOp::IntToPtr
                | CastOp::BitCast
                | CastOp::AddrSpaceCast,
                from,
            ) => self.scalar(unit, *from, depth)?,
            ConstExpr::Binary(op, left, right) => {
                let (a, b) = (self.scalar(unit, *left, depth)?, self.scalar(unit, *right, depth)?);
                match op {
                    BinaryOp::Add => a.wrapping_add(b),
                    BinaryOp::Sub => a.wrapping_sub(b),
                    BinaryOp::Mul => a.wrapping_mul(b),
                    BinaryOp::And => a & b,
                    BinaryOp::Or => a | b,
                    BinaryOp::Xor => a ^ b,
                    BinaryOp::Shl => a.checked_shl(b as u32).unwrap_or(0),
                    BinaryOp::LShr => a.checked_shr(b as u32).unwrap_or(0),
                    _ => return None,
                }
            }
            _ => return None,
        };
        Some(value & mask)
    }
}

fn element_offset(module: &Module, ty: TypeId, index: usize) -> Option<usize> {
    let offset = match module.types.get(ty) {
        Type::Array { element, .. } => module.types.layout(*element)?.alloc_bytes * index as u64,
        Type::Vector { element, .. } => module.types.layout(*element)?.size_bits / 8 * index as u64,
        Type::Struct(_) => *module.types.layout(ty)?.field_offsets.get(index)?,
        _ => return None,
    };
    usize::try_from(offset).ok()
}
