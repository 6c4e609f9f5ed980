//! Which functions belong together: a repository holds several programs, and what one of them does is not seen by another.

use hydrogen_flow::Digraph;
use hydrogen_flow::reachable;
use hydrogen_ir::{Const, ConstId, FunctionId, GlobalId, Module, Operand, Reference};

/// Functions that run in one process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Group {
    /// By function of the module.
    pub members: Vec<bool>,
    /// Whether code that is not here calls some of them, in any order.
    pub outside: bool,
}

/// What runs before `main`, and after it.
const AROUND_MAIN: [&str; 2] = ["llvm.global_ctors", "llvm.global_dtors"];

/// The programs of a module that was linked of all there is: one for each `main`, with what it mentions directly and indirectly; and
/// behind them what is left, which others must call, with what that mentions.
pub(crate) fn groups(module: &Module) -> Vec<Group> {
    let functions = module.functions.len();
    let graph = mentions(module);
    let reached = |roots: Vec<usize>| -> Vec<bool> {
        let mut all = reachable(&graph, roots);
        all.truncate(functions);
        all
    };
    let around = module.globals.iter().enumerate();
    let around = around.filter(|(_, global)| AROUND_MAIN.contains(&global.name.as_str()));
    let around: Vec<usize> = around.map(|(at, _)| functions + at).collect();
    let mains = module.definitions().filter(|(_, function)| function.name == "main");
    let program = |(id, _): (FunctionId, _)| Group {
        members: reached(around.iter().copied().chain([id.index()]).collect()),
        outside: false,
    };
    let mut groups: Vec<Group> = mains.map(program).collect();
    let left = module.definitions().map(|(id, _)| id.index());
    let left: Vec<usize> = left.filter(|&id| !groups.iter().any(|group| group.members[id])).collect();
    if !left.is_empty() {
        groups.push(Group { members: reached(left), outside: true });
    }
    groups
}

/// Who mentions whom: functions, behind them variables.
fn mentions(module: &Module) -> Digraph {
    let functions = module.functions.len();
    let node_of = |found: Mentioned| match found {
        Mentioned::Function(id) => id.index(),
        Mentioned::Global(id) => functions + id.index(),
    };
    let mut edges = Vec::new();
    for (id, function) in module.definitions() {
        for instruction in function.body.iter().flat_map(|body| &body.instructions) {
            let mut constants = Vec::new();
            instruction.op.references(|reference| match reference {
                Reference::Operand(Operand::Const(it)) | Reference::Const(it) => constants.push(*it),
                _ => {}
            });
            edges.extend(mentioned(module, constants).into_iter().map(|it| (id.index(), node_of(it))));
        }
    }
    for (at, global) in module.globals.iter().enumerate() {
        let constants = global.initializer.into_iter().chain(global.alias_of).collect();
        edges.extend(mentioned(module, constants).into_iter().map(|it| (functions + at, node_of(it))));
    }
    edges.sort_unstable();
    edges.dedup();
    Digraph::unlabelled(functions + module.globals.len(), edges)
}

enum Mentioned {
    Function(FunctionId),
    Global(GlobalId),
}

/// What constants mention, in other constants too.
fn mentioned(module: &Module, mut waiting: Vec<ConstId>) -> Vec<Mentioned> {
    let mut found = Vec::new();
    while let Some(id) = waiting.pop() {
        match module.constant(id) {
            Const::Function(id) => found.push(Mentioned::Function(*id)),
            constant => constant.references(|reference| match reference {
                Reference::Const(id) => waiting.push(*id),
                Reference::Global(id) => found.push(Mentioned::Global(*id)),
                Reference::Function(id) => found.push(Mentioned::Function(*id)),
                _ => {}
            }),
        }
    }
    found
}
