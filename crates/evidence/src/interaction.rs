//! Whether changes interact, and where.

/// The change sequence graph of chapter 4: changes, the locations where they may interact, outputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InteractionGraph {
    /// Its nodes, by file, function and piece.
    pub nodes: Vec<InteractionNode>,
    /// Control may pass from one node to the other without a third between. The ends are positions in `nodes`, or nothing
    /// for the entry (as a source) and the exit (as a target).
    pub flow: Vec<FlowStep>,
    /// Change and location: the location depends on the change.
    pub dependence: Vec<(usize, usize)>,
    /// What the graph says about the changes.
    pub verdict: Verdict,
}

/// From one node to the next.
pub type FlowStep = (Option<usize>, Option<usize>);

/// A node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InteractionNode {
    /// What it is.
    pub kind: NodeKind,
    /// Its file.
    pub file: Box<str>,
    /// Its function.
    pub function: Box<str>,
    /// Its line.
    pub line: u32,
    /// Its text.
    pub text: String,
    /// The changes that it depends on, as positions in the list of nodes.
    pub depends_on: Vec<usize>,
}

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NodeKind {
    /// A changed statement.
    Change,
    /// A statement that depends on several changes.
    Location,
    /// A statement with an effect outside of the program, or an assertion.
    Output,
}

/// Whether changes interact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// No statement depends on more than one change: they can be tested one by one. It holds as far as dependence is followed.
    Cannot,
    /// Some statement does.
    May,
    /// Something changed whose effect is not followed.
    Unknown(Vec<String>),
}
