//! A C-like form for people: `n > 255 && buf[i] == 0`. Casts and marks appear only where the reading would otherwise be wrong.

use crate::{
    float::FloatOp,
    pool::Pool,
    sort::Sort,
    term::{Op, Term},
    words::{mask, sign_bit, signed},
};
use std::collections::BTreeSet;

/// Nobody reads further; terms share parts, so their whole text may be exponentially long.
const DEEPEST: u32 = 40;
const LONGEST: usize = 4_000;

/// How strongly an expression binds, as in C.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Binding {
    Choice,
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equal,
    Compare,
    Shift,
    Sum,
    Product,
    Prefix,
    Atom,
}

impl Pool {
    /// The term as a person would write it in C. Not for machines: very large terms are cut with `…`.
    pub fn to_c(&self, term: Term) -> String {
        self.to_c_where(term, &BTreeSet::new())
    }

    /// As [`Pool::to_c`], where these terms are known to have unsigned types: no cast has to say so.
    pub fn to_c_where(&self, term: Term, unsigned: &BTreeSet<Term>) -> String {
        let mut printer = Printer { pool: self, unsigned, text: String::new() };
        printer.print(term, Binding::Choice, 0);
        printer.text
    }
}

pub(super) struct Printer<'a> {
    pub(super) pool: &'a Pool,
    /// What has an unsigned type.
    unsigned: &'a BTreeSet<Term>,
    text: String,
}

impl Printer<'_> {
    pub(super) fn print(&mut self, term: Term, outer: Binding, depth: u32) {
        if depth > DEEPEST || self.text.len() > LONGEST {
            self.text.push('…');
            return;
        }
        let binding = self.binding(term);
        let enclosed = binding < outer;
        if enclosed {
            self.text.push('(');
        }
        self.bare(term, binding, depth + 1);
        if enclosed {
            self.text.push(')');
        }
    }

    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn binding(&self, term: Term) -> Binding {
        let args = self.pool.args(term);
        match self.pool.op(term) {
            Op::Not => match self.pool.op(args[0]) {
                Op::Eq => Binding::Equal,
                Op::Ult | Op::Slt => Binding::Compare,
                Op::Float(FloatOp::Eq, _) => Binding::Equal,
                _ => Binding::Prefix,
            },
            Op::Float(op, _) => super::number::binding(op),
            Op::And => Binding::And,
            Op::Or => Binding::Or,
            Op::Ite => Binding::Choice,
            Op::Eq => Binding::Equal,
            Op::BitNot | Op::Sext(_) => match self.inner_of_resize(term) {
                Some((Resize::Shift { .. }, _)) => Binding::Shift,
                Some((Resize::Same, inner)) => self.binding(inner),
                _ => Binding::Prefix,
            },
            Op::Zext(_) | Op::Extract { .. } => match self.inner_of_resize(term) {
                Some((Resize::Shift { .. }, _)) => Binding::Shift,
                Some((Resize::Mask { .. }, _)) => Binding::BitAnd,
                Some((Resize::Same, inner)) => self.binding(inner),
                _ => Binding::Prefix,
            },
            Op::BitAnd => Binding::BitAnd,
            Op::BitOr => Binding::BitOr,
            Op::BitXor => Binding::BitXor,
            Op::Add => Binding::Sum,
            Op::Mul if self.pool.as_bits(args[1]) == Some(mask(self.pool.width(term))) => Binding::Prefix,
            Op::Mul | Op::Udiv | Op::Urem | Op::Sdiv | Op::Srem => Binding::Product,
            Op::Shl | Op::Lshr | Op::Ashr => Binding::Shift,
            Op::Ult | Op::Slt => Binding::Compare,
            Op::Concat => match self.bytes_read(term) {
                Some(_) => Binding::Prefix,
                None => Binding::Atom,
            },
            Op::Bits(value) if self.is_shown_negative(value, term) => Binding::Prefix,
            _ => Binding::Atom,
        }
    }

    fn bare(&mut self, term: Term, binding: Binding, depth: u32) {
        let args = self.pool.args(term);
        match self.pool.op(term) {
            Op::Bool(value) => self.push(if value { "true" } else { "false" }),
            Op::Bits(value) => {
                let text = self.number(value, term);
                self.push(&text);
            }
            Op::Var(symbol) => self.push(self.pool.symbol_name(symbol)),
            Op::Not => self.negation(args[0], depth),
            Op::And => self.chain(term, Op::And, " && ", binding, depth),
            Op::Or => self.chain(term, Op::Or, " || ", binding, depth),
            Op::Ite => {
                self.print(args[0], Binding::Or, depth);
                self.push(" ? ");
                self.print(args[1], Binding::Or, depth);
                self.push(" : ");
                self.print(args[2], Binding::Choice, depth);
            }
            Op::Eq => self.infix(args[0], " == ", args[1], binding, false, depth),
            Op::Ult => self.infix(args[0], " < ", args[1], binding, true, depth),
            Op::Slt => match self.pool.as_signed(args[1]) {
                Some(number) => {
                    self.print(args[0], binding, depth);
                    self.push(&format!(" < {number}"));
                }
                None => self.infix(args[0], " < ", args[1], binding, false, depth),
            },
            Op::BitNot => self.prefix("~", args[0], depth),
            Op::BitAnd => self.chain(term, Op::BitAnd, " & ", binding, depth),
            Op::BitOr => self.chain(term, Op::BitOr, " | ", binding, depth),
            Op::BitXor => self.chain(term, Op::BitXor, " ^ ", binding, depth),
            Op::Add => self.sum(term, depth),
            Op::Mul if binding == Binding::Prefix => self.prefix("-", args[0], depth),
            Op::Mul => self.infix(args[0], " * ", args[1], binding, false, depth),
            Op::Udiv => self.infix(args[0], " / ", args[1], binding, true, depth),
            Op::Urem => self.infix(args[0], " % ", args[1], binding, true, depth),
            Op::Sdiv => self.infix(args[0], " / ", args[1], binding, false, depth),
            Op::Srem => self.infix(args[0], " % ", args[1], binding, false, depth),
            Op::Shl => self.infix(args[0], " << ", args[1], binding, false, depth),
            Op::Ashr => self.infix(args[0], " >> ", args[1], binding, false, depth),
            Op::Lshr => {
                self.operand(args[0], binding, true, depth);
                self.push(" >> ");
                self.print(args[1], next(binding), depth);
            }
            Op::Zext(_) | Op::Sext(_) | Op::Extract { .. } => self.resize(term, depth),
            Op::Concat => self.concat(term, depth),
            Op::Select => {
                self.print(args[0], Binding::Atom, depth);
                self.push("[");
                self.print(args[1], Binding::Choice, depth);
                self.push("]");
            }
            Op::Store => {
                self.print(args[0], Binding::Atom, depth);
                self.push("{[");
                self.print(args[1], Binding::Choice, depth);
                self.push("] = ");
                self.print(args[2], Binding::Choice, depth);
                self.push("}");
            }
            Op::ConstArray(_) => {
                self.push("{");
                self.print(args[0], Binding::Choice, depth);
                self.push(", …}");
            }
            Op::Float(op, format) => self.float(op, format, args, binding, depth),
            Op::Apply(function) => {
                self.push(self.pool.function_name(function));
                self.arguments(args, depth);
            }
        }
    }

    fn arguments(&mut self, args: &[Term], depth: u32) {
        self.push("(");
        for (position, &arg) in args.iter().enumerate() {
            if position > 0 {
                self.push(", ");
            }
            self.print(arg, Binding::Choice, depth);
        }
        self.push(")");
    }

    fn prefix(&mut self, sign: &str, term: Term, depth: u32) {
        self.push(sign);
        self.print(term, Binding::Prefix, depth);
    }

    fn negation(&mut self, inner: Term, depth: u32) {
        let (op, args) = (self.pool.op(inner), self.pool.args(inner));
        match op {
            Op::Eq => self.infix(args[0], " != ", args[1], Binding::Equal, false, depth),
            Op::Float(FloatOp::Eq, format) => self.numbers(format, args, " != ", Binding::Equal, depth),
            // A bound that is a number reads better as a strict one: not below 256 is above 255.
            Op::Ult | Op::Slt => match self.pool.as_bits(args[1]) {
                Some(bound) => {
                    self.operand(args[0], Binding::Compare, op == Op::Ult, depth);
                    let below = bound.wrapping_sub(1) & mask(self.pool.width(args[1]));
                    let number = match op {
                        Op::Slt => signed(below, self.pool.width(args[1])).to_string(),
                        _ => self.number(below, args[1]),
                    };
                    self.push(" > ");
                    self.push(&number);
                }
                None => self.infix(args[0], " >= ", args[1], Binding::Compare, op == Op::Ult, depth),
            },
            _ => self.prefix("!", inner, depth),
        }
    }

    fn infix(&mut self, left: Term, sign: &str, right: Term, binding: Binding, unsigned: bool, depth: u32) {
        self.operand(left, binding, unsigned, depth);
        self.push(sign);
        self.operand(right, next(binding), unsigned, depth);
    }

    /// An operand of something that C would do differently on signed numbers is marked, unless it cannot be negative.
    pub(super) fn operand(&mut self, term: Term, binding: Binding, unsigned: bool, depth: u32) {
        if unsigned && self.may_read_negative(term) {
            let cast = match self.pool.width(term) {
                8 => "(unsigned char)",
                16 => "(unsigned short)",
                64 => "(unsigned long)",
                _ => "(unsigned)",
            };
            self.push(cast);
            self.print(term, Binding::Prefix, depth);
        } else {
            self.print(term, binding, depth);
        }
    }

    fn may_read_negative(&self, term: Term) -> bool {
        let is_scalar = matches!(self.pool.sort(term), Sort::Bits(_));
        // Constants are shown by their value, and bytes of memory read as unsigned.
        let is_plain =
            matches!(self.pool.op(term), Op::Bits(_) | Op::Select) || self.bytes_read(term).is_some();
        is_scalar && !is_plain && !self.is_unsigned(term, 0) && !self.pool.facts(term).is_nonnegative()
    }

    /// Whether C computes it as an unsigned number: it has such a type, or one of its operands has.
    fn is_unsigned(&self, term: Term, depth: u32) -> bool {
        let joins = matches!(
            self.pool.op(term),
            Op::Add | Op::Mul | Op::Udiv | Op::Urem | Op::BitAnd | Op::BitOr | Op::BitXor
        );
        self.unsigned.contains(&term)
            || joins
                && depth < DEEPEST
                && self.pool.args(term).iter().any(|&arg| self.is_unsigned(arg, depth + 1))
    }

    /// `a && b && c` from nested pairs.
    fn chain(&mut self, term: Term, op: Op, sign: &str, binding: Binding, depth: u32) {
        let (mut parts, mut open) = (Vec::new(), vec![term]);
        while let Some(part) = open.pop() {
            if self.pool.op(part) == op {
                open.extend(self.pool.args(part).iter().rev());
            } else {
                parts.push(part);
            }
        }
        for (position, part) in parts.into_iter().enumerate() {
            if position > 0 {
                self.push(sign);
            }
            self.print(part, next(binding), depth);
        }
    }

    fn sum(&mut self, term: Term, depth: u32) {
        let width = self.pool.width(term);
        for (position, &part) in self.pool.args(term).iter().enumerate() {
            let (atom, factor) = match (self.pool.op(part), self.pool.args(part)) {
                (Op::Bits(value), _) => {
                    let number = signed(value, width);
                    self.push(if number < 0 { " - " } else { " + " });
                    self.push(&number.unsigned_abs().to_string());
                    continue;
                }
                (Op::Mul, &[atom, factor]) if self.pool.as_bits(factor).is_some() => {
                    (atom, self.pool.as_signed(factor))
                }
                _ => (part, Some(1)),
            };
            let factor = factor.unwrap_or(1);
            match (position, factor < 0) {
                (0, true) => self.push("-"),
                (0, false) => {}
                (_, true) => self.push(" - "),
                (_, false) => self.push(" + "),
            }
            self.print(atom, Binding::Product, depth);
            if factor.unsigned_abs() != 1 {
                self.push(&format!(" * {}", factor.unsigned_abs()));
            }
        }
    }

    fn resize(&mut self, term: Term, depth: u32) {
        let Some((kind, inner)) = self.inner_of_resize(term) else { return };
        match kind {
            Resize::Same => self.print(inner, Binding::Choice, depth),
            Resize::Cast(name) => {
                self.push(&format!("({name})"));
                self.print(inner, Binding::Prefix, depth);
            }
            Resize::Shift { by, unsigned } => {
                self.operand(inner, Binding::Shift, unsigned, depth);
                self.push(&format!(" >> {by}"));
            }
            Resize::Mask { by, bits } => {
                if by == 0 {
                    self.print(inner, Binding::BitAnd, depth);
                } else {
                    self.print(inner, Binding::Shift, depth);
                    self.push(&format!(" >> {by}"));
                }
                self.push(&format!(" & {:#x}", mask(bits)));
            }
        }
    }

    /// How an extension or extraction reads, and of what.
    fn inner_of_resize(&self, term: Term) -> Option<(Resize, Term)> {
        let inner = *self.pool.args(term).first()?;
        let width = self.pool.width(term);
        match self.pool.op(term) {
            Op::Zext(_) | Op::Sext(_) => {
                let signed = matches!(self.pool.op(term), Op::Sext(_));
                // Bits taken out of a term of the same width: a shift or a mask.
                if let Op::Extract { high, low } = self.pool.op(inner)
                    && let Some(&base) = self.pool.args(inner).first()
                    && self.pool.width(base) == width
                {
                    return match (high == width - 1, signed) {
                        (true, _) => Some((Resize::Shift { by: low, unsigned: !signed }, base)),
                        (false, false) => Some((Resize::Mask { by: low, bits: high - low + 1 }, base)),
                        (false, true) => Some((Resize::Same, inner)),
                    };
                }
                if !signed
                    && self.may_read_negative(inner)
                    && !matches!(self.pool.op(inner), Op::Extract { .. })
                {
                    return Some((Resize::Cast("unsigned"), inner));
                }
                Some((Resize::Same, inner))
            }
            Op::Extract { low, .. } => match (low, width) {
                (0, 8) => Some((Resize::Cast("uint8_t"), inner)),
                (0, 16) => Some((Resize::Cast("uint16_t"), inner)),
                (0, 32) => Some((Resize::Cast("uint32_t"), inner)),
                (0, 64) => Some((Resize::Cast("uint64_t"), inner)),
                _ => Some((Resize::Mask { by: low, bits: width }, inner)),
            },
            _ => None,
        }
    }

    fn concat(&mut self, term: Term, depth: u32) {
        if let Some((array, index)) = self.bytes_read(term) {
            self.push(&format!("*(uint{}_t *)&", self.pool.width(term)));
            self.print(array, Binding::Atom, depth);
            self.push("[");
            self.print(index, Binding::Choice, depth);
            self.push("]");
            return;
        }
        self.push("concat");
        let (mut parts, mut rest) = (Vec::new(), term);
        while let (Op::Concat, &[first, second]) = (self.pool.op(rest), self.pool.args(rest)) {
            parts.push(first);
            rest = second;
        }
        parts.push(rest);
        self.arguments(&parts, depth);
    }

    /// Array and lowest index, if a term is 2, 4 or 8 neighbouring bytes of an array.
    fn bytes_read(&self, term: Term) -> Option<(Term, Term)> {
        let (mut bytes, mut rest) = (Vec::new(), term);
        while let (Op::Concat, &[first, second]) = (self.pool.op(rest), self.pool.args(rest)) {
            bytes.push(first);
            rest = second;
        }
        bytes.push(rest);
        let element = |byte: &Term| match (self.pool.op(*byte), self.pool.args(*byte)) {
            (Op::Select, &[array, index]) if self.pool.width(*byte) == 8 => Some((array, index)),
            _ => None,
        };
        let bytes = bytes.iter().rev().map(element).collect::<Option<Vec<_>>>()?;
        let (array, index) = *bytes.first()?;
        let follows = |(offset, &(other, at)): (usize, &(Term, Term))| {
            other == array && self.pool.difference(at, index).as_constant() == Some(offset as u128)
        };
        (matches!(bytes.len(), 2 | 4 | 8) && bytes.iter().enumerate().all(follows)).then_some((array, index))
    }

    /// Small negative numbers are shown as such.
    fn is_shown_negative(&self, value: u128, term: Term) -> bool {
        let width = self.pool.width(term);
        width >= 16 && value >= sign_bit(width) && signed(value, width) >= -65536
    }

    fn number(&self, value: u128, term: Term) -> String {
        let width = self.pool.width(term);
        if self.is_shown_negative(value, term) {
            signed(value, width).to_string()
        } else if value > u128::from(u32::MAX) || (value > 65536 && value == sign_bit(width)) {
            format!("{value:#x}")
        } else {
            value.to_string()
        }
    }
}

/// How a change of width reads.
enum Resize {
    /// The value stays the same.
    Same,
    Cast(&'static str),
    Shift {
        by: u32,
        unsigned: bool,
    },
    Mask {
        by: u32,
        bits: u32,
    },
}

/// The next stronger binding: the right operand of a left-associative operator.
pub(super) fn next(binding: Binding) -> Binding {
    match binding {
        Binding::Choice => Binding::Or,
        Binding::Or => Binding::And,
        Binding::And => Binding::BitOr,
        Binding::BitOr => Binding::BitXor,
        Binding::BitXor => Binding::BitAnd,
        Binding::BitAnd => Binding::Equal,
        Binding::Equal => Binding::Compare,
        Binding::Compare => Binding::Shift,
        Binding::Shift => Binding::Sum,
        Binding::Sum => Binding::Product,
        Binding::Product | Binding::Prefix | Binding::Atom => Binding::Prefix,
    }
}
