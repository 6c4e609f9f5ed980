//! Functions that were renamed or moved: recognised by what they do (ERR-15, E18).

use crate::lcs;
use hashbrown::HashMap;
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
pub fn alike<N, S>(gone: &[Candidate<N, S>], new: &[Candidate<N, S>]) -> Vec<(usize, usize)>
where
    N: Copy + Eq + Hash,
    S: Copy + Eq + Hash,
{
    let mut pairs = Vec::new();
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
            if let Some(score) = score(&gone[partner], function) {
                pairs.push((std::cmp::Reverse(score), partner, at));
            }
        }
    }
    pairs.sort_unstable();
    let (mut old_taken, mut new_taken) = (vec![false; gone.len()], vec![false; new.len()]);
    let mut out = Vec::new();
    for (_, old, function) in pairs {
        if !old_taken[old] && !new_taken[function] {
            (old_taken[old], new_taken[function]) = (true, true);
            out.push((old, function));
        }
    }
    out
}

/// How alike two functions are, if enough: same name and file, same name, then similarity in thousandths.
fn score<N, S>(old: &Candidate<N, S>, new: &Candidate<N, S>) -> Option<(bool, bool, u32)>
where
    N: Copy + Eq + Hash,
    S: Copy + Eq + Hash,
{
    let (same_name, same_file) = (old.name == new.name, old.file == new.file);
    let total = old.symbols.len() + new.symbols.len();
    let common = if old.symbols == new.symbols { total / 2 } else { lcs(&old.symbols, &new.symbols).len() };
    let similarity = (2000 * common).checked_div(total).unwrap_or(1000) as u32;
    // In the same file under the same name only the key changed: `static` came or went, or the name became ambiguous.
    let enough = match (same_name, same_file) {
        (true, true) => true,
        (true, false) => similarity >= SAME_NAME,
        (false, _) => similarity >= OTHER_NAME && common >= ENOUGH,
    };
    enough.then_some((same_name && same_file, same_name, similarity))
}
