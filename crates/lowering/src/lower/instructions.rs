//! Instructions that do not end a block.

use super::body::BodyLowering;
use super::{LowerError, operators};
use crate::llvm::{Value, opcode_name};
use hydrogen_ir::{InlineAsm, MemoryAccess, Op, UnaryOp};
use llvm_sys::LLVMOpcode::*;
use llvm_sys::LLVMValueKind::LLVMInlineAsmValueKind;

impl<'m> BodyLowering<'_, 'm, '_> {
    pub(super) fn operation(&mut self, value: Value<'m>) -> Result<Op, LowerError> {
        let opcode = value.opcode();
        if let Some(op) = operators::binary(opcode) {
            return Ok(Op::Binary {
                op,
                left: self.operand(value.operand(0))?,
                right: self.operand(value.operand(1))?,
                flags: operators::wrap_flags(opcode, value),
                fast: operators::fast(value),
            });
        }
        if let Some(op) = operators::cast(opcode) {
            let flags = operators::wrap_flags(opcode, value);
            return Ok(Op::Cast { op, value: self.operand(value.operand(0))?, flags });
        }
        match opcode {
            LLVMCall => self.call(value),
            LLVMAlloca | LLVMLoad | LLVMStore | LLVMFence | LLVMAtomicCmpXchg | LLVMAtomicRMW => {
                self.memory(value)
            }
            LLVMExtractValue | LLVMInsertValue | LLVMExtractElement | LLVMInsertElement
            | LLVMShuffleVector => self.parts(value),
            _ => self.simple(value),
        }
    }

    fn simple(&mut self, value: Value<'m>) -> Result<Op, LowerError> {
        Ok(match value.opcode() {
            LLVMFNeg => Op::Unary {
                op: UnaryOp::FNeg,
                value: self.operand(value.operand(0))?,
                fast: operators::fast(value),
            },
            LLVMICmp => Op::IntCompare {
                predicate: operators::int_predicate(value),
                left: self.operand(value.operand(0))?,
                right: self.operand(value.operand(1))?,
            },
            LLVMFCmp => Op::FloatCompare {
                predicate: operators::float_predicate(value),
                left: self.operand(value.operand(0))?,
                right: self.operand(value.operand(1))?,
                fast: operators::fast(value),
            },
            LLVMGetElementPtr => Op::ElementAddress {
                source: self.unit.types.lower(value.source_type()),
                base: self.operand(value.operand(0))?,
                indices: self.operands(value, 1, value.operand_count())?,
                inbounds: value.is_inbounds(),
            },
            LLVMPHI => {
                let incoming = (0..value.incoming_count()).filter_map(|index| value.incoming(index));
                let incoming = incoming
                    .map(|(block, value)| Ok((self.block(Some(block))?, self.operand(value)?)))
                    .collect::<Result<_, _>>()?;
                Op::Phi { incoming }
            }
            LLVMSelect => Op::Select {
                condition: self.operand(value.operand(0))?,
                then: self.operand(value.operand(1))?,
                otherwise: self.operand(value.operand(2))?,
                fast: operators::fast(value),
            },
            LLVMVAArg => Op::VaArg { list: self.operand(value.operand(0))? },
            LLVMFreeze => Op::Freeze { value: self.operand(value.operand(0))? },
            opcode => Op::Opaque {
                name: opcode_name(opcode),
                operands: self.operands(value, 0, value.operand_count())?,
            },
        })
    }

    fn memory(&mut self, value: Value<'m>) -> Result<Op, LowerError> {
        Ok(match value.opcode() {
            LLVMAlloca => Op::Alloca {
                ty: self.unit.types.lower(value.allocated_type()),
                count: self.operand(value.operand(0))?,
                align: value.align(),
            },
            LLVMLoad => {
                Op::Load { pointer: self.operand(value.operand(0))?, access: operators::access(value) }
            }
            LLVMStore => Op::Store {
                value: self.operand(value.operand(0))?,
                pointer: self.operand(value.operand(1))?,
                access: operators::access(value),
            },
            LLVMAtomicRMW => Op::AtomicRmw {
                op: operators::rmw(value),
                pointer: self.operand(value.operand(0))?,
                value: self.operand(value.operand(1))?,
                access: operators::access(value),
            },
            LLVMAtomicCmpXchg => Op::CompareExchange {
                pointer: self.operand(value.operand(0))?,
                expected: self.operand(value.operand(1))?,
                new: self.operand(value.operand(2))?,
                access: MemoryAccess {
                    align: value.align(),
                    volatile: value.is_volatile(),
                    ordering: operators::ordering(value.success_ordering()),
                },
                failure: operators::ordering(value.failure_ordering()),
                weak: value.is_weak(),
            },
            _ => Op::Fence { ordering: operators::ordering(value.fence_ordering()) },
        })
    }

    fn parts(&mut self, value: Value<'m>) -> Result<Op, LowerError> {
        Ok(match value.opcode() {
            LLVMExtractValue => Op::ExtractValue {
                aggregate: self.operand(value.operand(0))?,
                indices: value.indices().to_vec(),
            },
            LLVMInsertValue => Op::InsertValue {
                aggregate: self.operand(value.operand(0))?,
                value: self.operand(value.operand(1))?,
                indices: value.indices().to_vec(),
            },
            LLVMExtractElement => Op::ExtractElement {
                vector: self.operand(value.operand(0))?,
                index: self.operand(value.operand(1))?,
            },
            LLVMInsertElement => Op::InsertElement {
                vector: self.operand(value.operand(0))?,
                value: self.operand(value.operand(1))?,
                index: self.operand(value.operand(2))?,
            },
            _ => Op::ShuffleVector {
                left: self.operand(value.operand(0))?,
                right: self.operand(value.operand(1))?,
                mask: value.shuffle_mask(),
            },
        })
    }

    fn call(&mut self, value: Value<'m>) -> Result<Op, LowerError> {
        let callee = value.callee();
        let ty = self.unit.types.lower(value.called_type());
        // Arguments come first among the operands, then bundles, then the callee.
        let count = value.argument_count();
        let arguments = self.operands(value, 0, count)?;
        if callee.kind() == LLVMInlineAsmValueKind {
            return Ok(Op::Asm { asm: inline_asm(callee), ty, arguments });
        }
        let kinds = self.unit.attributes;
        let attributes = (0..count).map(|index| kinds.argument(value, index, &mut self.unit.types)).collect();
        Ok(Op::Call { callee: self.operand(callee)?, ty, arguments, attributes })
    }
}

pub(super) fn inline_asm(value: Value<'_>) -> InlineAsm {
    let (template, constraints) = value.asm_text();
    InlineAsm { template, constraints, side_effects: value.asm_side_effects() }
}
