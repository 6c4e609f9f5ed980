//! Finding the commit that introduced an error, by a test and as few runs as possible (G3).

use std::collections::{BTreeMap, BTreeSet};

/// What a test says about a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// The error is not there.
    Good,
    /// The error is there.
    Bad,
    /// Nothing, and why: the commit does not build, say.
    Skip(String),
    /// Different things in different runs: how many of how many were bad.
    Flaky(usize, usize),
}

/// What the search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Introduced {
    /// This commit is the first bad one.
    By(String),
    /// One of these is; the others cannot be tested.
    OneOf(Vec<String>),
    /// A commit's test is flaky, so that the search cannot go on: the commit, bad runs, all runs.
    Flaky(String, usize, usize),
}

/// Every commit that was asked about, in order.
pub type Asked = Vec<(String, Said)>;

/// Searches commits (in any order) with their parents, of which `bad` is known to have the error and everything that is not
/// in the list is known not to. Asks about the commit that halves what is left; commits that cannot be tested are skipped.
///
/// # Errors
///
/// What `ask` fails with.
pub fn bisect<E>(
    parents: &BTreeMap<String, Vec<String>>,
    bad: &str,
    mut ask: impl FnMut(&str) -> Result<Said, E>,
) -> Result<(Introduced, Asked), E> {
    let mut asked = Asked::new();
    let mut bad = bad.to_owned();
    // Always closed: it holds the bad commit and those of its ancestors that may be bad.
    let mut left = ancestors(parents, &bad, &parents.keys().cloned().collect());
    let mut skipped: BTreeSet<String> = BTreeSet::new();
    loop {
        let Some(next) = middle(parents, &left, &bad, &skipped) else {
            let mut all: Vec<String> = left.iter().filter(|it| skipped.contains(*it)).cloned().collect();
            if all.is_empty() {
                return Ok((Introduced::By(bad), asked));
            }
            all.push(bad);
            return Ok((Introduced::OneOf(all), asked));
        };
        let said = ask(&next)?;
        asked.push((next.clone(), said.clone()));
        match said {
            Said::Good => {
                let good = ancestors(parents, &next, &left);
                left.retain(|it| !good.contains(it));
            }
            Said::Bad => {
                left = ancestors(parents, &next, &left);
                bad = next;
            }
            Said::Skip(_) => drop(skipped.insert(next)),
            Said::Flaky(bad, all) => return Ok((Introduced::Flaky(next, bad, all), asked)),
        }
    }
}

/// A commit and its ancestors among `within`.
fn ancestors(
    parents: &BTreeMap<String, Vec<String>>,
    commit: &str,
    within: &BTreeSet<String>,
) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut waiting = vec![commit.to_owned()];
    while let Some(commit) = waiting.pop() {
        if within.contains(&commit) && found.insert(commit.clone()) {
            waiting.extend(parents.get(&commit).into_iter().flatten().cloned());
        }
    }
    found
}

/// The commit whose answer is worth most: as many before it as not. The bad one itself is known.
fn middle(
    parents: &BTreeMap<String, Vec<String>>,
    left: &BTreeSet<String>,
    bad: &str,
    skipped: &BTreeSet<String>,
) -> Option<String> {
    let number: BTreeMap<&str, usize> = left.iter().enumerate().map(|(at, it)| (it.as_str(), at)).collect();
    let names: Vec<&str> = left.iter().map(String::as_str).collect();
    let before: Vec<Vec<usize>> = names
        .iter()
        .map(|it| parents[*it].iter().filter_map(|parent| number.get(parent.as_str()).copied()).collect())
        .collect();
    let counts = ancestor_counts(&before);
    let total = names.len();
    let open = (0..total).filter(|&at| names[at] != bad && !skipped.contains(names[at]));
    open.max_by_key(|&at| (counts[at].min(total - counts[at]), std::cmp::Reverse(at)))
        .map(|at| names[at].to_owned())
}

/// How many ancestors each has, itself included. Straight lines are counted along; only merges need sets.
fn ancestor_counts(parents: &[Vec<usize>]) -> Vec<usize> {
    let count = parents.len();
    let mut counts = vec![0; count];
    let mut waiting: Vec<usize> = (0..count).collect();
    while let Some(at) = waiting.pop() {
        if counts[at] > 0 {
            continue;
        }
        match parents[at][..] {
            [] => counts[at] = 1,
            [only] if counts[only] > 0 => counts[at] = counts[only] + 1,
            [only] => waiting.extend([at, only]),
            _ => {
                let mut seen = vec![false; count];
                let mut all = vec![at];
                while let Some(it) = all.pop() {
                    if !std::mem::replace(&mut seen[it], true) {
                        counts[at] += 1;
                        all.extend(&parents[it]);
                    }
                }
            }
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn line(count: usize) -> BTreeMap<String, Vec<String>> {
        let name = |at: usize| format!("{at:04}");
        (0..count).map(|at| (name(at), at.checked_sub(1).map(name).into_iter().collect())).collect()
    }

    #[test]
    fn skipped_commits_are_said() {
        let commits = line(4);
        let ask = |commit: &str| -> Result<Said, ()> {
            Ok(match commit {
                "0001" | "0002" => Said::Skip("no build".into()),
                "0000" => Said::Good,
                _ => Said::Bad,
            })
        };
        let (found, asked) = bisect(&commits, "0003", ask).expect("asking works");
        assert_eq!(found, Introduced::OneOf(vec!["0001".into(), "0002".into(), "0003".into()]));
        assert_eq!(asked.len(), 3);
    }

    #[test]
    fn flaky_tests_end_the_search() {
        let (found, _) = bisect(&line(3), "0002", |_| Ok::<_, ()>(Said::Flaky(1, 3))).expect("asking works");
        assert_eq!(found, Introduced::Flaky("0000".into(), 1, 3));
    }

    proptest! {
        /// On a line, the first bad commit is found in a logarithmic number of runs.
        #[test]
        fn a_line_is_halved(count in 1usize..200, first in any::<prop::sample::Index>()) {
            let first = first.index(count);
            let ask = |commit: &str| -> Result<Said, ()> {
                Ok(if commit.parse::<usize>().expect("a number") >= first { Said::Bad } else { Said::Good })
            };
            let (found, asked) = bisect(&line(count), &format!("{:04}", count - 1), ask).expect("asking works");
            prop_assert_eq!(found, Introduced::By(format!("{first:04}")));
            prop_assert!(asked.len() <= count.ilog2() as usize + 1);
        }

        /// In any history, what is found is bad and all its parents are good.
        #[test]
        fn in_a_history_with_merges(
            edges in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..30),
            first in any::<prop::sample::Index>(),
        ) {
            let name = |at: usize| format!("{at:04}");
            let mut parents: BTreeMap<String, Vec<String>> = BTreeMap::from([(name(0), vec![])]);
            for (at, (a, b)) in edges.iter().enumerate() {
                let mut list = vec![name(a.index(at + 1)), name(b.index(at + 1))];
                list.dedup();
                parents.insert(name(at + 1), list);
            }
            let tip = name(edges.len());
            let all = parents.keys().cloned().collect();
            let reached: Vec<String> = ancestors(&parents, &tip, &all).into_iter().collect();
            let culprit = reached[first.index(reached.len())].clone();
            let is_bad = |commit: &str| ancestors(&parents, commit, &all).contains(&culprit);
            let ask = |commit: &str| Ok::<_, ()>(if is_bad(commit) { Said::Bad } else { Said::Good });
            let (found, _) = bisect(&parents, &tip, ask).expect("asking works");
            prop_assert_eq!(found, Introduced::By(culprit.clone()));
        }
    }
}
