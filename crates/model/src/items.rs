//! What stands outside functions: macros, types, variables and enumerators, with all they are made of.

use crate::modeller::Modeller;
use hydrogen_flow::{Components, Digraph, Successors};
use hydrogen_history::version::Version;
use hydrogen_ir::ContentHash;
use hydrogen_syntax::{Item, ItemKind, NameHash};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// Something outside functions that statements can depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionItem {
    /// Its name.
    pub name: String,
    /// The source file that alone sees it; none for what headers define.
    pub file: Option<String>,
    /// What it is.
    pub kind: ItemKind,
    /// Its text and that of all it mentions, however deep.
    pub hash: ContentHash,
}

/// The stored form.
type Stored = Vec<(String, Option<String>, u8, ContentHash)>;

const KINDS: [ItemKind; 4] = [ItemKind::Macro, ItemKind::Type, ItemKind::Global, ItemKind::Enum];

impl Modeller {
    /// The macros, types and variables of a version, if an earlier run found them.
    pub fn known_items(&self, version: &Version) -> Option<Arc<[VersionItem]>> {
        let stored: Stored = self.load("items", &self.identity(version, true).ok()?)?;
        let item = |(name, file, kind, hash): (String, Option<String>, u8, ContentHash)| {
            Some(VersionItem { name, file, kind: *KINDS.get(usize::from(kind))?, hash })
        };
        stored.into_iter().map(item).collect()
    }

    /// Keeps the macros, types and variables of a version.
    pub fn keep_items(&self, version: &Version, items: &[VersionItem]) {
        let kind = |item: &VersionItem| KINDS.iter().zip(0u8..).find(|(kind, _)| **kind == item.kind);
        let item =
            |item: &VersionItem| Some((item.name.clone(), item.file.clone(), kind(item)?.1, item.hash));
        let stored: Option<Stored> = items.iter().map(item).collect();
        if let (Ok(key), Some(stored)) = (self.identity(version, true), stored) {
            self.store("items", &key, &stored);
        }
    }
}

/// An item as a file has it: what is needed to hash it together with others.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FileItem {
    name: String,
    kind: ItemKind,
    text: ContentHash,
    mentions: Vec<NameHash>,
}

impl FileItem {
    /// The items of a file that can change what statements mean, sorted.
    pub(crate) fn all(items: &[Item]) -> Vec<FileItem> {
        let mut all: Vec<FileItem> = items.iter().filter_map(FileItem::of).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn of(item: &Item) -> Option<FileItem> {
        let matters =
            matches!(item.kind, ItemKind::Macro | ItemKind::Type | ItemKind::Global | ItemKind::Enum);
        if !matters || item.name.is_empty() {
            return None;
        }
        let mut mentions: Vec<NameHash> =
            hydrogen_ir::names_in(&item.text).map(|name| NameHash::of(name.as_bytes())).collect();
        mentions.sort_unstable();
        mentions.dedup();
        let text = ContentHash::of(item.text.as_bytes());
        Some(FileItem { name: named(item), kind: item.kind, text, mentions })
    }

    /// About how many bytes it takes.
    pub(crate) fn weight(&self) -> usize {
        self.name.len() + 8 * self.mentions.len() + 80
    }

    /// A hash of items.
    pub(crate) fn digest(items: &[FileItem]) -> ContentHash {
        let mut bytes = Vec::new();
        for item in items {
            bytes.extend_from_slice(&(item.name.len() as u64).to_le_bytes());
            bytes.extend_from_slice(item.name.as_bytes());
            bytes.push(item.kind as u8);
            bytes.extend_from_slice(&item.text.0);
        }
        ContentHash::of(&bytes)
    }
}

/// The name that statements mention: a tag's with its keyword.
fn named(item: &Item) -> String {
    let keyword = item.text.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    match (item.kind, keyword) {
        (ItemKind::Type, "struct" | "union" | "enum") => format!("{keyword} {}", item.name),
        _ => item.name.clone(),
    }
}

/// The items of a version by name and by the file that sees them, given per file. Several definitions of one are one item; the
/// kind is that of the first.
pub(crate) fn version_items<'a>(files: impl Iterator<Item = (&'a str, &'a [FileItem])>) -> Vec<VersionItem> {
    let mut items: BTreeMap<Key<'a>, Vec<&FileItem>> = BTreeMap::new();
    for (path, of_file) in files {
        // What a source file defines, no other file sees by its definition; a header's, every file may.
        let only = path.ends_with(".c").then_some(path);
        for item in of_file {
            items.entry((&item.name, only)).or_default().push(item);
        }
    }
    let hashes = deep_hashes(&items);
    let item = |((key, all), hash): ((&Key<'_>, &Vec<&FileItem>), ContentHash)| VersionItem {
        name: key.0.to_owned(),
        file: key.1.map(str::to_owned),
        kind: all[0].kind,
        hash,
    };
    items.iter().zip(hashes).map(item).collect()
}

/// A name and the file that alone sees it.
type Key<'a> = (&'a str, Option<&'a str>);

/// The hash of every item and of all items it mentions, however deep.
fn deep_hashes(items: &BTreeMap<Key<'_>, Vec<&FileItem>>) -> Vec<ContentHash> {
    let numbers: HashMap<(NameHash, Option<&str>), usize> = items
        .keys()
        .zip(0..)
        .map(|((name, file), number)| ((NameHash::of(name.as_bytes()), *file), number))
        .collect();
    let mut mentions = Vec::new();
    let mut texts: Vec<BTreeSet<ContentHash>> = Vec::with_capacity(items.len());
    for (number, ((_, file), all)) in items.iter().enumerate() {
        let meant = |name: &NameHash| {
            let own = file.and_then(|file| numbers.get(&(*name, Some(file))));
            own.or_else(|| numbers.get(&(*name, None))).copied()
        };
        let named = all.iter().flat_map(|item| &item.mentions);
        mentions.extend(named.filter_map(|name| Some((number, meant(name)?))));
        texts.push(all.iter().map(|item| item.text).collect());
    }
    mentions.sort_unstable();
    mentions.dedup();
    let graph = Digraph::unlabelled(items.len(), mentions);
    let components = Components::of(&graph);
    // Items that mention each other in a circle share one hash.
    let mut hashes = vec![ContentHash([0; 16]); components.count()];
    // Components are numbered with what they mention first.
    for component in 0..components.count() {
        let mut bytes = Vec::new();
        let mut below = BTreeSet::new();
        for &item in components.members(component) {
            bytes.extend_from_slice(&(texts[item].len() as u64).to_le_bytes());
            texts[item].iter().for_each(|text| bytes.extend_from_slice(&text.0));
            below.extend(graph.successors(item).map(|other| components.component_of(other)));
        }
        let others = below.into_iter().filter(|other| *other != component);
        let mut deeper: Vec<ContentHash> = others.map(|other| hashes[other]).collect();
        deeper.sort_unstable();
        deeper.iter().for_each(|hash| bytes.extend_from_slice(&hash.0));
        hashes[component] = ContentHash::of(&bytes);
    }
    (0..items.len()).map(|item| hashes[components.component_of(item)]).collect()
}
