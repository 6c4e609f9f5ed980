//! IR-1: every id names an entry of its table.

use super::{Report, Rule};
use crate::{
    BlockId, Body, CTypeId, Const, ConstId, FileId, Function, FunctionId, GlobalId, InstructionId, Module,
    Operand, PieceId, Reference, TypeId,
};
use std::fmt::Display;

/// Looks up ids; `place` is only written down when something is wrong.
struct Ids<'a> {
    module: &'a Module,
    function: Option<&'a Function>,
    report: &'a mut Report,
}

impl Ids<'_> {
    fn need(&mut self, ok: bool, place: &dyn Display, what: impl FnOnce() -> String) {
        if !ok {
            self.report.add(Rule::IdsInRange, place, format!("{} does not exist", what()));
        }
    }

    fn ty(&mut self, place: &dyn Display, id: TypeId) {
        self.need(self.module.types.contains(id), place, || format!("type %{}", id.0));
    }

    fn ctype(&mut self, place: &dyn Display, id: CTypeId) {
        self.need(id.index() < self.module.ctypes.len(), place, || format!("C type ${}", id.0));
    }

    fn constant(&mut self, place: &dyn Display, id: ConstId) {
        self.need(id.index() < self.module.constants.len(), place, || format!("constant #{}", id.0));
    }

    fn global(&mut self, place: &dyn Display, id: GlobalId) {
        self.need(id.index() < self.module.globals.len(), place, || format!("global @{}", id.0));
    }

    fn function(&mut self, place: &dyn Display, id: FunctionId) {
        self.need(id.index() < self.module.functions.len(), place, || format!("function &{}", id.0));
    }

    fn file(&mut self, place: &dyn Display, id: FileId) {
        self.need(id.index() < self.module.files.len(), place, || format!("file {}", id.0));
    }

    fn body(&self) -> Option<&Body> {
        self.function.and_then(|function| function.body.as_ref())
    }

    fn block(&mut self, place: &dyn Display, id: BlockId) {
        let ok = self.body().is_some_and(|body| id.index() < body.blocks.len());
        self.need(ok, place, || format!("block b{}", id.0));
    }

    fn instruction(&mut self, place: &dyn Display, id: InstructionId) {
        let ok = self.body().is_some_and(|body| id.index() < body.instructions.len());
        self.need(ok, place, || format!("instruction v{}", id.0));
    }

    fn piece(&mut self, place: &dyn Display, id: PieceId) {
        let ok = self.function.is_some_and(|function| id.index() < function.pieces.len());
        self.need(ok, place, || format!("piece p{}", id.0));
    }

    fn reference(&mut self, place: &dyn Display, reference: Reference<'_>) {
        match reference {
            Reference::Type(id) => self.ty(place, *id),
            Reference::CType(id) => self.ctype(place, *id),
            Reference::Const(id) => self.constant(place, *id),
            Reference::Global(id) => self.global(place, *id),
            Reference::Function(id) => self.function(place, *id),
            Reference::Block(id) => self.block(place, *id),
            Reference::Operand(Operand::Instruction(id)) => self.instruction(place, *id),
            Reference::Operand(Operand::Const(id)) => self.constant(place, *id),
            Reference::Operand(Operand::Parameter(index)) => {
                let ok = self.function.is_some_and(|f| (*index as usize) < f.parameters.len());
                self.need(ok, place, || format!("parameter a{index}"));
            }
            Reference::Operand(Operand::Metadata(_)) => {}
        }
    }
}

/// Checks the tables of the module.
pub(super) fn tables(module: &Module, report: &mut Report) {
    let mut ids = Ids { module, function: None, report };
    for (id, ty) in module.types.iter() {
        ty.references(|reference| ids.reference(&format_args!("type %{}", id.0), reference));
    }
    for (index, ctype) in module.ctypes.iter().enumerate() {
        ctype.references(|reference| ids.reference(&format_args!("C type ${index}"), reference));
    }
    for (index, constant) in module.constants.iter().enumerate() {
        let place = format_args!("constant #{index}");
        constant.references(|reference| ids.reference(&place, reference));
        if let Const::BlockAddress { function, block } = constant {
            // An address of a label in a function that is only declared here says nothing about its blocks.
            ids.function = module.functions.get(function.index()).filter(|function| function.body.is_some());
            if ids.function.is_some() {
                ids.block(&place, *block);
            }
            ids.function = None;
        }
    }
    for global in &module.globals {
        let place = format_args!("global `{}`", global.name);
        ids.ty(&place, global.ty);
        global.ctype.into_iter().for_each(|id| ids.ctype(&place, id));
        global.initializer.into_iter().for_each(|id| ids.constant(&place, id));
        global.alias_of.into_iter().for_each(|id| ids.constant(&place, id));
        global.location.into_iter().for_each(|location| ids.file(&place, location.file));
    }
}

/// Checks one function.
pub(super) fn function(module: &Module, function: &Function, report: &mut Report) {
    let mut ids = Ids { module, function: Some(function), report };
    let head = &"head";
    function.ty.into_iter().for_each(|id| ids.ty(head, id));
    function.ctype.into_iter().for_each(|id| ids.ctype(head, id));
    function.span.into_iter().for_each(|span| ids.file(head, span.file));
    for (index, parameter) in function.parameters.iter().enumerate() {
        let place = format_args!("parameter a{index}");
        parameter.ty.into_iter().for_each(|id| ids.ty(&place, id));
        parameter.attributes.references(|reference| ids.reference(&place, reference));
    }
    for (index, piece) in function.pieces.iter().enumerate() {
        piece.span.into_iter().for_each(|span| ids.file(&format_args!("piece p{index}"), span.file));
    }
    for edge in &function.flow {
        let place = format_args!("flow p{} -> p{}", edge.from.0, edge.to.0);
        ids.piece(&place, edge.from);
        ids.piece(&place, edge.to);
    }
    for (jump, next) in &function.fall_through {
        let place = format_args!("fall p{} -> p{}", jump.0, next.0);
        ids.piece(&place, *jump);
        ids.piece(&place, *next);
    }
    for (index, call) in function.calls.iter().enumerate() {
        let place = format_args!("call {index}");
        ids.piece(&place, call.piece);
        call.instruction.into_iter().for_each(|id| ids.instruction(&place, id));
    }
    let Some(body) = &function.body else { return };
    for (index, instruction) in body.instructions.iter().enumerate() {
        let place = format_args!("v{index}");
        ids.ty(&place, instruction.ty);
        ids.piece(&place, instruction.piece);
        instruction.location.into_iter().for_each(|location| ids.file(&place, location.file));
        instruction.op.references(|reference| ids.reference(&place, reference));
    }
    for variable in &body.variables {
        let place = format_args!("variable `{}`", variable.name);
        variable.ctype.into_iter().for_each(|id| ids.ctype(&place, id));
        variable.slot.into_iter().for_each(|id| ids.instruction(&place, id));
        variable.location.into_iter().for_each(|location| ids.file(&place, location.file));
        variable.begins.into_iter().for_each(|id| ids.instruction(&place, id));
        for run in &variable.block {
            ids.instruction(&place, InstructionId(run.first.0.saturating_add(run.count.max(1) - 1)));
        }
    }
}
