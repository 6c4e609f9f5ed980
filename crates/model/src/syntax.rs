//! The model of a version from its source alone: every C file and header, read without building.

use crate::items::{FileItem, VersionItem, version_items};
use crate::modeller::{Error, Modeller};
use crate::opaque::Opaque;
use crate::version::{Failure, Origin, UnitModel, VersionModel};
use hydrogen_history::tree::{self, FileEntry, Kind, Reader};
use hydrogen_history::version::{Source, Version};
use hydrogen_ir::{
    Function, GlobalSummary, Linkage, Mention, ModuleSummary, Pointers, Role, is_before_dot, mentions_in,
    summarize,
};
use hydrogen_syntax::{ItemKind, Names, Options, Unit, stepping};
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap};
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
        let own: Vec<(String, Vec<FileItem>)> =
            units.iter().map(|unit| (unit.module.name.clone(), FileItem::all(&unit.items))).collect();
        let files = || own.iter().map(|(path, items)| (path.as_str(), items.as_slice()));
        let all: Arc<[VersionItem]> = version_items(files()).into();
        let items = Items::of(files(), &all);
        let failed =
            |unit: &Unit| Some(Failure { file: unit.module.name.clone(), message: unit.failed.clone()? });
        let failures = units.iter().filter_map(failed).collect();
        let problems = problems(&units);
        let compiled = units.len();
        let units = units
            .into_par_iter()
            .filter(|unit| unit.failed.is_none())
            .map(|unit| items.model(unit))
            .collect();
        Ok(VersionModel {
            version: version.clone(),
            how: BUILD_FREE.into(),
            units,
            programs: Vec::new(),
            failures,
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

/// What stands outside functions: macros, types, globals, members and enumerators by name, with what they are made of.
struct Items<'a> {
    named: HashMap<(&'a str, Option<&'a str>), &'a VersionItem>,
    opaque: Opaque<'a>,
}

impl<'a> Items<'a> {
    fn of(files: impl Iterator<Item = (&'a str, &'a [FileItem])>, items: &'a [VersionItem]) -> Self {
        let named = items.iter().map(|item| ((item.name.as_str(), item.file.as_deref()), item)).collect();
        Self { named, opaque: Opaque::of(files, items) }
    }

    /// What a name means in a file.
    fn meant(&self, name: &str, file: &str) -> Option<&'a VersionItem> {
        self.named.get(&(name, Some(file))).or_else(|| self.named.get(&(name, None))).copied()
    }

    /// The items that a function can see a change of.
    fn seen_by(&self, function: &Function, file: &str) -> BTreeMap<&'a str, &'a VersionItem> {
        let mut found: BTreeMap<&str, &VersionItem> = BTreeMap::new();
        let pointers = Pointers::of(function);
        let texts = function.pieces.iter().map(|piece| (piece.text.as_str(), Some(piece.role)));
        for (text, role) in std::iter::once((function.signature.as_str(), None)).chain(texts) {
            for mention in mentions_in(text) {
                let item = match mention {
                    // Of a structure the member says what is seen.
                    Mention::Name(name) if is_before_dot(text, name) => {
                        self.meant(&format!("{name}."), file).or_else(|| self.meant(name, file))
                    }
                    Mention::Name(name) => self.meant(name, file),
                    Mention::Member(name) => self.meant(&format!(".{name}"), file),
                    // Of a type behind a pointer nothing is seen, unless the pointer is moved or followed.
                    Mention::Pointed(name) => {
                        self.meant(name, file).filter(|item| item.kind != ItemKind::Type)
                    }
                };
                found.extend(item.map(|item| (item.name.as_str(), item)));
            }
            if let Some(role) = role {
                let steps = |name: &str| self.meant(&stepping(name), file).is_some();
                let sizes = pointers.sizes(text, role == Role::Declaration, steps);
                let items = sizes.iter().filter_map(|name| self.meant(name, file));
                found.extend(items.map(|item| (item.name.as_str(), item)));
            }
        }
        let of_headers: Vec<&VersionItem> =
            found.values().copied().filter(|item| item.file.is_none()).collect();
        for item in of_headers {
            let own = self.opaque.meant(&item.name, file);
            found.extend(own.iter().map(|own| (own.name.as_str(), *own)));
        }
        found
    }

    /// The unit with every function naming the items it can see.
    fn model(&self, unit: Unit) -> UnitModel {
        let mut summary: ModuleSummary = summarize(&unit.module);
        let mut mentioned: BTreeMap<&str, &VersionItem> = BTreeMap::new();
        for (summary, function) in summary.functions.iter_mut().zip(&unit.module.functions) {
            let items = self.seen_by(function, &unit.module.name);
            summary.globals = items.keys().map(|name| (*name).to_owned()).collect();
            mentioned.extend(items);
        }
        let global = |item: &VersionItem| GlobalSummary {
            name: item.name.clone(),
            linkage: if item.file.is_some() { Linkage::Internal } else { Linkage::External },
            hash: item.hash,
            seen: item.hash,
            file: summary.file.clone(),
            line: 0,
        };
        summary.globals = mentioned.into_values().map(global).collect();
        UnitModel {
            file: unit.module.name.clone(),
            object: String::new(),
            origin: Origin::Parsed(Arc::new(unit.module)),
            summary: Arc::new(summary),
        }
    }
}
