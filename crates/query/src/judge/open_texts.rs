//! Whether a program can leave strings without an end at all: where nothing of it does, nobody needs to ask.

use crate::judge::ends::counted;
use crate::judge::own_texts::total;
use crate::walk::Analyst;
use hydrogen_graph::VersionId;
use hydrogen_ir::{Body, Const, Module, Op, Operand, Type, TypeId};
use hydrogen_library::{Clause, Contract};

impl Analyst<'_> {
    /// Whether a version calls a function that may leave characters without an end behind them, gets characters with their length, has variables
    /// that need not end, or stores single characters.
    pub(crate) fn leaves_texts_open(&mut self, version: VersionId) -> bool {
        if let Some(known) = self.store.open_texts.get(&version) {
            return *known;
        }
        let in_variables = self.own_texts(version).values().any(Option::is_some);
        let library = &self.subject.library;
        let leaves = |module: &Module, name: &str, arguments: &[Operand]| {
            let contract = library.contract(name);
            contract.is_some_and(|contract| leaves_open(contract) || fills(module, contract, arguments))
        };
        let found = in_variables
            || self.modules(version).iter().any(|module| {
                let own = module.functions.iter().filter(|function| function.is_defined());
                if own.into_iter().any(|function| counted(module, function).next().is_some()) {
                    return true;
                }
                let bodies = module.functions.iter().filter_map(|function| function.body.as_ref());
                let mut all = bodies.flat_map(|body| body.instructions.iter().map(move |one| (body, one)));
                all.any(|(body, instruction)| match &instruction.op {
                    Op::Call { callee: Operand::Const(id), arguments, .. } => match module.constant(*id) {
                        Const::Function(function) => {
                            leaves(module, &module.function(*function).name, arguments)
                        }
                        _ => false,
                    },
                    // One character can take the place of an end, or be the last one of many without one behind them.
                    Op::Store { value, pointer, .. } => is_character(module, body, value, pointer),
                    _ => false,
                })
            });
        self.store.open_texts.insert(version, found);
        found
    }
}

/// Whether a call fills memory with something else than ends.
fn fills(module: &Module, contract: &Contract, arguments: &[Operand]) -> bool {
    contract.clauses.iter().any(|clause| match clause {
        Clause::Fills(_, _, byte) => total(module, byte, arguments) != Some(0),
        _ => false,
    })
}

/// Whether a store puts a character, and not an end, into something else than a variable of one byte.
fn is_character(module: &Module, body: &Body, value: &Operand, pointer: &Operand) -> bool {
    let is_byte = |ty: TypeId| matches!(module.types.get(ty), Type::Int(8));
    let character = match value {
        Operand::Instruction(id) => is_byte(body.instruction(*id).ty),
        Operand::Const(id) => match module.constant(*id) {
            Const::Int { ty, bits } => is_byte(*ty) && *bits != 0,
            _ => false,
        },
        _ => false,
    };
    let of_a_variable = matches!(pointer, Operand::Instruction(id)
        if matches!(body.instruction(*id).op, Op::Alloca { ty, .. } if is_byte(ty)));
    character && !of_a_variable
}

/// Whether a function writes bytes and does not always end them.
pub(crate) fn leaves_open(contract: &Contract) -> bool {
    let writes =
        contract.clauses.iter().any(|clause| matches!(clause, Clause::Writes(..) | Clause::Copies(..)));
    let ends =
        contract.clauses.iter().any(|clause| matches!(clause, Clause::Length(_, _, None) | Clause::Ends(..)));
    writes && !ends
}
