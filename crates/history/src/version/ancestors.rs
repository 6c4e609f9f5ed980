//! Which versions came from which.

use super::{Source, Version};
use crate::Repository;
use gix::ObjectId;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// For each version, the nearest earlier ones of the list that git says it was made from, first parents first. Empty for
/// folders, bitcode, and commits without such an ancestor. What cannot be read counts as the end of history.
pub fn ancestors(versions: &[Version]) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = Vec::new();
    for before in lineage(versions) {
        let reduced = without_ancestors(&before.listed, &all);
        all.push(reduced);
    }
    all
}

/// For each version, those of its own parents, by hash, that no version of the list is an ancestor of, nor is one of the list.
pub fn outside(versions: &[Version]) -> Vec<Vec<String>> {
    lineage(versions).into_iter().map(|before| before.outside).collect()
}

/// What is before a version.
#[derive(Default)]
struct Before {
    /// The nearest ancestors in the list.
    listed: Vec<usize>,
    /// Parents on whose side there is none.
    outside: Vec<String>,
}

fn lineage(versions: &[Version]) -> Vec<Before> {
    let mut walks: HashMap<&Path, Walk> = HashMap::new();
    let commits = versions.iter().filter_map(|version| match &version.source {
        Source::Commit(info) => Some(info),
        Source::Directory(_) | Source::Bitcode(_) => None,
    });
    for info in commits {
        let walk = walks.entry(&info.repository).or_default();
        walk.wanted.extend(ObjectId::from_hex(info.commit.as_bytes()));
    }
    let mut all = Vec::with_capacity(versions.len());
    for (at, version) in versions.iter().enumerate() {
        let mut before = Before::default();
        if let Source::Commit(info) = &version.source
            && let Ok(id) = ObjectId::from_hex(info.commit.as_bytes())
            && let Some(walk) = walks.get_mut(info.repository.as_path())
        {
            for parent in &info.parents {
                let Ok(parent_id) = ObjectId::from_hex(parent.as_bytes()) else { continue };
                let found = walk.nearest(&info.repository, parent_id);
                if found.is_empty() {
                    before.outside.push(parent.clone());
                }
                for one in found {
                    if !before.listed.contains(&one) {
                        before.listed.push(one);
                    }
                }
            }
            walk.places.entry(id).or_insert(at);
        }
        all.push(before);
    }
    all
}

/// The way back through one repository.
#[derive(Default)]
struct Walk {
    repository: Option<Option<gix::Repository>>,
    /// All commits of the list, and the places of those that were met already.
    wanted: HashSet<ObjectId>,
    places: HashMap<ObjectId, usize>,
    /// Commits behind which there is none of the list.
    barren: HashSet<ObjectId>,
    /// When the oldest commit of the list was made.
    oldest: Option<i64>,
}

/// Clocks differ: a commit this much older than all of the list is not looked behind. An ancestor of the list that is missed
/// because a clock was wrong by more is no error: its descendant is compared with its own parent then.
const SLACK: i64 = 30 * 24 * 3600;

impl Walk {
    /// The first commits of the list on every way back from a commit, itself included.
    fn nearest(&mut self, directory: &Path, from: ObjectId) -> Vec<usize> {
        // Most ranges are whole: then git need not be asked.
        if let Some(&at) = self.places.get(&from) {
            return vec![at];
        }
        let open = || Repository::open(directory).ok().map(|found| found.local());
        let Some(repository) = self.repository.get_or_insert_with(open) else { return Vec::new() };
        let time = |id: ObjectId| repository.find_commit(id).ok()?.time().ok().map(|time| time.seconds);
        let wanted = &self.wanted;
        let oldest = *self
            .oldest
            .get_or_insert_with(|| wanted.iter().filter_map(|id| time(*id)).min().unwrap_or(i64::MIN));
        let (mut found, mut met) = (Vec::new(), false);
        let mut seen = HashSet::new();
        let mut work = vec![from];
        while let Some(id) = work.pop() {
            if self.barren.contains(&id) || !seen.insert(id) {
                continue;
            }
            if self.wanted.contains(&id) {
                met = true;
                if let Some(&at) = self.places.get(&id)
                    && !found.contains(&at)
                {
                    found.push(at);
                }
                continue;
            }
            if let Ok(commit) = repository.find_commit(id)
                && commit.time().is_ok_and(|time| time.seconds >= oldest.saturating_sub(SLACK))
            {
                let parents: Vec<ObjectId> = commit.parent_ids().map(gix::Id::detach).collect();
                work.extend(parents.into_iter().rev());
            }
        }
        if !met {
            self.barren.extend(seen);
        }
        found
    }
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
