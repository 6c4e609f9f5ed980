//! How floating-point operators, which are functions of bits here, are said in SMT-LIB's theory, whose numbers have no bits.
//!
//! A term that is an operand of another operator is handed on as a number ([`Form::Number`]). Where its bits are asked for, they are a new variable
//! whose number is the operator's result, and whose bits are those of the right NaN if that is no number; this fixes them, so it restricts nothing
//! else.

use hydrogen_float::{Format, Rounding};
use smallvec::SmallVec;

use crate::{
    build::float::SignChange,
    float::FloatOp,
    pool::Pool,
    term::{Op, Term},
    words::mask,
};

/// What a term is wanted as.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Form {
    /// As the truth value, bit-vector or array it is.
    Plain,
    /// As the floating-point number that its bits are.
    Number(Format),
}

/// A term in a form.
pub(crate) type Wanted = (Term, Form);

/// An operator of the theory, or one on bits that its translation needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    Add(Rounding),
    Sub(Rounding),
    Mul(Rounding),
    Div(Rounding),
    Fma(Rounding),
    Sqrt(Rounding),
    Whole(Rounding),
    Negated,
    Absolute,
    Equal,
    Less,
    LessEq,
    IsNan,
    FromBits(Format),
    FromNumber(Format),
    FromSigned(Format),
    FromUnsigned(Format),
    ToSigned(u32),
    ToUnsigned(u32),
    Not,
    And,
    Or,
    Same,
    Ite,
    BitOr,
    Concat,
    Extract(u32, u32),
}

/// Where the theory's terms are made.
pub(crate) trait Theory {
    /// A term there.
    type Made: Clone;
    fn literal(&mut self, width: u32, value: u128) -> Self::Made;
    fn make(&mut self, part: Part, args: &[Self::Made]) -> Self::Made;
}

/// What has to be there before a term can be made in a form. A plain term that is no floating-point operator needs its arguments.
pub(crate) fn needs(pool: &Pool, (term, form): Wanted) -> SmallVec<[Wanted; 6]> {
    let args = pool.args(term).iter().copied();
    match (form, pool.op(term)) {
        (Form::Plain, Op::Float(op, format)) => match op.result_format(format) {
            Some(result) => {
                let payloads = args.filter(|_| !op.takes_integers()).map(|arg| (arg, Form::Plain));
                let numbers = pool
                    .args(term)
                    .iter()
                    .filter(|_| !op.takes_integers())
                    .map(|&arg| (arg, Form::Number(format)));
                [(term, Form::Number(result))].into_iter().chain(payloads).chain(numbers).collect()
            }
            None => args.map(|arg| (arg, Form::Number(format))).collect(),
        },
        (Form::Plain, _) => args.map(|arg| (arg, Form::Plain)).collect(),
        (Form::Number(wanted), Op::Float(op, format)) if op.result_format(format) == Some(wanted) => {
            let form = if op.takes_integers() { Form::Plain } else { Form::Number(format) };
            args.map(|arg| (arg, form)).collect()
        }
        (Form::Number(wanted), Op::Ite) if pool.logic(&pool.args(term)[1..]).has_floats() => {
            let form = Form::Number(wanted);
            args.zip([Form::Plain, form, form]).collect()
        }
        (Form::Number(wanted), _) => match pool.sign_changed(wanted, term) {
            Some((_, number)) if pool.logic(&[number]).has_floats() => [(number, form)].into_iter().collect(),
            _ => [(term, Form::Plain)].into_iter().collect(),
        },
    }
}

/// Whether the term's bits have to be a new variable, bound by [`bits_of`].
pub(crate) fn is_unbound(pool: &Pool, (term, form): Wanted) -> bool {
    match (form, pool.op(term)) {
        (Form::Plain, Op::Float(op, format)) => op.result_format(format).is_some(),
        _ => false,
    }
}

/// The term as a number; or, of an operator whose result is none, its result. What it needs is there.
pub(crate) fn number<T: Theory>(
    theory: &mut T,
    pool: &Pool,
    (term, form): Wanted,
    made: &impl Fn(Wanted) -> T::Made,
) -> T::Made {
    let args: Vec<T::Made> = needs(pool, (term, form)).into_iter().map(made).collect();
    let is_operator = |op: FloatOp, format| match form {
        Form::Plain => op.result_format(format).is_none(),
        Form::Number(wanted) => op.result_format(format) == Some(wanted),
    };
    match (pool.op(term), form) {
        (Op::Float(op, format), _) if is_operator(op, format) => operator(theory, op, format, &args),
        (Op::Ite, _) if args.len() == 3 => theory.make(Part::Ite, &args),
        (_, Form::Number(wanted)) => match pool.sign_changed(wanted, term) {
            Some((change, number)) if pool.logic(&[number]).has_floats() => {
                let part = match change {
                    SignChange::Negated => Part::Negated,
                    SignChange::Absolute => Part::Absolute,
                };
                theory.make(part, &args)
            }
            _ => theory.make(Part::FromBits(wanted), &args),
        },
        (op, Form::Plain) => unreachable!("{op:?} has nothing to do with floating point"),
    }
}

fn operator<T: Theory>(theory: &mut T, op: FloatOp, format: Format, args: &[T::Made]) -> T::Made {
    const NEAREST: Rounding = Rounding::NearestEven;
    let part = match op {
        FloatOp::Add => Part::Add(NEAREST),
        FloatOp::Sub => Part::Sub(NEAREST),
        FloatOp::Mul => Part::Mul(NEAREST),
        FloatOp::Div => Part::Div(NEAREST),
        FloatOp::Fma => Part::Fma(NEAREST),
        FloatOp::Sqrt => Part::Sqrt(NEAREST),
        FloatOp::Round(how) => Part::Whole(how),
        FloatOp::Eq => Part::Equal,
        FloatOp::Less => Part::Less,
        FloatOp::LessEq => Part::LessEq,
        FloatOp::FromSigned => Part::FromSigned(format),
        FloatOp::FromUnsigned => Part::FromUnsigned(format),
        FloatOp::Convert(to) => Part::FromNumber(to),
        FloatOp::ToSigned(width) => return integer(theory, true, format, width, &args[0]),
        FloatOp::ToUnsigned(width) => return integer(theory, false, format, width, &args[0]),
    };
    theory.make(part, args)
}

/// The theory says nothing about a number that does not fit; we do.
fn integer<T: Theory>(theory: &mut T, signed: bool, format: Format, width: u32, number: &T::Made) -> T::Made {
    let whole = theory.make(Part::Whole(Rounding::TowardZero), std::slice::from_ref(number));
    let mut constant = |bits: u128| {
        let literal = theory.literal(format.width(), bits);
        theory.make(Part::FromBits(format), &[literal])
    };
    // A single bit is more than Bitwuzla's conversion can do; the lowest of two is the same where the number fits.
    let asked = width.max(2);
    let (above, part) = match signed {
        true => (power_of_two(format, width - 1), Part::ToSigned(asked)),
        false => (power_of_two(format, width), Part::ToUnsigned(asked)),
    };
    let below = if signed { above | format.sign_bit() } else { 0 };
    let (high, low) = (constant(above), constant(below));
    // Minus infinity is not reached from below; any other bound is.
    let reaches = if signed && above == format.infinity() { Part::Less } else { Part::LessEq };
    let (under, over) =
        (theory.make(Part::Less, &[whole.clone(), high]), theory.make(reaches, &[low, whole]));
    let fits = theory.make(Part::And, &[under, over]);
    let mut converted = theory.make(part, std::slice::from_ref(number));
    if asked > width {
        converted = theory.make(Part::Extract(width - 1, 0), &[converted]);
    }
    let otherwise = theory.literal(width, 1 << (width - 1));
    theory.make(Part::Ite, &[fits, converted, otherwise])
}

/// A power of two, or infinity if there is no such number.
fn power_of_two(format: Format, exponent: u32) -> u128 {
    let bias = (1 << (format.exponent_bits() - 1)) - 1;
    match exponent <= bias {
        true => u128::from(exponent + bias) << format.fraction_bits(),
        false => format.infinity(),
    }
}

/// That a variable has the bits of a floating-point operator's result.
pub(crate) fn bits_of<T: Theory>(
    theory: &mut T,
    pool: &Pool,
    term: Term,
    variable: &T::Made,
    made: &impl Fn(Wanted) -> T::Made,
) -> T::Made {
    let Op::Float(op, format) = pool.op(term) else { unreachable!("only those have new variables") };
    let result = op.result_format(format).expect("the result is a number with bits");
    let number = made((term, Form::Number(result)));
    let back = theory.make(Part::FromBits(result), std::slice::from_ref(variable));
    let same = theory.make(Part::Same, &[back, number.clone()]);
    if op.takes_integers() {
        return same;
    }
    let quiet = theory.literal(result.width(), result.quiet_bit());
    let default = theory.literal(result.width(), result.default_nan());
    let nan = pool.args(term).iter().rev().fold(default, |other, &arg| {
        let (is_nan, bits) = (made((arg, Form::Number(format))), made((arg, Form::Plain)));
        let is_nan = theory.make(Part::IsNan, &[is_nan]);
        let bits = if result == format { bits } else { payload(theory, format, result, bits) };
        let quieted = theory.make(Part::BitOr, &[bits, quiet.clone()]);
        theory.make(Part::Ite, &[is_nan, quieted, other])
    });
    let is_nan = theory.make(Part::IsNan, &[number]);
    let (is_number, is_that) =
        (theory.make(Part::Not, &[is_nan]), theory.make(Part::Same, &[variable.clone(), nan]));
    let settled = theory.make(Part::Or, &[is_number, is_that]);
    theory.make(Part::And, &[same, settled])
}

/// Sign and upper bits of what is no number, in another format.
fn payload<T: Theory>(theory: &mut T, from: Format, to: Format, bits: T::Made) -> T::Made {
    let top = from.width() - 1;
    let sign = theory.make(Part::Extract(top, top), std::slice::from_ref(&bits));
    let exponent = theory.literal(to.exponent_bits(), mask(to.exponent_bits()));
    let (have, want) = (from.fraction_bits(), to.fraction_bits());
    let fraction = match have > want {
        true => theory.make(Part::Extract(have - 1, have - want), &[bits]),
        false => {
            let all = theory.make(Part::Extract(have - 1, 0), &[bits]);
            match want - have {
                0 => all,
                more => {
                    let zeros = theory.literal(more, 0);
                    theory.make(Part::Concat, &[all, zeros])
                }
            }
        }
    };
    let head = theory.make(Part::Concat, &[sign, exponent]);
    theory.make(Part::Concat, &[head, fraction])
}
