//! What stands outside functions: macros, types, variables and enumerators, with all they are made of.

use crate::item_table::ItemTable;
use crate::modeller::Modeller;
use hydrogen_history::version::Version;
use hydrogen_ir::ContentHash;
use hydrogen_syntax::{Item, ItemKind, NameHash, seen};
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
    /// What its users see of it, and of all that matters to it by value, however deep.
    pub hash: ContentHash,
}

/// The stored form.
type Stored = Vec<(String, Option<String>, u8, ContentHash)>;

const KINDS: [ItemKind; 5] = [ItemKind::Macro, ItemKind::Type, ItemKind::Global, ItemKind::Enum, SIDE];

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

/// The kind that conditions have.
pub(crate) const CONDITION: ItemKind = ItemKind::Include;

/// The kind that sides of other items have, sizes behind pointers: they are no declarations, and nobody lists them.
pub(crate) const SIDE: ItemKind = ItemKind::Prototype;

/// An item as a file has it: what is needed to hash it together with others.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FileItem {
    pub(crate) name: String,
    pub(crate) kind: ItemKind,
    pub(crate) text: ContentHash,
    pub(crate) mentions: Vec<NameHash>,
    /// What a condition says, or what a short macro without parameters is replaced by.
    pub(crate) value: Option<Box<str>>,
}

/// Longer replacements are no numbers.
const SHORT: usize = 64;

impl FileItem {
    /// The items of a file that can change what statements mean, sorted.
    pub(crate) fn all(items: &[Item]) -> Vec<FileItem> {
        let mut all: Vec<FileItem> = items.iter().flat_map(FileItem::of).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn of(item: &Item) -> impl Iterator<Item = FileItem> {
        let replaced = (item.kind == ItemKind::Macro)
            .then(|| item.text.strip_prefix("#define ")?.strip_prefix(item.name.as_str())?.strip_prefix(' '))
            .flatten()
            .filter(|text| text.len() <= SHORT)
            .map(Box::from);
        let own = item.kind;
        seen(item).into_iter().map(move |seen| {
            // Nobody but the table knows of conditions: they have a kind that no item of a version has.
            let (kind, value) = match (seen.is_condition(), seen.is_side()) {
                (true, _) => (CONDITION, Some(seen.text.as_str().into())),
                (_, true) => (SIDE, None),
                _ => (own, replaced.clone()),
            };
            let mut mentions: Vec<NameHash> =
                seen.needs.iter().map(|name| NameHash::of(name.as_bytes())).collect();
            mentions.sort_unstable();
            FileItem { text: ContentHash::of(seen.text.as_bytes()), name: seen.name, kind, mentions, value }
        })
    }
}

/// The items of a version by name and by the file that sees them, given per file. Several definitions of one are one item; the
/// kind is that of the first.
pub(crate) fn version_items<'a>(files: impl Iterator<Item = (&'a str, &'a [FileItem])>) -> Vec<VersionItem> {
    let mut table = ItemTable::default();
    files.for_each(|(path, items)| table.replace(path, &[], items));
    table.settle();
    table.all()
}
