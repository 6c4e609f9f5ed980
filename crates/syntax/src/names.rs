//! What the files of a version say about names that other files use.

use crate::facts::Facts;
use std::collections::{BTreeMap, BTreeSet};

/// Macros and functions that do not return, as headers declare them. Reading a file with the names of its version's
/// headers tells macros from functions, and the end of a path from a call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    /// What follows each macro's name in its definition; `None` where definitions differ.
    macros: BTreeMap<Vec<u8>, Option<Vec<u8>>>,
    no_return: BTreeSet<Vec<u8>>,
}

impl Names {
    pub(crate) fn of(facts: &Facts<'_>) -> Self {
        let macros = facts.macros.iter().map(|(name, text)| (name.to_vec(), text.map(<[u8]>::to_vec)));
        Self {
            macros: macros.collect(),
            no_return: facts.no_return.iter().map(|name| name.to_vec()).collect(),
        }
    }

    /// Adds the names of another file. The order of files does not matter.
    pub fn merge(&mut self, other: Names) {
        for (name, text) in other.macros {
            let known = self.macros.entry(name).or_insert_with(|| text.clone());
            if *known != text {
                *known = None;
            }
        }
        self.no_return.extend(other.no_return);
    }

    pub(crate) fn definition(&self, name: &[u8]) -> Option<&[u8]> {
        self.macros.get(name)?.as_deref()
    }

    pub(crate) fn never_returns(&self, name: &[u8]) -> bool {
        self.no_return.contains(name)
    }
}
