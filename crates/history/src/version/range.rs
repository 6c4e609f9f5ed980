//! The commits of a range, in an order that does not depend on anything but the history.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use gix::ObjectId;

use super::{Error, near_order};
use crate::repository::told;

/// The commits reachable from `to` and not from `from`, parents before their children, as [`near_order`] has them.
///
/// All ancestors of `from` are visited. Git (and gix) stop early by comparing dates, and then commits made with a wrong
/// clock get into ranges they do not belong to.
pub(super) fn commits(
    repo: &gix::Repository,
    spec: &str,
    from: ObjectId,
    to: ObjectId,
) -> Result<Vec<ObjectId>, Error> {
    let hidden = ancestors(repo, from)?;
    let mut parents: HashMap<ObjectId, Vec<ObjectId>> = HashMap::new();
    let range = {
        let hidden = hidden.clone();
        repo.rev_walk([to]).selected(move |id| !hidden.contains(id)).map_err(|error| broken(repo, error))?
    };
    for info in range {
        let info = info.map_err(|error| broken(repo, error))?;
        if !hidden.contains(&info.id) {
            parents.insert(info.id, info.parent_ids().map(|id| id.detach()).collect());
        }
    }
    refuse_cut_history(repo, spec, &hidden, to, &parents)?;
    Ok(nearest_neighbours(repo, &oldest_first(to, &parents), &parents))
}

/// A commit and everything before it.
fn ancestors(repo: &gix::Repository, tip: ObjectId) -> Result<Rc<HashSet<ObjectId>>, Error> {
    let walk = repo.rev_walk([tip]).all().map_err(|error| broken(repo, error))?;
    let ids: Result<_, _> = walk.map(|info| info.map(|info| info.id)).collect();
    ids.map(Rc::new).map_err(|error| broken(repo, error))
}

/// In a shallow clone the walk ends where the history was cut, and the range may miss commits, or hold too many.
fn refuse_cut_history(
    repo: &gix::Repository,
    spec: &str,
    hidden: &HashSet<ObjectId>,
    to: ObjectId,
    range: &HashMap<ObjectId, Vec<ObjectId>>,
) -> Result<(), Error> {
    let Some(boundary) = repo.shallow_commits().map_err(|error| broken(repo, error))? else { return Ok(()) };
    let seen = ancestors(repo, to)?;
    // Either the range itself runs into the cut, or `from` does on a way that `to` does not share: then commits
    // of the range may in truth be ancestors of `from`.
    let crossed = boundary
        .iter()
        .filter(|id| range.contains_key(*id) || (hidden.contains(*id) && !seen.contains(*id)))
        .min();
    match crossed {
        Some(id) => {
            Err(Error::Shallow { spec: spec.to_string(), boundary: id.to_hex_with_len(12).to_string() })
        }
        None => Ok(()),
    }
}

/// Commits in an order in which neighbours differ little.
fn nearest_neighbours(
    repo: &gix::Repository,
    commits: &[ObjectId],
    parents: &HashMap<ObjectId, Vec<ObjectId>>,
) -> Vec<ObjectId> {
    let places: HashMap<ObjectId, usize> = commits.iter().copied().zip(0..).collect();
    let inside = |commit: &ObjectId| -> Vec<usize> {
        let mut all: Vec<usize> = parents[commit].iter().filter_map(|it| places.get(it).copied()).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let inside: Vec<Vec<usize>> = commits.iter().map(inside).collect();
    // A clock that was wrong costs time alone.
    let made = |id: &ObjectId| repo.find_commit(*id).ok()?.time().ok().map(|time| time.seconds);
    let begun = |(commit, inside): (&ObjectId, &Vec<usize>)| match inside.is_empty() {
        true => parents[commit].iter().filter_map(made).max().unwrap_or(0),
        false => 0,
    };
    let begun: Vec<i64> = commits.iter().zip(&inside).map(begun).collect();
    near_order(&inside, &begun).into_iter().map(|at| commits[at]).collect()
}

/// Git's topological order, reversed. Children come before their parents, and a line of history is not mixed with
/// another one: the next commit is always taken from the line that was entered last.
fn oldest_first(tip: ObjectId, parents: &HashMap<ObjectId, Vec<ObjectId>>) -> Vec<ObjectId> {
    let mut children: HashMap<ObjectId, usize> = HashMap::new();
    for parent in parents.values().flatten().filter(|id| parents.contains_key(*id)) {
        *children.entry(*parent).or_default() += 1;
    }
    let mut order = Vec::with_capacity(parents.len());
    let mut ready: Vec<ObjectId> = parents.contains_key(&tip).then_some(tip).into_iter().collect();
    while let Some(commit) = ready.pop() {
        order.push(commit);
        for parent in &parents[&commit] {
            let Some(waiting) = children.get_mut(parent) else { continue };
            *waiting -= 1;
            if *waiting == 0 {
                ready.push(*parent);
            }
        }
    }
    order.reverse();
    order
}

/// A repository whose objects cannot be read.
pub(super) fn broken(repo: &gix::Repository, error: gix::Error) -> Error {
    Error::Repository { git_dir: repo.git_dir().to_path_buf(), message: told(&error) }
}
