//! Which versions came from which.

use super::{Source, Version};
use crate::Repository;
use gix::ObjectId;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// For each version, the nearest earlier ones of the list that git says it was made from, first parents first. Empty for
/// folders, bitcode, and commits without such an ancestor. What cannot be read counts as the end of history.
pub fn ancestors(versions: &[Version]) -> Vec<Vec<usize>> {
    let mut places: HashMap<(&Path, ObjectId), usize> = HashMap::new();
    let mut repositories: HashMap<&Path, Option<gix::Repository>> = HashMap::new();
    let mut all: Vec<Vec<usize>> = Vec::new();
    for (at, version) in versions.iter().enumerate() {
        let mut found = Vec::new();
        if let Source::Commit(info) = &version.source
            && let Ok(id) = ObjectId::from_hex(info.commit.as_bytes())
        {
            let directory = info.repository.as_path();
            let own = |id: &ObjectId| places.get(&(directory, *id)).copied();
            let parents: Vec<ObjectId> =
                info.parents.iter().filter_map(|id| ObjectId::from_hex(id.as_bytes()).ok()).collect();
            // Most ranges are whole: then git need not be asked.
            found = parents.iter().filter_map(own).collect();
            if found.len() < parents.len() {
                let repository = repositories
                    .entry(directory)
                    .or_insert_with(|| Repository::open(directory).ok().map(|found| found.local()));
                if let Some(repository) = repository {
                    found = nearest(repository, parents, own);
                }
            }
            places.entry((directory, id)).or_insert(at);
        }
        let reduced = without_ancestors(&found, &all);
        all.push(reduced);
    }
    all
}

/// The first known commits on every way back.
fn nearest(
    repository: &gix::Repository,
    parents: Vec<ObjectId>,
    known: impl Fn(&ObjectId) -> Option<usize>,
) -> Vec<usize> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut work: Vec<ObjectId> = parents.into_iter().rev().collect();
    while let Some(id) = work.pop() {
        if !seen.insert(id) {
            continue;
        }
        if let Some(at) = known(&id) {
            if !found.contains(&at) {
                found.push(at);
            }
            continue;
        }
        if let Ok(commit) = repository.find_commit(id) {
            let parents: Vec<ObjectId> = commit.parent_ids().map(gix::Id::detach).collect();
            work.extend(parents.into_iter().rev());
        }
    }
    found
}

/// Drops versions that another of them was made from.
fn without_ancestors(found: &[usize], parents: &[Vec<usize>]) -> Vec<usize> {
    if found.len() < 2 {
        return found.to_vec();
    }
    let mut above = HashSet::new();
    let mut work: Vec<usize> = found.iter().flat_map(|at| parents[*at].iter().copied()).collect();
    while let Some(at) = work.pop() {
        if above.insert(at) {
            work.extend(&parents[at]);
        }
    }
    found.iter().copied().filter(|at| !above.contains(at)).collect()
}
