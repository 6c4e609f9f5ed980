//! Functions that were renamed or moved: recognised by what they do (ERR-15, E18).

use crate::lcs::lcs;
use crate::model::Symbol;
use crate::{ChainId, NameId};
use hashbrown::HashMap;

/// A function that may be another under a new name.
pub(crate) struct Candidate<Id> {
    pub(crate) id: Id,
    pub(crate) name: NameId,
    pub(crate) file: NameId,
    /// Its pieces without the synthetic ones.
    pub(crate) symbols: Vec<Symbol>,
}

/// The least similarity of two functions of one name, and of functions with different names.
const SAME_NAME: u32 = 300;
const OTHER_NAME: u32 = 600;
/// Functions with different names must share this many pieces: short bodies look alike by chance.
const ENOUGH: usize = 3;
/// Texts that more functions have say nothing.
const COMMON: usize = 64;

/// Pairs functions that vanished with functions that appeared: the most similar pair first.
pub(crate) fn renamed(gone: &[Candidate<ChainId>], new: &[Candidate<usize>]) -> Vec<(ChainId, usize)> {
    let mut pairs = Vec::new();
    let mut by_symbol: HashMap<Symbol, Vec<usize>> = HashMap::new();
    let mut by_name: HashMap<NameId, Vec<usize>> = HashMap::new();
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
            out.push((gone[old].id, new[function].id));
        }
    }
    out
}

/// How alike two functions are, if enough: same name and file, same name, then similarity in thousandths.
fn score(old: &Candidate<ChainId>, new: &Candidate<usize>) -> Option<(bool, bool, u32)> {
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
