//! One call in one version: what a caller sees of it.

use hydrogen_evidence::{Call, FaultKind, Input, Value};
use hydrogen_ir::layout::{Slot, SlotKind, slots};
use hydrogen_ir::{Function, FunctionId, Module};
use hydrogen_machine::{After, End, Left, Limits, Program, World};
use hydrogen_pair::{Ending, Observable, Outcome};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Members of a variable that are looked at one by one.
const MOST_SLOTS: usize = 64;

/// One version of a function.
pub struct Side<'p> {
    /// The program that it is part of.
    pub program: &'p Program,
    /// The file that defines it, where several functions have its name.
    pub unit: Option<String>,
    /// Variables that are not compared: the versions begin with different values in them, or one does not have them.
    pub ignored: BTreeSet<String>,
    /// What is not looked at.
    pub hidden: Hidden,
}

/// Parts of what a caller sees that are not looked at.
#[derive(Debug, Clone, Copy, Default)]
pub struct Hidden {
    /// The result.
    pub result: bool,
    /// Memory.
    pub memory: bool,
}

/// What a call did.
#[derive(Debug, Clone)]
pub struct Observed {
    /// What came out; result and memory as lines.
    pub outcome: Outcome,
    /// What was left in memory, if it returned.
    pub after: Option<After>,
    /// What a native test of the call would show too: result and memory that it was given.
    pub lines: Vec<String>,
    /// Instructions.
    pub steps: u64,
    /// What the machine says of a fault.
    pub fault: Option<String>,
    /// Whether it needed more instructions than it was given.
    pub is_long: bool,
    /// Why calls like this one cannot be made.
    pub impossible: Option<String>,
}

impl Side<'_> {
    /// The function, with its unit.
    pub fn function(&self, name: &str) -> Option<(&Module, &Function)> {
        self.program.model(self.program.named(name, self.unit.as_deref())?)
    }

    /// The function by its number, with its unit.
    pub fn place(&self, name: &str) -> Option<(&Module, FunctionId)> {
        let (module, function) = self.function(name)?;
        let at = module.functions.iter().position(|one| std::ptr::eq(one, function))?;
        Some((module, FunctionId::at(at)))
    }

    /// The lines of a native test, with floating-point numbers as numbers and without what is not looked at.
    pub fn readable<'l>(&self, call: &Call, lines: impl Iterator<Item = &'l str>) -> Vec<String> {
        let Some((module, function)) = self.function(&call.function) else { return Vec::new() };
        let floats = float_widths(module, function, call);
        let is_result = |line: &str| line.starts_with("result = ");
        let shown =
            lines.filter(|line| if is_result(line) { !self.hidden.result } else { !self.hidden.memory });
        shown.map(|line| as_number(line, &floats)).collect()
    }

    /// The call as this version has it.
    pub fn own(&self, call: &Call) -> Call {
        Call { unit: self.unit.clone(), ..call.clone() }
    }

    /// Makes the call.
    pub fn run(&self, call: &Call, limits: &Limits) -> Observed {
        self.run_in(World::default(), call, limits)
    }

    fn run_in(&self, world: World, call: &Call, limits: &Limits) -> Observed {
        let call = self.own(call);
        let input = Input { call: Some(call.clone()), ..Input::default() };
        let run = self.program.run(world.with_input(&input), limits.clone());
        let mut outcome = Outcome::of(&run.end, &run.world, None);
        let mut lines = Vec::new();
        if let (Some(after), Some((module, function))) = (&run.after, self.function(&call.function)) {
            // A call that returns is not one that ends the program.
            outcome.memory.push("returns".to_owned());
            let seen = hydrogen_program::lines(module, function, &call, after);
            lines = self.readable(&call, seen.iter().map(String::as_str));
            outcome.memory.extend(lines.iter().cloned());
            let looked_at = |name: &String| !self.hidden.memory && !self.ignored.contains(name);
            for (name, left) in after.globals.iter().filter(|(name, _)| looked_at(name)) {
                outcome.memory.extend(variable_lines(module, name, left));
            }
            for (at, left) in after.objects.iter().enumerate().filter(|_| !self.hidden.memory) {
                match left {
                    None => outcome.memory.push(format!("object {at} is freed")),
                    // What the call made has no type that is known here.
                    Some(left) if at >= call.objects.len() => {
                        outcome.memory.push(format!("new object {at}: {}", untyped(left)));
                    }
                    Some(_) => {}
                }
            }
        }
        // How deep calls may go is no property of the program: a loop and a recursion may be equal.
        if matches!(&run.end, End::Fault(fault) if fault.kind == FaultKind::StackExhausted) {
            outcome.ending = Ending::Cut("the stack is full".to_owned());
        }
        if let (Some(after), None) = (
            &run.after,
            self.function(&call.function)
                .and_then(|(module, function)| hydrogen_program::result_slot(module, function)),
        ) && !after.result.is_empty()
            && !self.hidden.result
        {
            outcome.memory.push(format!("result = {:?}", after.result));
        }
        let impossible = match &run.end {
            End::Unresolved(name, _) => Some(format!("`{name}` is defined nowhere")),
            End::Unsupported(what, _) => Some(what.clone()),
            _ => None,
        };
        let is_long = matches!(&run.end, End::Limit(..));
        let fault = match &run.end {
            End::Fault(fault) => Some(format!("{}: {}", fault.kind, fault.message)),
            _ => None,
        };
        Observed { outcome, after: run.after, lines, steps: run.statistics.steps, fault, is_long, impossible }
    }
}

/// Variables that only one of two programs has: no caller of both can compare them.
pub fn only_in_one(old: &Program, new: &Program) -> BTreeSet<String> {
    let [old, new] = [old, new].map(|program| -> BTreeSet<String> {
        let globals = program.units().next().into_iter().flat_map(|unit| unit.globals.iter());
        globals.map(|global| global.name.clone()).collect()
    });
    &old ^ &new
}

impl Observed {
    /// Whether the program's behaviour was undefined.
    pub fn is_fault(&self) -> bool {
        matches!(self.outcome.ending, Ending::Fault(..))
    }

    /// Whether native tests of two calls would print different things.
    pub fn differs_natively(&self, other: &Self) -> bool {
        self.lines != other.lines
            || self.outcome.stdout != other.outcome.stdout
            || self.after.is_some() != other.after.is_some()
    }

    /// Whether a caller can tell two calls apart. Two faults are both undefined behaviour; a call that was cut says nothing.
    pub fn differs(&self, other: &Self, observables: &[Observable], assume_defined: bool) -> bool {
        if !self.outcome.is_whole() || !other.outcome.is_whole() {
            return false;
        }
        match (self.is_fault(), other.is_fault()) {
            (true, true) => false,
            (true, false) => !assume_defined && observables.contains(&Observable::Ending),
            (false, true) => observables.contains(&Observable::Ending),
            (false, false) => !self.outcome.same(&other.outcome, observables),
        }
    }
}

/// Whether a call gives something else at another time, with other random numbers, or where objects lie elsewhere: then a difference shows nothing.
pub fn unsteady(side: &Side, call: &Call, limits: &Limits, observables: &[Observable]) -> bool {
    let other =
        World::default().with_clock(2_000_000_123).with_random(0x5851_f42d_4c95_7f2d).with_shift(0x1230);
    let (usual, moved) = (side.run(call, limits), side.run_in(other, call, limits));
    usual.outcome.is_whole() && moved.outcome.is_whole() && !usual.outcome.same(&moved.outcome, observables)
}

/// The members of a variable, or its bytes where its type is not known.
fn variable_lines(module: &Module, name: &str, left: &Left) -> Vec<String> {
    let ctype = module.globals.iter().find(|global| global.name == name).and_then(|global| global.ctype);
    let slots = ctype.map_or(Vec::new(), |ctype| slots(module, ctype, name, MOST_SLOTS));
    let is_covered = slots.iter().map(|slot| slot.bytes).sum::<u64>() == left.bytes.len() as u64;
    if !is_covered {
        return vec![format!("{name} = {}", untyped(left))];
    }
    let line = |slot: &Slot| {
        let mut word = [0; 8];
        let bytes =
            left.bytes.get(slot.at as usize..(slot.at + slot.bytes.min(8)) as usize).unwrap_or_default();
        word[..bytes.len()].copy_from_slice(bytes);
        let value = match left.pointers.get(&slot.at) {
            Some(pointer) => format!("{pointer:?}"),
            None => {
                let value = Value::number(bytes.len() as u32 * 8, u64::from_le_bytes(word));
                crate::words::value_text(&Call::default(), Some(slot.kind), &value)
            }
        };
        format!("{} = {value}", slot.path)
    };
    slots.iter().map(line).collect()
}

/// Memory without a type; of much of it a number that stands for its bytes, because a text of them could be gigabytes long.
fn untyped(left: &Left) -> String {
    const SHOWN: usize = 4096;
    let Left { bytes, pointers } = left;
    if bytes.len() <= SHOWN && pointers.len() <= SHOWN {
        return format!("bytes {bytes:02x?} {pointers:?}");
    }
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    for (at, pointer) in pointers {
        format!("{at} {pointer:?}").hash(&mut hasher);
    }
    format!("{} bytes, checksum {:016x}", bytes.len(), hasher.finish())
}

/// How many bytes the floating-point numbers have that a caller sees, by their names.
fn float_widths(module: &Module, function: &Function, call: &Call) -> BTreeMap<String, u64> {
    let objects =
        (0..call.objects.len()).flat_map(|at| hydrogen_program::slots_of(module, function, call, at));
    let all = hydrogen_program::result_slot(module, function).into_iter().chain(objects);
    all.filter(|slot| slot.kind == SlotKind::Float).map(|slot| (slot.path, slot.bytes)).collect()
}

/// A line with a floating-point number as that number. Every number has a text of its own, and all that are none have one (P-3).
fn as_number(line: &str, floats: &BTreeMap<String, u64>) -> String {
    let parts = line
        .split_once(" = bits ")
        .and_then(|(name, digits)| Some((name, u64::from_str_radix(digits, 16).ok()?, floats.get(name)?)));
    match parts {
        Some((name, bits, 4)) => format!("{name} = {:?}", f32::from_bits(bits as u32)),
        Some((name, bits, 8)) => format!("{name} = {:?}", f64::from_bits(bits)),
        _ => line.to_owned(),
    }
}
