//! The model of a version from its source alone: every C file and header, read without building.

use crate::modeller::{Error, Modeller};
use crate::version::{Origin, UnitModel, VersionModel};
use hydrogen_flow::{Components, Digraph, Successors};
use hydrogen_history::tree::{self, FileEntry, Kind, Reader};
use hydrogen_history::version::{Source, Version};
use hydrogen_ir::{ContentHash, GlobalSummary, Linkage, ModuleSummary, summarize};
use hydrogen_syntax::{Item, ItemKind, NameHash, Names, Options, Unit};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// How a version is said to be built when it is only read.
pub const BUILD_FREE: &str = "source";

/// More problems than this in one version are counted, not listed.
const LISTED: usize = 3;

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
            how: BUILD_FREE.into(),
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
        let id = |name: &str| NameHash::of(name.as_bytes());
        let names = texts.keys().map(|name| (id(name), (*name).to_owned())).collect();
        let hashes = texts.keys().map(|name| id(name)).zip(deep_hashes(&texts)).collect();
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

/// The hash of every item and of all items it mentions, however deep.
fn deep_hashes(texts: &BTreeMap<&str, BTreeSet<&str>>) -> Vec<ContentHash> {
    let numbers: HashMap<&str, usize> =
        texts.keys().enumerate().map(|(number, name)| (*name, number)).collect();
    let mut mentions = Vec::new();
    for (number, all) in texts.values().enumerate() {
        for text in all {
            let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            mentions.extend(words.filter_map(|word| Some((number, *numbers.get(word)?))));
        }
    }
    mentions.sort_unstable();
    mentions.dedup();
    let graph = Digraph::unlabelled(texts.len(), mentions);
    let components = Components::of(&graph);
    let contents: Vec<&BTreeSet<&str>> = texts.values().collect();
    // Items that mention each other in a circle share one hash.
    let mut hashes = vec![ContentHash([0; 16]); components.count()];
    // Components are numbered with what they mention first.
    for component in 0..components.count() {
        let mut bytes = Vec::new();
        let mut below = BTreeSet::new();
        for &item in components.members(component) {
            for text in contents[item] {
                bytes.extend_from_slice(&(text.len() as u64).to_le_bytes());
                bytes.extend_from_slice(text.as_bytes());
            }
            below.extend(graph.successors(item).map(|other| components.component_of(other)));
        }
        let others = below.into_iter().filter(|other| *other != component);
        let mut deeper: Vec<ContentHash> = others.map(|other| hashes[other]).collect();
        deeper.sort_unstable();
        deeper.iter().for_each(|hash| bytes.extend_from_slice(&hash.0));
        hashes[component] = ContentHash::of(&bytes);
    }
    (0..texts.len()).map(|item| hashes[components.component_of(item)]).collect()
}
