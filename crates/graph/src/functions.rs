//! Which chain each function of a new version continues.

use crate::input::{AddError, FunctionInput};
use crate::model::{Graph, Key};
use crate::shape::Shape;
use crate::unread::may_be_missing;
use crate::{ChainId, NameId, VersionId, VersionInfo};
use hashbrown::{HashMap, HashSet};
use hydrogen_align::{Candidate, alike};
use std::collections::BTreeMap;

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
            let new = come.iter().map(|&at| Candidate {
                name: keys[at].0,
                file: self.names.find(functions[at].file).map_or(NameId(u32::MAX), NameId),
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
            for (was, is) in alike(&old.collect::<Vec<_>>(), &new.collect::<Vec<_>>()) {
                found[come[is]] = Some(gone[was]);
            }
        }
    }
}
