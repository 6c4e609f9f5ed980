//! Whether any caller can pass a null pointer, for functions all of whose callers are known.

use hydrogen_flow::all_pointed;
use hydrogen_ir::{
    Const, ConstExpr, FunctionId, InstructionId, Linkage, Module, Op, Operand, Reference, Type,
};
use std::collections::BTreeSet;

/// The parameters of a function that no caller passes null for: pointers of a `static` function whose address nobody takes. Only where values
/// come from is followed, not the order of statements: what cannot be told counts as null.
pub fn never_null(module: &Module, id: FunctionId) -> BTreeSet<usize> {
    let function = module.function(id);
    let is_pointer = |at: &usize| {
        function.parameters[*at].ty.is_some_and(|ty| matches!(module.types.get(ty), Type::Pointer(_)))
    };
    let mut sources = Sources { module, pointed: all_pointed(module), seen: BTreeSet::new() };
    (0..function.parameters.len())
        .filter(is_pointer)
        .filter(|&at| {
            sources.seen.clear();
            let from = Source::Parameter(id, at);
            sources.is_called(id) && !sources.lead_to_null(from)
        })
        .collect()
}

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    Parameter(FunctionId, usize),
    Instruction(FunctionId, InstructionId),
    Result(FunctionId),
}

struct Sources<'m> {
    module: &'m Module,
    pointed: BTreeSet<FunctionId>,
    seen: BTreeSet<Source>,
}

impl Sources<'_> {
    /// Whether anybody calls a function: of one that nobody calls, nothing is known.
    fn is_called(&self, id: FunctionId) -> bool {
        self.calls(id).next().is_some()
    }

    /// The calls of a function by name: who calls, and with which arguments.
    fn calls(&self, id: FunctionId) -> impl Iterator<Item = (FunctionId, &[Operand])> {
        self.module.definitions().flat_map(move |(caller, function)| {
            let all = function.body.iter().flat_map(|body| &body.instructions);
            all.filter_map(move |instruction| match &instruction.op {
                Op::Call { callee: Operand::Const(callee), arguments, .. } => {
                    let is_it = matches!(self.module.constant(*callee), Const::Function(one) if *one == id);
                    is_it.then_some((caller, arguments.as_slice()))
                }
                _ => None,
            })
        })
    }

    fn lead_to_null(&mut self, first: Source) -> bool {
        let mut open = vec![first];
        while let Some(source) = open.pop() {
            if !self.seen.insert(source.clone()) {
                continue;
            }
            let Some(more) = self.behind(&source) else { return true };
            for (function, operand) in more {
                match operand {
                    Operand::Instruction(id) => open.push(Source::Instruction(function, id)),
                    Operand::Parameter(at) => open.push(Source::Parameter(function, at as usize)),
                    Operand::Const(id) if self.is_address(id) => {}
                    Operand::Const(_) | Operand::Metadata(_) => return true,
                }
            }
        }
        false
    }

    fn is_address(&self, id: hydrogen_ir::ConstId) -> bool {
        match self.module.constant(id) {
            Const::Global(_) | Const::Function(_) => true,
            Const::Expr { expr: ConstExpr::ElementAddress { base, .. }, .. } => self.is_address(*base),
            _ => false,
        }
    }

    /// The values that one comes from; nothing where it may be null by itself, or is not followed.
    fn behind(&self, source: &Source) -> Option<Vec<(FunctionId, Operand)>> {
        match source {
            Source::Parameter(id, at) => {
                let is_closed =
                    self.module.function(*id).linkage == Linkage::Internal && !self.pointed.contains(id);
                is_closed.then_some(())?;
                self.calls(*id).map(|(caller, given)| Some((caller, given.get(*at)?.clone()))).collect()
            }
            Source::Result(id) => {
                let body = self.module.function(*id).body.as_ref()?;
                let returned = body.instructions.iter().filter_map(|instruction| match &instruction.op {
                    Op::Return { value } => Some(value.clone().map(|value| (*id, value))),
                    _ => None,
                });
                returned.collect()
            }
            Source::Instruction(id, at) => self.behind_instruction(*id, *at),
        }
    }

    fn behind_instruction(&self, id: FunctionId, at: InstructionId) -> Option<Vec<(FunctionId, Operand)>> {
        let body = self.module.function(id).body.as_ref()?;
        match &body.instructions[at.index()].op {
            Op::Alloca { .. } => Some(Vec::new()),
            Op::ElementAddress { base, .. } => Some(vec![(id, base.clone())]),
            Op::Freeze { value } => Some(vec![(id, value.clone())]),
            Op::Phi { incoming } => Some(incoming.iter().map(|(_, value)| (id, value.clone())).collect()),
            Op::Select { then, otherwise, .. } => Some(vec![(id, then.clone()), (id, otherwise.clone())]),
            Op::Load { pointer: Operand::Instruction(slot), .. } => self.stored(id, *slot),
            Op::Call { callee: Operand::Const(callee), .. } => match self.module.constant(*callee) {
                Const::Function(callee) => self.behind(&Source::Result(*callee)),
                _ => None,
            },
            _ => None,
        }
    }

    /// What a local variable is given, where nobody has its address.
    fn stored(&self, id: FunctionId, slot: InstructionId) -> Option<Vec<(FunctionId, Operand)>> {
        let body = self.module.function(id).body.as_ref()?;
        matches!(body.instructions[slot.index()].op, Op::Alloca { .. }).then_some(())?;
        let address = Operand::Instruction(slot);
        let mut found = Vec::new();
        for instruction in &body.instructions {
            match &instruction.op {
                Op::Load { pointer, .. } if *pointer == address => {}
                Op::Store { pointer, value, .. } if *pointer == address && *value != address => {
                    found.push((id, value.clone()));
                }
                op => {
                    let mut is_used = false;
                    op.references(|reference| {
                        is_used |= matches!(reference, Reference::Operand(operand) if *operand == address);
                    });
                    if is_used {
                        return None;
                    }
                }
            }
        }
        // What is never written may be anything.
        (!found.is_empty()).then_some(found)
    }
}
