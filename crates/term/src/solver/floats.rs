//! Floating-point operators in Bitwuzla's terms.

use hydrogen_bitwuzla::{Context, Handle, Kind, RoundingMode};
use hydrogen_float::{Format, Rounding};

use crate::theory::{Part, Theory};

/// Makes Bitwuzla's floating-point terms.
pub(super) struct Floats<'a>(pub(super) &'a mut Context);

impl Theory for Floats<'_> {
    type Made = Handle;

    fn literal(&mut self, width: u32, value: u128) -> Handle {
        self.0.bits(width, value)
    }

    fn make(&mut self, part: Part, args: &[Handle]) -> Handle {
        let nearest = Rounding::NearestEven;
        match part {
            Part::Add(how) => self.rounded(Kind::FpAdd, how, args),
            Part::Sub(how) => self.rounded(Kind::FpSub, how, args),
            Part::Mul(how) => self.rounded(Kind::FpMul, how, args),
            Part::Div(how) => self.rounded(Kind::FpDiv, how, args),
            Part::Fma(how) => self.rounded(Kind::FpFma, how, args),
            Part::Sqrt(how) => self.rounded(Kind::FpSqrt, how, args),
            Part::Whole(how) => self.rounded(Kind::FpRti, how, args),
            Part::FromBits(format) => self.number(Kind::FpFromBits, args, format),
            Part::FromNumber(format) => {
                let rounding = self.mode(nearest);
                self.number(Kind::FpFromFp, &[rounding, args[0]], format)
            }
            Part::FromSigned(format) => {
                let rounding = self.mode(nearest);
                self.number(Kind::FpFromSigned, &[rounding, args[0]], format)
            }
            Part::FromUnsigned(format) => {
                let rounding = self.mode(nearest);
                self.number(Kind::FpFromUnsigned, &[rounding, args[0]], format)
            }
            Part::ToSigned(width) => {
                let rounding = self.mode(Rounding::TowardZero);
                self.0.to_integer(Kind::FpToSigned, rounding, args[0], width)
            }
            Part::ToUnsigned(width) => {
                let rounding = self.mode(Rounding::TowardZero);
                self.0.to_integer(Kind::FpToUnsigned, rounding, args[0], width)
            }
            Part::Negated => self.0.term(Kind::FpNeg, args),
            Part::Absolute => self.0.term(Kind::FpAbs, args),
            Part::Equal => self.0.term(Kind::FpEqual, args),
            Part::Less => self.0.term(Kind::FpLt, args),
            Part::LessEq => self.0.term(Kind::FpLeq, args),
            Part::IsNan => self.0.term(Kind::FpIsNan, args),
            Part::Not => self.0.term(Kind::Not, args),
            Part::And => self.0.term(Kind::And, args),
            Part::Or => self.0.term(Kind::Or, args),
            Part::Same => self.0.term(Kind::Equal, args),
            Part::Ite => self.0.term(Kind::Ite, args),
            Part::BitOr => self.0.term(Kind::BvOr, args),
            Part::Concat => self.0.term(Kind::BvConcat, args),
            Part::Extract(high, low) => self.0.extract(args[0], high, low),
        }
    }
}

impl Floats<'_> {
    fn mode(&mut self, how: Rounding) -> Handle {
        self.0.rounding(match how {
            Rounding::NearestEven => RoundingMode::NearestEven,
            Rounding::NearestAway => RoundingMode::NearestAway,
            Rounding::Down => RoundingMode::Down,
            Rounding::Up => RoundingMode::Up,
            Rounding::TowardZero => RoundingMode::TowardZero,
        })
    }

    fn rounded(&mut self, kind: Kind, how: Rounding, args: &[Handle]) -> Handle {
        let mode = self.mode(how);
        let args: Vec<Handle> = [mode].into_iter().chain(args.iter().copied()).collect();
        self.0.term(kind, &args)
    }

    fn number(&mut self, kind: Kind, args: &[Handle], format: Format) -> Handle {
        self.0.to_float(kind, args, format.exponent_bits(), format.precision())
    }
}
