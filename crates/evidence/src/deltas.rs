//! What two versions of a function give back, case by case, and where that differs.

use serde::Serialize;
use std::collections::BTreeMap;

/// A function that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deltas {
    /// Its name.
    pub name: String,
    /// Where it stands in the new version.
    pub place: String,
    /// Its cases, or why they are not known.
    pub cases: Result<Cases, String>,
}

/// The cases of both versions. What they have in common is an unknown function of the parameters in them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Cases {
    /// Those of the old version.
    pub old: Vec<Case>,
    /// Those of the new version.
    pub new: Vec<Case>,
    /// Where they differ.
    pub deltas: Vec<Delta>,
}

/// What is given back, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Case {
    /// The condition, as in C.
    pub when: String,
    /// The result, as in C.
    pub gives: String,
}

/// Cases that both versions come to together and that give something else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Delta {
    /// The condition that both share.
    pub when: String,
    /// What the old version gives.
    pub old: String,
    /// What the new version gives.
    pub new: String,
    /// What an input must fulfil that shows it.
    pub witness: String,
    /// Whether it mentions code that both versions have in common, which was looked into then; if not, every such input shows it.
    pub common: bool,
    /// Whether there is such an input.
    pub shown: Shown,
}

/// Whether an input shows a difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shown {
    /// These arguments do.
    Input(BTreeMap<String, i128>),
    /// None does: the versions are equal there.
    Nothing,
    /// It is not known.
    Unknown,
}
