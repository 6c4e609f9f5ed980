//! Which values the variables of an input may have.

use super::{Number, Symbolic};
use crate::input::{Source, number_of, take_apart};
use hydrogen_term::{Pool, Term};

impl Symbolic {
    /// What holds of a variable in every input of the form asked for; `None` if it may have any value.
    pub(crate) fn domain(&self, pool: &mut Pool, variable: Term) -> Option<Term> {
        let name = pool.as_var(variable)?;
        if let Some(index) = number_of(name) {
            let number = *self.numbers.get(&index)?;
            return between(pool, variable, number);
        }
        match take_apart(name).0 {
            Source::Argument(index) if self.texts.contains(&index) => Some(printable(pool, variable)),
            _ => None,
        }
    }
}

fn between(pool: &mut Pool, variable: Term, number: Number) -> Option<Term> {
    let (least, most) = Number::limits(number.bits);
    let mut border = |value: i64| {
        let bits = value as u128 & (u128::MAX >> (128 - number.bits));
        pool.bits(number.bits, bits)
    };
    let (low, high) = (border(number.low), border(number.high));
    let mut bounds = Vec::new();
    if number.low > least {
        bounds.push(pool.sle(low, variable));
    }
    if number.high < most {
        bounds.push(pool.sle(variable, high));
    }
    (!bounds.is_empty()).then(|| pool.and_all(bounds))
}

/// A character of a text: printable, or the zero that ends it.
fn printable(pool: &mut Pool, byte: Term) -> Term {
    let (zero, first, last) = (pool.bits(8, 0), pool.bits(8, 0x20), pool.bits(8, 0x7e));
    let (ends, above, below) = (pool.eq(byte, zero), pool.ule(first, byte), pool.ule(byte, last));
    let inside = pool.and(above, below);
    pool.or(ends, inside)
}
