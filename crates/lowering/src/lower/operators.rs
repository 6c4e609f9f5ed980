//! LLVM's enumerations in the model's words.

use crate::llvm::Value;
use hydrogen_ir::{
    AtomicOrdering, BinaryOp, CastOp, FastMath, FloatPredicate, IntPredicate, Linkage, MemoryAccess, RmwOp,
    WrapFlags,
};
use llvm_sys::LLVMAtomicOrdering as Ordering;
use llvm_sys::LLVMAtomicRMWBinOp::*;
use llvm_sys::LLVMIntPredicate::*;
use llvm_sys::LLVMLinkage;
use llvm_sys::LLVMOpcode::{self, *};
use llvm_sys::LLVMRealPredicate::*;

pub(super) fn linkage(linkage: LLVMLinkage) -> Linkage {
    use LLVMLinkage::*;
    match linkage {
        LLVMInternalLinkage | LLVMPrivateLinkage | LLVMAppendingLinkage => Linkage::Internal,
        LLVMAvailableExternallyLinkage => Linkage::AvailableExternally,
        LLVMLinkOnceAnyLinkage
        | LLVMLinkOnceODRLinkage
        | LLVMWeakAnyLinkage
        | LLVMWeakODRLinkage
        | LLVMExternalWeakLinkage
        | LLVMCommonLinkage => Linkage::Mergeable,
        _ => Linkage::External,
    }
}

pub(super) fn binary(opcode: LLVMOpcode) -> Option<BinaryOp> {
    Some(match opcode {
        LLVMAdd => BinaryOp::Add,
        LLVMFAdd => BinaryOp::FAdd,
        LLVMSub => BinaryOp::Sub,
        LLVMFSub => BinaryOp::FSub,
        LLVMMul => BinaryOp::Mul,
        LLVMFMul => BinaryOp::FMul,
        LLVMUDiv => BinaryOp::UDiv,
        LLVMSDiv => BinaryOp::SDiv,
        LLVMFDiv => BinaryOp::FDiv,
        LLVMURem => BinaryOp::URem,
        LLVMSRem => BinaryOp::SRem,
        LLVMFRem => BinaryOp::FRem,
        LLVMShl => BinaryOp::Shl,
        LLVMLShr => BinaryOp::LShr,
        LLVMAShr => BinaryOp::AShr,
        LLVMAnd => BinaryOp::And,
        LLVMOr => BinaryOp::Or,
        LLVMXor => BinaryOp::Xor,
        _ => return None,
    })
}

pub(super) fn cast(opcode: LLVMOpcode) -> Option<CastOp> {
    Some(match opcode {
        LLVMTrunc => CastOp::Trunc,
        LLVMZExt => CastOp::ZExt,
        LLVMSExt => CastOp::SExt,
        LLVMFPToUI => CastOp::FpToUi,
        LLVMFPToSI => CastOp::FpToSi,
        LLVMUIToFP => CastOp::UiToFp,
        LLVMSIToFP => CastOp::SiToFp,
        LLVMFPTrunc => CastOp::FpTrunc,
        LLVMFPExt => CastOp::FpExt,
        LLVMPtrToInt => CastOp::PtrToInt,
        LLVMIntToPtr => CastOp::IntToPtr,
        LLVMBitCast => CastOp::BitCast,
        LLVMAddrSpaceCast => CastOp::AddrSpaceCast,
        _ => return None,
    })
}

/// The promises on an instruction; LLVM's getters may be asked only where a flag can stand.
pub(super) fn wrap_flags(opcode: LLVMOpcode, value: Value<'_>) -> WrapFlags {
    let mut flags = WrapFlags::default();
    match opcode {
        // `trunc` has flags since LLVM 19, which the C interface does not give; clang at -O0 sets none.
        LLVMAdd | LLVMSub | LLVMMul | LLVMShl => {
            flags.nuw = value.nuw();
            flags.nsw = value.nsw();
        }
        LLVMUDiv | LLVMSDiv | LLVMLShr | LLVMAShr => flags.exact = value.exact(),
        LLVMOr => flags.other = value.disjoint(),
        LLVMZExt | LLVMUIToFP => flags.other = value.nneg(),
        _ => {}
    }
    flags
}

pub(super) fn fast(value: Value<'_>) -> FastMath {
    FastMath(if value.has_fast_math() { value.fast_math() } else { 0 })
}

pub(super) fn int_predicate(value: Value<'_>) -> IntPredicate {
    match value.int_predicate() {
        LLVMIntEQ => IntPredicate::Eq,
        LLVMIntNE => IntPredicate::Ne,
        LLVMIntUGT => IntPredicate::Ugt,
        LLVMIntUGE => IntPredicate::Uge,
        LLVMIntULT => IntPredicate::Ult,
        LLVMIntULE => IntPredicate::Ule,
        LLVMIntSGT => IntPredicate::Sgt,
        LLVMIntSGE => IntPredicate::Sge,
        LLVMIntSLT => IntPredicate::Slt,
        LLVMIntSLE => IntPredicate::Sle,
    }
}

pub(super) fn float_predicate(value: Value<'_>) -> FloatPredicate {
    match value.float_predicate() {
        LLVMRealPredicateFalse => FloatPredicate::False,
        LLVMRealOEQ => FloatPredicate::Oeq,
        LLVMRealOGT => FloatPredicate::Ogt,
        LLVMRealOGE => FloatPredicate::Oge,
        LLVMRealOLT => FloatPredicate::Olt,
        LLVMRealOLE => FloatPredicate::Ole,
        LLVMRealONE => FloatPredicate::One,
        LLVMRealORD => FloatPredicate::Ord,
        LLVMRealUNO => FloatPredicate::Uno,
        LLVMRealUEQ => FloatPredicate::Ueq,
        LLVMRealUGT => FloatPredicate::Ugt,
        LLVMRealUGE => FloatPredicate::Uge,
        LLVMRealULT => FloatPredicate::Ult,
        LLVMRealULE => FloatPredicate::Ule,
        LLVMRealUNE => FloatPredicate::Une,
        LLVMRealPredicateTrue => FloatPredicate::True,
    }
}

pub(super) fn ordering(ordering: Ordering) -> AtomicOrdering {
    match ordering {
        Ordering::LLVMAtomicOrderingNotAtomic => AtomicOrdering::NotAtomic,
        Ordering::LLVMAtomicOrderingUnordered => AtomicOrdering::Unordered,
        Ordering::LLVMAtomicOrderingMonotonic => AtomicOrdering::Monotonic,
        Ordering::LLVMAtomicOrderingAcquire => AtomicOrdering::Acquire,
        Ordering::LLVMAtomicOrderingRelease => AtomicOrdering::Release,
        Ordering::LLVMAtomicOrderingAcquireRelease => AtomicOrdering::AcquireRelease,
        Ordering::LLVMAtomicOrderingSequentiallyConsistent => AtomicOrdering::SequentiallyConsistent,
    }
}

/// How a load, store or read-modify-write accesses memory.
pub(super) fn access(value: Value<'_>) -> MemoryAccess {
    MemoryAccess { align: value.align(), volatile: value.is_volatile(), ordering: ordering(value.ordering()) }
}

pub(super) fn rmw(value: Value<'_>) -> RmwOp {
    match value.rmw_operation() {
        LLVMAtomicRMWBinOpXchg => RmwOp::Xchg,
        LLVMAtomicRMWBinOpAdd => RmwOp::Add,
        LLVMAtomicRMWBinOpSub => RmwOp::Sub,
        LLVMAtomicRMWBinOpAnd => RmwOp::And,
        LLVMAtomicRMWBinOpNand => RmwOp::Nand,
        LLVMAtomicRMWBinOpOr => RmwOp::Or,
        LLVMAtomicRMWBinOpXor => RmwOp::Xor,
        LLVMAtomicRMWBinOpMax => RmwOp::Max,
        LLVMAtomicRMWBinOpMin => RmwOp::Min,
        LLVMAtomicRMWBinOpUMax => RmwOp::UMax,
        LLVMAtomicRMWBinOpUMin => RmwOp::UMin,
        LLVMAtomicRMWBinOpFAdd => RmwOp::FAdd,
        LLVMAtomicRMWBinOpFSub => RmwOp::FSub,
        LLVMAtomicRMWBinOpFMax => RmwOp::FMax,
        LLVMAtomicRMWBinOpFMin => RmwOp::FMin,
        LLVMAtomicRMWBinOpUIncWrap => RmwOp::UIncWrap,
        LLVMAtomicRMWBinOpUDecWrap => RmwOp::UDecWrap,
    }
}
