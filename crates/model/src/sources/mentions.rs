//! Who mentions a name, among the files of one tree: so that a header that says something else about a few names costs the files that
//! mention them, not a look at every file.

use crate::common::differing;
use bstr::BString;
use hydrogen_history::Oid;
use hydrogen_syntax::{ByHash, Mentioned, NameHash};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// The names that the files of a tree mention, as far as they were read.
#[derive(Debug, Clone, Default)]
pub(super) struct Index {
    ids: HashMap<BString, u32>,
    paths: Vec<BString>,
    /// What was entered for each file.
    entered: HashMap<u32, Arc<[Arc<Mentioned>]>>,
    /// The files that mention a name, in order, each with how many of its pieces do.
    users: HashMap<NameHash, Vec<(u32, u32)>, ByHash>,
    /// Files that are not read yet, and their content.
    waiting: HashMap<u32, Oid>,
}

impl Index {
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
    pub fn learn(&mut self, known: impl Fn(Oid, &BString) -> Option<Arc<[Arc<Mentioned>]>>) {
        let found: Vec<(u32, Arc<[Arc<Mentioned>]>)> = self
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
        let users = names.iter().filter_map(|name| self.users.get(name)).flatten().map(|(id, _)| id);
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

    /// Replaces what a file mentions. Versions of a file share most pieces: only the others are looked at.
    fn enter(&mut self, id: u32, new: Arc<[Arc<Mentioned>]>) {
        let old = self.entered.insert(id, Arc::clone(&new)).unwrap_or_default();
        let (old, new) = differing(&old, &new, Arc::as_ptr);
        for added in new.iter().flat_map(|piece| piece.names()) {
            let users = self.users.entry(*added).or_default();
            match users.binary_search_by_key(&id, |user| user.0) {
                Ok(at) => users[at].1 += 1,
                Err(at) => users.insert(at, (id, 1)),
            }
        }
        for gone in old.iter().flat_map(|piece| piece.names()) {
            let Some(users) = self.users.get_mut(gone) else { continue };
            if let Ok(at) = users.binary_search_by_key(&id, |user| user.0) {
                users[at].1 -= 1;
                if users[at].1 == 0 {
                    users.remove(at);
                }
            }
            if users.is_empty() {
                self.users.remove(gone);
            }
        }
    }
}
