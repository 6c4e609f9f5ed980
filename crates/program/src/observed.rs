//! What a caller sees after a call ([`seen`]) in lines that the machine and a native test write alike, and the types of what is in a call.

use crate::cover::number;
use crate::seen::{Holder, Seen, seen};
use hydrogen_evidence::{Call, Object, Value};
use hydrogen_ir::layout::{Slot, SlotKind, parameter_type, target_slots};
use hydrogen_ir::{CType, CTypeId, Function, Module};
use hydrogen_machine::{After, Left, convention, is_record, result_words};
use std::collections::BTreeMap;

/// No more values of one object are compared.
const MOST: usize = 64;

/// The scalars of an object that are compared after the call. The type comes from the parameter or member that names the object.
pub fn slots_of(module: &Module, function: &Function, call: &Call, at: usize) -> Vec<Slot> {
    let Some(object) = call.objects.get(at).filter(|object| !object.is_stream()) else { return Vec::new() };
    if let Some(ctype) = by_value(module, function, call, at) {
        return hydrogen_ir::layout::slots(module, ctype, &object.name, MOST);
    }
    match target_of(module, function, call, at).and_then(|target| Some((target, size(module, target)?))) {
        Some((target, size)) => target_slots(module, target, &object.name, object.size / size, MOST),
        None => bytes(object),
    }
}

fn size(module: &Module, target: CTypeId) -> Option<u64> {
    hydrogen_ir::layout::size_of(module, target)
}

/// An object of no known type is compared byte by byte.
fn bytes(object: &Object) -> Vec<Slot> {
    let one = |at: u64| number(&format!("{}[{at}]", object.name), at, 1);
    let pointers = |at: &u64| {
        !object
            .cells
            .iter()
            .any(|cell| !matches!(cell.value, Value::Number(_)) && (cell.at..cell.at + 8).contains(at))
    };
    (0..object.size.min(MOST as u64)).filter(pointers).map(one).collect()
}

/// The type of an object that is given by value, as an argument itself. The function has a copy: no caller sees what becomes of it.
pub fn by_value(module: &Module, function: &Function, call: &Call, at: usize) -> Option<CTypeId> {
    let is_it = |value: &Value| matches!(value, Value::Object(to, 0) if *to == at);
    let arguments = (0..).zip(&call.arguments).filter(|(_, argument)| is_it(&argument.value));
    let types = arguments.filter_map(|(parameter, _)| parameter_type(module, function, parameter));
    let of = &call.objects.get(at)?.of;
    types.filter(|ctype| is_record(module, *ctype) && module.ctype_name(*ctype) == *of).last()
}

/// The type of the elements of an object: what points to it says so.
pub fn target_of(module: &Module, function: &Function, call: &Call, at: usize) -> Option<CTypeId> {
    let points = |value: &Value| matches!(value, Value::Object(to, 0) if *to == at);
    let by_argument = call.arguments.iter().position(|argument| points(&argument.value));
    if let Some(parameter) = by_argument
        && let Some(ctype) = parameter_type(module, function, parameter)
    {
        return hydrogen_ir::layout::pointee(module, ctype);
    }
    // Objects that come earlier point to later ones; so this ends.
    for holder in 0..at {
        for cell in &call.objects[holder].cells {
            if points(&cell.value) {
                let slots = slots_of(module, function, call, holder);
                let slot = slots.iter().find(|slot| slot.at == cell.at && slot.kind == SlotKind::Pointer)?;
                return hydrogen_ir::layout::pointee(module, slot.ctype);
            }
        }
    }
    None
}

/// The C type of the result; none for `void`.
pub fn result_type(module: &Module, function: &Function) -> Option<CTypeId> {
    match module.ctype(function.ctype?) {
        CType::Function { result, .. } => {
            (!matches!(module.ctype(hydrogen_ir::layout::plain(module, *result)), CType::Void))
                .then_some(*result)
        }
        _ => None,
    }
}

/// The scalar that a function gives; none for `void`, structures and the like.
pub fn result_slot(module: &Module, function: &Function) -> Option<Slot> {
    let found = hydrogen_ir::layout::slots(module, result_type(module, function)?, "result", 2);
    match found.as_slice() {
        [one] if one.bytes <= 8 && one.path == "result" => Some(one.clone()),
        _ => None,
    }
}

/// The scalars of a structure that a function gives.
pub fn result_slots(module: &Module, function: &Function) -> Vec<Slot> {
    match result_type(module, function).filter(|ctype| is_record(module, *ctype)) {
        Some(ctype) => {
            let mut found = hydrogen_ir::layout::slots(module, ctype, "result", MOST);
            found.retain(|slot| slot.bytes <= 8);
            found
        }
        None => Vec::new(),
    }
}

/// The structure that a function gave: as the object that it is in, or put together from words.
pub fn given_back(module: &Module, function: &Function, after: &After) -> Option<Left> {
    result_type(module, function).filter(|ctype| is_record(module, *ctype))?;
    if convention(module, function)?.result.is_some() {
        let Some(Value::Object(at, 0)) = after.result.first() else { return None };
        return after.objects.get(*at)?.clone();
    }
    let mut left = Left::default();
    for ((at, bytes), value) in result_words(module, function).into_iter().zip(&after.result) {
        let end = (at + bytes) as usize;
        left.bytes.resize(left.bytes.len().max(end), 0);
        match value {
            Value::Number(number) => {
                left.bytes[at as usize..end].copy_from_slice(&number.bits.to_le_bytes()[..bytes as usize]);
            }
            pointer => {
                left.pointers.insert(at, pointer.clone());
            }
        }
    }
    Some(left)
}

/// The lines of a run in the machine, as a test in C prints them: what a caller sees that has no name for the program's variables.
pub fn lines(module: &Module, function: &Function, call: &Call, after: &After) -> Vec<String> {
    printed(&seen(module, function, call, after))
}

/// The same of what was looked at.
pub fn printed(seen: &[Seen]) -> Vec<String> {
    in_a_test(seen).map(|one| format!("{} = {}", one.path, one.printed())).collect()
}

/// What a test in C shows: not what nobody has given a value, and not all of what is large.
pub(crate) fn in_a_test(seen: &[Seen]) -> impl Iterator<Item = &Seen> {
    let mut count: BTreeMap<&Holder, usize> = BTreeMap::new();
    seen.iter().filter(move |one| {
        let is_in_hand = one.way.as_ref().is_some_and(|way| way.is_in_hand());
        let is_shown = is_in_hand && !one.is_undefined && (1..=8).contains(&one.bytes);
        let count = count.entry(&one.holder).or_default();
        *count += usize::from(is_shown);
        is_shown && *count <= MOST
    })
}

pub(crate) fn number_text(slot: &Slot, bits: u64) -> String {
    let unused = 64 - 8 * slot.bytes.clamp(1, 8);
    match slot.kind {
        SlotKind::Number { signed: true } => ((bits << unused).cast_signed() >> unused).to_string(),
        SlotKind::Pointer if bits == 0 => "NULL".into(),
        SlotKind::Pointer => "elsewhere".into(),
        SlotKind::Truth => (bits & 1).to_string(),
        SlotKind::Number { signed: false } => (bits << unused >> unused).to_string(),
        SlotKind::Float => format!("bits {:x}", bits << unused >> unused),
    }
}
