//! Who mentions a name, among the files of one tree: so that a header that says something else about a few names costs the files that
//! mention them, not a look at every file.

use bstr::BString;
use hydrogen_history::Oid;
use hydrogen_syntax::NameHash;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// The names that the files of a tree mention, as far as they were read.
#[derive(Debug, Clone, Default)]
pub(super) struct Mentions {
    ids: HashMap<BString, u32>,
    paths: Vec<BString>,
    /// What was entered for each file.
    entered: HashMap<u32, Arc<[NameHash]>>,
    /// The files that mention a name, in order.
    users: HashMap<NameHash, Vec<u32>>,
    /// Files that are not read yet, and their content.
    waiting: HashMap<u32, Oid>,
}

impl Mentions {
    /// A file got another content, or is gone.
    pub fn changed(&mut self, path: &BString, now: Option<Oid>) {
        let id = self.id(path);
        match now {
            Some(oid) => drop(self.waiting.insert(id, oid)),
            None => {
                self.waiting.remove(&id);
                self.enter(id, Arc::default());
                self.entered.remove(&id);
            }
        }
    }

    /// Enters what is known by now about files that were not read.
    pub fn learn(&mut self, known: impl Fn(Oid, &BString) -> Option<Arc<[NameHash]>>) {
        let found: Vec<(u32, Arc<[NameHash]>)> = self
            .waiting
            .iter()
            .filter_map(|(id, oid)| Some((*id, known(*oid, &self.paths[*id as usize])?)))
            .collect();
        for (id, mentions) in found {
            self.waiting.remove(&id);
            self.enter(id, mentions);
        }
    }

    /// The files that mention one of the names, or may do because they were not read yet, by path.
    pub fn of(&self, names: &[NameHash]) -> BTreeSet<&BString> {
        let users = names.iter().filter_map(|name| self.users.get(name)).flatten();
        users.chain(self.waiting.keys()).map(|id| &self.paths[*id as usize]).collect()
    }

    fn id(&mut self, path: &BString) -> u32 {
        if let Some(&id) = self.ids.get(path) {
            return id;
        }
        let id = u32::try_from(self.paths.len()).expect("fewer than 2^32 files");
        self.ids.insert(path.clone(), id);
        self.paths.push(path.clone());
        id
    }

    /// Replaces what a file mentions; both lists are sorted.
    fn enter(&mut self, id: u32, new: Arc<[NameHash]>) {
        let old = self.entered.insert(id, Arc::clone(&new)).unwrap_or_default();
        for gone in old.iter().filter(|name| new.binary_search(name).is_err()) {
            if let Some(users) = self.users.get_mut(gone) {
                users.retain(|user| *user != id);
                if users.is_empty() {
                    self.users.remove(gone);
                }
            }
        }
        for added in new.iter().filter(|name| old.binary_search(name).is_err()) {
            let users = self.users.entry(*added).or_default();
            if let Err(at) = users.binary_search(&id) {
                users.insert(at, id);
            }
        }
    }
}
