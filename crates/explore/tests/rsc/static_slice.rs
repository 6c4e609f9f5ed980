//! Static slices of one function without pointers: what exploring would be without runs to look at (T6.1). Every definition of a
//! variable may reach every use; calls other than of the inputs may end the run and always count.

use hydrogen_evidence::Input;
use hydrogen_explore::{ByPath, Conjunct, Observation, Observer, Setting};
use hydrogen_flow::Flow;
use hydrogen_ir::{Body, InstructionId, Module, Op, Operand};
use hydrogen_machine::{FuncId, Program, Site};
use hydrogen_term::Pool;
use std::collections::BTreeSet;

/// The instructions of a function that its calls of `hydrogen_output` depend on.
fn slice(module: &Module, body: &Body) -> BTreeSet<InstructionId> {
    let control = Flow::of_blocks(module, body).control_dependence();
    let ids = || (0..body.instructions.len() as u32).map(InstructionId);
    let block_of = |id: InstructionId| {
        body.blocks
            .iter()
            .position(|block| (block.first.0..block.first.0 + block.count).contains(&id.0))
            .unwrap()
    };
    let operands = |id: InstructionId| {
        let mut found = Vec::new();
        body.instruction(id).op.references(|reference| {
            if let hydrogen_ir::Reference::Operand(Operand::Instruction(from)) = reference {
                found.push(*from);
            }
        });
        found
    };
    let mut work: Vec<InstructionId> = ids()
        .filter(|id| matches!(&body.instruction(*id).op, Op::Call { .. }))
        .filter(|id| body.instruction(*id).location.is_some())
        .collect();
    let mut found = BTreeSet::new();
    while let Some(id) = work.pop() {
        if !found.insert(id) {
            continue;
        }
        work.extend(operands(id));
        if let Op::Load { pointer, .. } = &body.instruction(id).op {
            let stores = ids().filter(
                |one| matches!(&body.instruction(*one).op, Op::Store { pointer: to, .. } if to == pointer),
            );
            work.extend(stores);
        }
        for decides in control.controls(block_of(id)) {
            let block = &body.blocks[decides.branch];
            work.push(InstructionId(block.first.0 + block.count - 1));
        }
    }
    found
}

/// Conditions are those of the path whose branches are in the static slice.
pub struct ByStaticSlice {
    function: FuncId,
    slice: BTreeSet<InstructionId>,
}

impl ByStaticSlice {
    pub fn new(program: &Program, function: &str) -> Self {
        let function = program.find(function).unwrap();
        let (module, model) = program.model(function).unwrap();
        Self { function, slice: slice(module, model.body.as_ref().unwrap()) }
    }

    fn has(&self, program: &Program, site: Site) -> bool {
        let origin = program.code(site.function).unwrap().origin[site.pc as usize];
        site.function != self.function || self.slice.contains(&origin)
    }
}

impl Observer for ByStaticSlice {
    fn observe(&self, setting: Setting<'_>, input: &Input, pool: &mut Pool) -> Observation {
        let seen = ByPath.observe(setting, input, pool);
        let kept = |one: &&Conjunct| self.has(setting.program, one.site);
        let condition = seen.path.iter().filter(kept).copied().collect();
        Observation { condition: Some(condition), ..seen }
    }
}
