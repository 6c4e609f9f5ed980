//! Files that the change touched and of which nothing is known.

use crate::Session;
use hydrogen_history::tree::{Change, changed_files};
use hydrogen_model::VersionModel;
use std::collections::BTreeSet;

/// So many characters of a compiler's message are told.
const LONGEST: usize = 160;

/// What is not spoken of, in words.
pub(crate) struct Unread {
    /// Changed files that do not compile.
    pub broken: Vec<String>,
    /// Changed files that are not part of the build.
    pub outside: Vec<String>,
}

impl Session<'_> {
    /// C files that differ between the versions and that a build does not compile, or fails to: nothing is said about them.
    pub(crate) fn unread(&self) -> Unread {
        // Folders as versions have no list of what differs: then every file may.
        let changed = changed_files(&self.old.version, &self.new.version).ok();
        let is_deleted = |change: &Change| matches!(change, Change::Deleted(_));
        let here = changed.iter().flatten().filter(|file| !is_deleted(&file.change));
        let paths = here.map(|file| file.path.to_string()).filter(|path| path.ends_with(".c"));
        let (mut found, mut outside) = (BTreeSet::new(), BTreeSet::new());
        let (was, is) = (compiled(&self.old), compiled(&self.new));
        for path in paths {
            let failed = self.new.failures.iter().find(|one| one.file == path);
            if let Some(one) = failed {
                found.insert(format!("{path} changed, but does not compile: {}", why(&one.message)));
            } else if !is.contains(path.as_str()) {
                let words = match was.contains(path.as_str()) {
                    true => "is not part of the new version's build any more",
                    false => "is not part of the build",
                };
                outside.insert(format!("{path} changed, but {words}"));
            } else if let Some(one) = self.old.failures.iter().find(|one| one.file == path) {
                let name = &self.old.version.name;
                found.insert(format!("{path} does not compile in {name}: {}", why(&one.message)));
            }
        }
        if changed.is_none() {
            for model in [&self.old, &self.new] {
                let name = &model.version.name;
                let words = |one: &hydrogen_model::Failure| {
                    format!("{} does not compile in {name}: {}", one.file, why(&one.message))
                };
                found.extend(model.failures.iter().map(words));
            }
        }
        for model in [&self.old, &self.new] {
            let (failed, all) = (model.failures.len(), model.failures.len() + model.units.len());
            if let Some(first) = model.failures.first().filter(|_| 2 * failed > all) {
                let (name, why) = (&model.version.name, why(&first.message));
                found.insert(format!("{failed} of {all} files do not compile in {name}; the first: {why}"));
            }
        }
        Unread { broken: found.into_iter().collect(), outside: outside.into_iter().collect() }
    }
}

/// The files that something was compiled of, included ones among them.
fn compiled(model: &VersionModel) -> BTreeSet<&str> {
    let units = model.units.iter();
    units
        .flat_map(|unit| {
            let inside = unit.summary.functions.iter().map(|one| one.file.as_str());
            inside.chain([unit.file.as_str()])
        })
        .collect()
}

/// What a compiler complains about, without the place: the first error is the reason for the rest.
fn why(message: &str) -> String {
    let line = message.lines().find_map(|line| line.split_once("error: ").map(|(_, words)| words));
    let words = line.or(message.lines().next()).unwrap_or_default();
    let words = match words
        .strip_suffix(" file not found")
        .and_then(|one| one.strip_prefix('\'')?.strip_suffix('\''))
    {
        Some(header) => format!("it needs {header}, which is not found"),
        None => words.to_owned(),
    };
    words.chars().take(LONGEST).collect()
}
