//! Every rewrite rule, at small widths, against all values: terms of two and three levels are built through the simplifying
//! constructors, and their tables of values compared with tables computed by the plain definition of each operator.

#![allow(clippy::unwrap_used)]

mod common;

use std::collections::HashMap;

use common::BINARY;
use hydrogen_term::{Op, Pool, Sort, Term};

type Table = Vec<u32>;

/// A term with its meaning: its value for every value of the variables. Truth values have width 0.
#[derive(Clone)]
struct Known {
    term: Term,
    width: u32,
    table: Table,
}

/// The signed reading.
fn number(value: u32, width: u32) -> i64 {
    if value >> (width - 1) & 1 == 1 { i64::from(value) - (1 << width) } else { i64::from(value) }
}

/// The definition of an operator, written without a look at the crate's own.
fn apply(op: Op, width: u32, args: &[u32], last_width: u32) -> u32 {
    let all = if width == 0 { 1 } else { (1u32 << width) - 1 };
    let (a, b) = (args[0], args.get(1).copied().unwrap_or(0));
    let wrap = |value: i64| (value & i64::from(all)) as u32;
    let truth = |value: bool| u32::from(value);
    match op {
        Op::Not => 1 - a,
        Op::And => a & b,
        Op::Or => a | b,
        Op::Ite => args[if a == 1 { 1 } else { 2 }],
        Op::Eq => truth(a == b),
        Op::BitNot => all - a,
        Op::BitAnd => a & b,
        Op::BitOr => a | b,
        Op::BitXor => a ^ b,
        Op::Add => args.iter().sum::<u32>() & all,
        Op::Mul => (a * b) & all,
        Op::Udiv => a.checked_div(b).unwrap_or(all),
        Op::Urem => a.checked_rem(b).unwrap_or(a),
        Op::Sdiv => match (number(a, width), number(b, width)) {
            (a, 0) if a < 0 => 1,
            (_, 0) => all,
            (a, b) => wrap(a / b),
        },
        Op::Srem => match (number(a, width), number(b, width)) {
            (a, 0) => wrap(a),
            (a, b) => wrap(a % b),
        },
        Op::Shl => (0..b).fold(a, |value, _| (value * 2) & all),
        Op::Lshr => (0..b).fold(a, |value, _| value / 2),
        Op::Ashr => wrap((0..b).fold(number(a, width), |value, _| value.div_euclid(2))),
        Op::Concat => a << last_width | b,
        Op::Extract { high, low } => a >> low & ((1 << (high - low + 1)) - 1),
        Op::Zext(_) => a,
        Op::Sext(to) => (number(a, last_width) & ((1 << to) - 1)) as u32,
        Op::Ult => truth(a < b),
        Op::Slt => truth(number(a, width) < number(b, width)),
        _ => unreachable!("{op:?}"),
    }
}

fn column(op: Op, width: u32, columns: &[&Table], last: u32) -> Table {
    let mut row = vec![0; columns.len()];
    let cell = |index: usize| {
        row.iter_mut().zip(columns).for_each(|(cell, column)| *cell = column[index]);
        apply(op, width, &row, last)
    };
    (0..columns[0].len()).map(cell).collect()
}

struct Lab {
    pool: Pool,
    tables: HashMap<Term, Table>,
    /// Values of the variables x and y, of truth variables p and q, in every row.
    rows: Vec<[u32; 4]>,
    seed: u64,
    checked: usize,
}

impl Lab {
    fn new(width: u32) -> Self {
        let values = 1u32 << width;
        let mut rows = Vec::new();
        for x in 0..values {
            for y in 0..values {
                // At larger widths the truth variables are not free of the others: two rows for each is enough there.
                let truths = if width <= 2 {
                    vec![0, 1, 2, 3]
                } else {
                    vec![(x * 7 + y * 5) / 3 % 4, (x + y * 3) % 4]
                };
                truths.into_iter().for_each(|truth| rows.push([x, y, truth & 1, truth >> 1]));
            }
        }
        Self { pool: Pool::new(), tables: HashMap::new(), rows, seed: 7, checked: 0 }
    }

    /// A pseudo-random choice.
    fn choose(&mut self, below: usize) -> usize {
        self.seed = self.seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.seed >> 33) as usize % below
    }

    fn leaf(&mut self, name: &str, column: usize, width: u32) -> Known {
        let sort = if width == 0 { Sort::Bool } else { Sort::Bits(width) };
        let term = self.pool.var(name, sort);
        let table: Table = self.rows.iter().map(|row| row[column]).collect();
        self.tables.insert(term, table.clone());
        Known { term, width, table }
    }

    fn constant(&mut self, width: u32, value: u32) -> Known {
        let term = if width == 0 { self.pool.bool(value == 1) } else { self.pool.bits(width, value.into()) };
        let table = vec![value; self.rows.len()];
        Known { term, width, table }
    }

    fn width(&self, term: Term) -> u32 {
        self.pool.sort(term).bits().unwrap_or(0)
    }

    /// The table of a term that the constructors made.
    fn table(&mut self, term: Term) -> Table {
        for part in self.pool.postorder(&[term]) {
            if self.tables.contains_key(&part) {
                continue;
            }
            let table = match self.pool.op(part) {
                Op::Bits(value) => vec![value as u32; self.rows.len()],
                Op::Bool(value) => vec![u32::from(value); self.rows.len()],
                op => {
                    let args = self.pool.args(part).to_vec();
                    let width = self.width(args[0]);
                    let last = self.width(*args.last().unwrap());
                    let columns: Vec<&Table> = args.iter().map(|arg| &self.tables[arg]).collect();
                    column(op, width, &columns, last)
                }
            };
            self.tables.insert(part, table);
        }
        self.tables[&term].clone()
    }

    /// Builds, and compares the meaning of what was built with the meaning of what was asked for.
    fn check(&mut self, op: Op, args: &[&Known]) -> Known {
        let terms: Vec<Term> = args.iter().map(|arg| arg.term).collect();
        let term = self.pool.make(op, &terms);
        let (width, last) = (args[0].width, args.last().unwrap().width);
        let columns: Vec<&Table> = args.iter().map(|arg| &arg.table).collect();
        let wanted = column(op, width, &columns, last);
        let got = self.table(term);
        if got != wanted {
            let asked: Vec<String> = terms.iter().map(|&term| self.pool.to_smt(term)).collect();
            panic!("{op:?} of {asked:#?} became {}", self.pool.to_smt(term));
        }
        self.checked += 1;
        Known { term, width: self.width(term), table: wanted }
    }

    fn unary(&mut self, arg: &Known) -> Vec<Known> {
        if arg.width == 0 {
            return vec![self.check(Op::Not, &[arg])];
        }
        let width = arg.width;
        let mut ops = vec![Op::BitNot];
        for low in 0..width {
            ops.extend((low..width).map(|high| Op::Extract { high, low }));
        }
        if width < 6 {
            ops.extend([Op::Zext(width + 1), Op::Sext(width + 1), Op::Sext(width + 2), Op::Zext(width + 2)]);
        }
        ops.into_iter().map(|op| self.check(op, &[arg])).collect()
    }

    fn pair(&mut self, left: &Known, right: &Known) -> Vec<Known> {
        match (left.width, right.width) {
            (0, 0) => [Op::And, Op::Or, Op::Eq].iter().map(|&op| self.check(op, &[left, right])).collect(),
            (a, b) if a == b => BINARY.iter().map(|&op| self.check(op, &[left, right])).collect(),
            _ => Vec::new(),
        }
    }

    fn concat(&mut self, left: &Known, right: &Known) -> Option<Known> {
        let fits = left.width > 0 && right.width > 0 && left.width + right.width <= 7;
        fits.then(|| self.check(Op::Concat, &[left, right]))
    }
}

/// Keeps one of each meaning and shape, so that later levels do not repeat themselves.
fn distinct(mut all: Vec<Known>) -> Vec<Known> {
    let mut seen = std::collections::HashSet::new();
    all.retain(|known| seen.insert(known.term));
    all
}

fn run(width: u32, samples: usize) -> usize {
    let mut lab = Lab::new(width);
    let mut leaves =
        vec![lab.leaf("x", 0, width), lab.leaf("y", 1, width), lab.leaf("p", 2, 0), lab.leaf("q", 3, 0)];
    for value in 0..1 << width {
        leaves.push(lab.constant(width, value));
    }
    let mut constants: Vec<Known> = Vec::new();
    for other in (1..=7).filter(|&other| other != width) {
        for value in [0, 1, (1 << other) - 1, 1 << (other - 1), 5 % (1 << other)] {
            constants.push(lab.constant(other, value));
        }
    }
    constants.push(lab.constant(0, 0));
    constants.push(lab.constant(0, 1));

    // One operator on leaves: all of them.
    let mut first = leaves.clone();
    for left in &leaves {
        first.extend(lab.unary(left));
        for right in &leaves {
            first.extend(lab.pair(left, right));
            first.extend(lab.concat(left, right));
        }
    }
    let truths: Vec<Known> = first.iter().filter(|known| known.width == 0).cloned().collect();
    for condition in &truths {
        for _ in 0..6 {
            let (a, b) = (lab.choose(leaves.len()), lab.choose(leaves.len()));
            if leaves[a].width == leaves[b].width {
                first.push(lab.check(Op::Ite, &[condition, &leaves[a], &leaves[b]]));
            }
        }
    }
    let first = distinct(first);

    // A second operator on those: all with leaves and constants, a sample with each other.
    let mut second = first.clone();
    let simple: Vec<Known> = leaves.iter().chain(&constants).cloned().collect();
    for (position, left) in first.iter().enumerate() {
        second.extend(lab.unary(left));
        for right in &simple {
            if width <= 2 || (position + right.term_number()) % 3 == 0 {
                second.extend(lab.pair(left, right));
                second.extend(lab.pair(right, left));
                second.extend(lab.concat(left, right));
                second.extend(lab.concat(right, left));
            }
        }
    }
    let second = distinct(second);

    // Samples of all sizes.
    for _ in 0..samples {
        let (a, b, c) = (lab.choose(second.len()), lab.choose(first.len()), lab.choose(second.len()));
        let (a, b, c) = (&second[a], &first[b], &second[c]);
        lab.unary(a);
        lab.pair(a, b);
        lab.pair(b, a);
        lab.pair(a, c);
        lab.concat(a, b);
        for (condition, then, otherwise) in [(a, b, c), (b, a, c), (c, a, b)] {
            if condition.width == 0 && then.width == otherwise.width {
                let chosen = lab.check(Op::Ite, &[condition, then, otherwise]);
                lab.pair(&chosen, b);
                lab.unary(&chosen);
            }
        }
    }
    lab.checked
}

impl Known {
    /// Some number that spreads samples.
    fn term_number(&self) -> usize {
        self.table.iter().map(|&value| value as usize).sum::<usize>() + self.width as usize
    }
}

#[test]
fn all_values_at_width_1() {
    assert!(run(1, 4000) > 10_000);
}

#[test]
fn all_values_at_width_2() {
    assert!(run(2, 8000) > 20_000);
}

#[test]
fn all_values_at_width_3() {
    assert!(run(3, 4000) > 20_000);
}

#[test]
fn all_values_at_width_4() {
    assert!(run(4, 500) > 20_000);
}
