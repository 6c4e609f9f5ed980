//! Functions from which a change is reached: where a search begins when there is no program around them.

use crate::changes::Changes;
use hydrogen_ir::Linkage;
use hydrogen_machine::code::{Instr, Target};
use hydrogen_machine::{FuncId, Program};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A function that both versions have, and that comes to a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Whether other units can call it.
    pub public: bool,
    /// How many calls lie between it and a change; 0 where it has changed itself.
    pub away: u32,
}

/// The functions to begin with, the most telling first: those that others can call before those that they cannot, and the nearest ones first.
pub(crate) fn entries(programs: [&Program; 2], changes: &Changes) -> Vec<Entry> {
    let away =
        [0, 1].map(|at| nearest(programs[at], changes.sites(at).iter().map(|site| site.function).collect()));
    let mut found: BTreeMap<String, Entry> = BTreeMap::new();
    for (at, away) in away.iter().enumerate() {
        for (id, away) in away {
            let name = programs[at].function(*id).name.clone();
            let both = programs
                .iter()
                .all(|program| program.named(&name, None).is_some_and(|id| program.is_users(id)));
            if name == "main" || !both {
                continue;
            }
            let public =
                programs[at].model(*id).is_some_and(|(_, function)| function.linkage == Linkage::External);
            let entry = found.entry(name.clone()).or_insert(Entry { name, public, away: *away });
            entry.away = entry.away.min(*away);
        }
    }
    let mut all: Vec<Entry> = found.into_values().collect();
    all.sort_by_key(|entry| (!entry.public, entry.away));
    all
}

/// By function, over how many calls it comes to one of some others.
fn nearest(program: &Program, to: BTreeSet<FuncId>) -> BTreeMap<FuncId, u32> {
    let mut callers: BTreeMap<FuncId, BTreeSet<FuncId>> = BTreeMap::new();
    for caller in program.ids().filter(|id| program.is_users(*id)) {
        let Some(code) = program.code(caller) else { continue };
        for instr in &code.instrs {
            if let Instr::Call { site } = instr
                && let Target::Direct(called) = code.calls[*site as usize].target
            {
                callers.entry(called).or_default().insert(caller);
            }
        }
    }
    let mut away: BTreeMap<FuncId, u32> = to.iter().map(|id| (*id, 0)).collect();
    let mut open: VecDeque<FuncId> = to.into_iter().collect();
    while let Some(id) = open.pop_front() {
        let next = away[&id] + 1;
        for caller in callers.get(&id).into_iter().flatten() {
            if !away.contains_key(caller) {
                away.insert(*caller, next);
                open.push_back(*caller);
            }
        }
    }
    away
}
