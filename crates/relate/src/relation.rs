//! What is claimed of two states at a pair of cuts.

use crate::{
    code::Var,
    context::{Context, Side},
    recursion::Recurrent,
    segment::Target,
    state::State,
    sums::Sum,
    variables::number,
};
use hydrogen_term::Term;
use std::collections::{BTreeMap, BTreeSet};

/// A place in the old version and one in the new.
pub(crate) type Places = (Target, Target);

/// A sum of multiples of variables of the old version, as wide as what it is compared with.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub(crate) struct Form {
    pub constant: u128,
    /// Factor, variable, and whether it is extended with its sign.
    pub terms: Vec<(i128, Var, bool)>,
}

/// A variable of either version, or a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub(crate) enum Operand {
    Old(Var),
    New(Var),
    Number(u128),
}

/// How two values are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub(crate) enum Order {
    Equal,
    Signed,
    SignedStrictly,
    Unsigned,
    UnsignedStrictly,
    /// Not equal.
    Different,
    /// The left one is a multiple of the right one, a power of two.
    Multiple,
    /// The lower bits of the left one are the right one, which is narrower.
    Low,
}

/// A comparison that holds whenever both versions are at the places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub(crate) struct Fact {
    pub order: Order,
    pub left: Operand,
    pub right: Operand,
}

/// Where a cell of memory lies that is the same in both versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub(crate) enum Cell {
    /// A global variable.
    Global(u64),
    /// Where a parameter points to, as it came in.
    Behind(u32),
}

impl Cell {
    pub fn address(self, context: &mut Context) -> Term {
        match self {
            Cell::Global(address) => context.word(address),
            Cell::Behind(n) => crate::entry::incoming_parameter(context, n, 64),
        }
    }
}

/// A cell that one version has up to date in memory while the other keeps its value in a local variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub(crate) struct Spilled {
    /// The version with the value in memory.
    pub side: Side,
    /// Where the cell lies.
    pub cell: Cell,
    /// Its size.
    pub bytes: u32,
    /// The local variable of the other version.
    pub var: Var,
}

impl Spilled {
    /// Whether memory and local variable agree.
    pub fn truth(&self, context: &mut Context, old: &State, new: &State) -> Option<Term> {
        let (memory, other) = match self.side {
            Side::Old => (old.public, new),
            Side::New => (new.public, old),
        };
        let value = number(other, self.var).filter(|value| context.pool.width(*value) == self.bytes * 8)?;
        let address = self.cell.address(context);
        let held = context.pool.read_le(memory, address, self.bytes);
        Some(context.pool.eq(held, value))
    }
}

/// Everything claimed at a pair of places, beside that public memory (but for spilled variables), world and epoch are equal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Relation {
    /// For variables of the new version: what they equal. All of the forms hold; the first stands for the variable.
    pub forms: BTreeMap<Var, Vec<Form>>,
    pub facts: BTreeSet<Fact>,
    /// Addresses of local objects with equal bytes.
    pub objects: BTreeSet<u64>,
    /// Variables that hold what they held when the runs first came to a loop.
    pub kept: BTreeSet<(Side, Var)>,
    /// Where memory may differ, and what is known there.
    pub spilled: BTreeSet<Spilled>,
    /// Sums of products that are zero.
    pub sums: BTreeSet<Sum>,
    /// Variables of a loop that hold values of the other version's recursive function.
    pub recurrent: BTreeSet<Recurrent>,
}

/// One claim of a relation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Atom {
    Form(Var, Form),
    Fact(Fact),
    Object(u64),
    Kept(Side, Var),
    Spilled(Spilled),
    Sum(Sum),
    Recurrent(Recurrent),
}

impl Relation {
    pub fn atoms(&self) -> Vec<Atom> {
        let forms = self
            .forms
            .iter()
            .flat_map(|(var, forms)| forms.iter().map(|form| Atom::Form(*var, form.clone())));
        let objects = self.objects.iter().map(|&object| Atom::Object(object));
        let kept = self.kept.iter().map(|&(side, var)| Atom::Kept(side, var));
        let spilled = self.spilled.iter().map(|&one| Atom::Spilled(one));
        let facts = self.facts.iter().map(|&fact| Atom::Fact(fact));
        let sums = self.sums.iter().cloned().map(Atom::Sum);
        let recurrent = self.recurrent.iter().copied().map(Atom::Recurrent);
        forms.chain(facts).chain(objects).chain(kept).chain(spilled).chain(sums).chain(recurrent).collect()
    }

    pub fn drop(&mut self, atom: &Atom) {
        match atom {
            Atom::Form(var, form) => {
                if let Some(forms) = self.forms.get_mut(var) {
                    forms.retain(|other| other != form);
                }
            }
            Atom::Fact(fact) => drop(self.facts.remove(fact)),
            Atom::Object(object) => drop(self.objects.remove(object)),
            Atom::Kept(side, var) => drop(self.kept.remove(&(*side, *var))),
            Atom::Spilled(one) => drop(self.spilled.remove(one)),
            Atom::Sum(sum) => drop(self.sums.remove(sum)),
            Atom::Recurrent(one) => drop(self.recurrent.remove(one)),
        }
    }
}

impl Form {
    pub fn same(var: Var) -> Self {
        Form { constant: 0, terms: vec![(1, var, true)] }
    }

    /// The value in an old state.
    pub fn value(&self, context: &mut Context, old: &State, width: u32) -> Option<Term> {
        let mut sum = context.pool.bits(width, self.constant);
        for &(factor, var, signed) in &self.terms {
            let term = number(old, var)?;
            let term = match signed {
                true => context.pool.resize_signed(term, width),
                false => context.pool.resize_unsigned(term, width),
            };
            let factor = context.pool.signed_bits(width, factor);
            let product = context.pool.mul(term, factor);
            sum = context.pool.add(sum, product);
        }
        Some(sum)
    }
}

impl Fact {
    /// Whether it holds in two states.
    pub fn truth(&self, context: &mut Context, old: &State, new: &State) -> Option<Term> {
        let term = |side: Operand| match side {
            Operand::Old(var) => number(old, var),
            Operand::New(var) => number(new, var),
            Operand::Number(_) => None,
        };
        let (left, right) = (term(self.left), term(self.right));
        let width = context.pool.width(left.or(right)?);
        let mut fill = |one: Option<Term>, side: Operand| match (one, side) {
            (Some(term), _) => Some(term),
            (None, Operand::Number(bits)) => Some(context.pool.bits(width, bits)),
            _ => None,
        };
        let (left, right) = (fill(left, self.left)?, fill(right, self.right)?);
        let pool = &mut context.pool;
        if self.order == Order::Low && pool.width(left) > pool.width(right) {
            let low = pool.truncate(left, pool.width(right));
            return Some(pool.eq(low, right));
        }
        if pool.sort(left) != pool.sort(right) {
            return None;
        }
        Some(match self.order {
            Order::Equal | Order::Low => pool.eq(left, right),
            Order::Signed => pool.sle(left, right),
            Order::SignedStrictly => pool.slt(left, right),
            Order::Unsigned => pool.ule(left, right),
            Order::UnsignedStrictly => pool.ult(left, right),
            Order::Different => pool.ne(left, right),
            Order::Multiple => {
                let one = pool.bits(width, 1);
                let mask = pool.sub(right, one);
                let rest = pool.bitand(left, mask);
                let zero = pool.bits(width, 0);
                pool.eq(rest, zero)
            }
        })
    }
}
