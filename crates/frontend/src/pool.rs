//! A few children, each busy with one request.

use crate::child::{Child, Silence};
use crate::folders;
use crate::protocol::{Command, Reply, Request, Stage, Stats};
use bstr::{BStr, BString, ByteSlice};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

/// Children for as many threads as ask; idle ones are kept for the next request.
pub struct Pool {
    program: PathBuf,
    limits: Limits,
    idle: Mutex<Vec<Child>>,
    /// Milliseconds that were spent on answers that did not come in time.
    lost: AtomicU64,
    cancelled: Box<dyn Fn() -> bool + Send + Sync>,
}

/// What a child may take.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The time for one answer.
    pub time: Duration,
    /// A child is replaced after so many answers, so that leaks inside the compiler never add up.
    pub answers: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: ALLOWED.get().copied().unwrap_or(TIME), answers: 500 }
    }
}

/// The time for one answer when nobody said otherwise.
const TIME: Duration = Duration::from_secs(300);
static ALLOWED: OnceLock<Duration> = OnceLock::new();

/// Sets how long one answer may take. It is one decision per run: a second one has no effect.
pub fn allow(time: Duration) {
    let _ = ALLOWED.set(time);
}

/// The preprocessed unit.
#[derive(Debug, Clone)]
pub struct Preprocessed {
    /// Equal for units whose models are equal, wherever the version lies.
    pub hash: [u8; 32],
    /// Every file that was read, absolute.
    pub dependencies: Vec<PathBuf>,
}

/// The model of a unit.
#[derive(Debug, Clone)]
pub struct Modelled {
    /// The module, as `hydrogen_ir`'s codec writes it.
    pub module: Vec<u8>,
    /// The module's summary, postcard-encoded.
    pub summary: Vec<u8>,
    /// Every file that was read, absolute.
    pub dependencies: Vec<PathBuf>,
    /// What the user should know about this unit.
    pub warnings: Vec<String>,
    /// Sizes and times.
    pub stats: Stats,
}

/// Why there is no model of a unit.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The input is wrong, in the compiler's own words.
    #[error("{file}: cannot {}:\n{message}", verb(.stage))]
    Failed {
        /// The file.
        file: String,
        /// What was being done.
        stage: Stage,
        /// The compiler's message.
        message: String,
    },
    /// The child took too long.
    #[error("{file}: no answer within {} s, and the compiler was stopped; --build-timeout allows more", .limit.as_secs_f64())]
    TimeOut {
        /// The file.
        file: String,
        /// The limit.
        limit: Duration,
    },
    /// The child crashed.
    #[error("{file}: the compiler crashed ({detail})")]
    Crashed {
        /// The file.
        file: String,
        /// Its exit status and last words.
        detail: String,
    },
    /// The user stopped the run.
    #[error("interrupted")]
    Interrupted,
    /// The child program is missing or cannot be started.
    #[error("{0}; hydrogen-lower and hydrogen-jail should stand beside the hydrogen program")]
    Start(#[from] hydrogen_jail::Error),
}

fn verb(stage: &Stage) -> &'static str {
    match stage {
        Stage::Read => "read",
        Stage::Preprocess => "preprocess",
        Stage::Compile => "compile",
        Stage::Lower => "model",
    }
}

impl Pool {
    /// A pool that runs the given `hydrogen-lower` program.
    pub fn new(
        program: PathBuf,
        limits: Limits,
        cancelled: impl Fn() -> bool + Send + Sync + 'static,
    ) -> Self {
        Self {
            program,
            limits,
            idle: Mutex::new(Vec::new()),
            lost: AtomicU64::new(0),
            cancelled: Box::new(cancelled),
        }
    }

    /// The `hydrogen-lower` that stands beside the running program, or in the folder above it (test binaries
    /// live one folder deeper); `HYDROGEN_LOWER` overrides.
    pub fn default_program() -> PathBuf {
        if let Some(path) = std::env::var_os("HYDROGEN_LOWER") {
            return path.into();
        }
        let beside = |folder: &Path| folder.join("hydrogen-lower");
        let own = std::env::current_exe().ok();
        let folders = own.iter().flat_map(|path| path.ancestors().skip(1).take(2));
        folders.map(beside).find(|path| path.exists()).unwrap_or_else(|| "hydrogen-lower".into())
    }

    /// The pool for commands that nobody vouches for: they read these folders and those of the system, wherever they point.
    pub fn reading(&self, folders: Vec<PathBuf>) -> Reader<'_> {
        Reader { pool: self, folders }
    }

    /// The model of a unit whose command comes from the user: it may read what it names.
    pub fn model(&self, command: &Command) -> Result<Modelled, Error> {
        self.reading(folders::named(command)).model(command)
    }

    /// The model of a `.bc` or `.ll` file that the user named.
    pub fn bitcode(&self, path: &Path, root: &Path) -> Result<Modelled, Error> {
        self.reading(folders::around([path, root])).bitcode(path, root)
    }

    /// The time for the next answer. A version in which every file is a trap must not take that long for each of them: once answers have
    /// failed to come for all of it, the others get a part.
    fn time(&self) -> Duration {
        let all = self.limits.time;
        all.saturating_sub(Duration::from_millis(self.lost.load(Ordering::Relaxed))).max(all / PART)
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Child>> {
        self.idle.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// What an answer gets at least of the time.
const PART: u32 = 20;

/// A pool whose children read certain folders.
pub struct Reader<'a> {
    pool: &'a Pool,
    folders: Vec<PathBuf>,
}

impl Reader<'_> {
    /// The hash of the unit's preprocessed text.
    pub fn preprocess(&self, command: &Command) -> Result<Preprocessed, Error> {
        let file = command.file.as_bstr();
        match self.ask(&Request::Preprocess(command.clone()), file)? {
            Reply::Preprocessed { hash, dependencies } => {
                Ok(Preprocessed { hash, dependencies: paths(dependencies) })
            }
            _ => Err(out_of_step(file)),
        }
    }

    /// The model of a unit.
    pub fn model(&self, command: &Command) -> Result<Modelled, Error> {
        let file = command.file.as_bstr();
        modelled(self.ask(&Request::Model(command.clone()), file)?, file)
    }

    /// The model of a `.bc` or `.ll` file; files in its debug information are named relative to `root`.
    pub fn bitcode(&self, path: &Path, root: &Path) -> Result<Modelled, Error> {
        let bytes = |path: &Path| BString::from(path.as_os_str().as_bytes());
        let request = Request::Bitcode { path: bytes(path), root: bytes(root) };
        let file = bytes(path);
        modelled(self.ask(&request, file.as_bstr())?, file.as_bstr())
    }

    /// Starts a child that will be needed soon, so that it loads while other work goes on.
    pub fn prepare(&self) {
        if let Ok(child) = self.take() {
            self.give_back(child);
        }
    }

    /// A child that crashes is given the question once more: compilers crash for reasons of the moment too, and
    /// an answer that is right is worth a second try.
    fn ask(&self, request: &Request, file: &BStr) -> Result<Reply, Error> {
        match self.ask_once(request, file) {
            Err(Error::Crashed { .. }) => self.ask_once(request, file),
            answer => answer,
        }
    }

    fn ask_once(&self, request: &Request, file: &BStr) -> Result<Reply, Error> {
        let name = || file.to_string();
        let mut child = self.take()?;
        let limit = self.pool.time();
        match child.ask(request, limit, &*self.pool.cancelled) {
            Ok(reply) => {
                self.give_back(child);
                match reply {
                    Reply::Failed { stage, message } => Err(Error::Failed { file: name(), stage, message }),
                    reply => Ok(reply),
                }
            }
            Err(Silence::TimeOut) => {
                let lost = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
                self.pool.lost.fetch_add(lost, Ordering::Relaxed);
                Err(Error::TimeOut { file: name(), limit })
            }
            Err(Silence::Cancelled) => Err(Error::Interrupted),
            Err(Silence::Refused(message)) => {
                Err(Error::Failed { file: name(), stage: Stage::Preprocess, message })
            }
            Err(Silence::Died(detail)) => Err(Error::Crashed { file: name(), detail }),
        }
    }

    fn take(&self) -> Result<Child, Error> {
        let mut idle = self.pool.idle();
        if let Some(at) = idle.iter().rposition(|child| child.reads == self.folders) {
            return Ok(idle.remove(at));
        }
        drop(idle);
        Ok(Child::start(&self.pool.program, &self.folders)?)
    }

    /// Keeps a child for the next request, if it is not worn out. Those for folders that were not asked about lately go.
    fn give_back(&self, child: Child) {
        if child.answered >= self.pool.limits.answers {
            return;
        }
        let mut idle = self.pool.idle();
        idle.push(child);
        let most = 2 * std::thread::available_parallelism().map_or(1, usize::from);
        let old: Vec<Child> = if idle.len() > most { idle.drain(..1).collect() } else { Vec::new() };
        drop(idle);
        // Ending one takes a moment, in which the others should not have to wait.
        drop(old);
    }
}

fn modelled(reply: Reply, file: &BStr) -> Result<Modelled, Error> {
    match reply {
        Reply::Modelled { module, summary, dependencies, warnings, stats } => {
            Ok(Modelled { module, summary, dependencies: paths(dependencies), warnings, stats })
        }
        _ => Err(out_of_step(file)),
    }
}

fn paths(names: Vec<BString>) -> Vec<PathBuf> {
    names.iter().map(|name| OsStr::from_bytes(name).into()).collect()
}

fn out_of_step(file: &BStr) -> Error {
    Error::Crashed { file: file.to_string(), detail: "an answer to another question".into() }
}
