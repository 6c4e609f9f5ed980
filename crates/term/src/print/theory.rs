//! Floating-point operators as SMT-LIB text.

use hydrogen_float::{Format, Rounding};

use super::smt::literal;
use crate::theory::{Part, Theory};

/// Makes text.
pub(crate) struct Text;

impl Theory for Text {
    type Made = String;

    fn literal(&mut self, width: u32, value: u128) -> String {
        literal(value, width)
    }

    fn make(&mut self, part: Part, args: &[String]) -> String {
        format!("({} {})", head(part), args.join(" "))
    }
}

/// The sort of a format's numbers.
pub(crate) fn sort(format: Format) -> String {
    format!("(_ FloatingPoint {} {})", format.exponent_bits(), format.precision())
}

fn rounding(how: Rounding) -> &'static str {
    match how {
        Rounding::NearestEven => "RNE",
        Rounding::NearestAway => "RNA",
        Rounding::Down => "RTN",
        Rounding::Up => "RTP",
        Rounding::TowardZero => "RTZ",
    }
}

fn head(part: Part) -> String {
    let rounded = |name: &str, how: Rounding| format!("fp.{name} {}", rounding(how));
    let to_fp =
        |name: &str, format: Format| format!("(_ {name} {} {})", format.exponent_bits(), format.precision());
    match part {
        Part::Add(how) => rounded("add", how),
        Part::Sub(how) => rounded("sub", how),
        Part::Mul(how) => rounded("mul", how),
        Part::Div(how) => rounded("div", how),
        Part::Fma(how) => rounded("fma", how),
        Part::Sqrt(how) => rounded("sqrt", how),
        Part::Whole(how) => rounded("roundToIntegral", how),
        Part::Negated => "fp.neg".to_owned(),
        Part::Absolute => "fp.abs".to_owned(),
        Part::Equal => "fp.eq".to_owned(),
        Part::Less => "fp.lt".to_owned(),
        Part::LessEq => "fp.leq".to_owned(),
        Part::IsNan => "fp.isNaN".to_owned(),
        Part::FromBits(format) => to_fp("to_fp", format),
        Part::FromNumber(format) | Part::FromSigned(format) => format!("{} RNE", to_fp("to_fp", format)),
        Part::FromUnsigned(format) => format!("{} RNE", to_fp("to_fp_unsigned", format)),
        Part::ToSigned(width) => format!("(_ fp.to_sbv {width}) RTZ"),
        Part::ToUnsigned(width) => format!("(_ fp.to_ubv {width}) RTZ"),
        Part::Not => "not".to_owned(),
        Part::And => "and".to_owned(),
        Part::Or => "or".to_owned(),
        Part::Same => "=".to_owned(),
        Part::Ite => "ite".to_owned(),
        Part::BitOr => "bvor".to_owned(),
        Part::Concat => "concat".to_owned(),
        Part::Extract(high, low) => format!("(_ extract {high} {low})"),
    }
}
