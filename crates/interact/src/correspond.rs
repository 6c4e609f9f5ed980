//! Which statements of two versions are the same (B7).

use crate::change::{Hunk, Matching};
use crate::depend::{Dependence, StatementId};
use crate::facts::FunctionFacts;
use crate::pairs::{Touched, pair};
use hydrogen_ir::Role;
use rustc_hash::FxHashMap;

/// The statements that two versions share, both ways.
#[derive(Debug, Default)]
pub struct Correspondence {
    to_new: Vec<Option<StatementId>>,
    to_old: Vec<Option<StatementId>>,
    /// As `to_new`, and also statements that say something else in the same place.
    counterparts: Vec<Option<StatementId>>,
    /// The same, seen from the new version.
    predecessors: Vec<Option<StatementId>>,
}

/// Where functions begin and how many pieces they have, by path and position.
type Places<'a> = FxHashMap<(&'a str, u32), (u32, u32)>;

impl Correspondence {
    /// Matches the statements of functions that belong together; `touched` are the files that differ.
    pub fn of(touched: &[Touched], old: &Dependence, new: &Dependence) -> Self {
        let mut same = Self {
            to_new: vec![None; old.len()],
            to_old: vec![None; new.len()],
            counterparts: vec![None; old.len()],
            predecessors: vec![None; new.len()],
        };
        let (before, after) = (places(old), places(new));
        let differs: FxHashMap<&str, ()> = touched.iter().map(|file| (&*file.path, ())).collect();
        for (place, &(first, count)) in &after {
            if let Some(&(was, other)) = before.get(place).filter(|_| !differs.contains_key(place.0))
                && other == count
            {
                (0..count).for_each(|piece| same.join(was + piece, first + piece));
            }
        }
        for (&(file, at), &(old_file, was)) in &pair(touched).old_of {
            let (Some(new_file), Some(old_file)) = (&touched[file].new, &touched[old_file].old) else {
                continue;
            };
            let (Some(&(first, count)), Some(&(was_first, was_count))) =
                (after.get(&(&*new_file.path, at as u32)), before.get(&(&*old_file.path, was as u32)))
            else {
                continue;
            };
            let (old_facts, new_facts) = (&old_file.functions[was], &new_file.functions[at]);
            // What was read differently for the two purposes is not matched: nothing is promised about it.
            if (old_facts.pieces.len(), new_facts.pieces.len()) != (was_count as usize, count as usize) {
                continue;
            }
            let matching = Matching::of(old_facts, new_facts);
            for (piece, partner) in matching.forward.iter().enumerate() {
                if let Some(partner) = partner {
                    same.join(was_first + piece as u32, first + partner);
                }
            }
            let code = |dependence: &Dependence, entry: u32| {
                dependence.place(StatementId(entry)).1.pieces.iter().map(|it| it.role).collect::<Vec<Role>>()
            };
            let roles = (code(old, was_first), code(new, first));
            for hunk in &matching.hunks {
                for (was, is) in replaced(hunk, old_facts, new_facts, &roles) {
                    same.counterparts[(was_first + was) as usize] = Some(StatementId(first + is));
                    same.predecessors[(first + is) as usize] = Some(StatementId(was_first + was));
                }
            }
        }
        same
    }

    fn join(&mut self, old: u32, new: u32) {
        self.to_new[old as usize] = Some(StatementId(new));
        self.counterparts[old as usize] = Some(StatementId(new));
        self.to_old[new as usize] = Some(StatementId(old));
        self.predecessors[new as usize] = Some(StatementId(old));
    }

    /// The statement of the new version that an old one became.
    pub fn new_of(&self, old: StatementId) -> Option<StatementId> {
        self.to_new.get(old.0 as usize).copied().flatten()
    }

    /// As [`Correspondence::new_of`]; a statement that was changed in place has one too.
    pub fn counterpart(&self, old: StatementId) -> Option<StatementId> {
        self.counterparts.get(old.0 as usize).copied().flatten()
    }

    /// As [`Correspondence::old_of`]; a statement that was changed in place has one too.
    pub fn predecessor(&self, new: StatementId) -> Option<StatementId> {
        self.predecessors.get(new.0 as usize).copied().flatten()
    }

    /// The statement of the old version that a new one was.
    pub fn old_of(&self, new: StatementId) -> Option<StatementId> {
        self.to_old.get(new.0 as usize).copied().flatten()
    }
}

/// Statements of a hunk that were changed in place: of the same kind, in the same order, and with a word in common.
fn replaced(
    hunk: &Hunk,
    old: &FunctionFacts,
    new: &FunctionFacts,
    roles: &(Vec<Role>, Vec<Role>),
) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    let mut next = hunk.new.0;
    let end = hunk.new.0 + hunk.new.1;
    for was in hunk.old.0..hunk.old.0 + hunk.old.1 {
        let words = old.words_of(was as usize);
        let alike = |is: &u32| {
            let same = |word: &u32| words.contains(word);
            roles.0[was as usize] == roles.1[*is as usize]
                && (new.words_of(*is as usize).iter().any(same) || words.is_empty())
        };
        if let Some(is) = (next..end).find(alike) {
            found.push((was, is));
            next = is + 1;
        }
    }
    found
}

fn places(dependence: &Dependence) -> Places<'_> {
    let units = dependence.units();
    let place = |(unit, function, entry): (u32, u32, StatementId)| {
        let module = &units[unit as usize].module;
        let count = module.functions[function as usize].pieces.len() as u32;
        ((module.name.as_str(), function), (entry.0, count))
    };
    dependence.functions().map(place).collect()
}
