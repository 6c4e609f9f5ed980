//! Calls of a single function whose memory is made as it is touched (L-1 … L-5).
//!
//! Every scalar that comes in has a name, `n`, `p->m[1]`, and a value in the input; a pointer's value is the name of the object it leads
//! to, and an object's own name is that of the pointer which it was made for. So an input stays meaningful when one choice is turned
//! around: what is no longer reached is no longer there.

use crate::surroundings::{self, GivenGlobal, Globals, Surroundings, functions_behind};
use crate::unknown;
use hydrogen_evidence::{Argument, Call, Cell, Global, Input, Object, Value};
use hydrogen_ir::layout::{Slot, SlotKind, pointee, size_of, slots, target_slots};
use hydrogen_ir::{CType, CTypeId, Function, Module};
use hydrogen_machine::{Passing, Program, convention};
use std::collections::BTreeMap;

/// A function that is explored, and how large its memory may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionEntry {
    /// The function.
    pub function: String,
    /// Its file, where several have the name.
    pub unit: Option<String>,
    /// So many pointers lead from a parameter to the farthest object.
    pub depth: u32,
    /// So many elements an object may have.
    pub elements: u64,
}

/// Scalars of one object that are followed; the rest is zero.
const MOST_SLOTS: usize = 256;
/// Objects of one call.
const MOST_OBJECTS: usize = 64;

/// An object that comes in.
#[derive(Debug, Clone)]
pub(crate) struct Given {
    pub(crate) name: String,
    pub(crate) target: CTypeId,
    pub(crate) element: u64,
    pub(crate) elements: u64,
    pub(crate) depth: u32,
    pub(crate) slots: Vec<Slot>,
    /// Whether it is an argument itself, a structure by value: no pointer leads to it, and it has its size.
    pub(crate) by_value: bool,
}

/// A parameter.
#[derive(Debug, Clone)]
pub(crate) struct Incoming {
    pub(crate) name: String,
    pub(crate) ctype: CTypeId,
    /// What it is; none for a structure.
    pub(crate) slot: Option<Slot>,
    /// How it is given.
    pub(crate) passing: Passing,
    pub(crate) target: Option<CTypeId>,
    /// Whether the function looks at it at all.
    pub(crate) used: bool,
    /// The functions that it may lead to, where it is a pointer to one.
    pub(crate) functions: Vec<String>,
}

/// What an input means for a function: its call, and what is symbolic in it.
#[derive(Debug, Clone)]
pub(crate) struct Made {
    pub(crate) call: Call,
    pub(crate) parameters: Vec<Incoming>,
    pub(crate) objects: Vec<Given>,
    pub(crate) globals: Vec<GivenGlobal>,
}

/// The name of a variable for a scalar: those that end in an index would read as bytes of something else.
pub(crate) fn variable(path: &str) -> String {
    if path.ends_with(']') { format!("({path})") } else { path.to_owned() }
}

/// The variable for the number of elements of an object behind its first one: there is always one.
pub(crate) fn more(name: &str) -> String {
    format!("more({name})")
}

/// What stands for an object in the value of a pointer: a number made of its name.
pub(crate) fn id(name: &str) -> u64 {
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    hash | 1
}

/// What stands for a function in the value of a pointer.
pub(crate) fn function_id(name: &str) -> u64 {
    id(&format!("&{name}"))
}

fn bits(input: &Input, name: &str) -> u64 {
    let mut word = [0; 8];
    if let Some(bytes) = input.named.get(variable(name).as_bytes() as &[u8]) {
        let len = bytes.len().min(8);
        word[..len].copy_from_slice(&bytes[..len]);
    }
    u64::from_le_bytes(word)
}

impl FunctionEntry {
    /// The function in a program.
    pub fn find<'p>(&self, program: &'p Program) -> Option<(&'p Module, &'p Function)> {
        program.named(&self.function, self.unit.as_deref()).and_then(|id| program.model(id))
    }

    /// Why the function cannot be explored; none if it can.
    pub fn refusal(&self, program: &Program) -> Option<String> {
        let Some((module, function)) = self.find(program) else {
            return Some(format!("no unit defines a function `{}`", self.function));
        };
        match parameters(module, function) {
            Some(_) => None,
            None => Some(format!(
                "`{}` takes something that cannot be made: a number of more than 64 bits, or a parameter whose type is not known",
                self.function
            )),
        }
    }

    /// The call that an input stands for, with global variables as they begin.
    pub fn call(&self, program: &Program, input: &Input) -> Option<Call> {
        self.made(program, Surroundings::default(), &|_| true, input).map(|made| made.call)
    }

    /// The global variables that the function may read and that may hold anything. One that has the name of a parameter has another.
    fn globals(&self, module: &Module, function: &Function, parameters: &[Incoming]) -> Vec<GivenGlobal> {
        let mut found = surroundings::globals(module, function);
        for global in &mut found {
            if parameters.iter().any(|one| one.name == global.name) {
                global.slots.iter_mut().for_each(|slot| slot.path.insert_str(0, "::"));
            }
        }
        found
    }

    /// The initial values of these variables, by the names of their symbols.
    pub(crate) fn initial(&self, program: &Program) -> Vec<(String, Vec<u8>)> {
        let Some((module, function)) = self.find(program) else { return Vec::new() };
        let parameters = parameters(module, function).unwrap_or_default();
        let mut all = Vec::new();
        for global in self.globals(module, function, &parameters) {
            let bytes = program.initial_bytes(0, global.id).unwrap_or_default();
            for slot in global.slots.iter().filter(|slot| slot.kind != SlotKind::Pointer) {
                let own = bytes.get(slot.at as usize..(slot.at + slot.bytes) as usize);
                all.extend(own.map(|own| (variable(&slot.path), own.to_vec())));
            }
        }
        all
    }

    /// What an input means; `open` says of a global variable whether it may change.
    pub(crate) fn made(
        &self,
        program: &Program,
        around: Surroundings,
        open: &dyn Fn(&str) -> bool,
        input: &Input,
    ) -> Option<Made> {
        let (module, function) = self.find(program)?;
        let parameters = parameters(module, function)?;
        let globals = match around.globals {
            Globals::Initial => Vec::new(),
            Globals::Any => {
                let mut all = self.globals(module, function, &parameters);
                all.retain(|global| open(&global.name));
                all
            }
        };
        let mut objects: Vec<Given> = Vec::new();
        let mut numbers: BTreeMap<u64, usize> = BTreeMap::new();
        let mut open: Vec<(String, CTypeId, u32)> = parameters
            .iter()
            .filter(|one| one.used)
            .filter_map(|one| Some((one.name.clone(), one.target?, 1)))
            .collect();
        for one in parameters.iter().filter(|one| one.slot.is_none()) {
            let given = structure(module, one);
            let inner = given.slots.iter().filter(|slot| slot.kind == SlotKind::Pointer);
            open.extend(inner.filter_map(|slot| Some((slot.path.clone(), data(module, slot.ctype)?, 1))));
            objects.push(given);
        }
        let in_globals = globals.iter().flat_map(|global| &global.slots);
        let pointers = in_globals.filter(|slot| slot.kind == SlotKind::Pointer);
        open.extend(pointers.filter_map(|slot| Some((slot.path.clone(), data(module, slot.ctype)?, 1))));
        // Objects are made for the pointers that have their name; the others lead to one of these.
        let mut at = 0;
        while at < open.len() {
            let (name, target, depth) = open[at].clone();
            at += 1;
            let own = id(&name);
            if bits(input, &name) != own || depth > self.depth || objects.len() >= MOST_OBJECTS {
                continue;
            }
            let Some(given) = self.object(module, input, &name, target, depth) else { continue };
            let inner = given.slots.iter().filter(|slot| slot.kind == SlotKind::Pointer);
            open.extend(
                inner.filter_map(|slot| Some((slot.path.clone(), data(module, slot.ctype)?, depth + 1))),
            );
            numbers.insert(own, objects.len());
            objects.push(given);
        }
        let value = |slot: &Slot, name: &str| match slot.kind {
            SlotKind::Pointer => match numbers.get(&bits(input, name)) {
                Some(at) => Value::Object(*at, 0),
                None => {
                    let wanted = bits(input, name);
                    let mut behind = functions_behind(module, slot.ctype).into_iter();
                    let function = behind.find(|function| wanted != 0 && function_id(function) == wanted);
                    function.map_or(Value::Null, Value::Function)
                }
            },
            SlotKind::Truth => Value::number(8, bits(input, name) & 1),
            _ => Value::number(slot.bytes as u32 * 8, bits(input, name)),
        };
        let mut call = Call { function: self.function.clone(), unit: self.unit.clone(), ..Call::default() };
        let mut structures = 0..;
        for one in &parameters {
            let value = match &one.slot {
                Some(slot) if one.used => value(slot, &one.name),
                Some(_) => Value::number(64, 0),
                None => Value::Object(structures.next().unwrap_or(0), 0),
            };
            call.arguments.push(Argument { name: one.name.clone(), value });
        }
        for given in &objects {
            let cell =
                |slot: &Slot| Cell { at: slot.at, path: slot.path.clone(), value: value(slot, &slot.path) };
            let zero = |cell: &Cell| {
                !matches!(&cell.value, Value::Null)
                    && cell.value != Value::number(8 * cell.value.bytes() as u32, 0)
            };
            call.objects.push(Object {
                name: given.name.clone(),
                of: module.ctype_name(given.target),
                size: given.element * given.elements,
                cells: given.slots.iter().map(cell).filter(zero).collect(),
            });
        }
        for global in &globals {
            let cell =
                |slot: &Slot| Cell { at: slot.at, path: slot.path.clone(), value: value(slot, &slot.path) };
            let bytes = program.initial_bytes(0, global.id).unwrap_or_default();
            let cells = global.slots.iter().map(cell).filter(|cell| !is_initial(bytes, cell));
            call.globals.push(Global { name: global.name.clone(), cells: cells.collect() });
        }
        call.globals.retain(|global| !global.cells.is_empty());
        call.known = unknown::known(program, module, &call, input);
        Some(Made { call, parameters, objects, globals })
    }

    fn object(
        &self,
        module: &Module,
        input: &Input,
        name: &str,
        target: CTypeId,
        depth: u32,
    ) -> Option<Given> {
        let element = size_of(module, target).unwrap_or(1);
        let elements = bits(input, &more(name)).saturating_add(1).min(self.elements.max(1));
        let mut slots = match size_of(module, target) {
            Some(_) => target_slots(module, target, name, elements, MOST_SLOTS),
            // Of `void` and of types that are only declared: bytes.
            None => (0..elements).filter_map(|at| byte(module, name, at)).collect(),
        };
        slots.retain(|slot| slot.bytes <= 8);
        Some(Given { name: name.to_owned(), target, element, elements, depth, slots, by_value: false })
    }
}

/// A structure that comes in by value: an object that is copied when the function is called.
fn structure(module: &Module, one: &Incoming) -> Given {
    let mut slots = slots(module, one.ctype, &one.name, MOST_SLOTS);
    slots.retain(|slot| slot.bytes <= 8);
    let element = size_of(module, one.ctype).unwrap_or(0);
    let (name, target) = (one.name.clone(), one.ctype);
    Given { name, target, element, elements: 1, depth: 0, slots, by_value: true }
}

/// Whether a global variable begins with this value.
fn is_initial(bytes: &[u8], cell: &Cell) -> bool {
    let size = cell.value.bytes() as usize;
    let Some(own) = bytes.get(cell.at as usize..cell.at as usize + size) else { return false };
    match &cell.value {
        Value::Number(number) => own == &number.bits.to_le_bytes()[..size],
        Value::Null => own.iter().all(|byte| *byte == 0),
        _ => false,
    }
}

fn byte(module: &Module, name: &str, at: u64) -> Option<Slot> {
    let ctype = module.ctypes.iter().position(|one| matches!(one, CType::Basic { size_bits: 8, .. }))?;
    let path = if at == 0 { format!("*(char *){name}") } else { format!("((char *){name})[{at}]") };
    Some(Slot { at, bytes: 1, path, kind: SlotKind::Number { signed: false }, ctype: CTypeId(ctype as u32) })
}

/// What a pointer leads to, unless that is code.
pub(crate) fn data(module: &Module, ctype: CTypeId) -> Option<CTypeId> {
    let target = pointee(module, ctype)?;
    let plain = hydrogen_ir::layout::plain(module, target);
    (!matches!(module.ctype(plain), CType::Function { .. })).then_some(target)
}

pub(crate) fn parameters(module: &Module, function: &Function) -> Option<Vec<Incoming>> {
    let CType::Function { parameters, .. } = module.ctype(function.ctype?) else { return None };
    let convention = convention(module, function)?;
    let mut all = Vec::new();
    for (at, (ctype, passing)) in parameters.iter().zip(convention.arguments).enumerate() {
        let own = match &passing {
            Passing::Direct(at) | Passing::Copy(at) => function.parameters.get(*at),
            // What is taken apart has the name with an addition of the compiler's.
            Passing::Pieces(pieces) => pieces.first().and_then(|(at, _)| function.parameters.get(*at)),
            Passing::Nothing => None,
        };
        let name = own.map_or("", |own| own.name.as_str());
        let name = name.split(".coerce").next().unwrap_or(name);
        let name = if name.is_empty() { format!("argument {at}") } else { name.to_owned() };
        let (slot, used) = match passing {
            Passing::Direct(at) => {
                let found = slots(module, *ctype, &name, 2);
                let [slot] = found.as_slice() else { return None };
                if slot.bytes > 8 {
                    return None;
                }
                (Some(slot.clone()), is_used(function, at))
            }
            _ => (None, true),
        };
        let (target, functions) = (data(module, *ctype), functions_behind(module, *ctype));
        all.push(Incoming { name, ctype: *ctype, slot, passing, target, used, functions });
    }
    Some(all)
}

/// Whether anything but its own place receives a parameter, or that place is read.
fn is_used(function: &Function, at: usize) -> bool {
    use hydrogen_ir::{Op, Operand, Reference};
    let Some(body) = &function.body else { return true };
    let is_it = |operand: &Operand| matches!(operand, Operand::Parameter(number) if *number as usize == at);
    let mut slot = None;
    for instruction in &body.instructions {
        match &instruction.op {
            Op::Store { value, pointer: Operand::Instruction(place), .. } if is_it(value) => {
                slot = Some(*place)
            }
            op => {
                let mut found = false;
                op.references(|one| found |= matches!(one, Reference::Operand(operand) if is_it(operand)));
                if found {
                    return true;
                }
            }
        }
    }
    let Some(slot) = slot else { return false };
    body.instructions.iter().any(|instruction| {
        let mut found = false;
        let own = matches!(&instruction.op, Op::Store { value, .. } if is_it(value));
        instruction.op.references(|one| {
            found |= matches!(one, Reference::Operand(Operand::Instruction(id)) if *id == slot);
        });
        found && !own
    })
}
