//! A call from words of a command line: `3`, `-1`, `'a'`, `2.5`, `NULL`, `text`, `[1,2,3]`.

use crate::error::Error;
use hydrogen_evidence::{Argument, Call, Cell, Object, Value};
use hydrogen_ir::layout::SlotKind;
use hydrogen_ir::layout::parameter_type;
use hydrogen_ir::layout::{plain, pointee, size_of, slots, target_slots};
use hydrogen_ir::{CType, CTypeId, Function, Module};
use hydrogen_machine::{Passing, convention, is_record};

/// The call of a function with these arguments; what is missing is zero.
pub fn call_of(module: &Module, function: &Function, words: &[String]) -> Result<Call, Error> {
    let takes = match function.ctype.map(|ctype| module.ctype(ctype)) {
        Some(CType::Function { parameters, .. }) => parameters.len(),
        _ => function.parameters.len(),
    };
    let known = convention(module, function);
    if words.len() > takes {
        let name = function.name.clone();
        return Err(Error::Arguments(format!("`{name}` takes {takes} arguments, {} are given", words.len())));
    }
    let mut call = Call { function: function.name.clone(), ..Call::default() };
    if let Some(file) = function.file() {
        call.unit = Some(module.file(file).to_owned());
    }
    for at in 0..takes {
        let own = known.as_ref().map_or(Passing::Direct(at), |known| known.arguments[at].clone());
        let name = name_of(function, &own);
        let wrong =
            |what: String| Error::Arguments(format!("argument {} of `{}`: {what}", at + 1, function.name));
        let ctype = parameter_type(module, function, at)
            .ok_or_else(|| wrong("its type is not known; compile with debug information".into()))?;
        let word = words.get(at).map_or("0", String::as_str);
        let value = match pointee(module, ctype) {
            Some(target) => pointer(module, &mut call, &name, target, word).map_err(wrong)?,
            None if is_record(module, ctype) => {
                structure(module, &mut call, &name, ctype, word).map_err(wrong)?
            }
            None => scalar(module, ctype, word).map_err(wrong)?,
        };
        call.arguments.push(Argument { name, value });
    }
    Ok(call)
}

/// Whether a function takes numbers, texts, and pointers to numbers alone: a call of it is what a person would write.
pub fn takes_plain_values(module: &Module, function: &Function) -> bool {
    let is_number =
        |ctype| matches!(module.ctype(plain(module, ctype)), CType::Basic { .. } | CType::Enum { .. });
    (0..function.parameters.len()).all(|at| {
        let ctype = parameter_type(module, function, at);
        ctype.is_some_and(|ctype| is_number(ctype) || pointee(module, ctype).is_some_and(is_number))
    })
}

/// The name of a parameter; compilers add to that of a structure which is taken apart.
fn name_of(function: &Function, passing: &Passing) -> String {
    let at = match passing {
        Passing::Direct(at) | Passing::Copy(at) => Some(*at),
        Passing::Pieces(pieces) => pieces.first().map(|(at, _)| *at),
        Passing::Nothing => None,
    };
    let name = at.and_then(|at| function.parameters.get(at)).map_or("", |one| one.name.as_str());
    name.split(".coerce").next().unwrap_or(name).to_owned()
}

/// A structure by value: `{1,2}`, its numbers in their order; what is missing is zero.
fn structure(
    module: &Module,
    call: &mut Call,
    name: &str,
    ctype: CTypeId,
    word: &str,
) -> Result<Value, String> {
    let list = match word {
        "0" => "",
        word => word
            .strip_prefix('{')
            .and_then(|list| list.strip_suffix('}'))
            .ok_or_else(|| format!("`{word}` is no structure; one is given as {{1,2}}"))?,
    };
    let words: Vec<&str> = list.split(',').map(str::trim).filter(|one| !one.is_empty()).collect();
    let places = slots(module, ctype, name, MOST);
    if words.len() > places.len() {
        return Err(format!("it has {} members, {} are given", places.len(), words.len()));
    }
    let mut cells = Vec::new();
    for (slot, word) in places.iter().zip(words) {
        let value = match slot.kind {
            SlotKind::Pointer if matches!(word, "0" | "NULL") => Value::Null,
            SlotKind::Pointer => return Err("a pointer inside of a structure can only be NULL here".into()),
            _ => scalar(module, slot.ctype, word)?,
        };
        cells.push(Cell { at: slot.at, path: slot.path.clone(), value });
    }
    let size = size_of(module, ctype).unwrap_or(0);
    call.objects.push(Object { name: name.to_owned(), of: module.ctype_name(ctype), size, cells });
    Ok(Value::Object(call.objects.len() - 1, 0))
}

/// No more members of a structure are given.
const MOST: usize = 256;

fn scalar(module: &Module, ctype: CTypeId, word: &str) -> Result<Value, String> {
    let found = slots(module, ctype, "", 2);
    let [slot] = found.as_slice() else { return Err("only numbers and pointers can be given".into()) };
    let width = slot.bytes as u32 * 8;
    if slot.bytes > 8 {
        return Err("numbers of more than 64 bits cannot be given".into());
    }
    if slot.kind == SlotKind::Float {
        let number: f64 = word.parse().map_err(|_| format!("`{word}` is no number"))?;
        let bits = if width == 32 { u64::from((number as f32).to_bits()) } else { number.to_bits() };
        return Ok(Value::number(width, bits));
    }
    Ok(Value::number(width, whole(word).ok_or_else(|| format!("`{word}` is no number"))? as u64))
}

fn whole(word: &str) -> Option<i128> {
    if let [b'\'', byte, b'\''] = word.as_bytes() {
        return Some(i128::from(*byte));
    }
    let (negative, digits) = match word.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, word),
    };
    let number = match digits.strip_prefix("0x") {
        Some(digits) => i128::from(u64::from_str_radix(digits, 16).ok()?),
        None => i128::from(digits.parse::<u64>().ok()?),
    };
    Some(if negative { -number } else { number })
}

/// A pointer argument: null, a list of elements, or text.
fn pointer(
    module: &Module,
    call: &mut Call,
    name: &str,
    target: CTypeId,
    word: &str,
) -> Result<Value, String> {
    if matches!(word, "NULL" | "0") {
        return Ok(Value::Null);
    }
    let at = call.objects.len();
    let mut object =
        Object { name: name.to_owned(), of: module.ctype_name(target), size: 0, cells: Vec::new() };
    match word.strip_prefix('[').and_then(|list| list.strip_suffix(']')) {
        Some(list) => {
            let size = size_of(module, target).ok_or("the size of its elements is not known")?;
            let words: Vec<&str> = list.split(',').map(str::trim).filter(|one| !one.is_empty()).collect();
            object.size = size * words.len() as u64;
            let places = target_slots(module, target, name, words.len() as u64, words.len() + 1);
            if places.len() != words.len() {
                return Err("a list is for elements that are numbers".into());
            }
            for (slot, word) in places.iter().zip(words) {
                let value = scalar(module, slot.ctype, word)?;
                object.cells.push(Cell { at: slot.at, path: slot.path.clone(), value });
            }
        }
        None => {
            if !matches!(size_of(module, target), Some(1) | None) {
                return Err(format!("`{word}` is text; elements are given as [1,2,3], no object as NULL"));
            }
            object.size = word.len() as u64 + 1;
            object.cells = word
                .bytes()
                .enumerate()
                .map(|(at, byte)| Cell {
                    at: at as u64,
                    path: format!("{name}[{at}]"),
                    value: Value::number(8, u64::from(byte)),
                })
                .collect();
        }
    }
    call.objects.push(object);
    Ok(Value::Object(at, 0))
}
