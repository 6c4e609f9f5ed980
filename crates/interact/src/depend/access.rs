//! The places that a statement reads and sets.

use hydrogen_syntax::NameHash;

/// What a statement reads and sets, macros in it included.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Access {
    /// What it reads, or may.
    pub reads: Box<[Location]>,
    /// What it sets, or may.
    pub sets: Box<[Location]>,
}

/// Something that holds a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Location {
    /// A variable of the statement's function.
    Local(NameHash),
    /// A global variable, or whatever else has that name everywhere.
    Global(NameHash),
    /// A member of that name, of any structure.
    Member(NameHash),
    /// Memory behind pointers and in arrays, and whatever has its address taken.
    Memory,
    /// All memory, members included: what sets it may be read by whatever reads some of it.
    Everything,
    /// Any memory, members included: what reads it may see whatever sets some of it.
    Anything,
    /// What files hold, and where reading and writing stand in them.
    Files,
}
