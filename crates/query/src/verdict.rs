//! What is said about a fault, version by version: the evidence model that commands print.

use hydrogen_graph::{NodeId, VersionId};
use serde::Serialize;

/// The kinds of faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// An access outside its object, or an index outside its array.
    Overflow,
    /// An access through a null pointer.
    Null,
    /// An access to an object that was freed.
    UseAfterFree,
    /// An object freed twice.
    DoubleFree,
    /// An object that nothing points to any more and that was not freed.
    Leak,
    /// A signed result that its type cannot hold.
    SignedOverflow,
    /// An unsigned wrap in a size that reaches an allocation, a copy or an index.
    SizeOverflow,
    /// A negative number, or one that lost bits, taken as a size.
    Sign,
    /// Division by zero.
    Division,
    /// A shift by too much, or of a negative number.
    Shift,
    /// A variable read before it is written.
    Uninitialised,
    /// An ordering rule of the user.
    Rule,
    /// What a fix removed, whatever it is: found by comparing with the fix alone.
    Change,
}

impl Kind {
    /// All kinds that statements are searched for.
    pub const FAULTS: [Kind; 11] = [
        Kind::Overflow,
        Kind::Null,
        Kind::UseAfterFree,
        Kind::DoubleFree,
        Kind::Leak,
        Kind::SignedOverflow,
        Kind::SizeOverflow,
        Kind::Sign,
        Kind::Division,
        Kind::Shift,
        Kind::Uninitialised,
    ];

    /// The name on the command line and in reports.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Overflow => "overflow",
            Kind::Null => "null",
            Kind::UseAfterFree => "use-after-free",
            Kind::DoubleFree => "double-free",
            Kind::Leak => "leak",
            Kind::SignedOverflow => "signed-overflow",
            Kind::SizeOverflow => "size-overflow",
            Kind::Sign => "sign",
            Kind::Division => "division",
            Kind::Shift => "shift",
            Kind::Uninitialised => "uninitialised",
            Kind::Rule => "rule",
            Kind::Change => "change",
        }
    }

    /// The kind of this name.
    pub fn of_word(word: &str) -> Option<Kind> {
        Kind::FAULTS.into_iter().find(|kind| kind.word() == word)
    }
}

/// The answer for one version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Some input leads to the fault.
    Present,
    /// Every path was refuted.
    Absent,
    /// Every path was refuted, and an earlier version among those asked about has the fault.
    Fixed,
    /// The statement, or what the question needs, is not in the version.
    NotApplicable,
    /// Neither could be shown; the ledger says why.
    Unknown,
}

impl Verdict {
    /// One word, as in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Present => "present",
            Verdict::Absent => "absent",
            Verdict::Fixed => "fixed",
            Verdict::NotApplicable => "not_applicable",
            Verdict::Unknown => "unknown",
        }
    }
}

/// What a verdict is measured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// The safety condition itself.
    Fault,
    /// The states that a fix took away from the statement.
    Patch,
}

/// A place on a path, or of a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Spot {
    /// The function.
    pub function: String,
    /// The file.
    pub file: String,
    /// The line; 0 where unknown.
    pub line: u32,
    /// The statement, as a reader knows it.
    pub text: String,
    /// What is worth knowing there: `len = 17`, `taken`.
    pub notes: Vec<String>,
}

/// How a fault is reached, or why it cannot be.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Evidence {
    /// From a function's entry (or the cut of a patch) to the fault.
    pub path: Vec<Spot>,
    /// The condition that remains on the inputs, in C-like words.
    pub constraint: String,
    /// Values that fulfil it, by name.
    pub model: Vec<(String, String)>,
}

/// One version's answer on one basis.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Ruling {
    /// The version's place in the graph.
    #[serde(skip)]
    pub id: VersionId,
    /// Its name.
    pub version: String,
    /// The answer.
    pub verdict: Verdict,
    /// What it is measured by.
    pub basis: Basis,
    /// What shows it.
    pub evidence: Evidence,
    /// Everything assumed, bounded, skipped or not understood; sorted.
    pub ledger: Vec<String>,
}

/// How a finding stands between two versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Only the newer version has it.
    New,
    /// Only the older version has it.
    Fixed,
    /// Both have it.
    Unchanged,
    /// One of the two could not be decided.
    Open,
}

/// A possible fault and its answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The kind.
    pub kind: Kind,
    /// What can go wrong, in words: `a[i] is outside a (16 bytes)`.
    pub message: String,
    /// The statement.
    pub location: Spot,
    /// The version that the location's line is of.
    pub at_version: String,
    /// The node of the graph.
    #[serde(skip)]
    pub node: NodeId,
    /// For a comparison of two versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// The versions in the order of the question; a version that both bases judge has two, `fault` first.
    pub verdicts: Vec<Ruling>,
}

impl Finding {
    /// The versions that have the fault while none of those just before in the list has it (F64).
    pub fn introduced_in(&self) -> Vec<&str> {
        self.turns(|before, now| before != Some(Verdict::Present) && now == Verdict::Present)
    }

    /// The versions that do not have the fault any more.
    pub fn fixed_in(&self) -> Vec<&str> {
        self.turns(|before, now| {
            before == Some(Verdict::Present) && matches!(now, Verdict::Fixed | Verdict::Absent)
        })
    }

    fn turns(&self, turn: impl Fn(Option<Verdict>, Verdict) -> bool) -> Vec<&str> {
        let mut before = None;
        let mut found = Vec::new();
        for (version, verdict) in self.settled() {
            if turn(before, verdict) {
                found.push(version);
            }
            before = Some(verdict);
        }
        found
    }

    /// One verdict per version: the safety condition's where it decides, else the patch's.
    pub fn settled(&self) -> Vec<(&str, Verdict)> {
        let mut out: Vec<(&str, Verdict)> = Vec::new();
        for ruling in &self.verdicts {
            match out.last_mut() {
                Some((version, verdict)) if *version == ruling.version => {
                    if *verdict == Verdict::Unknown {
                        *verdict = ruling.verdict;
                    }
                }
                _ => out.push((&ruling.version, ruling.verdict)),
            }
        }
        // One measure may find the fault in a version, and the other its absence in a later one.
        let mut seen = false;
        for (_, verdict) in &mut out {
            seen |= *verdict == Verdict::Present;
            if seen && *verdict == Verdict::Absent {
                *verdict = Verdict::Fixed;
            }
        }
        out
    }
}

/// What an analysis did (F67).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counters {
    /// Conditions raised at statements that can fail.
    pub raised: usize,
    /// Nodes of the graph that queries went through, each counted once per condition raised.
    pub nodes: usize,
    /// Functions that queries went through.
    pub functions: usize,
    /// Questions put to the solver's caches and simplifier, and to the solver itself.
    pub questions: u64,
    /// Questions that reached the solver itself.
    pub solver_calls: u64,
    /// Answers `present`.
    pub findings: usize,
    /// Rulings taken from earlier runs, for which nothing was visited (F55).
    pub kept: usize,
    /// Milliseconds.
    pub milliseconds: u64,
}

/// The answer to a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// `check`, `verify`, `impact`, `patch`.
    pub command: String,
    /// The versions asked about, in order.
    pub versions: Vec<String>,
    /// What was found out.
    pub findings: Vec<Finding>,
    /// The work it took.
    pub counters: Counters,
    /// Whether a budget ended the run before everything was decided (F68).
    pub partial: bool,
    /// What else the reader should know: versions that could not be read.
    pub notes: Vec<String>,
    /// Whether no statement was named: the findings are those that the fix is about, the best candidates first.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub candidates: bool,
    /// For `patch`: what applies where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patch: Option<PatchTable>,
}

/// The hunks of a patch and the releases with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PatchTable {
    /// The hunks, in the order of functions and statements.
    pub hunks: Vec<HunkRow>,
    /// Every release and the name that it has with the patch in it.
    pub releases: Vec<PatchedName>,
}

/// A release with the patch in it, written {p→r} in the spec.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PatchedName {
    /// The release.
    pub release: String,
    /// The release with the patch.
    pub patched: String,
}

/// A hunk and the releases that it applies to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HunkRow {
    /// The function; empty for what is outside functions.
    pub function: String,
    /// The file.
    pub file: String,
    /// Its first line before the patch; of a new function, after it.
    pub line: u32,
    /// The statements that it removes.
    pub removes: Vec<String>,
    /// The statements that it adds.
    pub adds: Vec<String>,
    /// One per release.
    pub applies: Vec<crate::patch::Applies>,
    /// One per release.
    pub alone: Vec<crate::patch::Alone>,
}

impl Answer {
    /// Whether a version is a release with the patch in it.
    pub fn is_patched(&self, version: &str) -> bool {
        self.patch.as_ref().is_some_and(|table| table.releases.iter().any(|one| one.patched == version))
    }
}
