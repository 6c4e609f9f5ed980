//! Two versions of a function, and the calls on which one of them fails and the other one does not.

use crate::runner::{Runner, Units, as_typed, place_in};
use crate::search::may_come_in;
use crate::verdict::{STRAYED, Seen, happens_by_itself};
use hydrogen_align::laid_out_otherwise;
use hydrogen_evidence::{Call, Class, Input, Replay, Value};
use hydrogen_ir::layout::{parameter_type, plain, pointee};
use hydrogen_ir::{CType, Const, Encoding, Function, FunctionId, Module, Op, Operand, Type};
use hydrogen_machine::{End, Fault, FrameInfo, Limits, Program, World};
use hydrogen_program::takes_plain_values;
use hydrogen_query::{Attempt, Shared, Tried};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Places that fail of one function.
const PLACES: usize = 6;

/// A line of a function.
type Place = (String, u32);

/// What a place is known by: which version fails, how, and where.
type Key = (usize, Class, Vec<Place>);

/// How a call ended.
pub(crate) struct Ended {
    pub end: End,
    /// Where the memory was made that it lost.
    pub lost: Vec<Vec<Place>>,
    pub steps: u64,
}

/// A function in two versions.
pub(crate) struct Between<'s> {
    shared: &'s Shared,
    /// The programs that it is called in.
    pub programs: [Rc<Program>; 2],
    /// The plainest call for each place that fails, with how much of it was made up.
    found: BTreeMap<Key, (usize, Call)>,
    /// Where each version failed, on any call.
    failed: [BTreeSet<(Class, Place)>; 2],
}

impl<U: Units> Runner<U> {
    /// A function in two versions, if the same call can be made in both.
    pub(crate) fn between<'s>(&self, shared: &'s Shared) -> Option<Between<'s>> {
        let program = |at: usize| self.program(&attempt(shared, at, own(shared, at, &Call::default())));
        let (Ok(old), Ok(new)) = (program(0), program(1)) else { return None };
        let between =
            Between { shared, programs: [old, new], found: BTreeMap::new(), failed: Default::default() };
        let [one, other] = between.places()?;
        let parameters = |(module, id): (&Module, FunctionId)| module.function(id).parameters.len();
        let same = parameters(one) == parameters(other) && laid_out_otherwise(one, other).is_none();
        same.then_some(between)
    }
}

impl Between<'_> {
    /// The function in both programs.
    fn places(&self) -> Option<[(&Module, FunctionId); 2]> {
        shared_places(&self.programs, self.shared)
    }

    /// Whether the function takes numbers and texts alone.
    pub fn is_plain(&self) -> bool {
        self.places().is_some_and(|[(module, id), _]| takes_plain_values(module, module.function(id)))
    }

    /// A call as one of the versions has it.
    fn own(&self, at: usize, call: &Call) -> Call {
        own(self.shared, at, call)
    }

    /// Makes a call in one of the versions.
    pub fn run(&mut self, at: usize, call: &Call, limits: &Limits) -> Ended {
        let input = Input { call: Some(self.own(at, call)), ..Input::default() };
        let run = self.programs[at].run(World::default().with_input(&input), limits.clone());
        let lost: Vec<Vec<Place>> = run.leaks.iter().map(|leak| stack(&leak.allocated)).collect();
        let ends = lost.iter().filter_map(|stack| stack.last());
        self.failed[at].extend(ends.map(|place| (Class::Leak, place.clone())));
        if let End::Fault(fault) = &run.end
            && let Some(place) = stack(&fault.stack).pop()
        {
            self.failed[at].insert((fault.kind.class(), place));
        }
        Ended { end: run.end, lost, steps: run.statistics.steps }
    }

    /// Keeps a call on which this version alone fails, if it says something.
    pub fn take(&mut self, at: usize, fault: &Fault, call: &Call) {
        if may_come_in(fault) || self.is_text_alone(call) {
            self.take_at(at, fault.kind.class(), stack(&fault.stack), call);
        }
    }

    /// Keeps a call on which this version alone loses memory that it made there.
    pub fn take_lost(&mut self, at: usize, lost: &[Vec<Place>], call: &Call) {
        for stack in lost.iter().filter(|stack| !stack.is_empty()) {
            self.take_at(at, Class::Leak, stack.clone(), call);
        }
    }

    fn take_at(&mut self, at: usize, kind: Class, stack: Vec<Place>, call: &Call) {
        if !happens_by_itself(kind) {
            return;
        }
        let (key, made_up) = ((at, kind, stack), made_up(call));
        if self.found.get(&key).is_none_or(|(least, _)| made_up < *least) {
            let call = self.own(at, call);
            self.found.insert(key, (made_up, call));
        }
    }

    /// Whether all that a call is given are texts that end: then how large they are is known to whoever reads them.
    fn is_text_alone(&self, call: &Call) -> bool {
        let Some([(module, id), _]) = self.places() else { return false };
        let function = module.function(id);
        // Bytes without a sign are read as bytes as often as as texts.
        let is_pointer = |at: usize| {
            let target = parameter_type(module, function, at).and_then(|ctype| pointee(module, ctype));
            let target = target.map(|target| module.ctype(plain(module, target)));
            matches!(target, Some(CType::Basic { encoding: Encoding::Signed, size_bits: 8, .. }))
        };
        let ends = |object: &hydrogen_evidence::Object| {
            let is_set = |at: u64| object.cells.iter().any(|cell| cell.at == at && !is_zero(&cell.value));
            (0..object.size).any(|at| !is_set(at))
        };
        self.is_plain()
            && (0..function.parameters.len()).all(is_pointer)
            && call.objects.iter().all(ends)
            && reads_text(module, function)
    }
}

impl<U: Units> Runner<U> {
    /// What was found between two versions, one call for each place. What functions that nobody sees had to answer is part of the call.
    pub(crate) fn told(&self, between: Between<'_>) -> Vec<Tried> {
        let plain = between.is_plain();
        let Between { shared, programs, found, failed } = between;
        let tried = |((at, kind, stack), (_, mut call)): (Key, (usize, Call))| -> Option<Tried> {
            call.answers.clear();
            let attempt = attempt(shared, at, call);
            let (input, seen) = self.run(&programs[at], &attempt, attempt.input.clone());
            // What follows from another fault is not told.
            if kind != Class::Overflow
                && matches!(seen, Seen::Other(Replay::OtherFault { message, .. }) if message == STRAYED)
            {
                return None;
            }
            let same = failed[1 - at].iter().filter(|(other, _)| *other == kind);
            let elsewhere = same.map(|(_, place)| place.clone()).collect();
            let input = as_typed(&programs[at], input);
            Some(Tried { version: attempt.version, kind, stack, input, plain, elsewhere })
        };
        found.into_iter().take(PLACES).filter_map(tried).collect()
    }
}

/// A call of the function in one of its versions, for no fault in particular.
fn attempt(shared: &Shared, at: usize, call: Call) -> Attempt {
    let (version, file) = shared.places[at].clone();
    Attempt {
        version,
        kind: Class::Null,
        function: shared.function.clone(),
        files: vec![file.clone()],
        file,
        lines: BTreeSet::new(),
        input: Input { call: Some(call), ..Input::default() },
        without_memory: BTreeSet::new(),
        answers: BTreeSet::new(),
    }
}

fn own(shared: &Shared, at: usize, call: &Call) -> Call {
    let (function, unit) = (shared.function.clone(), Some(shared.places[at].1.clone()));
    Call { function, unit, ..call.clone() }
}

/// A function in the programs of both versions.
pub(crate) fn shared_places<'p>(
    programs: &'p [Rc<Program>; 2],
    shared: &Shared,
) -> Option<[(&'p Module, FunctionId); 2]> {
    let place = |at: usize| place_in(&programs[at], &own(shared, at, &Call::default()));
    Some([place(0)?, place(1)?])
}

/// Whether a function looks for characters in what it is given, or gives it to somebody who does: bytes alone may be anything.
fn reads_text(module: &Module, function: &Function) -> bool {
    let Some(body) = &function.body else { return false };
    let is_byte = |operand: &Operand| {
        let Operand::Instruction(id) = operand else { return false };
        match &body.instruction(*id).op {
            Op::Load { .. } => matches!(module.types.get(body.instruction(*id).ty), Type::Int(8)),
            Op::Cast { value: Operand::Instruction(inner), .. } => {
                matches!(module.types.get(body.instruction(*inner).ty), Type::Int(8))
            }
            _ => false,
        }
    };
    let is_character = |operand: &Operand| {
        matches!(operand, Operand::Const(id)
            if matches!(module.constant(*id), Const::Int { bits: 0 | 32..=126, .. } | Const::Zero(_)))
    };
    body.instructions.iter().any(|instruction| match &instruction.op {
        Op::IntCompare { left, right, .. } => is_byte(left) && is_character(right),
        Op::Switch { value, cases, .. } => {
            is_byte(value) && cases.iter().any(|case| is_character(&Operand::Const(case.value)))
        }
        Op::Call { callee: Operand::Const(callee), .. } => match module.constant(*callee) {
            Const::Function(callee) => module.function(*callee).name.starts_with("str"),
            _ => false,
        },
        _ => false,
    })
}

fn is_zero(value: &Value) -> bool {
    matches!(value, Value::Number(number) if number.bits == 0)
}

/// The functions of the user's program that were active, the outermost first, each with the line that it was at.
fn stack(frames: &[FrameInfo]) -> Vec<Place> {
    let frames = frames.iter().rev().filter(|frame| frame.users && frame.line > 0);
    frames.map(|frame| (frame.function.clone(), frame.line)).collect()
}

/// How much of a call was made up, null pointers above all: the less, the plainer.
fn made_up(call: &Call) -> usize {
    let arguments = call.arguments.iter().map(|argument| &argument.value);
    let cells = call.objects.iter().flat_map(|object| object.cells.iter().map(|cell| &cell.value));
    let globals = call.globals.iter().flat_map(|global| global.cells.iter().map(|cell| &cell.value));
    let nulls = arguments.chain(cells).chain(globals).filter(|value| **value == Value::Null).count();
    nulls * 64 + call.objects.len() * 4 + call.globals.len()
}
