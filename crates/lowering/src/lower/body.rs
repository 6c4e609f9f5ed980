//! The body of a function: blocks, instructions, calls.

use super::{LowerError, Lowering};
use crate::llvm::{Block as RawBlock, Node, Value};
use hydrogen_ir::{
    Block, BlockId, Body, Call, Callee, Function, Instruction, InstructionId, Location, Operand, Position,
};
use llvm_sys::LLVMOpcode::{LLVMBitCast, LLVMCall};
use llvm_sys::LLVMValueKind::*;
use rustc_hash::FxHashMap;

/// Lowers one function: what its operands and labels refer to.
pub(super) struct BodyLowering<'l, 'm, 'o> {
    pub(super) unit: &'l mut Lowering<'m, 'o>,
    locals: FxHashMap<Value<'m>, Operand>,
    labels: FxHashMap<RawBlock<'m>, BlockId>,
}

impl<'m> Lowering<'m, '_> {
    pub(super) fn body(&mut self, function: Value<'m>) -> Result<(Body, Vec<Call>), LowerError> {
        let mut lowering = BodyLowering::number(self, function);
        let mut body = Body::default();
        let mut calls = Vec::new();
        for block in RawBlock::of(function) {
            let first = InstructionId::at(body.instructions.len());
            for value in block.instructions() {
                if let Some(callee) = callee(value) {
                    let instruction = Some(InstructionId::at(body.instructions.len()));
                    calls.push(Call { piece: Function::ENTRY, callee, instruction });
                }
                body.instructions.push(lowering.instruction(value)?);
            }
            let count = (body.instructions.len() - first.index()) as u32;
            body.blocks.push(Block { label: block.label(), first, count });
        }
        body.variables = lowering.variables(function);
        Ok((body, calls))
    }

    pub(super) fn location(&mut self, location: Node<'m>) -> Option<Location> {
        let (scope, line, column) = location.location();
        // Line 0 is the compiler's way to say that no source line is meant.
        if line == 0 {
            return None;
        }
        Some(Location { file: self.files.scope(scope?)?, position: Position { line, column } })
    }
}

impl<'l, 'm, 'o> BodyLowering<'l, 'm, 'o> {
    /// Numbers parameters, blocks and instructions, because φ and loops refer forward.
    fn number(unit: &'l mut Lowering<'m, 'o>, function: Value<'m>) -> Self {
        let mut locals = FxHashMap::default();
        let mut labels = FxHashMap::default();
        for index in 0..function.parameter_count() {
            locals.insert(function.parameter(index), Operand::Parameter(index));
        }
        let mut next = 0;
        for (index, block) in RawBlock::of(function).enumerate() {
            labels.insert(block, BlockId::at(index));
            for value in block.instructions() {
                locals.insert(value, Operand::Instruction(InstructionId(next)));
                next += 1;
            }
        }
        Self { unit, locals, labels }
    }

    fn instruction(&mut self, value: Value<'m>) -> Result<Instruction, LowerError> {
        Ok(Instruction {
            ty: self.unit.types.lower(value.ty()),
            op: if value.is_terminator() { self.terminator(value)? } else { self.operation(value)? },
            piece: Function::ENTRY,
            location: Node::of_instruction(value).and_then(|location| self.unit.location(location)),
        })
    }

    /// What a value is inside this function.
    pub(super) fn operand(&mut self, value: Value<'m>) -> Result<Operand, LowerError> {
        match value.kind() {
            LLVMInstructionValueKind | LLVMArgumentValueKind => {
                self.locals.get(&value).cloned().ok_or_else(|| LowerError::Unknown(value.name()))
            }
            LLVMMetadataAsValueValueKind => Ok(Operand::Metadata(value.metadata_text())),
            _ => Ok(Operand::Const(self.unit.constant(value)?)),
        }
    }

    /// The operands from `first` to before `end`.
    pub(super) fn operands(
        &mut self,
        value: Value<'m>,
        first: u32,
        end: u32,
    ) -> Result<Vec<Operand>, LowerError> {
        (first..end).map(|index| self.operand(value.operand(index))).collect()
    }

    /// The stack slot that a value is.
    pub(super) fn slot(&self, value: Value<'m>) -> Option<InstructionId> {
        match self.locals.get(&value) {
            Some(Operand::Instruction(id)) => Some(*id),
            _ => None,
        }
    }

    pub(super) fn block(&self, block: Option<RawBlock<'m>>) -> Result<BlockId, LowerError> {
        block
            .and_then(|block| self.labels.get(&block).copied())
            .ok_or_else(|| LowerError::Unknown("a block of another function".into()))
    }

    /// The successors of a terminator, from the given one on.
    pub(super) fn successors(&self, value: Value<'m>, first: u32) -> Result<Vec<BlockId>, LowerError> {
        (first..value.successor_count()).map(|index| self.block(value.successor(index))).collect()
    }
}

/// Whom an instruction calls: intrinsics and assembly are no calls of the program.
fn callee(value: Value<'_>) -> Option<Callee> {
    if value.opcode() != LLVMCall {
        return None;
    }
    let mut target = value.callee();
    // A call of a function without a prototype may go through a conversion of its address.
    while target.kind() == LLVMConstantExprValueKind && target.const_opcode() == LLVMBitCast {
        target = target.operand(0);
    }
    match target.kind() {
        LLVMInlineAsmValueKind => None,
        LLVMFunctionValueKind | LLVMGlobalAliasValueKind | LLVMGlobalIFuncValueKind => {
            let name = target.name();
            (!name.starts_with("llvm.")).then_some(Callee::Direct(name))
        }
        _ => Some(Callee::Indirect(String::new())),
    }
}
