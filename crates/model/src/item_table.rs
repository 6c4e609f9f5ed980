//! The items of a version, moving along a history: a step costs what it changes, and what depends on that.

use crate::items::{CONDITION, FileItem, VersionItem};
use crate::sources::words;
use hydrogen_flow::{Components, Digraph, Successors};
use hydrogen_ir::ContentHash;
use hydrogen_syntax::{ByHash, ItemKind, NameHash, Reduced, reduced};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// An item that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemChange {
    /// Its name.
    pub name: String,
    /// The source file that alone sees it.
    pub file: Option<String>,
    /// What it was, and is now, with the hash; nothing where it did not or does not exist.
    pub before: Option<(ItemKind, ContentHash)>,
    /// See `before`.
    pub now: Option<(ItemKind, ContentHash)>,
}

/// The items of a version by name and by the file that sees them.
#[derive(Debug, Default)]
pub(crate) struct ItemTable {
    ids: HashMap<Key, u32>,
    slots: Vec<Slot>,
    /// By the hash of the name, and of the name behind a star; see [`ItemTable::meant`].
    hashes: HashMap<(NameHash, Option<Box<str>>), u32>,
    /// The items that mention a name.
    users: HashMap<NameHash, BTreeSet<u32>, ByHash>,
    dirty: BTreeSet<u32>,
}

/// A name and the file that alone sees it.
type Key = (Box<str>, Option<Box<str>>);

#[derive(Debug)]
struct Slot {
    key: Key,
    /// The definitions by path, each with how often the file has it.
    parts: BTreeMap<Box<str>, Vec<(FileItem, i64)>>,
    /// What was told of it.
    told: Option<(ItemKind, ContentHash)>,
}

impl Slot {
    /// The definitions.
    fn definitions(&self) -> impl Iterator<Item = &FileItem> {
        self.parts.values().flatten().map(|(item, _)| item)
    }

    fn kind(&self) -> Option<ItemKind> {
        self.definitions().next().map(|item| item.kind)
    }

    /// Its value, if all definitions agree on one.
    fn value(&self) -> Option<&str> {
        let mut all = self.definitions().map(|item| item.value.as_deref());
        let first = all.next()??;
        all.all(|other| other == Some(first)).then_some(first)
    }

    fn mentions(&self) -> BTreeSet<NameHash> {
        self.definitions().flat_map(|item| item.mentions.iter().copied()).collect()
    }
}

/// The name as it stands before a star: a factor, not what a pointer leads to.
fn starred(name: &str) -> NameHash {
    NameHash::of(format!("*{name}").as_bytes())
}

impl ItemTable {
    /// Replaces items of a file, each as often as the file has it.
    pub(crate) fn replace<'a>(
        &mut self,
        path: &str,
        old: impl IntoIterator<Item = &'a FileItem>,
        new: impl IntoIterator<Item = &'a FileItem>,
    ) {
        let mut changes: BTreeMap<&FileItem, i64> = BTreeMap::new();
        new.into_iter().for_each(|item| *changes.entry(item).or_default() += 1);
        old.into_iter().for_each(|item| *changes.entry(item).or_default() -= 1);
        changes.retain(|_, count| *count != 0);
        // Items are ordered by name first.
        let changes: Vec<(&FileItem, i64)> = changes.into_iter().collect();
        for own in changes.chunk_by(|a, b| a.0.name == b.0.name) {
            self.change(path, own);
        }
    }

    /// Changes how often a file has the items of one name.
    fn change(&mut self, path: &str, changes: &[(&FileItem, i64)]) {
        // What a source file defines, no other file sees by its definition; a header's, every file may.
        let file: Option<Box<str>> = path.ends_with(".c").then(|| path.into());
        let id = self.slot((changes[0].0.name.as_str().into(), file));
        let slot = &mut self.slots[id as usize];
        let before = slot.mentions();
        let own = slot.parts.entry(path.into()).or_default();
        let mut differs = false;
        for &(item, count) in changes {
            match own.binary_search_by(|(it, _)| it.cmp(item)) {
                Ok(at) => own[at].1 += count,
                Err(at) => {
                    own.insert(at, (item.clone(), count));
                    differs = true;
                }
            }
        }
        let all = own.len();
        own.retain(|(_, count)| *count > 0);
        differs |= own.len() < all;
        if own.is_empty() {
            slot.parts.remove(path);
        }
        if !differs {
            return;
        }
        let after = slot.mentions();
        for gone in before.difference(&after) {
            if let Some(users) = self.users.get_mut(gone) {
                users.remove(&id);
            }
        }
        for added in after.difference(&before) {
            self.users.entry(*added).or_default().insert(id);
        }
        self.dirty.insert(id);
    }

    fn slot(&mut self, key: Key) -> u32 {
        if let Some(&id) = self.ids.get(&key) {
            return id;
        }
        let id = u32::try_from(self.slots.len()).expect("fewer than 2^32 items");
        self.ids.insert(key.clone(), id);
        self.hashes.insert((NameHash::of(key.0.as_bytes()), key.1.clone()), id);
        self.hashes.insert((starred(&key.0), key.1.clone()), id);
        self.slots.push(Slot { key, parts: BTreeMap::new(), told: None });
        id
    }

    /// What a name means in a file, or in headers.
    fn meant(&self, name: NameHash, file: &Option<Box<str>>) -> Option<u32> {
        let here = |file: &Option<Box<str>>| {
            let id = *self.hashes.get(&(name, file.clone()))?;
            let slot = &self.slots[id as usize];
            let kind = slot.kind()?;
            let star = kind == ItemKind::Type && NameHash::of(slot.key.0.as_bytes()) != name;
            (!star).then_some(id)
        };
        match file {
            Some(_) => here(file).or_else(|| here(&None)),
            None => here(&None),
        }
    }

    /// What a condition comes to, or what is left of it.
    fn holds(&self, slot: &Slot) -> Option<Reduced> {
        if slot.kind() != Some(CONDITION) {
            return None;
        }
        let meaning = |name: &str| {
            let id = self.meant(NameHash::of(name.as_bytes()), &slot.key.1)?;
            let found = &self.slots[id as usize];
            found.value().filter(|_| found.kind() == Some(ItemKind::Macro))
        };
        Some(reduced(slot.value()?, &meaning))
    }

    /// Brings all hashes up to date; gives what changed, sorted.
    pub(crate) fn settle(&mut self) -> Vec<ItemChange> {
        let touched = self.touched();
        let numbers: HashMap<u32, usize> = touched.iter().copied().zip(0..).collect();
        let mut edges = Vec::new();
        let mut outside: Vec<BTreeSet<ContentHash>> = vec![BTreeSet::new(); touched.len()];
        for (at, id) in touched.iter().enumerate() {
            let slot = &self.slots[*id as usize];
            for name in slot.mentions() {
                let Some(other) = self.meant(name, &slot.key.1) else { continue };
                match numbers.get(&other) {
                    Some(other) => edges.push((at, *other)),
                    None => outside[at].extend(self.slots[other as usize].told.map(|told| told.1)),
                }
            }
        }
        edges.sort_unstable();
        edges.dedup();
        let graph = Digraph::unlabelled(touched.len(), edges);
        let components = Components::of(&graph);
        // Items that mention each other in a circle share one hash. Components are numbered with what they mention first.
        let mut hashes: Vec<ContentHash> = Vec::with_capacity(components.count());
        for component in 0..components.count() {
            let mut members: Vec<usize> = components.members(component).to_vec();
            members.sort_unstable();
            // A condition is what it comes to, whatever numbers it compares; or what is left of it, and that alone.
            if let [item] = members[..]
                && let slot = &self.slots[touched[item] as usize]
                && let Some(holds) = self.holds(slot)
            {
                let mut bytes = match &holds {
                    Reduced::To(true) => b"#if 1".to_vec(),
                    Reduced::To(false) => b"#if 0".to_vec(),
                    Reduced::Open(rest) => format!("#if {rest}").into_bytes(),
                };
                if let Reduced::Open(rest) = &holds {
                    let meant = words(rest).filter_map(|name| self.meant(name, &slot.key.1));
                    let below: BTreeSet<ContentHash> = meant
                        .filter_map(|other| match numbers.get(&other) {
                            Some(&other) => hashes.get(components.component_of(other)).copied(),
                            None => self.slots[other as usize].told.map(|told| told.1),
                        })
                        .collect();
                    below.iter().for_each(|hash| bytes.extend_from_slice(&hash.0));
                }
                hashes.push(ContentHash::of(&bytes));
                continue;
            }
            let mut bytes = Vec::new();
            let mut below: BTreeSet<ContentHash> = BTreeSet::new();
            for item in members {
                let slot = &self.slots[touched[item] as usize];
                let texts: BTreeSet<ContentHash> = slot.definitions().map(|it| it.text).collect();
                bytes.extend_from_slice(&(texts.len() as u64).to_le_bytes());
                texts.iter().for_each(|text| bytes.extend_from_slice(&text.0));
                let inside = graph.successors(item).map(|other| components.component_of(other));
                below.extend(inside.filter(|other| *other != component).map(|other| hashes[other]));
                below.extend(&outside[item]);
            }
            below.iter().for_each(|hash| bytes.extend_from_slice(&hash.0));
            hashes.push(ContentHash::of(&bytes));
        }
        let mut changes = Vec::new();
        for (at, id) in touched.iter().enumerate() {
            let slot = &mut self.slots[*id as usize];
            let now = slot.kind().map(|kind| (kind, hashes[components.component_of(at)]));
            let before = std::mem::replace(&mut slot.told, now);
            if before != now && slot.kind() != Some(CONDITION) && before.is_none_or(|it| it.0 != CONDITION) {
                let (name, file) = (slot.key.0.to_string(), slot.key.1.as_deref().map(str::to_owned));
                changes.push(ItemChange { name, file, before, now });
            }
        }
        changes
    }

    /// The items that changed, and all that mention one of them, however deep, in the order of their keys.
    fn touched(&mut self) -> Vec<u32> {
        let mut all = std::mem::take(&mut self.dirty);
        let mut work: Vec<u32> = all.iter().copied().collect();
        while let Some(id) = work.pop() {
            let (name, file) = &self.slots[id as usize].key;
            for hash in [NameHash::of(name.as_bytes()), starred(name)] {
                for &user in self.users.get(&hash).into_iter().flatten() {
                    let sees = file.is_none() || self.slots[user as usize].key.1 == *file;
                    if sees && all.insert(user) {
                        work.push(user);
                    }
                }
            }
        }
        let mut touched: Vec<u32> = all.into_iter().collect();
        touched.sort_by(|a, b| self.slots[*a as usize].key.cmp(&self.slots[*b as usize].key));
        touched
    }

    /// All items, sorted by name and file.
    pub(crate) fn all(&self) -> Vec<VersionItem> {
        let mut all: Vec<VersionItem> = self
            .slots
            .iter()
            .filter_map(|slot| {
                let (kind, hash) = slot.told.filter(|(kind, _)| *kind != CONDITION)?;
                let (name, file) = (slot.key.0.to_string(), slot.key.1.as_deref().map(str::to_owned));
                Some(VersionItem { name, file, kind, hash })
            })
            .collect();
        all.sort_unstable_by(|a, b| (&a.name, &a.file).cmp(&(&b.name, &b.file)));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::items::version_items;
    use hydrogen_syntax::{Options, read};
    use proptest::prelude::*;

    /// Whether an item is the same in two headers.
    fn same(name: &str, old: &str, new: &str) -> bool {
        let hash = |text: &str| {
            let items = FileItem::all(&read("x.h", text.as_bytes(), &Options::default()).items);
            let all = version_items([("x.h", items.as_slice())].into_iter());
            all.into_iter().find(|item| item.name == name).map(|item| item.hash).expect("there is one")
        };
        hash(old) == hash(new)
    }

    /// A version number that an `#if` inside of a structure compares.
    #[test]
    fn a_condition_counts_by_what_it_comes_to() {
        let with = |version: &str| {
            format!(
                "#define VER ({version})\n#define LIB VER * 100\nstruct s {{\n int a;\n#if LIB < 700\n int b;\n#endif\n int c;\n}};\n"
            )
        };
        assert!(same("struct s", &with("3"), &with("4")) && same(".c", &with("3"), &with("4")));
        assert!(!same("struct s", &with("3"), &with("7")) && !same(".c", &with("3"), &with("7")));
        assert!(same(".a", &with("3"), &with("7")) && !same("VER", &with("3"), &with("4")));
        // What is known is put in, and the rest is as it was.
        let both = |version: &str| with(version).replace("LIB < 700", "LIB < 700 && defined TEXT");
        assert!(same(".c", &both("3"), &both("4")) && !same(".c", &both("3"), &both("7")));
        let other = both("4").replace("TEXT", "WORDS");
        assert!(!same(".c", &both("3"), &other));
        let asked = |text: &str| {
            format!("#define TEXT {text}\n{}", both("3").replace("defined TEXT", "TEXT < OTHER"))
        };
        assert!(same(".c", &asked("1"), &asked("1")) && !same(".c", &asked("1"), &asked("2")));
        // What is not known may be anything.
        let (old, new) = (with("3 + OTHER"), with("4 + OTHER"));
        assert!(!same(".c", &old, &new) && !same(".c", &with("f(3)"), &with("f(4)")));
    }

    const LINES: [&str; 9] = [
        "#define A B\n",
        "#define B 1\n",
        "#define B 2\n",
        "struct s { int x; struct t *p; };\n",
        "struct t { struct s v; int y[A]; };\n",
        "typedef struct t t_t;\n",
        "static t_t global = { B * A };\n",
        "enum e { E1 = A, E2 };\n",
        "struct c {\n int x;\n#if A < 2\n int y;\n#endif\n};\n",
    ];

    fn items(lines: &[usize]) -> Vec<FileItem> {
        let text: String = lines.iter().map(|line| LINES[*line]).collect();
        FileItem::all(&read("x", text.as_bytes(), &Options::default()).items)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        /// Going from version to version gives what each version gives alone.
        #[test]
        fn steps_are_the_whole(
            versions in prop::collection::vec(prop::collection::vec(prop::collection::vec(0..LINES.len(), 0..6), 3), 1..5),
        ) {
            let paths = ["a.c", "b.h", "c.h"];
            let mut table = ItemTable::default();
            let mut now: Vec<Vec<FileItem>> = vec![Vec::new(); 3];
            for version in versions {
                for (at, lines) in version.iter().enumerate() {
                    let new = items(lines);
                    table.replace(paths[at], &now[at], &new);
                    now[at] = new;
                }
                table.settle();
                let alone = version_items(paths.iter().copied().zip(now.iter().map(Vec::as_slice)));
                prop_assert_eq!(table.all(), alone);
            }
        }
    }
}
