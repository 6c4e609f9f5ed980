//! Where runs of two versions begin: most repositories hold several programs, or none.

use hydrogen_ir::{Const, ContentHash, Module, Operand, Reference, summarize};
use hydrogen_program::defining;
use std::collections::{BTreeMap, BTreeSet};

/// Where runs begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Start {
    /// In the entry point: of this unit, where several have one, and not of these others.
    Program { unit: Option<String>, others: Vec<String> },
    /// In the functions themselves: no entry point is there in both versions, but for those of these tests. Some of them come to the change and are
    /// the same in both versions: their programs can be run too.
    Functions { tests: Vec<String>, drivers: Vec<String> },
}

/// Words by which people call what is no program of its own.
const NO_PROGRAM: [&str; 12] = [
    "test",
    "tests",
    "unittest",
    "example",
    "examples",
    "bench",
    "benchmark",
    "fuzz",
    "demo",
    "smoke",
    "perf",
    // What CMake compiles to learn about the compiler.
    "cmakefiles",
];

/// Whether a file is a test or an example by its name or by the folders it lies in.
pub fn is_test(file: &str) -> bool {
    let words = file
        .split(|c: char| !c.is_ascii_alphanumeric())
        .map(|word| word.trim_end_matches(|c: char| c.is_ascii_digit()));
    words.map(str::to_ascii_lowercase).any(|word| NO_PROGRAM.contains(&word.as_str()))
}

/// Where runs of two versions begin; the user may have named the unit.
pub fn choose(versions: [&[Module]; 2], entry: &str, unit: Option<&str>) -> Start {
    let [old, new] = versions.map(|modules| defining(modules, entry));
    if let Some(unit) = unit {
        return Start::Program { unit: Some(unit.to_owned()), others: Vec::new() };
    }
    // One file each, whatever they are called.
    if versions.iter().all(|modules| modules.len() == 1) && old.len() + new.len() == 2 {
        return Start::Program { unit: None, others: Vec::new() };
    }
    let common: Vec<&str> = new.iter().copied().filter(|name| old.contains(name)).collect();
    let (tests, programs): (Vec<&str>, Vec<&str>) = common.iter().partition(|name| is_test(name));
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let chosen = match programs.as_slice() {
        [] => {
            let changed = changed(versions);
            let same = |name: &&&str| is_same(versions, name) && reaches(versions[1], name, entry, &changed);
            let drivers: Vec<&str> = tests.iter().filter(same).copied().collect();
            return Start::Functions { tests: owned(&tests), drivers: owned(&drivers) };
        }
        [one] => one,
        [first, ..] => {
            let changed = changed(versions);
            let reaches = |name: &&&str| reaches(versions[1], name, entry, &changed);
            programs.iter().find(reaches).unwrap_or(first)
        }
    };
    let others: Vec<&str> = programs.iter().copied().filter(|name| name != chosen).collect();
    let alone = old.len() == 1 && new.len() == 1;
    Start::Program { unit: (!alone).then(|| (*chosen).to_owned()), others: owned(&others) }
}

/// Whether a unit is the same in both versions, so that a difference comes from what it uses.
fn is_same(versions: [&[Module]; 2], unit: &str) -> bool {
    let [old, new] = versions.map(|modules| {
        let module = modules.iter().find(|module| module.name == unit)?;
        let summary = summarize(module);
        let code: Vec<_> = summary.functions.into_iter().map(|one| (one.name, one.code)).collect();
        let data: Vec<_> = summary.globals.into_iter().map(|one| (one.name, one.hash)).collect();
        Some((code, data))
    });
    old.is_some() && old == new
}

/// The functions and variables that differ, by name.
fn changed(versions: [&[Module]; 2]) -> BTreeSet<String> {
    let [old, new] = versions.map(|modules| {
        let mut all: BTreeMap<String, BTreeSet<Option<ContentHash>>> = BTreeMap::new();
        for module in modules {
            let summary = summarize(module);
            for function in summary.functions {
                all.entry(function.name).or_default().insert(function.code);
            }
            for global in summary.globals {
                all.entry(global.name).or_default().insert(Some(global.hash));
            }
        }
        all
    });
    let names = old.keys().chain(new.keys());
    names.filter(|name| old.get(*name) != new.get(*name)).cloned().collect()
}

/// Whether the program of a unit comes to something of this name, by what its functions mention.
fn reaches(modules: &[Module], unit: &str, entry: &str, wanted: &BTreeSet<String>) -> bool {
    let others: Vec<&str> = defining(modules, entry).into_iter().filter(|name| *name != unit).collect();
    let mut mentions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for module in modules.iter().filter(|module| !others.contains(&module.name.as_str())) {
        for (_, function) in module.definitions() {
            let all = mentions.entry(&function.name).or_default();
            let Some(body) = &function.body else { continue };
            for instruction in &body.instructions {
                instruction.op.references(|reference| {
                    if let Reference::Operand(Operand::Const(id)) = reference {
                        all.extend(named(module, *id));
                    }
                });
            }
        }
        for global in &module.globals {
            let all = mentions.entry(&global.name).or_default();
            all.extend(global.initializer.into_iter().flat_map(|value| named(module, value)));
        }
    }
    let mut seen = BTreeSet::from([entry]);
    let mut open = vec![entry];
    while let Some(name) = open.pop() {
        if wanted.contains(name) {
            return true;
        }
        let next = mentions.get(name).into_iter().flatten();
        open.extend(next.copied().filter(|name| seen.insert(*name)));
    }
    false
}

/// The functions and variables that a constant names.
fn named(module: &Module, from: hydrogen_ir::ConstId) -> Vec<&str> {
    let mut found = Vec::new();
    let mut open = vec![from];
    while let Some(id) = open.pop() {
        match module.constant(id) {
            Const::Function(id) => found.push(module.function(*id).name.as_str()),
            Const::Global(id) => found.push(module.global(*id).name.as_str()),
            constant => constant.references(|reference| {
                if let Reference::Const(id) = reference {
                    open.push(*id);
                }
            }),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::is_test;

    #[test]
    fn tests_are_known_by_their_names() {
        for file in [
            "tests/unittest.c",
            "test1.c",
            "examples/ini_dump.c",
            "src/fuzz-x.c",
            "bench.c",
            "smoke.c",
            "my_test.c",
            "out/CMakeFiles/3.25.1/CompilerIdC/CMakeCCompilerId.c",
        ] {
            assert!(is_test(file), "{file}");
        }
        for file in ["src/main.c", "repl.c", "tools/attestation.c", "latest/cut.c", "contest.c"] {
            assert!(!is_test(file), "{file}");
        }
    }
}
