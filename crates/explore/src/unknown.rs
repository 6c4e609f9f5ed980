//! Functions without a body (L-6): what they answer is a part of the input, by what they are given (D12). So the same question gets the same
//! answer, in every version and in every run of an input.

use crate::concolic::Concolic;
use hydrogen_evidence::{Call, Input, Known, Value};
use hydrogen_ir::layout::SlotKind;
use hydrogen_ir::{Module, Type};
use hydrogen_machine::code::Reg;
use hydrogen_machine::{FuncId, FuncKind, Program};
use std::collections::BTreeSet;

/// What the name of an answer ends with.
pub(crate) const GIVES: &str = ") gives";

/// The width of what a function gives; none for pointers and structures, and where more arguments may follow than are listed.
fn width(module: &Module, function: &str) -> Option<u32> {
    let function = module.functions.iter().find(|one| one.name == function)?;
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
    let mut all = Vec::new();
    let unknown = unknown(program);
    for function in module.functions.iter().filter(|one| unknown.contains(one.name.as_str())) {
        let name = function.name.clone();
        let zero = Value::number(width(module, &name).unwrap_or(64), 0);
        all.push(Known { function: name, arguments: None, value: zero });
    }
    for (name, bytes) in &input.named {
        let name = name.to_string();
        let Some((function, arguments)) = name.strip_suffix(GIVES).and_then(|name| name.split_once('('))
        else {
            continue;
        };
        let Some(width) =
            all.iter().any(|one| one.function == function).then(|| width(module, function)).flatten()
        else {
            continue;
        };
        let mut word = [0; 8];
        let len = bytes.len().min(8);
        word[..len].copy_from_slice(&bytes[..len]);
        let words = arguments.split(", ").filter(|word| !word.is_empty());
        let types = widths(module, function);
        let Some(arguments) = words.zip(types).map(|(word, width)| read(call, word, width)).collect() else {
            continue;
        };
        if word == [0; 8] {
            continue;
        }
        let value = Value::number(width, u64::from_le_bytes(word));
        all.push(Known { function: function.to_owned(), arguments: Some(arguments), value });
    }
    all
}

/// The widths of what a function takes.
fn widths(module: &Module, function: &str) -> Vec<u32> {
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
    /// A function without a body answered: with a symbol, unless that would be an address.
    pub(crate) fn unknown_answers(&mut self, function: FuncId, arguments: &[Value], result: Reg) {
        let name = &self.program.function(function).name;
        let module = self.symbolic.call.as_ref().and_then(|entry| entry.find(self.program));
        let (Some((module, _)), Some(call)) = (module, self.memory.call()) else { return };
        let shown = format!("{name}({}{GIVES}", call.shown_all(arguments));
        // Whatever else it does is not followed, so nothing is complete behind it.
        let what = format!("what `{name}` does besides answering, which has no body,");
        *self.concretised.entry((what, self.site)).or_default() += 1;
        match width(module, name) {
            Some(width) => {
                let bytes = u64::from(width.div_ceil(8).next_power_of_two());
                let kind = if width == 1 { SlotKind::Truth } else { SlotKind::Number { signed: false } };
                let term = self.incoming(&shown, bytes, kind);
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
