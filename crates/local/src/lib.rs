//! Local certainty: what must hold at a place in its own function for a statement to fail.
//!
//! The place is the farthest dominator of the statement from which no way to it leads through a loop: the function's entry, or the head of the last loop
//! before it. From there the code is evaluated by `sym`, all paths at once, with any values in variables and memory. Then the fault's condition is
//! valid (the statement fails *wherever it is reached*), unsatisfiable (it never fails), or neither: then it is told in the function's own variables.
//! Nothing is said of whether the statement is reached, and nothing of callers: every state of a real run is among those that are looked at, so what is
//! valid or unsatisfiable here is so in every run.
//!
//! - `place`: from where, and which nodes lie between. `region`: what happens there, instruction by instruction.
//! - `origin`: which object an address leads into: locals, variables of the program, blocks of the heap that the region makes or frees.
//! - `faults`: the condition of every class of fault. `given`: what library functions need of what they are given.
//! - `words`: a condition in the function's own variables.

mod faults;
mod given;
mod origin;
mod place;
mod region;
mod words;

use hydrogen_evidence::Class;
use hydrogen_ir::{FunctionId, InstructionId, Module};
use hydrogen_sym::Obstacle;
use hydrogen_term::{Answer, Engine, Solver, Term};
use std::collections::{BTreeMap, BTreeSet};

/// A statement of a function.
#[derive(Debug, Clone)]
pub struct Statement<'m> {
    /// The module that the function is in.
    pub module: &'m Module,
    /// The function.
    pub function: FunctionId,
    /// The instructions of the statement.
    pub instructions: BTreeSet<InstructionId>,
}

/// What is known of a class of faults at a statement, whatever comes in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Certainty {
    /// Whenever the statement is reached, it fails.
    Always,
    /// It never fails in this way.
    Never,
    /// It fails in some states, as far as its function can tell.
    Sometimes {
        /// When, in the function's own variables as they are at the place; none where it cannot be said so.
        when: Option<String>,
    },
}

/// What was found of a statement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// The line of the place from which it was looked at; 0 where it is not known.
    pub line: u32,
    /// Whether the place is the entry of the function.
    pub from_entry: bool,
    /// Whether every run that leaves the place comes to the statement, unless it ends before: no branch decides about it.
    pub is_sure: bool,
    /// What can be said, by class. Of a class that is not here nothing is known.
    pub classes: BTreeMap<Class, Certainty>,
}

/// Judges a statement by its own function. The engine is asked at most two questions a class.
pub fn judge<S: Solver>(statement: &Statement, engine: &mut Engine<S>) -> Result<Found, Obstacle> {
    let mut region = region::Region::of(statement)?;
    let reached = region.reached();
    let (line, from_entry) = (region.line(), region.from_entry);
    let mut found = Found { line, from_entry, is_sure: region.is_sure, classes: BTreeMap::new() };
    let conditions = faults::conditions(&mut region);
    for (class, condition) in conditions {
        if let Some(certainty) = decide(&mut region, engine, reached, &condition) {
            found.classes.insert(class, certainty);
        }
    }
    Ok(found)
}

/// When a statement fails in a way.
#[derive(Debug, Clone)]
pub(crate) struct Condition {
    /// It fails where this holds.
    pub fails: Term,
    /// It may fail only where this holds; none where it may fail in a way that is not followed.
    pub may: Option<Term>,
}

fn decide<S: Solver>(
    region: &mut region::Region,
    engine: &mut Engine<S>,
    reached: Term,
    condition: &Condition,
) -> Option<Certainty> {
    let facts = region.facts.clone();
    let pool = &mut region.context.pool;
    let mut ask = |pool: &mut hydrogen_term::Pool, terms: &[Term]| {
        let all: Vec<Term> = facts.iter().chain(terms).copied().collect();
        match pool.and_all(all.iter().copied()) {
            all if pool.as_bool(all) == Some(false) => Answer::Unsat,
            _ => engine.check(pool, &all),
        }
    };
    if let Some(may) = condition.may
        && ask(pool, &[may]).is_unsat()
    {
        return Some(Certainty::Never);
    }
    if pool.as_bool(condition.fails) == Some(false) {
        return None;
    }
    let fine = pool.not(condition.fails);
    if !ask(pool, &[reached]).is_sat() {
        return None;
    }
    let holds = match ask(pool, &[reached, fine]) {
        Answer::Unsat => return Some(Certainty::Always),
        Answer::Sat(_) => ask(pool, &[condition.fails]).is_sat(),
        Answer::Unknown(_) => false,
    };
    holds.then(|| Certainty::Sometimes { when: words::told(region, engine, reached, condition.fails) })
}
