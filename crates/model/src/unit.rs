//! One translation unit: found by the files it reads, by its preprocessed text, or compiled.

use crate::modeller::{Error, Modeller, lock};
use crate::plan::Workplace;
use crate::record::{Alternative, Manifest, Place, UnitPlan};
use crate::version::Failure;
use hydrogen_frontend::{Command, Error as FrontendError};
use hydrogen_history::Oid;
use hydrogen_jail::inside;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// What became of a unit.
pub(crate) enum Outcome {
    /// It has a model.
    Done {
        /// The key of the model.
        key: [u8; 32],
        /// Whether the compiler had to run.
        compiled: bool,
        /// Whether it read only files of the version and of the system.
        pure: bool,
    },
    /// It has none.
    Failed {
        /// Why.
        failure: Failure,
        /// Whether another try may end otherwise: the compiler crashed or took too long.
        fleeting: bool,
    },
}

/// How many sets of header contents are remembered per unit and main file.
const ALTERNATIVES: usize = 32;

impl Modeller {
    /// Looks for a unit whose files have not changed since some earlier run.
    pub(crate) fn unchanged(&self, unit: &UnitPlan, work: &Workplace) -> Option<[u8; 32]> {
        let manifest: Manifest = self.load("manifest", &self.manifest_key(unit, work)?)?;
        let same = |(place, hash): &(Place, [u8; 20])| work.content(place, &self.system) == Some(*hash);
        let found = manifest.alternatives.iter().find(|one| one.dependencies.iter().all(same))?;
        self.summary(&found.unit).map(|_| found.unit)
    }

    /// Models a unit in a checkout.
    pub(crate) fn unit(&self, unit: &UnitPlan, work: &Workplace) -> Result<Outcome, Error> {
        self.check_cancelled()?;
        if let Some(key) = self.unchanged(unit, work) {
            return Ok(Outcome::Done { key, compiled: false, pure: self.is_pure(unit, work, &key) });
        }
        let mut command = work.command(unit);
        command.arguments.extend(self.settings.extra_arguments.iter().cloned());
        match self.compile(unit, &command, work) {
            Ok(outcome) => Ok(outcome),
            Err(FrontendError::Interrupted) => Err(Error::Interrupted),
            Err(error @ FrontendError::Start { .. }) => Err(error.into()),
            Err(error) => {
                let message = work.readable(&error.to_string());
                let fleeting = matches!(error, FrontendError::Crashed { .. } | FrontendError::TimeOut { .. });
                Ok(Outcome::Failed { failure: Failure { file: unit.name.clone(), message }, fleeting })
            }
        }
    }

    fn compile(
        &self,
        unit: &UnitPlan,
        command: &Command,
        work: &Workplace,
    ) -> Result<Outcome, FrontendError> {
        let reader = self.pool.reading(work.readable_folders(&self.settings));
        let text = reader.preprocess(command)?;
        let key = unit
            .arguments
            .iter()
            .fold(self.key("unit").with(unit.name.as_bytes()), |key, argument| key.with(argument));
        let key = key.with(&text.hash).finish();
        let claim = self.flight.claim(key);
        let known = self.summary(&key).is_some();
        if !known {
            let answer = reader.model(command)?;
            self.keep(&key, answer);
        }
        drop(claim);
        let dependencies = self.remember(unit, work, &text.dependencies, key);
        Ok(Outcome::Done { key, compiled: !known, pure: work.all_original(&dependencies) })
    }

    /// Remembers what the unit read, so that next time nothing needs to be preprocessed.
    fn remember(
        &self,
        unit: &UnitPlan,
        work: &Workplace,
        read: &[PathBuf],
        key: [u8; 32],
    ) -> Vec<(Place, [u8; 20])> {
        let hashed = |path: &PathBuf| {
            let place = work.place(path);
            work.content(&place, &self.system).map(|hash| (place, hash))
        };
        let mut dependencies: Vec<(Place, [u8; 20])> = read.iter().filter_map(hashed).collect();
        dependencies.sort();
        dependencies.dedup();
        // A file that can no longer be read makes the list useless.
        if let Some(name) = self.manifest_key(unit, work).filter(|_| dependencies.len() == read.len()) {
            let mut manifest: Manifest = self.load("manifest", &name).unwrap_or_default();
            let alternative = Alternative { dependencies: dependencies.clone(), unit: key };
            manifest.alternatives.retain(|other| other.dependencies != alternative.dependencies);
            manifest.alternatives.insert(0, alternative);
            manifest.alternatives.truncate(ALTERNATIVES);
            self.store("manifest", &name, &manifest);
        }
        dependencies
    }

    /// The name of a unit's manifest: its command, its main file's content, and which files the version has, since a
    /// new header can hide another of the same name.
    fn manifest_key(&self, unit: &UnitPlan, work: &Workplace) -> Option<[u8; 32]> {
        let main = work.content(&Place::Inside(PathBuf::from(&unit.name)), &self.system)?;
        let key = self.key("manifest").with(&unit.file).with(&unit.directory);
        let key = unit.arguments.iter().fold(key, |key, argument| key.with(argument));
        Some(key.with(&main).with(&work.paths).finish())
    }

    fn is_pure(&self, unit: &UnitPlan, work: &Workplace, key: &[u8; 32]) -> bool {
        let manifest: Option<Manifest> =
            self.manifest_key(unit, work).and_then(|name| self.load("manifest", &name));
        let found =
            manifest.and_then(|manifest| manifest.alternatives.into_iter().find(|one| one.unit == *key));
        found.is_some_and(|one| work.all_original(&one.dependencies))
    }
}

/// Content hashes of files outside the versions, computed once per run.
#[derive(Default)]
pub(crate) struct SystemFiles {
    known: Mutex<HashMap<PathBuf, Option<[u8; 20]>>>,
    tool: std::sync::OnceLock<Vec<u8>>,
}

impl SystemFiles {
    pub(crate) fn content(&self, path: &Path) -> Option<[u8; 20]> {
        let mut known = lock(&self.known);
        if let Some(hash) = known.get(path) {
            return *hash;
        }
        // It is the compiler that names it, and what the compiler reads a repository names.
        let hash = inside::read_named(path, inside::MOST).ok().map(|content| blob_hash(&content));
        known.insert(path.to_owned(), hash);
        hash
    }

    /// What tells one build of the child program from another.
    pub(crate) fn tool_identity(&self, lower: &Path) -> Vec<u8> {
        self.tool.get_or_init(|| Self::file_identity(lower)).clone()
    }

    /// What tells one build of a program of ours from another.
    pub(crate) fn file_identity(program: &Path) -> Vec<u8> {
        let modified = std::fs::metadata(program).and_then(|meta| Ok((meta.len(), meta.modified()?)));
        format!("{} {modified:?}", env!("CARGO_PKG_VERSION")).into_bytes()
    }
}

/// The hash git gives a file of this content.
pub(crate) fn blob_hash(content: &[u8]) -> [u8; 20] {
    let mut hash = [0; 20];
    let oid = Oid::of_blob(content);
    let bytes = &oid.as_bytes()[..20];
    hash.copy_from_slice(bytes);
    hash
}
