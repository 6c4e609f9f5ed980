//! What the machine does about the compiler's own functions: registers they take.

use super::{Role, Scalar};
use hydrogen_ir::Intrinsic;

/// How many registers the result takes.
pub(crate) fn results(which: Intrinsic, kind: Scalar) -> u32 {
    use Intrinsic::*;
    match which {
        SAddOverflow | UAddOverflow | SSubOverflow | USubOverflow | SMulOverflow | UMulOverflow => {
            kind.registers() + 1
        }
        MemCpy | MemMove | MemSet | VaStart | VaCopy | StackRestore | Assume | Trap => 0,
        StackSave | IsFpClass | ObjectSize | FrameAddress | ReturnAddress | ThreadLocalAddress
        | IsConstant => 1,
        _ => kind.registers(),
    }
}

/// What becomes of the arguments, and how many registers each takes (0: as many as the result's kind).
pub(crate) fn arguments(which: Intrinsic, lanes: u32) -> (Role, u32) {
    use Intrinsic::*;
    use Role::{Decides, Value};
    match which {
        // The byte that memset writes may be undefined; that it decides is the simpler rule.
        MemCpy | MemMove | MemSet | VaStart | VaCopy | StackRestore => (Decides, 1),
        ReduceAdd | ReduceMul | ReduceAnd | ReduceOr | ReduceXor => (Value, lanes),
        StackSave | ObjectSize | FrameAddress | ReturnAddress | ThreadLocalAddress | IsConstant | PtrMask => {
            (Value, 1)
        }
        _ => (Value, 0),
    }
}
