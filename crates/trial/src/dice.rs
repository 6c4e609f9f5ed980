//! Numbers worth trying: the same ones for the same question, always.

use crate::constants::Constants;

/// A small generator.
pub(crate) struct Dice(u64);

/// Whole numbers at the edges of types, where what holds in mathematics fails in C.
const EDGES: [i64; 22] = [
    127,
    128,
    255,
    256,
    -128,
    32767,
    32768,
    65535,
    65536,
    46341,
    i32::MAX as i64,
    i32::MAX as i64 - 1,
    i32::MIN as i64,
    i32::MIN as i64 + 1,
    u32::MAX as i64,
    i64::MAX,
    i64::MIN,
    1 << 30,
    1 << 31,
    1 << 53,
    1 << 62,
    -1,
];

/// Floating-point numbers at which laws of the reals fail: zeros, the smallest, the largest, powers of two with their neighbours, halves, and no numbers.
const FLOATS: [f64; 32] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    1.5,
    2.5,
    -2.5,
    0.1,
    0.3,
    1.0 / 3.0,
    1e16,
    9007199254740993.0,
    1e-16,
    1.0 + f64::EPSILON,
    1.0 - f64::EPSILON / 2.0,
    2.0,
    4.0,
    0.25,
    f64::MAX,
    -f64::MAX,
    f64::MIN_POSITIVE,
    5e-324,
    1e-320,
    1e200,
    -1e200,
    1e-200,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    123456789.123,
    std::f64::consts::PI,
];

impl Dice {
    pub fn new(seed: u64) -> Self {
        let mut dice = Self(seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..4 {
            dice.roll(2);
        }
        dice
    }

    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 9) % sides.max(1)
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> Option<T> {
        of.get(self.roll(of.len() as u64) as usize).copied()
    }

    /// A whole number. Plain ones are such as lengths, indices and counts are.
    pub fn integer(&mut self, constants: &Constants, plain: bool) -> i64 {
        let kind = self.roll(if plain { 6 } else { 11 });
        match kind {
            0..=2 => self.roll(9) as i64,
            3 => self.roll(13) as i64 - 4,
            4 | 6 | 7 => match self.one(&constants.integers) {
                Some(constant) => constant.wrapping_add(self.roll(3) as i64 - 1),
                None => self.roll(100) as i64 - 20,
            },
            5 => self.roll(120) as i64 - 20,
            8 => self.one(&EDGES).unwrap_or(0),
            9 => (self.roll(1 << 32) as i32).into(),
            _ => (self.roll(u64::MAX) as i64).wrapping_shl(self.roll(12) as u32),
        }
    }

    /// A floating-point number. Plain ones are of middle size.
    pub fn float(&mut self, constants: &Constants, plain: bool) -> f64 {
        let kind = self.roll(if plain { 7 } else { 12 });
        match kind {
            0 => self.roll(41) as f64 / 4.0,
            1 => self.roll(2001) as f64 / 100.0 - 10.0,
            2 => self.fraction(),
            3 => self.fraction() * 20.0 - 10.0,
            4 => self.roll(21) as f64 - 5.0,
            5 => self.fraction() * 1000.0,
            6 | 7 => match self.one(&constants.floats) {
                Some(constant) => match self.roll(6) {
                    0 => constant.next_up(),
                    1 => constant.next_down(),
                    2 => -constant,
                    3 => constant + self.fraction() - 0.5,
                    _ => constant,
                },
                None => self.fraction() * 4.0 - 2.0,
            },
            8 => self.one(&FLOATS).unwrap_or(0.0),
            // The smallest numbers, of few bits, and the neighbours of powers of two.
            9 => match self.roll(2) {
                0 => f64::from_bits(self.roll(64)),
                _ => f64::from_bits(((self.roll(2046) + 1) << 52).wrapping_add(self.roll(3)).wrapping_sub(1)),
            },
            10 => self.fraction() * 10f64.powi(self.roll(37) as i32 - 18),
            _ => f64::from_bits(self.roll(u64::MAX) ^ self.roll(1 << 54) << 10),
        }
    }

    /// From 0 to 1, with all bits.
    fn fraction(&mut self) -> f64 {
        self.roll(1 << 53) as f64 / (1u64 << 53) as f64
    }

    /// A byte of a text.
    pub fn character(&mut self, constants: &Constants) -> u8 {
        let of_code = self.one(&constants.integers).filter(|value| (32..127).contains(value));
        match (self.roll(3), of_code) {
            (0, Some(value)) => value as u8,
            _ => b"ab 10-Zz,."[self.roll(10) as usize],
        }
    }
}
