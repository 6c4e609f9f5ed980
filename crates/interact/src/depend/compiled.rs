//! What compiled code knows better than the text: which memory every statement touches, and whom it calls.
//!
//! A function of the source has a twin in the compiled program, at the same place. Where the two are cut into the same statements,
//! each takes what its twin does. Where they are not, every statement of the function takes what the whole twin does.

use super::uses::Uses;
use hydrogen_flow::{At, ObjectKind, Options, PointsTo, Touched, own_effects};
use hydrogen_ir::{Body, Const, Function, FunctionId, InstructionId, Module, Op, Operand, Reference, TypeId};
use hydrogen_syntax::NameHash;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// A compiled program, and what its pointers point to.
pub(crate) struct Compiled<'a> {
    module: &'a Module,
    options: Options,
    pub points_to: PointsTo,
    /// Linking may give a `static` function another name, but not another place.
    by_place: FxHashMap<(&'a str, u32), FunctionId>,
}

/// What a function's statements do.
pub(crate) struct Code {
    /// With variables that are reached by their name alone.
    pub uses: Vec<Uses>,
    /// With all other memory.
    pub reads: Vec<Touched>,
    pub writes: Vec<Touched>,
    /// The functions with a body that each calls.
    pub calls: Vec<BTreeSet<FunctionId>>,
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
        // In a program only `main` is called from outside; what nobody here names is called by somebody else.
        let closed = module.definitions().any(|(_, function)| function.name == "main");
        let roots = module.definitions().filter(|(id, _)| !named.contains(id));
        let roots = roots.map(|(_, function)| function.name.clone()).collect();
        let options = Options { closed, roots, ..Options::default() };
        let points_to = PointsTo::new(module, &options);
        let place = |(id, function): (FunctionId, &'a Function)| {
            let file = function.file().map_or(module.name.as_str(), |file| module.file(file));
            ((file, function.line().unwrap_or(0)), id)
        };
        let by_place = module.definitions().map(place).collect();
        Self { module, options, points_to, by_place }
    }

    /// The compiled twin of a function of the source.
    pub fn twin(&self, path: &str, function: &Function) -> Option<FunctionId> {
        self.by_place.get(&(path, function.line().unwrap_or(0))).copied()
    }

    /// Where a compiled function stands.
    pub fn place(&self, id: FunctionId) -> (&'a str, u32) {
        let function = self.module.function(id);
        let file = function.file().map_or(self.module.name.as_str(), |file| self.module.file(file));
        (file, function.line().unwrap_or(0))
    }

    /// What the statements of a function of the source do, by its twin.
    pub fn code(&self, function: &Function, twin: FunctionId) -> Code {
        let compiled = self.module.function(twin);
        let same = function.pieces.len() == compiled.pieces.len()
            && function
                .pieces
                .iter()
                .zip(&compiled.pieces)
                .all(|(a, b)| a.role == b.role && a.text == b.text);
        let code = self.code_of(twin);
        if same { code } else { code.spread(function.pieces.len()) }
    }

    fn code_of(&self, id: FunctionId) -> Code {
        let function = self.module.function(id);
        let mut code = Code::new(function.pieces.len());
        let Some(body) = &function.body else { return code };
        let slots = direct_slots(body);
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
                    code.uses[piece].reads.push(name(*slot));
                    continue;
                }
                Op::Store { pointer: Operand::Instruction(slot), value, .. } if slots.contains(slot) => {
                    let whole = self
                        .size_of_slot(body, *slot)
                        .is_some_and(|size| self.size_of(function, body, value) == Some(size));
                    let uses = &mut code.uses[piece];
                    if whole {
                        uses.sets.push(name(*slot))
                    } else {
                        uses.may_set.push(name(*slot))
                    };
                    continue;
                }
                _ => {}
            }
            self.memory(id, InstructionId::at(number), &mut code);
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
        let (reads, writes) = own_effects(here);
        // What came with the call comes from the entry.
        let passed = |kind: ObjectKind| matches!(kind, ObjectKind::Copy { function, .. } | ObjectKind::Rest(function) if function == id);
        if reads.iter().any(|(place, _)| passed(points_to.object(place.object))) && piece != 0 {
            code.values.insert((0, piece));
        }
        code.reads[piece].extend(reads);
        code.writes[piece].extend(writes);
        let Op::Call { arguments, .. } = &instruction.op else { return };
        for callee in points_to.callees(id, at).functions {
            let target = self.module.function(callee);
            if target.body.is_some() {
                code.calls[piece].insert(callee);
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
            calls: vec![BTreeSet::new(); pieces],
            values: BTreeSet::new(),
        }
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
        let calls: BTreeSet<FunctionId> = self.calls.into_iter().flatten().collect();
        Self {
            uses: vec![uses; pieces],
            reads: vec![joined(self.reads); pieces],
            writes: vec![joined(self.writes); pieces],
            calls: vec![calls; pieces],
            values: (1..pieces).map(|piece| (0, piece)).collect(),
        }
    }
}

/// The name that a stack slot is followed by.
fn name(slot: InstructionId) -> NameHash {
    NameHash::of(format!("%{}", slot.0).as_bytes())
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
