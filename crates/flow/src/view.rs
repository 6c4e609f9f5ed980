//! Flow graphs of functions: compiled blocks, and statement pieces.

use crate::{ControlDependence, Digraph, Dominators, Edge, PostDominators};
use hydrogen_ir::{Body, Const, ConstId, EdgeKind, Function, Module, Op, Type};

/// A function's flow: its graph, where it begins and where it ends.
#[derive(Debug, Clone)]
pub struct Flow {
    /// The nodes are block or piece numbers.
    pub graph: Digraph<EdgeKind>,
    /// The entry.
    pub entry: usize,
    /// Nodes at which control leaves, beside those without successors.
    pub exits: Vec<usize>,
}

impl Flow {
    /// The blocks of a compiled body.
    ///
    /// Cases are labelled with their value as a signed number, as clang's own text form shows it.
    pub fn of_blocks(module: &Module, body: &Body) -> Self {
        let mut edges = Vec::new();
        for (from, block) in body.blocks.iter().enumerate() {
            let last = (block.first.0 + block.count).checked_sub(1).expect("a block has a terminator");
            for (to, label) in outcomes(module, &body.instructions[last as usize].op) {
                edges.push(Edge { from, to, label });
            }
        }
        Self { graph: Digraph::new(body.blocks.len(), edges), entry: 0, exits: Vec::new() }
    }

    /// The statement graph of a defined function.
    pub fn of_pieces(function: &Function) -> Self {
        let edges = function.flow.iter().map(|edge| Edge {
            from: edge.from.index(),
            to: edge.to.index(),
            label: edge.kind.clone(),
        });
        Self {
            graph: Digraph::new(function.pieces.len(), edges),
            entry: Function::ENTRY.index(),
            exits: vec![Function::EXIT.index()],
        }
    }

    /// The dominator tree.
    pub fn dominators(&self) -> Dominators {
        Dominators::new(&self.graph, self.entry)
    }

    /// The post-dominator tree.
    pub fn post_dominators(&self) -> PostDominators {
        PostDominators::new(&self.graph, self.entry, self.exits.iter().copied())
    }

    /// Control dependence with outcomes.
    pub fn control_dependence(&self) -> ControlDependence<EdgeKind> {
        ControlDependence::new(&self.graph, &self.post_dominators())
    }
}

/// Where a terminator leads, and under which outcome.
fn outcomes(module: &Module, op: &Op) -> Vec<(usize, EdgeKind)> {
    match op {
        Op::Branch { then, otherwise, .. } => {
            vec![(then.index(), EdgeKind::True), (otherwise.index(), EdgeKind::False)]
        }
        Op::Switch { default, cases, .. } => cases
            .iter()
            .map(|case| (case.target.index(), EdgeKind::Case(number(module, case.value))))
            .chain([(default.index(), EdgeKind::Default)])
            .collect(),
        Op::IndirectJump { targets, .. } | Op::OpaqueTerminator { targets, .. } => {
            targets.iter().map(|target| (target.index(), EdgeKind::Indirect)).collect()
        }
        Op::AsmBranch { next, targets, .. } => std::iter::once((next.index(), EdgeKind::Next))
            .chain(targets.iter().map(|target| (target.index(), EdgeKind::Indirect)))
            .collect(),
        _ => op.successors().into_iter().map(|target| (target.index(), EdgeKind::Next)).collect(),
    }
}

fn number(module: &Module, id: ConstId) -> String {
    match module.constant(id) {
        Const::Int { ty, bits } => {
            let width = match module.types.get(*ty) {
                Type::Int(width) => (*width).clamp(1, 128),
                _ => 128,
            };
            ((*bits << (128 - width)) as i128 >> (128 - width)).to_string()
        }
        Const::Zero(_) => "0".into(),
        // Only integers can be case values; a malformed module still gets distinct labels.
        _ => format!("#{}", id.0),
    }
}
