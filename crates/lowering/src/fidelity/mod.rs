//! Is the model what LLVM says? An independent walk over LLVM's module, compared with the lowered one.

mod constants;
mod shape;

use crate::llvm::{Block, Counts, LlvmModule, Value, opcode_name};
use constants::Constants;
use hydrogen_ir::{BlockId, Body, Function, InstructionId, Module, Op, Operand, TypeId};
use llvm_sys::LLVMOpcode::LLVMCall;
use llvm_sys::LLVMValueKind::{
    LLVMBasicBlockValueKind, LLVMInlineAsmValueKind, LLVMMetadataAsValueValueKind,
};
use rustc_hash::FxHashMap;
use shape::{shape, values};

/// A difference between LLVM's module and the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// Where: a function, block and instruction.
    pub place: String,
    /// What differs.
    pub what: &'static str,
    /// LLVM's answer.
    pub llvm: String,
    /// The model's answer.
    pub model: String,
}

impl std::fmt::Display for Mismatch {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}: {}: LLVM says {}, the model {}", self.place, self.what, self.llvm, self.model)
    }
}

/// All differences between a module and its model.
pub fn fidelity(llvm: &LlvmModule, model: &Module) -> Vec<Mismatch> {
    let mut check = Check { llvm, model, constants: Constants::new(model), found: Vec::new() };
    check.same("module", "counts", counts_of(model), llvm.counts());
    for (function, lowered) in llvm.functions().zip(&model.functions) {
        check.function(function, lowered);
    }
    let globals = llvm.globals().chain(llvm.aliases()).chain(llvm.ifuncs());
    check.same("module", "globals", model.globals.len(), globals.count());
    for (global, lowered) in llvm.globals().zip(&model.globals) {
        check.same(&lowered.name, "name of a global", lowered.name.clone(), global.name());
        check.same(&lowered.name, "defined", lowered.initializer.is_some(), !global.is_declaration());
        check.size(&lowered.name, global.object_type(), lowered.ty);
        if let (Some(value), Some(id)) = (global.initializer(), lowered.initializer) {
            let same = check.constants.same(value, id);
            check.same(&lowered.name, "same initialiser", same, true);
        }
    }
    check.found
}

/// The counts of a model, in LLVM's terms.
pub fn counts_of(model: &Module) -> Counts {
    let bodies = || model.functions.iter().filter_map(|function| function.body.as_ref());
    let edges = |body: &Body| {
        (0..body.blocks.len())
            .map(|index| body.terminator(BlockId::at(index)).op.successors().len())
            .sum::<usize>()
    };
    Counts {
        functions: model.functions.len() as u64,
        blocks: bodies().map(|body| body.blocks.len() as u64).sum(),
        edges: bodies().map(|body| edges(body) as u64).sum(),
        instructions: bodies().map(|body| body.instructions.len() as u64).sum(),
    }
}

struct Check<'m> {
    llvm: &'m LlvmModule,
    model: &'m Module,
    constants: Constants<'m>,
    found: Vec<Mismatch>,
}

impl<'m> Check<'m> {
    fn same<T: PartialEq + std::fmt::Debug>(&mut self, place: &str, what: &'static str, model: T, llvm: T) {
        if model != llvm {
            let (llvm, model) = (format!("{llvm:?}"), format!("{model:?}"));
            self.found.push(Mismatch { place: place.to_owned(), what, llvm, model });
        }
    }

    fn function(&mut self, function: Value<'m>, lowered: &Function) {
        let name = function.name();
        self.same(&name, "name", lowered.name.as_str(), name.as_str());
        self.same(&name, "defined", lowered.body.is_some(), !function.is_declaration());
        self.same(&name, "parameters", lowered.parameters.len() as u32, function.parameter_count());
        let Some(body) = &lowered.body else { return };
        let labels: FxHashMap<Block<'m>, BlockId> =
            Block::of(function).enumerate().map(|(index, block)| (block, BlockId::at(index))).collect();
        self.same(&name, "blocks", body.blocks.len(), labels.len());
        let mut locals: FxHashMap<Value<'m>, Operand> =
            (0..function.parameter_count()).map(|n| (function.parameter(n), Operand::Parameter(n))).collect();
        for value in Block::of(function).flat_map(Block::instructions) {
            let next = locals.len() - lowered.parameters.len();
            locals.insert(value, Operand::Instruction(InstructionId::at(next)));
        }
        let names = Names { labels, locals };
        for (block, index) in Block::of(function).zip(0..body.blocks.len()) {
            self.block(&name, block, &names, body, BlockId::at(index));
        }
    }

    fn block(&mut self, function: &str, block: Block<'m>, names: &Names<'m>, body: &Body, id: BlockId) {
        let place = format!("{function} block {}", id.0);
        let successors: Vec<_> =
            block.successors().iter().filter_map(|next| names.labels.get(next).copied()).collect();
        self.same(&place, "successors", body.terminator(id).op.successors(), successors);
        let count = block.instructions().count();
        self.same(&place, "instructions", body.instructions_of(id).count(), count);
        for (value, index) in block.instructions().zip(body.instructions_of(id)) {
            let instruction = body.instruction(index);
            let (opcode, operands) = shape(&instruction.op);
            let expected = opcode_name(value.opcode());
            // Formatting the place of every instruction would cost more than the check.
            let bundles = if value.opcode() == LLVMCall { value.bundle_operand_count() } else { 0 };
            if opcode != expected || operands + bundles != value.operand_count() {
                let place = format!("{place} instruction {}", index.0);
                self.same(&place, "instruction", opcode, expected);
                self.same(&place, "operands", operands + bundles, value.operand_count());
            }
            if let Some(number) = self.differing_operand(value, &instruction.op, names) {
                let place = format!("{place} instruction {}", index.0);
                self.same(&place, "differing operand", Some(number), None);
            }
            self.size(&place, value.ty(), instruction.ty);
            if let Op::Alloca { ty, .. } = instruction.op {
                self.size(&place, value.allocated_type(), ty);
            }
        }
    }

    /// The first operand (blocks not counted) that is not LLVM's.
    fn differing_operand(&mut self, value: Value<'m>, op: &Op, names: &Names<'m>) -> Option<usize> {
        // A call's operands end with those of its bundles, which the model leaves out, and the callee.
        let end = match value.opcode() {
            LLVMCall => value.argument_count(),
            _ => value.operand_count(),
        };
        let operands = (0..end).map(|index| value.operand(index));
        let operands = operands.chain((value.opcode() == LLVMCall).then(|| value.callee()));
        let operands = operands
            .filter(|operand| !matches!(operand.kind(), LLVMBasicBlockValueKind | LLVMInlineAsmValueKind));
        let model = values(op);
        let llvm: Vec<_> = operands.collect();
        if llvm.len() != model.len() {
            return Some(llvm.len().min(model.len()));
        }
        llvm.into_iter().zip(model).position(|(raw, operand)| match (names.locals.get(&raw), &operand) {
            (Some(local), operand) => local != operand,
            (None, Operand::Const(id)) => !self.constants.same(raw, *id),
            (None, Operand::Metadata(_)) => raw.kind() != LLVMMetadataAsValueValueKind,
            _ => true,
        })
    }

    fn size(&mut self, place: &str, raw: crate::llvm::Type<'m>, ty: TypeId) {
        let llvm = self.llvm.type_layout(raw).map(|layout| (layout.size_bits, layout.alloc_bytes));
        let model = self.model.types.layout(ty).map(|layout| (layout.size_bits, layout.alloc_bytes));
        self.same(place, "size of a type", model, llvm);
    }
}

/// What labels and operands refer to, numbered without the lowering's help.
struct Names<'m> {
    labels: FxHashMap<Block<'m>, BlockId>,
    locals: FxHashMap<Value<'m>, Operand>,
}
