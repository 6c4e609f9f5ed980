//! The compiler's own functions from values to values.

use crate::{Domain, Kind, float_binary, float_compare};
use hydrogen_ir::{BinaryOp, FloatPredicate, Intrinsic};
use hydrogen_term::{FloatOp, Format, Rounding};

/// The result of a function of the compiler.
pub struct Computed<D: Domain + ?Sized> {
    /// The result.
    pub value: D::Value,
    /// Whether it overflowed, of those that say so.
    pub overflow: Option<D::Truth>,
}

/// What a function of the compiler computes of values of one kind; none for those that do something else, and where the domain cannot say it.
pub fn intrinsic<D: Domain>(
    domain: &mut D,
    which: Intrinsic,
    kind: Kind,
    args: &[D::Value],
) -> Option<Computed<D>> {
    use Intrinsic::*;
    match (which, kind) {
        (
            SAddOverflow | UAddOverflow | SSubOverflow | USubOverflow | SMulOverflow | UMulOverflow,
            Kind::Int(_),
        ) => {
            let (value, overflow) = with_overflow(domain, which, *args.first()?, *args.get(1)?);
            Some(Computed { value, overflow: Some(overflow) })
        }
        (_, Kind::Int(1..=128)) => {
            Some(Computed { value: of_integers(domain, which, args)?, overflow: None })
        }
        (_, Kind::Float(format)) if domain.has_format(format) => {
            Some(Computed { value: of_floats(domain, which, format, args)?, overflow: None })
        }
        _ => None,
    }
}

fn with_overflow<D: Domain>(
    domain: &mut D,
    which: Intrinsic,
    a: D::Value,
    b: D::Value,
) -> (D::Value, D::Truth) {
    use Intrinsic::*;
    match which {
        SAddOverflow | SAddSat => (domain.add(a, b), domain.sadd_overflows(a, b)),
        UAddOverflow | UAddSat => (domain.add(a, b), domain.uadd_overflows(a, b)),
        SSubOverflow | SSubSat => (domain.sub(a, b), domain.ssub_overflows(a, b)),
        USubOverflow | USubSat => (domain.sub(a, b), domain.usub_overflows(a, b)),
        SMulOverflow => (domain.mul(a, b), domain.smul_overflows(a, b)),
        _ => (domain.mul(a, b), domain.umul_overflows(a, b)),
    }
}

fn of_integers<D: Domain>(domain: &mut D, which: Intrinsic, args: &[D::Value]) -> Option<D::Value> {
    use Intrinsic::*;
    let a = *args.first()?;
    let width = domain.width(a);
    let zero = domain.number(width, 0);
    Some(match which {
        SAddSat | UAddSat | SSubSat | USubSat => {
            let (value, over) = with_overflow(domain, which, a, *args.get(1)?);
            let limit = match which {
                UAddSat => domain.number(width, u128::MAX),
                USubSat => zero,
                _ => {
                    // The side that the first operand is on is the side that it runs over.
                    let least = domain.number(width, 1 << (width - 1));
                    let most = domain.number(width, (1 << (width - 1)) - 1);
                    let negative = domain.slt(a, zero);
                    domain.choose(negative, least, most)
                }
            };
            domain.choose(over, limit, value)
        }
        BSwap if width.is_multiple_of(8) => reversed(domain, a, 8),
        BitReverse => reversed(domain, a, 1),
        CtPop => (0..width).fold(zero, |sum, bit| {
            let one = domain.extract(a, bit, bit);
            let one = domain.resize_unsigned(one, width);
            domain.add(sum, one)
        }),
        CtLz | CtTz => {
            // The bit that decides last is the outermost choice.
            let none = domain.number(width, u128::from(width));
            (0..width).fold(none, |found, step| {
                let bit = if which == CtLz { step } else { width - 1 - step };
                let (one, yes) = (domain.extract(a, bit, bit), domain.number(1, 1));
                let is_one = domain.equal(one, yes);
                let count = domain.number(width, u128::from(width - 1 - step));
                domain.choose(is_one, count, found)
            })
        }
        FShl | FShr => {
            let (b, by) = (*args.get(1)?, *args.get(2)?);
            let all = domain.number(width, u128::from(width));
            let by = domain.urem(by, all);
            let rest = domain.sub(all, by);
            let (left, right) = if which == FShl { (by, rest) } else { (rest, by) };
            // A shift by the whole width gives zero, as it should.
            let (high, low) = (domain.shl(a, left), domain.lshr(b, right));
            domain.bitor(high, low)
        }
        Abs => {
            let (negative, minus) = (domain.slt(a, zero), domain.sub(zero, a));
            domain.choose(negative, minus, a)
        }
        SMax | SMin | UMax | UMin => {
            let b = *args.get(1)?;
            let less = if matches!(which, SMax | SMin) { domain.slt(a, b) } else { domain.ult(a, b) };
            let smaller = matches!(which, SMin | UMin);
            if smaller { domain.choose(less, a, b) } else { domain.choose(less, b, a) }
        }
        PtrMask => domain.bitand(a, *args.get(1)?),
        Expect => a,
        _ => return None,
    })
}

/// The groups of bits in the opposite order.
fn reversed<D: Domain>(domain: &mut D, a: D::Value, group: u32) -> D::Value {
    let width = domain.width(a);
    let first = domain.extract(a, group - 1, 0);
    (1..width / group).fold(first, |value, index| {
        let next = domain.extract(a, index * group + group - 1, index * group);
        domain.concat(value, next)
    })
}

fn of_floats<D: Domain>(
    domain: &mut D,
    which: Intrinsic,
    format: Format,
    args: &[D::Value],
) -> Option<D::Value> {
    use Intrinsic::*;
    let a = *args.first()?;
    let top = format.width() - 1;
    let mut round = |how: Rounding| domain.float(FloatOp::Round(how), format, &[a]);
    Some(match which {
        FAbs => {
            let rest = domain.number(format.width(), format.sign_bit() - 1);
            domain.bitand(a, rest)
        }
        CopySign => {
            let (sign, rest) = (domain.extract(*args.get(1)?, top, top), domain.extract(a, top - 1, 0));
            domain.concat(sign, rest)
        }
        Sqrt if hydrogen_float::sqrt(format, 0).is_some() => domain.float(FloatOp::Sqrt, format, &[a]),
        Floor => round(Rounding::Down),
        Ceil => round(Rounding::Up),
        FTrunc => round(Rounding::TowardZero),
        Rint | RoundEven => round(Rounding::NearestEven),
        Round => round(Rounding::NearestAway),
        MinNum | MaxNum => {
            let b = *args.get(1)?;
            // Of equal ones the second is the smaller and the first the larger; of one that is no number, the other.
            let a_is_nan = float_compare(domain, FloatPredicate::Uno, format, a, a)?;
            let b_is_nan = float_compare(domain, FloatPredicate::Uno, format, b, b)?;
            let less = float_compare(domain, FloatPredicate::Olt, format, a, b)?;
            let chosen = if which == MinNum { domain.choose(less, a, b) } else { domain.choose(less, b, a) };
            let chosen = domain.choose(b_is_nan, a, chosen);
            domain.choose(a_is_nan, b, chosen)
        }
        IsFpClass if format.is_interchange() => {
            let classes = domain.known(*args.get(1)?)?;
            let holds = is_of_class(domain, format, a, classes);
            domain.bit(holds, 1)
        }
        Fma => domain.float(FloatOp::Fma, format, &[a, *args.get(1)?, *args.get(2)?]),
        // Without a fused instruction, as on plain x86-64, it is rounded twice.
        FMulAdd => {
            let product = float_binary(domain, BinaryOp::FMul, format, a, *args.get(1)?)?;
            float_binary(domain, BinaryOp::FAdd, format, product, *args.get(2)?)?
        }
        _ => return None,
    })
}

/// Whether a number is of one of LLVM's classes: signalling, quiet, then from minus infinity to plus infinity.
fn is_of_class<D: Domain>(domain: &mut D, format: Format, a: D::Value, classes: u128) -> D::Truth {
    let width = format.width();
    let rest = domain.number(width, format.sign_bit() - 1);
    let magnitude = domain.bitand(a, rest);
    let (sign, one) = (domain.extract(a, width - 1, width - 1), domain.number(1, 1));
    let negative = domain.equal(sign, one);
    let positive = domain.not(negative);
    let (least_normal, infinity) = (1u128 << format.fraction_bits(), format.infinity());
    let quiet = infinity | format.quiet_bit();
    // Magnitudes from the first to before the second.
    let (zeros, small, normal) = ((0, 1), (1, least_normal), (least_normal, infinity));
    let signs = [(negative, [2, 3, 4, 5]), (positive, [9, 8, 7, 6])];
    let mut found = domain.truth(false);
    let mut within = |domain: &mut D, sign: Option<D::Truth>, (from, to): (u128, u128)| {
        let (from, to) = (domain.number(width, from), domain.number(width, to));
        let (before, below) = (domain.ult(magnitude, from), domain.ult(magnitude, to));
        let reached = domain.not(before);
        let inside = domain.both(reached, below);
        let inside = sign.map_or(inside, |sign| domain.both(sign, inside));
        found = domain.either(found, inside);
    };
    if classes & 1 != 0 {
        within(domain, None, (infinity + 1, quiet));
    }
    if classes & 2 != 0 {
        within(domain, None, (quiet, format.sign_bit()));
    }
    for (sign, bits) in signs {
        for (bit, range) in bits.into_iter().zip([(infinity, infinity + 1), normal, small, zeros]) {
            if classes >> bit & 1 != 0 {
                within(domain, Some(sign), range);
            }
        }
    }
    found
}
