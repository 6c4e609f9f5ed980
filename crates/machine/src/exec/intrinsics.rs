//! The compiler's own functions.

use super::{Machine, float, int};
use crate::code::intrinsic::results;
use crate::code::{Intrinsic, Scalar};
use crate::fault::{FaultKind, Trouble};
use crate::memory::Depth;
use crate::monitor::Monitor;
use hydrogen_float::{Rounding, class, fused, round, sqrt};
use hydrogen_ir::BinaryOp;

impl<M: Monitor> Machine<'_, M> {
    pub(super) fn intrinsic(
        &mut self,
        which: Intrinsic,
        kind: Scalar,
        dst: u32,
        args: &[u32],
        lanes: u32,
    ) -> Result<(), Trouble> {
        use Intrinsic::*;
        let arg = |machine: &Self, index: usize| args.get(index).map_or(0, |reg| machine.get(*reg));
        match which {
            MemCpy => return self.copy_apart(arg(self, 0), arg(self, 1), arg(self, 2)),
            MemMove => return self.copy_memory(arg(self, 0), arg(self, 1), arg(self, 2)),
            MemSet => return self.set_memory(arg(self, 0), arg(self, 1) as u8, arg(self, 2)),
            VaStart => return self.va_start(arg(self, 0)),
            VaCopy => return self.copy_memory(arg(self, 0), arg(self, 1), 24),
            StackSave => {
                let frame = self.frames.last().map_or(0, |frame| frame.top);
                let token = (self.memory.stack_arrays() as u64) << 32 | u64::from(frame);
                self.set(dst, token);
            }
            StackRestore => {
                let token = arg(self, 0);
                let now = self.memory.stack_depth();
                let arrays = (token >> 32) as u32;
                if let Some(frame) = self.frames.last_mut()
                    && (frame.local..=frame.top).contains(&(token as u32))
                    && (frame.depth.arrays..=now.arrays).contains(&arrays)
                {
                    frame.pointer += u64::from(frame.top - token as u32);
                    frame.top = token as u32;
                    self.memory.pop_locals(Depth { arrays, ..now });
                }
            }
            ObjectSize => {
                // Unknown: all ones for the greatest possible size, zero for the least.
                let least = arg(self, 1) & 1 != 0;
                self.set(dst, if least { 0 } else { u64::MAX });
            }
            PtrMask => self.set(dst, arg(self, 0) & arg(self, 1)),
            Assume => {
                if arg(self, 0) & 1 == 0 {
                    let message = "what the compiler was told to assume is not true".into();
                    return Err(Trouble::Fault(FaultKind::Unreachable, message));
                }
            }
            Trap => return Err(Trouble::Signal(4)),
            FrameAddress => {
                let address = self.frame_address(arg(self, 0));
                self.set(dst, address);
            }
            ReturnAddress => {
                let address = self.return_address(arg(self, 0));
                self.set(dst, address);
            }
            ThreadLocalAddress => self.set(dst, arg(self, 0)),
            IsConstant => self.set(dst, 0),
            Expect => self.set(dst, arg(self, 0)),
            ReduceAdd | ReduceMul | ReduceAnd | ReduceOr | ReduceXor => {
                let first = args.first().copied().unwrap_or(0);
                let mut value = self.get(first);
                for lane in 1..lanes {
                    let other = self.get(first + lane);
                    value = match which {
                        ReduceAdd => value.wrapping_add(other),
                        ReduceMul => value.wrapping_mul(other),
                        ReduceAnd => value & other,
                        ReduceOr => value | other,
                        _ => value ^ other,
                    };
                }
                self.set(dst, int::low(value, kind.width()));
            }
            SAddOverflow | UAddOverflow | SSubOverflow | USubOverflow | SMulOverflow | UMulOverflow => {
                let count = kind.registers();
                let a = self.get_wide(args[0], count);
                let b = self.get_wide(args[1], count);
                let (value, overflow) = with_overflow(which, kind.width(), a, b);
                self.set_wide(dst, count, value);
                self.set(dst + count, u64::from(overflow));
            }
            _ => {
                let count = kind.registers();
                let value = |index: usize| args.get(index).map_or(0, |reg| self.get_wide(*reg, count));
                let result = compute(which, kind, value(0), value(1), value(2));
                let result = result.ok_or_else(|| Trouble::Unsupported(format!("{which:?} of this type")))?;
                self.set_wide(dst, results(which, kind), result);
            }
        }
        Ok(())
    }
}

pub(super) fn with_overflow(which: Intrinsic, width: u32, a: u128, b: u128) -> (u128, bool) {
    use Intrinsic::*;
    let signed = matches!(which, SAddOverflow | SSubOverflow | SMulOverflow);
    if signed {
        let (a, b) = (int::sign_wide(a, width as u8) as i128, int::sign_wide(b, width as u8) as i128);
        let (value, over) = match which {
            SAddOverflow => a.overflowing_add(b),
            SSubOverflow => a.overflowing_sub(b),
            _ => a.overflowing_mul(b),
        };
        let cut = int::sign_wide(value as u128, width as u8) as i128;
        return (int::low_wide(value as u128, width), over || cut != value);
    }
    let (value, over) = match which {
        UAddOverflow => a.overflowing_add(b),
        USubOverflow => a.overflowing_sub(b),
        _ => a.overflowing_mul(b),
    };
    let cut = int::low_wide(value, width);
    (cut, over || cut != value)
}

/// Operations from values to a value.
fn compute(which: Intrinsic, kind: Scalar, a: u128, b: u128, c: u128) -> Option<u128> {
    use Intrinsic::*;
    let width = kind.width();
    let (sa, sb) = (int::sign_wide(a, width as u8) as i128, int::sign_wide(b, width as u8) as i128);
    let saturate = |overflow: Intrinsic, low: u128, high: u128| {
        let (value, over) = with_overflow(overflow, width, a, b);
        match (over, overflow) {
            (false, _) => value,
            (true, UAddOverflow) => int::low_wide(u128::MAX, width),
            (true, USubOverflow) => 0,
            // A negative second operand of a sum, or a positive one of a difference, goes down.
            (true, SAddOverflow) => {
                if sb < 0 {
                    low
                } else {
                    high
                }
            }
            _ => {
                if sb < 0 {
                    high
                } else {
                    low
                }
            }
        }
    };
    let (lowest, highest) = (1u128 << (width - 1), int::low_wide(u128::MAX, width) >> 1);
    Some(match which {
        SAddSat => saturate(SAddOverflow, lowest, highest),
        UAddSat => saturate(UAddOverflow, lowest, highest),
        SSubSat => saturate(SSubOverflow, lowest, highest),
        USubSat => saturate(USubOverflow, lowest, highest),
        BSwap => a.swap_bytes() >> (128 - width),
        BitReverse => a.reverse_bits() >> (128 - width),
        CtPop => u128::from(a.count_ones()),
        CtLz => u128::from(a.leading_zeros() - (128 - width)),
        CtTz => u128::from(a.trailing_zeros().min(width)),
        FShl | FShr => {
            let by = (c % u128::from(width)) as u32;
            let right = if which == FShr { by } else { width - by };
            match (which, by) {
                (FShl, 0) => a,
                (_, 0) => b,
                _ => int::low_wide(a << (width - right) | b >> right, width),
            }
        }
        Abs => int::low_wide(sa.unsigned_abs(), width),
        SMax => {
            if sa > sb {
                a
            } else {
                b
            }
        }
        SMin => {
            if sa < sb {
                a
            } else {
                b
            }
        }
        UMax => a.max(b),
        UMin => a.min(b),
        FAbs => float::absolute(kind, a),
        CopySign => float::absolute(kind, a) | (b & 1 << (width - 1)),
        Sqrt => sqrt(float::format(kind)?, a)?,
        Floor => round(float::format(kind)?, Rounding::Down, a),
        Ceil => round(float::format(kind)?, Rounding::Up, a),
        FTrunc => round(float::format(kind)?, Rounding::TowardZero, a),
        Rint | RoundEven => round(float::format(kind)?, Rounding::NearestEven, a),
        Intrinsic::Round => round(float::format(kind)?, Rounding::NearestAway, a),
        MinNum | MaxNum => match float::compare(kind, a, b)? {
            // The one that is a number.
            None => {
                if float::compare(kind, a, a)?.is_some() {
                    a
                } else {
                    b
                }
            }
            Some(order) => {
                if order.is_lt() == (which == MinNum) {
                    a
                } else {
                    b
                }
            }
        },
        Fma => fused(float::format(kind)?, a, b, c),
        // Without a fused instruction, as on plain x86-64, it is rounded twice.
        FMulAdd => float::binary(BinaryOp::FAdd, kind, float::binary(BinaryOp::FMul, kind, a, b)?, c)?,
        IsFpClass => u128::from(class(float::format(kind)?, a) & b as u32 != 0),
        _ => return None,
    })
}
