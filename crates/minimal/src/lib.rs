//! The smallest part of a change that makes a test fail, by delta debugging instead of all 2^n configurations (E3, G8).

use std::collections::BTreeMap;

/// What the test says about a configuration: the old version with some of the changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Configuration {
    /// As it should be.
    Passes,
    /// The failure that is looked for.
    Fails,
    /// It does not build, does not end, or fails in another way: nothing is known.
    Unresolved(String),
}

/// Changes that fail together, and what is known about each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Minimal {
    /// The changes, ascending: with all of them the test fails.
    pub critical: Vec<usize>,
    /// For each of them, what the others say without it.
    pub without: Vec<Configuration>,
    /// Every configuration that was asked about, in that order, with the answer.
    pub asked: Vec<(Vec<usize>, Configuration)>,
    /// Whether the budget ended the search, so that the set may not be the smallest.
    pub cut_short: bool,
}

impl Minimal {
    /// The changes without which the test passes: each can be skipped, and each is needed.
    pub fn skippable(&self) -> Vec<usize> {
        let pairs = self.critical.iter().zip(&self.without);
        pairs.filter(|(_, said)| **said == Configuration::Passes).map(|(change, _)| *change).collect()
    }
}

/// Why there is nothing to look for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hopeless {
    /// With all changes the test does not fail.
    WholeDoesNotFail(Configuration),
    /// Without any change the test does not pass.
    NothingDoesNotPass(Configuration),
}

/// Remembers what was asked, and stops at the budget.
struct Oracle<F> {
    ask: F,
    known: BTreeMap<Vec<usize>, Configuration>,
    asked: Vec<(Vec<usize>, Configuration)>,
    budget: usize,
    cut_short: bool,
}

impl<E, F: FnMut(&[usize]) -> Result<Configuration, E>> Oracle<F> {
    /// What a configuration says; nothing is known beyond the budget.
    fn ask(&mut self, chosen: &[usize]) -> Result<Configuration, E> {
        if let Some(known) = self.known.get(chosen) {
            return Ok(known.clone());
        }
        if self.asked.len() >= self.budget {
            self.cut_short = true;
            return Ok(Configuration::Unresolved("the budget is used up".into()));
        }
        let said = (self.ask)(chosen)?;
        self.known.insert(chosen.to_vec(), said.clone());
        self.asked.push((chosen.to_vec(), said.clone()));
        Ok(said)
    }

    fn fails(&mut self, chosen: &[usize]) -> Result<bool, E> {
        Ok(self.ask(chosen)? == Configuration::Fails)
    }
}

/// Finds changes (of `count`) that fail together, such that no single one of them, and no pair of them of which one cannot be
/// left out alone, can be left out. At most `budget` configurations are asked about.
pub fn minimal_failing<E>(
    count: usize,
    budget: usize,
    ask: impl FnMut(&[usize]) -> Result<Configuration, E>,
) -> Result<Result<Minimal, Hopeless>, E> {
    let mut oracle =
        Oracle { ask, known: BTreeMap::new(), asked: Vec::new(), budget: budget.max(2), cut_short: false };
    let all: Vec<usize> = (0..count).collect();
    match oracle.ask(&all)? {
        Configuration::Fails => {}
        said => return Ok(Err(Hopeless::WholeDoesNotFail(said))),
    }
    match oracle.ask(&[])? {
        Configuration::Passes => {}
        said => return Ok(Err(Hopeless::NothingDoesNotPass(said))),
    }
    let mut critical = halved(&mut oracle, all)?;
    // A change may not build without another: then both must go.
    while let Some(smaller) = without_two(&mut oracle, &critical)? {
        critical = halved(&mut oracle, smaller)?;
    }
    let mut without = Vec::new();
    for &change in &critical {
        without.push(oracle.ask(&except(&critical, &[change]))?);
    }
    Ok(Ok(Minimal { critical, without, asked: oracle.asked, cut_short: oracle.cut_short }))
}

/// Zeller and Hildebrandt's ddmin: parts alone, then everything but a part, of ever smaller parts.
fn halved<E, F: FnMut(&[usize]) -> Result<Configuration, E>>(
    oracle: &mut Oracle<F>,
    mut failing: Vec<usize>,
) -> Result<Vec<usize>, E> {
    let mut parts = 2;
    while failing.len() > 1 {
        let size = failing.len().div_ceil(parts);
        let pieces: Vec<Vec<usize>> = failing.chunks(size).map(<[usize]>::to_vec).collect();
        let mut smaller = None;
        for piece in &pieces {
            if pieces.len() > 1 && oracle.fails(piece)? {
                smaller = Some((piece.clone(), 2));
                break;
            }
        }
        if smaller.is_none() && pieces.len() > 2 {
            for piece in &pieces {
                let rest = except(&failing, piece);
                if oracle.fails(&rest)? {
                    smaller = Some((rest, (parts - 1).max(2)));
                    break;
                }
            }
        }
        match smaller {
            Some((fewer, next)) => (failing, parts) = (fewer, next),
            None if parts >= failing.len() => break,
            None => parts = (2 * parts).min(failing.len()),
        }
        if oracle.cut_short {
            break;
        }
    }
    Ok(failing)
}

/// The changes without one that cannot be left out alone and another, if that still fails.
fn without_two<E, F: FnMut(&[usize]) -> Result<Configuration, E>>(
    oracle: &mut Oracle<F>,
    critical: &[usize],
) -> Result<Option<Vec<usize>>, E> {
    for &first in critical {
        if !matches!(oracle.ask(&except(critical, &[first]))?, Configuration::Unresolved(_)) {
            continue;
        }
        for &second in critical.iter().filter(|&&second| second != first) {
            let rest = except(critical, &[first, second]);
            if oracle.cut_short || rest.is_empty() {
                return Ok(None);
            }
            if oracle.fails(&rest)? {
                return Ok(Some(rest));
            }
        }
    }
    Ok(None)
}

fn except(all: &[usize], gone: &[usize]) -> Vec<usize> {
    all.iter().copied().filter(|it| !gone.contains(it)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::convert::Infallible;

    fn search(
        count: usize,
        budget: usize,
        said: impl Fn(&[usize]) -> Configuration,
    ) -> Result<Minimal, Hopeless> {
        minimal_failing(count, budget, |chosen| Ok::<_, Infallible>(said(chosen))).expect("it cannot fail")
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// The changes that fail together are found, however many others there are, without asking about all subsets.
        #[test]
        fn what_is_needed_is_found(count in 2..40usize, picks in prop::collection::vec(any::<prop::sample::Index>(), 1..4)) {
            let needed: std::collections::BTreeSet<usize> = picks.iter().map(|it| it.index(count)).collect();
            let found = search(count, 4000, |chosen| {
                let all = needed.iter().all(|it| chosen.contains(it));
                if all { Configuration::Fails } else { Configuration::Passes }
            }).expect("it fails with all and passes with none");
            prop_assert_eq!(&found.critical, &needed.iter().copied().collect::<Vec<_>>());
            prop_assert_eq!(found.skippable().len(), needed.len());
            prop_assert!(found.asked.len() <= count * count + 3 * count, "{}", found.asked.len());
        }
    }

    /// The declaration cannot be left out alone: nothing builds. What is not needed goes with it.
    #[test]
    fn what_does_not_build_is_no_answer() {
        let said = |chosen: &[usize]| {
            let has = |it| chosen.contains(&it);
            match () {
                // 1 and 2 need 0; 4 needs 3.
                () if (has(1) || has(2)) && !has(0) || has(4) && !has(3) => {
                    Configuration::Unresolved("it does not build".into())
                }
                () if has(1) && has(2) => Configuration::Fails,
                () => Configuration::Passes,
            }
        };
        let found = search(5, 100, said).expect("it fails with all and passes with none");
        assert_eq!((found.critical.clone(), found.skippable()), (vec![0, 1, 2], vec![1, 2]));
        assert!(!found.cut_short);
    }

    #[test]
    fn a_budget_ends_the_search() {
        let said = |chosen: &[usize]| {
            if [3, 17, 30].iter().all(|it| chosen.contains(it)) {
                Configuration::Fails
            } else {
                Configuration::Passes
            }
        };
        let found = search(40, 6, said).expect("it fails with all and passes with none");
        assert!(found.cut_short && found.asked.len() == 6);
        assert_eq!(
            search(2, 9, |_| Configuration::Fails),
            Err(Hopeless::NothingDoesNotPass(Configuration::Fails))
        );
    }
}
