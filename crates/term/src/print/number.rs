//! Floating-point operators, as C writes them.

use hydrogen_float::{Format, Rounding, convert};

use super::readable::{Binding, Printer, next};
use crate::{build::float::SignChange, float::FloatOp, term::Term};

impl Printer<'_> {
    /// An operator on floating-point numbers, as C writes it.
    pub(super) fn float(&mut self, op: FloatOp, format: Format, args: &[Term], binding: Binding, depth: u32) {
        let sign = match op {
            FloatOp::Add => " + ",
            FloatOp::Sub => " - ",
            FloatOp::Mul => " * ",
            FloatOp::Div => " / ",
            FloatOp::Eq => " == ",
            FloatOp::Less => " < ",
            FloatOp::LessEq => " <= ",
            FloatOp::FromSigned | FloatOp::FromUnsigned => {
                self.push(&format!("({})", type_name(format)));
                return self.operand(args[0], Binding::Prefix, op == FloatOp::FromUnsigned, depth);
            }
            FloatOp::ToSigned(width) | FloatOp::ToUnsigned(width) => {
                let unsigned = if matches!(op, FloatOp::ToUnsigned(_)) { "u" } else { "" };
                self.push(&format!("({unsigned}int{width}_t)"));
                return self.number_operand(format, args[0], Binding::Prefix, depth);
            }
            FloatOp::Convert(to) => {
                self.push(&format!("({})", type_name(to)));
                return self.number_operand(format, args[0], Binding::Prefix, depth);
            }
            FloatOp::Fma | FloatOp::Sqrt | FloatOp::Round(_) => {
                let name = match op {
                    FloatOp::Fma => "fma",
                    FloatOp::Sqrt => "sqrt",
                    FloatOp::Round(Rounding::NearestEven) => "rint",
                    FloatOp::Round(Rounding::NearestAway) => "round",
                    FloatOp::Round(Rounding::Down) => "floor",
                    FloatOp::Round(Rounding::Up) => "ceil",
                    _ => "trunc",
                };
                self.push(name);
                self.push("(");
                for (position, &arg) in args.iter().enumerate() {
                    if position > 0 {
                        self.push(", ");
                    }
                    self.number_operand(format, arg, Binding::Choice, depth);
                }
                return self.push(")");
            }
        };
        self.numbers(format, args, sign, binding, depth);
    }

    pub(super) fn numbers(
        &mut self,
        format: Format,
        args: &[Term],
        sign: &str,
        binding: Binding,
        depth: u32,
    ) {
        self.number_operand(format, args[0], binding, depth);
        self.push(sign);
        self.number_operand(format, args[1], next(binding), depth);
    }

    /// A term read as a floating-point number: constants are shown as such.
    fn number_operand(&mut self, format: Format, term: Term, binding: Binding, depth: u32) {
        match self.pool.as_bits(term) {
            Some(bits) => {
                let value = f64::from_bits(convert(format, Format::Double, bits) as u64);
                // Bare whole numbers would read as integers.
                self.push(&format!("{value:?}"));
            }
            None => match self.pool.sign_changed(format, term) {
                Some((SignChange::Negated, number)) => {
                    self.push("-");
                    self.number_operand(format, number, Binding::Prefix, depth + 1);
                }
                Some((SignChange::Absolute, number)) => {
                    self.push("fabs(");
                    self.number_operand(format, number, Binding::Choice, depth + 1);
                    self.push(")");
                }
                None => self.print(term, binding, depth),
            },
        }
    }
}

/// How strongly an operator binds.
pub(super) fn binding(op: FloatOp) -> Binding {
    match op {
        FloatOp::Add | FloatOp::Sub => Binding::Sum,
        FloatOp::Mul | FloatOp::Div => Binding::Product,
        FloatOp::Eq => Binding::Equal,
        FloatOp::Less | FloatOp::LessEq => Binding::Compare,
        FloatOp::Fma | FloatOp::Sqrt | FloatOp::Round(_) => Binding::Atom,
        FloatOp::FromSigned
        | FloatOp::FromUnsigned
        | FloatOp::ToSigned(_)
        | FloatOp::ToUnsigned(_)
        | FloatOp::Convert(_) => Binding::Prefix,
    }
}

/// C's name of a format.
fn type_name(format: Format) -> &'static str {
    match format {
        Format::Half => "_Float16",
        Format::BFloat => "__bf16",
        Format::Single => "float",
        Format::Double => "double",
        Format::X87 => "long double",
        Format::Quad => "__float128",
    }
}
