//! Which places both versions share, and which variables correspond.

use crate::{
    cut::{Cut, Said},
    names::{Records, type_word},
};
use hydrogen_align::Matching;
use hydrogen_ir::InstructionId;
use hydrogen_sym::code::Var;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Pairs of places, and what corresponds at them.
pub(crate) struct Level {
    /// Old nodes to new ones: what both do there is the same.
    pub same: BTreeMap<usize, usize>,
    /// Heads of loops that changed, old to new: both versions come to them, and do something else there.
    pub heads: BTreeMap<usize, usize>,
    /// The names that old variables have in the new version, where they are others.
    pub renamed: BTreeMap<String, String>,
}

impl Level {
    pub fn of(old: &Cut, new: &Cut) -> Self {
        let records = (Records::of(old.code.module), Records::of(new.code.module));
        let first = said(old, &records.0, &BTreeMap::new());
        let now = said(new, &records.1, &BTreeMap::new());
        let mut matching = matched(&first, &now);
        let renamed = renaming(old, new, (&first, &now), &matching);
        let mut was = first;
        if !renamed.is_empty() {
            was = said(old, &records.0, &renamed);
            matching = matched(&was, &now);
        }
        let mut same: BTreeMap<usize, usize> = BTreeMap::new();
        for (at, partner) in matching.new_of.iter().enumerate() {
            if let Some(partner) = partner {
                same.insert(old.places[at], new.places[*partner]);
            }
        }
        settle(&mut same, (old, &was), (new, &now));
        let heads = heads(old, new, &same);
        Self { same, heads, renamed }
    }

    /// Whether both versions can be at this pair of places.
    pub fn has(&self, old: usize, new: usize) -> bool {
        self.same.get(&old) == Some(&new) || self.heads.get(&old) == Some(&new)
    }

    /// All pairs.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.same.iter().chain(&self.heads).map(|(&old, &new)| (old, new))
    }

    /// What a variable is called when both versions are told of together; none for one that has no partner anywhere.
    pub fn key(&self, cut: &Cut, is_old: bool, var: Var) -> Option<String> {
        let offset = |id: InstructionId, node: usize| id.0 - cut.code.nodes[node].first;
        match var {
            Var::Register(0, id) => {
                let node = cut.node_of[id.index()];
                let old = match is_old {
                    true => self.same.contains_key(&node).then_some(node),
                    false => self.same.iter().find(|(_, new)| **new == node).map(|(old, _)| *old),
                };
                Some(format!("value {} of {}", offset(id, node), old?))
            }
            Var::Slot(_) | Var::Parameter(0, _) => {
                let name = cut.name(var)?;
                let named = match is_old {
                    true => self.renamed.get(&name).cloned().unwrap_or(name),
                    false => name,
                };
                let is_parameter = matches!(var, Var::Parameter(..));
                Some(if is_parameter { format!("argument {named}") } else { named })
            }
            _ => None,
        }
    }
}

fn said(cut: &Cut, records: &Records, rename: &BTreeMap<String, String>) -> Vec<Said> {
    cut.places.iter().map(|&node| cut.said(node, records, rename)).collect()
}

fn matched(old: &[Said], new: &[Said]) -> Matching {
    let hashes = |said: &[Said]| -> Vec<u32> { said.iter().map(|one| hash(&one.text)).collect() };
    let (a, b) = (hashes(old), hashes(new));
    let mut matching = Matching::of(&a, &b);
    // Equal numbers are a guess; what is said decides.
    for (at, partner) in matching.new_of.iter_mut().enumerate() {
        if partner.is_some_and(|partner| old[at].text != new[partner].text) {
            *partner = None;
        }
    }
    matching
}

fn hash(text: &str) -> u32 {
    use std::hash::{Hash, Hasher};
    let mut hasher = rustc_hash::FxHasher::default();
    text.hash(&mut hasher);
    let wide = hasher.finish();
    (wide ^ (wide >> 32)) as u32
}

/// Pairs stay only if the results of other nodes that they use correspond too.
fn settle(same: &mut BTreeMap<usize, usize>, (old, was): (&Cut, &[Said]), (new, now): (&Cut, &[Said])) {
    let index = |cut: &Cut| -> FxHashMap<usize, usize> {
        cut.places.iter().enumerate().map(|(at, &node)| (node, at)).collect()
    };
    let (a, b) = (index(old), index(new));
    loop {
        let fits = |(one, other): (&usize, &usize)| {
            let (uses, others) = (&was[a[one]].uses, &now[b[other]].uses);
            uses.iter().zip(others).all(|(x, y)| {
                let (from, to) = (old.node_of[x.index()], new.node_of[y.index()]);
                let offset = |cut: &Cut, id: &InstructionId, node: usize| id.0 - cut.code.nodes[node].first;
                same.get(&from) == Some(&to) && offset(old, x, from) == offset(new, y, to)
            })
        };
        let bad: Vec<usize> = same.iter().filter(|pair| !fits(*pair)).map(|(&one, _)| one).collect();
        if bad.is_empty() {
            return;
        }
        for one in bad {
            same.remove(&one);
        }
    }
}

/// Variables that were renamed: wherever unmatched statements say the same but for names, one name stands for one other throughout.
fn renaming(
    old: &Cut,
    new: &Cut,
    (was, now): (&[Said], &[Said]),
    matching: &Matching,
) -> BTreeMap<String, String> {
    let names = |cut: &Cut| -> BTreeSet<String> { cut.names.values().cloned().collect() };
    let (olds, news) = (names(old), names(new));
    let mut votes: BTreeMap<String, BTreeMap<String, u32>> = BTreeMap::new();
    for hunk in &matching.hunks {
        let blind = |said: &[Said], range: &std::ops::Range<usize>| -> Vec<u32> {
            said[range.clone()].iter().map(|one| hash(&without_names(&one.text).0)).collect()
        };
        let (a, b) = (blind(was, &hunk.old), blind(now, &hunk.new));
        for (x, y) in hydrogen_align::lcs(&a, &b) {
            let (left, right) = (&was[hunk.old.start + x].text, &now[hunk.new.start + y].text);
            for (one, other) in without_names(left).1.into_iter().zip(without_names(right).1) {
                *votes.entry(one).or_default().entry(other).or_insert(0) += 1;
            }
        }
    }
    let mut renamed = BTreeMap::new();
    for (one, others) in votes {
        let gone = olds.contains(&one) && !news.contains(&one);
        if let (true, Some((other, _))) = (gone && others.len() == 1, others.into_iter().next())
            && !olds.contains(&other)
        {
            renamed.insert(one, other);
        }
    }
    // A parameter of another name that callers pass in the same way is the same one.
    let (a, b) = (old.function(), new.function());
    let head = |cut: &Cut| cut.function().ty.map(|ty| type_word(cut.code.module, ty));
    if a.parameters.len() == b.parameters.len() && head(old) == head(new) {
        for (one, other) in a.parameters.iter().zip(&b.parameters) {
            let is_gone = !news.contains(&one.name) && !olds.contains(&other.name);
            if is_gone && olds.contains(&one.name) && news.contains(&other.name) {
                renamed.entry(one.name.clone()).or_insert_with(|| other.name.clone());
            }
        }
    }
    // One new name for two old ones is no renaming.
    let mut count: BTreeMap<String, u32> = BTreeMap::new();
    renamed.values().for_each(|name| *count.entry(name.clone()).or_insert(0) += 1);
    renamed.retain(|_, name| count[name] == 1);
    renamed
}

/// What is said without the names of variables, and these names.
fn without_names(text: &str) -> (String, Vec<String>) {
    let (mut out, mut names) = (String::with_capacity(text.len()), Vec::new());
    for (at, word) in text.split(' ').enumerate() {
        if at > 0 {
            out.push(' ');
        }
        let (word, rest) = word.split_once('\n').map_or((word, None), |(word, rest)| (word, Some(rest)));
        match word.strip_prefix('$') {
            Some(name) => {
                names.push(name.to_owned());
                out.push('$');
            }
            None => out.push_str(word),
        }
        if let Some(rest) = rest {
            out.push('\n');
            out.push_str(rest);
        }
    }
    (out, names)
}

/// Heads of loops without a partner, paired in order between the same neighbours.
fn heads(old: &Cut, new: &Cut, same: &BTreeMap<usize, usize>) -> BTreeMap<usize, usize> {
    let backwards: BTreeMap<usize, usize> = same.iter().map(|(&a, &b)| (b, a)).collect();
    // The last matched place before a node, by the number of the old one.
    let gap = |cut: &Cut, node: usize, is_old: bool| -> usize {
        let first = cut.code.nodes[node].first;
        let before = cut.places.iter().rev().filter(|&&place| cut.code.nodes[place].first < first);
        let matched = before.filter_map(|place| match is_old {
            true => same.contains_key(place).then_some(*place),
            false => backwards.get(place).copied(),
        });
        matched.map(|place| place + 1).next().unwrap_or(0)
    };
    let mut found = BTreeMap::new();
    let mut open: Vec<(usize, usize)> = new
        .code
        .heads
        .iter()
        .filter(|&&head| new.code.nodes[head].frame == 0 && !backwards.contains_key(&head))
        .map(|&head| (gap(new, head, false), head))
        .collect();
    for &head in old.code.heads.iter().filter(|&&head| old.code.nodes[head].frame == 0) {
        if same.contains_key(&head) {
            continue;
        }
        let here = gap(old, head, true);
        if let Some(at) = open.iter().position(|(gap, _)| *gap == here) {
            found.insert(head, open.remove(at).1);
        }
    }
    found
}
