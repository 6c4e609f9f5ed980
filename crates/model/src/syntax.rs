//! The model of a version from its source alone: every C file and header, read without building.

use crate::modeller::{Error, Modeller};
use crate::version::{Origin, UnitModel, VersionModel};
use hydrogen_history::tree::{self, FileEntry, Kind, Reader};
use hydrogen_history::version::{Source, Version};
use hydrogen_ir::{ContentHash, GlobalSummary, Linkage, ModuleSummary, summarize};
use hydrogen_syntax::{Item, ItemKind, NameHash, Names, Options, Unit};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// More problems than this in one version are counted, not listed.
const LISTED: usize = 20;

impl Modeller {
    /// The model of a version in build-free mode.
    pub(crate) fn read_source(&self, version: &Version) -> Result<VersionModel, Error> {
        self.check_cancelled()?;
        if let Source::Bitcode(path) = &version.source {
            return Err(Error::NoSource { path: path.clone() });
        }
        let files = self.trees.files(version)?;
        let is_c = |file: &&FileEntry| {
            matches!(file.kind, Kind::File | Kind::Executable)
                && (file.path.ends_with(b".c") || file.path.ends_with(b".h"))
        };
        let files: Vec<&FileEntry> = files.iter().filter(is_c).collect();
        self.settings.progress.stage(&version.name, "reading");
        self.settings.progress.units(files.len());
        let headers: Vec<&FileEntry> =
            files.iter().copied().filter(|file| file.path.ends_with(b".h")).collect();
        let mut known = Names::default();
        for names in self.each_file(version, &headers, |_, source| hydrogen_syntax::names(source))? {
            known.merge(names);
        }
        let options = Options { known: Some(Arc::new(known)), ..Options::default() };
        let units = self.each_file(version, &files, |path, source| {
            let unit = hydrogen_syntax::read(path, source, &options);
            self.settings.progress.unit_done(true);
            unit
        })?;
        let items = Items::of(&units);
        let problems = problems(&units);
        let compiled = units.len();
        let units = units.into_par_iter().map(|unit| items.model(unit)).collect();
        Ok(VersionModel {
            version: version.clone(),
            how: "source".into(),
            units,
            failures: Vec::new(),
            problems,
            compiled,
        })
    }
}

impl Modeller {
    /// What `read` makes of each file, in order.
    fn each_file<R: Send>(
        &self,
        version: &Version,
        files: &[&FileEntry],
        read: impl Fn(&str, &[u8]) -> R + Sync,
    ) -> Result<Vec<R>, Error> {
        let one = |reader: &mut Result<Reader<'_>, tree::Error>, file: &&FileEntry| {
            self.check_cancelled()?;
            let reader = reader.as_ref().map_err(|error| Error::Unreadable(error.to_string()))?;
            Ok(read(&String::from_utf8_lossy(&file.path), &reader.read(file)?))
        };
        files.par_iter().map_init(|| self.trees.reader(version), one).collect()
    }
}

fn problems(units: &[Unit]) -> Vec<String> {
    let all = units.iter().flat_map(|unit| {
        let place = |line: u32| format!("{}:{line}", unit.module.name);
        unit.problems.iter().map(move |one| format!("{}: {}", place(one.span.start.line), one.message))
    });
    let mut listed: Vec<String> = all.collect();
    if listed.len() > LISTED {
        let more = listed.split_off(LISTED).len();
        listed.push(format!("and {more} more places that could not be read as written"));
    }
    listed
}

/// What stands outside functions: macros, types, globals and enumerators by name, with what they are made of.
struct Items {
    names: HashMap<NameHash, String>,
    hashes: HashMap<NameHash, ContentHash>,
}

impl Items {
    fn of(units: &[Unit]) -> Self {
        let mut texts: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for item in units.iter().flat_map(|unit| &unit.items).filter(|item| has_meaning(item)) {
            texts.entry(&item.name).or_default().insert(&item.text);
        }
        let names: HashMap<NameHash, String> =
            texts.keys().map(|name| (NameHash::of(name.as_bytes()), (*name).to_owned())).collect();
        let hashes =
            texts.keys().map(|name| (NameHash::of(name.as_bytes()), deep_hash(name, &texts))).collect();
        Self { names, hashes }
    }

    /// The unit with every function naming the items it mentions.
    fn model(&self, unit: Unit) -> UnitModel {
        let mut summary: ModuleSummary = summarize(&unit.module);
        let mut mentioned = BTreeSet::new();
        for (function, uses) in summary.functions.iter_mut().zip(&unit.uses) {
            let known = uses.iter().filter(|name| self.names.contains_key(name));
            function.globals = known.clone().map(|name| self.names[name].clone()).collect();
            function.globals.sort();
            mentioned.extend(known);
        }
        let file = &summary.file;
        summary.globals = mentioned
            .into_iter()
            .map(|name| GlobalSummary {
                name: self.names[name].clone(),
                linkage: Linkage::External,
                hash: self.hashes[name],
                file: file.clone(),
                line: 0,
            })
            .collect();
        UnitModel {
            file: unit.module.name.clone(),
            origin: Origin::Parsed(Arc::new(unit.module)),
            summary: Arc::new(summary),
        }
    }
}

fn has_meaning(item: &Item) -> bool {
    let matters = matches!(item.kind, ItemKind::Macro | ItemKind::Type | ItemKind::Global | ItemKind::Enum);
    matters && !item.name.is_empty()
}

/// The hash of an item and of all items it mentions, however deep.
fn deep_hash(name: &str, texts: &BTreeMap<&str, BTreeSet<&str>>) -> ContentHash {
    let mut reached = BTreeSet::from([name]);
    let mut work = vec![name];
    while let Some(name) = work.pop() {
        for text in texts.get(name).into_iter().flatten() {
            let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            for word in words.filter_map(|word| texts.get_key_value(word)).map(|(word, _)| *word) {
                if reached.insert(word) {
                    work.push(word);
                }
            }
        }
    }
    let mut hash = blake3::Hasher::new();
    for name in reached {
        for text in texts.get(name).into_iter().flatten() {
            hash.update(&(text.len() as u64).to_le_bytes());
            hash.update(text.as_bytes());
        }
    }
    let mut short = [0; 16];
    short.copy_from_slice(&hash.finalize().as_bytes()[..16]);
    ContentHash(short)
}
