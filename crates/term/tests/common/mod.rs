//! Random terms for the tests: a list of bytes is a program that builds terms, so any list is a good one.

#![allow(dead_code)]

use hydrogen_term::{ArrayValue, Function, FunctionValue, Model, Op, Pool, Sort, Term, Value};

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
