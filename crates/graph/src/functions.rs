//! Which chain each function of a new version continues.

use crate::input::{AddError, FunctionInput};
use crate::model::{Graph, Key};
use crate::shape::Shape;
use crate::unread::may_be_missing;
use crate::{ChainId, NameId, VersionId, VersionInfo};
use hashbrown::{HashMap, HashSet};
use hydrogen_align::{Candidate, alike};
use std::collections::{BTreeMap, BTreeSet};

impl Graph {
    /// The functions of a version by key.
    pub(crate) fn keys_at(&self, version: VersionId) -> HashMap<Key, ChainId> {
        (0..self.chains.len())
            .map(ChainId::at)
            .filter(|&chain| self.chain_in(chain, version))
            .map(|chain| (self.chains[chain.index()].places.at(version.0).key(), chain))
            .collect()
    }

    /// Sorts the functions, because their order must not matter (INV-8), and refuses repetitions.
    pub(crate) fn sort_functions(functions: &mut [FunctionInput<'_>], version: &str) -> Result<(), AddError> {
        if !functions.is_sorted_by(|a, b| a.key <= b.key) {
            functions.sort_by(|a, b| a.key.cmp(&b.key));
        }
        match functions.windows(2).find(|pair| pair[0].key == pair[1].key) {
            Some(pair) => {
                Err(AddError::Duplicate { version: version.to_owned(), name: pair[0].key.name.clone() })
            }
            None => Ok(()),
        }
    }

    /// The chain that has the same key in a parent, or had it before the parent could not be read, for each function; the
    /// first parent counts most. No two functions get the same chain.
    pub(crate) fn same_key(&self, keys: &[Key], parents: &[VersionId]) -> Vec<Option<ChainId>> {
        let mut found: Vec<Option<ChainId>> = vec![None; keys.len()];
        let mut used: HashSet<ChainId> = HashSet::new();
        for &parent in parents {
            let older;
            let table = if parent.index() + 1 == self.versions.len() {
                &self.current
            } else {
                older = self.keys_at(parent);
                &older
            };
            for (at, key) in keys.iter().enumerate() {
                if found[at].is_none()
                    && let Some(&chain) = table.get(key)
                    && used.insert(chain)
                {
                    found[at] = Some(chain);
                }
            }
        }
        for hidden in parents.iter().filter_map(|parent| self.hidden.get(parent)) {
            for (at, key) in keys.iter().enumerate().filter(|_| !hidden.is_empty()) {
                if found[at].is_none()
                    && let Some(&chain) = hidden.get(key)
                    && used.insert(chain)
                {
                    found[at] = Some(chain);
                }
            }
        }
        found
    }

    /// The files of functions by number; those that no version had before get numbers from the end.
    fn files_of<'f>(&self, functions: &[FunctionInput<'f>]) -> HashMap<&'f str, NameId> {
        let mut found: HashMap<&str, NameId> = HashMap::new();
        for function in functions {
            let next = NameId(u32::MAX - found.len() as u32);
            found.entry(function.file).or_insert_with(|| self.names.find(function.file).map_or(next, NameId));
        }
        found
    }

    /// The files of a parent that are in another place here, by the functions that are known to be the same: all of a file went to one other,
    /// which has nothing from elsewhere.
    fn moved_files(
        &self,
        functions: &[FunctionInput<'_>],
        files: &HashMap<&str, NameId>,
        found: &[Option<ChainId>],
        parent: VersionId,
    ) -> Vec<(NameId, NameId)> {
        let mut went: BTreeSet<(NameId, NameId)> = BTreeSet::new();
        for (function, chain) in functions.iter().zip(found) {
            if let Some(chain) = chain.filter(|chain| self.chain_in(*chain, parent)) {
                let from = self.chains[chain.index()].places.at(parent.0).file;
                went.insert((from, files[function.file]));
            }
        }
        let only = |(from, to): &(NameId, NameId)| {
            from != to && went.iter().filter(|(one, other)| one == from || other == to).count() == 1
        };
        went.iter().filter(|pair| only(pair)).copied().collect()
    }

    /// Continues chains of the parents that would end here by functions that would begin here, where they are alike. Only the
    /// chains that are `near` can end, if it is known which these are.
    pub(crate) fn follow_renames(
        &self,
        keys: &[Key],
        functions: &[FunctionInput<'_>],
        shapes: &BTreeMap<usize, Shape>,
        info: &VersionInfo,
        near: Option<&[ChainId]>,
        found: &mut [Option<ChainId>],
    ) {
        for &parent in &info.parents {
            let used: HashSet<ChainId> = found.iter().flatten().copied().collect();
            let come: Vec<usize> = (0..keys.len()).filter(|&at| found[at].is_none()).collect();
            if come.is_empty() {
                return;
            }
            let files = self.files_of(functions);
            let moved = self.moved_files(functions, &files, found, parent);
            let new = come.iter().map(|&at| Candidate {
                name: keys[at].0,
                file: files[functions[at].file],
                symbols: shapes[&at].symbols.iter().filter(|symbol| symbol.is_real()).copied().collect(),
            });
            let all: Vec<ChainId> = match near {
                Some(near) => near.to_vec(),
                None => self.chains().collect(),
            };
            let gone: Vec<ChainId> = all
                .into_iter()
                .filter(|chain| self.chain_in(*chain, parent) && !used.contains(chain))
                // What could not be read has not gone anywhere.
                .filter(|chain| !may_be_missing(&info.missing, self.location(*chain, parent).0))
                .collect();
            let old = gone.iter().map(|&chain| {
                let place = self.chains[chain.index()].places.at(parent.0);
                let nodes = self.pieces(chain, parent);
                let symbols = nodes.iter().map(|node| self.nodes[node.index()].symbol);
                let symbols = symbols.filter(|symbol| symbol.is_real()).collect();
                Candidate { name: place.name, file: place.file, symbols }
            });
            for (was, is) in alike(&old.collect::<Vec<_>>(), &new.collect::<Vec<_>>(), &moved) {
                found[come[is]] = Some(gone[was]);
            }
        }
    }
}
