//! The model of a version from its source alone: every C file and header, read without building.

use crate::items::{FileItem, VersionItem, version_items};
use crate::modeller::{Error, Modeller};
use crate::version::{Origin, UnitModel, VersionModel};
use hydrogen_history::tree::{self, FileEntry, Kind, Reader};
use hydrogen_history::version::{Source, Version};
use hydrogen_ir::{ContentHash, GlobalSummary, Linkage, ModuleSummary, summarize};
use hydrogen_syntax::{NameHash, Names, Options, Unit};
use rayon::prelude::*;
use std::collections::{BTreeSet, HashMap};
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
        let all: Arc<[VersionItem]> = {
            let items: Vec<FileItem> = units.iter().flat_map(|unit| FileItem::all(&unit.items)).collect();
            version_items(items.iter()).into()
        };
        let items = Items::of(&all);
        let problems = problems(&units);
        let compiled = units.len();
        let units = units.into_par_iter().map(|unit| items.model(unit)).collect();
        Ok(VersionModel {
            version: version.clone(),
            how: BUILD_FREE.into(),
            units,
            failures: Vec::new(),
            problems,
            items: all,
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

pub(crate) fn problems(units: &[Unit]) -> Vec<String> {
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
    fn of(items: &[VersionItem]) -> Self {
        let id = |item: &VersionItem| NameHash::of(item.name.as_bytes());
        let names = items.iter().map(|item| (id(item), item.name.clone())).collect();
        let hashes = items.iter().map(|item| (id(item), item.hash)).collect();
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
