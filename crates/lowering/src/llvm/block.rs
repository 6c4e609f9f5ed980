//! Basic blocks.

use super::{Value, text};
use llvm_sys::core::*;
use llvm_sys::prelude::LLVMBasicBlockRef;
use std::marker::PhantomData;

/// A basic block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Block<'m>(LLVMBasicBlockRef, PhantomData<&'m ()>);

impl<'m> Block<'m> {
    pub(super) fn new(raw: LLVMBasicBlockRef) -> Option<Self> {
        (!raw.is_null()).then_some(Self(raw, PhantomData))
    }

    /// The label.
    pub fn label(self) -> String {
        // SAFETY: the block is live and owns the zero-terminated name.
        unsafe {
            let name = LLVMGetBasicBlockName(self.0);
            text::owned(name, if name.is_null() { 0 } else { std::ffi::CStr::from_ptr(name).count_bytes() })
        }
    }

    /// The instructions in order.
    pub fn instructions(self) -> impl Iterator<Item = Value<'m>> {
        // SAFETY: the block is live, and the iteration ends at null.
        let first = Value::new(unsafe { LLVMGetFirstInstruction(self.0) });
        // SAFETY: each value is an instruction of this block.
        std::iter::successors(first, |value| Value::new(unsafe { LLVMGetNextInstruction(value.raw()) }))
    }

    /// The blocks that the terminator names, in LLVM's order.
    pub fn successors(self) -> Vec<Block<'m>> {
        // SAFETY: a verified block has a terminator; the indices are within its count.
        unsafe {
            let last = LLVMGetBasicBlockTerminator(self.0);
            (0..LLVMGetNumSuccessors(last))
                .filter_map(|index| Self::new(LLVMGetSuccessor(last, index)))
                .collect()
        }
    }

    /// The blocks of a function in order.
    pub fn of(function: Value<'m>) -> impl Iterator<Item = Self> {
        // SAFETY: the function is live, and the iteration ends at null.
        let first = Self::new(unsafe { LLVMGetFirstBasicBlock(function.raw()) });
        // SAFETY: each block belongs to the function.
        std::iter::successors(first, |block| Self::new(unsafe { LLVMGetNextBasicBlock(block.0) }))
    }
}
