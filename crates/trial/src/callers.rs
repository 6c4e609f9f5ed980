//! What a program's own code calls a function with: those who wrote its tests and its callers know what it is for.

use crate::Proposer;
use hydrogen_evidence::{Argument, Call, Cell, Object, Value};
use hydrogen_ir::layout::{pointee, size_of};
use hydrogen_ir::{Body, Const, ConstId, Module, Op, Operand};
use std::collections::BTreeSet;

/// What code gives for a parameter, where that can be read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Given {
    /// No object.
    Null,
    /// A whole number.
    Number(u64),
    /// A text, without the zero behind it.
    Text(Vec<u8>),
    /// Memory of the caller, of so many bytes, with this number in it if that can be read: room for results, and how much of it there is.
    Room(u64, Option<u64>),
}

/// By parameter what a call is given; nothing where it is computed.
pub type Made = Vec<Option<Given>>;

/// Longer texts are not what a function is tried with.
const LONGEST: usize = 256;

/// The calls of a function in the code of a module that say something about what it is called with, each once.
pub fn made(module: &Module, name: &str) -> Vec<Made> {
    let mut found: Vec<Made> = Vec::new();
    for body in module.definitions().filter_map(|(_, function)| function.body.as_ref()) {
        for (at, instruction) in body.instructions.iter().enumerate() {
            let Op::Call { callee: Operand::Const(callee), arguments, .. } = &instruction.op else {
                continue;
            };
            let Const::Function(id) = module.constant(*callee) else { continue };
            if module.function(*id).name != name {
                continue;
            }
            let here = Place { module, body, at };
            let one: Made = arguments.iter().map(|argument| here.given(argument, DEEPEST)).collect();
            let says = |given: &Given| !matches!(given, Given::Null | Given::Room(_, None));
            if one.iter().flatten().any(says) && !found.contains(&one) {
                found.push(one);
            }
        }
    }
    found
}

/// So many steps lead from an argument to what it is: a variable, a conversion.
const DEEPEST: u32 = 3;

/// A place in the code of a function: what is known there is what was written before, in the order of the code.
struct Place<'m> {
    module: &'m Module,
    body: &'m Body,
    at: usize,
}

impl Place<'_> {
    fn given(&self, operand: &Operand, depth: u32) -> Option<Given> {
        let depth = depth.checked_sub(1)?;
        let id = match operand {
            Operand::Const(id) => return given(self.module, *id),
            Operand::Instruction(id) => id,
            _ => return None,
        };
        match &self.body.instruction(*id).op {
            Op::Load { pointer: pointer @ Operand::Instruction(_), .. } => {
                self.given(self.stored(pointer)?, depth).filter(|given| !matches!(given, Given::Room(..)))
            }
            Op::Cast { value, .. } => self.given(value, depth),
            Op::Alloca { ty, count, .. } => {
                let Some(Given::Number(count)) = self.given(count, depth) else { return None };
                let number = self.stored(operand).and_then(|value| self.given(value, depth));
                let number = match number {
                    Some(Given::Number(number)) => Some(number),
                    _ => None,
                };
                let size = self.module.types.layout(*ty)?.alloc_bytes.checked_mul(count)?;
                (1..=ROOM).contains(&size).then_some(Given::Room(size, number))
            }
            Op::ElementAddress { base, indices, .. } => {
                let zero = |index: &Operand| self.given(index, depth) == Some(Given::Number(0));
                indices.iter().all(zero).then(|| self.given(base, depth)).flatten()
            }
            _ => None,
        }
    }

    /// What was stored last before this place.
    fn stored(&self, into: &Operand) -> Option<&Operand> {
        self.body.instructions[..self.at].iter().rev().find_map(|instruction| match &instruction.op {
            Op::Store { value, pointer, .. } if pointer == into => Some(value),
            _ => None,
        })
    }
}

/// Of so many proposals, the one with the fewest null pointers is taken for what nobody says.
const CHOICE: u64 = 6;
/// Larger room is not made.
const ROOM: u64 = 1 << 16;

/// The texts that the code and the tables of a module hold, each once: what tests that are driven by a table give.
pub fn texts(module: &Module) -> Vec<Vec<u8>> {
    let (mut found, mut known) = (Vec::new(), BTreeSet::new());
    for global in module.globals.iter().filter(|global| global.initializer.is_some()) {
        let mut open: Vec<ConstId> = global.initializer.into_iter().collect();
        while let Some(id) = open.pop() {
            match module.constant(id) {
                Const::Bytes { data, .. } => {
                    found.extend(text(data).filter(|text| known.insert(text.clone())));
                }
                Const::Aggregate { elements, .. } => open.extend(elements.iter().rev()),
                _ => {}
            }
        }
    }
    found
}

/// The text that an array of bytes holds, if it is one that a function may be tried with.
fn text(data: &[u8]) -> Option<Vec<u8>> {
    let end = data.iter().position(|byte| *byte == 0).unwrap_or(data.len());
    let (text, rest) = data.split_at(end);
    let is_text = (1..=LONGEST).contains(&end) && rest.iter().all(|byte| *byte == 0);
    is_text.then(|| text.to_vec())
}

fn given(module: &Module, constant: ConstId) -> Option<Given> {
    match module.constant(constant) {
        Const::Int { bits, .. } => Some(Given::Number(*bits as u64)),
        Const::Zero(_) => Some(Given::Null),
        Const::Global(id) => {
            let global = module.global(*id);
            match module.constant(global.initializer?) {
                Const::Bytes { data, .. } if global.constant => {
                    let text = data.split(|byte| *byte == 0).next().unwrap_or_default();
                    (text.len() <= LONGEST).then(|| Given::Text(text.to_vec()))
                }
                // An empty literal has nothing but zeros.
                Const::Zero(_) if global.constant => Some(Given::Text(Vec::new())),
                _ if global.constant => None,
                _ => {
                    let size = module.types.layout(global.ty)?.alloc_bytes;
                    (1..=ROOM).contains(&size).then_some(Given::Room(size, None))
                }
            }
        }
        _ => None,
    }
}

impl Proposer<'_> {
    /// A call with what code gives for some parameters; everything else is as in the `n`-th proposal. A number behind a text that nobody said is
    /// the text's length, by everybody's habit.
    pub fn like(&self, made: &[Option<Given>], n: u64) -> Call {
        // Variables stay as the program begins with them; nobody gives null for no reason.
        let nulls = |call: &Call| call.arguments.iter().filter(|one| one.value == Value::Null).count();
        let some = (0..CHOICE).map(|more| self.call(4 * (n + more)));
        let Some(mut call) = some.min_by_key(nulls) else { return Call::default() };
        let mut length = None;
        for at in 0..call.arguments.len() {
            let value = call.arguments[at].value.clone();
            let next = match (made.get(at).cloned().flatten(), &value) {
                (Some(Given::Number(bits)), Value::Number(number)) => Some(Value::number(number.width, bits)),
                (Some(Given::Null), Value::Null | Value::Object(..)) => Some(Value::Null),
                (Some(Given::Text(text)), Value::Null | Value::Object(..)) => {
                    length = Some(text.len() as u64);
                    self.text(&mut call, at, &text)
                }
                (Some(Given::Room(size, number)), Value::Null | Value::Object(..)) => {
                    self.room(&mut call, at, size, number)
                }
                (None, Value::Number(number)) => {
                    length.take().filter(|_| number.width >= 32).map(|bits| Value::number(number.width, bits))
                }
                _ => None,
            };
            if let Some(next) = next {
                call.arguments[at].value = next;
            }
            if matches!(call.arguments[at].value, Value::Number(_)) {
                length = None;
            }
        }
        without_unused(call)
    }

    /// The parameters that may be texts.
    pub fn text_parameters(&self) -> Vec<usize> {
        (0..self.parameters()).filter(|at| self.text_of(*at).is_some()).collect()
    }

    /// The name of the type that a pointer to characters leads to.
    fn text_of(&self, at: usize) -> Option<String> {
        let target = pointee(self.module(), self.ctype(at)?)?;
        let size = size_of(self.module(), target);
        let name = self.module().ctype_name(target);
        (size == Some(1) || size.is_none() && name.ends_with("void")).then_some(name)
    }

    /// Memory of a caller: of its size, and all zero but for a number at its beginning.
    fn room(&self, call: &mut Call, at: usize, size: u64, number: Option<u64>) -> Option<Value> {
        let target = pointee(self.module(), self.ctype(at)?)?;
        let name = call.arguments[at].name.clone();
        let width = size_of(self.module(), target).filter(|bytes| matches!(bytes, 1 | 2 | 4 | 8));
        let cell = |(bytes, bits): (u64, u64)| Cell {
            at: 0,
            path: format!("*{name}"),
            value: Value::number(bytes as u32 * 8, bits),
        };
        let cells = width.zip(number).map(cell).into_iter().collect();
        let of = self.module().ctype_name(target);
        call.objects.push(Object { name, of, size, cells });
        Some(Value::Object(call.objects.len() - 1, 0))
    }

    /// An object with a text in it.
    fn text(&self, call: &mut Call, at: usize, text: &[u8]) -> Option<Value> {
        let of = self.text_of(at)?;
        let name = call.arguments[at].name.clone();
        let cell = |(at, byte): (u64, &u8)| Cell {
            at,
            path: format!("{name}[{at}]"),
            value: Value::number(8, (*byte).into()),
        };
        let cells = (0u64..).zip(text).map(cell).collect();
        call.objects.push(Object { name: name.clone(), of, size: text.len() as u64 + 1, cells });
        Some(Value::Object(call.objects.len() - 1, 0))
    }
}

/// The call without objects that nothing leads to.
fn without_unused(mut call: Call) -> Call {
    let mut used = BTreeSet::new();
    let mut open: Vec<usize> = Vec::new();
    let object = |value: &Value| match value {
        Value::Object(at, _) => Some(*at),
        _ => None,
    };
    open.extend(call.arguments.iter().filter_map(|argument| object(&argument.value)));
    open.extend(call.globals.iter().flat_map(|one| &one.cells).filter_map(|cell| object(&cell.value)));
    open.extend(call.answers.iter().filter_map(|reply| object(&reply.value)));
    while let Some(at) = open.pop() {
        if used.insert(at) {
            open.extend(call.objects[at].cells.iter().filter_map(|cell| object(&cell.value)));
        }
    }
    let place = |at: usize| used.range(..at).count();
    let renumber = |value: &mut Value| {
        if let Value::Object(at, _) = value {
            *at = place(*at);
        }
    };
    call.arguments.iter_mut().for_each(|Argument { value, .. }| renumber(value));
    let cells = call.globals.iter_mut().flat_map(|one| &mut one.cells);
    cells
        .chain(call.objects.iter_mut().flat_map(|one| &mut one.cells))
        .for_each(|cell| renumber(&mut cell.value));
    call.answers.iter_mut().for_each(|reply| renumber(&mut reply.value));
    let mut at = 0;
    call.objects.retain(|_| {
        at += 1;
        used.contains(&(at - 1))
    });
    call
}
