//! What a history says about its regressions: who introduced one, what a change is for a test, and studies over many. The names of
//! members are those of the JSON that is made of them.

use serde::Serialize;
use std::collections::BTreeMap;

/// What a test said about a commit.
#[derive(Debug, Clone, Serialize)]
pub struct Asked {
    /// The commit.
    pub commit: String,
    /// In words: `passes`, `fails`, `is skipped: …`.
    pub said: String,
}

/// Which commit introduced an error.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "result")]
pub enum Introduced {
    /// This one.
    #[serde(rename = "introduced by")]
    By {
        /// Its name.
        commit: String,
        /// When it was written.
        date: String,
        /// By whom.
        author: String,
        /// The first line of its message.
        summary: String,
    },
    /// One of these.
    #[serde(rename = "one of")]
    OneOf {
        /// Their names.
        commits: Vec<String>,
        /// Why it is not known which.
        reason: String,
    },
    /// It cannot be told.
    #[serde(rename = "unknown")]
    Unknown {
        /// Where it ended.
        #[serde(skip_serializing_if = "Option::is_none")]
        commit: Option<String>,
        /// Why.
        reason: String,
    },
}

/// The search for the commit that introduced an error.
#[derive(Debug, Clone, Serialize)]
pub struct Introduction {
    /// What was found.
    #[serde(flatten)]
    pub found: Introduced,
    /// What the test said on the way.
    pub asked: Vec<Asked>,
    /// The error's life, where its fix is known.
    #[serde(flatten)]
    pub life: Option<Life>,
}

/// From the introducing commit to the fix.
#[derive(Debug, Clone, Serialize)]
pub struct Life {
    /// Whether the test says what it should around both.
    pub validation: Validation,
    /// Days between them.
    pub life_span_days: i64,
    /// Whether one touches what the other wrote.
    pub overlap: Overlap,
}

/// The test at the four points of a life.
#[derive(Debug, Clone, Serialize)]
pub struct Validation {
    /// Each of them.
    pub points: Vec<Point>,
    /// Whether all are as expected.
    pub valid: bool,
}

/// A point at which the test is known to pass or to fail.
#[derive(Debug, Clone, Serialize)]
pub struct Point {
    /// Which it is.
    pub point: &'static str,
    /// Its commit, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// What the test says there.
    pub said: String,
    /// Whether it should.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub as_expected: Option<bool>,
}

/// How much of what a fix replaces was written by the introducing commit.
#[derive(Debug, Clone, Serialize)]
pub struct Overlap {
    /// Statements that the fix replaced.
    pub statements_replaced_by_fix: usize,
    /// How many of them the introducing commit wrote.
    pub of_these_written_by_introducing: usize,
    /// Whether following the fix's lines back leads there.
    pub blame_would_find_it: bool,
}

/// What a change is for tests.
#[derive(Debug, Clone, Serialize)]
pub struct Classification {
    /// The version before.
    pub old: String,
    /// The version after.
    pub new: String,
    /// The version that is right.
    pub oracle: Option<String>,
    /// The parts of the change.
    pub changes: Vec<Part>,
    /// Changed files that are not C.
    pub other_files: usize,
    /// Each test.
    pub tests: Vec<Test>,
}

/// A part of a change.
#[derive(Debug, Clone, Serialize)]
pub struct Part {
    /// Its number.
    pub change: usize,
    /// What was done.
    pub kind: &'static str,
    /// Its file.
    pub file: String,
    /// Its line.
    pub line: usize,
    /// Its first line's text.
    pub text: String,
}

/// What a change is for a test.
#[derive(Debug, Clone, Serialize)]
pub struct Test {
    /// The command.
    pub test: String,
    /// What it does in the old version.
    pub old: String,
    /// In the new one.
    pub new: String,
    /// In the one that is right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oracle: Option<String>,
    /// What the change is.
    pub class: &'static str,
    /// Why it is none of the classes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether the versions differ and the new one is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub differential_error: Option<bool>,
    /// Which parts of the change are needed for a regression.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interaction: Option<Needed>,
}

/// Which parts of a change a test needs to fail.
#[derive(Debug, Clone, Serialize)]
pub struct Needed {
    /// `CIE`, `non-CIE` or `unclassified`.
    pub label: &'static str,
    /// Why it is unclassified.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The smallest set that was found.
    #[serde(flatten)]
    pub critical: Option<Critical>,
    /// How many configurations were tried.
    pub configurations: usize,
    /// How often each answer was given.
    pub answers: BTreeMap<String, usize>,
    /// Each configuration.
    pub asked: Vec<Tried>,
}

/// Parts that fail together.
#[derive(Debug, Clone, Serialize)]
pub struct Critical {
    /// Their numbers.
    pub critical: Vec<usize>,
    /// Those without which the others pass.
    pub skippable: Vec<usize>,
    /// Whether it is known that none can be left out.
    pub smallest: bool,
}

/// A configuration and what the test said about it.
#[derive(Debug, Clone, Serialize)]
pub struct Tried {
    /// The parts that are in it.
    pub changes: Vec<usize>,
    /// What the test said.
    pub said: String,
}

/// Errors with known commits.
#[derive(Debug, Clone, Serialize)]
pub struct Study {
    /// Each error.
    pub errors: Vec<StudiedError>,
    /// How many commits introduced one.
    pub introducing_commits: usize,
    /// How many fixes introduced another one.
    pub incorrect_fixes: usize,
    /// Fixes of fixes.
    pub chains: Vec<Vec<String>>,
    /// Errors that were left out.
    pub excluded: Vec<String>,
    /// Days from introduction to fix.
    pub life_span: LifeSpans,
    /// The complexity of fixes.
    pub fixing_cycc: Spread,
    /// How much more complex introducing commits are.
    pub introducing_minus_fixing_cycc: Option<Means>,
    /// Whether complex fixes come late.
    pub life_span_and_complexity: Option<Ranks>,
    /// Whether complex commits need complex fixes.
    pub introducing_and_fixing_complexity: Option<Ranks>,
    /// Fixes that replace nothing that the introducing commit wrote.
    pub without_overlap: Without,
}

/// An error of a study.
#[derive(Debug, Clone, Serialize)]
pub struct StudiedError {
    /// The introducing commit.
    pub introduced: String,
    /// The fixing commit.
    pub fixed: String,
    /// The report.
    pub report: String,
    /// Days between them.
    pub life_span_days: i64,
    /// The complexity of the introducing commit.
    pub introducing_cycc: Option<usize>,
    /// The complexity of the fix.
    pub fixing_cycc: Option<usize>,
    /// Whether the fix replaces what the introducing commit wrote.
    pub overlaps: Option<bool>,
}

/// How numbers are spread.
#[derive(Debug, Clone, Serialize)]
pub struct Spread {
    /// Their mean.
    pub mean: f64,
    /// Their median.
    pub median: f64,
    /// The share of values up to each.
    pub cumulative: Vec<(f64, f64)>,
}

/// How life spans are spread.
#[derive(Debug, Clone, Serialize)]
pub struct LifeSpans {
    /// As other numbers.
    #[serde(flatten)]
    pub spread: Spread,
    /// The exponent of a power law.
    pub power_law: Option<f64>,
}

/// Two means compared.
#[derive(Debug, Clone, Serialize)]
pub struct Means {
    /// Their difference.
    pub difference: f64,
    /// How likely it is by chance.
    pub p: f64,
}

/// A correlation of ranks.
#[derive(Debug, Clone, Serialize)]
pub struct Ranks {
    /// The coefficient.
    pub rho: f64,
    /// How likely it is by chance.
    pub p: f64,
    /// Over how many errors.
    pub errors: usize,
}

/// So many of so many.
#[derive(Debug, Clone, Serialize)]
pub struct Without {
    /// So many errors.
    pub errors: usize,
    /// Of so many.
    pub of: usize,
}

/// Commits that seem to repair a regression.
#[derive(Debug, Clone, Serialize)]
pub struct Candidates {
    /// How many commits were looked at.
    pub looked_at: usize,
    /// Those that seem to.
    pub candidates: Vec<Candidate>,
}

/// A commit that seems to repair a regression.
#[derive(Debug, Clone, Serialize)]
pub struct Candidate {
    /// Its name.
    pub commit: String,
    /// When it was written.
    pub date: String,
    /// The first line of its message.
    pub summary: String,
    /// The words in its message that say so.
    pub message: Vec<&'static str>,
    /// The words in the release notes that it wrote.
    pub news: Vec<&'static str>,
    /// The reports that are named.
    pub bugs: Vec<String>,
    /// Who is said to have introduced the error.
    pub introduced_by: Option<String>,
    /// How many C files it changes.
    pub c_files: usize,
    /// What speaks against it.
    pub doubts: Vec<String>,
}

/// A line of a history's statistics.
#[derive(Debug, Clone)]
pub struct Line {
    /// What it belongs to.
    pub group: &'static str,
    /// What was counted.
    pub what: String,
    /// How often, or a median.
    pub count: f64,
    /// Of how many.
    pub of: Option<usize>,
}

impl Line {
    /// The share, where it is one.
    pub fn share(&self) -> Option<f64> {
        self.of.filter(|&of| of > 0).map(|of| self.count / of as f64)
    }
}
