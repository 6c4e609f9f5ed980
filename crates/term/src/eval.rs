//! The value of terms under an assignment. Total: every operator has a value for all arguments, as in SMT-LIB.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::{
    pool::Pool,
    sort::Sort,
    term::{Op, Term},
    value::{ArrayValue, Model, Value},
    words::{self, mask, signed},
};

/// Evaluates terms of a pool under one model; remembers what it has computed.
pub struct Evaluator<'a> {
    pool: &'a Pool,
    model: &'a Model,
    /// Values of truth values (0 and 1) and bit-vectors.
    known: FxHashMap<Term, u128>,
}

/// A term under way; for reads, the array that is to be looked at next.
struct Frame {
    term: Term,
    cursor: Option<Term>,
}

/// What a step of a term's evaluation came to.
enum Step {
    Done(u128),
    Needs(Term),
}

impl Model {
    /// The values of all variables of some terms: what the model does not mention is zero.
    pub fn completed(&self, pool: &Pool, terms: &[Term]) -> Model {
        let mut evaluator = Evaluator::new(pool, self);
        let mut whole = Model::new();
        for variable in pool.variables(terms) {
            let value = evaluator.value(variable);
            whole.set(variable, value);
        }
        whole
    }
}

impl<'a> Evaluator<'a> {
    /// Variables and functions that the model does not mention are zero.
    pub fn new(pool: &'a Pool, model: &'a Model) -> Self {
        Self { pool, model, known: FxHashMap::default() }
    }

    /// The value of a term of any sort.
    pub fn value(&mut self, term: Term) -> Value {
        match self.pool.sort(term) {
            Sort::Bool => Value::Bool(self.bits(term) != 0),
            Sort::Bits(width) => Value::Bits { width, value: self.bits(term) },
            Sort::Array { .. } => loop {
                match self.array(term) {
                    Ok(array) => return Value::Array(array),
                    Err(missing) => {
                        self.bits(missing);
                    }
                }
            },
        }
    }

    /// Whether a truth-valued term holds.
    pub fn holds(&mut self, term: Term) -> bool {
        self.bits(term) != 0
    }

    /// The bits of a bit-vector term; of a truth value, 0 or 1.
    ///
    /// # Panics
    /// If the term is an array.
    pub fn bits(&mut self, term: Term) -> u128 {
        assert!(!matches!(self.pool.sort(term), Sort::Array { .. }), "an array has no bits");
        let mut open = vec![Frame { term, cursor: None }];
        while let Some(frame) = open.last_mut() {
            hydrogen_stop::look();
            match self.step(frame) {
                Step::Done(value) => {
                    self.known.insert(frame.term, value);
                    open.pop();
                }
                Step::Needs(term) => open.push(Frame { term, cursor: None }),
            }
        }
        self.known[&term]
    }

    fn get(&self, term: Term) -> Result<u128, Term> {
        match self.pool.op(term) {
            Op::Bits(value) => Ok(value),
            Op::Bool(value) => Ok(u128::from(value)),
            _ => self.known.get(&term).copied().ok_or(term),
        }
    }

    fn step(&self, frame: &mut Frame) -> Step {
        match self.try_step(frame) {
            Ok(value) => Step::Done(value),
            Err(missing) => Step::Needs(missing),
        }
    }

    /// The frame's value, or an argument that is needed first.
    fn try_step(&self, frame: &mut Frame) -> Result<u128, Term> {
        if let Ok(value) = self.get(frame.term) {
            return Ok(value);
        }
        let node = self.pool.node(frame.term);
        let args = node.args.as_slice();
        let arg = |position: usize| self.get(args[position]);
        let arg_width = |position: usize| self.pool.width(args[position]);
        Ok(match node.op {
            Op::Var(_) => self.model.variables.get(&frame.term).and_then(Value::as_bits).unwrap_or(0),
            Op::Not => arg(0)? ^ 1,
            Op::And => u128::from(arg(0)? != 0 && arg(1)? != 0),
            Op::Or => u128::from(arg(0)? != 0 || arg(1)? != 0),
            Op::Ite => arg(if arg(0)? != 0 { 1 } else { 2 })?,
            Op::Eq if matches!(self.pool.sort(args[0]), Sort::Array { .. }) => {
                u128::from(self.array(args[0])?.is_same(&self.array(args[1])?))
            }
            Op::Eq => u128::from(arg(0)? == arg(1)?),
            Op::BitNot => !arg(0)? & mask(arg_width(0)),
            Op::Add => {
                let sum = args.iter().try_fold(0u128, |sum, &arg| Ok(sum.wrapping_add(self.get(arg)?)))?;
                sum & mask(arg_width(0))
            }
            Op::Concat => arg(0)? << arg_width(1) | arg(1)?,
            Op::Extract { high, low } => arg(0)? >> low & mask(high - low + 1),
            Op::Zext(_) => arg(0)?,
            Op::Sext(width) => signed(arg(0)?, arg_width(0)) as u128 & mask(width),
            Op::Select => self.read(frame, args[0], arg(1)?)?,
            Op::Float(op, format) => {
                let values =
                    args.iter().map(|&arg| self.get(arg)).collect::<Result<SmallVec<[u128; 3]>, _>>()?;
                op.value(format, arg_width(0), &values)
            }
            Op::Apply(function) => {
                let arguments = args.iter().map(|&arg| self.get(arg)).collect::<Result<Vec<_>, _>>()?;
                self.model.functions.get(&function).map_or(0, |value| value.get(&arguments))
            }
            op => words::binary(op, arg_width(0), arg(0)?, arg(1)?)
                .expect("all other operators take two bit-vectors"),
        })
    }

    /// Walks down an array to the element at an index; the frame remembers how far it came.
    fn read(&self, frame: &mut Frame, array: Term, index: u128) -> Result<u128, Term> {
        let mut current = frame.cursor.unwrap_or(array);
        loop {
            frame.cursor = Some(current);
            let args = self.pool.args(current);
            match self.pool.op(current) {
                Op::ConstArray(_) => return self.get(args[0]),
                Op::Store if self.get(args[1])? == index => return self.get(args[2]),
                Op::Store => current = args[0],
                Op::Ite => current = args[if self.get(args[0])? != 0 { 1 } else { 2 }],
                _ => {
                    let Some(Value::Array(array)) = self.model.variables.get(&current) else { return Ok(0) };
                    return Ok(array.get(u64::try_from(index).expect("indices have at most 64 bits")));
                }
            }
        }
    }

    /// A whole array, or a scalar term that is needed first.
    fn array(&self, array: Term) -> Result<ArrayValue, Term> {
        let (mut writes, mut current) = (Vec::new(), array);
        let mut value = loop {
            let args = self.pool.args(current);
            match (self.pool.op(current), self.pool.sort(current)) {
                (Op::ConstArray(index), _) => {
                    break ArrayValue::constant(index, self.pool.width(args[0]), self.get(args[0])?);
                }
                (Op::Store, _) => {
                    writes.push((self.get(args[1])?, self.get(args[2])?));
                    current = args[0];
                }
                (Op::Ite, _) => current = args[if self.get(args[0])? != 0 { 1 } else { 2 }],
                (_, Sort::Array { index, element }) => match self.model.variables.get(&current) {
                    Some(Value::Array(array)) => break array.clone(),
                    _ => break ArrayValue::constant(index, element, 0),
                },
                (op, sort) => unreachable!("no array comes from {op:?} of sort {sort}"),
            }
        };
        for (index, element) in writes.into_iter().rev() {
            value.set(u64::try_from(index).expect("indices have at most 64 bits"), element);
        }
        Ok(value)
    }
}
