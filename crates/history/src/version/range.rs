//! The commits of a range, in an order that does not depend on anything but the history.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use gix::ObjectId;

use super::Error;

/// The commits reachable from `to` and not from `from`, oldest first: the order of
/// `git rev-list --topo-order --reverse`.
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
    Ok(oldest_first(to, &parents))
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
    Error::Repository { git_dir: repo.git_dir().to_path_buf(), message: error.to_string() }
}
