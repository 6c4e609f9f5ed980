//! What in the environment makes a program fail.

use serde::Serialize;

/// The answer of a search.
#[derive(Debug, Clone, Serialize)]
pub struct Searched {
    /// The command that fails.
    pub command: String,
    /// How the search ended.
    pub outcome: Outcome,
    /// Why, where nothing was found.
    pub reason: Option<String>,
    /// How the program ended here.
    pub here: String,
    /// How it ended when it was recorded.
    pub recorded: String,
    /// The causes: with all of them as recorded the program passes, without any one of them it fails.
    pub causes: Vec<Cause>,
    /// The recorded call with which the program begins to pass.
    pub boundary: Option<Boundary>,
    /// How many calls are recorded.
    pub calls: usize,
    /// How often the program was run.
    pub runs: usize,
    /// What differs, whether it matters or not.
    pub differences: Vec<Difference>,
    /// What the guilty values do in the program's source, in words, where that was asked for.
    pub source: Vec<String>,
    /// What else is worth knowing.
    pub notes: Vec<String>,
}

/// How a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The causes are known.
    Found,
    /// The program passes here.
    PassesHere,
    /// It passes at one time and fails at another.
    Flaky,
    /// They are not known.
    NotFound,
}

/// A cause.
#[derive(Debug, Clone, Serialize)]
pub struct Cause {
    /// What it is.
    #[serde(flatten)]
    pub difference: Difference,
    /// What of it matters.
    pub details: Vec<Detail>,
}

/// Something that is one thing here and was another one when the run was recorded.
#[derive(Debug, Clone, Serialize)]
pub struct Difference {
    /// One word for what it is: path, variable, limit, address, kernel, …
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// The number of the first recorded call that was answered otherwise; 0 is the start of the program.
    pub call: usize,
    /// The recorded answer.
    pub recorded: String,
    /// The answer here.
    pub here: String,
    /// What the call returned when it was recorded and here, in words; nothing for the start.
    pub results: Option<[String; 2]>,
    /// It differs between any two runs.
    pub volatile: bool,
}

/// What of a cause matters.
#[derive(Debug, Clone, Serialize)]
pub struct Detail {
    /// One word: line, byte, name, folder, field, package.
    pub kind: &'static str,
    /// Which: the number of the line here, the name, the field.
    pub which: String,
    /// Here, if it is here.
    pub here: Option<String>,
    /// As recorded, if it was there.
    pub recorded: Option<String>,
    /// Whether a run passed with nothing else of the file as recorded.
    pub confirmed: bool,
}

/// Where a replay of the recorded calls in their order begins to pass.
#[derive(Debug, Clone, Serialize)]
pub struct Boundary {
    /// The number of the call; 0 is the start of the program.
    pub call: usize,
    /// The call as recorded.
    pub shown: String,
    /// How many replays found it.
    pub replays: usize,
}

/// What differs in two environments.
#[derive(Debug, Clone, Serialize)]
pub struct Compared {
    /// The command.
    pub command: String,
    /// How the program ended here.
    pub here: String,
    /// What differs.
    pub differences: Vec<Difference>,
}
