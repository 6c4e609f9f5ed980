//! Inputs near one that does no harm: where one of them fails at the same statement, the change took away that one input, and not the fault.

use crate::runner::{Runner, Units, place_in};
use crate::verdict::Seen;
use hydrogen_evidence::{Call, Cell, Input, Value};
use hydrogen_ir::layout::SlotKind;
use hydrogen_ir::{Function, Module};
use hydrogen_program::slots_of;
use hydrogen_query::Attempt;

/// Inputs that are tried, and steps of each.
const MOST: usize = 64;
const STEPS: u64 = 200_000;

impl<U: Units> Runner<U> {
    /// Whether a call fails at the attempt's statement after all, if numbers that nothing was said of are not zero, or one that was chosen is
    /// another.
    pub(crate) fn fails_near(&self, attempt: &Attempt) -> bool {
        let (Some(call), Ok(program)) = (&attempt.input.call, self.program(attempt)) else { return false };
        let Some((module, id)) = place_in(&program, call) else { return false };
        let filled = filled(module, module.function(id), call);
        let others = [call, &filled].into_iter().flat_map(with_one_other);
        let all = std::iter::once(filled.clone()).chain(others).take(MOST);
        all.into_iter().any(|call| {
            let input = Input { call: Some(call), ..attempt.input.clone() };
            self.run_within(&program, attempt, input, STEPS).1 == Seen::It
        })
    }
}

/// A call whose memory has a one wherever a number is that nothing was said of.
fn filled(module: &Module, function: &Function, call: &Call) -> Call {
    let mut filled = call.clone();
    for (at, object) in filled.objects.iter_mut().enumerate() {
        for slot in slots_of(module, function, call, at) {
            let is_open = !object.cells.iter().any(|cell| cell.at == slot.at);
            if is_open && slot.bytes <= 8 && matches!(slot.kind, SlotKind::Number { .. }) {
                let value = Value::number(slot.bytes as u32 * 8, 1);
                object.cells.push(Cell { at: slot.at, path: slot.path, value });
            }
        }
        object.cells.sort();
    }
    filled
}

/// The same call with another number in one place, for each that has one.
fn with_one_other(call: &Call) -> Vec<Call> {
    let mut out = Vec::new();
    let one = |value: &Value| match value {
        Value::Number(number) if number.bits != 1 => Some(Value::number(number.width, 1)),
        _ => None,
    };
    for (at, argument) in call.arguments.iter().enumerate() {
        if let Some(value) = one(&argument.value) {
            let mut other = call.clone();
            other.arguments[at].value = value;
            out.push(other);
        }
    }
    for (object, cells) in call.objects.iter().map(|object| &object.cells).enumerate() {
        for (at, cell) in cells.iter().enumerate() {
            if let Some(value) = one(&cell.value) {
                let mut other = call.clone();
                other.objects[object].cells[at].value = value;
                out.push(other);
            }
        }
    }
    out
}
