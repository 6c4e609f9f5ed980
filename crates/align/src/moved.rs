//! Functions that went with their file to another place.

use crate::alike::{Candidate, most_alike};
use hashbrown::{HashMap, HashSet};
use std::hash::Hash;

/// Pairs functions that vanished with functions that appeared, by their positions: those that went with their file first, since another file
/// may have a function that is more like it, and then the most similar pair. `moved` are files that are known to have moved.
pub fn alike<N, S>(gone: &[Candidate<N, S>], new: &[Candidate<N, S>], moved: &[(N, N)]) -> Vec<(usize, usize)>
where
    N: Copy + Eq + Hash,
    S: Copy + Eq + Hash,
{
    let mut found = with_their_files(gone, new, moved);
    if found.is_empty() {
        return most_alike(gone, new);
    }
    let left: Vec<usize> = (0..gone.len()).filter(|at| !found.iter().any(|(was, _)| was == at)).collect();
    let come: Vec<usize> = (0..new.len()).filter(|at| !found.iter().any(|(_, is)| is == at)).collect();
    let before: Vec<_> = left.iter().map(|&at| gone[at].clone()).collect();
    let after: Vec<_> = come.iter().map(|&at| new[at].clone()).collect();
    found.extend(most_alike(&before, &after).into_iter().map(|(was, is)| (left[was], come[is])));
    found
}

/// Pairs functions of one name in files that were moved, by their positions, if they are enough alike.
fn with_their_files<N, S>(
    gone: &[Candidate<N, S>],
    new: &[Candidate<N, S>],
    moved: &[(N, N)],
) -> Vec<(usize, usize)>
where
    N: Copy + Eq + Hash,
    S: Copy + Eq + Hash,
{
    let mut found = Vec::new();
    let seen = moved_files(gone, new).into_iter();
    let others = seen.filter(|(from, to)| !moved.iter().any(|(one, other)| one == from || other == to));
    for (from, to) in moved.iter().copied().chain(others) {
        let of = |list: &[Candidate<N, S>], file: N| -> Vec<usize> {
            (0..list.len()).filter(|&at| list[at].file == file).collect()
        };
        let (old, here) = (of(gone, from), of(new, to));
        let before: Vec<_> = old.iter().map(|&at| gone[at].clone()).collect();
        let after: Vec<_> = here.iter().map(|&at| new[at].clone()).collect();
        let pairs = most_alike(&before, &after).into_iter().map(|(was, is)| (old[was], here[is]));
        found.extend(pairs.filter(|&(was, is)| gone[was].name == new[is].name));
    }
    found
}

/// Files of which at least half of the functions are in another file as they were, told by names that only one file has on each side.
fn moved_files<N, S>(gone: &[Candidate<N, S>], new: &[Candidate<N, S>]) -> Vec<(N, N)>
where
    N: Copy + Eq + Hash,
    S: Copy + Eq + Hash,
{
    let (old, here) = (once(gone), once(new));
    let mut went: HashMap<(N, N), usize> = HashMap::new();
    for (name, &was) in &old {
        if let (Some(was), Some(&Some(is))) = (was, here.get(name))
            && gone[was].symbols == new[is].symbols
            && gone[was].file != new[is].file
        {
            *went.entry((gone[was].file, new[is].file)).or_default() += 1;
        }
    }
    let mut found: Vec<(N, N)> = Vec::new();
    let mut seen: HashSet<N> = HashSet::new();
    for file in gone.iter().map(|one| one.file).filter(|file| seen.insert(*file)) {
        let all = gone.iter().filter(|one| one.file == file).count();
        let mut places = went.iter().filter(|((from, _), count)| *from == file && 2 * **count >= all);
        if let (Some(((_, to), _)), None) = (places.next(), places.next())
            && !found.iter().any(|(_, other)| other == to)
        {
            found.push((file, *to));
        }
    }
    found
}

/// The functions whose name is there once, by name.
fn once<N, S>(list: &[Candidate<N, S>]) -> HashMap<N, Option<usize>>
where
    N: Copy + Eq + Hash,
{
    let mut named: HashMap<N, Option<usize>> = HashMap::new();
    for (at, one) in list.iter().enumerate() {
        named.entry(one.name).and_modify(|known| *known = None).or_insert(Some(at));
    }
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(
        old: &[(&'static str, &'static str, &str)],
        new: &[(&'static str, &'static str, &str)],
    ) -> Vec<(usize, usize)> {
        let of = |list: &[(&'static str, &'static str, &str)]| -> Vec<Candidate<&'static str, u8>> {
            let one = |it: &(&'static str, &'static str, &str)| Candidate {
                name: it.0,
                file: it.1,
                symbols: it.2.bytes().collect(),
            };
            list.iter().map(one).collect()
        };
        with_their_files(&of(old), &of(new), &[])
    }

    #[test]
    fn functions_go_with_their_file() {
        let old = [("get", "a.c", "xyz"), ("api", "a.c", "q"), ("get", "z.c", "xyz"), ("apiz", "z.c", "r")];
        let new = [("get", "b.c", "xyz"), ("apiz", "b.c", "r"), ("get", "c.c", "xwz"), ("api", "c.c", "q")];
        let mut found = pairs(&old, &new);
        found.sort_unstable();
        assert_eq!(found, [(0, 2), (1, 3), (2, 0), (3, 1)]);
    }

    #[test]
    fn one_function_that_moved_moves_no_file() {
        let old = [("f", "a.c", "xyz"), ("g", "a.c", "abc"), ("h", "a.c", "def")];
        let new = [("f", "b.c", "xyz"), ("g", "c.c", "other"), ("h", "b.c", "new")];
        assert_eq!(pairs(&old, &new), []);
    }
}
