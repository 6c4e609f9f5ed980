//! Integer arithmetic and comparison.

use crate::{Domain, Fault, Faults, Outcome, Why};
use hydrogen_ir::{BinaryOp, IntPredicate, WrapFlags};

/// An operation on two integers of one width; none for those on floating-point numbers.
pub fn binary<D: Domain>(
    domain: &mut D,
    op: BinaryOp,
    flags: WrapFlags,
    a: D::Value,
    b: D::Value,
) -> Option<Outcome<D>> {
    use BinaryOp::*;
    let value = match op {
        Add => domain.add(a, b),
        Sub => domain.sub(a, b),
        Mul => domain.mul(a, b),
        UDiv => domain.udiv(a, b),
        SDiv => domain.sdiv(a, b),
        URem => domain.urem(a, b),
        SRem => domain.srem(a, b),
        Shl => domain.shl(a, b),
        LShr => domain.lshr(a, b),
        AShr => domain.ashr(a, b),
        And => domain.bitand(a, b),
        Or => domain.bitor(a, b),
        Xor => domain.bitxor(a, b),
        FAdd | FSub | FMul | FDiv | FRem => return None,
    };
    let mut faults = Faults::new();
    let mut add = |why: Why, when: D::Truth| faults.push(Fault { why, when });
    match op {
        Add if flags.nsw => add(Why::Overflow, domain.sadd_overflows(a, b)),
        Sub if flags.nsw => add(Why::Overflow, domain.ssub_overflows(a, b)),
        Mul if flags.nsw => add(Why::Overflow, domain.smul_overflows(a, b)),
        UDiv | URem => add(Why::ZeroDivisor, is_zero(domain, b)),
        SDiv | SRem => {
            add(Why::ZeroDivisor, is_zero(domain, b));
            add(Why::Quotient, quotient_overflows(domain, a, b));
        }
        LShr | AShr => add(Why::ShiftCount, is_too_far(domain, b)),
        Shl => {
            add(Why::ShiftCount, is_too_far(domain, b));
            // What is shifted out does not come back.
            let back = domain.ashr(value, b);
            let same = domain.equal(back, a);
            let loses = domain.not(same);
            if flags.other {
                let zero = domain.number(domain.width(a), 0);
                add(Why::NegativeShifted, domain.slt(a, zero));
                add(Why::ShiftedOut, loses);
            } else if flags.nsw {
                add(Why::Overflow, loses);
            }
        }
        _ => {}
    }
    Some(Outcome { value, faults })
}

fn is_zero<D: Domain>(domain: &mut D, value: D::Value) -> D::Truth {
    let zero = domain.number(domain.width(value), 0);
    domain.equal(value, zero)
}

/// Whether the least number is divided by -1.
fn quotient_overflows<D: Domain>(domain: &mut D, a: D::Value, b: D::Value) -> D::Truth {
    let width = domain.width(a);
    let (least, minus) = (domain.number(width, 1 << (width - 1)), domain.number(width, u128::MAX));
    let (is_least, is_minus) = (domain.equal(a, least), domain.equal(b, minus));
    domain.both(is_least, is_minus)
}

fn is_too_far<D: Domain>(domain: &mut D, by: D::Value) -> D::Truth {
    let width = domain.width(by);
    let limit = domain.number(width, u128::from(width));
    let below = domain.ult(by, limit);
    domain.not(below)
}

/// The comparison of two integers, or of two pointers as numbers.
pub fn compare<D: Domain>(domain: &mut D, predicate: IntPredicate, a: D::Value, b: D::Value) -> D::Truth {
    use IntPredicate::*;
    let (holds, denied) = match predicate {
        Eq => (domain.equal(a, b), false),
        Ne => (domain.equal(a, b), true),
        Ult => (domain.ult(a, b), false),
        Uge => (domain.ult(a, b), true),
        Ugt => (domain.ult(b, a), false),
        Ule => (domain.ult(b, a), true),
        Slt => (domain.slt(a, b), false),
        Sge => (domain.slt(a, b), true),
        Sgt => (domain.slt(b, a), false),
        Sle => (domain.slt(b, a), true),
    };
    if denied { domain.not(holds) } else { holds }
}
