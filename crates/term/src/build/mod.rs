//! The constructors: each checks sorts, folds constants and applies its operator's rewrite rules, one file per family. Rules look only a
//! bounded number of levels down, so building is cheap and deep terms are no danger to the stack.

mod arithmetic;
mod array;
mod bitwise;
mod boolean;
mod compare;
mod equality;
pub(crate) mod float;
pub(crate) mod interval;
mod ite;
mod linear;
mod overflow;
mod remainder;
mod resize;
mod shift;

use crate::{
    pool::Pool,
    sort::Sort,
    term::{Args, Op, Term},
    words,
};

/// An operator's rules: a simpler term, or none if the node is to be made as it is.
type Rules = fn(&mut Pool, Term, Term, u32) -> Option<Term>;

impl Pool {
    /// The term of an operator on arguments, through the operator's constructor.
    ///
    /// # Panics
    /// If number or sorts of the arguments are not the operator's.
    pub fn make(&mut self, op: Op, args: &[Term]) -> Term {
        match (op, args) {
            (Op::Bool(value), []) => self.bool(value),
            (Op::Not, &[a]) => self.not(a),
            (Op::And, &[a, b]) => self.and(a, b),
            (Op::Or, &[a, b]) => self.or(a, b),
            (Op::Ite, &[c, a, b]) => self.ite(c, a, b),
            (Op::Eq, &[a, b]) => self.eq(a, b),
            (Op::BitNot, &[a]) => self.bitnot(a),
            (Op::BitAnd, &[a, b]) => self.bitand(a, b),
            (Op::BitOr, &[a, b]) => self.bitor(a, b),
            (Op::BitXor, &[a, b]) => self.bitxor(a, b),
            (Op::Add, &[first, ref rest @ ..]) => rest.iter().fold(first, |sum, &arg| self.add(sum, arg)),
            (Op::Mul, &[a, b]) => self.mul(a, b),
            (Op::Udiv, &[a, b]) => self.udiv(a, b),
            (Op::Urem, &[a, b]) => self.urem(a, b),
            (Op::Sdiv, &[a, b]) => self.sdiv(a, b),
            (Op::Srem, &[a, b]) => self.srem(a, b),
            (Op::Shl, &[a, b]) => self.shl(a, b),
            (Op::Lshr, &[a, b]) => self.lshr(a, b),
            (Op::Ashr, &[a, b]) => self.ashr(a, b),
            (Op::Concat, &[a, b]) => self.concat(a, b),
            (Op::Extract { high, low }, &[a]) => self.extract(a, high, low),
            (Op::Zext(width), &[a]) => self.zext(a, width),
            (Op::Sext(width), &[a]) => self.sext(a, width),
            (Op::Ult, &[a, b]) => self.ult(a, b),
            (Op::Slt, &[a, b]) => self.slt(a, b),
            (Op::Select, &[a, i]) => self.select(a, i),
            (Op::Store, &[a, i, v]) => self.store(a, i, v),
            (Op::ConstArray(index), &[v]) => self.const_array(index, v),
            (Op::Float(op, format), args) => self.float(op, format, args),
            (Op::Apply(function), args) => self.apply(function, args),
            _ => panic!("{op:?} does not take {} arguments here", args.len()),
        }
    }

    /// An uninterpreted function's value.
    ///
    /// # Panics
    /// If the arguments' sorts are not the function's.
    pub fn apply(&mut self, function: crate::term::Function, args: &[Term]) -> Term {
        let signature = self.signature(function);
        let matches = signature.arguments.iter().copied().eq(args.iter().map(|&arg| self.sort(arg)));
        assert!(matches, "the arguments of {} have other sorts than it takes", signature.name);
        let result = signature.result;
        self.intern(Op::Apply(function), result, args)
    }

    /// What all operators on two bit-vectors of one width have in common.
    fn binary(&mut self, op: Op, left: Term, right: Term, rules: Rules) -> Term {
        let width = self.same_width(left, right);
        let sort = if matches!(op, Op::Eq | Op::Ult | Op::Slt) { Sort::Bool } else { Sort::Bits(width) };
        if self.is_raw() {
            return self.intern(op, sort, &[left, right]);
        }
        if let Some(value) = self.fold(op, width, left, right) {
            return self.value_of(sort, value);
        }
        if let Some(lifted) = self.lift_constant_ite(op, sort, width, left, right) {
            return lifted;
        }
        let (left, right) = if op.is_commutative() { self.ordered(left, right) } else { (left, right) };
        match rules(self, left, right, width) {
            Some(simpler) => simpler,
            None => self.intern(op, sort, &[left, right]),
        }
    }

    fn same_width(&self, left: Term, right: Term) -> u32 {
        let (a, b) = (self.width(left), self.width(right));
        assert_eq!(a, b, "both sides of an operator must have the same width");
        a
    }

    fn fold(&self, op: Op, width: u32, left: Term, right: Term) -> Option<u128> {
        words::binary(op, width, self.as_bits(left)?, self.as_bits(right)?)
    }

    /// The constant of a sort with this value; truth values are 0 and 1.
    pub(crate) fn value_of(&mut self, sort: Sort, value: u128) -> Term {
        match sort {
            Sort::Bits(width) => self.bits(width, value),
            _ => self.bool(value != 0),
        }
    }

    /// `op(c ? 1 : 2, 3)` is `c ? op(1, 3) : op(2, 3)`, whose branches are constants again.
    fn lift_constant_ite(&mut self, op: Op, sort: Sort, width: u32, left: Term, right: Term) -> Option<Term> {
        let (a, b) = (self.constant_ite(left), self.constant_ite(right));
        let (condition, (l1, l2), (r1, r2)) = match (a, b) {
            (Some((c, l1, l2)), Some((d, r1, r2))) if c == d => (c, (l1, l2), (r1, r2)),
            (Some((c, l1, l2)), None) => (c, (l1, l2), (self.as_bits(right)?, self.as_bits(right)?)),
            (None, Some((c, r1, r2))) => (c, (self.as_bits(left)?, self.as_bits(left)?), (r1, r2)),
            _ => return None,
        };
        let then = words::binary(op, width, l1, r1)?;
        let otherwise = words::binary(op, width, l2, r2)?;
        let (then, otherwise) = (self.value_of(sort, then), self.value_of(sort, otherwise));
        Some(self.ite(condition, then, otherwise))
    }

    /// Condition and values of an if-then-else between two constant bit-vectors.
    fn constant_ite(&self, term: Term) -> Option<(Term, u128, u128)> {
        let [condition, then, otherwise] = *self.args_if(term, Op::Ite)? else { return None };
        Some((condition, self.as_bits(then)?, self.as_bits(otherwise)?))
    }

    /// The arguments, if the term has this operator.
    fn args_if(&self, term: Term, op: Op) -> Option<&[Term]> {
        let node = self.node(term);
        (node.op == op).then_some(node.args.as_slice())
    }

    /// The two arguments, if the term has this operator.
    fn pair_if(&self, term: Term, op: Op) -> Option<(Term, Term)> {
        match *self.args_if(term, op)? {
            [a, b] => Some((a, b)),
            _ => None,
        }
    }

    /// The argument, if the term has this operator.
    fn single_if(&self, term: Term, op: Op) -> Option<Term> {
        match *self.args_if(term, op)? {
            [a] => Some(a),
            _ => None,
        }
    }

    /// The extended term, if this is a zero extension.
    fn zext_of(&self, term: Term) -> Option<Term> {
        matches!(self.op(term), Op::Zext(_)).then(|| self.args(term)[0])
    }

    /// The extended term, if this is a sign extension.
    fn sext_of(&self, term: Term) -> Option<Term> {
        matches!(self.op(term), Op::Sext(_)).then(|| self.args(term)[0])
    }

    fn zero(&mut self, width: u32) -> Term {
        self.bits(width, 0)
    }

    fn args_vec(&self, term: Term) -> Args {
        self.node(term).args.clone()
    }
}
