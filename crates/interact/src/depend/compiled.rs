//! What compiled code knows better than the text: which memory every statement touches, and whom it calls.
//!
//! A function of the source has a twin in the compiled program, at the same place. Where the two are cut into the same statements,
//! each takes what its twin does. Where they are not, every statement of the function takes what the whole twin does.

use super::library_calls::Files;
use super::outside::Outside;
use super::programs::{Group, groups};
use super::uses::Uses;
use hydrogen_flow::{At, ObjectKind, Options, PointsTo, Touched, own_effects};
use hydrogen_ir::{Body, Const, Function, FunctionId, InstructionId, Module, Op, Operand, Reference, TypeId};
use hydrogen_syntax::NameHash;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// A compiled program, and what its pointers point to.
pub(crate) struct Compiled<'a> {
    pub module: &'a Module,
    pub options: Options,
    pub points_to: PointsTo,
    /// The programs, and what others call.
    pub groups: Vec<Group>,
    /// Linking may give a `static` function another name, but not another place.
    by_place: FxHashMap<(&'a str, u32), Vec<FunctionId>>,
}

/// What a function's statements do.
pub(crate) struct Code {
    /// With variables that are reached by their name alone.
    pub uses: Vec<Uses>,
    /// With all other memory.
    pub reads: Vec<Touched>,
    pub writes: Vec<Touched>,
    /// With files, which are memory that only the library sees.
    pub files: Vec<Files>,
    /// With memory of callers that are not here.
    pub outside: Vec<Outside>,
    /// The functions with a body that each calls, and whether the result of a call in it goes into what they are given.
    pub calls: Vec<BTreeMap<FunctionId, bool>>,
    /// Whether it calls code of which nothing is known, and which may call back.
    pub unknown: Vec<bool>,
    /// Values that one statement computes and another takes.
    pub values: BTreeSet<(usize, usize)>,
}

impl<'a> Compiled<'a> {
    pub fn new(module: &'a Module) -> Self {
        let named: FxHashSet<FunctionId> = module
            .constants
            .iter()
            .filter_map(|it| match it {
                Const::Function(id) => Some(*id),
                _ => None,
            })
            .collect();
        // In a program only `main` is called from outside. Where there is none, what nobody here names is called by somebody else.
        let closed = module.definitions().any(|(_, function)| function.name == "main");
        let roots = module.definitions().filter(|(id, _)| !closed && !named.contains(id));
        let roots = roots.map(|(_, function)| function.name.clone()).collect();
        let options = Options { closed, roots, ..Options::default() };
        let points_to = PointsTo::new(module, &options);
        let place = |(id, function): (FunctionId, &'a Function)| {
            let file = function.file().map_or(module.name.as_str(), |file| module.file(file));
            ((file, function.line().unwrap_or(0)), id)
        };
        // A file that others include is compiled with each of them.
        let mut by_place: FxHashMap<(&str, u32), Vec<FunctionId>> = FxHashMap::default();
        for (at, id) in module.definitions().map(place) {
            by_place.entry(at).or_default().push(id);
        }
        Self { module, options, points_to, groups: groups(module), by_place }
    }

    /// The functions that unknown code may call because it was given their address.
    pub fn called_back(&self) -> Vec<FunctionId> {
        let escaped = |id: &FunctionId| {
            let object = self.points_to.object_of(ObjectKind::Function(*id));
            self.module.function(*id).body.is_some() && object.is_some_and(|it| self.points_to.is_escaped(it))
        };
        self.points_to.address_taken().iter().copied().filter(escaped).collect()
    }

    /// Whether callers that are not here may give a function their memory, of which the analysis of pointers knows nothing.
    fn has_callers_outside(&self, id: FunctionId) -> bool {
        self.options.closed && self.groups.iter().any(|group| group.outside && group.members[id.index()])
    }

    /// The compiled twins of a function of the source: one for each unit that it is a part of.
    pub fn twins(&self, path: &str, function: &Function) -> Vec<FunctionId> {
        self.by_place.get(&(path, function.line().unwrap_or(0))).cloned().unwrap_or_default()
    }

    /// Where a compiled function stands.
    pub fn place(&self, id: FunctionId) -> (&'a str, u32) {
        let function = self.module.function(id);
        let file = function.file().map_or(self.module.name.as_str(), |file| self.module.file(file));
        (file, function.line().unwrap_or(0))
    }

    /// What the statements of a function of the source do, by its twins.
    pub fn code(&self, function: &Function, twins: &[FunctionId]) -> Code {
        let mut code = Code::new(function.pieces.len());
        for &twin in twins {
            let compiled = self.module.function(twin);
            let same = function.pieces.len() == compiled.pieces.len()
                && function
                    .pieces
                    .iter()
                    .zip(&compiled.pieces)
                    .all(|(a, b)| a.role == b.role && a.text == b.text);
            let own = self.code_of(twin);
            code.add(if same { own } else { own.spread(function.pieces.len()) });
        }
        code
    }

    fn code_of(&self, id: FunctionId) -> Code {
        let function = self.module.function(id);
        let mut code = Code::new(function.pieces.len());
        let Some(body) = &function.body else { return code };
        let slots = direct_slots(body);
        let outside = self.has_callers_outside(id);
        for (number, instruction) in body.instructions.iter().enumerate() {
            let piece = instruction.piece.index();
            instruction.op.references(|reference| match reference {
                Reference::Operand(Operand::Instruction(of)) => {
                    let from = body.instruction(*of).piece.index();
                    let is_slot = matches!(body.instruction(*of).op, Op::Alloca { .. });
                    if from != piece && !is_slot {
                        code.values.insert((from, piece));
                    }
                }
                Reference::Operand(Operand::Parameter(_)) if piece != 0 => {
                    code.values.insert((0, piece));
                }
                _ => {}
            });
            match &instruction.op {
                Op::Load { pointer: Operand::Instruction(slot), .. } if slots.contains(slot) => {
                    code.uses[piece].reads.push(name(id, *slot));
                    continue;
                }
                Op::Store { pointer: Operand::Instruction(slot), value, .. } if slots.contains(slot) => {
                    let whole = self
                        .size_of_slot(body, *slot)
                        .is_some_and(|size| self.size_of(function, body, value) == Some(size));
                    let uses = &mut code.uses[piece];
                    if whole {
                        uses.sets.push(name(id, *slot))
                    } else {
                        uses.may_set.push(name(id, *slot))
                    };
                    continue;
                }
                _ => {}
            }
            self.memory(id, InstructionId::at(number), &mut code);
            if outside {
                self.touched_outside(body, instruction, &slots, &mut code.outside[piece]);
            }
        }
        code
    }

    /// What an instruction does to memory, and whom it calls.
    fn memory(&self, id: FunctionId, at: InstructionId, code: &mut Code) {
        let body = self.module.function(id).body.as_ref().expect("its instruction was found in it");
        let instruction = body.instruction(at);
        let piece = instruction.piece.index();
        let (points_to, options) = (&self.points_to, &self.options);
        let here = At { module: self.module, options, points_to, function: id, instruction: at };
        let (reads, mut writes) = own_effects(here);
        // What came with the call comes from the entry.
        let passed = |kind: ObjectKind| matches!(kind, ObjectKind::Copy { function, .. } | ObjectKind::Rest(function) if function == id);
        if reads.iter().any(|(place, _)| passed(points_to.object(place.object))) && piece != 0 {
            code.values.insert((0, piece));
        }
        code.reads[piece].extend(reads);
        let Op::Call { arguments, .. } = &instruction.op else {
            code.writes[piece].extend(writes);
            return;
        };
        let callees = points_to.callees(id, at);
        if !callees.unknown
            && let [only] = callees.functions[..]
            && let Some(known) = self.library_call(id, body, only, arguments)
        {
            code.files[piece].add(known.files);
            writes = known.writes;
        }
        code.writes[piece].extend(writes);
        let is_unknown = |callee: &FunctionId| {
            !points_to.is_known(*callee) && !self.module.function(*callee).name.starts_with("llvm.")
        };
        if callees.unknown || callees.functions.iter().any(is_unknown) {
            code.unknown[piece] = true;
            code.files[piece].add(Files { sets: true, reads: true });
        }
        let fed = callees.functions.iter().any(|it| self.module.function(*it).body.is_some())
            && takes_results(body, at);
        for callee in callees.functions {
            let target = self.module.function(callee);
            if target.body.is_some() {
                *code.calls[piece].entry(callee).or_default() |= fed;
            }
            for (argument, parameter) in arguments.iter().zip(&target.parameters) {
                if parameter.attributes.by_value.is_some() {
                    let copied = points_to.points_to(id, argument).into_iter();
                    code.reads[piece].extend(copied.map(|place| (place, u64::MAX)));
                }
            }
        }
    }

    fn bytes(&self, ty: TypeId) -> Option<u64> {
        self.module.types.layout(ty).map(|layout| layout.alloc_bytes)
    }

    fn size_of_slot(&self, body: &Body, slot: InstructionId) -> Option<u64> {
        match &body.instruction(slot).op {
            Op::Alloca { ty, .. } => self.bytes(*ty),
            _ => None,
        }
    }

    fn size_of(&self, function: &Function, body: &Body, operand: &Operand) -> Option<u64> {
        match operand {
            Operand::Instruction(id) => self.bytes(body.instruction(*id).ty),
            Operand::Parameter(index) => self.bytes(function.parameters.get(*index as usize)?.ty?),
            Operand::Const(id) => self.bytes(self.module.constant(*id).ty()?),
            Operand::Metadata(_) => None,
        }
    }
}

impl Code {
    fn new(pieces: usize) -> Self {
        Self {
            uses: vec![Uses::default(); pieces],
            reads: vec![Touched::new(); pieces],
            writes: vec![Touched::new(); pieces],
            files: vec![Files::default(); pieces],
            outside: vec![Outside::default(); pieces],
            calls: vec![BTreeMap::new(); pieces],
            unknown: vec![false; pieces],
            values: BTreeSet::new(),
        }
    }

    /// What another twin does, too.
    fn add(&mut self, other: Code) {
        for (own, other) in self.uses.iter_mut().zip(other.uses) {
            own.reads.extend(other.reads);
            own.sets.extend(other.sets);
            own.may_set.extend(other.may_set);
        }
        self.reads.iter_mut().zip(other.reads).for_each(|(own, other)| own.extend(other));
        self.writes.iter_mut().zip(other.writes).for_each(|(own, other)| own.extend(other));
        self.files.iter_mut().zip(other.files).for_each(|(own, other)| own.add(other));
        self.outside.iter_mut().zip(other.outside).for_each(|(own, other)| own.add(other));
        for (own, other) in self.calls.iter_mut().zip(other.calls) {
            other.into_iter().for_each(|(callee, fed)| *own.entry(callee).or_default() |= fed);
        }
        self.unknown.iter_mut().zip(other.unknown).for_each(|(own, other)| *own |= other);
        self.values.extend(other.values);
    }

    /// The same for a function that was cut otherwise: each of its statements may do anything that one of these does.
    fn spread(self, pieces: usize) -> Self {
        let mut uses = Uses::default();
        for one in self.uses {
            uses.reads.extend(one.reads);
            uses.may_set.extend(one.sets.into_iter().chain(one.may_set));
        }
        let joined = |all: Vec<Touched>| {
            let all: BTreeSet<_> = all.into_iter().flatten().collect();
            all.into_iter().collect::<Touched>()
        };
        let calls: BTreeMap<FunctionId, bool> =
            self.calls.into_iter().flatten().map(|(callee, _)| (callee, true)).collect();
        let mut files = Files::default();
        self.files.into_iter().for_each(|it| files.add(it));
        let mut outside = Outside::default();
        self.outside.into_iter().for_each(|it| outside.add(it));
        let unknown = self.unknown.contains(&true);
        Self {
            uses: vec![uses; pieces],
            reads: vec![joined(self.reads); pieces],
            writes: vec![joined(self.writes); pieces],
            files: vec![files; pieces],
            outside: vec![outside; pieces],
            calls: vec![calls; pieces],
            unknown: vec![unknown; pieces],
            values: (1..pieces).map(|piece| (0, piece)).collect(),
        }
    }
}

/// Whether what a call is given may come from the result of another call in the same statement. What comes from elsewhere comes by
/// other dependences.
fn takes_results(body: &Body, call: InstructionId) -> bool {
    let piece = body.instruction(call).piece;
    let mut seen = FxHashSet::default();
    let mut waiting = vec![call];
    while let Some(at) = waiting.pop() {
        let mut own = Vec::new();
        body.instruction(at).op.references(|reference| {
            if let Reference::Operand(Operand::Instruction(from)) = reference {
                own.push(*from);
            }
        });
        for from in own.into_iter().filter(|&from| body.instruction(from).piece == piece) {
            let earlier = || body.instructions.iter().take(from.index());
            match &body.instruction(from).op {
                Op::Call { .. } => return true,
                // What was stored in the statement before may be such a result.
                Op::Load { .. }
                    if earlier().any(|it| it.piece == piece && matches!(it.op, Op::Store { .. })) =>
                {
                    return true;
                }
                _ => {}
            }
            if seen.insert(from) {
                waiting.push(from);
            }
        }
    }
    false
}

/// The name that a stack slot is followed by.
fn name(function: FunctionId, slot: InstructionId) -> NameHash {
    NameHash::of(format!("{}%{}", function.0, slot.0).as_bytes())
}

/// The stack slots that are loaded and stored by their own address, which goes nowhere else.
fn direct_slots(body: &Body) -> FxHashSet<InstructionId> {
    let all = body.instructions.iter().enumerate();
    let slot = |(at, it): (usize, &hydrogen_ir::Instruction)| {
        matches!(it.op, Op::Alloca { .. }).then(|| InstructionId::at(at))
    };
    let mut slots: FxHashSet<InstructionId> = all.filter_map(slot).collect();
    for instruction in &body.instructions {
        let pointer = match &instruction.op {
            Op::Load { pointer, .. } => Some(pointer),
            Op::Store { pointer, value, .. } if pointer != value => Some(pointer),
            _ => None,
        };
        instruction.op.references(|reference| {
            if let Reference::Operand(operand @ Operand::Instruction(id)) = reference
                && pointer != Some(operand)
            {
                slots.remove(id);
            }
        });
    }
    slots
}
