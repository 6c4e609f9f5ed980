//! Floating-point arithmetic in a normal form.
//!
//! Numbers are compared as P-3 says: by their bits, and what is no number is equal to whatever is none. So laws that hold for all numbers may be used, which the
//! terms themselves (exact to the bits of a NaN) do not know. Every law here is one of IEEE 754 with rounding to nearest, not one of the reals.

use hydrogen_term::{FloatOp, Format, Op, Pool, Term};

/// An operation on a choice between two constants is a choice between two operations: so it meets a program that branches first.
fn by_choice(
    pool: &mut Pool,
    a: Term,
    b: Term,
    mut operation: impl FnMut(&mut Pool, Term, Term) -> Term,
) -> Option<Term> {
    for (choice, is_first) in [(a, true), (b, false)] {
        let (Op::Ite, &[condition, then, otherwise]) = (pool.op(choice), pool.args(choice)) else { continue };
        if pool.as_bits(then).is_none() || pool.as_bits(otherwise).is_none() {
            continue;
        }
        let mut with = |pool: &mut Pool, one: Term| match is_first {
            true => operation(pool, one, b),
            false => operation(pool, a, one),
        };
        let (then, otherwise) = (with(pool, then), with(pool, otherwise));
        return Some(pool.ite(condition, then, otherwise));
    }
    None
}

/// A sum. It is commutative; a number added to itself is its double, and -0 changes nothing.
pub fn sum(pool: &mut Pool, format: Format, a: Term, b: Term) -> Term {
    if let Some(chosen) = by_choice(pool, a, b, |pool, a, b| sum(pool, format, a, b)) {
        return chosen;
    }
    let minus_zero = format.sign_bit();
    if pool.as_bits(b) == Some(minus_zero) {
        return a;
    }
    if pool.as_bits(a) == Some(minus_zero) {
        return b;
    }
    if a == b {
        let two = pool.bits(format.width(), power(format, 1));
        return product(pool, format, a, two);
    }
    let (a, b) = if b < a { (b, a) } else { (a, b) };
    pool.float(FloatOp::Add, format, &[a, b])
}

/// A difference: the sum with the number of the other sign.
pub fn difference(pool: &mut Pool, format: Format, a: Term, b: Term) -> Term {
    let minus = pool.float_negated(format, b);
    sum(pool, format, a, minus)
}

/// A product. It is commutative, signs come last, and factors that are powers of two are exact upwards.
pub fn product(pool: &mut Pool, format: Format, a: Term, b: Term) -> Term {
    if let Some(chosen) = by_choice(pool, a, b, |pool, a, b| product(pool, format, a, b)) {
        return chosen;
    }
    let ((negative, a), (other, b)) = (unsigned(pool, format, a), unsigned(pool, format, b));
    let value = unsigned_product(pool, format, a, b);
    signed(pool, format, negative != other, value)
}

fn unsigned_product(pool: &mut Pool, format: Format, a: Term, b: Term) -> Term {
    let one = power(format, 0);
    if pool.as_bits(b) == Some(one) {
        return a;
    }
    if pool.as_bits(a) == Some(one) {
        return b;
    }
    for (factor, other) in [(a, b), (b, a)] {
        // Doubling twice is quadrupling: nothing is rounded, and what is too large stays so. Halving twice may round twice.
        let Some(by) = exponent(pool, format, factor).filter(|by| *by > 0) else { continue };
        let Op::Float(FloatOp::Mul, of) = pool.op(other) else { continue };
        let inner: Vec<Term> = pool.args(other).to_vec();
        for (at, &one) in inner.iter().enumerate() {
            if let Some(more) = exponent(pool, format, one).filter(|more| of == format && *more > 0)
                && by + more <= bias(format)
            {
                let together = pool.bits(format.width(), power(format, by + more));
                return unsigned_product(pool, format, inner[1 - at], together);
            }
        }
    }
    let (a, b) = if b < a { (b, a) } else { (a, b) };
    pool.float(FloatOp::Mul, format, &[a, b])
}

/// A quotient. Signs come last, and dividing by a power of two is multiplying by its reciprocal: both round the same number once.
pub fn quotient(pool: &mut Pool, format: Format, a: Term, b: Term) -> Term {
    if let Some(chosen) = by_choice(pool, a, b, |pool, a, b| quotient(pool, format, a, b)) {
        return chosen;
    }
    let ((negative, a), (other, b)) = (unsigned(pool, format, a), unsigned(pool, format, b));
    let value = match exponent(pool, format, b) {
        Some(by) if by.abs() < bias(format) => {
            let reciprocal = pool.bits(format.width(), power(format, -by));
            unsigned_product(pool, format, a, reciprocal)
        }
        _ => pool.float(FloatOp::Div, format, &[a, b]),
    };
    signed(pool, format, negative != other, value)
}

/// A number of another format; what was widened and comes back is what it was.
pub fn converted(pool: &mut Pool, from: Format, to: Format, a: Term) -> Term {
    if let Op::Float(FloatOp::Convert(wide), narrow) = pool.op(a)
        && wide == from
        && narrow == to
        && from.holds_all_of(to)
    {
        return pool.args(a)[0];
    }
    pool.float(FloatOp::Convert(to), from, &[a])
}

/// Whether a term is a negation or a negative number, and what is left without.
fn unsigned(pool: &mut Pool, format: Format, a: Term) -> (bool, Term) {
    let sign = format.sign_bit();
    if let Some(bits) = pool.as_bits(a) {
        let is_negative = bits & sign != 0 && !format.is_nan(bits);
        return if is_negative { (true, pool.bits(format.width(), bits ^ sign)) } else { (false, a) };
    }
    match (pool.op(a), pool.args(a)) {
        (Op::BitXor, &[number, by]) if pool.as_bits(by) == Some(sign) => (true, number),
        _ => (false, a),
    }
}

fn signed(pool: &mut Pool, format: Format, negative: bool, value: Term) -> Term {
    if negative { pool.float_negated(format, value) } else { value }
}

/// What exponents are moved by in bits.
fn bias(format: Format) -> i32 {
    (1 << (format.exponent_bits() - 1)) - 1
}

/// The bits of a power of two that is a normal number.
fn power(format: Format, exponent: i32) -> u128 {
    let field = u128::try_from(exponent + bias(format)).expect("the exponent is one of a normal number");
    field << format.fraction_bits()
}

/// The exponent of a constant that is a power of two and a normal number.
fn exponent(pool: &Pool, format: Format, a: Term) -> Option<i32> {
    let bits = pool.as_bits(a)?;
    let field = i32::try_from(bits >> format.fraction_bits()).ok()?;
    let is_power = bits & ((1 << format.fraction_bits()) - 1) == 0 && field > 0 && field <= 2 * bias(format);
    is_power.then(|| field - bias(format))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hydrogen_term::{Evaluator, Model, Sort, Value};

    /// Numbers at which laws of the reals fail.
    const NUMBERS: [f64; 16] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.1,
        1.0 / 3.0,
        2.0,
        -4.0,
        5e-324,
        -2.2250738585072014e-308,
        1.7976931348623157e308,
        -8.98846567431158e307,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        12345.678,
    ];

    /// Every law keeps every number: the normal form evaluates to what the processor computes.
    #[test]
    fn normal_forms_compute_what_the_processor_does() {
        let mut pool = Pool::new();
        let (x, y) = (pool.var("x", Sort::Bits(64)), pool.var("y", Sort::Bits(64)));
        type Law = (fn(&mut Pool, Format, Term, Term) -> Term, fn(f64, f64) -> f64);
        let laws: [Law; 4] = [
            (sum, |a, b| a + b),
            (difference, |a, b| a - b),
            (product, |a, b| a * b),
            (quotient, |a, b| a / b),
        ];
        let constants =
            [0.5, 2.0, -2.0, 4.0, 1.0, -1.0, 0.0, -0.0, 3.0, 0.25, -0.125, f64::INFINITY, f64::MAX];
        type Real = Box<dyn Fn(f64, f64) -> f64>;
        let mut forms: Vec<(Term, Real)> = Vec::new();
        for (law, real) in laws {
            forms.push((law(&mut pool, Format::Double, x, y), Box::new(real)));
            forms.push((law(&mut pool, Format::Double, x, x), Box::new(move |a, _| real(a, a))));
            let minus = pool.float_negated(Format::Double, x);
            forms.push((law(&mut pool, Format::Double, minus, y), Box::new(move |a, b| real(-a, b))));
            for c in constants {
                let term = pool.bits(64, u128::from(c.to_bits()));
                let one = law(&mut pool, Format::Double, x, term);
                forms.push((one, Box::new(move |a, _| real(a, c))));
                for (second, other) in laws {
                    let two = second(&mut pool, Format::Double, one, term);
                    forms.push((two, Box::new(move |a, _| other(real(a, c), c))));
                }
                forms.push((law(&mut pool, Format::Double, term, x), Box::new(move |a, _| real(c, a))));
            }
        }
        for a in NUMBERS {
            for b in NUMBERS {
                let mut model = Model::default();
                for (name, value) in [(x, a), (y, b)] {
                    model.set(name, Value::Bits { width: 64, value: u128::from(value.to_bits()) });
                }
                let mut evaluator = Evaluator::new(&pool, &model);
                for (term, real) in &forms {
                    let (got, wanted) = (f64::from_bits(evaluator.bits(*term) as u64), real(a, b));
                    let same = got.to_bits() == wanted.to_bits() || got.is_nan() && wanted.is_nan();
                    assert!(same, "{got:?} is not {wanted:?} at {a:?}, {b:?}");
                }
            }
        }
    }
}
