//! Which names are global variables, and which of them belong to one file.
//!
//! A macro that assigns may change whatever its definition names: but only variables have values, and `NULL`, functions and
//! types are named there as well. A variable is declared in one of the files, or some statement sets it.

use hydrogen_syntax::{ItemKind, NameHash, Unit};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// The global variables of a program, by their names.
#[derive(Debug, Default)]
pub(crate) struct Variables {
    all: FxHashSet<NameHash>,
    private: FxHashSet<NameHash>,
}

impl Variables {
    /// What is declared in files, and which of it only files name that each have a `static` one. What a macro names may be
    /// another file's.
    pub fn of(units: &[Arc<Unit>], in_macros: &FxHashSet<NameHash>) -> Self {
        let mut all = FxHashSet::default();
        let mut owners: FxHashMap<NameHash, FxHashSet<usize>> = FxHashMap::default();
        for (number, unit) in units.iter().enumerate() {
            for item in unit.items.iter().filter(|item| item.kind == ItemKind::Global) {
                let name = NameHash::of(item.name.as_bytes());
                // A macro that declares something may declare whatever it names.
                if item.text.strip_prefix(&item.name).is_some_and(|rest| rest.starts_with('(')) {
                    all.extend(hydrogen_model::sources::words(&item.text));
                }
                all.insert(name);
                let head = item.text.split('=').next().unwrap_or_default();
                if head.split_whitespace().any(|word| word == "static") {
                    owners.entry(name).or_default().insert(number);
                }
            }
        }
        for (number, unit) in units.iter().enumerate() {
            for name in unit.uses.iter().flatten() {
                if owners.get(name).is_some_and(|own| !own.contains(&number)) {
                    owners.remove(name);
                }
            }
        }
        let private = owners.into_keys().filter(|name| !in_macros.contains(name)).collect();
        Self { all, private }
    }

    /// Some statement sets these.
    pub fn add(&mut self, names: impl IntoIterator<Item = NameHash>) {
        self.all.extend(names);
    }

    pub fn contains(&self, name: NameHash) -> bool {
        self.all.contains(&name)
    }

    /// The name of a variable, with its file where each file has one of its own.
    pub fn full_name(&self, name: NameHash, file: NameHash) -> NameHash {
        if self.private.contains(&name) { inside(name, file) } else { name }
    }
}

/// The name of what belongs to something else.
pub(crate) fn inside(name: NameHash, owner: NameHash) -> NameHash {
    NameHash(name.0.rotate_left(17) ^ owner.0)
}
