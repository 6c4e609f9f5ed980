//! Values of terms, and assignments of values to variables and functions.

use std::collections::BTreeMap;

use crate::{
    sort::Sort,
    term::{Function, Term},
};

/// The value of a term.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// A bit-vector.
    Bits {
        /// Its width.
        width: u32,
        /// Its bits, zero above the width.
        value: u128,
    },
    /// An array.
    Array(ArrayValue),
}

impl Value {
    /// The bits; truth values count as 0 and 1.
    pub fn as_bits(&self) -> Option<u128> {
        match self {
            Value::Bool(value) => Some(u128::from(*value)),
            Value::Bits { value, .. } => Some(*value),
            Value::Array(_) => None,
        }
    }

    /// The truth value.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The value of a sort whose bits are all zero.
    pub fn zero(sort: Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(false),
            Sort::Bits(width) => Value::Bits { width, value: 0 },
            Sort::Array { index, element } => Value::Array(ArrayValue::constant(index, element, 0)),
        }
    }

    /// The sort of the value.
    pub fn sort(&self) -> Sort {
        match self {
            Value::Bool(_) => Sort::Bool,
            Value::Bits { width, .. } => Sort::Bits(*width),
            Value::Array(array) => Sort::Array { index: array.index, element: array.element },
        }
    }
}

/// An array: one element everywhere, but for a few indices.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArrayValue {
    /// Width of an index.
    pub index: u32,
    /// Width of an element.
    pub element: u32,
    /// The element where `entries` say nothing.
    pub default: u128,
    /// The exceptions; none of them equals the default.
    pub entries: BTreeMap<u64, u128>,
}

impl ArrayValue {
    /// The same element everywhere.
    pub fn constant(index: u32, element: u32, default: u128) -> Self {
        Self { index, element, default, entries: BTreeMap::new() }
    }

    /// The element at an index.
    pub fn get(&self, index: u64) -> u128 {
        self.entries.get(&index).copied().unwrap_or(self.default)
    }

    /// Replaces the element at an index.
    pub fn set(&mut self, index: u64, value: u128) {
        if value == self.default {
            self.entries.remove(&index);
        } else {
            self.entries.insert(index, value);
        }
    }

    /// Whether the two have the same element at every index.
    pub fn is_same(&self, other: &ArrayValue) -> bool {
        let keys = || self.entries.keys().chain(other.entries.keys());
        if !keys().all(|&index| self.get(index) == other.get(index)) {
            return false;
        }
        let mentioned = keys().collect::<std::collections::BTreeSet<_>>().len() as u128;
        self.default == other.default || mentioned == 1 << self.index
    }
}

/// A function: one result for all arguments, but for a few. Truth values count as 0 and 1.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FunctionValue {
    /// The result where `entries` say nothing.
    pub default: u128,
    /// The exceptions, by arguments.
    pub entries: BTreeMap<Vec<u128>, u128>,
}

impl FunctionValue {
    /// The result for arguments.
    pub fn get(&self, arguments: &[u128]) -> u128 {
        self.entries.get(arguments).copied().unwrap_or(self.default)
    }
}

/// Values of variables and uninterpreted functions of one pool. What is not mentioned is zero.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Model {
    /// Values of variables.
    pub variables: BTreeMap<Term, Value>,
    /// Values of functions.
    pub functions: BTreeMap<Function, FunctionValue>,
}

impl Model {
    /// No values: everything is zero.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives a variable a value.
    pub fn set(&mut self, variable: Term, value: Value) {
        self.variables.insert(variable, value);
    }

    /// Takes over what the other model says; where both do, the other's counts.
    pub fn extend(&mut self, other: Model) {
        self.variables.extend(other.variables);
        self.functions.extend(other.functions);
    }
}
