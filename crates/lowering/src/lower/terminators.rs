//! Instructions that end a block.

use super::LowerError;
use super::body::BodyLowering;
use super::instructions::inline_asm;
use crate::llvm::{Value, opcode_name};
use hydrogen_ir::{Case, Op};
use llvm_sys::LLVMOpcode::*;
use llvm_sys::LLVMValueKind::LLVMBasicBlockValueKind;

impl<'m> BodyLowering<'_, 'm, '_> {
    pub(super) fn terminator(&mut self, value: Value<'m>) -> Result<Op, LowerError> {
        Ok(match value.opcode() {
            LLVMRet => match value.operand_count() {
                0 => Op::Return { value: None },
                _ => Op::Return { value: Some(self.operand(value.operand(0))?) },
            },
            LLVMBr if value.is_conditional() => Op::Branch {
                condition: self.operand(value.operand(0))?,
                then: self.block(value.successor(0))?,
                otherwise: self.block(value.successor(1))?,
            },
            LLVMBr => Op::Jump { target: self.block(value.successor(0))? },
            LLVMSwitch => self.switch(value)?,
            LLVMIndirectBr => Op::IndirectJump {
                address: self.operand(value.operand(0))?,
                targets: self.successors(value, 0)?,
            },
            LLVMCallBr => Op::AsmBranch {
                asm: inline_asm(value.callee()),
                ty: self.unit.types.lower(value.called_type()),
                arguments: self.operands(value, 0, value.argument_count())?,
                next: self.block(value.successor(0))?,
                targets: self.successors(value, 1)?,
            },
            LLVMUnreachable => Op::Unreachable,
            opcode => {
                let operands = (0..value.operand_count()).map(|index| value.operand(index));
                let operands = operands.filter(|operand| operand.kind() != LLVMBasicBlockValueKind);
                let operands = operands.map(|operand| self.operand(operand)).collect::<Result<_, _>>()?;
                let targets = self.successors(value, 0)?;
                Op::OpaqueTerminator { name: opcode_name(opcode), operands, targets }
            }
        })
    }

    /// LLVM keeps the value and the default first, then pairs of a case's constant and its block.
    fn switch(&mut self, value: Value<'m>) -> Result<Op, LowerError> {
        let cases = (1..value.successor_count()).map(|index| {
            let constant = self.unit.constant(value.operand(2 * index))?;
            Ok(Case { value: constant, target: self.block(value.successor(index))? })
        });
        let cases = cases.collect::<Result<_, LowerError>>()?;
        Ok(Op::Switch {
            value: self.operand(value.operand(0))?,
            default: self.block(value.successor(0))?,
            cases,
        })
    }
}
