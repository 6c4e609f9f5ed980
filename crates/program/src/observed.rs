//! What a caller sees after a call: the result and the memory that it gave, in lines that the machine and a native test write alike.

use hydrogen_evidence::{Call, Object, Value};
use hydrogen_ir::layout::{Slot, SlotKind, parameter_type, target_slots};
use hydrogen_ir::{CType, CTypeId, Function, Module};
use hydrogen_machine::{After, Left, convention, is_record, result_words};

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
        None => bytes(module, object),
    }
}

fn size(module: &Module, target: CTypeId) -> Option<u64> {
    hydrogen_ir::layout::size_of(module, target)
}

/// An object of no known type is compared byte by byte.
fn bytes(module: &Module, object: &Object) -> Vec<Slot> {
    let Some(ctype) = byte_type(module) else { return Vec::new() };
    let one = |at: u64| Slot {
        at,
        bytes: 1,
        path: format!("{}[{at}]", object.name),
        kind: SlotKind::Number { signed: false },
        ctype,
    };
    let pointers = |at: &u64| {
        !object
            .cells
            .iter()
            .any(|cell| !matches!(cell.value, Value::Number(_)) && (cell.at..cell.at + 8).contains(at))
    };
    (0..object.size.min(MOST as u64)).filter(pointers).map(one).collect()
}

/// A type of one byte.
pub(crate) fn byte_type(module: &Module) -> Option<CTypeId> {
    let ctype = module.ctypes.iter().position(|one| matches!(one, CType::Basic { size_bits: 8, .. }));
    ctype.map(|ctype| CTypeId(ctype as u32))
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

/// The lines of a run in the machine.
pub fn lines(module: &Module, function: &Function, call: &Call, after: &After) -> Vec<String> {
    let mut lines = Vec::new();
    if let (Some(slot), Some(value)) = (result_slot(module, function), after.result.first()) {
        let text = match value {
            Value::Number(number) => number_text(&slot, number.bits),
            other => pointer_text(call, Some(other)),
        };
        lines.push(format!("result = {text}"));
    }
    if let Some(left) = given_back(module, function, after) {
        for slot in result_slots(module, function) {
            lines.push(format!("{} = {}", slot.path, value_text(call, &slot, &left)));
        }
    }
    for (at, left) in after.objects.iter().take(call.objects.len()).enumerate() {
        let Some(left) = left.as_ref().filter(|_| by_value(module, function, call, at).is_none()) else {
            continue;
        };
        for slot in slots_of(module, function, call, at) {
            if slot.bytes > 8 {
                continue;
            }
            lines.push(format!("{} = {}", slot.path, value_text(call, &slot, left)));
        }
    }
    lines
}

fn value_text(call: &Call, slot: &Slot, left: &Left) -> String {
    let mut word = [0; 8];
    if let Some(bytes) = left.bytes.get(slot.at as usize..(slot.at + slot.bytes) as usize) {
        word[..bytes.len()].copy_from_slice(bytes);
    }
    let bits = u64::from_le_bytes(word);
    match (slot.kind, left.pointers.get(&slot.at)) {
        (SlotKind::Pointer, None) if bits != 0 => "elsewhere".into(),
        (SlotKind::Pointer, pointer) => pointer_text(call, pointer),
        _ => number_text(slot, bits),
    }
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

fn pointer_text(call: &Call, value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => "NULL".into(),
        Some(Value::Object(at, offset)) if *at < call.objects.len() => {
            format!("&<{}> + {offset}", call.objects[*at].name)
        }
        Some(_) => "elsewhere".into(),
    }
}
