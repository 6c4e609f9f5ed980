//! Is the model what LLVM says? An independent walk over LLVM's module, compared with the lowered one.

use crate::llvm::{Block, Counts, LlvmModule, Value, opcode_name};
use hydrogen_ir::{BlockId, Body, Function, Module, Op, TypeId};
use llvm_sys::LLVMOpcode::*;
use rustc_hash::FxHashMap;

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
    let mut check = Check { llvm, model, found: Vec::new() };
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
    }
    check.found
}

/// The counts of a model, in LLVM's terms.
pub fn counts_of(model: &Module) -> Counts {
    let bodies = || model.functions.iter().filter_map(|function| function.body.as_ref());
    let edges = |body: &Body| {
        (0..body.blocks.len()).map(|index| body.terminator(BlockId::at(index)).op.successors().len()).sum::<usize>()
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
        for (block, index) in Block::of(function).zip(0..body.blocks.len()) {
            self.block(&name, block, &labels, body, BlockId::at(index));
        }
    }

    fn block(
        &mut self,
        function: &str,
        block: Block<'m>,
        labels: &FxHashMap<Block<'m>, BlockId>,
        body: &Body,
        id: BlockId,
    ) {
        let place = format!("{function} block {}", id.0);
        let successors: Vec<_> = block.successors().iter().filter_map(|next| labels.get(next).copied()).collect();
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
            self.size(&place, value.ty(), instruction.ty);
            if let Op::Alloca { ty, .. } = instruction.op {
                self.size(&place, value.allocated_type(), ty);
            }
        }
    }

    fn size(&mut self, place: &str, raw: crate::llvm::Type<'m>, ty: TypeId) {
        let llvm = self.llvm.type_layout(raw).map(|layout| (layout.size_bits, layout.alloc_bytes));
        let model = self.model.types.layout(ty).map(|layout| (layout.size_bits, layout.alloc_bytes));
        self.same(place, "size of a type", model, llvm);
    }
}

/// LLVM's name of a model's instruction and the number of operands LLVM gives it: values, then blocks.
fn shape(op: &Op) -> (String, u32) {
    let n = |list: usize| list as u32;
    let plain = |name: &str, count: u32| (name.to_owned(), count);
    match op {
        Op::Unary { op, .. } => (format!("{op:?}").to_lowercase(), 1),
        Op::Binary { op, .. } => (format!("{op:?}").to_lowercase(), 2),
        Op::IntCompare { .. } => plain("icmp", 2),
        Op::FloatCompare { .. } => plain("fcmp", 2),
        Op::Cast { op, .. } => (format!("{op:?}").to_lowercase(), 1),
        Op::Alloca { .. } => plain("alloca", 1),
        Op::Load { .. } => plain("load", 1),
        Op::Store { .. } => plain("store", 2),
        Op::ElementAddress { indices, .. } => plain("getelementptr", 1 + n(indices.len())),
        Op::Phi { incoming } => plain("phi", n(incoming.len())),
        Op::Select { .. } => plain("select", 3),
        Op::ExtractValue { .. } => plain("extractvalue", 1),
        Op::InsertValue { .. } => plain("insertvalue", 2),
        Op::ExtractElement { .. } => plain("extractelement", 2),
        Op::InsertElement { .. } => plain("insertelement", 3),
        Op::ShuffleVector { .. } => plain("shufflevector", 2),
        Op::Call { arguments, .. } | Op::Asm { arguments, .. } => plain("call", 1 + n(arguments.len())),
        Op::VaArg { .. } => plain("vaarg", 1),
        Op::Fence { .. } => plain("fence", 0),
        Op::CompareExchange { .. } => plain("atomiccmpxchg", 3),
        Op::AtomicRmw { .. } => plain("atomicrmw", 2),
        Op::Freeze { .. } => plain("freeze", 1),
        Op::Opaque { name, operands } => plain(name, n(operands.len())),
        Op::Return { value } => plain("ret", u32::from(value.is_some())),
        Op::Jump { .. } => plain("br", 1),
        Op::Branch { .. } => plain("br", 3),
        Op::Switch { cases, .. } => plain("switch", 2 + 2 * n(cases.len())),
        Op::IndirectJump { targets, .. } => plain("indirectbr", 1 + n(targets.len())),
        Op::AsmBranch { arguments, targets, .. } => {
            plain("callbr", 2 + n(arguments.len()) + n(targets.len()))
        }
        Op::Unreachable => plain("unreachable", 0),
        Op::OpaqueTerminator { name, operands, targets } => {
            plain(name, n(operands.len()) + n(targets.len()))
        }
    }
}
