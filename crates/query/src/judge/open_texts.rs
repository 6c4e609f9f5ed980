//! Whether a program can leave strings without an end at all: where nothing of it does, nobody needs to ask.

use crate::judge::ends::counted;
use crate::walk::Analyst;
use hydrogen_graph::VersionId;
use hydrogen_ir::{Const, Op, Operand};
use hydrogen_library::{Clause, Contract};

impl Analyst<'_> {
    /// Whether a version calls a function that may leave characters without an end behind them, or gets characters with their length.
    pub(crate) fn leaves_texts_open(&mut self, version: VersionId) -> bool {
        if let Some(known) = self.store.open_texts.get(&version) {
            return *known;
        }
        let library = &self.subject.library;
        let leaves = |name: &str| library.contract(name).is_some_and(leaves_open);
        let found = self.modules(version).iter().any(|module| {
            let own = module.functions.iter().filter(|function| function.is_defined());
            if own.into_iter().any(|function| counted(module, function).next().is_some()) {
                return true;
            }
            let bodies = module.functions.iter().filter_map(|function| function.body.as_ref());
            bodies.flat_map(|body| &body.instructions).any(|instruction| match &instruction.op {
                Op::Call { callee: Operand::Const(id), .. } => match module.constant(*id) {
                    Const::Function(function) => leaves(&module.function(*function).name),
                    _ => false,
                },
                _ => false,
            })
        });
        self.store.open_texts.insert(version, found);
        found
    }
}

/// Whether a function writes bytes and does not always end them.
pub(crate) fn leaves_open(contract: &Contract) -> bool {
    let writes =
        contract.clauses.iter().any(|clause| matches!(clause, Clause::Writes(..) | Clause::Copies(..)));
    let ends =
        contract.clauses.iter().any(|clause| matches!(clause, Clause::Length(_, _, None) | Clause::Ends(..)));
    writes && !ends
}
