//! Everything that an analysis of a function can see of its module.

use super::{ContentHash, code::skeleton, constants::Hashes, line::relative_line, sink::Sink};
use crate::{
    CTypeId, Const, ConstId, Function, FunctionId, GlobalId, Instruction, Module, Op, Operand, Reference,
    ReferenceMut,
};
use std::collections::{BTreeMap, BTreeSet};

/// The hash of a function with all that it refers to: instructions and the pieces they belong to, variables, machine and C types, constants, and
/// the values of all globals that it names. `None` where the function has no instructions.
///
/// Unlike [`super::FunctionSummary::code`] it leaves nothing out that an answer about the function may rest on: names of variables and members
/// count, and so does the number that `__LINE__` gives, unless it only goes to a function that does not come back (`assert`). Places in the
/// source do not count: they move when a comment is added.
pub fn exact_hash(module: &Module, id: FunctionId) -> Option<ContentHash> {
    let function = module.function(id);
    let body = function.body.as_ref()?;
    let mut exact =
        Exact { hashes: Hashes::exact(module), sink: Sink::default(), work: Work::default(), function };
    exact.sink.text(&module.name);
    exact.sink.text(&module.target);
    exact.sink.text(&function.name);
    exact.sink.plain(&(function.linkage, function.no_return, function.pieces.len()));
    exact.ty(function.ty);
    exact.ctype(function.ctype);
    for parameter in &function.parameters {
        exact.sink.text(&parameter.name);
        exact.ty(parameter.ty);
        exact.ty(parameter.attributes.by_value);
        exact.ty(parameter.attributes.struct_return);
        exact.sink.plain(&(parameter.attributes.sign_extend, parameter.attributes.zero_extend));
    }
    for block in &body.blocks {
        exact.sink.number(block.count);
    }
    for variable in &body.variables {
        exact.sink.text(&variable.name);
        exact.sink.plain(&(variable.kind, variable.slot));
        exact.sink.plain(&(variable.begins, &variable.block));
        exact.ctype(variable.ctype);
    }
    for instruction in &body.instructions {
        exact.instruction(instruction);
    }
    exact.what_is_named();
    Some(exact.sink.finish())
}

/// What is named and not hashed yet.
#[derive(Default)]
struct Work {
    constants: Vec<ConstId>,
    seen: BTreeSet<ConstId>,
    /// In the order in which they are met, which is the same whatever their ids are.
    ctypes: Vec<CTypeId>,
    numbers: BTreeMap<CTypeId, u32>,
}

struct Exact<'m> {
    hashes: Hashes<'m>,
    sink: Sink,
    work: Work,
    function: &'m Function,
}

impl Exact<'_> {
    fn ty(&mut self, ty: Option<crate::TypeId>) {
        self.sink.tag(u8::from(ty.is_some()));
        if let Some(ty) = ty {
            self.sink.hash(self.hashes.ty(ty));
        }
    }

    /// A C type by its number; what it is made of follows at the end.
    fn ctype(&mut self, ctype: Option<CTypeId>) {
        let number = ctype.map(|id| {
            let next = u32::try_from(self.work.ctypes.len()).unwrap_or(u32::MAX);
            let number = *self.work.numbers.entry(id).or_insert(next);
            if number == next {
                self.work.ctypes.push(id);
            }
            number
        });
        self.sink.plain(&number);
    }

    fn instruction(&mut self, instruction: &Instruction) {
        let Exact { hashes, sink, work, function } = self;
        sink.number(instruction.piece.0);
        sink.hash(hashes.ty(instruction.ty));
        // First the operation without its ids, then what the ids stand for: no field can be forgotten.
        sink.plain(&skeleton(&instruction.op));
        let ends = does_not_return(hashes.module, &instruction.op);
        instruction.op.references(|reference| match reference {
            Reference::Type(id) => sink.hash(hashes.ty(*id)),
            Reference::Block(id) => sink.number(id.0),
            Reference::Const(id) => {
                sink.hash(hashes.constant(*id));
                work.constants.push(*id);
            }
            Reference::Operand(Operand::Instruction(id)) => sink.plain(&(0u8, id.0)),
            Reference::Operand(Operand::Parameter(index)) => sink.plain(&(1u8, *index)),
            Reference::Operand(Operand::Metadata(text)) => {
                sink.tag(2);
                sink.text(text);
            }
            Reference::Operand(Operand::Const(id)) => {
                if ends
                    && let Some(Const::Int { bits, .. }) = hashes.module.constants.get(id.index())
                    && relative_line(function, instruction, *bits).is_some()
                {
                    return sink.tag(4);
                }
                sink.tag(3);
                sink.hash(hashes.constant(*id));
                work.constants.push(*id);
            }
            _ => {}
        });
    }

    /// Globals with their values, functions as they are declared, C types.
    fn what_is_named(&mut self) {
        while let Some(id) = self.work.constants.pop() {
            if !self.work.seen.insert(id) {
                continue;
            }
            let Some(constant) = self.hashes.module.constants.get(id.index()) else { continue };
            let mut globals = Vec::new();
            let mut functions = Vec::new();
            constant.references(|reference| match reference {
                Reference::Const(inner) => self.work.constants.push(*inner),
                Reference::Global(global) => globals.push(*global),
                Reference::Function(function) => functions.push(*function),
                _ => {}
            });
            globals.into_iter().for_each(|global| self.global(global));
            functions.into_iter().for_each(|function| self.declared(function));
        }
        let mut at = 0;
        while let Some(&id) = self.work.ctypes.get(at) {
            at += 1;
            let Some(ctype) = self.hashes.module.ctypes.get(id.index()) else { continue };
            let mut plain = ctype.clone();
            plain.references_mut(|reference| {
                if let ReferenceMut::CType(id) = reference {
                    *id = CTypeId(0);
                }
            });
            self.sink.plain(&plain);
            let mut inner = Vec::new();
            ctype.references(|reference| {
                if let Reference::CType(id) = reference {
                    inner.push(*id);
                }
            });
            inner.into_iter().for_each(|id| self.ctype(Some(id)));
        }
    }

    fn global(&mut self, id: GlobalId) {
        let Some(global) = self.hashes.module.globals.get(id.index()) else { return };
        self.sink.tag(5);
        // The name of a string literal is a number that depends on the code around it, as is the end of a static local's.
        self.sink.text(if global.private { "" } else { &self.hashes.names[id.index()] });
        self.sink.plain(&(global.linkage, global.private, global.initializer.is_some()));
        let value = self.hashes.definition(id);
        self.sink.hash(value);
        self.ctype(global.ctype);
        self.work.constants.extend(global.initializer.iter().chain(&global.alias_of));
    }

    fn declared(&mut self, id: FunctionId) {
        let Some(function) = self.hashes.module.functions.get(id.index()) else { return };
        self.sink.tag(6);
        self.sink.text(&function.name);
        self.sink.plain(&(function.linkage, function.is_defined(), function.no_return));
        self.ty(function.ty);
    }
}

/// Whether the instruction calls a function that is not here and promises never to return.
fn does_not_return(module: &Module, op: &Op) -> bool {
    let Op::Call { callee: Operand::Const(id), .. } = op else { return false };
    let Some(Const::Function(function)) = module.constants.get(id.index()) else { return false };
    module.functions.get(function.index()).is_some_and(|one| one.no_return && !one.is_defined())
}
