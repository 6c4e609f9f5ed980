//! What the statements of a program are compiled to: changes of macros, types and variables show here, where the text is the same.

use hydrogen_align::Uses;
use hydrogen_graph::{ChainId, NodeId};
use hydrogen_ir::{ContentHash, piece_hashes, summarize};
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
