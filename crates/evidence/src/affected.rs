//! What a change affects: statements, functions and outputs that depend on it.

use serde::Serialize;

/// A statement.
#[derive(Debug, Clone, Serialize)]
pub struct Place {
    /// Its file.
    pub file: String,
    /// Its line.
    pub line: u32,
    /// Its function.
    pub function: String,
    /// Its text.
    pub text: String,
}

/// A statement of one of two versions.
#[derive(Debug, Clone, Serialize)]
pub struct SidedPlace {
    /// The statement.
    #[serde(flatten)]
    pub place: Place,
    /// Whether it is one of the old version.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub old: bool,
}

/// A statement, and how likely it is affected.
#[derive(Debug, Clone, Serialize)]
pub struct LikelyPlace {
    /// The statement.
    #[serde(flatten)]
    pub place: Place,
    /// From 0 to 1.
    pub likelihood: f64,
}

/// What a change did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum HunkKind {
    /// Statements that are new or say something else.
    Changed,
    /// Statements of the old version that are gone.
    Deleted,
    /// The head of a function.
    Head,
    /// A function that is gone.
    Gone,
}

/// One change.
#[derive(Debug, Clone, Serialize)]
pub struct Hunk {
    /// What it did.
    pub kind: HunkKind,
    /// Its file.
    pub file: String,
    /// Its line.
    pub line: u32,
    /// Its function.
    pub function: String,
    /// How many statements it is about.
    pub statements: usize,
    /// How many statements it may affect.
    pub affected_statements: usize,
    /// In how many functions these are.
    pub affected_functions: usize,
}

/// A function that may be affected.
#[derive(Debug, Clone, Serialize)]
pub struct Function {
    /// Its file.
    pub file: String,
    /// Its name.
    pub name: String,
    /// How likely, as its likeliest statement.
    pub likelihood: f64,
    /// Whether it is only called more or less often, and does as before then.
    pub only_called: bool,
}

/// How many statements.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Share {
    /// Those that may be affected.
    pub affected: usize,
    /// All.
    pub all: usize,
}

/// The program that was looked at.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Program {
    /// Its functions.
    pub functions: usize,
    /// Whether it was compiled; nothing is said of merges.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compiled: Option<bool>,
}

/// What the changes from one version to another affect.
#[derive(Debug, Clone, Serialize)]
pub struct Side {
    /// The changes.
    pub hunks: Vec<Hunk>,
    /// Functions that may be affected; those that compute something else first, and of these the likeliest.
    pub functions: Vec<Function>,
    /// Statements with an effect outside of the program, the likeliest first.
    pub outputs: Vec<Place>,
    /// How many statements.
    pub statements: Share,
    /// What is not followed.
    pub not_followed: Vec<String>,
    /// The program.
    pub program: Program,
}

/// Two changes that may affect the same.
#[derive(Debug, Clone, Serialize)]
pub struct Interference {
    /// Their numbers.
    pub hunks: [usize; 2],
    /// The first statement that both may affect.
    pub first: Place,
}

/// A statement, and what it depends on now, or no longer.
#[derive(Debug, Clone, Serialize)]
pub struct Dependent {
    /// The statement.
    pub dependent: SidedPlace,
    /// What it depends on.
    pub on: Vec<SidedPlace>,
}

/// Which dependences began and ceased.
#[derive(Debug, Clone, Serialize)]
pub struct Dependences {
    /// How many stayed.
    pub kept: usize,
    /// Those that began, by what depends.
    pub begun: Vec<Dependent>,
    /// Those that ceased, by what depended.
    pub ceased: Vec<Dependent>,
    /// How many more are only counted.
    pub counted_only: usize,
}

/// What a change affects.
#[derive(Debug, Clone, Serialize)]
pub struct Affected {
    /// In numbers and names.
    #[serde(flatten)]
    pub side: Side,
    /// Changes that may affect the same.
    pub interference: Vec<Interference>,
    /// Dependences that began and ceased.
    pub dependences: Dependences,
    /// The statements that are likeliest affected, changed ones left out.
    pub likely: Vec<LikelyPlace>,
    /// The program without what no affected output depends on, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reduced: Option<Reduced>,
}

/// How much of a program is kept and removed.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Kept {
    /// So many stay.
    pub kept: usize,
    /// So many are gone.
    pub removed: usize,
    /// So many could not be cut, where that is counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_cut: Option<usize>,
}

/// The files of a reduced program.
#[derive(Debug, Clone, Serialize)]
pub struct Files {
    /// Those that compile.
    pub compile: Vec<String>,
    /// Those that did not and are written as they were.
    pub restored: Vec<String>,
    /// Those that do not compile without the project's own flags.
    pub not_checked: Vec<String>,
}

/// A program without what no affected output depends on.
#[derive(Debug, Clone, Serialize)]
pub struct Reduced {
    /// Where it is.
    pub folder: String,
    /// What it was reduced to.
    pub criterion: &'static str,
    /// How many statements that are.
    pub criterion_statements: usize,
    /// What became of its statements.
    pub statements: Kept,
    /// What became of its functions.
    pub functions: Kept,
    /// Its files.
    pub files: Files,
}

/// What both sides of a merge affect.
#[derive(Debug, Clone, Serialize)]
pub struct Branches {
    /// What our side affects.
    pub ours: Side,
    /// What the other side affects.
    pub theirs: Side,
    /// Whether they may interfere.
    pub verdict: &'static str,
    /// The statements that both affect.
    pub both: Vec<Place>,
}
