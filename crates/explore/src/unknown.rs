//! Functions without a body (L-6): what they answer is a part of the input, by what they are given (D12). So the same question gets the same
//! answer, in every version and in every run of an input.

use crate::concolic::Concolic;
use hydrogen_evidence::{Call, FirstValue, Input, Known, Value};
use hydrogen_ir::layout::SlotKind;
use hydrogen_ir::stranger::{Word, signature, strangers};
use hydrogen_ir::{Module, Type};
use hydrogen_machine::{Answered, FuncKind, Program};
use std::collections::BTreeSet;

/// What the name of an answer ends with.
const GIVES: &str = ") gives";
/// What follows the arguments in the name of a byte that gets its first value: the number of the argument and of the byte are behind it.
const SETS: &str = ") sets ";

/// Whether a variable stands for something that a function without a body does.
pub(crate) fn is_answer(variable: &str) -> bool {
    variable.ends_with(GIVES) || variable.contains(SETS)
}

/// The width of what a function gives; none for pointers and structures, and where more arguments may follow than are listed.
fn width(module: &Module, name: &str) -> Option<u32> {
    if let Some((result, _)) = signature(module, name) {
        return match result {
            Word::Number(bits) | Word::Float(bits) => Some(bits),
            Word::Nothing | Word::Pointer => None,
        };
    }
    let function = module.functions.iter().find(|one| one.name == name)?;
    let Type::Function { result, varargs: false, .. } = module.types.get(function.ty?) else { return None };
    let bits = u32::try_from(module.types.layout(*result)?.size_bits).ok()?;
    matches!(module.types.get(*result), Type::Int(1..=64) | Type::Float(_))
        .then_some(bits)
        .filter(|bits| *bits <= 64)
}

/// The functions of which nothing says what they do.
fn unknown(program: &Program) -> BTreeSet<&str> {
    let all = program.ids().map(|id| program.function(id));
    all.filter(|one| one.kind == FuncKind::Undefined).map(|one| one.name.as_str()).collect()
}

/// The answers that an input lists, and zero for all else.
pub(crate) fn known(program: &Program, module: &Module, call: &Call, input: &Input) -> Vec<Known> {
    let zero = |name: &str| Value::number(width(module, name).unwrap_or(64), 0);
    let known = |name: &str, arguments: Option<Vec<Value>>| Known {
        function: name.to_owned(),
        arguments,
        value: zero(name),
        sets: Vec::new(),
    };
    let declared: BTreeSet<&str> = module.functions.iter().map(|one| one.name.as_str()).collect();
    let is_stranger = |name: &str| strangers(module).any(|(own, _)| own == name);
    let unknown: Vec<&str> =
        unknown(program).into_iter().filter(|name| declared.contains(name) || is_stranger(name)).collect();
    let mut all: Vec<Known> = unknown.iter().map(|name| known(name, None)).collect();
    for (name, bytes) in &input.named {
        let name = name.to_string();
        // A name that ends like an element of an array stands in brackets.
        let name = name.strip_prefix('(').and_then(|name| name.strip_suffix(')')).unwrap_or(&name);
        let (question, set) = match (name.strip_suffix(GIVES), name.split_once(SETS)) {
            (Some(question), _) => (question, None),
            (None, Some((question, place))) => (question, Some(place)),
            (None, None) => continue,
        };
        // Natively a byte without a value is not zero by itself, so that is said, too.
        if set.is_none() && bytes.iter().all(|byte| *byte == 0) {
            continue;
        }
        let Some((function, arguments)) = question.split_once('(') else { continue };
        if !unknown.contains(&function) {
            continue;
        }
        let words = arguments.split(", ").filter(|word| !word.is_empty());
        let types = widths(module, function);
        let Some(arguments) = words.zip(types).map(|(word, width)| read(call, word, width)).collect() else {
            continue;
        };
        let arguments: Option<Vec<Value>> = Some(arguments);
        let listed = all.iter().position(|one| one.function == function && one.arguments == arguments);
        let at = listed.unwrap_or_else(|| {
            all.push(known(function, arguments));
            all.len() - 1
        });
        match set.and_then(|place| place.strip_suffix(']')?.split_once('[')) {
            Some((argument, byte)) => {
                let (Ok(argument), Ok(offset)) = (argument.parse::<usize>(), byte.parse()) else { continue };
                all[at].sets.push(FirstValue {
                    argument: argument - 1,
                    at: offset,
                    byte: bytes.first().copied().unwrap_or(0),
                });
            }
            None => {
                let Some(width) = width(module, function) else { continue };
                let mut word = [0; 8];
                let len = bytes.len().min(8);
                word[..len].copy_from_slice(&bytes[..len]);
                all[at].value = Value::number(width, u64::from_le_bytes(word));
            }
        }
    }
    all
}

/// The widths of what a function takes.
fn widths(module: &Module, function: &str) -> Vec<u32> {
    if let Some((_, taken)) = signature(module, function) {
        let bits = |word: &Word| match word {
            Word::Number(bits) | Word::Float(bits) => *bits,
            Word::Nothing | Word::Pointer => 64,
        };
        return taken.iter().map(bits).collect();
    }
    let found = module.functions.iter().find(|one| one.name == function).and_then(|one| one.ty);
    let Some(Type::Function { parameters, .. }) = found.map(|ty| module.types.get(ty)) else {
        return Vec::new();
    };
    let bits =
        |ty: &hydrogen_ir::TypeId| module.types.layout(*ty).map_or(64, |layout| layout.size_bits as u32);
    parameters.iter().map(bits).collect()
}

/// A value as [`Call::shown`] writes it.
fn read(call: &Call, word: &str, width: u32) -> Option<Value> {
    if word == "NULL" {
        return Some(Value::Null);
    }
    if let Ok(number) = word.parse::<i64>() {
        return Some(Value::number(width, number.cast_unsigned()));
    }
    let Some(place) = word.strip_prefix('&') else { return Some(Value::Function(word.to_owned())) };
    let (name, offset) = match place.split_once(" + ") {
        Some((name, rest)) => (name, rest.strip_suffix(" bytes")?.parse().ok()?),
        None => (place, 0),
    };
    match name.strip_prefix('<').and_then(|name| name.strip_suffix('>')) {
        Some(own) => {
            let at = call.objects.iter().position(|object| object.name == own)?;
            Some(Value::Object(at, offset))
        }
        None => Some(Value::Global(name.to_owned(), offset)),
    }
}

impl Concolic<'_> {
    /// A function without a body answered: with a symbol, unless that would be an address; and so are the bytes that it filled in.
    pub(crate) fn unknown_answers(&mut self, answered: Answered<'_>) {
        let name = &self.program.function(answered.function).name;
        let module = self.symbolic.call.as_ref().and_then(|entry| entry.find(self.program));
        let (Some((module, _)), Some(call)) = (module, self.memory.call()) else { return };
        let asked = format!("{name}({}", call.shown_all(answered.arguments));
        // Whatever else it does is not followed, so nothing is complete behind it.
        let what = format!("what `{name}` does besides answering, which has no body,");
        *self.concretised.entry((what, self.site)).or_default() += 1;
        for one in answered.filled {
            let path = format!("{asked}{SETS}{}[{}]", one.argument + 1, one.at);
            let term = self.incoming(&path, 1, SlotKind::Number { signed: false });
            self.bytes.store(&mut self.pool, one.place, 1, Some(term));
        }
        let Some(result) = answered.result else { return };
        match width(module, name) {
            Some(width) => {
                let bytes = u64::from(width.div_ceil(8).next_power_of_two());
                let kind = if width == 1 { SlotKind::Truth } else { SlotKind::Number { signed: false } };
                let term = self.incoming(&format!("{asked}{GIVES}"), bytes, kind);
                let term = self.pool.resize_unsigned(term, width);
                self.set(result, Some(term));
            }
            None => {
                let what = format!("what `{name}` gives, which has no body,");
                *self.concretised.entry((what, self.site)).or_default() += 1;
            }
        }
    }
}
