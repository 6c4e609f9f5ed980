//! The commits right before a list of versions: what they have, no version of the list introduced.

use hydrogen_history::version::{self, Source, Version};
use hydrogen_history::{Objects, Repository};
use std::collections::{BTreeMap, BTreeSet};

/// A list of versions behind the commits that it begins after.
#[derive(Debug, Default)]
pub struct Extended {
    /// All versions; those that were not given come first, oldest first.
    pub versions: Vec<Version>,
    /// How many were not given.
    pub before: usize,
}

/// Puts the parents of commits in front of a list that does not lead to them: a commit that has no ancestor in the list is
/// compared with its own parents, not with whatever version the list happens to have before it. What cannot be read is left
/// out, as in a shallow clone.
pub fn with_parents(versions: Vec<Version>) -> Extended {
    let mut views: BTreeMap<std::path::PathBuf, Option<Objects>> = BTreeMap::new();
    let mut seen: BTreeSet<(std::path::PathBuf, String)> = BTreeSet::new();
    let mut found: Vec<(i64, Version)> = Vec::new();
    for (at, outside) in version::outside(&versions).into_iter().enumerate() {
        let Source::Commit(child) = &versions[at].source else { continue };
        for commit in outside {
            let view = views
                .entry(child.repository.clone())
                .or_insert_with(|| Repository::open(&child.repository).ok().map(|it| Objects::new(&it)));
            let Some(view) =
                view.as_ref().filter(|_| seen.insert((child.repository.clone(), commit.clone())))
            else {
                continue;
            };
            if let (Ok(info), Ok(time)) = (view.commit(&commit), view.committed(&commit)) {
                found.push((time, Version { name: commit, source: Source::Commit(info) }));
            }
        }
    }
    found.sort_by(|a, b| (a.0, &a.1.name).cmp(&(b.0, &b.1.name)));
    let before = found.len();
    let versions = found.into_iter().map(|(_, version)| version).chain(versions).collect();
    Extended { versions, before }
}
