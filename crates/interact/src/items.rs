//! Which macros, types, variables and enumerators mean something else now.

use crate::conditions::Conditions;
use crate::facts::{FileFacts, FilePiece, ItemFacts};
use crate::index::Index;
use crate::mechanical::Rewriting;
use crate::pairs::Touched;
use hydrogen_model::in_common;
use hydrogen_syntax::NameHash;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Names with another meaning: for all files, and for single ones by number.
#[derive(Debug, Default)]
pub(crate) struct ChangedItems {
    pub everywhere: BTreeSet<NameHash>,
    pub local: BTreeMap<u32, BTreeSet<NameHash>>,
    /// What was found in the text itself, before anything was followed.
    pub spelled: BTreeSet<Box<str>>,
}

/// A name, and the file that it is limited to, if any.
type Scoped = (Option<u32>, NameHash);

impl ChangedItems {
    pub fn is_empty(&self) -> bool {
        self.everywhere.is_empty() && self.local.is_empty()
    }

    /// The items whose text differs between the two sides of the touched files. `home` gives the number under which the
    /// old and the new path of a moved file are the same. What a rewriting explains does not count.
    pub fn of(touched: &[Touched], home: impl Fn(&Touched) -> u32, rewriting: &Rewriting) -> Self {
        let mut texts: BTreeMap<Scoped, (&str, [Vec<&ItemFacts>; 2])> = BTreeMap::new();
        // What stands in pieces that both sides have is asked for only where the others have something of the same name.
        let (mut common, mut own) = (Vec::new(), Vec::new());
        for file in touched.iter().filter(|file| file.content) {
            let place = home(file);
            let (old, new) = (pieces_of(&file.old), pieces_of(&file.new));
            let (before, behind) = in_common(old, new);
            for (side, all) in [old, new].into_iter().enumerate() {
                common.push((side, place, &all[..before]));
                common.push((side, place, &all[all.len() - behind..]));
                own.push((side, place, &all[before..all.len() - behind]));
            }
        }
        for (side, place, pieces) in own {
            for item in pieces.iter().flat_map(|piece| &piece.items.all) {
                let place = item.local.then_some(place);
                let entry = texts.entry((place, item.id)).or_insert((&item.called, Default::default()));
                entry.1[side].push(item);
            }
        }
        if texts.is_empty() {
            common.clear();
        }
        for (side, place, pieces) in common {
            for item in pieces.iter().flat_map(|piece| &piece.items.all) {
                if let Some(entry) = texts.get_mut(&(item.local.then_some(place), item.id)) {
                    entry.1[side].push(item);
                }
            }
        }
        let mut changed = Self::default();
        for (_, sides) in texts.values_mut() {
            sides.iter_mut().for_each(|side| {
                side.sort_unstable_by_key(|item| item.text);
                side.dedup_by_key(|item| item.text);
            });
        }
        let all = |side: &[&ItemFacts]| side.iter().map(|item| item.text).collect::<Vec<u64>>();
        let explained = explained(&texts, rewriting);
        for (&(place, name), (_, sides)) in &texts {
            let either = sides[0].first().or(sides[1].first());
            if all(&sides[0]) != all(&sides[1]) && !explained.contains(&(place, name)) {
                changed.spelled.extend(either.map(|item| item.name.clone()));
                either.into_iter().for_each(|item| changed.insert(place, item));
            }
        }
        changed
    }

    /// Adds an item, under all names that users have for it.
    fn insert(&mut self, place: Option<u32>, item: &ItemFacts) {
        let names = [Some(item.id), item.starred, item.dotted].into_iter().flatten();
        match place {
            None => self.everywhere.extend(names),
            Some(file) => self.local.entry(file).or_default().extend(names),
        }
    }

    /// Lets the variables among them be seen by the files that declare them; by all, where a header does.
    pub fn share(&mut self, touched: &[Touched], index: &Index) {
        if self.local.is_empty() {
            return;
        }
        let sides = touched.iter().flat_map(|file| [&file.old, &file.new]).flatten();
        let shared = sides.flat_map(|facts| facts.items()).filter(|item| item.shared).map(|item| item.id);
        let shared: BTreeSet<NameHash> =
            shared.filter(|id| self.local.values().any(|own| own.contains(id))).collect();
        if shared.is_empty() {
            return;
        }
        for (number, facts) in index.files() {
            for item in facts.items().filter(|item| shared.contains(&item.id)) {
                self.insert(item.local.then_some(number), item);
            }
        }
    }

    /// Adds the items that are defined by one of the names, however deep.
    pub fn close<'a>(&mut self, touched: &[Touched], files: impl Fn() -> Vec<(u32, &'a Arc<FileFacts>)>) {
        if self.is_empty() {
            return;
        }
        let all = files();
        // Few headers have such conditions: what they need is looked for when one is met.
        let conditions = std::cell::OnceCell::new();
        loop {
            let mut found: Vec<(Option<u32>, &ItemFacts)> = Vec::new();
            let everywhere: Vec<NameHash> = self.everywhere.iter().copied().collect();
            for (number, facts) in &all {
                let own = self.local.get(number);
                let mentions = |words: &[NameHash]| {
                    common(&everywhere, words).next().is_some()
                        || own.is_some_and(|own| own.iter().any(|name| words.binary_search(name).is_ok()))
                };
                if !mentions(facts.item_words()) {
                    continue;
                }
                let decided = |item: &ItemFacts| {
                    mentions(&item.condition_words)
                        && !conditions.get_or_init(|| Conditions::of(&all, touched)).are_same(item)
                };
                let pieces = facts.pieces.iter().filter(|piece| mentions(&piece.items.words));
                let items = pieces.flat_map(|piece| &piece.items.all);
                for item in items.filter(|item| mentions(&item.words) || decided(item)) {
                    let known =
                        self.everywhere.contains(&item.id) || own.is_some_and(|own| own.contains(&item.id));
                    if !known {
                        found.push((item.local.then_some(*number), item));
                    }
                }
            }
            if found.is_empty() {
                return;
            }
            found.into_iter().for_each(|(place, item)| self.insert(place, item));
        }
    }
}

fn pieces_of(side: &Option<Arc<FileFacts>>) -> &[Arc<FilePiece>] {
    side.as_ref().map_or(&[], |facts| &facts.pieces)
}

/// What two sorted lists have in common. A header has thousands of names and a function a few: the longer one is searched.
pub(crate) fn common<'a>(one: &'a [NameHash], two: &'a [NameHash]) -> impl Iterator<Item = &'a NameHash> {
    let (few, many) = if one.len() < two.len() { (one, two) } else { (two, one) };
    few.iter().filter(move |name| many.binary_search(name).is_ok())
}

/// The items that a rewriting made of others, or of themselves: old names too.
fn explained(
    texts: &BTreeMap<Scoped, (&str, [Vec<&ItemFacts>; 2])>,
    rewriting: &Rewriting,
) -> BTreeSet<Scoped> {
    let mut found = BTreeSet::new();
    for (&(place, name), (called, sides)) in texts {
        let [old] = sides[0][..] else { continue };
        // A member has a dot in front, a tag its keyword, what a pointer leads to an ampersand.
        let plain = called.trim_end_matches('.');
        let bare = plain.rfind(['.', ' ', '&']).map_or(0, |at| at + 1);
        let (before, behind) = (&plain[..bare], &called[plain.len()..]);
        let renamed = rewriting.new_name(&plain[bare..]).map(|new| format!("{before}{new}{behind}"));
        let renamed = renamed.map(|new| NameHash::of(new.as_bytes()));
        let now = (place, renamed.filter(|_| sides[1].is_empty()).unwrap_or(name));
        let Some([new]) = texts.get(&now).map(|(_, sides)| &sides[1][..]) else { continue };
        let (Some(was), Some(is)) = (&old.spelled, &new.spelled) else { continue };
        if was != is && rewriting.explains(was, is) || now.1 != name && was == is {
            found.extend([(place, name), now]);
        }
    }
    found
}

/// Files that were moved: per number of the new file, the number of the old one.
pub(crate) fn moved(touched: &[Touched]) -> FxHashMap<u32, u32> {
    let mut found = FxHashMap::default();
    let gone: Vec<&Touched> = touched.iter().filter(|file| file.new.is_none()).collect();
    for file in touched.iter().filter(|file| file.old.is_none()) {
        let Some(new) = &file.new else { continue };
        let digests: BTreeSet<u64> = new.functions.iter().map(|it| it.digest).collect();
        let how = |old: &FileFacts| {
            let same = old.functions.iter().filter(|it| digests.contains(&it.digest)).count();
            let largest = old.functions.len().max(new.functions.len());
            let items = old.items().eq(new.items());
            (2 * same >= largest && (same > 0 || items)).then_some(same)
        };
        // Of several that are as much alike, the first by path.
        let alike = gone.iter().enumerate();
        let best = alike.filter_map(|(at, old)| Some((how(old.old.as_ref()?)?, std::cmp::Reverse(at)))).max();
        if let Some((_, old)) = best {
            found.insert(file.file, gone[old.0].file);
        }
    }
    found
}
