//! What single instructions ask of the state, for whoever judges statements: when each is executed, what it gives, what it needs so that nothing
//! goes wrong. In a region without a loop each is executed once at most, and the list is in an order that agrees with every path.

use crate::{segment::Evaluation, state::Value};
use hydrogen_evidence::Class;
use hydrogen_ir::InstructionId;
use hydrogen_library::{Clause, Library};
use hydrogen_term::Term;

/// Something that an instruction asks, or gives.
#[derive(Debug, Clone)]
pub struct Check {
    /// The frame of the instruction.
    pub frame: u32,
    /// The instruction.
    pub id: InstructionId,
    /// When it is executed, and nothing ended the run before.
    pub when: Term,
    /// What.
    pub asks: Asks,
}

/// What an instruction asks, or gives.
#[derive(Debug, Clone)]
pub enum Asks {
    /// It is executed.
    Runs,
    /// It gives a value.
    Gives(Value),
    /// Arithmetic goes wrong where this holds.
    Fails {
        /// How.
        class: Class,
        /// When.
        condition: Term,
    },
    /// So many bytes at an address have to be there.
    Accesses {
        /// The address.
        address: Value,
        /// How many.
        bytes: u64,
        /// Whether they are written.
        writes: bool,
    },
    /// A function is called by its name.
    Calls {
        /// The name.
        name: String,
        /// Whether its body was read.
        defined: bool,
        /// What it is given.
        arguments: Vec<Value>,
        /// What it gives back, where that is kept.
        result: Option<Value>,
    },
    /// A function is called through a pointer.
    CallsPointer,
    /// What depends on where objects lie: their order, or addresses as numbers.
    Places(Vec<Value>),
}

impl Evaluation<'_, '_, '_> {
    /// Notes what the instruction asks, where somebody judges statements.
    pub(crate) fn check(&mut self, asks: impl FnOnce() -> Asks) {
        if self.context.checks {
            let when = self.way.guard(self.context);
            self.segment.checks.push(Check { frame: self.frame, id: self.at, when, asks: asks() });
        }
    }
}

/// Whether a function of the library leaves all memory as it is that can still be read after it: what it frees cannot.
pub(crate) fn keeps_memory(name: &str) -> bool {
    let Some(contract) = Library::standard().contract(name) else { return false };
    contract.clauses.iter().all(|clause| {
        matches!(
            clause,
            Clause::Reads(..)
                | Clause::Text(_)
                | Clause::Looks(..)
                | Clause::Needs(_)
                | Clause::New { .. }
                | Clause::Frees(_)
                | Clause::Size(_)
                | Clause::Stops
                | Clause::Returns(_)
        )
    })
}
