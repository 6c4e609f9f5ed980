//! Functions that were renamed or moved: recognised by what they do (ERR-15, E18).

use crate::lcs;
use hashbrown::HashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hash::Hash;

/// A function that may be another one under a new name.
#[derive(Debug, Clone)]
pub struct Candidate<N, S> {
    /// Its name.
    pub name: N,
    /// The file it is in.
    pub file: N,
    /// What its statements say, without the synthetic ones.
    pub symbols: Vec<S>,
}

/// The least similarity of two functions of one name, and of functions with different names.
const SAME_NAME: u32 = 300;
const OTHER_NAME: u32 = 600;
/// Functions with different names must share this many pieces: short bodies look alike by chance.
const ENOUGH: usize = 3;
/// Texts that more functions have say nothing.
const COMMON: usize = 64;

/// Pairs functions that vanished with functions that appeared, by their positions: the most similar pair first.
pub(crate) fn most_alike<N, S>(gone: &[Candidate<N, S>], new: &[Candidate<N, S>]) -> Vec<(usize, usize)>
where
    N: Copy + Eq + Hash,
    S: Copy + Eq + Hash,
{
    let mut waiting: BinaryHeap<Pair> = BinaryHeap::new();
    let mut by_symbol: HashMap<S, Vec<usize>> = HashMap::new();
    let mut by_name: HashMap<N, Vec<usize>> = HashMap::new();
    for (at, old) in gone.iter().enumerate() {
        by_name.entry(old.name).or_default().push(at);
        for &symbol in &old.symbols {
            let owners = by_symbol.entry(symbol).or_default();
            if owners.last() != Some(&at) {
                owners.push(at);
            }
        }
    }
    for (at, function) in new.iter().enumerate() {
        let mut partners: Vec<usize> = by_name.get(&function.name).cloned().unwrap_or_default();
        let mut shared: HashMap<usize, usize> = HashMap::new();
        for symbol in &function.symbols {
            if let Some(owners) = by_symbol.get(symbol).filter(|owners| owners.len() <= COMMON) {
                for &owner in owners {
                    *shared.entry(owner).or_default() += 1;
                }
            }
        }
        partners.extend(shared.into_iter().filter(|(_, count)| *count >= ENOUGH).map(|(owner, _)| owner));
        partners.sort_unstable();
        partners.dedup();
        for partner in partners {
            waiting.extend(Pair::promising(&gone[partner], function, (partner, at)));
        }
    }
    // Statements are compared only for pairs that nothing better takes apart: the most promising pair comes first, and again in
    // its place once it is known how alike it is.
    let (mut old_taken, mut new_taken) = (vec![false; gone.len()], vec![false; new.len()]);
    let mut out = Vec::new();
    while let Some(pair) = waiting.pop() {
        let Reverse((old, function)) = pair.places;
        if old_taken[old] || new_taken[function] {
            continue;
        }
        if pair.compared {
            (old_taken[old], new_taken[function]) = (true, true);
            out.push((old, function));
        } else {
            waiting.extend(pair.compare(&gone[old], &new[function]));
        }
    }
    out
}

/// Two functions that may be the same, ordered by how alike they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Pair {
    /// Same name and file, same name, then similarity in thousandths: the most that there can be until it is compared.
    score: (bool, bool, u32),
    /// Of the old function and of the new one: the first ones count most.
    places: Reverse<(usize, usize)>,
    compared: bool,
}

impl Pair {
    /// A pair that may be enough alike, by how many symbols both have, in whatever order.
    fn promising<N, S>(old: &Candidate<N, S>, new: &Candidate<N, S>, places: (usize, usize)) -> Option<Self>
    where
        N: Copy + Eq + Hash,
        S: Copy + Eq + Hash,
    {
        let same = old.symbols == new.symbols;
        let most = if same { new.symbols.len() } else { in_common(&old.symbols, &new.symbols) };
        let score = score(old, new, most)?;
        Some(Self { score, places: Reverse(places), compared: same })
    }

    /// The pair with what both say in the same order.
    fn compare<N, S>(self, old: &Candidate<N, S>, new: &Candidate<N, S>) -> Option<Self>
    where
        N: Copy + Eq + Hash,
        S: Copy + Eq + Hash,
    {
        let score = score(old, new, lcs(&old.symbols, &new.symbols).len())?;
        Some(Self { score, compared: true, ..self })
    }
}

/// How many elements two lists share, each as often as both have it.
fn in_common<S: Copy + Eq + Hash>(old: &[S], new: &[S]) -> usize {
    let mut left: HashMap<S, usize> = HashMap::with_capacity(old.len());
    old.iter().for_each(|symbol| *left.entry(*symbol).or_default() += 1);
    let mut take = |symbol: &&S| match left.get_mut(*symbol) {
        Some(count) if *count > 0 => {
            *count -= 1;
            true
        }
        _ => false,
    };
    new.iter().filter(&mut take).count()
}

/// How alike two functions are with so many symbols in common, if enough: same name and file, same name, then similarity in
/// thousandths.
fn score<N, S>(old: &Candidate<N, S>, new: &Candidate<N, S>, common: usize) -> Option<(bool, bool, u32)>
where
    N: Copy + Eq + Hash,
    S: Copy + Eq + Hash,
{
    let (same_name, same_file) = (old.name == new.name, old.file == new.file);
    let total = old.symbols.len() + new.symbols.len();
    let similarity = (2000 * common).checked_div(total).unwrap_or(1000) as u32;
    // In the same file under the same name only the key changed: `static` came or went, or the name became ambiguous.
    let enough = match (same_name, same_file) {
        (true, true) => true,
        (true, false) => similarity >= SAME_NAME,
        (false, _) => similarity >= OTHER_NAME && common >= ENOUGH,
    };
    enough.then_some((same_name && same_file, same_name, similarity))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Drawn = Candidate<u8, u8>;

    fn drawn() -> impl Strategy<Value = Vec<Drawn>> {
        let one = (0u8..4, 0u8..2, prop::collection::vec(0u8..7, 0..9));
        let one = one.prop_map(|(name, file, symbols)| Candidate { name, file, symbols });
        prop::collection::vec(one, 0..7)
    }

    /// Every pair compared, the most similar first.
    fn reference(gone: &[Drawn], new: &[Drawn]) -> Vec<(usize, usize)> {
        let mut pairs = Vec::new();
        for (was, old) in gone.iter().enumerate() {
            for (is, function) in new.iter().enumerate() {
                let common = lcs(&old.symbols, &function.symbols).len();
                let known = |symbol: &&u8| old.symbols.contains(symbol);
                let shared = function.symbols.iter().filter(known).count();
                if old.name == function.name || shared >= ENOUGH {
                    let score = score(old, function, common);
                    pairs.extend(score.map(|score| (Reverse(score), was, is)));
                }
            }
        }
        pairs.sort_unstable();
        let mut out: Vec<(usize, usize)> = Vec::new();
        for (_, was, is) in pairs {
            if out.iter().all(|pair| pair.0 != was && pair.1 != is) {
                out.push((was, is));
            }
        }
        out
    }

    proptest! {
        /// Leaving out comparisons changes nothing.
        #[test]
        fn pairs_are_those_of_comparing_all(gone in drawn(), new in drawn()) {
            prop_assert_eq!(most_alike(&gone, &new), reference(&gone, &new));
        }
    }
}
