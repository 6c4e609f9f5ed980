//! The call graph, with unknown code as a node of its own.

use crate::{Components, Digraph, Edge, PointsTo, Successors, reachable};
use hydrogen_ir::{Callee, Const, ConstId, FunctionId, InstructionId, Module, Op, Operand, Reference};
use rustc_hash::FxHashMap;

/// A caller or callee.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    /// A function of the module, defined or declared.
    Function(FunctionId),
    /// Code of which nothing is known. It calls every function that it can know of.
    Unknown,
}

/// Who calls whom.
#[derive(Debug, Clone)]
pub struct CallGraph {
    /// Node `n` is function `n`; the last node is unknown code. Edges carry the call instruction; those without
    /// one begin in unknown code, in code that the model does not have, or in build-free mode.
    graph: Digraph<Option<InstructionId>>,
    components: Components,
}

impl CallGraph {
    /// The call graph of a compiled module.
    pub fn new(module: &Module, points_to: &PointsTo) -> Self {
        let unknown = module.functions.len();
        let mut edges = Vec::new();
        for (index, function) in module.functions.iter().enumerate() {
            let caller = FunctionId::at(index);
            let Some(body) = &function.body else {
                // What is neither defined nor known may call back.
                if !points_to.is_known(caller) {
                    edges.push(Edge { from: index, to: unknown, label: None });
                }
                continue;
            };
            for (at, instruction) in body.instructions.iter().enumerate() {
                if !matches!(instruction.op, Op::Call { .. }) {
                    continue;
                }
                let call = InstructionId::at(at);
                let callees = points_to.callees(caller, call);
                let functions = callees.functions.iter().map(|callee| callee.index());
                let targets = functions.chain(callees.unknown.then_some(unknown));
                edges.extend(targets.map(|to| Edge { from: index, to, label: Some(call) }));
            }
        }
        for (id, kind) in points_to.objects() {
            if let crate::ObjectKind::Function(function) = kind
                && points_to.is_escaped(id)
            {
                edges.push(Edge { from: unknown, to: function.index(), label: None });
            }
        }
        Self::of_edges(unknown + 1, edges)
    }

    /// The call graph by names alone, for build-free mode: calls through pointers reach unknown code, and unknown
    /// code reaches every function.
    pub fn of_names(module: &Module) -> Self {
        let unknown = module.functions.len();
        // The first definition of a name wins, then a declaration.
        let mut by_name: FxHashMap<&str, usize> = FxHashMap::default();
        for (index, function) in module.functions.iter().enumerate() {
            let slot = by_name.entry(&function.name).or_insert(index);
            if !module.functions[*slot].is_defined() && function.is_defined() {
                *slot = index;
            }
        }
        let mut edges = Vec::new();
        for (index, function) in module.functions.iter().enumerate() {
            for call in &function.calls {
                let to = match &call.callee {
                    Callee::Direct(name) => by_name.get(name.as_str()).copied().unwrap_or(unknown),
                    Callee::Indirect(_) => unknown,
                };
                edges.push(Edge { from: index, to, label: call.instruction });
            }
            edges.push(Edge { from: unknown, to: index, label: None });
        }
        Self::of_edges(unknown + 1, edges)
    }

    fn of_edges(nodes: usize, mut edges: Vec<Edge<Option<InstructionId>>>) -> Self {
        edges.sort();
        edges.dedup();
        let graph = Digraph::new(nodes, edges);
        let components = Components::of(&graph);
        Self { graph, components }
    }

    /// The graph itself; node `n` is function `n`, the last node is unknown code.
    pub fn graph(&self) -> &Digraph<Option<InstructionId>> {
        &self.graph
    }

    /// The number of a node.
    pub fn node(&self, code: Code) -> usize {
        match code {
            Code::Function(id) => id.index(),
            Code::Unknown => self.graph.node_count() - 1,
        }
    }

    /// What a node stands for.
    pub fn code(&self, node: usize) -> Code {
        if node + 1 == self.graph.node_count() { Code::Unknown } else { Code::Function(FunctionId::at(node)) }
    }

    /// Groups of mutually recursive functions, callees before callers.
    pub fn components(&self) -> &Components {
        &self.components
    }

    /// Whether a function can be active twice at once.
    pub fn is_recursive(&self, function: FunctionId) -> bool {
        self.components.is_cyclic(self.components.component_of(function.index()))
    }

    /// Everything that may run once these functions are called, ascending.
    pub fn reachable_from(&self, roots: impl IntoIterator<Item = FunctionId>) -> Vec<Code> {
        let reached = reachable(&self.graph, roots.into_iter().map(FunctionId::index));
        (0..reached.len()).filter(|&node| reached[node]).map(|node| self.code(node)).collect()
    }
}

/// The functions whose address is used other than by a direct call, ascending.
pub fn address_taken(module: &Module) -> Vec<FunctionId> {
    let mut uses: Vec<ConstId> = Vec::new();
    for global in &module.globals {
        uses.extend(global.initializer);
        uses.extend(global.alias_of);
    }
    for body in module.functions.iter().filter_map(|function| function.body.as_ref()) {
        for instruction in &body.instructions {
            let called = match &instruction.op {
                Op::Call { callee: Operand::Const(id), .. } => Some(*id),
                _ => None,
            };
            // The callee is the first reference of a call; every further use takes the address.
            let mut skip = called.is_some();
            instruction.op.references(|reference| {
                if let Reference::Operand(Operand::Const(id)) = reference
                    && !std::mem::take(&mut skip)
                {
                    uses.push(*id);
                }
            });
            if let Some(id) = called.filter(|&id| !matches!(module.constant(id), Const::Function(_))) {
                uses.push(id);
            }
        }
    }
    let mut seen = vec![false; module.constants.len()];
    let mut taken = Vec::new();
    while let Some(id) = uses.pop() {
        if std::mem::replace(&mut seen[id.index()], true) {
            continue;
        }
        module.constant(id).references(|reference| match reference {
            Reference::Const(inner) => uses.push(*inner),
            Reference::Function(function) => taken.push(*function),
            _ => {}
        });
    }
    taken.sort_unstable();
    taken.dedup();
    taken
}
