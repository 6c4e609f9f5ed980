//! Constants compared by what LLVM's own, other getters say.

use crate::llvm::Value;
use hydrogen_ir::{Const, ConstExpr, ConstId, FloatKind, Module, Type};
use llvm_sys::LLVMValueKind::{self, *};
use rustc_hash::FxHashMap;

/// Compares each pair of constants once.
pub(super) struct Constants<'m> {
    model: &'m Module,
    known: FxHashMap<(Value<'m>, ConstId), bool>,
}

impl<'m> Constants<'m> {
    pub(super) fn new(model: &'m Module) -> Self {
        Self { model, known: FxHashMap::default() }
    }

    /// Whether the model's constant is LLVM's.
    pub(super) fn same(&mut self, value: Value<'m>, id: ConstId) -> bool {
        if let Some(&known) = self.known.get(&(value, id)) {
            return known;
        }
        let answer = self.compare(value, id);
        self.known.insert((value, id), answer);
        answer
    }

    fn compare(&mut self, value: Value<'m>, id: ConstId) -> bool {
        let model = self.model;
        let kind = value.kind();
        match model.constant(id) {
            Const::Int { ty, bits } => {
                kind == LLVMConstantIntValueKind
                    && model.types.get(*ty) == &Type::Int(value.ty().int_width())
                    && *bits as u64 == value.low_word()
            }
            Const::WideInt { words, .. } => {
                kind == LLVMConstantIntValueKind && words.len() as u32 == value.ty().int_width().div_ceil(64)
            }
            Const::Float { ty, bits } => kind == LLVMConstantFPValueKind && self.float(value, *ty, *bits),
            Const::Zero(_) => value.is_zero(),
            Const::Undef(_) => kind == LLVMUndefValueValueKind,
            Const::Poison(_) => kind == LLVMValueKind::LLVMPoisonValueKind,
            Const::Bytes { data, .. } => {
                (0..=data.len()).all(|index| match (value.element(index as u32), data.get(index)) {
                    (Some(element), Some(byte)) => element.low_word() == u64::from(*byte),
                    (element, byte) => element.is_none() && byte.is_none(),
                })
            }
            Const::Aggregate { elements, .. } => {
                let count = u32::try_from(elements.len()).unwrap_or(u32::MAX);
                value.element(count).is_none()
                    && (0..count).zip(elements).all(|(index, part)| {
                        value.element(index).is_some_and(|element| self.same(element, *part))
                    })
            }
            Const::Global(global) => value.name() == model.global(*global).name,
            Const::Function(function) => {
                kind == LLVMFunctionValueKind && value.name() == model.function(*function).name
            }
            Const::BlockAddress { function, .. } => {
                value.label_function().is_some_and(|raw| raw.name() == model.function(*function).name)
            }
            Const::Expr { expr, .. } => self.expression(value, expr),
        }
    }

    fn float(&self, value: Value<'m>, ty: hydrogen_ir::TypeId, bits: u128) -> bool {
        let number = match self.model.types.get(ty) {
            Type::Float(FloatKind::Float) => f64::from(f32::from_bits(bits as u32)),
            Type::Float(FloatKind::Double) => f64::from_bits(bits as u64),
            _ => return true, // Wider than what LLVM's getter can say.
        };
        let llvm = value.as_double();
        llvm == number || llvm.is_nan() && number.is_nan()
    }

    fn expression(&mut self, value: Value<'m>, expr: &ConstExpr) -> bool {
        let operands: Vec<ConstId> = match expr {
            ConstExpr::ElementAddress { base, indices, .. } => {
                std::iter::once(*base).chain(indices.iter().copied()).collect()
            }
            ConstExpr::Cast(_, operand) => vec![*operand],
            ConstExpr::Binary(_, left, right) => vec![*left, *right],
            ConstExpr::Other(_, operands) => operands.clone(),
        };
        operands.len() as u32 == value.operand_count()
            && (0..value.operand_count()).zip(operands).all(|(index, id)| self.same(value.operand(index), id))
    }
}
