//! How complex changes are.

/// The measures of Definition 15.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measure {
    /// E.
    pub edges: usize,
    /// N, start and end included.
    pub nodes: usize,
    /// P, the connected components.
    pub components: usize,
}

impl Measure {
    /// The cyclomatic change complexity E − N + 2P.
    pub fn complexity(&self) -> usize {
        (self.edges + 2 * self.components).saturating_sub(self.nodes)
    }
}

/// A changed function.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChangedFunction {
    /// Its file.
    pub file: Box<str>,
    /// Its first line; of the old version where it is gone.
    pub line: u32,
    /// Its name.
    pub name: Box<str>,
    /// Whether it is gone.
    pub gone: bool,
}

/// One change with many places.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mechanical {
    /// What was done.
    pub kind: MechanicalKind,
    /// What stood there; empty where something was added.
    pub old: Box<str>,
    /// What stands there now; empty where something was taken away.
    pub new: Box<str>,
    /// The function whose calls have another argument.
    pub call: Option<Box<str>>,
    /// In how many statements and heads of functions.
    pub places: usize,
    /// In how many functions these are.
    pub functions: usize,
}

/// Kinds of mechanical changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MechanicalKind {
    /// A name was replaced by a new one, in all places.
    Renamed,
    /// Something was replaced in all places.
    Replaced,
    /// Qualifiers such as `const` were added or taken away.
    Qualified,
    /// Calls of a function got or lost an argument.
    Argument,
}

impl std::fmt::Display for Mechanical {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { old, new, call, places, functions, .. } = self;
        let of = call.as_ref().map(|name| format!(" in calls of {name}")).unwrap_or_default();
        match (&**old, &**new) {
            ("", new) => write!(out, "`{new}` added{of}"),
            (old, "") => write!(out, "`{old}` taken out{of}"),
            (old, new) => write!(out, "`{old}` is `{new}` now"),
        }?;
        let ending = |count: usize| if count == 1 { "" } else { "s" };
        write!(out, ": {places} place{} in {functions} function{}", ending(*places), ending(*functions))
    }
}

/// A correlation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Correlation {
    /// The coefficient, from -1 to 1.
    pub coefficient: f64,
    /// How likely a coefficient at least so far from 0 is without any relation (two-sided, by Student's t).
    pub p: f64,
    /// How many pairs there are.
    pub count: usize,
}

/// How far two measures of the same subjects agree (Bland and Altman).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Agreement {
    /// The mean of the differences.
    pub bias: f64,
    /// 1.96 standard deviations of the differences: 95 of 100 lie so near to the bias.
    pub limit: f64,
}

/// The complexity of some commits, or of a pair of files.
#[derive(Debug)]
pub struct Complexities {
    /// The commits, in the order in which they were given.
    pub rows: Vec<Row>,
    /// How the definition is read.
    pub reading: &'static str,
    /// Of a history, so many of the most complex commits are shown in a table.
    pub top: Option<usize>,
    /// Whether change sequences are told.
    pub sequences: bool,
    /// The correlations of complexity with changed lines, over commits that have a number: Spearman's and Pearson's.
    pub correlations: [Option<Correlation>; 2],
    /// How far the ranks by complexity and by changed lines agree: Bland and Altman's limits, and Cohen's κ.
    pub agreement: Option<(Agreement, Option<f64>)>,
    /// The median of all numbers.
    pub median: f64,
}

/// A commit, or a pair of files, with its answer.
#[derive(Debug)]
pub struct Row {
    /// As it was named.
    pub name: String,
    /// The commit; none for files.
    pub commit: Option<Commit>,
    /// The answer.
    pub answer: Answer,
    /// What else there is to say.
    pub notes: Vec<String>,
}

/// What people see of a commit.
#[derive(Debug, Clone)]
pub struct Commit {
    /// Its hash.
    pub id: String,
    /// The day.
    pub date: String,
    /// Seconds since 1970.
    pub time: i64,
    /// Who wrote it.
    pub author: String,
    /// The first line of its message.
    pub summary: String,
}

/// What is kept of a commit's complexity.
#[derive(Debug)]
pub enum Answer {
    /// It has a number.
    Measured {
        /// What the number is made of.
        measure: Measure,
        /// The plain counts.
        kept: Kept,
        /// Some of its change sequences.
        sequences: Vec<Vec<String>>,
    },
    /// No executable change.
    Nothing(Kept),
    /// Why there is no number.
    Reason(String),
}

/// The plain counts.
#[derive(Debug)]
pub struct Kept {
    /// Changed lines.
    pub lines: usize,
    /// Old lines that are gone.
    pub deleted: usize,
    /// Hunks.
    pub hunks: usize,
    /// Files.
    pub files: usize,
    /// Functions that changed.
    pub functions: Vec<ChangedFunction>,
    /// Macros, types, variables and enumerators that say something else.
    pub items: Vec<Box<str>>,
    /// Changed statements that decide where control goes.
    pub decisions: usize,
    /// Changes of many places by one rule, each counted once.
    pub mechanical: Vec<Mechanical>,
}

impl Row {
    /// The plain counts, where it was measured.
    pub fn kept(&self) -> Option<&Kept> {
        match &self.answer {
            Answer::Measured { kept, .. } | Answer::Nothing(kept) => Some(kept),
            Answer::Reason(_) => None,
        }
    }

    /// The number, where there is one.
    pub fn complexity(&self) -> Option<usize> {
        match &self.answer {
            Answer::Measured { measure, .. } => Some(measure.complexity()),
            _ => None,
        }
    }
}
