//! The formats, and what can be said of a number by its bits.

use rustc_apfloat::{Round, ieee};

/// How a number is laid out in bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Format {
    /// IEEE binary16.
    Half,
    /// The upper half of [`Format::Single`].
    BFloat,
    /// IEEE binary32, C's `float`.
    Single,
    /// IEEE binary64, C's `double`.
    Double,
    /// The 80 bits of the x87, C's `long double` there: the leading bit of the significand is written out.
    X87,
    /// IEEE binary128.
    Quad,
}

/// Which neighbour a number is rounded to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rounding {
    /// To the nearest; between two, to the even one.
    NearestEven,
    /// To the nearest; between two, to the larger magnitude.
    NearestAway,
    /// Towards minus infinity.
    Down,
    /// Towards plus infinity.
    Up,
    /// Towards zero.
    TowardZero,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 6] =
        [Format::Half, Format::BFloat, Format::Single, Format::Double, Format::X87, Format::Quad];

    /// Bits of a number.
    pub fn width(self) -> u32 {
        match self {
            Format::Half | Format::BFloat => 16,
            Format::Single => 32,
            Format::Double => 64,
            Format::X87 => 80,
            Format::Quad => 128,
        }
    }

    /// Bits of the significand, the leading one counted whether it is written or not.
    pub fn precision(self) -> u32 {
        match self {
            Format::Half => 11,
            Format::BFloat => 8,
            Format::Single => 24,
            Format::Double => 53,
            Format::X87 => 64,
            Format::Quad => 113,
        }
    }

    /// Bits of the exponent.
    pub fn exponent_bits(self) -> u32 {
        match self {
            Format::Half => 5,
            Format::BFloat | Format::Single => 8,
            Format::Double => 11,
            Format::X87 | Format::Quad => 15,
        }
    }

    /// Whether the leading bit of the significand is left out, as in IEEE's formats for interchange.
    pub fn is_interchange(self) -> bool {
        self != Format::X87
    }

    /// Whether every number of the other format is one of this format.
    pub fn holds_all_of(self, other: Format) -> bool {
        self.precision() >= other.precision() && self.exponent_bits() >= other.exponent_bits()
    }

    /// The bit of the sign.
    pub fn sign_bit(self) -> u128 {
        1 << (self.width() - 1)
    }

    /// Bits of the significand that are written after the leading one.
    pub fn fraction_bits(self) -> u32 {
        self.precision() - 1
    }

    /// The bit that tells quiet from signalling ones among what is no number.
    pub fn quiet_bit(self) -> u128 {
        1 << (self.fraction_bits() - 1)
    }

    /// Plus infinity.
    pub fn infinity(self) -> u128 {
        let leading = if self.is_interchange() { 0 } else { 1 << self.fraction_bits() };
        let exponent = (1u128 << self.exponent_bits()) - 1;
        exponent << (self.width() - 1 - self.exponent_bits()) | leading
    }

    /// What an operation on numbers gives that has no number as result.
    pub fn default_nan(self) -> u128 {
        self.sign_bit() | self.infinity() | self.quiet_bit()
    }

    /// Whether the bits are no number.
    pub fn is_nan(self, bits: u128) -> bool {
        match self {
            // There are invalid encodings besides.
            Format::X87 => {
                let value = <ieee::X87DoubleExtended as rustc_apfloat::Float>::from_bits(bits);
                rustc_apfloat::Float::is_nan(value)
            }
            _ => bits & !self.sign_bit() > self.infinity(),
        }
    }
}

impl From<Rounding> for Round {
    fn from(rounding: Rounding) -> Round {
        match rounding {
            Rounding::NearestEven => Round::NearestTiesToEven,
            Rounding::NearestAway => Round::NearestTiesToAway,
            Rounding::Down => Round::TowardNegative,
            Rounding::Up => Round::TowardPositive,
            Rounding::TowardZero => Round::TowardZero,
        }
    }
}
