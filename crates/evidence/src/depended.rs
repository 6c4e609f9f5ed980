//! What depends on what in a program, without a run.

/// A line of the source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The function.
    pub function: String,
    /// What stands there.
    pub text: String,
}

/// The sides of a branch, each with how far it is; `None` where it does not lead there.
pub type Sides = Vec<(Spot, Option<u64>)>;

/// What was asked about dependences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Depended {
    /// What decides whether each statement is executed; nothing where its function is entered.
    Control(Vec<(Spot, Vec<Decides>)>),
    /// How many branches each side of every branch is away from a place; `None` for a side that does not lead there.
    Distance(String, Vec<(Spot, Sides)>),
    /// Which variables a line sets, and the first statements that may read what it set.
    Uses(String, Vec<(String, Vec<Spot>)>),
}

/// A branch that decides.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Decides {
    /// The branch's line.
    pub line: u32,
    /// The outcome it must have: `true`, `false`, `case 3`, `default`.
    pub outcome: String,
}
