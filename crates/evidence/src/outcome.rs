//! What came out of a run, and when two runs gave the same (P-4).

use crate::{End, FaultKind};
use bstr::BString;
use std::collections::{BTreeMap, BTreeSet};

/// A statement, by the number that whoever compares the programs gave it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node(pub u32);

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ending {
    /// With this status.
    Exit(i32),
    /// By this signal.
    Signal(i32),
    /// With undefined behaviour at a statement.
    Fault(FaultKind, Option<Node>),
    /// The program assumes something that is not so.
    Assumption,
    /// It was cut, and why: nothing is known about what would have come.
    Cut(String),
}

/// Everything that can be seen of a run from outside. What came before a fault counts too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub ending: Ending,
    /// The faults behind which it went on, by their kinds, each statement once, sorted: part of how it ended. Empty where a run ends
    /// with its first fault.
    pub behind: Vec<FaultKind>,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
    /// Files that were made or changed, with their content.
    pub files: BTreeMap<BString, Vec<u8>>,
    /// Values that the program named as output, in order.
    pub named: Vec<(BString, u64)>,
    /// What a caller sees after the call of a function that returned: the result, and what the call changed, as lines of `name = value`,
    /// sorted.
    pub memory: Vec<String>,
    /// Of those, what lies in memory that the call made or in constants, by the names of the values: there is more or less of it where a
    /// structure has other members.
    pub made: BTreeMap<String, Made>,
}

/// A value in memory that a call made, or in a constant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// What holds it.
    pub object: String,
    /// Where the value ends in it.
    pub end: u64,
    /// How large that is.
    pub size: u64,
    /// How large the elements are that the type of a pointer says are there; 0 where it says nothing.
    pub element: u64,
    /// Whether nobody has given the value a value.
    pub is_undefined: bool,
}

/// What a caller sees of memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Memory {
    /// Lines of `name = value`, sorted.
    pub lines: Vec<String>,
    /// What of them lies in memory that the call made.
    pub made: BTreeMap<String, Made>,
}

/// A part of an outcome that is compared. A list of them is part of every claim that two outcomes are equal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Observable {
    /// How the run ended; a fault by its kind, those behind which it went on too.
    Ending,
    /// A fault also by its statement.
    FaultPlace,
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
    /// Every file that was made or changed.
    Files,
    /// One file.
    File(BString),
    /// Named outputs.
    Named,
    /// The memory that a caller sees.
    Memory,
}

impl Observable {
    /// All but the statement of a fault, which moves with every edit.
    pub fn usual() -> Vec<Self> {
        vec![Self::Ending, Self::Stdout, Self::Stderr, Self::Files, Self::Named, Self::Memory]
    }
}

impl std::fmt::Display for Observable {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Ending => write!(out, "end"),
            Self::FaultPlace => write!(out, "place of the fault"),
            Self::Stdout => write!(out, "standard output"),
            Self::Stderr => write!(out, "standard error"),
            Self::Files => write!(out, "files"),
            Self::File(name) => write!(out, "file {name}"),
            Self::Named => write!(out, "named outputs"),
            Self::Memory => write!(out, "memory"),
        }
    }
}

/// Something that two outcomes do not share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// What was looked at.
    pub observable: Observable,
    /// Where both are bytes or lists: how much is the same from the beginning.
    pub same: usize,
}

/// What a run leaves behind: the world of whoever ran it.
pub trait Left {
    /// What was written to standard output.
    fn stdout(&self) -> &[u8];
    /// What was written to standard error.
    fn stderr(&self) -> &[u8];
    /// The files that were made or changed, with their content.
    fn files(&self) -> BTreeMap<BString, Vec<u8>>;
    /// The values that the program named as output, in order.
    fn named(&self) -> &[(BString, u64)];
    /// The faults behind which the run went on.
    fn faults(&self) -> Vec<FaultKind>;
}

impl Outcome {
    /// The outcome of a run that left this world; `at` is the statement that was executed last.
    pub fn of(end: &End, world: &impl Left, at: Option<Node>) -> Self {
        let ending = match end {
            End::Exit(status) => Ending::Exit(*status),
            End::Signal(signal) => Ending::Signal(*signal),
            End::Fault(fault) => Ending::Fault(fault.kind, at),
            End::Assumption(_) => Ending::Assumption,
            End::Limit(limit, _) => Ending::Cut(limit.to_string()),
            End::Unresolved(name, _) => Ending::Cut(format!("`{name}` is defined nowhere")),
            End::Unsupported(what, _) => Ending::Cut(what.clone()),
        };
        let mut behind = world.faults();
        behind.sort();
        Self {
            ending,
            behind,
            stdout: world.stdout().to_vec(),
            stderr: world.stderr().to_vec(),
            files: world.files(),
            named: world.named().to_vec(),
            memory: Vec::new(),
            made: BTreeMap::new(),
        }
    }

    /// The same with what the caller of a function sees.
    pub fn with_memory(mut self, seen: &Memory) -> Self {
        self.memory.clone_from(&seen.lines);
        self.made.clone_from(&seen.made);
        self
    }

    /// Whether a value in new memory that this outcome has is missed in the other one: it has a value, elements are as large as there, and
    /// there are fewer of them. A member that a structure has in one version alone is missed by nobody.
    pub fn has_more(&self, other: &Self, path: &str) -> bool {
        let Some(own) = self.made.get(path).filter(|own| !own.is_undefined) else { return false };
        let there = other.made.values().find(|one| one.object == own.object);
        there.is_some_and(|there| there.element == own.element && own.element > 0 && own.end > there.size)
    }

    /// How much of what a caller sees is the same from the beginning; nothing if all of it is. In memory that the calls made, values count
    /// that both versions have, and those that the second one lacks.
    fn memories(&self, other: &Self) -> Option<usize> {
        if self.memory == other.memory {
            return None;
        }
        let name = |line: &String| line.split_once(" = ").map_or(line.clone(), |(name, _)| name.to_owned());
        let of = |outcome: &Self| -> BTreeMap<String, Vec<String>> {
            let mut lines: BTreeMap<String, Vec<String>> = BTreeMap::new();
            for line in &outcome.memory {
                lines.entry(name(line)).or_default().push(line.clone());
            }
            lines
        };
        let (one, two) = (of(self), of(other));
        let names: BTreeSet<&String> = one.keys().chain(two.keys()).collect();
        let differs = |name: &String| match (one.get(name), two.get(name)) {
            (Some(own), Some(others)) => {
                own != others && !self.made.get(name).is_some_and(|made| made.is_undefined)
            }
            (Some(_), None) if self.made.contains_key(name) => self.has_more(other, name),
            (None, Some(_)) => !other.made.contains_key(name),
            _ => true,
        };
        let first = names.iter().position(|name| differs(name));
        first.map(|_| self.memory.iter().zip(&other.memory).take_while(|(a, b)| a == b).count())
    }

    /// Whether the run came to an end of its own, so that its outcome is known.
    pub fn is_whole(&self) -> bool {
        !matches!(self.ending, Ending::Cut(_))
    }

    /// Why the run was cut, if it was.
    pub fn cut(&self) -> Option<&str> {
        match &self.ending {
            Ending::Cut(why) => Some(why),
            _ => None,
        }
    }

    /// What the two do not share of the observables, in their order. A run that was cut is equal to one that was cut alike: its
    /// outcome is unknown, which [`Outcome::is_whole`] tells.
    pub fn differences(&self, other: &Self, observables: &[Observable]) -> Vec<Difference> {
        let mut found = Vec::new();
        for observable in observables {
            let same = match observable {
                Observable::Ending => {
                    unless(self.ending.kind() == other.ending.kind() && self.behind == other.behind)
                }
                Observable::FaultPlace => unless(self.ending == other.ending && self.behind == other.behind),
                Observable::Stdout => prefix(&self.stdout, &other.stdout),
                Observable::Stderr => prefix(&self.stderr, &other.stderr),
                Observable::Files => unless(self.files == other.files),
                Observable::File(name) => match (self.files.get(name), other.files.get(name)) {
                    (Some(one), Some(two)) => prefix(one, two),
                    (one, two) => unless(one.is_none() && two.is_none()),
                },
                Observable::Named => prefix(&self.named, &other.named),
                Observable::Memory => self.memories(other),
            };
            found.extend(same.map(|same| Difference { observable: observable.clone(), same }));
        }
        found
    }

    /// Whether the run did something that C leaves undefined.
    pub fn is_undefined(&self) -> bool {
        matches!(self.ending, Ending::Fault(..)) || !self.behind.is_empty()
    }

    /// The faults behind which it went on, in words.
    pub fn went_on(&self) -> Option<String> {
        let kinds: Vec<String> = self.behind.iter().map(ToString::to_string).collect();
        (!kinds.is_empty()).then(|| format!("went on behind {}", kinds.join(", ")))
    }

    /// Whether all observables are the same.
    pub fn same(&self, other: &Self, observables: &[Observable]) -> bool {
        self.differences(other, observables).is_empty()
    }
}

impl Ending {
    /// The end without the place of a fault.
    pub fn kind(&self) -> Self {
        match self {
            Self::Fault(kind, _) => Self::Fault(*kind, None),
            other => other.clone(),
        }
    }
}

/// How much two lists share from the beginning; nothing if they are equal.
fn prefix<T: PartialEq>(one: &[T], two: &[T]) -> Option<usize> {
    (one != two).then(|| one.iter().zip(two).take_while(|(a, b)| a == b).count())
}

fn unless(same: bool) -> Option<usize> {
    (!same).then_some(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn outcomes() -> impl Strategy<Value = Outcome> {
        let ending = prop_oneof![
            (0..2i32).prop_map(Ending::Exit),
            (6..8i32).prop_map(Ending::Signal),
            Just(Ending::Fault(FaultKind::DivisionByZero, None)),
            Just(Ending::Assumption),
            Just(Ending::Cut("the limit on steps".into())),
        ];
        let bytes = || prop::collection::vec(0u8..2, 0..3);
        let files = prop::collection::btree_map("[ab]".prop_map(BString::from), bytes(), 0..2);
        let behind = prop::collection::vec(Just(FaultKind::SignedOverflow), 0..2);
        (ending, behind, bytes(), bytes(), files).prop_map(|(ending, behind, stdout, stderr, files)| {
            Outcome {
                ending,
                behind,
                stdout,
                stderr,
                files,
                named: Vec::new(),
                memory: Vec::new(),
                made: BTreeMap::new(),
            }
        })
    }

    proptest! {
        /// Equality under any list of observables is an equivalence.
        #[test]
        fn equality_is_an_equivalence(
            a in outcomes(),
            b in outcomes(),
            c in outcomes(),
            chosen in prop::sample::subsequence(Observable::usual(), 0..=6),
        ) {
            prop_assert!(a.same(&a, &chosen));
            prop_assert_eq!(a.differences(&b, &chosen), b.differences(&a, &chosen));
            if a.same(&b, &chosen) && b.same(&c, &chosen) {
                prop_assert!(a.same(&c, &chosen));
            }
        }
    }
}
