//! What a version may have and could not be read: a file that did not compile is no deletion.
//!
//! A version lists the files that are missing from it ([`crate::VersionInfo::missing`]). A function of such a file is
//! *unread* there: neither absent nor present. It keeps its chain, so that the next version that can be read is compared
//! with the last one that could.

use crate::input::Gap;
use crate::model::{Graph, Key};
use crate::{ChainId, VersionId};
use hashbrown::HashMap;
use std::collections::BTreeSet;

/// Whether functions of a file may be among what is missing: the file itself, or a header, which any unit may include.
pub(crate) fn may_be_missing(missing: &[Gap], file: &str) -> bool {
    missing.iter().any(|gap| gap.file == file || !file.ends_with(".c"))
}

impl Graph {
    /// Whether it is unknown if a version has a function, because the file could not be read.
    pub fn is_unread(&self, chain: ChainId, version: VersionId) -> bool {
        let Some(info) = self.versions.get(version.index()).filter(|info| !info.missing.is_empty()) else {
            return false;
        };
        !self.chain_in(chain, version) && may_be_missing(&info.missing, self.location(chain, version).0)
    }

    /// Per function, whether one of two versions has it and the other may have it.
    pub(crate) fn unread_in_one(&self, old: VersionId, new: VersionId) -> Vec<bool> {
        let one = |chain| self.chain_in(chain, old) != self.chain_in(chain, new);
        let unread = |chain| self.is_unread(chain, old) || self.is_unread(chain, new);
        self.chains().map(|chain| one(chain) && unread(chain)).collect()
    }

    /// The nearest versions before this one for which it is known whether they have a function: the parents, or what is
    /// before a parent that could not be read.
    pub fn known_before(&self, chain: ChainId, version: VersionId) -> Vec<VersionId> {
        let parents = &self.versions[version.index()].parents;
        if parents.iter().all(|&parent| !self.is_unread(chain, parent)) {
            return parents.clone();
        }
        let mut found = Vec::new();
        let mut seen = BTreeSet::new();
        let mut work: Vec<VersionId> = parents.iter().rev().copied().collect();
        while let Some(next) = work.pop() {
            if !seen.insert(next) {
                continue;
            }
            if self.is_unread(chain, next) {
                work.extend(self.versions[next.index()].parents.iter().rev());
            } else {
                found.push(next);
            }
        }
        found
    }

    /// Remembers which functions a version hides, by the key they had when they were last seen.
    pub(crate) fn enter_hidden(&mut self, version: VersionId) {
        let info = &self.versions[version.index()];
        if info.missing.is_empty() {
            return;
        }
        let mut hidden: HashMap<Key, ChainId> = HashMap::new();
        // Where parents disagree the first one counts: it is entered last.
        for parent in info.parents.iter().rev() {
            let older = self.hidden.get(parent).into_iter().flatten().map(|(key, chain)| (*key, *chain));
            let all = older.chain(self.keys_at(*parent));
            hidden.extend(all.filter(|(_, chain)| self.is_unread(*chain, version)));
        }
        self.hidden.insert(version, hidden);
    }
}
