//! One layout of structures for all versions.
//!
//! States of different versions are compared by what they hold where. A member that moved because another one was added must keep its
//! place then, so members are placed by name: where the first version seen has them, and new ones behind.

use crate::records::{Records, record_word};
use hydrogen_ir::{Module, Type, TypeId};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// New members are placed from here.
const BEHIND: u64 = 1 << 24;
/// Members that only one side of a comparison has are placed from here, and all of them before the next number.
const ALONE: u64 = 1 << 40;
const ALONE_TO: u64 = 1 << 48;
/// No structure is larger.
const ROOM: u64 = 1 << 20;

/// Members of a type: offset, size, common place.
type Places = Arc<[(u64, u64, u64)]>;

/// The common places of members, by structure and member.
#[derive(Debug, Default)]
pub struct Layouts {
    places: BTreeMap<String, BTreeMap<String, u64>>,
    /// By module and structure: members that have another name in the version that the names are of.
    renamed: FxHashMap<usize, BTreeMap<String, BTreeMap<String, String>>>,
    /// By structure: members that have no counterpart in what is compared with them.
    alone: BTreeMap<String, BTreeSet<String>>,
    /// By module: the file that it is in before the fix, where that is another one.
    files: FxHashMap<usize, String>,
    /// By module.
    records: FxHashMap<usize, Records>,
    /// By module and type.
    known: FxHashMap<(usize, TypeId), Places>,
}

impl Layouts {
    /// Members of a module's structures that are known under other names.
    pub fn rename(&mut self, module: &Arc<Module>, names: &BTreeMap<String, BTreeMap<String, String>>) {
        self.renamed.insert(Arc::as_ptr(module) as usize, names.clone());
    }

    /// The file of a module in the version that is compared with: its variables are the same wherever it was moved to.
    pub fn set_file(&mut self, module: &Arc<Module>, file: String) {
        self.files.insert(Arc::as_ptr(module) as usize, file);
    }

    /// The file of a module, if it was moved.
    pub fn file(&self, module: &Arc<Module>) -> Option<&str> {
        self.files.get(&(Arc::as_ptr(module) as usize)).map(String::as_str)
    }

    /// Members that have no counterpart: what they hold, and where they lie, says nothing about another version.
    pub fn set_alone(&mut self, alone: BTreeMap<String, BTreeSet<String>>) {
        self.alone = alone;
    }

    /// Whether a number of an address speaks of a member that has no counterpart.
    pub fn is_alone(&self, number: u64) -> bool {
        let is_there = |number: u64| (ALONE..ALONE_TO).contains(&number);
        !self.alone.is_empty() && (is_there(number) || is_there(number.wrapping_neg()))
    }

    /// The common offset for a version's own.
    pub fn common(&mut self, module: &Arc<Module>, ty: TypeId, offset: u64) -> u64 {
        let key = (Arc::as_ptr(module) as usize, ty);
        let places = match self.known.get(&key) {
            Some(places) => Arc::clone(places),
            None => {
                let places = self.place(module, ty, key.0);
                self.known.insert(key, Arc::clone(&places));
                places
            }
        };
        let holds = |&&(first, size, _): &&(u64, u64, u64)| (first..first + size.max(1)).contains(&offset);
        places.iter().find(holds).map_or(offset, |(first, _, common)| common + (offset - first))
    }

    fn place(&mut self, module: &Module, ty: TypeId, key: usize) -> Places {
        let Type::Struct(body) = module.types.get(ty) else { return Arc::new([]) };
        let records = self.records.entry(key).or_insert_with(|| Records::of(module));
        let name = body.name.as_deref().map(record_word);
        let Some((name, members)) =
            name.and_then(|name| records.members(module, name).map(|members| (name, members)))
        else {
            return Arc::new([]);
        };
        let names = self.renamed.get(&key).and_then(|records| records.get(name));
        let first = !self.places.contains_key(name);
        let places = self.places.entry(name.to_owned()).or_default();
        let mut out = Vec::new();
        for member in members {
            let (own, size) = (member.offset_bits / 8, member.size_bits.div_ceil(8));
            let next = places.len() as u64 * ROOM;
            let known = names.and_then(|names| names.get(&member.name)).unwrap_or(&member.name);
            let alone = self.alone.get(name).and_then(|names| names.iter().position(|other| other == known));
            let place = match (alone, first) {
                (Some(at), _) => ALONE + at as u64 * ROOM,
                (None, true) => own,
                (None, false) => BEHIND + next,
            };
            let common = *places.entry(known.clone()).or_insert(place);
            out.push((own, size, common));
        }
        out.into()
    }
}
