//! What instances computed, without addresses (P-3): pointers by what made their object and how far inside, numbers as they are,
//! all that is not a number alike.

use crate::handed::{Handed, handed, words};
use hydrogen_align::IndexId;
use hydrogen_evidence::Node;
use hydrogen_ir::{
    self as ir, Body, CastOp, FloatKind, Function, GlobalId, InstructionId, Module, Op, Operand, PieceId,
    StructType, Type, TypeId,
};
use hydrogen_machine::code::{Code, Role};
use hydrogen_machine::{FuncId, Program, Site, Step, next_places, place_of, places_of};
use rustc_hash::{FxHashMap, FxHasher};
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

/// How a value is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Number,
    Pointer,
    Float,
    Double,
    /// A number in the lowest bits of a word.
    Narrow(u32),
    /// A structure, as a call gives back: each of its words by its own type.
    Parts(TypeId),
}

/// What of an instruction counts as computed.
#[derive(Debug, Clone, Copy)]
struct Computed {
    form: Form,
    /// Which of the values of its statement it is.
    nth: u32,
    /// Whether what it stores counts, where it has no result.
    stored: bool,
}

/// An object of a run.
#[derive(Clone, Copy)]
struct Object {
    name: u64,
    /// The address of its first byte.
    first: u64,
    /// Whether the program made it while it ran.
    made: bool,
}

/// The objects of a run by names that do not depend on where they lie.
pub(crate) struct Names<'p> {
    program: &'p Program,
    /// By the places that an address can be in.
    objects: FxHashMap<u64, Object>,
    /// By function, what of each instruction counts.
    computed: FxHashMap<FuncId, Vec<Option<Computed>>>,
    /// By function, what of its variables each call is given as it is.
    handed: FxHashMap<FuncId, Vec<Vec<Handed>>>,
    /// How many objects an instance has made.
    made: FxHashMap<(IndexId, Node), u32>,
    /// How many texts the program was started with.
    given: u32,
}

impl<'p> Names<'p> {
    pub(crate) fn new(program: &'p Program) -> Self {
        let mut objects = FxHashMap::default();
        for (unit, module) in (0u32..).zip(program.units()) {
            for (number, global) in module.globals.iter().enumerate() {
                if let Some(address) = program.address_of(unit, GlobalId::at(number)) {
                    // Literals are numbered, and a new one moves the numbers of others. Members of the library may have
                    // a `static` of one name each.
                    let name = match (unit, global.initializer) {
                        (0, Some(content)) if global.private => {
                            name(("literal", format!("{:?}", module.constant(content))))
                        }
                        (0, _) => name(("global", &global.name)),
                        _ => name((&module.name, &global.name)),
                    };
                    let size = module.types.layout(global.ty).map_or(0, |layout| layout.alloc_bytes);
                    let object = Object { name, first: address, made: false };
                    objects.extend(places_of(address, size).map(|place| (place, object)));
                }
            }
        }
        let (computed, handed) = (FxHashMap::default(), FxHashMap::default());
        Self { program, objects, computed, handed, made: FxHashMap::default(), given: 0 }
    }

    /// A text that the program is started with. Behind the last of them the machine puts a few bytes of its own and the list of them
    /// all: these are named along, for nobody tells of them. How many objects come before is a matter of the program's globals.
    pub(crate) fn given(&mut self, address: u64) {
        self.given += 1;
        for (behind, what) in ["text", "bytes", "list"].into_iter().enumerate() {
            let first = next_places(address, behind);
            let name = name(("given", what, self.given));
            self.objects.insert(place_of(first), Object { name, first, made: false });
        }
    }

    /// An object on the heap is named by who made it.
    pub(crate) fn made(&mut self, address: u64, size: u64, index: IndexId, node: Node) {
        let count = self.made.entry((index, node)).or_default();
        *count += 1;
        let name = name(("heap", index, node, *count));
        let object = Object { name, first: address, made: true };
        self.objects.extend(places_of(address, size).map(|place| (place, object)));
    }

    /// A function is entered: its variables are named by the call and by their own names.
    pub(crate) fn entered(&mut self, index: IndexId, step: &Step<'_>) {
        let Some((_, function)) = self.program.model(step.site.function) else { return };
        let variables = function.body.as_ref().map_or(&[][..], |body| &body.variables);
        for (number, local) in step.code.locals.iter().enumerate() {
            let address = step.registers[local.address as usize];
            let variable = variables.iter().find(|variable| variable.slot == Some(local.origin));
            let name = match variable {
                Some(variable) => name(("local", index, &variable.name)),
                None => name(("local", index, number)),
            };
            let object = Object { name, first: address, made: true };
            self.objects.extend(places_of(address, local.size.into()).map(|place| (place, object)));
        }
    }

    /// Adds what an instruction computed, which the registers hold by now. The order in which a statement computes is the compiler's
    /// and the machine's, so that each value counts with its place in the statement.
    pub(crate) fn fold(&mut self, values: u64, step: &Step<'_>, pc: u32) -> u64 {
        let Some(computed) = self.computed(step.site.function, step.code, pc) else { return values };
        let Some(instr) = step.code.instrs.get(pc as usize) else { return values };
        let (mut results, mut stored): (Vec<u64>, Vec<u64>) = (Vec::new(), Vec::new());
        step.code.accesses(instr, &mut |access| {
            let registers = (access.first..access.first + access.count)
                .filter_map(|register| step.registers.get(register as usize).copied());
            match access.role {
                Role::Result => results.extend(registers),
                Role::Value if computed.stored => stored.extend(registers),
                _ => {}
            }
        });
        let own = if results.is_empty() { stored } else { results };
        let forms = self.forms(step.site.function, computed.form, own.len());
        let word = |(word, form): (u64, Form)| canonical(self.program, &self.objects, form, word);
        let words: Vec<_> = own.into_iter().zip(forms).map(word).collect();
        values.wrapping_add(name((computed.nth, words)))
    }

    /// How each of the words of a value is compared.
    fn forms(&self, function: FuncId, whole: Form, words: usize) -> Vec<Form> {
        let Form::Parts(ty) = whole else { return vec![whole; words] };
        let fields = self.program.model(function).and_then(|(module, _)| match module.types.get(ty) {
            Type::Struct(StructType { fields: Some(fields), .. }) => {
                Some(fields.iter().map(|field| part(module, *field)).collect::<Vec<_>>())
            }
            _ => None,
        });
        fields.filter(|fields| fields.len() == words).unwrap_or_else(|| vec![Form::Number; words])
    }

    /// Adds what a call is given of variables as they are. Who made an object says nothing about what is in it, and a pointer that is only
    /// handed on is not used here: that there is an object is all that counts, unless it was there from the beginning.
    pub(crate) fn give(&mut self, values: u64, step: &Step<'_>) -> u64 {
        let Self { program, objects, handed: known, .. } = self;
        let all = known.entry(step.site.function).or_insert_with(|| {
            let model = program.model(step.site.function);
            let body = model.and_then(|(module, model)| Some((module, model.body.as_ref()?)));
            body.map_or(Vec::new(), |(module, body)| handed(module, body, step.code))
        });
        let given = all.get(step.site.pc as usize).map_or(&[][..], Vec::as_slice);
        given.iter().fold(values, |values, one| {
            let word = |word: &u64| match objects.get(&place_of(*word)) {
                Some(object) if one.form == Form::Pointer && object.made => (1, 1),
                _ => canonical(program, objects, one.form, *word),
            };
            let words: Vec<_> = words(step, one.nth).iter().map(word).collect();
            values.wrapping_add(name(("given", one.nth, words)))
        })
    }

    /// Which of the numbers of its statement an instruction computes; none for what is no number.
    pub(crate) fn number(&mut self, site: Site) -> Option<u32> {
        let program = self.program;
        let computed = self.computed(site.function, program.code(site.function)?, site.pc)?;
        (computed.form == Form::Number).then_some(computed.nth)
    }

    fn computed(&mut self, function: FuncId, code: &Code, pc: u32) -> Option<Computed> {
        let program = self.program;
        let all = self.computed.entry(function).or_insert_with(|| {
            let Some((module, model)) = program.model(function) else { return Vec::new() };
            model.body.as_ref().map_or(Vec::new(), |body| computed(module, model, body, code))
        });
        all.get(pc as usize).copied().flatten()
    }
}

/// By instruction of the machine, what of it counts as computed by its statement.
///
/// Not the loads, for the machine drops those of variables in registers, but what of them is stored; nothing of entry and exit, and not
/// what is put into the place where several `return`s leave their values and a single one does not.
fn computed(module: &Module, function: &Function, body: &Body, code: &Code) -> Vec<Option<Computed>> {
    let bound = |id: usize| {
        let piece = function.pieces.get(body.instructions[id].piece.index());
        piece.is_some_and(|piece| matches!(piece.role, ir::Role::Entry | ir::Role::Exit))
    };
    let load_of = |id: usize| match &body.instructions[id].op {
        Op::Load { pointer: Operand::Instruction(from), .. } => Some(*from),
        _ => None,
    };
    let returned: Vec<InstructionId> =
        (0..body.instructions.len()).filter(|id| bound(*id)).filter_map(load_of).collect();
    let is_load = |id: usize| matches!(body.instructions[id].op, Op::Load { .. });
    // By load, the store that keeps it.
    let mut kept: FxHashMap<usize, usize> = FxHashMap::default();
    for (at, instruction) in body.instructions.iter().enumerate().filter(|(at, _)| !bound(*at)) {
        if let Op::Store { value: Operand::Instruction(value), pointer, .. } = &instruction.op
            && is_load(value.index())
            && !matches!(pointer, Operand::Instruction(to) if returned.contains(to))
        {
            kept.insert(value.index(), at);
        }
    }
    let decoded: BTreeSet<usize> = code.origin.iter().map(|origin| origin.index()).collect();
    let mut nth: FxHashMap<PieceId, u32> = FxHashMap::default();
    let mut found: FxHashMap<usize, Computed> = FxHashMap::default();
    for (id, instruction) in body.instructions.iter().enumerate() {
        let counts = match &instruction.op {
            // Where a member lies is a matter of the structure's layout: what is there is loaded or stored.
            Op::ElementAddress { source, .. } if matches!(module.types.get(*source), Type::Struct(_)) => {
                false
            }
            Op::Alloca { .. } => false,
            Op::Load { .. } => kept.contains_key(&id),
            _ => !matches!(module.types.get(instruction.ty), Type::Void),
        };
        if bound(id) || !counts {
            continue;
        }
        let form = match instruction.op {
            // The number of an address is the machine's.
            Op::Cast { op: CastOp::PtrToInt, .. } => Form::Pointer,
            _ => form(module, instruction.ty),
        };
        let next = nth.entry(instruction.piece).or_default();
        *next += 1;
        // Of a load that was dropped, the store has the value.
        match kept.get(&id).filter(|_| !decoded.contains(&id)) {
            Some(store) => found.insert(*store, Computed { form, nth: *next, stored: true }),
            None => found.insert(id, Computed { form, nth: *next, stored: false }),
        };
    }
    code.origin.iter().map(|origin| found.get(&origin.index()).copied()).collect()
}

/// A value as it is in every run.
fn canonical(program: &Program, objects: &FxHashMap<u64, Object>, form: Form, value: u64) -> (u64, u64) {
    match form {
        Form::Narrow(bits) => (0, value & (u64::MAX >> (64 - bits.clamp(1, 64)))),
        Form::Float if f32::from_bits(value as u32).is_nan() => (1, 0),
        Form::Double if f64::from_bits(value).is_nan() => (1, 0),
        Form::Pointer if value != 0 => match (objects.get(&place_of(value)), program.function_at(value)) {
            (_, Some(function)) => (name(&program.function(function).name), 0),
            (Some(object), None) => (object.name, value.wrapping_sub(object.first)),
            (None, None) => (0, value),
        },
        _ => (0, value),
    }
}

/// How a member of a structure is compared that fills its word only in part: what is beside it has no meaning.
fn part(module: &Module, ty: TypeId) -> Form {
    let bits = module.types.layout(ty).map_or(64, |layout| layout.size_bits);
    match form(module, ty) {
        Form::Number if bits < 64 => Form::Narrow(bits as u32),
        other => other,
    }
}

/// How values of a type are compared.
pub(crate) fn form(module: &Module, ty: TypeId) -> Form {
    match module.types.get(ty) {
        Type::Pointer(_) => Form::Pointer,
        Type::Float(FloatKind::Float) => Form::Float,
        Type::Float(FloatKind::Double) => Form::Double,
        Type::Struct(_) => Form::Parts(ty),
        _ => Form::Number,
    }
}

fn name(of: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    of.hash(&mut hasher);
    hasher.finish()
}
