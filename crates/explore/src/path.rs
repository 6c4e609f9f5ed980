//! Path conditions.

use hydrogen_machine::Site;
use hydrogen_term::Term;

/// Why a run's condition has a conjunct.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A branch was decided; the other side may be explored.
    Branch,
    /// `hydrogen_assume`: never turned around.
    Assumed,
    /// An operation did not fault; the other side is undefined behaviour and not explored.
    NoFault,
    /// A symbolic value was replaced by the concrete one; never turned around, so that the condition stays exact.
    Concrete,
    /// The run ends with a fault because this holds: what `NoFault` says, turned around. The other side goes on.
    Fault,
}

/// A condition that the input of a run fulfils.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conjunct {
    /// What holds.
    pub term: Term,
    /// Why it is there.
    pub kind: Kind,
    /// The instruction.
    pub site: Site,
    /// How many instructions were executed before: the instance.
    pub instance: u64,
    /// Where a branch went.
    pub taken: Option<hydrogen_machine::code::Pc>,
}
