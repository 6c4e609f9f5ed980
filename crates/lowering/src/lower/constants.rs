//! Constants, each stored once.

use super::operators;
use super::types::Types;
use super::{LowerError, Symbols};
use crate::llvm::{Block, Value, opcode_name};
use hydrogen_ir::{BlockId, Const, ConstExpr, ConstId, Type};
use llvm_sys::LLVMOpcode::LLVMGetElementPtr;
use llvm_sys::LLVMTypeKind::LLVMIntegerTypeKind;
use llvm_sys::LLVMValueKind::*;
use rustc_hash::FxHashMap;

/// The constants found so far.
#[derive(Default)]
pub(super) struct Constants<'m> {
    known: FxHashMap<Value<'m>, ConstId>,
    index: FxHashMap<Const, ConstId>,
    pub(super) list: Vec<Const>,
}

impl<'m> Constants<'m> {
    /// The model's constant of an LLVM constant.
    pub(super) fn lower(
        &mut self,
        value: Value<'m>,
        types: &mut Types<'m>,
        symbols: &Symbols<'m>,
    ) -> Result<ConstId, LowerError> {
        if let Some(&id) = self.known.get(&value) {
            return Ok(id);
        }
        let constant = self.convert(value, types, symbols)?;
        let id = *self.index.entry(constant).or_insert_with_key(|constant| {
            self.list.push(constant.clone());
            ConstId::at(self.list.len() - 1)
        });
        self.known.insert(value, id);
        Ok(id)
    }

    fn convert(
        &mut self,
        value: Value<'m>,
        types: &mut Types<'m>,
        symbols: &Symbols<'m>,
    ) -> Result<Const, LowerError> {
        let kind = value.kind();
        match kind {
            LLVMFunctionValueKind => return symbols.function(value).map(Const::Function),
            LLVMGlobalVariableValueKind | LLVMGlobalAliasValueKind | LLVMGlobalIFuncValueKind => {
                return symbols.global(value).map(Const::Global);
            }
            LLVMBlockAddressValueKind => return label(value, symbols),
            _ => {}
        }
        let ty = types.lower(value.ty());
        Ok(match kind {
            LLVMConstantIntValueKind => match value.int_words() {
                [low] => Const::Int { ty, bits: u128::from(*low) },
                [low, high] => Const::Int { ty, bits: u128::from(*high) << 64 | u128::from(*low) },
                words => Const::WideInt { ty, words: words.to_vec() },
            },
            LLVMConstantFPValueKind => Const::Float { ty, bits: value.float_bits() },
            LLVMConstantPointerNullValueKind
            | LLVMConstantAggregateZeroValueKind
            | LLVMConstantTokenNoneValueKind
            | LLVMConstantTargetNoneValueKind => Const::Zero(ty),
            LLVMPoisonValueKind => Const::Poison(ty),
            LLVMUndefValueValueKind => Const::Undef(ty),
            LLVMConstantDataArrayValueKind if is_bytes(value) => {
                Const::Bytes { ty, data: value.raw_data().to_vec() }
            }
            LLVMConstantDataArrayValueKind | LLVMConstantDataVectorValueKind => {
                let len = match types.table.get(ty) {
                    Type::Array { len, .. } => u32::try_from(*len).unwrap_or(u32::MAX),
                    Type::Vector { len, .. } => *len,
                    _ => 0,
                };
                let elements = (0..len).filter_map(|index| value.element(index));
                let elements =
                    elements.map(|part| self.lower(part, types, symbols)).collect::<Result<_, _>>()?;
                Const::Aggregate { ty, elements }
            }
            LLVMConstantArrayValueKind | LLVMConstantStructValueKind | LLVMConstantVectorValueKind => {
                Const::Aggregate { ty, elements: self.operands(value, 0, types, symbols)? }
            }
            LLVMConstantExprValueKind => Const::Expr { ty, expr: self.expression(value, types, symbols)? },
            kind => {
                let name = format!("{kind:?}");
                Const::Expr { ty, expr: ConstExpr::Other(name, self.operands(value, 0, types, symbols)?) }
            }
        })
    }

    fn expression(
        &mut self,
        value: Value<'m>,
        types: &mut Types<'m>,
        symbols: &Symbols<'m>,
    ) -> Result<ConstExpr, LowerError> {
        let opcode = value.const_opcode();
        if opcode == LLVMGetElementPtr {
            return Ok(ConstExpr::ElementAddress {
                source: types.lower(value.source_type()),
                base: self.lower(value.operand(0), types, symbols)?,
                indices: self.operands(value, 1, types, symbols)?,
                inbounds: value.is_inbounds(),
            });
        }
        let operands = self.operands(value, 0, types, symbols)?;
        Ok(match (operators::cast(opcode), operators::binary(opcode), operands.as_slice()) {
            (Some(cast), _, [operand]) => ConstExpr::Cast(cast, *operand),
            (_, Some(binary), [left, right]) => ConstExpr::Binary(binary, *left, *right),
            _ => ConstExpr::Other(opcode_name(opcode), operands),
        })
    }

    fn operands(
        &mut self,
        value: Value<'m>,
        first: u32,
        types: &mut Types<'m>,
        symbols: &Symbols<'m>,
    ) -> Result<Vec<ConstId>, LowerError> {
        (first..value.operand_count()).map(|index| self.lower(value.operand(index), types, symbols)).collect()
    }
}

fn is_bytes(value: Value<'_>) -> bool {
    let element = value.ty().element();
    element.kind() == LLVMIntegerTypeKind && element.int_width() == 8
}

fn label<'m>(value: Value<'m>, symbols: &Symbols<'m>) -> Result<Const, LowerError> {
    let missing = || LowerError::Unknown("the label of a block address".into());
    let function = value.label_function().ok_or_else(missing)?;
    let block = value.label_block().ok_or_else(missing)?;
    let index = Block::of(function).position(|other| other == block).ok_or_else(missing)?;
    Ok(Const::BlockAddress { function: symbols.function(function)?, block: BlockId::at(index) })
}
