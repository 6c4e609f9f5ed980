//! What the statements of a program are compiled to: changes of macros, types and variables show here, where the text is the same.

use hydrogen_graph::{ChainId, NodeId};
use hydrogen_ir::{
    Const, ConstId, ContentHash, Global, GlobalId, Module, Op, Operand, Reference, piece_hashes, summarize,
};
use hydrogen_machine::{FuncKind, Program, Site};
use hydrogen_pair::{Nodes, Statement};
use std::collections::{BTreeMap, BTreeSet};

/// The meaning of a program's statements.
#[derive(Debug, Default)]
pub(crate) struct Meaning {
    /// By statement, the hash of its instructions.
    pub(crate) pieces: BTreeMap<NodeId, ContentHash>,
    /// By function, the hash of its code.
    pub(crate) code: BTreeMap<ChainId, ContentHash>,
    /// Statements that mention a variable that changed.
    pub(crate) mention: BTreeSet<NodeId>,
}

impl Meaning {
    /// The meaning of the statements of a program, by its number; `changed` says which of its variables differ from those of the other one.
    pub(crate) fn of(nodes: &mut Nodes<'_>, at: usize, program: &Program, changed: &[bool]) -> Self {
        let mut found = Self::default();
        let Some(module) = program.units().next() else { return found };
        let codes = module.definitions().map(|(id, _)| id).zip(summarize(module).functions);
        let codes: BTreeMap<_, _> = codes.filter_map(|(id, summary)| Some((id, summary.code?))).collect();
        let uses = Uses { module, changed };
        for id in program.ids().filter(|id| program.is_users(*id)) {
            let FuncKind::Defined(0, number) = program.function(id).kind else { continue };
            let function = module.function(number);
            let (Some(code), Some(body)) = (program.code(id), &function.body) else { continue };
            let hashes = piece_hashes(module, function).unwrap_or_default();
            for (pc, origin) in (0u32..).zip(&code.origin) {
                let Some(node) = nodes.at(at, Site { function: id, pc }) else { continue };
                let Statement::Graph(node) = *nodes.statement(node) else { continue };
                let instruction = body.instruction(*origin);
                if let Some(hash) = hashes.get(instruction.piece.index()) {
                    found.pieces.insert(node, *hash);
                }
                if uses.mentions(&instruction.op) {
                    found.mention.insert(node);
                }
                if let Some(hash) = codes.get(&number) {
                    found.code.insert(nodes.graph().chain(node), *hash);
                }
            }
        }
        found
    }
}

/// The variables of two programs whose type, value or kind differ, those of one alone and those that point to such a one included.
pub(crate) fn changed_variables(programs: [&Program; 2]) -> [Vec<bool>; 2] {
    let modules = programs.map(|program| program.units().next());
    let named = modules.map(|module| module.map(by_name).unwrap_or_default());
    let one = |at: usize| {
        let Some(module) = modules[at] else { return Vec::new() };
        let mut changed = vec![false; module.globals.len()];
        for (name, list) in &named[at] {
            let hashes = |list: &[(GlobalId, ContentHash)]| list.iter().map(|one| one.1).collect::<Vec<_>>();
            let other = named[1 - at].get(name).map(|list| hashes(list));
            if other.as_ref() != Some(&hashes(list)) {
                list.iter().for_each(|(id, _)| changed[id.index()] = true);
            }
        }
        // A table that points to a changed one leads to it without naming it.
        loop {
            let uses = Uses { module, changed: &changed };
            let leads = |global: &Global| global.initializer.is_some_and(|value| uses.leads(value));
            let more: Vec<usize> =
                (0..changed.len()).filter(|at| !changed[*at] && leads(&module.globals[*at])).collect();
            if more.is_empty() {
                return changed;
            }
            more.into_iter().for_each(|at| changed[at] = true);
        }
    };
    [one(0), one(1)]
}

/// The variables of a module that have a name of their own, with what they are.
fn by_name(module: &Module) -> BTreeMap<String, Vec<(GlobalId, ContentHash)>> {
    let is_definition =
        |global: &Global| !global.private && (global.initializer.is_some() || global.alias_of.is_some());
    let ids = (0..module.globals.len()).filter(|at| is_definition(&module.globals[*at])).map(GlobalId::at);
    let mut found: BTreeMap<String, Vec<(GlobalId, ContentHash)>> = BTreeMap::new();
    for (id, summary) in ids.zip(summarize(module).globals) {
        found.entry(summary.name).or_default().push((id, summary.hash));
    }
    found
}

/// Which constants lead to a changed variable.
struct Uses<'m> {
    module: &'m Module,
    changed: &'m [bool],
}

impl Uses<'_> {
    fn mentions(&self, op: &Op) -> bool {
        let mut found = false;
        op.references(|reference| {
            if let Reference::Operand(Operand::Const(id)) = reference {
                found |= self.leads(*id);
            }
        });
        found
    }

    fn leads(&self, from: ConstId) -> bool {
        let mut seen = BTreeSet::new();
        let mut open = vec![from];
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            match self.module.constant(id) {
                Const::Global(id) if self.changed.get(id.index()).copied().unwrap_or(false) => return true,
                Const::Global(id) => {
                    let global = self.module.global(*id);
                    if global.private {
                        open.extend(global.initializer.iter().chain(&global.alias_of));
                    }
                }
                constant => constant.references(|reference| {
                    if let Reference::Const(id) = reference {
                        open.push(*id);
                    }
                }),
            }
        }
        false
    }
}
