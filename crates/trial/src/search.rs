//! Trying inputs until two versions differ.

use crate::{Observed, Proposer, Side, shrink::smaller};
use hydrogen_evidence::{Call, Value};
use hydrogen_machine::Limits;
use hydrogen_pair::Observable;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

/// Calls in a row that cannot be made: then others cannot either.
const HOPELESS: u64 = 12;
/// Instructions of a first run; what needs more is put off.
const FIRST_STEPS: u64 = 60_000;
/// Calls that are tried after one that tells little.
const LONGER: u64 = 500;
/// Calls that are put off.
const MOST_PUT_OFF: usize = 16;

/// How hard to look, and at what.
#[derive(Debug, Clone)]
pub struct Effort {
    /// Inputs that are tried.
    pub tries: std::ops::Range<u64>,
    /// Instructions of one run.
    pub steps_of_run: u64,
    /// Instructions of all runs.
    pub steps: u64,
    /// When it must be over.
    pub deadline: Option<Instant>,
    /// Set from outside to stop.
    pub interrupt: Option<Arc<AtomicBool>>,
    /// Inputs on which the old version's behaviour is undefined do not count.
    pub assume_defined: bool,
    /// What is compared.
    pub observables: Vec<Observable>,
}

impl Default for Effort {
    fn default() -> Self {
        Self {
            tries: 0..1500,
            steps_of_run: 2_000_000,
            steps: 40_000_000,
            deadline: None,
            interrupt: None,
            assume_defined: false,
            observables: Observable::usual(),
        }
    }
}

impl Effort {
    /// The limits of one run.
    pub fn limits(&self) -> Limits {
        Limits { steps: self.steps_of_run, interrupt: self.interrupt.clone(), ..Limits::default() }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.deadline.is_some_and(|last| Instant::now() > last)
            || self.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}

/// An input on which two versions differ, and what each did.
#[derive(Debug, Clone)]
pub struct Difference {
    /// The call.
    pub call: Call,
    /// What the old version did.
    pub old: Observed,
    /// What the new version did.
    pub new: Observed,
}

/// Whether a difference is one that a reader wants: both versions do what C defines, or the old one does and the call has no memory that was
/// made up. Nobody may ever pass that: a length that is none of its array, a null pointer in a structure.
fn is_telling(call: &Call, old: &Observed, new: &Observed) -> bool {
    let is_made_up =
        !call.objects.is_empty() || call.arguments.iter().any(|argument| argument.value == Value::Null);
    !(old.is_fault() || new.is_fault() && is_made_up)
}

/// The first input on which the versions differ, made small: of the given ones, then of those that are proposed. After one that tells little
/// (see `is_telling`) it is looked for a better one for a while. Why nothing can be run is the error.
pub fn search(
    old: &Side,
    new: &Side,
    given: &[Call],
    proposer: &Proposer,
    effort: &Effort,
) -> Result<Option<Difference>, String> {
    let usual = Limits { steps: FIRST_STEPS.min(effort.steps_of_run), ..effort.limits() };
    let (mut steps, mut hopeless, mut put_off) = (0, 0, Vec::new());
    // One that tells little, and how long it is looked for a better one.
    let (mut tried, mut little): (u64, Option<(Difference, u64)>) = (0, None);
    let tries = if proposer.is_fixed() { 0..1 } else { effort.tries.clone() };
    let proposed = tries.map(|n| proposer.call(n));
    for call in given.iter().cloned().chain(proposed) {
        let (one, other) = (old.run(&call, &usual), new.run(&call, &usual));
        steps += one.steps + other.steps;
        tried += 1;
        if one.differs(&other, &effort.observables, effort.assume_defined) {
            if is_telling(&call, &one, &other) {
                return Ok(Some(smaller(old, new, Difference { call, old: one, new: other }, effort)));
            }
            let found = Difference { call, old: one, new: other };
            let (_, last) = little.get_or_insert_with(|| (found, tried + LONGER));
            if tried >= *last {
                break;
            }
            continue;
        }
        if little.as_ref().is_some_and(|(_, last)| tried >= *last) {
            break;
        }
        match one.impossible.as_ref().or(other.impossible.as_ref()) {
            Some(why) => {
                hopeless += 1;
                if hopeless >= HOPELESS {
                    return Err(why.clone());
                }
            }
            None => hopeless = 0,
        }
        if (one.is_long || other.is_long) && put_off.len() < MOST_PUT_OFF {
            put_off.push(call);
        }
        if steps > effort.steps || effort.is_over() {
            break;
        }
    }
    if let Some((found, _)) = little {
        return Ok(Some(smaller(old, new, found, effort)));
    }
    for call in put_off {
        if effort.is_over() {
            break;
        }
        let (one, other) = (old.run(&call, &effort.limits()), new.run(&call, &effort.limits()));
        if one.differs(&other, &effort.observables, effort.assume_defined) {
            return Ok(Some(smaller(old, new, Difference { call, old: one, new: other }, effort)));
        }
    }
    Ok(None)
}
