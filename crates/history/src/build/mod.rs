//! How a version is built: which C files, with which arguments.
//!
//! Nothing is patched. What the owner wrote in `hydrogen.toml` comes first, then a compilation database, then the build
//! system that is found; a wrapper in the place of the compiler writes down what it is called with. When nothing works,
//! all C files are taken with guessed include folders, and the result says so.

mod advice;
mod command;
mod database;
mod detect;
mod lacking;
mod left;
mod makefile;
mod ninja;
mod problem;
mod process;
mod recorder;
mod sources;
mod units;
mod ways;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::config::Config;

pub use problem::{Error, Problem};
pub use recorder::find_wrapper;
pub use ways::{expected, is_wrap};

/// How long a build may take when nobody says otherwise.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(300);

/// One C file and how it is compiled.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Unit {
    /// The file: relative to the checkout when it is inside of it, absolute otherwise (generated files of a build
    /// outside of the source tree).
    pub file: PathBuf,
    /// Where the compiler runs: relative to the checkout when it is inside (`.` is not written: the root is the empty
    /// path), absolute otherwise.
    pub directory: PathBuf,
    /// The arguments, without the compiler, the file itself, and everything about outputs, optimisation, debug
    /// information, warnings and linking.
    pub arguments: Vec<String>,
    /// The object files this compilation gave, relative like `file`; links name them.
    pub objects: Vec<PathBuf>,
}

/// A program or library that was linked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Link {
    /// What was made.
    pub output: PathBuf,
    /// Object files, archives and sources it was made of, in the order given; `-lNAME` for a library that is named alone.
    pub inputs: Vec<PathBuf>,
}

/// Where a plan comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum How {
    /// `hydrogen.toml` says it.
    Config,
    /// A `compile_commands.json` of the version.
    CompileCommands,
    /// CMake.
    Cmake,
    /// Meson.
    Meson,
    /// A `configure` script, and make.
    Autotools,
    /// Make.
    Make,
    /// All C files, with guessed include folders.
    Sources,
}

impl How {
    /// Whether finding the commands takes running something of the version's.
    pub fn runs_a_build(self) -> bool {
        !matches!(self, How::CompileCommands | How::Sources)
    }
}

impl std::fmt::Display for How {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            How::Config => "hydrogen.toml",
            How::CompileCommands => "compile_commands.json",
            How::Cmake => "cmake",
            How::Meson => "meson",
            How::Autotools => "configure",
            How::Make => "make",
            How::Sources => "all C files",
        })
    }
}

/// What to compile, and what is not known about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildPlan {
    /// Where it comes from.
    pub how: How,
    /// The C files, sorted; a file that is compiled in several ways is here several times.
    pub units: Vec<Unit>,
    /// What was linked, sorted.
    pub links: Vec<Link>,
    /// What the user should know.
    pub problems: Vec<Problem>,
}

/// What a build may use.
#[derive(Clone)]
pub struct BuildOptions<'a> {
    /// The `hydrogen-cc` program, see [`find_wrapper`].
    pub wrapper: &'a Path,
    /// The compiler it runs.
    pub compiler: &'a str,
    /// How long all steps together may take, where the user says so; `hydrogen.toml` may say it otherwise, and it is [`DEFAULT_TIMEOUT`] else.
    pub timeout: Option<Duration>,
    /// An empty directory outside of the checkout, for build folders, logs and temporary files.
    pub scratch: &'a Path,
    /// How many processes the build may run at the same time.
    pub jobs: usize,
    /// Becomes true when the user wants to stop.
    pub cancel: Arc<AtomicBool>,
    /// Gets every line that the build prints.
    pub log: Option<&'a (dyn Fn(&str) + Sync)>,
}

impl<'a> BuildOptions<'a> {
    /// The usual options.
    pub fn new(wrapper: &'a Path, scratch: &'a Path) -> BuildOptions<'a> {
        BuildOptions {
            wrapper,
            compiler: "clang-19",
            timeout: None,
            scratch,
            jobs: std::thread::available_parallelism().map_or(1, usize::from),
            cancel: Arc::default(),
            log: None,
        }
    }
}

/// Finds out how the version in `checkout` is built.
pub fn plan(checkout: &Path, config: &Config, options: &BuildOptions<'_>) -> Result<BuildPlan, Error> {
    let checkout = checkout.canonicalize().map_err(Error::io("find", checkout))?;
    let mut plan = detect::plan(&checkout, config, options)?;
    plan.units = units::finish(plan.units, &checkout, config, &mut plan.problems);
    // A parallel build calls the compiler in another order every time.
    plan.links.sort();
    plan.links.dedup();
    // A problem that several steps ran into is one problem.
    let mut seen = BTreeSet::new();
    plan.problems.retain(|problem| seen.insert(problem.to_string()));
    Ok(plan)
}
