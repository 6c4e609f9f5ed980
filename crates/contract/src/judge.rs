//! Which cases apply to an input, and whether what they ask is so.

use crate::parse::{Case, Contract, Ends};
use crate::value::{End, Given, MOST_NUMBERS, Run, State};
use std::cell::Cell;

/// What a contract says about an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Every case that applies holds.
    Kept,
    /// One does not, and why.
    Broken(String),
    /// None applies: both versions must do the same.
    Same,
}

impl Contract {
    /// Judges what both versions did with an input.
    pub fn judge(&self, given: &Given, old: &Run, new: &Run) -> Verdict {
        let applying: Vec<&Case> = self.cases.iter().filter(|case| case.applies(given, old)).collect();
        if applying.is_empty() {
            return Verdict::Same;
        }
        let broken = applying.into_iter().find_map(|case| case.broken(given, old, new));
        broken.map_or(Verdict::Kept, Verdict::Broken)
    }
}

impl Ends {
    fn is(self, end: End) -> bool {
        match end {
            End::Returned(_) => false,
            End::Signal(_) => matches!(self, Ends::Any | Ends::Signal),
            End::Trap => matches!(self, Ends::Any | Ends::Trap),
        }
    }
}

impl Case {
    /// An omitted sibling is impossible; both omitted is any end. Unmarked expressions are about the old version.
    fn applies(&self, given: &Given, old: &Run) -> bool {
        let left = Cell::new(MOST_NUMBERS);
        let state = State::new(given, old, old, &left);
        if !self.requires.iter().all(|one| one.holds(state)) {
            return false;
        }
        if self.when_ensured.is_empty() && self.when_signaled.is_empty() {
            return true;
        }
        match old.end {
            End::Returned(_) => {
                !self.when_ensured.is_empty() && self.when_ensured.iter().all(|one| one.holds(state))
            }
            end => self.when_signaled.iter().any(|(ends, of)| ends.is(end) && of.holds(state)),
        }
    }

    fn broken(&self, given: &Given, old: &Run, new: &Run) -> Option<String> {
        let left = Cell::new(MOST_NUMBERS);
        let state = State::new(given, new, old, &left);
        let name = if self.name.is_empty() { "the case".to_owned() } else { format!("`{}`", self.name) };
        if self.never.iter().any(|ends| ends.is(new.end)) {
            return Some(format!("{name} says that the new version never ends so"));
        }
        match new.end {
            End::Returned(_) if self.ensures.is_empty() && !self.signals.is_empty() => {
                Some(format!("{name} says that the new version does not return"))
            }
            End::Returned(_) => {
                let at = self.ensures.iter().position(|one| !one.holds(state))?;
                Some(format!("{name}: `ensures` number {} does not hold", at + 1))
            }
            end => {
                let mut matching = self.signals.iter().filter(|(ends, _)| ends.is(end)).peekable();
                match matching.peek() {
                    Some(_) => (!matching.all(|(_, of)| of.holds(state)))
                        .then(|| format!("{name}: what `signals` says does not hold")),
                    None if self.ensures.is_empty() && self.signals.is_empty() => None,
                    None => Some(format!("{name} says that the new version returns")),
                }
            }
        }
    }
}
