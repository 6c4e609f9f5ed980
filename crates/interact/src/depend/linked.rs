//! Which files belong to one program, without building: those that a file with a `main` mentions something of, directly and
//! indirectly. A file is part of a program as a whole, as linkers take it.

use super::kinds::Kinds;
use hydrogen_flow::{Digraph, reachable};
use hydrogen_ir::Linkage;
use hydrogen_model::sources::words;
use hydrogen_syntax::{ItemKind, NameHash, Unit};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Per program, whether each file belongs to it; nothing where the files have at most one `main`. What no program mentions
/// belongs to all, since it may be reached in a way that is not seen, and with all that it mentions is called by others.
pub(crate) fn linked(units: &[Arc<Unit>]) -> Vec<Vec<bool>> {
    let has_main = |unit: &Unit| unit.module.functions.iter().any(|function| function.name == "main");
    let mains: Vec<usize> = (0..units.len()).filter(|&unit| has_main(&units[unit])).collect();
    if mains.len() < 2 {
        return Vec::new();
    }
    let graph = mentions(units);
    let mut programs: Vec<Vec<bool>> = mains.iter().map(|&main| reachable(&graph, vec![main])).collect();
    let left: Vec<usize> =
        (0..units.len()).filter(|&unit| !programs.iter().any(|program| program[unit])).collect();
    let with_left = reachable(&graph, left.clone());
    let is_code = |unit: &Unit| !unit.module.functions.is_empty();
    let any_left = left.iter().any(|&unit| is_code(&units[unit]));
    for program in &mut programs {
        left.iter().for_each(|&unit| program[unit] = true);
    }
    programs.extend(any_left.then_some(with_left));
    programs
}

/// Which file mentions something of which other.
fn mentions(units: &[Arc<Unit>]) -> Digraph {
    let mut owners: FxHashMap<NameHash, Vec<usize>> = FxHashMap::default();
    let mut macros: FxHashMap<NameHash, Vec<NameHash>> = FxHashMap::default();
    let mut privates: Vec<FxHashSet<NameHash>> = vec![FxHashSet::default(); units.len()];
    for (number, unit) in units.iter().enumerate() {
        let seen = unit.module.functions.iter().filter(|function| function.linkage != Linkage::Internal);
        let hidden = unit.module.functions.iter().filter(|function| function.linkage == Linkage::Internal);
        privates[number].extend(hidden.map(|function| NameHash::of(function.name.as_bytes())));
        let mut own: FxHashSet<NameHash> =
            seen.map(|function| NameHash::of(function.name.as_bytes())).collect();
        for item in &unit.items {
            let name = NameHash::of(item.name.as_bytes());
            match item.kind {
                ItemKind::Global if !["extern ", "static "].iter().any(|it| item.text.starts_with(it)) => {
                    own.insert(name);
                }
                ItemKind::Global if item.text.starts_with("static ") => {
                    privates[number].insert(name);
                }
                ItemKind::Macro => macros.entry(name).or_default().extend(words(&item.text)),
                _ => {}
            }
        }
        own.into_iter().for_each(|name| owners.entry(name).or_default().push(number));
    }
    let mut edges = Vec::new();
    // The text of a file that is included is part of the file that includes it.
    for (number, unit) in units.iter().enumerate() {
        for item in unit.items.iter().filter(|item| item.kind == ItemKind::Include) {
            let included = item.name.trim_start_matches("../").trim_start_matches("./");
            let named = |other: &Unit| other.module.name.ends_with(included);
            edges.extend((0..units.len()).filter(|&other| named(&units[other])).map(|other| (number, other)));
        }
    }
    for (number, unit) in units.iter().enumerate() {
        let mut seen: FxHashSet<NameHash> = FxHashSet::default();
        let mut waiting: Vec<NameHash> = Vec::new();
        for (function, uses) in unit.module.functions.iter().zip(&unit.uses) {
            let locals = Kinds::locals(function);
            waiting.extend(uses.iter().filter(|name| !locals.contains_key(name)));
        }
        let globals = unit.items.iter().filter(|item| item.kind == ItemKind::Global);
        waiting.extend(globals.flat_map(|item| words(&item.text)));
        while let Some(name) = waiting.pop() {
            if !seen.insert(name) {
                continue;
            }
            waiting.extend(macros.get(&name).into_iter().flatten());
            let Some(owners) = owners.get(&name) else { continue };
            if !owners.contains(&number) && !privates[number].contains(&name) {
                edges.extend(owners.iter().map(|&owner| (number, owner)));
            }
        }
    }
    edges.sort_unstable();
    edges.dedup();
    Digraph::unlabelled(units.len(), edges)
}
