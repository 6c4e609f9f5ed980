//! Functions without a body in a test in C: they answer by what they are given.

use crate::ctest::pointer;
use hydrogen_evidence::{Call, Known, Value};
use hydrogen_ir::stranger::{Word, signature};
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
        let Some((gives, words)) = signature_in_words(module, name) else { continue };
        let taken: Vec<String> = words.iter().enumerate().map(|(at, word)| format!("{word} a{at}")).collect();
        let taken = if taken.is_empty() { "void".to_owned() } else { taken.join(", ") };
        let head = format!("{gives} hydrogen_stub_{name}({taken})");
        let _ = writeln!(out, "\n// What `{name}` has to give.\n{head} __asm__(\"{name}\");\n{head}\n{{");
        for known in &list {
            let Some(arguments) = &known.arguments else { continue };
            let equal = |(at, value): (usize, &Value)| match (value, words[at]) {
                // Memory of the function's own: what the caller has given is elsewhere.
                (Value::Number(number), "void *") if number.bits == 1 => {
                    format!("hydrogen_is_outside(a{at})")
                }
                (value, word) => format!("a{at} == {}", constant(value, word)),
            };
            let equal: Vec<String> = arguments.iter().take(words.len()).enumerate().map(equal).collect();
            let condition = if equal.is_empty() { "1".to_owned() } else { equal.join(" && ") };
            let _ = writeln!(out, "    if ({condition}) {{");
            for one in &known.sets {
                let _ =
                    writeln!(out, "        ((unsigned char *)a{})[{}] = {};", one.argument, one.at, one.byte);
            }
            match gives {
                "void" => out.push_str("        return;\n    }\n"),
                _ => {
                    let _ = writeln!(out, "        return {};\n    }}", constant(&known.value, gives));
                }
            }
        }
        if gives != "void" {
            let other = list.iter().find(|known| known.arguments.is_none());
            let other = other.map_or("0".to_owned(), |known| constant(&known.value, gives));
            let _ = writeln!(out, "    return {other};");
        }
        out.push_str("}\n");
    }
}

/// The declarations of functions that only stubs define, so that the test can name them.
pub(crate) fn strangers_in(out: &mut String, module: &Module, call: &Call) {
    for known in call.known.iter().filter(|known| known.arguments.is_none()) {
        if signature(module, &known.function).is_some() {
            let _ = writeln!(out, "extern char {0}_[] __asm__(\"{0}\");\n#define {0} {0}_", known.function);
        }
    }
}

/// What a function gives and takes, as types of C that travel as its own do.
fn signature_in_words(module: &Module, name: &str) -> Option<(&'static str, Vec<&'static str>)> {
    if let Some((gives, takes)) = signature(module, name) {
        return Some((word_of(gives), takes.into_iter().map(word_of).collect()));
    }
    let ty = module.functions.iter().find(|one| one.name == name)?.ty?;
    let Type::Function { result, parameters, .. } = module.types.get(ty) else { return None };
    let gives = match module.types.get(*result) {
        Type::Void => "void",
        _ => word(module, *result),
    };
    Some((gives, parameters.iter().map(|ty| word(module, *ty)).collect()))
}

fn word_of(word: Word) -> &'static str {
    match word {
        Word::Nothing => "void",
        Word::Pointer => "void *",
        Word::Float(32) => "float",
        Word::Float(_) => "double",
        Word::Number(bits) => integer(bits),
    }
}

fn integer(bits: u32) -> &'static str {
    match bits {
        1 => "_Bool",
        2..=8 => "signed char",
        9..=16 => "short",
        17..=32 => "int",
        _ => "long long",
    }
}

/// A type of C that travels as this one does.
fn word(module: &Module, ty: TypeId) -> &'static str {
    match module.types.get(ty) {
        Type::Float(FloatKind::Float) => "float",
        Type::Float(_) => "double",
        Type::Pointer(_) => "void *",
        Type::Int(bits) => integer(*bits),
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
        (Value::Number(number), _) => format!("({ty})0x{:x}ull", number.bits),
        (Value::Object(at, offset), _) => format!("(void *)((char *)hydrogen_objects[{at}] + {offset})"),
        (other, _) => format!("(void *){}", pointer(other)),
    }
}
