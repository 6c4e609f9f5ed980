//! The way from versions to models.

use crate::flight::Flight;
use crate::key::Key;
use crate::progress::Progress;
use crate::record::{UnitRecord, VersionRecord};
use crate::unit::SystemFiles;
use crate::version::{Failure, Origin, UnitModel, VersionModel};
use hydrogen_frontend::{Modelled, Pool};
use hydrogen_history::build;
use hydrogen_history::cache::{Cache, Stored};
use hydrogen_history::checkout::{self, Checkouts};
use hydrogen_history::config::{self, Config};
use hydrogen_history::tree::{self, Trees};
use hydrogen_history::version::{Source, Version};
use hydrogen_ir::{Module, ModuleSummary};
use rayon::prelude::*;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// Makes models of versions; shared by threads.
pub struct Modeller {
    pub(crate) trees: Arc<Trees>,
    pub(crate) checkouts: Checkouts,
    pub(crate) cache: Arc<Cache>,
    pub(crate) pool: Pool,
    pub(crate) settings: Settings,
    /// The command whose compiler calls count, in the place of the version's own build.
    command: Option<String>,
    pub(crate) flight: Flight,
    pub(crate) system: SystemFiles,
    summaries: Mutex<HashMap<[u8; 32], Arc<ModuleSummary>>>,
    /// Models that the cache could not take.
    homeless: Mutex<HashMap<[u8; 32], Arc<Vec<u8>>>>,
    threads: rayon::ThreadPool,
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// How models are made.
pub struct Settings {
    /// How many units and versions at a time.
    pub jobs: usize,
    /// The `hydrogen-lower` program.
    pub lower: PathBuf,
    /// The `hydrogen-cc` program.
    pub wrapper: PathBuf,
    /// The compiler that builds run.
    pub compiler: String,
    /// Arguments that every unit is modelled with besides its own: other headers, say.
    pub extra_arguments: Vec<bstr::BString>,
    /// The time limit for a build, where the user gives one.
    pub build_time: Option<Duration>,
    /// The user's own folder, where a `hydrogen.toml` may lie.
    pub user: Option<PathBuf>,
    /// Try again what failed in an earlier run.
    pub retry: bool,
    /// Set when the user wants to stop.
    pub cancel: Arc<AtomicBool>,
    /// Who is told.
    pub progress: Arc<dyn Progress>,
}

/// What is known of a version before any work.
#[derive(Debug, Clone)]
pub struct State {
    /// How it was or will be built.
    pub how: String,
    /// Its model, when there is one.
    pub cached: Option<CachedModel>,
}

/// A model in the cache.
#[derive(Debug, Clone, Copy)]
pub struct CachedModel {
    /// Units with a model.
    pub units: usize,
    /// Units without.
    pub failed: usize,
}

/// Why there is no model of a version at all.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The files cannot be read.
    #[error(transparent)]
    Tree(#[from] tree::Error),
    /// The files cannot be laid out.
    #[error(transparent)]
    Checkout(#[from] checkout::Error),
    /// The configuration is wrong.
    #[error(transparent)]
    Config(#[from] config::Error),
    /// The build cannot be run.
    #[error(transparent)]
    Build(#[from] build::Error),
    /// The compiler program is missing.
    #[error(transparent)]
    Frontend(#[from] hydrogen_frontend::Error),
    /// The user stopped the run.
    #[error("interrupted; what was finished is kept, and the next run goes on from there")]
    Interrupted,
    /// A stored model is gone.
    #[error("the model of {file} is no longer in the cache; run the command again")]
    Lost {
        /// The unit.
        file: String,
    },
    /// A bitcode file has no source to read.
    #[error("{} is compiled code; --syntax needs source files", path.display())]
    NoSource {
        /// The file.
        path: PathBuf,
    },
    /// The repository cannot be opened again.
    #[error("{0}")]
    Unreadable(String),
    /// Threads cannot be started.
    #[error("cannot start threads: {0}")]
    Threads(String),
}

impl Modeller {
    /// A modeller over a cache.
    pub fn new(
        trees: Arc<Trees>,
        checkouts: Checkouts,
        cache: Arc<Cache>,
        settings: Settings,
    ) -> Result<Self, Error> {
        let cancel = Arc::clone(&settings.cancel);
        let pool =
            Pool::new(settings.lower.clone(), Default::default(), move || cancel.load(Ordering::Relaxed));
        let threads = rayon::ThreadPoolBuilder::new()
            .num_threads(settings.jobs)
            .build()
            .map_err(|error| Error::Threads(error.to_string()))?;
        Ok(Self {
            trees,
            checkouts,
            cache,
            pool,
            settings,
            command: None,
            flight: Flight::default(),
            system: SystemFiles::default(),
            summaries: Mutex::default(),
            homeless: Mutex::default(),
            threads,
        })
    }

    /// The same where what a shell command compiles and links is the program: a test that builds what it starts, say.
    pub fn built_by(mut self, command: String) -> Self {
        self.command = Some(command);
        self
    }

    /// What is known of how a version is built.
    pub(crate) fn config(&self, version: &Version) -> Result<Config, Error> {
        let mut config = Config::for_version(&self.trees, version, self.settings.user.as_deref())?;
        if let Some(command) = &self.command {
            config.build.command = Some(config::Command::Shell(command.clone()));
            config.build.directory = None;
        }
        Ok(config)
    }

    /// The models of all versions, in their order, compiled or from the source alone. A version that cannot be
    /// modelled is an error of its own; the others go on.
    pub fn models(&self, versions: &[Version], syntax: bool) -> Vec<Result<VersionModel, Error>> {
        self.settings.progress.versions(versions.len());
        let one = |version: &Version| {
            let model = if syntax { self.read_source(version) } else { self.model(version) };
            self.settings.progress.version_done();
            model
        };
        // Versions have most of their units in common. The first one alone, with all threads on its units, leaves
        // little for which the others would have to wait for each other.
        let Some((first, rest)) = versions.split_first() else { return Vec::new() };
        self.threads.install(|| {
            let start = one(first);
            let mut models: Vec<_> = rest
                .par_iter()
                .map(|version| match &start {
                    Ok(same) if version.source == first.source => {
                        Ok(VersionModel { version: version.clone(), compiled: 0, ..same.clone() })
                    }
                    _ => one(version),
                })
                .collect();
            models.insert(0, start);
            models
        })
    }

    /// How a version will be built and what is known of it, without building anything.
    pub fn state(&self, version: &Version) -> Result<State, Error> {
        if let Source::Bitcode(_) = &version.source {
            return Ok(State { how: "clang".into(), cached: None });
        }
        let config = self.config(version)?;
        let record: Option<VersionRecord> = self.load("version", &self.content_key(version, &config)?);
        if let Some(record) = record {
            let cached = CachedModel { units: record.units.len(), failed: record.failures.len() };
            return Ok(State { how: record.how, cached: Some(cached) });
        }
        let files = self.trees.files(version)?;
        let has = |name: &str| files.iter().any(|file| file.path == name);
        let fetches = files.iter().any(|file| build::is_wrap(&file.path));
        Ok(State { how: build::expected(&has, fetches, &config).to_string(), cached: None })
    }

    fn model(&self, version: &Version) -> Result<VersionModel, Error> {
        self.check_cancelled()?;
        if let Source::Bitcode(path) = &version.source {
            return self.bitcode(version, path);
        }
        let config = self.config(version)?;
        let identity = self.content_key(version, &config)?;
        if let Some(model) = self.recorded(version, &identity) {
            return Ok(model);
        }
        let (record, compiled) = self.build_and_model(version, &config)?;
        let model = self.assemble(version, &record, compiled)?;
        if !record.fleeting {
            self.store("version", &identity, &record);
        }
        Ok(model)
    }

    /// The key of everything a version's model depends on.
    fn content_key(&self, version: &Version, config: &Config) -> Result<[u8; 32], Error> {
        // What the analyses are told is no part of the model.
        let key = self.key("version with programs").with(format!("{:?}", config.build).as_bytes());
        Ok(match &version.source {
            Source::Commit(commit) => {
                let key = key.with(commit.tree.as_bytes());
                // Most versions have none, and then their files need not be listed.
                match self.trees.read_path(version, ".gitmodules".into())? {
                    Some(_) => self.with_submodules(key, version, &self.trees.files(version)?)?.finish(),
                    None => key.finish(),
                }
            }
            _ => {
                let files = self.trees.files(version)?;
                let add = |key: Key, file: &tree::FileEntry| key.with(&file.path).with(file.oid.as_bytes());
                files.iter().fold(key, add).finish()
            }
        })
    }

    /// The key with the submodules whose files are there: a build with them is another one.
    pub(crate) fn with_submodules(
        &self,
        key: Key,
        version: &Version,
        files: &[tree::FileEntry],
    ) -> Result<Key, Error> {
        let there = self.trees.submodules(version, files)?;
        Ok(there.iter().filter(|one| one.git_dir.is_some()).fold(key, |key, one| key.with(&one.path)))
    }

    /// A key of everything that a version's model depends on, this program and its compiler included.
    pub fn identity(&self, version: &Version, syntax: bool) -> Result<[u8; 32], Error> {
        let content = match &version.source {
            // What is read from the source of a commit depends on its tree alone: neither on how it is built, nor on
            // submodules. Long histories ask this of each commit.
            Source::Commit(commit) if syntax => self.key("tree").with(commit.tree.as_bytes()).finish(),
            _ => self.content_key(version, &self.config(version)?)?,
        };
        let own = std::env::current_exe().map(|path| SystemFiles::file_identity(&path)).unwrap_or_default();
        Ok(Key::new("identity").with(&[u8::from(syntax)]).with(&content).with(&own).finish())
    }

    /// The cache that models are kept in.
    pub fn cache(&self) -> &Cache {
        &self.cache
    }

    /// The threads that work is done on.
    pub(crate) fn threads(&self) -> &rayon::ThreadPool {
        &self.threads
    }

    /// Whether what failed in an earlier run is to be tried again.
    pub fn retries(&self) -> bool {
        self.settings.retry
    }

    /// A key that also names the tools: another compiler or another Hydrogen makes other models. So does a build that may do more.
    pub(crate) fn key(&self, kind: &str) -> Key {
        let mut key = Key::new(kind).with(&self.system.tool_identity(&self.settings.lower));
        let permitted = hydrogen_jail::permitted();
        if *permitted != Default::default() {
            key = key.with(format!("{permitted:?}").as_bytes());
        }
        self.settings.extra_arguments.iter().fold(key, |key, argument| key.with(argument))
    }

    fn recorded(&self, version: &Version, identity: &[u8; 32]) -> Option<VersionModel> {
        let record: VersionRecord = self.load("version", identity)?;
        if self.settings.retry && !record.failures.is_empty() {
            return None;
        }
        self.settings.progress.units(record.units.len());
        let model = self.assemble(version, &record, 0).ok()?;
        (0..record.units.len()).for_each(|_| self.settings.progress.unit_done(false));
        Some(model)
    }

    fn assemble(
        &self,
        version: &Version,
        record: &VersionRecord,
        compiled: usize,
    ) -> Result<VersionModel, Error> {
        let units: Result<Vec<UnitModel>, Error> = record
            .units
            .iter()
            .map(|UnitRecord { file, key, objects }| {
                let summary = self.summary(key).ok_or_else(|| Error::Lost { file: file.clone() })?;
                let object = objects.first().cloned().unwrap_or_default();
                Ok(UnitModel { file: file.clone(), object, origin: self.origin(key), summary })
            })
            .collect();
        Ok(VersionModel {
            version: version.clone(),
            how: record.how.clone(),
            units: units?,
            programs: record.programs.clone(),
            failures: record.failures.clone(),
            problems: record.problems.clone(),
            items: Vec::new().into(),
            compiled,
        })
    }

    fn bitcode(&self, version: &Version, path: &std::path::Path) -> Result<VersionModel, Error> {
        let files = self.trees.files(version)?;
        let add = |key: Key, file: &tree::FileEntry| key.with(file.oid.as_bytes());
        let key = files.iter().fold(self.key("bitcode"), add).finish();
        let file = path.display().to_string();
        let mut record = VersionRecord {
            how: "bitcode".into(),
            units: Vec::new(),
            programs: Vec::new(),
            failures: Vec::new(),
            fleeting: false,
            problems: Vec::new(),
        };
        let known = self.summary(&key).is_some();
        let root = path.parent().unwrap_or(path);
        let modelled = match known {
            true => Ok(()),
            false => self.pool.bitcode(path, root).map(|answer| self.keep(&key, answer)),
        };
        match modelled {
            Ok(()) => record.units.push(UnitRecord { file, key, objects: Vec::new() }),
            Err(error @ (hydrogen_frontend::Error::Start { .. } | hydrogen_frontend::Error::Interrupted)) => {
                return Err(error.into());
            }
            Err(error) => record.failures.push(Failure { file, message: error.to_string() }),
        }
        self.assemble(version, &record, usize::from(!known))
    }

    /// The whole model of a unit.
    pub fn module(&self, unit: &UnitModel) -> Result<Arc<Module>, Error> {
        let lost = || Error::Lost { file: unit.file.clone() };
        let bytes = match &unit.origin {
            Origin::Parsed(module) => return Ok(Arc::clone(module)),
            Origin::Memory(bytes) => Arc::clone(bytes),
            Origin::Cached(key) => Arc::new(self.cache.get("module", key).ok_or_else(lost)?),
        };
        hydrogen_ir::codec::decode(&bytes).map(Arc::new).map_err(|_| lost())
    }

    pub(crate) fn check_cancelled(&self) -> Result<(), Error> {
        if self.settings.cancel.load(Ordering::Relaxed) { Err(Error::Interrupted) } else { Ok(()) }
    }

    /// Loads a stored record.
    pub(crate) fn load<R: serde::de::DeserializeOwned>(&self, kind: &str, key: &[u8; 32]) -> Option<R> {
        postcard::from_bytes(&self.cache.get(kind, key)?).ok()
    }

    /// Stores a record; a cache that cannot take it only makes the next run slower.
    pub(crate) fn store<R: serde::Serialize>(&self, kind: &str, key: &[u8; 32], record: &R) {
        if let Ok(bytes) = postcard::to_stdvec(record) {
            self.cache.put(kind, key, &bytes);
        }
    }

    /// Keeps a unit's model: in the cache, or in memory when the cache cannot take it.
    pub(crate) fn keep(&self, key: &[u8; 32], answer: Modelled) {
        for warning in &answer.warnings {
            tracing::info!("{warning}");
        }
        let stored = self.cache.put("module", key, &answer.module) == Stored::Stored
            && self.cache.put("summary", key, &answer.summary) == Stored::Stored;
        if stored {
            return;
        }
        if let Ok(summary) = postcard::from_bytes(&answer.summary) {
            lock(&self.summaries).insert(*key, Arc::new(summary));
            lock(&self.homeless).insert(*key, Arc::new(answer.module));
        }
    }

    fn origin(&self, key: &[u8; 32]) -> Origin {
        match lock(&self.homeless).get(key) {
            Some(module) => Origin::Memory(Arc::clone(module)),
            None => Origin::Cached(*key),
        }
    }

    pub(crate) fn summary(&self, key: &[u8; 32]) -> Option<Arc<ModuleSummary>> {
        let mut known = lock(&self.summaries);
        if let Some(summary) = known.get(key) {
            return Some(Arc::clone(summary));
        }
        let summary: Arc<ModuleSummary> = Arc::new(self.load("summary", key)?);
        known.insert(*key, Arc::clone(&summary));
        Some(summary)
    }
}
