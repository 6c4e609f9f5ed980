//! Operators on floating-point numbers. Only rules that keep every bit: adding zero or multiplying by one does not, for what is no number.

use hydrogen_float::{self as float, Format};

use crate::{
    float::{FloatOp, has_terms},
    pool::Pool,
    sort::Sort,
    term::{Op, Term},
    words::mask,
};

impl Pool {
    /// An operator on floating-point numbers of a format, given as bits.
    ///
    /// # Panics
    /// If there are no terms of the format, or number or sorts of the arguments are not the operator's.
    pub fn float(&mut self, op: FloatOp, format: Format, args: &[Term]) -> Term {
        let formats = [Some(format), op.result_format(format)];
        assert!(formats.into_iter().flatten().all(has_terms), "there are no terms for {op:?} of {format:?}");
        assert_eq!(args.len(), op.arity(), "{op:?} has another number of arguments");
        let fits = |&arg: &Term| op.takes_integers() || self.width(arg) == format.width();
        assert!(args.iter().all(fits), "an argument of {op:?} has not the width of {format:?}");
        let sort = op.sort(format);
        if self.is_raw() {
            return self.intern(Op::Float(op, format), sort, args);
        }
        if let Some(values) = args.iter().map(|&arg| self.as_bits(arg)).collect::<Option<Vec<_>>>() {
            let value = op.value(format, self.width(args[0]), &values);
            return self.value_of(sort, value);
        }
        // Of a choice between two constants, the operator gives a choice between two: `sign * x` meets a program that branches on the sign.
        if let &[only] = args
            && let Some((condition, then, otherwise)) = self.constant_ite(only)
        {
            let width = self.width(only);
            let [then, otherwise] = [then, otherwise].map(|one| op.value(format, width, &[one]));
            let (then, otherwise) = (self.value_of(sort, then), self.value_of(sort, otherwise));
            return self.ite(condition, then, otherwise);
        }
        match self.simpler_float(op, format, args) {
            Some(simpler) => simpler,
            None if op == FloatOp::Eq => {
                let (a, b) = self.ordered(args[0], args[1]);
                self.intern(Op::Float(op, format), sort, &[a, b])
            }
            None => self.intern(Op::Float(op, format), sort, args),
        }
    }

    fn simpler_float(&mut self, op: FloatOp, format: Format, args: &[Term]) -> Option<Term> {
        match op {
            FloatOp::Eq if args[0] == args[1] && self.is_surely_number(format, args[0]) => {
                Some(self.bool(true))
            }
            FloatOp::Less if args[0] == args[1] => Some(self.bool(false)),
            FloatOp::LessEq if args[0] == args[1] => Some(self.float(FloatOp::Eq, format, args)),
            FloatOp::Eq | FloatOp::Less | FloatOp::LessEq => {
                let constant = args.iter().find_map(|&arg| self.as_bits(arg));
                if constant.is_some_and(|value| format.is_nan(value)) {
                    return Some(self.bool(false));
                }
                let narrow = self.narrower(format, args[0]).or_else(|| self.narrower(format, args[1]))?;
                let (a, b) =
                    (self.narrowed(format, narrow, args[0])?, self.narrowed(format, narrow, args[1])?);
                Some(self.float(op, narrow, &[a, b]))
            }
            // An integer that the format holds exactly comes back as it was.
            FloatOp::ToSigned(width) | FloatOp::ToUnsigned(width) => {
                let Op::Float(from, of) = self.op(args[0]) else { return None };
                if of != format {
                    return None;
                }
                let integer = *self.args(args[0]).first()?;
                let inner = self.width(integer);
                match (from, op) {
                    (FloatOp::FromSigned, FloatOp::ToSigned(_))
                        if inner <= width && inner <= format.precision() && holds_up_to(format, inner) =>
                    {
                        Some(self.resize_signed(integer, width))
                    }
                    (FloatOp::FromUnsigned, _)
                        if (inner < width || (inner == width && matches!(op, FloatOp::ToUnsigned(_))))
                            && inner <= format.precision()
                            && holds_up_to(format, inner) =>
                    {
                        Some(self.resize_unsigned(integer, width))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The narrower format that a number was widened from.
    fn narrower(&self, format: Format, term: Term) -> Option<Format> {
        match self.op(term) {
            Op::Float(FloatOp::Convert(to), from)
                if to == format && from != format && format.holds_all_of(from) =>
            {
                Some(from)
            }
            _ => None,
        }
    }

    /// A number in a narrower format, if it is known to be one of that.
    fn narrowed(&mut self, format: Format, narrow: Format, term: Term) -> Option<Term> {
        if let Some(value) = self.as_bits(term) {
            let small = float::convert(format, narrow, value);
            return (float::convert(narrow, format, small) == value)
                .then(|| self.bits(narrow.width(), small));
        }
        (self.narrower(format, term) == Some(narrow)).then(|| self.args(term)[0])
    }

    /// Whether a term is a number whatever its parts are.
    fn is_surely_number(&self, format: Format, term: Term) -> bool {
        matches!(self.op(term), Op::Float(op, of) if op.takes_integers() && of == format)
    }

    /// Whether the bits are no number of the format.
    pub fn is_nan(&mut self, format: Format, number: Term) -> Term {
        let equal = self.float(FloatOp::Eq, format, &[number, number]);
        self.not(equal)
    }

    /// The number with the other sign.
    pub fn float_negated(&mut self, format: Format, number: Term) -> Term {
        let sign = self.bits(format.width(), format.sign_bit());
        self.bitxor(number, sign)
    }

    /// The number without its sign.
    pub fn float_absolute(&mut self, format: Format, number: Term) -> Term {
        let rest = self.bits(format.width(), mask(format.width() - 1));
        self.bitand(number, rest)
    }

    /// The number with the sign of another.
    pub fn copy_sign(&mut self, format: Format, number: Term, sign: Term) -> Term {
        let top = format.width() - 1;
        let (sign, rest) = (self.extract(sign, top, top), self.extract(number, top - 1, 0));
        self.concat(sign, rest)
    }

    /// The number of which a term is the negation or the absolute value, as the constructors write those.
    pub(crate) fn sign_changed(&self, format: Format, term: Term) -> Option<(SignChange, Term)> {
        let width = format.width();
        match (self.op(term), self.args(term)) {
            (Op::BitXor, &[number, sign]) if self.as_bits(sign) == Some(format.sign_bit()) => {
                Some((SignChange::Negated, number))
            }
            (Op::BitAnd, &[number, rest]) if self.as_bits(rest) == Some(mask(width - 1)) => {
                Some((SignChange::Absolute, number))
            }
            (Op::Zext(_), &[inner]) => match (self.op(inner), self.args(inner)) {
                (Op::Extract { high, low: 0 }, &[number])
                    if high + 2 == width && self.sort(number) == Sort::Bits(width) =>
                {
                    Some((SignChange::Absolute, number))
                }
                _ => None,
            },
            _ => None,
        }
    }
}

/// An operation on the sign bit that is one on the number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SignChange {
    Negated,
    Absolute,
}

/// Whether integers of a width are within the format's range.
fn holds_up_to(format: Format, width: u32) -> bool {
    width < 1 << (format.exponent_bits() - 1)
}
