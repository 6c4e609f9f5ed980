//! What each part of a change does in one run, and which parts interact there.

use crate::mined::Part;

/// A piece of what comes out, with a part and without it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputEffect {
    /// What was looked at: `stdout`, `end`, a file.
    pub of: String,
    /// With the part.
    pub with: String,
    /// Without it.
    pub without: String,
}

/// A statement of which runs differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Differing {
    /// Its file and line in the program with all parts.
    pub place: (String, u32),
    /// Its text.
    pub text: String,
    /// Whether it is a branch that goes the other way.
    pub turned: bool,
}

/// What a part does.
#[derive(Debug, Clone)]
pub struct Effect {
    /// The statement that differs first.
    pub first: Option<Differing>,
    /// How many statements differ.
    pub statements: usize,
    /// What comes out otherwise.
    pub output: Vec<OutputEffect>,
}

/// What two parts do to each other.
#[derive(Debug, Clone)]
pub enum Interaction {
    /// Nothing.
    None,
    /// The effect of one, without the other one, is another, first at this statement or output.
    At {
        /// Whose effect.
        part: usize,
        /// Without whom.
        without: usize,
        /// The statement.
        place: Option<Differing>,
        /// The output.
        output: Option<OutputEffect>,
    },
    /// It is not known.
    Unknown(String),
}

/// What the parts of a change do in one run.
#[derive(Debug, Clone)]
pub struct InRun {
    /// The parts.
    pub parts: Vec<Part>,
    /// What each does, or why that is not known.
    pub effects: Vec<Result<Effect, String>>,
    /// What each two do to each other.
    pub pairs: Vec<([usize; 2], Interaction)>,
    /// Changed files that are not C.
    pub other_files: usize,
    /// Configurations that were not built.
    pub untried: usize,
}

impl InRun {
    /// How many pairs interact.
    pub fn interacting(&self) -> usize {
        self.pairs.iter().filter(|(_, it)| matches!(it, Interaction::At { .. })).count()
    }

    /// Of how many pairs it is not known.
    pub fn open(&self) -> usize {
        self.pairs.iter().filter(|(_, it)| matches!(it, Interaction::Unknown(_))).count()
    }
}
