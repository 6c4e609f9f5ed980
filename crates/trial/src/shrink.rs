//! Making an input small that shows a difference.

use crate::{Difference, Effort, Side};
use hydrogen_evidence::{Call, Number, Value};
use hydrogen_ir::layout::{SlotKind, slots};
use hydrogen_program::{parameter_type, slots_of};

/// Runs that it may cost.
const MOST_RUNS: usize = 160;

/// The smallest input found from one that shows a difference.
pub(crate) fn smaller(old: &Side, new: &Side, mut found: Difference, effort: &Effort) -> Difference {
    let limits = effort.limits();
    let mut runs = 0;
    let mut again = true;
    while again {
        again = false;
        for call in simpler(old, &found.call) {
            runs += 1;
            if runs > MOST_RUNS || effort.is_over() {
                return found;
            }
            let (one, other) = (old.run(&call, &limits), new.run(&call, &limits));
            // A defined difference stays one.
            let is_as_good = found.old.is_fault() || !one.is_fault();
            if is_as_good && one.differs(&other, &effort.observables, effort.assume_defined) {
                found = Difference { call, old: one, new: other };
                again = true;
                break;
            }
        }
    }
    found
}

/// Calls that are a little simpler, the simplest first.
fn simpler(side: &Side, call: &Call) -> Vec<Call> {
    let mut found = Vec::new();
    if !call.globals.is_empty() {
        found.push(Call { globals: Vec::new(), ..call.clone() });
        for at in 0..call.globals.len() {
            let mut other = call.clone();
            other.globals.remove(at);
            found.push(other);
        }
    }
    if !call.answers.is_empty() {
        let half = call.answers.len() / 2;
        found.push(Call { answers: call.answers[..half].to_vec(), ..call.clone() });
        for at in 0..call.answers.len() {
            let mut other = call.clone();
            other.answers.remove(at);
            found.push(other);
        }
    }
    let Some((module, function)) = side.function(&call.function) else { return found };
    for at in 0..call.arguments.len() {
        let is_float = parameter_type(module, function, at).is_some_and(
            |ctype| matches!(slots(module, ctype, "", 2).as_slice(), [slot] if slot.kind == SlotKind::Float),
        );
        for value in simpler_values(&call.arguments[at].value, is_float) {
            let mut other = call.clone();
            other.arguments[at].value = value;
            found.push(other);
        }
    }
    for object in 0..call.objects.len() {
        let types = slots_of(module, function, call, object);
        if call.objects[object].cells.len() > 1 {
            let mut other = call.clone();
            other.objects[object].cells.clear();
            found.push(other);
        }
        for at in 0..call.objects[object].cells.len() {
            let cell = &call.objects[object].cells[at];
            let is_float = types.iter().any(|slot| slot.at == cell.at && slot.kind == SlotKind::Float);
            for value in simpler_values(&cell.value, is_float) {
                let mut other = call.clone();
                other.objects[object].cells[at].value = value;
                found.push(other);
            }
        }
    }
    found
}

fn simpler_values(value: &Value, is_float: bool) -> Vec<Value> {
    let Value::Number(Number { width, bits, .. }) = *value else { return Vec::new() };
    if is_float {
        let number = if width == 32 { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits) };
        let simple = |candidate: &f64| complexity(*candidate) < complexity(number);
        let tries = [0.0, 1.0, 2.0, 0.5, 3.0, 0.1, number.round(), (number * 10.0).round() / 10.0, -number];
        return tries.into_iter().filter(simple).map(|one| crate::objects::float(width, one)).collect();
    }
    let signed = Number { width, bits, unsigned: false }.signed();
    let simple =
        |candidate: &i64| (candidate.unsigned_abs(), *candidate < 0) < (signed.unsigned_abs(), signed < 0);
    let tries = [0, 1, 2, 3, 4, signed / 2, signed.wrapping_neg(), signed - signed.signum()];
    tries.into_iter().filter(simple).map(|one| Value::number(width, one as u64)).collect()
}

/// How hard a number is to read.
fn complexity(number: f64) -> (usize, bool) {
    (format!("{:?}", number.abs()).len(), number.is_sign_negative())
}
