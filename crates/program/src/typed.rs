//! Which numbers of a call are unsigned: its reader sees them as their types say.

use crate::observed::slots_of;
use hydrogen_evidence::{Call, Value};
use hydrogen_ir::layout::{SlotKind, parameter_type, plain};
use hydrogen_ir::{CType, Encoding, Function, Module};
use std::collections::BTreeSet;

/// The call with its unsigned numbers marked. Enumerations are left as they are: what they hold is written with a sign as often as without.
pub fn typed(module: &Module, function: &Function, mut call: Call) -> Call {
    let is_unsigned = |ctype| {
        matches!(module.ctype(plain(module, ctype)), CType::Basic { encoding: Encoding::Unsigned, .. })
    };
    for (at, argument) in call.arguments.iter_mut().enumerate() {
        if let Value::Number(number) = &mut argument.value {
            number.unsigned = parameter_type(module, function, at).is_some_and(is_unsigned);
        }
    }
    for at in 0..call.objects.len() {
        let slots = slots_of(module, function, &call, at).into_iter();
        let numbers = slots.filter(|slot| matches!(slot.kind, SlotKind::Number { signed: false }));
        let unsigned: BTreeSet<(u64, u64)> =
            numbers.filter(|slot| is_unsigned(slot.ctype)).map(|slot| (slot.at, slot.bytes)).collect();
        for cell in &mut call.objects[at].cells {
            let place = (cell.at, cell.value.bytes());
            if let Value::Number(number) = &mut cell.value {
                number.unsigned = unsigned.contains(&place);
            }
        }
    }
    call
}
