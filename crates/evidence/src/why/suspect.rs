//! A statement that is suspected to be the reason of a wrong output, and what speaks against it.

use super::{Counterpart, Side, Spot};
use crate::{Input, Outcome};

/// A part of the input that an alternate input changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Its name: `stdin[3]`, `x`.
    pub name: String,
    /// Its bytes in the failing input.
    pub from: Vec<u8>,
    /// Its bytes in the alternate input.
    pub to: Vec<u8>,
}

/// An input that differs from the failing one in little: one version does the same with it, the other decides otherwise.
#[derive(Debug, Clone)]
pub struct Alternate {
    /// The version that decides otherwise.
    pub side: Side,
    /// Where it does.
    pub spot: Spot,
    /// The function of the C library that decides, called from there.
    pub inside: Option<String>,
    /// Which execution of the statement it is, from 1.
    pub nth: usize,
    /// What the failing input fulfils there, over the bytes of the input.
    pub condition: String,
    /// The parts of the input that this is about.
    pub about: Vec<String>,
    /// Where no branch decides, the predicate over the program's variables that turns (10.3).
    pub predicate: Option<String>,
    /// The input.
    pub input: Input,
    /// What it changes.
    pub changes: Vec<Change>,
    /// What came out, of the old version first.
    pub outcomes: [Outcome; 2],
    /// Whether the test passes with it; nothing where the user's oracle cannot tell.
    pub passes: Option<bool>,
    /// Why it does not count: a run did not do what it should.
    pub invalid: Option<String>,
    /// Where in the run it is decided.
    pub step: u64,
    /// The instruction that decides: the numbers that the machine gives its function and itself.
    pub site: (u32, u32),
}

/// What a changed branch did in the failing run, beside what stood in its place in the other version. The most suspicious comes first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Did {
    /// It is the first of all changed branches to lead elsewhere.
    First,
    /// Nothing is known: nothing stands in its place, or what it leads to changed as well.
    #[default]
    Unknown,
    /// Only one version comes to it, so that something before it is the reason.
    OneSided,
    /// Wherever both versions come to it, it decides as before.
    Alike,
}

/// A statement, and what speaks against it.
#[derive(Debug, Clone)]
pub struct Suspect {
    /// The statement.
    pub spot: Spot,
    /// What the other version has there.
    pub counterpart: Counterpart,
    /// Whether the statement is part of the change.
    pub changed: bool,
    /// Whether the first wrong value depends on it; the nearest has the lowest number.
    pub origin: Option<usize>,
    /// Whether the first wrong value is its own.
    pub first: bool,
    /// What it did beside what stood in its place.
    pub did: Did,
    /// How many instructions before the end it was last executed so that the wrong output depends on it.
    pub distance: Option<u64>,
    /// Changed statements that its decision depends on, in the run of the failing input: how the change comes to it.
    pub depends: Vec<Spot>,
    /// Inputs on which it decides otherwise, the best first. All were run.
    pub alternates: Vec<Alternate>,
}

impl Suspect {
    /// Whether an input is known for which the test passes when this statement decides otherwise.
    pub fn passes(&self) -> bool {
        self.alternates.iter().any(|one| one.passes == Some(true))
    }

    /// Whether more speaks against it than that it is part of the change.
    pub fn has_evidence(&self) -> bool {
        self.origin.is_some() || self.first || !self.alternates.is_empty()
    }

    /// Whether it did not change, and nothing speaks against it but inputs that fail, or that it goes wrong itself.
    pub fn is_weak(&self) -> bool {
        !self.changed && self.origin.is_none() && !self.passes()
    }
}
