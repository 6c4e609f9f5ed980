//! The compiler's own functions on integers, as terms.

use crate::frames::Registers;
use hydrogen_machine::code::{Intrinsic, Reg};
use hydrogen_term::{Pool, Term};

/// The result, and a second one for those that also say whether there was an overflow. `None`: no terms for it.
pub(crate) fn intrinsic(
    pool: &mut Pool,
    which: Intrinsic,
    width: u32,
    args: &[Reg],
    registers: &Registers<'_>,
) -> Option<(Term, Option<Term>)> {
    use Intrinsic::*;
    let read = |pool: &mut Pool, index: usize| Some(registers.read(pool, *args.get(index)?, width));
    let a = read(pool, 0)?;
    let signed = |pool: &mut Pool, value: i128| pool.signed_bits(width, value);
    let least = i128::MIN >> (128 - width);
    let simple = match which {
        SAddOverflow | UAddOverflow | SSubOverflow | USubOverflow | SMulOverflow | UMulOverflow => {
            let b = read(pool, 1)?;
            let (value, over) = with_overflow(pool, which, a, b);
            return Some((value, Some(pool.bool_to_bits(over, 1))));
        }
        UAddSat | USubSat | SAddSat | SSubSat => {
            let b = read(pool, 1)?;
            let same = match which {
                UAddSat => UAddOverflow,
                USubSat => USubOverflow,
                SAddSat => SAddOverflow,
                _ => SSubOverflow,
            };
            let (value, over) = with_overflow(pool, same, a, b);
            let limit = match which {
                UAddSat => signed(pool, -1),
                USubSat => signed(pool, 0),
                _ => {
                    // The side that the first operand is on is the side that it runs over.
                    let (low, high, zero) = (signed(pool, least), signed(pool, !least), signed(pool, 0));
                    let negative = pool.slt(a, zero);
                    pool.ite(negative, low, high)
                }
            };
            pool.ite(over, limit, value)
        }
        BSwap => {
            let mut value = pool.extract(a, 7, 0);
            for byte in 1..width / 8 {
                let next = pool.extract(a, byte * 8 + 7, byte * 8);
                value = pool.concat(value, next);
            }
            value
        }
        BitReverse => {
            let mut value = pool.extract(a, 0, 0);
            for bit in 1..width {
                let next = pool.extract(a, bit, bit);
                value = pool.concat(value, next);
            }
            value
        }
        CtPop => {
            let mut sum = pool.bits(width, 0);
            for bit in 0..width {
                let one = pool.extract(a, bit, bit);
                let one = pool.resize_unsigned(one, width);
                sum = pool.add(sum, one);
            }
            sum
        }
        CtLz | CtTz => {
            // The bit that decides last is the outermost choice.
            let mut value = pool.bits(width, u128::from(width));
            for step in 0..width {
                let (bit, count) = match which {
                    CtLz => (step, width - 1 - step),
                    _ => (width - 1 - step, width - 1 - step),
                };
                let one = pool.extract(a, bit, bit);
                let is_one = pool.bits_to_bool(one);
                let count = pool.bits(width, u128::from(count));
                value = pool.ite(is_one, count, value);
            }
            value
        }
        FShl | FShr => {
            let (b, by) = (read(pool, 1)?, read(pool, 2)?);
            let all = pool.bits(width, u128::from(width));
            let by = pool.urem(by, all);
            let rest = pool.sub(all, by);
            let (left, right) = if which == FShl { (by, rest) } else { (rest, by) };
            // A shift by the whole width gives zero in terms, as it should.
            let (high, low) = (pool.shl(a, left), pool.lshr(b, right));
            pool.bitor(high, low)
        }
        Abs => {
            let (zero, minus) = (signed(pool, 0), pool.neg(a));
            let negative = pool.slt(a, zero);
            pool.ite(negative, minus, a)
        }
        SMax | SMin | UMax | UMin => {
            let b = read(pool, 1)?;
            let less = if matches!(which, SMax | SMin) { pool.slt(a, b) } else { pool.ult(a, b) };
            let (small, large) = (pool.ite(less, a, b), pool.ite(less, b, a));
            if matches!(which, SMin | UMin) { small } else { large }
        }
        Expect => a,
        _ => return None,
    };
    Some((simple, None))
}

fn with_overflow(pool: &mut Pool, which: Intrinsic, a: Term, b: Term) -> (Term, Term) {
    use Intrinsic::*;
    match which {
        SAddOverflow => (pool.add(a, b), pool.sadd_overflows(a, b)),
        UAddOverflow => (pool.add(a, b), pool.uadd_overflows(a, b)),
        SSubOverflow => (pool.sub(a, b), pool.ssub_overflows(a, b)),
        USubOverflow => (pool.sub(a, b), pool.usub_overflows(a, b)),
        SMulOverflow => (pool.mul(a, b), pool.smul_overflows(a, b)),
        _ => (pool.mul(a, b), pool.umul_overflows(a, b)),
    }
}
