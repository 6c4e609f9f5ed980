//! Decimal texts as terms of their number.

use hydrogen_term::{Pool, Term};

/// Whether a number is negative.
pub(crate) fn negative(pool: &mut Pool, number: Term) -> Term {
    let zero = pool.bits(pool.width(number), 0);
    pool.slt(number, zero)
}

/// The absolute value, as an unsigned number of the same width.
fn magnitude(pool: &mut Pool, number: Term) -> Term {
    let (below, opposite) = (negative(pool, number), pool.neg(number));
    pool.ite(below, opposite, number)
}

/// The powers of ten that the width can hold, beginning with ten.
fn powers(bits: u32) -> impl Iterator<Item = u128> {
    let largest = (1u128 << bits) - 1;
    std::iter::successors(Some(10u128), |power| power.checked_mul(10))
        .take_while(move |power| *power <= largest)
}

/// One condition after the other that together say how many digits a number has; `digits` is how many it has in this run.
pub(crate) fn has_digits(pool: &mut Pool, number: Term, digits: usize) -> Vec<Term> {
    let (bits, magnitude) = (pool.width(number), magnitude(pool, number));
    let mut conditions = Vec::new();
    for (power, count) in powers(bits).zip(1..) {
        let border = pool.bits(bits, power);
        let fewer = pool.ult(magnitude, border);
        if count == digits {
            conditions.push(fewer);
            break;
        }
        conditions.push(pool.not(fewer));
    }
    conditions
}

/// How many characters the text of a number has, in 64 bits.
pub(crate) fn length(pool: &mut Pool, number: Term) -> Term {
    let (bits, magnitude) = (pool.width(number), magnitude(pool, number));
    let powers: Vec<u128> = powers(bits).collect();
    let mut digits = pool.bits(64, powers.len() as u128 + 1);
    for (power, count) in powers.into_iter().zip(1..).collect::<Vec<_>>().into_iter().rev() {
        let (border, count) = (pool.bits(bits, power), pool.bits(64, count));
        let fewer = pool.ult(magnitude, border);
        digits = pool.ite(fewer, count, digits);
    }
    let below = negative(pool, number);
    let sign = pool.bool_to_bits(below, 64);
    pool.add(digits, sign)
}

/// The digit at a place, counted from the last, as a character.
pub(crate) fn digit(pool: &mut Pool, number: Term, place: usize) -> Term {
    let (bits, magnitude) = (pool.width(number), magnitude(pool, number));
    let power = pool.bits(bits, 10u128.pow(place as u32));
    let ten = pool.bits(bits, 10);
    let front = pool.udiv(magnitude, power);
    let value = pool.urem(front, ten);
    character(pool, value)
}

/// The first digit, however many follow, as a character.
pub(crate) fn first_digit(pool: &mut Pool, number: Term) -> Term {
    let (bits, magnitude) = (pool.width(number), magnitude(pool, number));
    let powers: Vec<u128> = std::iter::once(1).chain(powers(bits)).collect();
    let quotient = |pool: &mut Pool, power: u128| {
        let power = pool.bits(bits, power);
        pool.udiv(magnitude, power)
    };
    let mut value = quotient(pool, *powers.last().expect("there is the first power"));
    for pair in powers.windows(2).rev() {
        let border = pool.bits(bits, pair[1]);
        let fewer = pool.ult(magnitude, border);
        let first = quotient(pool, pair[0]);
        value = pool.ite(fewer, first, value);
    }
    character(pool, value)
}

fn character(pool: &mut Pool, digit: Term) -> Term {
    let digit = pool.resize_unsigned(digit, 8);
    let zero = pool.bits(8, u128::from(b'0'));
    pool.add(zero, digit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hydrogen_term::{Evaluator, Model, Sort, Value};

    #[test]
    fn digits_are_those_of_the_number() {
        for bits in [32, 64] {
            let mut pool = Pool::new();
            let number = pool.var("n", Sort::Bits(bits));
            let (below, length, first) =
                (negative(&mut pool, number), length(&mut pool, number), first_digit(&mut pool, number));
            let mut values: Vec<i64> =
                vec![0, 1, 9, 10, 11, 99, 100, 407, 1_000_000, i32::MAX.into(), i32::MIN.into()];
            values.extend(if bits == 64 { vec![i64::MAX, i64::MIN, 1 << 40] } else { vec![] });
            values.extend(
                values
                    .clone()
                    .iter()
                    .map(|one| one.wrapping_neg())
                    .filter(|one| bits == 64 || i32::try_from(*one).is_ok()),
            );
            for value in values {
                let text = value.to_string();
                let digits = text.trim_start_matches('-').as_bytes();
                let mut model = Model::new();
                let raw = value as u128 & (u128::MAX >> (128 - bits));
                model.set(number, Value::Bits { width: bits, value: raw });
                let places: Vec<Term> =
                    (0..digits.len()).map(|place| digit(&mut pool, number, place)).collect();
                let has = has_digits(&mut pool, number, digits.len());
                let mut evaluator = Evaluator::new(&pool, &model);
                assert_eq!(evaluator.holds(below), value < 0);
                assert_eq!(evaluator.bits(length), text.len() as u128, "{text}");
                assert_eq!(evaluator.bits(first), u128::from(digits[0]), "{text}");
                for (place, expected) in places.iter().zip(digits.iter().rev()) {
                    assert_eq!(evaluator.bits(*place), u128::from(*expected), "{text}");
                }
                assert!(has.iter().all(|one| evaluator.holds(*one)), "{text}");
            }
        }
    }
}
