//! Guessing a model: where an earlier one fails, a value is changed so that the failing constraint holds, by running its operators backward. Often that
//! is all; if not, nothing is lost but little time.

use crate::{
    eval::Evaluator,
    pool::Pool,
    sort::Sort,
    term::{Op, Term},
    value::{Model, Value},
    words::{inverse_of_odd, mask, signed},
};

/// How many ways of changing are tried, and how many constraints may be repaired one after the other.
const WAYS: usize = 4;
const ROUNDS: usize = 40;

/// Steps down from a constraint to the values that are changed.
const STEPS: usize = 40;

/// Evaluating larger questions this often is not cheap any more.
const MOST_TERMS: usize = 4_000;

/// A model near the given one under which all of the constraints hold.
pub(super) fn repair(pool: &Pool, from: &Model, constraints: &[Term]) -> Option<Model> {
    if pool.postorder(constraints).len() > MOST_TERMS {
        return None;
    }
    (0..WAYS).find_map(|way| {
        let mut model = from.clone();
        for _ in 0..ROUNDS {
            let failing = {
                let mut evaluator = Evaluator::new(pool, &model);
                constraints.iter().rev().find(|&&constraint| !evaluator.holds(constraint)).copied()
            };
            let Some(failing) = failing else { return Some(model) };
            Change { pool, model: &mut model, way }.run(failing)?;
        }
        let mut evaluator = Evaluator::new(pool, &model);
        constraints.iter().all(|&constraint| evaluator.holds(constraint)).then_some(model)
    })
}

/// A change of a model in one of several ways.
struct Change<'a> {
    pool: &'a Pool,
    model: &'a mut Model,
    way: usize,
}

impl Change<'_> {
    /// Makes a truth-valued term true, if that is easy.
    fn run(&mut self, term: Term) -> Option<()> {
        let mut wanted = vec![(term, 1)];
        for _ in 0..STEPS {
            let Some((term, value)) = wanted.pop() else { return Some(()) };
            if self.now(term) != value {
                self.step(term, value, &mut wanted)?;
            }
        }
        None
    }

    fn now(&self, term: Term) -> u128 {
        Evaluator::new(self.pool, self.model).bits(term)
    }

    /// One of two arguments, by the way that is tried.
    fn either(&self, args: &[Term]) -> (Term, Term) {
        let is_constant = |term: Term| matches!(self.pool.op(term), Op::Bits(_) | Op::Bool(_));
        let first = self.way.is_multiple_of(2);
        if (first && !is_constant(args[0])) || is_constant(args[1]) {
            (args[0], args[1])
        } else {
            (args[1], args[0])
        }
    }

    /// What the arguments must be for the term to have the value.
    fn step(&mut self, term: Term, value: u128, wanted: &mut Vec<(Term, u128)>) -> Option<()> {
        let args = self.pool.args(term);
        match self.pool.op(term) {
            Op::Var(_) => {
                let value = match self.pool.sort(term) {
                    Sort::Bool => Value::Bool(value != 0),
                    Sort::Bits(width) => Value::Bits { width, value },
                    Sort::Array { .. } => return None,
                };
                self.model.set(term, value);
            }
            Op::Select => return self.write(args[0], self.now(args[1]), value, wanted),
            Op::Not => wanted.push((args[0], 1 - value)),
            Op::And | Op::Or => {
                let all = (self.pool.op(term) == Op::And) == (value == 1);
                if all {
                    wanted.extend(args.iter().map(|&arg| (arg, value)));
                } else {
                    wanted.push((self.either(args).0, value));
                }
            }
            Op::Ite => wanted.push((args[if self.now(args[0]) != 0 { 1 } else { 2 }], value)),
            Op::Eq if matches!(self.pool.sort(args[0]), Sort::Array { .. }) => return None,
            Op::Eq => {
                let (changed, other) = self.either(args);
                let (other, limit) = (self.now(other), self.highest(changed));
                wanted.push((changed, if value == 1 { other } else { other.wrapping_add(1) & limit }));
            }
            Op::Ult | Op::Slt => return self.order(term, value == 1, wanted),
            op => return self.arithmetic(op, term, value, wanted),
        }
        Some(())
    }

    /// All ones of a term's sort.
    fn highest(&self, term: Term) -> u128 {
        self.pool.sort(term).bits().map_or(1, mask)
    }

    fn order(&mut self, term: Term, holds: bool, wanted: &mut Vec<(Term, u128)>) -> Option<()> {
        let args = self.pool.args(term);
        let (changed, _) = self.either(args);
        let (a, b, limit) = (self.now(args[0]), self.now(args[1]), self.highest(args[0]));
        // The smallest change, or a large one.
        let signed_order = self.pool.op(term) == Op::Slt;
        let extreme = self.way >= 2;
        let half = if signed_order { limit / 2 + 1 } else { 0 };
        let (least, most) = (half, half.wrapping_sub(1) & limit);
        let value = match (changed == args[0], holds) {
            (true, true) if extreme => least,
            (true, true) => (b != least).then(|| b.wrapping_sub(1) & limit)?,
            (false, true) if extreme => most,
            (false, true) => (a != most).then(|| a.wrapping_add(1) & limit)?,
            (true, false) if extreme => most,
            (true, false) => b,
            (false, false) if extreme => least,
            (false, false) => a,
        };
        wanted.push((changed, value));
        Some(())
    }

    fn arithmetic(&mut self, op: Op, term: Term, value: u128, wanted: &mut Vec<(Term, u128)>) -> Option<()> {
        let args = self.pool.args(term);
        let limit = self.highest(term);
        match op {
            Op::BitNot => wanted.push((args[0], !value & limit)),
            Op::Zext(_) => wanted.push((args[0], (value <= self.highest(args[0])).then_some(value)?)),
            Op::Sext(_) => {
                let (narrow, inner) = (self.pool.width(args[0]), value & self.highest(args[0]));
                wanted.push((args[0], (signed(inner, narrow) as u128 & limit == value).then_some(inner)?));
            }
            Op::Extract { low, .. } => {
                let old = self.now(args[0]);
                wanted.push((args[0], (old & !(limit << low)) | (value << low)));
            }
            Op::Concat => {
                let by = self.pool.width(args[1]);
                wanted.extend([(args[0], value >> by), (args[1], value & mask(by))]);
            }
            Op::Add => {
                let variable: Vec<Term> =
                    args.iter().copied().filter(|&arg| self.pool.as_bits(arg).is_none()).collect();
                let changed = *variable.get(self.way % variable.len().max(1))?;
                let others = self.now(term).wrapping_sub(self.now(changed));
                wanted.push((changed, value.wrapping_sub(others) & limit));
            }
            Op::Mul => {
                let factor = self.pool.as_bits(args[1])?;
                let zeros = factor.trailing_zeros();
                if value & !(u128::MAX << zeros) != 0 {
                    return None;
                }
                let quotient = (value >> zeros).wrapping_mul(inverse_of_odd(factor >> zeros));
                wanted.push((args[0], quotient & (limit >> zeros)));
            }
            Op::BitXor => {
                let (changed, other) = self.either(args);
                wanted.push((changed, value ^ self.now(other)));
            }
            Op::BitAnd => {
                let (changed, other) = self.either(args);
                let (kept, old) = (self.now(other), self.now(changed));
                wanted.push((changed, (value & !kept == 0).then_some((old & !kept) | value)?));
            }
            Op::BitOr => {
                let (changed, other) = self.either(args);
                let (set, old) = (self.now(other), self.now(changed));
                wanted.push((changed, (set & !value == 0).then_some((old & set) | (value & !set))?));
            }
            _ => return None,
        }
        Some(())
    }

    /// Makes an array have an element: in the store that decides it, or in the variable below all stores.
    fn write(&mut self, array: Term, index: u128, value: u128, wanted: &mut Vec<(Term, u128)>) -> Option<()> {
        let mut array = array;
        loop {
            let args = self.pool.args(array);
            match self.pool.op(array) {
                Op::Store if self.now(args[1]) == index => {
                    wanted.push((args[2], value));
                    return Some(());
                }
                Op::Store => array = args[0],
                Op::Ite => array = args[if self.now(args[0]) != 0 { 1 } else { 2 }],
                Op::Var(_) => {
                    let blank = Value::zero(self.pool.sort(array));
                    let Value::Array(elements) = self.model.variables.entry(array).or_insert(blank) else {
                        return None;
                    };
                    elements.set(u64::try_from(index).ok()?, value);
                    return Some(());
                }
                _ => return None,
            }
        }
    }
}
