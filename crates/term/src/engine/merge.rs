//! Models of independent parts put together. An array may belong to several parts, by different elements.

use crate::{
    pool::Pool,
    slice::{Supports, Unknown},
    sort::Sort,
    term::Term,
    value::{ArrayValue, Model, Value},
};

/// Takes over what the model says about the unknowns of the constraints.
pub(super) fn merge(
    pool: &Pool,
    supports: &mut Supports,
    whole: &mut Model,
    constraints: &[Term],
    model: &Model,
) {
    for &constraint in constraints {
        for &unknown in supports.of(pool, constraint).iter() {
            match unknown {
                Unknown::Variable(variable) => {
                    if let Some(value) = model.variables.get(&variable) {
                        whole.set(variable, value.clone());
                    }
                }
                Unknown::Element(array, at) => {
                    let element = match model.variables.get(&array) {
                        Some(Value::Array(value)) => value.get(at),
                        _ => 0,
                    };
                    // If the array belongs to this part as a whole, its value is or will be taken over, and says the same.
                    if let Sort::Array { index, element: width } = pool.sort(array) {
                        let blank = || Value::Array(ArrayValue::constant(index, width, 0));
                        if let Value::Array(value) = whole.variables.entry(array).or_insert_with(blank) {
                            value.set(at, element);
                        }
                    }
                }
                Unknown::Function(function) => {
                    if let Some(value) = model.functions.get(&function) {
                        whole.functions.insert(function, value.clone());
                    }
                }
            }
        }
    }
}
