//! What every command needs: versions, the cache, the modeller.

use crate::cli::Global;
use crate::missing::{Reading, Told};
use anyhow::{Context as _, Result};
use hydrogen_frontend::Pool;
use hydrogen_graph::VersionInfo;
use hydrogen_history::cache::{self, Cache};
use hydrogen_history::checkout::{self, Checkouts};
use hydrogen_history::config::Config;
use hydrogen_history::tree::Trees;
use hydrogen_history::version::{self, Version};
use hydrogen_model::{Modeller, Settings, VersionModel};
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The state of one run.
pub struct Context {
    options: Global,
    here: PathBuf,
    pub trees: Arc<Trees>,
    /// What the user was told about what is missing.
    pub told: Told,
    /// Set by a signal.
    cancel: Arc<AtomicBool>,
    started: Instant,
    /// Milliseconds that no budget is for.
    spared: AtomicU64,
}

impl Context {
    pub fn new(mut options: Global, cancel: Arc<AtomicBool>) -> Result<Self> {
        let here = match &options.directory {
            Some(directory) => {
                directory.canonicalize().with_context(|| format!("cannot enter {}", directory.display()))?
            }
            None => std::env::current_dir().context("the current folder is gone")?,
        };
        hydrogen_jail::permit(hydrogen_jail::Permissions {
            network: options.allow_network,
            variables: options.allow_env.clone(),
            read: options.allow_read.iter().map(|folder| here.join(folder)).collect(),
        });
        hydrogen_frontend::allow(options.build_timeout.unwrap_or(hydrogen_history::build::DEFAULT_TIMEOUT));
        hydrogen_history::limits::allow(hydrogen_history::limits::Limits {
            files: options.files_limit,
            bytes: options.size_limit,
        });
        let most = most_jobs();
        if let Some(jobs) = options.jobs.filter(|jobs| *jobs > most) {
            tracing::warn!("-j {jobs} is more than this machine can use; {most} are used");
            options.jobs = Some(most);
        }
        let (trees, told) = (Arc::default(), Told::default());
        Ok(Self { options, here, trees, told, cancel, started: Instant::now(), spared: AtomicU64::new(0) })
    }

    /// How long ago the command began, without what is done once on a machine: what a budget counts.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed().saturating_sub(Duration::from_millis(self.spared.load(Ordering::Relaxed)))
    }

    /// Leaves time out of what budgets count.
    pub fn spare(&self, time: Duration) {
        self.spared.fetch_add(u64::try_from(time.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// The versions that the names stand for, in the order given.
    pub fn resolve(&self, names: &[String]) -> Result<Vec<Version>> {
        let aliases = Config::in_directory(&self.here)?.map(|config| config.versions).unwrap_or_default();
        let spelled = |name: &String| aliases.get(name).cloned().unwrap_or_else(|| vec![name.clone()]);
        let names: Vec<String> = names.iter().flat_map(spelled).collect();
        Ok(version::resolve(&names, &self.here)?)
    }

    /// The one version that the name stands for.
    pub fn resolve_one(&self, name: &str) -> Result<Version> {
        let mut versions = self.resolve(&[name.to_owned()])?;
        match (versions.pop(), versions.len()) {
            (Some(version), 0) => Ok(version),
            (_, more) => anyhow::bail!("`{name}` stands for {} versions; one is needed here", more + 1),
        }
    }

    /// The folder that the tool runs in.
    pub fn here(&self) -> &Path {
        &self.here
    }

    /// Whether the user wants to see progress and warnings.
    pub fn is_quiet(&self) -> bool {
        self.options.quiet
    }

    /// Writes a text, without what a terminal would obey.
    pub fn output(&self, text: &str) -> Result<()> {
        self.output_bytes(crate::output::shown(text, self.wants_colour()).as_bytes())
    }

    /// Writes what a program printed: as it is into files and pipes, and without what a terminal would obey to one.
    pub fn output_of_a_program(&self, bytes: &[u8]) -> Result<()> {
        match self.options.output.is_none() && std::io::IsTerminal::is_terminal(&std::io::stdout()) {
            true => self.output(&String::from_utf8_lossy(bytes)),
            false => self.output_bytes(bytes),
        }
    }

    pub fn output_bytes(&self, bytes: &[u8]) -> Result<()> {
        let path = self.options.output.as_deref().map(|path| self.path(path));
        crate::output::write(path.as_deref(), bytes)
    }

    /// Whether the result goes to a terminal whose user wants colours.
    pub fn wants_colour(&self) -> bool {
        self.options.output.is_none() && crate::output::coloured(&std::io::stdout())
    }

    /// The options of this run that another process of the tool needs to answer alike.
    pub fn passed_on(&self) -> Vec<OsString> {
        let options = &self.options;
        let mut all: Vec<OsString> = Vec::new();
        let mut add = |name: &str, value: OsString| all.extend([OsString::from(name), value]);
        if let Some(jobs) = options.jobs {
            add("--jobs", jobs.to_string().into());
        }
        if let Some(folder) = &options.cache_dir {
            add("--cache-dir", self.path(folder).into());
        }
        add("--cache-limit", options.cache_limit.to_string().into());
        add("--files-limit", options.files_limit.to_string().into());
        add("--size-limit", options.size_limit.to_string().into());
        if let Some(time) = options.build_timeout {
            add("--build-timeout", format!("{}ms", time.as_millis()).into());
        }
        for name in &options.allow_env {
            add("--allow-env", name.into());
        }
        for folder in &options.allow_read {
            add("--allow-read", self.path(folder).into());
        }
        let flags = [(options.retry, "--retry"), (options.allow_network, "--allow-network")];
        all.extend(flags.iter().filter(|(set, _)| *set).map(|(_, name)| OsString::from(name)));
        all
    }

    /// Whether runs may use the network.
    pub fn allows_network(&self) -> bool {
        self.options.allow_network
    }

    /// Where the user wants the result: a file, or a folder for commands that write several.
    pub fn output_path(&self) -> Option<PathBuf> {
        self.options.output.as_deref().map(|path| self.path(path))
    }

    /// A path that the user gave, from the folder that the tool runs in.
    pub fn path(&self, given: &Path) -> PathBuf {
        self.here.join(given)
    }

    /// Where the cache is. What lies in it is reached by [`Self::kept`] alone.
    pub fn cache_directory(&self) -> Result<PathBuf> {
        match &self.options.cache_dir {
            Some(directory) => Ok(self.here.join(directory)),
            None => Ok(cache::default_directory()?),
        }
    }

    /// A folder in the cache, which is the user's alone.
    pub fn kept(&self, name: &str) -> Result<PathBuf> {
        Ok(cache::folder(&self.cache_directory()?, name)?)
    }

    pub fn cache(&self) -> Result<Cache> {
        let cache = Cache::open(&self.cache_directory()?, self.options.cache_limit)?;
        for warning in cache.take_warnings() {
            let words = warning.to_string();
            if self.told.is_new(&words) {
                tracing::warn!("{words}");
            }
        }
        Ok(cache)
    }

    /// A modeller that stops on Ctrl-C.
    pub fn modeller(&self) -> Result<Modeller> {
        self.modeller_with(self.cancel_flag(), Vec::new())
    }

    /// A flag that a signal sets, see [`crate::signals`].
    pub fn cancel_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.cancel)
    }

    /// Whether the user wants an end.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    /// How many things to do at a time.
    pub fn jobs(&self) -> usize {
        self.options.jobs.unwrap_or_else(cores).get()
    }

    pub fn quiet(&self) -> bool {
        self.options.quiet
    }

    /// A modeller that gives every unit further arguments.
    pub fn modeller_with(
        &self,
        cancel: Arc<AtomicBool>,
        extra_arguments: Vec<bstr::BString>,
    ) -> Result<Modeller> {
        let cache = Arc::new(self.cache()?);
        let checkouts = self.checkouts()?;
        let settings = Settings {
            jobs: self.jobs(),
            lower: Pool::default_program(),
            wrapper: beside("hydrogen-cc"),
            compiler: "clang-19".into(),
            extra_arguments,
            build_time: self.options.build_timeout,
            user: Some(self.here.clone()),
            retry: self.options.retry,
            cancel,
            progress: crate::progress::for_user(self.options.quiet),
        };
        Ok(Modeller::new(Arc::clone(&self.trees), checkouts, cache, settings)?)
    }

    /// Checkouts live beside the cache; where that cannot be written, in a folder for temporary files.
    pub fn checkouts(&self) -> Result<Checkouts> {
        let usual = self.kept("checkouts")?;
        Checkouts::with_trees(&usual, Arc::clone(&self.trees)).or_else(|error| {
            if !matches!(error, checkout::Error::Io { .. }) {
                return Err(error.into());
            }
            // A new one, whose name nobody knows before.
            let other = tempfile::Builder::new().prefix("hydrogen-").tempdir()?.keep();
            Ok(Checkouts::with_trees(&other, Arc::clone(&self.trees))?)
        })
    }

    /// Models of the versions; what is missing from each is said on standard error.
    pub fn models(
        &self,
        modeller: &Modeller,
        versions: &[Version],
        syntax: bool,
    ) -> Result<Vec<VersionModel>> {
        let mut models = Vec::new();
        for (version, model) in versions.iter().zip(modeller.models(versions, syntax)) {
            let model = model.with_context(|| format!("version {}", version.name))?;
            self.report_missing(&model);
            models.push(model);
        }
        Ok(models)
    }

    /// Says what is missing from a version.
    fn report_missing(&self, model: &VersionModel) {
        let missing = model.failures.iter().map(|failure| failure.message.as_str()).collect();
        let (name, problems) = (&model.version.name, &model.problems);
        self.told.tell(&Reading { name, problems, read: model.units.len(), missing });
    }

    /// Says that a version is missing from a graph.
    pub fn tell_left_out(&self, version: &str, why: &str) {
        self.told.left_out(version, why);
    }

    /// Says what is missing from a version of a graph.
    pub fn tell_missing(&self, info: &VersionInfo) {
        let missing = info.missing.iter().map(|gap| gap.message.as_str()).collect();
        self.told.tell(&Reading { name: &info.name, problems: &info.problems, read: info.read, missing });
    }
}

fn cores() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// Threads beyond a few per core only take memory.
fn most_jobs() -> NonZeroUsize {
    const PER_CORE: NonZeroUsize = NonZeroUsize::new(8).expect("it is not zero");
    cores().saturating_mul(PER_CORE)
}

/// A program of ours that stands beside the running one.
fn beside(name: &str) -> PathBuf {
    let own = std::env::current_exe().ok();
    own.and_then(|path| Some(path.parent()?.join(name))).unwrap_or_else(|| name.into())
}
