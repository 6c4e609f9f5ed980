//! Checks that a module keeps the promises that everything above relies on.
//!
//! - **IR-1** Every id names an entry of its table.
//! - **IR-2** No type contains itself by value, and a layout has one offset per field.
//! - **IR-3** No constant contains itself.
//! - **IR-4** A constant fits its type: integer width, number of elements, number of bytes.
//! - **IR-5** An initialiser is as large as its global; only a definition is an alias.
//! - **IR-6** Blocks are not empty and divide the instructions among them, in order; the entry has no
//!   predecessors.
//! - **IR-7** Every block ends with a terminator, and has no other.
//! - **IR-8** φ-instructions lead their block.
//! - **IR-9** A φ has one value per incoming edge, and one value per predecessor.
//! - **IR-10** Operands have the types that the instruction asks for.
//! - **IR-11** A value is computed before it is used on every path.
//! - **IR-12** A function with a body has a type, and parameters that agree with it.
//! - **IR-13** A function with a body has pieces, and a function with pieces is defined; piece 0 is the entry, piece 1 the
//!   exit, and no other piece is either.
//! - **IR-14** Flow edges are sorted and unique.
//! - **IR-15** Nothing flows into the entry, and nothing out of the exit.
//! - **IR-16** A span does not end before it begins.
//! - **IR-17** A recorded call names a call instruction, and the piece that it belongs to.
//!
//! A function whose ids are broken is not looked at further, so one fault gives one report.

mod body;
mod constants;
mod dominance;
mod graph;
mod ids;
mod operands;
mod types;

use crate::{Function, Module};
use std::fmt;

/// A numbered invariant; see the list in [`crate::verify`](mod@crate::verify).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[allow(missing_docs)] // The module's list says what each means.
pub enum Rule {
    IdsInRange = 1,
    TypesFinite,
    ConstantsFinite,
    ConstantsFit,
    Initializers,
    BlocksPartition,
    Terminators,
    PhisLead,
    PhiEdges,
    OperandTypes,
    Dominance,
    FunctionType,
    EntryAndExit,
    FlowSorted,
    FlowEnds,
    Spans,
    Calls,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IR-{}", *self as u8)
    }
}

/// A broken invariant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{rule}: {place}: {message}")]
pub struct Violation {
    /// Which one.
    pub rule: Rule,
    /// Where, such as ``function `f`, v3``.
    pub place: String,
    /// What is wrong there.
    pub message: String,
}

/// Whether `module` keeps all invariants; if not, every place where it does not.
pub fn verify(module: &Module) -> Result<(), Vec<Violation>> {
    let mut report = Report::default();
    ids::tables(module, &mut report);
    // Everything else walks through the tables.
    if report.violations.is_empty() {
        types::check(module, &mut report);
        constants::check(module, &mut report);
    }
    if report.violations.is_empty() {
        constants::check_globals(module, &mut report);
        for function in &module.functions {
            check_function(module, function, &mut report);
        }
    }
    match report.violations.is_empty() {
        true => Ok(()),
        false => Err(report.violations),
    }
}

fn check_function(module: &Module, function: &Function, report: &mut Report) {
    let before = report.violations.len();
    report.function.clone_from(&function.name);
    ids::function(module, function, report);
    if report.violations.len() == before {
        graph::check(function, report);
        if let Some(body) = &function.body {
            body::check(module, function, body, report);
        }
    }
    report.function.clear();
}

/// Collects violations; knows which function is looked at.
#[derive(Default)]
struct Report {
    function: String,
    violations: Vec<Violation>,
}

impl Report {
    fn add(&mut self, rule: Rule, place: impl fmt::Display, message: impl Into<String>) {
        let place = match self.function.is_empty() {
            true => place.to_string(),
            false => format!("function `{}`, {place}", self.function),
        };
        self.violations.push(Violation { rule, place, message: message.into() });
    }
}
