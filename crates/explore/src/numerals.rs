//! `atoi` and `strtol` of a text whose characters depend on the input, as terms of the characters (B-2).

use crate::concolic::Concolic;
use crate::path::Kind;
use crate::strings::Chars;
use bstr::ByteSlice;
use hydrogen_term::{Pool, Term};

/// So many characters are looked at: a number of more digits might not fit, which is left to the function's own code.
pub(crate) const MOST_FOR_INT: u64 = 9;
pub(crate) const MOST_FOR_LONG: u64 = 18;

/// A number in a text.
pub(crate) struct Numeral {
    /// Its value; zero without digits.
    pub(crate) value: Term,
    /// Whether there is a digit.
    pub(crate) is_there: Term,
    /// Where it ends, if it is there: so many characters behind the beginning, in 64 bits.
    pub(crate) end: Term,
}

/// What a character is.
struct Class {
    space: Term,
    minus: Term,
    sign: Term,
    digit: Term,
    value: Term,
}

fn class(pool: &mut Pool, byte: Term, bits: u32) -> Class {
    let one = |pool: &mut Pool, character: u8| {
        let character = pool.bits(8, u128::from(character));
        pool.eq(byte, character)
    };
    let span = |pool: &mut Pool, first: u8, count: u128| {
        let (first, count) = (pool.bits(8, u128::from(first)), pool.bits(8, count));
        let from = pool.sub(byte, first);
        (from, pool.ult(from, count))
    };
    let (blank, (_, control)) = (one(pool, b' '), span(pool, b'\t', 5));
    let (plus, minus) = (one(pool, b'+'), one(pool, b'-'));
    let (value, digit) = span(pool, b'0', 10);
    let value = pool.zext(value, bits);
    Class { space: pool.or(blank, control), minus, sign: pool.or(plus, minus), digit, value }
}

/// Whether there is a number in the text as it is in this run.
pub(crate) fn number_is_there(chars: &Chars<'_>) -> bool {
    let text = chars.now();
    let text = text.trim_start_with(|one| one == ' ' || ('\t'..='\r').contains(&one));
    let digits = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
    digits.first().is_some_and(u8::is_ascii_digit)
}

impl Concolic<'_> {
    /// The decimal number at the beginning of a text, behind white space, with its sign: what `atoi` and `strtol` with base 10 read.
    pub(crate) fn numeral(&mut self, chars: &Chars<'_>, bits: u32, most: u64) -> Option<Numeral> {
        let (yes, no) = (self.pool.bool(true), self.pool.bool(false));
        let (mut skipping, mut counting) = (yes, no);
        let (mut negative, mut is_there) = (no, no);
        let (mut value, mut end) = (self.pool.bits(bits, 0), self.pool.bits(64, 0));
        let ten = self.pool.bits(bits, 10);
        let mut symbolic = false;
        let mut at = 0;
        while (skipping, counting) != (no, no) {
            if at == most {
                return None;
            }
            let Some(byte) = self.char_at(chars, at) else {
                // There the text must have ended.
                let goes_on = self.pool.or(skipping, counting);
                let stops = self.pool.not(goes_on);
                self.require(stops, Kind::NoFault);
                break;
            };
            symbolic |= self.pool.as_bits(byte).is_none();
            let pool = &mut self.pool;
            let class = class(pool, byte, bits);
            let special = pool.or(class.space, class.sign);
            let plain = pool.not(special);
            let begins = pool.and(skipping, plain);
            let inside = pool.or(counting, begins);
            let counts = pool.and(inside, class.digit);
            let shifted = pool.mul(value, ten);
            let longer = pool.add(shifted, class.value);
            value = pool.ite(counts, longer, value);
            is_there = pool.or(is_there, counts);
            let behind = pool.bits(64, u128::from(at + 1));
            end = pool.ite(counts, behind, end);
            let minus = pool.and(skipping, class.minus);
            negative = pool.or(negative, minus);
            let sign = pool.and(skipping, class.sign);
            counting = pool.or(counts, sign);
            skipping = pool.and(skipping, class.space);
            at += 1;
        }
        let opposite = self.pool.neg(value);
        let value = self.pool.ite(negative, opposite, value);
        symbolic.then_some(Numeral { value, is_there, end })
    }
}
