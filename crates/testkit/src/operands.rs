//! Operands to try an operator with.

use hydrogen_semantics::{Kind, Number};

/// Makes operands that look random; the same ones every time.
pub(crate) struct Operands {
    kinds: Vec<Kind>,
    state: u64,
}

impl Operands {
    pub(crate) fn of(kinds: &[Kind]) -> Self {
        Self { kinds: kinds.to_vec(), state: 0x9e37_79b9_7f4a_7c15 }
    }

    /// All of them, where there are at most 65,536, and so many otherwise.
    pub(crate) fn all_or(mut self, random: usize) -> Vec<Vec<Number>> {
        let bits: u32 = self.kinds.iter().map(|kind| kind.width()).sum();
        if bits > 16 {
            return (0..random).map(|_| self.some()).collect();
        }
        let split = |pair: u128| {
            let mut rest = pair;
            let next = |kind: &Kind| {
                let value = Number::new(kind.width(), rest);
                rest >>= kind.width();
                value
            };
            self.kinds.iter().map(next).collect()
        };
        (0..1u128 << bits).map(split).collect()
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.state ^ self.state >> 29
    }

    /// Operands of which every fourth is the one before it, as far as it fits.
    pub(crate) fn some(&mut self) -> Vec<Number> {
        let mut values: Vec<Number> = Vec::new();
        for kind in self.kinds.clone() {
            let value = match values.last() {
                Some(last) if self.next().is_multiple_of(4) => Number::new(kind.width(), last.bits()),
                _ => self.one(kind),
            };
            values.push(value);
        }
        values
    }

    fn one(&mut self, kind: Kind) -> Number {
        let width = kind.width();
        let wide = u128::from(self.next()) << 64 | u128::from(self.next());
        let choice = self.next() >> 60;
        let bits = match kind {
            Kind::Float(format) => match choice {
                0..5 => wide,
                5..11 => {
                    let whole = (wide as i128) >> (64 + self.next() % 60);
                    hydrogen_float::from_int(format, true, whole as u128)
                }
                11..14 => format.infinity() | (wide % 4),
                _ => (wide % 3) | format.sign_bit(),
            },
            Kind::Int(_) => match choice {
                0..6 => wide,
                6..9 => wide % 140,
                9 | 10 => 0u128.wrapping_sub(wide % 5),
                11 => 1 << (width - 1),
                12 => (1 << (width - 1)) - 1,
                13 => 1 << (wide % u128::from(width)),
                _ => 0,
            },
        };
        Number::new(width, bits)
    }
}
