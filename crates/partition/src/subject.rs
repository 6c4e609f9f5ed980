//! What is compared: versions, the inputs that they share, and what counts of what they do.

use bstr::BString;
use hydrogen_evidence::Input;
use hydrogen_explore::Symbolic;
use hydrogen_machine::{Limits, Program, World};
use hydrogen_pair::{Observable, Setting};
use std::collections::BTreeMap;

/// What becomes of inputs on which a version's behaviour is undefined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Undefined {
    /// A fault is an outcome like others.
    #[default]
    Counts,
    /// Inputs on which the oldest version faults are left out.
    ExcludedInOldest,
    /// Inputs on which any version faults are left out.
    Excluded,
}

impl Undefined {
    /// Whether a fault of this version takes an input out of the comparison; the oldest is 0.
    pub(crate) fn excludes(self, version: usize) -> bool {
        match self {
            Self::Counts => false,
            Self::ExcludedInOldest => version == 0,
            Self::Excluded => true,
        }
    }
}

/// An input that has another name in a version (D4): the same unknown under two names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rename {
    /// The version, 0 for the oldest.
    pub version: usize,
    /// Its name in the common space: `arg:1`, `env:HOME`, or what memory is called.
    pub common: String,
    /// Its name in the version.
    pub own: String,
}

/// Versions of a program, the oldest first, and what is asked about them.
#[derive(Clone)]
pub struct Subject<'a> {
    /// The versions.
    pub programs: Vec<&'a Program>,
    /// The world but for the input.
    pub world: &'a World,
    /// What of the input may change. An input that a version does not have is not looked at there.
    pub symbolic: &'a Symbolic,
    /// The limits of each run.
    pub limits: &'a Limits,
    /// What is compared.
    pub observables: Vec<Observable>,
    /// What becomes of undefined behaviour.
    pub undefined: Undefined,
    /// Inputs that have another name in a version.
    pub renames: Vec<Rename>,
}

impl<'a> Subject<'a> {
    /// Versions with everything observed, undefined behaviour included.
    pub fn new(
        programs: Vec<&'a Program>,
        world: &'a World,
        symbolic: &'a Symbolic,
        limits: &'a Limits,
    ) -> Self {
        let (observables, undefined) = (Observable::usual(), Undefined::default());
        Self { programs, world, symbolic, limits, observables, undefined, renames: Vec::new() }
    }

    /// What all runs have in common.
    pub(crate) fn setting(&self) -> Setting<'a> {
        Setting { world: self.world, symbolic: self.symbolic, limits: self.limits }
    }

    /// An input as a version knows it.
    pub fn own_input(&self, version: usize, input: &Input) -> Input {
        let renames: Vec<&Rename> = self.renames.iter().filter(|one| one.version == version).collect();
        if renames.is_empty() {
            return input.clone();
        }
        let own = |name: &str| {
            renames.iter().find(|one| one.common == name).map_or(name.to_owned(), |one| one.own.clone())
        };
        let mut moved = input.clone();
        let name_of = |index: &usize| own(&format!("arg:{index}")).strip_prefix("arg:")?.parse().ok();
        moved.args = input
            .args
            .iter()
            .map(|(index, bytes)| (name_of(index).unwrap_or(*index), bytes.clone()))
            .collect();
        let rename = |map: &BTreeMap<BString, Vec<u8>>, kind: &str| {
            let name = |given: &BString| {
                let text = own(&format!("{kind}{given}"));
                BString::from(text.strip_prefix(kind).unwrap_or(&text))
            };
            map.iter().map(|(given, bytes)| (name(given), bytes.clone())).collect()
        };
        moved.environment = rename(&input.environment, "env:");
        moved.files = rename(&input.files, "file:");
        moved.named = rename(&input.named, "");
        moved
    }

    /// The name of a variable of a version's terms in the common space.
    pub(crate) fn common(&self, version: usize, variable: &str) -> Option<String> {
        let (base, index) = match variable.strip_suffix(']').and_then(|text| text.rsplit_once('[')) {
            Some((base, index)) => (base, format!("[{index}]")),
            None => (variable, String::new()),
        };
        let known = self.renames.iter().find(|one| one.version == version && one.own == base)?;
        Some(format!("{}{index}", known.common))
    }
}
