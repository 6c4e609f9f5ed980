//! A function of a version as the analysis walks it: straight runs of instructions of one node each, and how control goes between them.

use crate::meaning::defined::Defined;
use crate::meaning::held::Held;
use crate::meaning::program::Program;
use crate::meaning::raw::{Raw, raw_stores};
use crate::meaning::statics::Statics;
use hydrogen_flow::{Digraph, Dominators, Loops, reverse_post_order};
use hydrogen_graph::{ChainId, NodeId, VersionId};
use hydrogen_ir::{
    BlockId, Body, Const, Function, FunctionId, Instruction, InstructionId, Module, Op, Operand, Type, TypeId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A run of a function, by its place in [`Shape::steps`].
pub(crate) type StepId = usize;

/// The same run in all versions that have it: the n-th of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Spot {
    pub node: NodeId,
    pub ordinal: u32,
}

/// A way into a run: from where, and by which successor of the terminator there (none inside a block).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entering {
    pub from: StepId,
    pub successor: Option<usize>,
}

/// A run of instructions of one node. A call is a run of its own.
#[derive(Debug)]
pub(crate) struct Step {
    pub spot: Spot,
    pub block: BlockId,
    pub instructions: Vec<InstructionId>,
    pub entering: Vec<Entering>,
    /// Whether the run does anything but jump on.
    pub works: bool,
}

#[derive(Debug)]
pub(crate) struct Shape {
    pub module: Arc<Module>,
    pub id: FunctionId,
    pub chain: ChainId,
    pub version: VersionId,
    pub steps: Vec<Step>,
    pub by_spot: FxHashMap<Spot, StepId>,
    /// Each run's place in a reverse post-order: along forward edges it grows.
    pub order: Vec<usize>,
    pub dominators: Dominators,
    pub loops: Loops,
    /// Per instruction: its name, the same in all versions that have the same instructions in the node.
    pub names: Vec<(NodeId, u32)>,
    /// Stack slots of one number or pointer that is only loaded and stored as a whole.
    pub plain: FxHashMap<InstructionId, String>,
    /// All other stack slots, and whether their address leaves the function's own loads and stores.
    pub objects: FxHashMap<InstructionId, (String, bool)>,
    /// Stores of bytes that may be a part of something else.
    pub raw: FxHashMap<InstructionId, BTreeSet<Raw>>,
    /// The variables of its unit whose stores are all seen.
    pub statics: Arc<Statics>,
    /// The variables of other files that it needs.
    pub defined: Arc<Defined>,
    /// Which of its objects somebody else may have the address of.
    pub held: Held,
}

/// Runs that only jump are numbered from here.
const JUMPS: u32 = 1 << 16;

/// The root of the walk.
pub(crate) const ENTRY: StepId = 0;

impl Shape {
    /// None if the version does not have the function compiled.
    pub fn new(program: Program<'_>, chain: ChainId, version: VersionId) -> Option<Self> {
        let graph = program.graph;
        if !graph.chain_in(chain, version) {
            return None;
        }
        let (module, id) =
            program.code.function(version, program.file(chain, version), graph.name(chain, version))?;
        Self::of(&module, id, (chain, version), &graph.pieces(chain, version))
    }

    /// The shape of a function whose pieces are these nodes.
    pub fn of(
        module: &Arc<Module>,
        id: FunctionId,
        (chain, version): (ChainId, VersionId),
        nodes: &[NodeId],
    ) -> Option<Self> {
        let function = module.function(id);
        let body = function.body.as_ref()?;
        // The code must be of the version that the graph was made of.
        if body.instructions.iter().any(|one| one.piece.index() >= nodes.len()) {
            return None;
        }
        let steps = steps(module, body, nodes);
        let edges = steps
            .iter()
            .enumerate()
            .flat_map(|(to, step)| step.entering.iter().map(move |entering| (entering.from, to)));
        let flow = Digraph::unlabelled(steps.len(), edges.collect::<Vec<_>>());
        let dominators = Dominators::new(&flow, ENTRY);
        let loops = Loops::new(&flow, &dominators);
        let mut order = vec![usize::MAX; steps.len()];
        for (place, step) in reverse_post_order(&flow, [ENTRY]).into_iter().enumerate() {
            order[step] = place;
        }
        let by_spot = steps.iter().enumerate().map(|(at, step)| (step.spot, at)).collect();
        let mut counts: FxHashMap<NodeId, u32> = FxHashMap::default();
        let name = |one: &hydrogen_ir::Instruction| {
            let node = nodes[one.piece.index()];
            let count = counts.entry(node).or_insert(0);
            *count += 1;
            (node, *count)
        };
        let names = body.instructions.iter().map(name).collect();
        let (plain, objects) = slots(module, function, body);
        let mut shape = Self {
            chain,
            version,
            steps,
            by_spot,
            order,
            dominators,
            loops,
            names,
            plain,
            objects,
            id,
            module: Arc::clone(module),
            raw: FxHashMap::default(),
            statics: Arc::default(),
            defined: Arc::default(),
            held: Held::default(),
        };
        shape.raw = raw_stores(&shape);
        Some(shape)
    }

    pub fn function(&self) -> &Function {
        self.module.function(self.id)
    }

    pub fn body(&self) -> &Body {
        self.function().body.as_ref().expect("a shape is made of a body")
    }

    /// The bits of a constant number, and how many there are.
    pub fn constant(&self, operand: &Operand) -> Option<(u128, u32)> {
        let Operand::Const(id) = operand else { return None };
        match self.module.constant(*id) {
            Const::Int { ty, bits } => match self.module.types.get(*ty) {
                Type::Int(width) => Some((*bits, *width)),
                _ => None,
            },
            _ => None,
        }
    }

    pub fn op(&self, id: InstructionId) -> &Op {
        &self.body().instruction(id).op
    }

    /// The instructions of a statement.
    pub fn instructions_of(&self, node: NodeId) -> impl Iterator<Item = &Instruction> {
        let all = self.names.iter().zip(&self.body().instructions);
        all.filter(move |(name, _)| name.0 == node).map(|(_, instruction)| instruction)
    }

    /// Whether an operand is the constant zero, or null.
    pub fn is_zero(&self, operand: &Operand) -> bool {
        let Operand::Const(id) = operand else { return false };
        matches!(self.module.constant(*id), Const::Int { bits: 0, .. } | Const::Zero(_))
    }

    /// The call that a run consists of.
    pub fn call(&self, step: StepId) -> Option<InstructionId> {
        let only = *self.steps[step].instructions.first()?;
        matches!(self.op(only), Op::Call { .. }).then_some(only)
    }

    /// Whether control leaves the function here.
    pub fn returned(&self, step: StepId) -> Option<Option<&Operand>> {
        match self.op(*self.steps[step].instructions.last()?) {
            Op::Return { value } => Some(value.as_ref()),
            _ => None,
        }
    }

    /// The function that an operand names.
    pub fn named(&self, operand: &Operand) -> Option<&Function> {
        let Operand::Const(id) = operand else { return None };
        match self.module.constant(*id) {
            Const::Function(function) => Some(self.module.function(*function)),
            _ => None,
        }
    }

    /// The machine type of an operand; none for addresses and metadata.
    pub fn operand_type(&self, operand: &Operand) -> Option<TypeId> {
        match operand {
            Operand::Instruction(id) => Some(self.body().instruction(*id).ty),
            Operand::Parameter(n) => self.function().parameters.get(*n as usize)?.ty,
            Operand::Const(id) => self.module.constant(*id).ty(),
            Operand::Metadata(_) => None,
        }
    }
}

/// Whether an instruction may do anything, as far as is known of it.
pub(crate) fn may_do_anything(op: &Op) -> bool {
    matches!(
        op,
        Op::Asm { .. }
            | Op::AsmBranch { .. }
            | Op::Opaque { .. }
            | Op::OpaqueTerminator { .. }
            | Op::AtomicRmw { .. }
            | Op::CompareExchange { .. }
            | Op::VaArg { .. }
    )
}

/// Whether an instruction means nothing to the analysis.
pub(crate) fn is_silent(module: &Module, op: &Op) -> bool {
    match op {
        Op::Alloca { .. } | Op::Fence { .. } => true,
        Op::Call { callee: Operand::Const(id), .. } => match module.constant(*id) {
            Const::Function(function) => {
                let name = &module.function(*function).name;
                name.starts_with("llvm.dbg.") || name.starts_with("llvm.lifetime.")
            }
            _ => false,
        },
        _ => false,
    }
}

fn steps(module: &Module, body: &Body, nodes: &[NodeId]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut ends: Vec<(StepId, StepId)> = Vec::new();
    for (at, _) in body.blocks.iter().enumerate() {
        let block = BlockId::at(at);
        let first = steps.len();
        let mut open = false;
        for id in body.instructions_of(block) {
            let instruction = body.instruction(id);
            if is_silent(module, &instruction.op) {
                continue;
            }
            let node = nodes[instruction.piece.index()];
            let call = matches!(instruction.op, Op::Call { .. });
            let goes_on = open && !call && steps.last().is_some_and(|step| step.spot.node == node);
            let works = !matches!(instruction.op, Op::Jump { .. });
            if goes_on {
                let last = steps.last_mut().expect("a run is open");
                last.instructions.push(id);
                last.works |= works;
            } else {
                let spot = Spot { node, ordinal: 0 };
                let before = steps.len().checked_sub(1).filter(|_| steps.len() > first);
                let entering = before.map(|from| Entering { from, successor: None }).into_iter().collect();
                steps.push(Step { spot, block, instructions: vec![id], entering, works });
            }
            open = !call;
        }
        ends.push((first, steps.len() - 1));
    }
    // Where the compiler puts its jumps depends on what surrounds a statement; they are numbered apart.
    let mut counts: FxHashMap<(NodeId, bool), u32> = FxHashMap::default();
    for step in &mut steps {
        let count = counts.entry((step.spot.node, step.works)).or_insert(0);
        step.spot.ordinal = if step.works { *count } else { JUMPS + *count };
        *count += 1;
    }
    for &(_, last) in &ends {
        let Some(&terminator) = steps[last].instructions.last() else { continue };
        for (successor, target) in body.instruction(terminator).op.successors().into_iter().enumerate() {
            let to = ends[target.index()].0;
            steps[to].entering.push(Entering { from: last, successor: Some(successor) });
        }
    }
    steps
}

type Slots = (FxHashMap<InstructionId, String>, FxHashMap<InstructionId, (String, bool)>);

/// The stack slots: plain variables, and objects with whether their address gets around.
fn slots(module: &Module, function: &Function, body: &Body) -> Slots {
    let mut used: FxHashMap<InstructionId, Use> = FxHashMap::default();
    let mut whole_types: FxHashMap<InstructionId, TypeId> = FxHashMap::default();
    for (at, instruction) in body.instructions.iter().enumerate() {
        if let Op::Alloca { ty, .. } = instruction.op {
            used.insert(InstructionId::at(at), Use::Plain);
            whole_types.insert(InstructionId::at(at), ty);
        }
    }
    let mut roots: FxHashMap<InstructionId, InstructionId> = used.keys().map(|&slot| (slot, slot)).collect();
    for (at, instruction) in body.instructions.iter().enumerate() {
        let id = InstructionId::at(at);
        if is_silent(module, &instruction.op) {
            continue;
        }
        let slot = |operand: &Operand| match operand {
            Operand::Instruction(id) => roots.get(id).copied(),
            _ => None,
        };
        let is_itself = |operand: &Operand, root: InstructionId| *operand == Operand::Instruction(root);
        match &instruction.op {
            Op::Load { pointer, access } => {
                if let Some(root) = slot(pointer) {
                    let plain =
                        is_itself(pointer, root) && instruction.ty == whole_types[&root] && !access.volatile;
                    if !plain {
                        used.entry(root).and_modify(|found| found.at_least(Use::Object));
                    }
                }
            }
            Op::Store { value, pointer, access } => {
                if let Some(root) = slot(value) {
                    used.entry(root).and_modify(|found| found.at_least(Use::Escapes));
                }
                if let Some(root) = slot(pointer) {
                    let ty = stored_type(module, function, body, value);
                    let fits = ty == Some(whole_types[&root])
                        || ty.is_none() && matches!(module.types.get(whole_types[&root]), Type::Pointer(_));
                    if !(is_itself(pointer, root) && fits && !access.volatile) {
                        used.entry(root).and_modify(|found| found.at_least(Use::Object));
                    }
                }
            }
            Op::ElementAddress { base, .. } => {
                if let Some(root) = slot(base) {
                    used.entry(root).and_modify(|found| found.at_least(Use::Object));
                    roots.insert(id, root);
                }
            }
            // The C library's copies keep no address; what is copied stays in the object.
            Op::Call { callee, arguments, .. } => {
                let keeps_none = matches!(callee, Operand::Const(id) if matches!(module.constant(*id),
                    Const::Function(f) if module.function(*f).name.starts_with("llvm.mem")));
                let how = if keeps_none { Use::Object } else { Use::Escapes };
                for root in arguments.iter().filter_map(slot) {
                    used.entry(root).and_modify(|found| found.at_least(how));
                }
            }
            op => {
                let mut found = Vec::new();
                op.references(|reference| {
                    if let hydrogen_ir::Reference::Operand(operand) = reference {
                        found.extend(slot(operand));
                    }
                });
                let compares = matches!(op, Op::IntCompare { .. });
                for root in found {
                    let how = if compares { Use::Object } else { Use::Escapes };
                    used.entry(root).and_modify(|found| found.at_least(how));
                }
            }
        }
    }
    let (mut plain, mut objects) = (FxHashMap::default(), FxHashMap::default());
    let mut taken: FxHashSet<String> = FxHashSet::default();
    let mut ids: Vec<InstructionId> = used.keys().copied().collect();
    ids.sort_unstable();
    for slot in ids {
        let variable = body.variables.iter().find(|variable| variable.slot == Some(slot));
        let base = variable.map_or_else(|| "slot".to_owned(), |variable| variable.name.clone());
        let mut name = base.clone();
        let mut count = 1;
        while !taken.insert(name.clone()) {
            count += 1;
            name = format!("{base}#{count}");
        }
        let scalar = matches!(
            module.types.get(whole_types[&slot]),
            Type::Int(1..=128) | Type::Pointer(0) | Type::Float(_)
        );
        match used[&slot] {
            Use::Plain if scalar => drop(plain.insert(slot, name)),
            how => drop(objects.insert(slot, (name, how == Use::Escapes))),
        }
    }
    (plain, objects)
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Use {
    Plain,
    Object,
    Escapes,
}

impl Use {
    fn at_least(&mut self, other: Use) {
        *self = (*self).max(other);
    }
}

fn stored_type(module: &Module, function: &Function, body: &Body, value: &Operand) -> Option<TypeId> {
    match value {
        Operand::Instruction(id) => Some(body.instruction(*id).ty),
        Operand::Parameter(n) => function.parameters.get(*n as usize)?.ty,
        Operand::Const(id) => module.constant(*id).ty(),
        Operand::Metadata(_) => None,
    }
}
