//! Which tests a change can affect.

use super::Point;
use std::collections::BTreeSet;

/// The tests of a suite, and the statements that changed.
#[derive(Debug)]
pub struct Selected<'a> {
    /// The names of both versions, the old one first.
    pub names: [&'a str; 2],
    /// The tests, in the order in which they are told.
    pub tests: Vec<SelectedTest<'a>>,
    /// The statements that changed.
    pub points: Vec<&'a Point>,
    /// Where the effect of the change may get to, if that was asked for.
    pub required: Option<Vec<Required<'a>>>,
}

/// A statement that the effect of a change may get to.
#[derive(Debug)]
pub struct Required<'a> {
    /// The statements from the change to it, one dependence after the other.
    pub chain: &'a [Point],
    /// The tests in which the effect gets there.
    pub met_by: &'a [String],
}

/// A test.
#[derive(Debug)]
pub struct SelectedTest<'a> {
    /// Its name.
    pub name: &'a str,
    /// The statements that changed and that it executes, by number.
    pub changes: BTreeSet<usize>,
    /// Why it is not known what it executes.
    pub cut: Option<&'a str>,
    /// In what the versions differ.
    pub differs: &'a [String],
    /// Whether it is one of those that are enough.
    pub kept: bool,
    /// Whether the change can affect it.
    pub affected: bool,
}

impl Selected<'_> {
    /// Whether no test is affected, and no change is left without a test.
    pub fn is_quiet(&self) -> bool {
        self.points.is_empty() && !self.tests.iter().any(|test| test.affected)
    }
}
