//! What each version changed, and how large the graph of all of them is.

use serde::Serialize;

/// What a version changed, in the terms of the thesis' table 4.1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct StepStats {
    /// M: functions whose statements, flow or meaning changed.
    pub modified: usize,
    /// D: functions deleted.
    pub deleted: usize,
    /// A_I: functions added that call a function of the program.
    pub added_calling: usize,
    /// A_M: functions added that call none.
    pub added_leaf: usize,
    /// Functions renamed or moved to another file.
    pub renamed: usize,
    /// Functions that one of the versions has and the other may have: their file could not be read there.
    pub unread: usize,
    /// Statements of the old version, without synthetic nodes.
    pub statements: usize,
    /// Statements that only the new version has.
    pub statements_added: usize,
    /// Statements that only the old version has.
    pub statements_removed: usize,
    /// Statements that kept their text and mean something else.
    pub statements_meaning: usize,
    /// S: the share of the old version's statements that is used again (the thesis counts lines).
    pub reused: f64,
}

/// The size of a graph (spec 2.4).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Sizes {
    /// How many versions there are.
    pub versions: usize,
    /// Functions, deleted and added again counted twice.
    pub functions: usize,
    /// |∪N|.
    pub nodes: usize,
    /// |∪E|.
    pub edges: usize,
    /// Σ|N_i|.
    pub sum_nodes: usize,
    /// Σ|E_i|.
    pub sum_edges: usize,
    /// max |N_i|.
    pub largest_nodes: usize,
    /// max |E_i|.
    pub largest_edges: usize,
    /// Edges whose version set is stored.
    pub explicit_edges: usize,
    /// Intervals of all different stored version sets.
    pub stored_intervals: usize,
    /// |M| by formula 2.4: |∪N| + Σ|E_i| + 2|∪E|.
    pub thesis_size: usize,
    /// The sequence of graphs: Σ|N_i| + Σ|E_i|.
    pub sequence_size: usize,
    /// Our labels: |∪N| intervals and elements, |∪E|, and two numbers per interval of each explicit edge.
    pub size: usize,
    /// The reduction rule 2.5: Σ|N_i| − |∪N| − 2|∪E| > 0.
    pub reduced_by_rule: bool,
}

/// A version against its first parent.
#[derive(Debug, Clone)]
pub struct Step {
    /// The version.
    pub version: String,
    /// Its commit.
    pub commit: Option<String>,
    /// The day of it.
    pub date: Option<String>,
    /// What it changed.
    pub stats: StepStats,
}

/// The steps of a history.
#[derive(Debug, Clone)]
pub struct Steps {
    /// Every version whose first parent is known.
    pub steps: Vec<Step>,
    /// The sizes of the graph of the versions given alone.
    pub sizes: Sizes,
    /// How long it took.
    pub seconds: f64,
    /// The largest memory that it took.
    pub peak_bytes: u64,
}
