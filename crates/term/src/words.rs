//! Arithmetic on bit-vector values, held in the low bits of 128-bit words: the meaning of every operator, after SMT-LIB.

use crate::term::Op;

/// All ones of a width.
pub(crate) fn mask(width: u32) -> u128 {
    debug_assert!((1..=128).contains(&width));
    u128::MAX >> (128 - width)
}

/// The sign bit of a width.
pub(crate) fn sign_bit(width: u32) -> u128 {
    1 << (width - 1)
}

/// The value read as a signed number.
pub(crate) fn signed(value: u128, width: u32) -> i128 {
    let unused = 128 - width;
    ((value << unused) as i128) >> unused
}

/// The smallest signed number of a width.
pub(crate) fn smallest(width: u32) -> i128 {
    signed(sign_bit(width), width)
}

/// The largest signed number of a width.
pub(crate) fn largest(width: u32) -> i128 {
    (mask(width) >> 1) as i128
}

/// The number whose product with an odd one is 1.
pub(crate) fn inverse_of_odd(value: u128) -> u128 {
    // Newton's iteration doubles the number of right bits; an odd number is its own inverse in three.
    (0..6).fold(value, |inverse, _| inverse.wrapping_mul(2u128.wrapping_sub(value.wrapping_mul(inverse))))
}

/// The value of an operator on bit-vectors of one width, in the low bits; comparisons give 0 or 1.
pub(crate) fn binary(op: Op, width: u32, a: u128, b: u128) -> Option<u128> {
    let (sa, sb) = (signed(a, width), signed(b, width));
    let shift = u32::try_from(b).ok().filter(|&by| by < width);
    let value = match op {
        Op::BitAnd => a & b,
        Op::BitOr => a | b,
        Op::BitXor => a ^ b,
        Op::Add => a.wrapping_add(b),
        Op::Mul => a.wrapping_mul(b),
        Op::Udiv => a.checked_div(b).unwrap_or(u128::MAX),
        Op::Urem => a.checked_rem(b).unwrap_or(a),
        Op::Sdiv if sb == 0 => (if sa < 0 { 1 } else { -1i128 }) as u128,
        Op::Sdiv => sa.wrapping_div(sb) as u128,
        Op::Srem if sb == 0 => a,
        Op::Srem => sa.wrapping_rem(sb) as u128,
        Op::Shl => shift.map_or(0, |by| a << by),
        Op::Lshr => shift.map_or(0, |by| a >> by),
        Op::Ashr => (sa >> shift.unwrap_or(width - 1)) as u128,
        Op::Eq => return Some(u128::from(a == b)),
        Op::Ult => return Some(u128::from(a < b)),
        Op::Slt => return Some(u128::from(sa < sb)),
        _ => return None,
    };
    Some(value & mask(width))
}
