//! What the hunks of a change do differently, and when.

use serde::Serialize;

/// The deltas of two versions.
#[derive(Debug, Clone, Serialize)]
pub struct Told {
    /// The old version.
    pub old: String,
    /// The new version.
    pub new: String,
    /// The functions that changed, those with deltas first.
    pub functions: Vec<Function>,
    /// Functions that the new version alone has.
    pub added: Vec<Named>,
    /// Functions that the old version alone has.
    pub removed: Vec<Named>,
    /// Variables whose first contents changed, in words.
    pub variables: Vec<String>,
    /// Structures that have other members, in words.
    pub types: Vec<String>,
    /// What lies behind statements that read as before and do something else.
    pub causes: Vec<Cause>,
    /// What could not be read: changed files that do not compile, or that nobody came to, in words.
    pub missing: Vec<String>,
    /// Changed files that are not part of the build: nothing is said about them.
    pub outside: Vec<String>,
}

/// Something that changed and made statements do something else that nobody touched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Cause {
    /// Its name: a macro's.
    pub name: String,
    /// What it is now, and what it was.
    pub words: String,
    /// How many statements it changes.
    pub places: usize,
    /// The functions that they are in.
    pub functions: Vec<String>,
}

/// A function by its name and place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// Its file.
    pub file: String,
    /// The line of its definition.
    pub line: u32,
}

/// A function that changed.
#[derive(Debug, Clone, Serialize)]
pub struct Function {
    /// Its name in the new version.
    pub name: String,
    /// Its file in the new version.
    pub file: String,
    /// The line of its definition in the new version.
    pub line: u32,
    /// What could be said of it.
    pub says: Says,
    /// Its regions, in the order of the source.
    pub regions: Vec<Region>,
    /// Local variables of another size or type, in words.
    pub declared: Vec<String>,
    /// What this rests on, in words.
    pub ledger: Vec<String>,
    /// Of a function without a delta: what it can come to that does something else, or is not known. Where nothing is, the function does the same.
    pub rests_on: Vec<String>,
}

/// What could be said of a function as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Says {
    /// No region has a delta: with callees that do the same, it does the same.
    Same,
    /// Every region has its exact delta.
    Exact,
    /// Some regions are only summed up, or some conditions are not known.
    Partial,
    /// Nothing but a summary.
    Summary,
}

/// How sure a statement is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Certainty {
    /// If and only if the condition holds, both versions differ, and as told.
    Exact,
    /// The versions may differ in this way; the solver could not say.
    Possible,
    /// What came and went, without what it comes to.
    Summary,
}

/// A connected part of a function that changed.
#[derive(Debug, Clone, Serialize)]
pub struct Region {
    /// The lines of it in the old version, first and last; none where that version has nothing there.
    pub old_lines: Option<(u32, u32)>,
    /// The lines of it in the new version.
    pub new_lines: Option<(u32, u32)>,
    /// What differs, case by case.
    pub deltas: Vec<Delta>,
    /// The unchanged branch directly in front of it, in words.
    pub under: Option<String>,
    /// The statement, where it reads as before: a macro, a type or a declaration changed what it does.
    pub unchanged: Option<String>,
    /// The name of the cause, where it is known.
    pub cause: Option<String>,
    /// Lines of further statements of this kind, for which the deltas are the example.
    pub also: Vec<u32>,
}

/// One case in which both versions differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Delta {
    /// When.
    pub when: When,
    /// How sure it is.
    pub certainty: Certainty,
    /// What the new version does otherwise, the most important first: phrases with the new version as their subject.
    pub does: Vec<String>,
}

/// A condition on the state in front of the region, and on what is called inside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum When {
    /// Whenever the place is reached.
    Always,
    /// Where this holds, in C.
    Holds(String),
    /// In cases that have no short name.
    Sometimes,
}

impl Delta {
    /// As one sentence.
    pub fn sentence(&self) -> String {
        let does = self.does.join("; ");
        match &self.when {
            When::Always => format!("always: {does}"),
            When::Holds(condition) => format!("when {condition}: {does}"),
            When::Sometimes => format!("in some cases: {does}"),
        }
    }
}

impl Function {
    /// The regions that are told with the function: those with a cause are told with that, but for its first.
    pub fn own_regions(&self) -> impl Iterator<Item = &Region> {
        self.regions.iter().filter(|region| region.cause.is_none())
    }

    /// All deltas of the function.
    pub fn deltas(&self) -> impl Iterator<Item = &Delta> {
        self.regions.iter().flat_map(|region| &region.deltas)
    }
}
