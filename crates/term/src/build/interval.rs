//! Comparisons of one term with constants, read as sets of values: `x == 3`, `x < 5` and their negations are intervals on the
//! circle of values, so two of them can be joined.

use crate::{
    pool::Pool,
    term::{Op, Term},
    words::{mask, sign_bit},
};

/// The values `start`, `start + 1`, … `start + span`, wrapping at the width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    pub start: u128,
    pub span: u128,
    pub width: u32,
}

impl Interval {
    fn contains(self, value: u128) -> bool {
        self.offset(value) <= self.span
    }

    fn offset(self, value: u128) -> u128 {
        value.wrapping_sub(self.start) & mask(self.width)
    }

    pub fn end(self) -> u128 {
        self.start.wrapping_add(self.span) & mask(self.width)
    }

    fn is_within(self, other: Interval) -> bool {
        other.contains(self.start)
            && other.contains(self.end())
            && other.offset(self.start) <= other.offset(self.end())
    }

    fn is_apart_from(self, other: Interval) -> bool {
        !other.contains(self.start) && !self.contains(other.start)
    }

    /// The only common value, if it is one.
    fn single_common(self, other: Interval) -> Option<u128> {
        let touches = |a: Interval, b: Interval| {
            // `a` ends where `b` starts, and `b` ends before `a` starts again.
            (a.end() == b.start && !a.contains(b.end()) && !b.contains(a.start)).then_some(b.start)
        };
        touches(self, other).or_else(|| touches(other, self))
    }
}

/// The term compared and the values for which the comparison holds.
pub(crate) fn literal(pool: &Pool, term: Term) -> Option<(Term, Interval)> {
    let (inner, negated) = match pool.single_if(term, Op::Not) {
        Some(inner) => (inner, true),
        None => (term, false),
    };
    let &[compared, constant] = pool.args(inner) else { return None };
    let value = pool.as_bits(constant)?;
    let width = pool.width(compared);
    // No comparison that is always or never true is left in a pool, so neither the interval nor its complement is empty.
    let (start, span) = match pool.op(inner) {
        Op::Eq => (value, 0),
        Op::Ult => (0, value.checked_sub(1)?),
        Op::Slt => (sign_bit(width), value.wrapping_sub(sign_bit(width)).wrapping_sub(1) & mask(width)),
        _ => return None,
    };
    let interval = Interval { start, span, width };
    if !negated {
        return Some((compared, interval));
    }
    let start = interval.end().wrapping_add(1) & mask(width);
    Some((compared, Interval { start, span: mask(width).checked_sub(span)?.checked_sub(1)?, width }))
}

/// Whether two comparisons of one term cannot both hold.
pub(super) fn apart(pool: &Pool, left: Term, right: Term) -> bool {
    match (literal(pool, left), literal(pool, right)) {
        (Some((x, a)), Some((y, b))) => x == y && a.is_apart_from(b),
        _ => false,
    }
}

/// The conjunction of two comparisons of one term, where it is simpler than the two.
pub(super) fn both(pool: &mut Pool, left: Term, right: Term) -> Option<Term> {
    let ((compared, a), (other, b)) = (literal(pool, left)?, literal(pool, right)?);
    if compared != other {
        return None;
    }
    if a.is_apart_from(b) {
        return Some(pool.bool(false));
    }
    if a.is_within(b) {
        return Some(left);
    }
    if b.is_within(a) {
        return Some(right);
    }
    let value = a.single_common(b)?;
    let value = pool.bits(a.width, value);
    Some(pool.eq(compared, value))
}
