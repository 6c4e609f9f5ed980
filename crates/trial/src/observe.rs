//! One call in one version: what a caller sees of it.

use hydrogen_evidence::{Call, FaultKind, Input};
use hydrogen_ir::{Function, FunctionId, Module};
use hydrogen_machine::{After, End, Limits, Program, World};
use hydrogen_pair::{Ending, Observable, Outcome};
use hydrogen_program::{Seen, Sight, changes, seen_by};
use std::collections::{BTreeMap, BTreeSet};

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
    /// How many bytes the floating-point numbers have that a caller sees, by their names.
    floats: BTreeMap<String, u64>,
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

    /// The lines of a native test of a call that went like this one in the machine, as they are compared.
    pub fn readable<'l>(&self, like: &Observed, lines: impl Iterator<Item = &'l str>) -> Vec<String> {
        let is_result = |line: &str| line.starts_with("result = ") || line.starts_with("result.");
        let shown =
            lines.filter(|line| if is_result(line) { !self.hidden.result } else { !self.hidden.memory });
        shown.map(|line| as_number(line, &like.floats)).collect()
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
        let (mut lines, mut floats) = (Vec::new(), BTreeMap::new());
        if let (Some(after), Some((module, function))) = (&run.after, self.function(&call.function)) {
            // A call that returns is not one that ends the program.
            outcome.memory.push("returns".to_owned());
            let Hidden { result, memory } = self.hidden;
            let sight = Sight { result: !result, memory: !memory, unchanged: false, ignored: &self.ignored };
            let seen = seen_by(sight, module, function, &call, after);
            floats = float_widths(&seen);
            let number = |line: String| as_number(&line, &floats);
            let memory = changes(&seen);
            outcome.memory.extend(memory.lines.into_iter().map(number));
            outcome.made = memory.made;
            lines = hydrogen_program::printed(&seen).into_iter().map(number).collect();
        }
        // How deep calls may go is no property of the program: a loop and a recursion may be equal.
        if matches!(&run.end, End::Fault(fault) if fault.kind == FaultKind::StackExhausted) {
            outcome.ending = Ending::Cut("the stack is full".to_owned());
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
        Observed {
            outcome,
            after: run.after,
            lines,
            floats,
            steps: run.statistics.steps,
            fault,
            is_long,
            impossible,
        }
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

    /// The outcome of which a test in C tells, by the lines that it prints.
    pub fn natively(&self, lines: &[String]) -> Outcome {
        Outcome { memory: lines.to_vec(), ..self.outcome.clone() }
    }

    /// Whether native tests of two calls would print different things.
    pub fn differs_natively(&self, other: &Self) -> bool {
        !self.natively(&self.lines).same(&other.natively(&other.lines), &[Observable::Memory])
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

/// How many bytes the floating-point numbers have that a caller sees, by their names.
fn float_widths(seen: &[Seen]) -> BTreeMap<String, u64> {
    let floats = seen.iter().filter(|one| one.is_float());
    floats.map(|one| (one.path.clone(), one.bytes)).collect()
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
