//! Functions without a body in a test in C: they answer by what they are given.

use crate::ctest::pointer;
use hydrogen_evidence::{Call, Known, Value};
use hydrogen_ir::{FloatKind, Module, Type, TypeId};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The stubs of all functions that the call lists. They are named for the linker, so that the types of C need not be known: words travel
/// in the same registers whatever they mean.
pub(crate) fn by_arguments(out: &mut String, module: &Module, call: &Call) {
    let mut functions: BTreeMap<&str, Vec<&Known>> = BTreeMap::new();
    for known in &call.known {
        functions.entry(&known.function).or_default().push(known);
    }
    for (name, list) in functions {
        let found = module.functions.iter().find(|one| one.name == name).and_then(|one| one.ty);
        let Some(Type::Function { result, parameters, .. }) = found.map(|ty| module.types.get(ty)) else {
            continue;
        };
        let word = |ty: &TypeId| word(module, *ty);
        let taken: Vec<String> =
            parameters.iter().enumerate().map(|(at, ty)| format!("{} a{at}", word(ty))).collect();
        let taken = if taken.is_empty() { "void".to_owned() } else { taken.join(", ") };
        let gives = match module.types.get(*result) {
            Type::Void => "void",
            _ => word(result),
        };
        let head = format!("{gives} hydrogen_stub_{name}({taken})");
        let _ = writeln!(out, "\n// What `{name}` has to give.\n{head} __asm__(\"{name}\");\n{head}\n{{");
        if gives == "void" {
            let _ = writeln!(out, "}}");
            continue;
        }
        for known in &list {
            let Some(arguments) = &known.arguments else { continue };
            let equal =
                |(at, value): (usize, &Value)| format!("a{at} == {}", constant(value, word(&parameters[at])));
            let equal: Vec<String> = arguments.iter().take(parameters.len()).enumerate().map(equal).collect();
            let condition = if equal.is_empty() { "1".to_owned() } else { equal.join(" && ") };
            let _ = writeln!(out, "    if ({condition}) return {};", constant(&known.value, gives));
        }
        let other = list.iter().find(|known| known.arguments.is_none());
        let other = other.map_or("0".to_owned(), |known| constant(&known.value, gives));
        let _ = writeln!(out, "    return {other};\n}}");
    }
}

/// A type of C that travels as this one does.
fn word(module: &Module, ty: TypeId) -> &'static str {
    match module.types.get(ty) {
        Type::Float(FloatKind::Float) => "float",
        Type::Float(_) => "double",
        Type::Pointer(_) => "void *",
        Type::Int(1) => "_Bool",
        Type::Int(2..=8) => "signed char",
        Type::Int(9..=16) => "short",
        Type::Int(17..=32) => "int",
        _ => "long long",
    }
}

fn constant(value: &Value, ty: &str) -> String {
    match (value, ty) {
        (Value::Number(number), "float") => {
            format!("((union {{ unsigned bits; float number; }}){{ {:#x} }}).number", number.bits)
        }
        (Value::Number(number), "double") => {
            format!("((union {{ unsigned long bits; double number; }}){{ {:#x} }}).number", number.bits)
        }
        // Memory of the function's own: what the caller has given is elsewhere.
        (Value::Number(number), "void *") if number.bits == 1 => "(void *)-1".to_owned(),
        (Value::Number(number), _) => format!("({ty})0x{:x}ull", number.bits),
        (Value::Object(at, offset), _) => format!("(void *)((char *)hydrogen_objects[{at}] + {offset})"),
        (other, _) => format!("(void *){}", pointer(other)),
    }
}
