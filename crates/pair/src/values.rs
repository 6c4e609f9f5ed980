//! What instances computed, without addresses (P-3): pointers by what made their object and how far inside, numbers as they are,
//! all that is not a number alike.

use crate::nodes::Node;
use hydrogen_align::IndexId;
use hydrogen_ir::{FloatKind, GlobalId, Type};
use hydrogen_machine::code::{Code, Role};
use hydrogen_machine::{FuncId, Program, Step};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// How a value is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Number,
    Pointer,
    Float,
    Double,
}

/// The objects of a run by names that do not depend on where they lie.
pub(crate) struct Names<'p> {
    program: &'p Program,
    /// By the upper half of an address: the name, and the address of the first byte.
    objects: FxHashMap<u64, (u64, u64)>,
    /// By function, the form of each instruction's result.
    forms: FxHashMap<FuncId, Vec<Form>>,
    /// How many objects an instance has made.
    made: FxHashMap<(IndexId, Node), u32>,
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
                    objects.insert(address >> 32, (name, address));
                }
            }
        }
        Self { program, objects, forms: FxHashMap::default(), made: FxHashMap::default() }
    }

    /// An object on the heap is named by who made it.
    pub(crate) fn made(&mut self, address: u64, index: IndexId, node: Node) {
        let count = self.made.entry((index, node)).or_default();
        *count += 1;
        self.objects.insert(address >> 32, (name(("heap", index, node, *count)), address));
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
            self.objects.insert(address >> 32, (name, address));
        }
    }

    /// Adds the results of an instruction, which the registers hold by now.
    pub(crate) fn fold(&mut self, values: u64, step: &Step<'_>, pc: u32) -> u64 {
        let form = self.form(step.site.function, step.code, pc);
        let Some(instr) = step.code.instrs.get(pc as usize) else { return values };
        let mut all = FxHasher::default();
        values.hash(&mut all);
        step.code.accesses(instr, &mut |access| {
            if access.role == Role::Result {
                for register in access.first..access.first + access.count {
                    self.canonical(form, step.registers[register as usize]).hash(&mut all);
                }
            }
        });
        all.finish()
    }

    fn canonical(&self, form: Form, value: u64) -> (u64, u64) {
        match form {
            Form::Float if f32::from_bits(value as u32).is_nan() => (1, 0),
            Form::Double if f64::from_bits(value).is_nan() => (1, 0),
            Form::Pointer if value != 0 => {
                match (self.objects.get(&(value >> 32)), self.program.function_at(value)) {
                    (_, Some(function)) => (name(&self.program.function(function).name), 0),
                    (Some((name, first)), None) => (*name, value.wrapping_sub(*first)),
                    (None, None) => (0, value),
                }
            }
            _ => (0, value),
        }
    }

    fn form(&mut self, function: FuncId, code: &Code, pc: u32) -> Form {
        let program = self.program;
        let forms = self.forms.entry(function).or_insert_with(|| {
            let Some((module, model)) = program.model(function) else { return Vec::new() };
            let Some(body) = model.body.as_ref() else { return Vec::new() };
            let form = |id: &hydrogen_ir::InstructionId| match module.types.get(body.instruction(*id).ty) {
                Type::Pointer(_) => Form::Pointer,
                Type::Float(FloatKind::Float) => Form::Float,
                Type::Float(FloatKind::Double) => Form::Double,
                _ => Form::Number,
            };
            code.origin.iter().map(form).collect()
        });
        forms.get(pc as usize).copied().unwrap_or(Form::Number)
    }
}

fn name(of: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    of.hash(&mut hasher);
    hasher.finish()
}
