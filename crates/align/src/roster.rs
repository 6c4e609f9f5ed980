//! Which function of one program goes with which of the other.

use crate::variables::hashes;
use hydrogen_flow::{called, pointed};
use hydrogen_ir::{ContentHash, FunctionId, FunctionSummary, Module, ModuleSummary, summarize};
use std::collections::{BTreeMap, BTreeSet};

/// The functions of two programs. A function goes by its name; where a program has several of one name (statics of different files), by
/// name and file in both.
pub struct Roster {
    /// Those of the old program, by key.
    pub old: BTreeMap<String, FunctionId>,
    /// Those of the new program, by key.
    pub new: BTreeMap<String, FunctionId>,
    /// Those whose own code, and the constants that it reads, are the same in both.
    pub same: BTreeSet<String>,
    /// Those of which a program has several that differ, even in one file: which is meant is not known.
    pub ambiguous: BTreeSet<String>,
    /// Those of them that did not change: both programs have the same ones in the same order, as of a file that is compiled in several ways.
    pub untouched: BTreeSet<String>,
}

impl Roster {
    /// Compares the functions of two programs.
    pub fn of(old: &Module, new: &Module) -> Self {
        let (a, b) = (summarize(old), summarize(new));
        let several: BTreeSet<String> = repeated(&a).union(&repeated(&b)).cloned().collect();
        let (olds, news) = (listed(old, &a, &several), listed(new, &b, &several));
        let statics: BTreeSet<String> = [&a, &b].into_iter().flat_map(repeated_globals).collect();
        let constants = Constants::of(old, new, &a, &b);
        let mut ambiguous = BTreeSet::new();
        for all in [&olds, &news] {
            let differ = |copies: &Vec<(FunctionId, &FunctionSummary)>| {
                copies.iter().any(|(_, copy)| copy.code != copies[0].1.code)
            };
            ambiguous.extend(all.iter().filter(|(_, copies)| differ(copies)).map(|(key, _)| key.clone()));
        }
        let is_same = |key: &&String| {
            let (Some(one), Some(other)) = (olds.get(*key), news.get(*key)) else { return false };
            let ((id, one), (_, other)) = (one[0], other[0]);
            // In another file, a name that several have may mean another one.
            let means_others = || {
                one.globals.iter().any(|global| statics.contains(global))
                    || called(old, id)
                        .union(&pointed(old, id))
                        .any(|callee| several.contains(&old.function(*callee).name))
            };
            one.code.is_some()
                && one.code == other.code
                && (one.file == other.file || !means_others())
                && one.globals.iter().all(|global| constants.are_same(global))
        };
        let codes = |copies: &[(FunctionId, &FunctionSummary)]| -> Vec<Option<ContentHash>> {
            copies.iter().map(|(_, copy)| copy.code).collect()
        };
        let is_untouched = |key: &&String| {
            let (Some(one), Some(other)) = (olds.get(*key), news.get(*key)) else { return false };
            let mut globals = one.iter().chain(other).flat_map(|(_, copy)| &copy.globals);
            codes(one) == codes(other) && globals.all(|global| constants.are_same(global))
        };
        let untouched = ambiguous.iter().filter(is_untouched).cloned().collect();
        let same = olds.keys().filter(is_same).filter(|key| !ambiguous.contains(*key)).cloned().collect();
        let first = |all: BTreeMap<String, Vec<(FunctionId, &FunctionSummary)>>| {
            all.into_iter().map(|(key, copies)| (key, copies[0].0)).collect()
        };
        Self { old: first(olds), new: first(news), same, ambiguous, untouched }
    }
}

/// Names that several functions have.
fn repeated(summary: &ModuleSummary) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    summary.functions.iter().map(|one| &one.name).filter(|name| !seen.insert(*name)).cloned().collect()
}

/// Names that several variables have.
fn repeated_globals(summary: &ModuleSummary) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    summary.globals.iter().map(|one| &one.name).filter(|name| !seen.insert(*name)).cloned().collect()
}

fn listed<'s>(
    module: &Module,
    summary: &'s ModuleSummary,
    several: &BTreeSet<String>,
) -> BTreeMap<String, Vec<(FunctionId, &'s FunctionSummary)>> {
    let mut found: BTreeMap<String, Vec<(FunctionId, &FunctionSummary)>> = BTreeMap::new();
    for ((id, function), one) in module.definitions().zip(&summary.functions) {
        if function.body.is_none() {
            continue;
        }
        let key = match several.contains(&one.name) {
            true => format!("{} ({})", one.name, one.file),
            false => one.name.clone(),
        };
        found.entry(key).or_default().push((id, one));
    }
    found
}

/// Which globals a program only reads, and what they hold.
struct Constants {
    variables: [BTreeSet<String>; 2],
    hashes: [BTreeMap<String, Vec<ContentHash>>; 2],
}

impl Constants {
    fn of(old: &Module, new: &Module, a: &ModuleSummary, b: &ModuleSummary) -> Self {
        let variables = |module: &Module| -> BTreeSet<String> {
            let all = module.globals.iter().filter(|global| !global.constant);
            all.map(|global| global.name.clone()).collect()
        };
        Self { variables: [variables(old), variables(new)], hashes: [hashes(a), hashes(b)] }
    }

    /// Variables are compared for every value; what is not known to be one counts with its value.
    fn are_same(&self, global: &String) -> bool {
        self.variables.iter().all(|names| names.contains(global))
            || self.hashes[0].get(global) == self.hashes[1].get(global)
    }
}
