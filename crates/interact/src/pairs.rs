//! Which functions of two versions are the same, also when they were moved or renamed.

use crate::facts::{FileFacts, FunctionFacts};
use hydrogen_graph::lcs;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A file before and after; nothing where it does not exist.
#[derive(Debug, Clone)]
pub struct Touched {
    /// Its number in the index.
    pub file: u32,
    /// Its path.
    pub path: Box<str>,
    /// Before.
    pub old: Option<Arc<FileFacts>>,
    /// After.
    pub new: Option<Arc<FileFacts>>,
    /// Whether its own content changed, not only what headers say about its names.
    pub content: bool,
}

/// A function, by the position of its file in a list of touched files, and its own in that file.
pub(crate) type Place = (usize, usize);

/// How functions of touched files belong together.
#[derive(Debug, Default)]
pub(crate) struct Pairs {
    /// Per function of the new version that has one, its old version.
    pub old_of: BTreeMap<Place, Place>,
    /// Old functions that are gone.
    pub gone: Vec<Place>,
}

/// Functions with different names must share this many pieces, and this many of a thousand.
const ENOUGH: usize = 3;
const SIMILAR: usize = 600;
/// More functions than this on each side are not compared with each other: a new library, a removed one.
const MANY: usize = 400;

/// What functions must share to be the same; nothing where a function cannot be told by it.
type Key = fn(&FunctionFacts) -> Option<(u64, u64)>;

/// Pairs the functions of all touched files: in one file by name, then by name anywhere, then by content.
pub(crate) fn pair(files: &[Touched]) -> Pairs {
    let mut pairs = Pairs::default();
    let mut old: Vec<Place> = Vec::new();
    let mut new: Vec<Place> = Vec::new();
    for (number, file) in files.iter().enumerate() {
        let by_name = |facts: &Option<Arc<FileFacts>>| {
            let mut names: BTreeMap<(u64, usize), usize> = BTreeMap::new();
            let mut counts: FxHashMap<u64, usize> = FxHashMap::default();
            for (at, function) in facts.iter().flat_map(|it| &it.functions).enumerate() {
                let count = counts.entry(function.id.0).or_default();
                names.insert((function.id.0, *count), at);
                *count += 1;
            }
            names
        };
        let (before, after) = (by_name(&file.old), by_name(&file.new));
        for (key, &at) in &after {
            match before.get(key) {
                Some(&was) => drop(pairs.old_of.insert((number, at), (number, was))),
                None => new.push((number, at)),
            }
        }
        old.extend(before.iter().filter(|(key, _)| !after.contains_key(key)).map(|(_, &at)| (number, at)));
    }
    old.sort_unstable();
    new.sort_unstable();
    let of = |old: bool, place: Place| -> &FunctionFacts {
        let file = &files[place.0];
        let facts = if old { &file.old } else { &file.new };
        &facts.as_ref().expect("a function has a file").functions[place.1]
    };
    // Keys from the strictest to the loosest: name and content, name, content.
    let keys: [Key; 3] = [
        |it| Some((it.id.0, it.digest)),
        |it| Some((it.id.0, 0)),
        |it| (it.pieces.len() >= 2 + ENOUGH).then(|| (content(it), 1)),
    ];
    for key in keys {
        let mut waiting: FxHashMap<(u64, u64), Vec<Place>> = FxHashMap::default();
        for &place in old.iter().rev() {
            if let Some(key) = key(of(true, place)) {
                waiting.entry(key).or_default().push(place);
            }
        }
        let mut taken: FxHashSet<Place> = FxHashSet::default();
        new.retain(|&place| {
            let partner = key(of(false, place)).and_then(|key| waiting.get_mut(&key)?.pop());
            if let Some(partner) = partner {
                pairs.old_of.insert(place, partner);
                taken.insert(partner);
            }
            partner.is_none()
        });
        old.retain(|place| !taken.contains(place));
    }
    if old.len() <= MANY && new.len() <= MANY {
        let mut scores: Vec<(std::cmp::Reverse<usize>, Place, Place)> = Vec::new();
        for &before in &old {
            for &after in &new {
                if let Some(score) = similarity(of(true, before), of(false, after)) {
                    scores.push((std::cmp::Reverse(score), before, after));
                }
            }
        }
        scores.sort_unstable();
        let (mut used_old, mut used_new) = (FxHashSet::default(), FxHashSet::default());
        for (_, before, after) in scores {
            if !used_old.contains(&before) && !used_new.contains(&after) {
                used_old.insert(before);
                used_new.insert(after);
                pairs.old_of.insert(after, before);
            }
        }
        old.retain(|place| !used_old.contains(place));
    }
    pairs.gone = old;
    pairs
}

/// A hash of what the pieces say.
fn content(function: &FunctionFacts) -> u64 {
    function
        .pieces
        .iter()
        .fold(0, |hash: u64, piece| (hash.rotate_left(5) ^ piece.symbol).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// How alike two functions are, in thousandths, if enough.
fn similarity(old: &FunctionFacts, new: &FunctionFacts) -> Option<usize> {
    let symbols = |function: &FunctionFacts| -> Vec<u64> {
        function.pieces.iter().skip(2).map(|it| it.symbol).collect()
    };
    let total = old.pieces.len() + new.pieces.len() - 4;
    let smaller = old.pieces.len().min(new.pieces.len()) - 2;
    // The most that is possible.
    if smaller < ENOUGH || 2000 * smaller < SIMILAR * total {
        return None;
    }
    let common = lcs(&symbols(old), &symbols(new)).len();
    let score = 2000 * common / total;
    (score >= SIMILAR && common >= ENOUGH).then_some(score)
}
