//! Random terms for the tests: a list of bytes is a program that builds terms, so any list is a good one.

#![allow(dead_code)]

use hydrogen_term::{
    ArrayValue, FloatOp, Format, Function, FunctionValue, Model, Op, Pool, Rounding, Sort, Term, Value,
};

/// Operators on two bit-vectors of one width.
pub const BINARY: &[Op] = &[
    Op::BitAnd,
    Op::BitOr,
    Op::BitXor,
    Op::Add,
    Op::Mul,
    Op::Udiv,
    Op::Urem,
    Op::Sdiv,
    Op::Srem,
    Op::Shl,
    Op::Lshr,
    Op::Ashr,
    Op::Eq,
    Op::Ult,
    Op::Slt,
];

pub const WIDTHS: [u32; 6] = [1, 8, 16, 32, 64, 128];

/// The variables that random terms are made of.
pub struct World {
    pub terms: Vec<Term>,
    pub leaves: Vec<Term>,
    pub function: Function,
}

impl World {
    pub fn new(pool: &mut Pool) -> Self {
        let mut leaves = Vec::new();
        for width in WIDTHS {
            leaves.push(pool.var(&format!("x{width}"), Sort::Bits(width)));
            leaves.push(pool.var(&format!("y{width}"), Sort::Bits(width)));
        }
        leaves.push(pool.var("p", Sort::Bool));
        leaves.push(pool.var("q", Sort::Bool));
        leaves.push(pool.var("memory", Sort::MEMORY));
        leaves.push(pool.var("table", Sort::Array { index: 8, element: 32 }));
        let function = pool.function("f", &[Sort::Bits(32), Sort::Bool], Sort::Bits(16));
        Self { terms: leaves.clone(), leaves, function }
    }

    /// The most recent term of a sort that the number picks.
    fn pick(&self, pool: &Pool, number: u8, sort: impl Fn(Sort) -> bool) -> Option<Term> {
        let fitting: Vec<Term> =
            self.terms.iter().rev().copied().filter(|&term| sort(pool.sort(term))).collect();
        (!fitting.is_empty()).then(|| fitting[usize::from(number) % fitting.len().min(12)])
    }

    fn of_sort(&self, pool: &Pool, number: u8, sort: Sort) -> Term {
        self.pick(pool, number, |other| other == sort).expect("every sort in use has a variable")
    }

    /// Builds one more term.
    pub fn step(&mut self, pool: &mut Pool, [op, a, b, c]: [u8; 4]) {
        let width = WIDTHS[usize::from(b) % WIDTHS.len()];
        let sort = Sort::Bits(width);
        // Sums and comparisons twice, since most rules are about them.
        let binary = [BINARY, &[Op::Add, Op::Eq, Op::Ult]].concat();
        let term = match op % 40 {
            _ if op >= 244 => self.float(pool, [op, a, b, c]),
            n @ 0..18 => {
                let (x, y) = (self.of_sort(pool, a, sort), self.of_sort(pool, c, sort));
                pool.make(binary[usize::from(n)], &[x, y])
            }
            18..23 => {
                let value = match a % 6 {
                    0 => u128::from(c),
                    1 => (c as i8) as u128,
                    2 => 1 << (c % 128),
                    3 => (1 << (c % 128)) - 1,
                    4 => 0x0102_0304_0506_0708 * u128::from(c),
                    _ => u128::from(c % 4),
                };
                pool.bits(width, value)
            }
            23 => {
                let x = self.of_sort(pool, a, sort);
                pool.bitnot(x)
            }
            24 | 25 => {
                let (x, y) = (self.of_sort(pool, a, Sort::Bool), self.of_sort(pool, c, Sort::Bool));
                pool.make(if op % 2 == 0 { Op::And } else { Op::Or }, &[x, y])
            }
            26 => {
                let x = self.of_sort(pool, a, Sort::Bool);
                pool.not(x)
            }
            27 | 28 => {
                let condition = self.of_sort(pool, op / 40, Sort::Bool);
                let (x, y) = (self.of_sort(pool, a, sort), self.of_sort(pool, c, sort));
                pool.ite(condition, x, y)
            }
            // Between the widths of the world, so that there are always partners.
            29..33 => {
                let from = WIDTHS[usize::from(c) % WIDTHS.len()];
                let x = self.of_sort(pool, a, Sort::Bits(from));
                match (from.cmp(&width), op % 2) {
                    (std::cmp::Ordering::Less, 0) => pool.zext(x, width),
                    (std::cmp::Ordering::Less, _) => pool.sext(x, width),
                    (std::cmp::Ordering::Greater, _) => {
                        let low = u32::from(op) % (from - width + 1);
                        pool.extract(x, low + width - 1, low)
                    }
                    (std::cmp::Ordering::Equal, _) => pool.neg(x),
                }
            }
            33 => {
                let half = [8, 16, 32, 64][usize::from(b) % 4];
                let (x, y) =
                    (self.of_sort(pool, a, Sort::Bits(half)), self.of_sort(pool, c, Sort::Bits(half)));
                pool.concat(x, y)
            }
            34 => {
                let (array, at) =
                    (self.of_sort(pool, a, Sort::MEMORY), self.of_sort(pool, c, Sort::Bits(64)));
                pool.read_le(array, at, [1, 2, 4, 8][usize::from(b) % 4])
            }
            35 => {
                let (array, at) =
                    (self.of_sort(pool, a, Sort::MEMORY), self.of_sort(pool, c, Sort::Bits(64)));
                let value = self.of_sort(pool, b, Sort::Bits([8, 16, 32, 64][usize::from(op / 40) % 4]));
                pool.write_le(array, at, value)
            }
            36 | 37 => {
                let table = Sort::Array { index: 8, element: 32 };
                let (array, at) = (self.of_sort(pool, a, table), self.of_sort(pool, c, Sort::Bits(8)));
                if op % 2 == 0 {
                    pool.select(array, at)
                } else {
                    let value = self.of_sort(pool, b, Sort::Bits(32));
                    pool.store(array, at, value)
                }
            }
            38 => {
                let (x, p) = (self.of_sort(pool, a, Sort::Bits(32)), self.of_sort(pool, c, Sort::Bool));
                pool.apply(self.function, &[x, p])
            }
            _ => {
                let (x, y) = (self.of_sort(pool, a, Sort::MEMORY), self.of_sort(pool, c, Sort::MEMORY));
                let condition = self.of_sort(pool, b, Sort::Bool);
                if op / 40 == 0 { pool.eq(x, y) } else { pool.ite(condition, x, y) }
            }
        };
        self.terms.push(term);
    }

    /// A floating-point operator on random terms.
    fn float(&self, pool: &mut Pool, [op, a, b, c]: [u8; 4]) -> Term {
        let format = [Format::Half, Format::Single, Format::BFloat][usize::from(b) % 3];
        let sort = Sort::Bits(format.width());
        let number = |pick: u8| self.of_sort(pool, pick, sort);
        let (x, y) = (number(a), number(c));
        let (from, to) = (WIDTHS[usize::from(a) % 4], WIDTHS[usize::from(c) % 4]);
        let unary = match b % 8 {
            0 => FloatOp::ToSigned(to),
            1 => FloatOp::ToUnsigned(to),
            2 => FloatOp::Round(Rounding::Down),
            3 => FloatOp::Convert(Format::Single),
            4 => FloatOp::Convert(Format::Half),
            _ => FloatOp::Round(Rounding::NearestAway),
        };
        match op {
            244 => pool.float(FloatOp::Eq, format, &[x, y]),
            245 => pool.float(FloatOp::Less, format, &[x, y]),
            246 => pool.float(FloatOp::LessEq, format, &[x, y]),
            247 => pool.float(FloatOp::Add, format, &[x, y]),
            248 => pool.float_negated(format, x),
            249 => pool.float_absolute(format, x),
            250 | 251 => {
                let integer = self.of_sort(pool, c, Sort::Bits(from));
                let signed = if op == 250 { FloatOp::FromSigned } else { FloatOp::FromUnsigned };
                pool.float(signed, format, &[integer])
            }
            252 => pool.float(FloatOp::Sub, format, &[x, y]),
            253 => pool.copy_sign(format, x, y),
            _ => pool.float(unary, format, &[x]),
        }
    }

    pub fn run(&mut self, pool: &mut Pool, program: &[[u8; 4]]) {
        program.iter().for_each(|&step| self.step(pool, step));
    }

    /// A model from numbers; corner values are likely.
    pub fn model(&self, pool: &Pool, numbers: &[u64]) -> Model {
        let mut model = Model::new();
        let mut source = numbers.iter().copied().cycle();
        let mut next = || source.next().unwrap_or(0);
        let mut bits = |width: u32| {
            let all = u128::MAX >> (128 - width);
            let (kind, wide) = (next(), u128::from(next()) << 64 | u128::from(next()));
            all & match kind % 5 {
                0 => wide,
                1 => wide % 8,
                2 => 0u128.wrapping_sub(wide % 4),
                3 => 1 << (width - 1),
                _ => wide % 300,
            }
        };
        for &leaf in &self.leaves {
            let value = match pool.sort(leaf) {
                Sort::Bool => Value::Bool(bits(1) == 1),
                Sort::Bits(width) => Value::Bits { width, value: bits(width) },
                Sort::Array { index, element } => {
                    let mut array = ArrayValue::constant(index, element, bits(element));
                    for _ in 0..6 {
                        array.set(bits(index) as u64, bits(element));
                    }
                    Value::Array(array)
                }
            };
            model.set(leaf, value);
        }
        let entries = (0..4).map(|_| (vec![bits(32), bits(1)], bits(16))).collect();
        model.functions.insert(self.function, FunctionValue { default: bits(16), entries });
        model
    }
}

/// Zeros, small and large numbers, infinities, and what is no number.
pub fn float_corners(format: Format) -> Vec<u128> {
    let (sign, infinity) = (format.sign_bit(), format.infinity());
    let one = (infinity >> 1) & !(format.quiet_bit() * 2 - 1);
    vec![
        0,
        sign,
        1,
        one,
        one | sign,
        one + format.quiet_bit(),
        (one * 3 / 2 + 5) | sign,
        infinity - 1,
        infinity,
        infinity | sign,
        infinity | 3,
        format.default_nan() | 5,
        one + (3 << (format.fraction_bits() - 3)) + (5 << format.fraction_bits()),
        one - 1,
    ]
}

/// Every floating-point operator on two numbers.
pub fn float_terms(pool: &mut Pool, format: Format, x: Term, y: Term) -> Vec<Term> {
    use FloatOp::*;
    let mut terms: Vec<Term> = [Add, Sub, Mul, Div, Eq, Less, LessEq]
        .into_iter()
        .map(|op| pool.float(op, format, &[x, y]))
        .collect();
    terms.push(pool.float(Fma, format, &[x, y, x]));
    let roundings =
        [Rounding::NearestEven, Rounding::NearestAway, Rounding::Down, Rounding::Up, Rounding::TowardZero];
    let others = [Format::Half, Format::BFloat, Format::Single, Format::Double];
    let unary = [Sqrt, ToSigned(1), ToSigned(8), ToSigned(32), ToUnsigned(1), ToUnsigned(8), ToUnsigned(64)]
        .into_iter()
        .chain(roundings.map(Round))
        .chain(others.into_iter().filter(|&other| other != format).map(Convert));
    terms.extend(unary.map(|op| pool.float(op, format, &[x])));
    let short = pool.extract(y, 7, 0);
    terms.extend([FromSigned, FromUnsigned].map(|op| pool.float(op, format, &[y])));
    terms.extend([FromSigned, FromUnsigned].map(|op| pool.float(op, format, &[short])));
    terms.push(pool.float_negated(format, x));
    terms.push(pool.float_absolute(format, x));
    terms.push(pool.copy_sign(format, x, y));
    // An operand that is itself a result, with its sign changed.
    let sum = pool.float(Add, format, &[x, y]);
    let (negated, condition) = (pool.float_negated(format, sum), pool.is_nan(format, y));
    let chosen = pool.ite(condition, negated, y);
    terms.push(pool.float(Mul, format, &[chosen, x]));
    terms
}
