//! The command line.

mod compare;
mod expose;
mod faults;
mod guide;
mod partition;
mod review;
mod units;
mod why;

pub use compare::*;
pub use expose::*;
pub use faults::*;
pub use guide::command;
pub use partition::*;
pub use review::*;
use units::{size, time};
pub use why::*;

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Tells people who maintain C programs what a change did.
///
/// A VERSION is a git revision (branch, tag, HEAD~5, hash), a range A..B (each of its commits), a pattern over
/// tags ('v1.2.*'), a folder (name=path or path), or a .bc/.ll file.
///
/// Exit codes: 0 done, nothing found; 1 findings; 2 bad use or bad input; 3 could not decide; 70 a bug of ours;
/// 130 interrupted.
#[derive(Parser)]
#[command(name = "hydrogen", version, max_term_width = 100)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Args)]
pub struct Global {
    /// Run as if started in this folder
    #[arg(short = 'C', long = "directory", value_name = "DIR", global = true)]
    pub directory: Option<PathBuf>,
    /// How many units and versions to work on at a time [default: the number of cores]
    #[arg(short, long, value_name = "N", global = true)]
    pub jobs: Option<std::num::NonZeroUsize>,
    /// Where to keep what was computed [default: $HYDROGEN_CACHE, else the user's cache folder]
    #[arg(long, value_name = "DIR", global = true)]
    pub cache_dir: Option<PathBuf>,
    /// How large that may grow, such as 500M or 20G
    #[arg(long, value_name = "SIZE", default_value = "10G", value_parser = size, global = true)]
    pub cache_limit: u64,
    /// How long the build of a version may take, such as 90s or 10m
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = time, global = true)]
    pub build_timeout: std::time::Duration,
    /// Try again units and versions that failed in an earlier run
    #[arg(long, global = true)]
    pub retry: bool,
    /// Let builds and tests use the network
    #[arg(long, global = true)]
    pub allow_network: bool,
    /// Let builds and tests see this variable of your environment (repeat for more)
    #[arg(long, value_name = "NAME", global = true)]
    pub allow_env: Vec<String>,
    /// Let builds, tests and the compiler read this folder, such as a toolchain in your home (repeat for more)
    #[arg(long, value_name = "DIR", global = true)]
    pub allow_read: Vec<PathBuf>,
    /// Write the result to a file instead of standard output
    #[arg(short, long, value_name = "FILE", global = true)]
    pub output: Option<PathBuf>,
    /// No progress, no warnings
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Say more; twice for even more
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    pub verbose: u8,
}

#[derive(Subcommand)]
pub enum Command {
    /// What the given names resolve to, how each version is built, what is cached
    Versions {
        /// The versions; all tags and HEAD when none is given
        #[arg(value_name = "VERSION")]
        versions: Vec<String>,
        #[arg(long, value_enum, default_value_t)]
        format: TableFormat,
    },
    /// Which functions were added, deleted, updated, left unchanged between two versions
    Functions {
        /// The old version
        #[arg(value_name = "OLD")]
        old: String,
        /// The new version
        #[arg(value_name = "NEW")]
        new: String,
        /// Read the source without building it
        #[arg(long)]
        syntax: bool,
        /// List unchanged functions too (JSON always does)
        #[arg(long)]
        all: bool,
        #[arg(long, value_enum, default_value_t)]
        format: TableFormat,
    },
    /// The program model of a version: types, globals, functions, statements, instructions
    Ir {
        /// The version
        #[arg(value_name = "VERSION")]
        version: String,
        /// Only this function: NAME or FILE:NAME
        #[arg(short, long, value_name = "FUNCTION")]
        function: Option<String>,
        /// Only units whose file name ends so
        #[arg(long, value_name = "FILE")]
        unit: Option<String>,
        /// Link the units into one program
        #[arg(long)]
        link: bool,
        /// Read the source without building it
        #[arg(long)]
        syntax: bool,
        #[arg(long, value_enum, default_value_t)]
        format: IrFormat,
    },
    /// What is common and what differs over many versions: one graph of all of them
    Graph {
        /// The versions
        #[arg(value_name = "VERSION", required = true)]
        versions: Vec<String>,
        /// Read the source without building it
        #[arg(long)]
        syntax: bool,
        /// Only functions of this name
        #[arg(short, long, value_name = "FUNCTION")]
        function: Option<String>,
        /// Only these of the versions, separated by commas
        #[arg(long = "versions", value_name = "SUBSET", value_delimiter = ',')]
        subset: Vec<String>,
        /// Compare every version taken out of the graph with the version itself
        #[arg(long)]
        check: bool,
        /// Find out whom calls through pointers may reach, by analysing every version's whole program
        #[arg(long, conflicts_with = "syntax")]
        pointers: bool,
        /// Add the versions to this graph, which an earlier run wrote with --format hyg
        #[arg(long, value_name = "FILE")]
        base: Option<PathBuf>,
        #[arg(long, value_enum, default_value_t)]
        format: GraphFormat,
    },
    /// Which statements two versions added and removed, and which kept their text and changed their meaning
    Diff {
        /// The old version
        #[arg(value_name = "OLD")]
        old: String,
        /// The new version
        #[arg(value_name = "NEW")]
        new: String,
        /// Read the source without building it
        #[arg(long)]
        syntax: bool,
        #[arg(long, value_enum, default_value_t)]
        format: TableFormat,
    },
    /// Since when a statement or function is there, who changed it, who removed it
    History {
        /// FILE:LINE in the newest version, or a function's name
        #[arg(value_name = "WHERE")]
        place: String,
        /// The versions
        #[arg(value_name = "VERSION", required = true)]
        versions: Vec<String>,
        /// Read the source without building it
        #[arg(long)]
        syntax: bool,
        /// Do not look in the rest of the history for who wrote what is older than the versions
        #[arg(long)]
        no_older: bool,
        #[arg(long, value_enum, default_value_t)]
        format: TableFormat,
    },
    /// How much each version changed, and what the graph saves
    Stats {
        /// The versions
        #[arg(value_name = "VERSION", required = true)]
        versions: Vec<String>,
        /// Read the source without building it
        #[arg(long)]
        syntax: bool,
        #[arg(long, value_enum, default_value_t)]
        format: TableFormat,
    },
    /// What a change did, on one screen: what broke, what differs, what is proved to be as before
    Review(ReviewOptions),
    /// All about one item of the last review
    Explain {
        /// The item's id, or its beginning
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Review the work tree after every edit
    Watch(WatchOptions),
    /// Do changed functions behave as before? A proof, an input on which they differ, or what stands in the way
    Compare(CompareOptions),
    /// A test passes in the old version and fails in the new one: which statement is the reason, and on which inputs it shows
    ///
    /// The failing input is what follows `--` (with --stdin and --map), or --input.
    Why(WhyOptions),
    /// An input on which two versions differ: the test that shows what a change does, or that there is none
    Expose(ExposeOptions),
    /// What a change did to the faults and rules of the program: new, fixed, or as before
    Check(CheckOptions),
    /// Does this patch really fix the bug?
    Verify(VerifyOptions),
    /// Which releases have this bug?
    Impact(ImpactOptions),
    /// Does this patch apply to, and fix, every release?
    Patch(PatchOptions),
    /// Run a program in the machine: its output, and what it does wrong, with lines and places of allocation
    Run(RunOptions),
    /// Run a program and show what a line or an output of the run depends on, in its source
    Slice(SliceOptions),
    /// Find the behaviours of a program: inputs for its paths, and what comes out, as conditions and expressions
    ///
    /// With --output DIR the tests are written there. An exploration that was interrupted, or whose time was up, goes on where it was
    /// when it is started again.
    Explore(ExploreOptions),
    /// How tangled a change is: the cyclomatic complexity of the ways in which its parts follow each other
    ///
    /// Works without building anything. See docs/complexity.md for the two readings.
    Complexity {
        /// Commits and ranges A..B (HEAD when none is given); or two C files or two folders, old and new
        #[arg(value_name = "COMMIT|OLD NEW")]
        what: Vec<String>,
        /// The newest N commits, from the one given or HEAD
        #[arg(long, value_name = "N")]
        history: Option<std::num::NonZeroUsize>,
        /// How many of the most complex commits a history's table shows
        #[arg(long, value_name = "N", default_value_t = 20)]
        top: usize,
        /// How the definition is read
        #[arg(long, value_enum, default_value_t)]
        reading: ReadingName,
        /// Compare merges with their first parent, instead of counting what no parent has
        #[arg(long)]
        first_parent: bool,
        /// List linearly independent change sequences
        #[arg(long)]
        sequences: bool,
        #[arg(long, value_enum, default_value_t)]
        format: SeriesFormat,
    },
    /// Which changes may interact, and where: the change sequence graph with interaction locations
    Interact {
        /// OLD..NEW, or one commit (against its first parent)
        #[arg(value_name = "A..B")]
        what: String,
        /// Keep locations that merely depend on another one
        #[arg(long)]
        all_locations: bool,
        #[arg(long, value_enum, default_value_t)]
        format: InteractFormat,
    },
    /// What a commit can affect: functions, outputs, and which of its parts affect the same
    #[command(alias = "impact-of")]
    Affects {
        /// The commit, or a range OLD..NEW
        #[arg(value_name = "COMMIT")]
        commit: String,
        /// Merge with this branch in memory, and tell what both affect
        #[arg(long, value_name = "BRANCH")]
        with: Option<String>,
        /// How many of the statements that are most likely affected are listed
        #[arg(long, value_name = "N", default_value_t = 10)]
        likely: usize,
        /// Write the new version into this folder without the statements and functions that no affected output depends on
        #[arg(long, value_name = "DIR", conflicts_with = "with")]
        reduce: Option<PathBuf>,
        /// Build both versions, and tell memory apart by what pointers may point to
        #[arg(long, conflicts_with = "with")]
        compiled: bool,
        /// Show the statements that are most likely affected, and the dependences that began and ceased
        #[arg(long)]
        why: bool,
        #[arg(long, value_enum, default_value_t)]
        format: TableFormat,
    },
    /// Regressions in a history: candidates, who introduced them, studies
    Mine {
        #[command(subcommand)]
        what: MineWhat,
    },
    /// Look at, clean or empty the cache
    Cache {
        #[command(subcommand)]
        action: Option<CacheAction>,
    },
    /// What is missing on this machine, and the command that helps
    Doctor {
        #[arg(long, value_enum, default_value_t)]
        format: TableFormat,
    },
    /// Completions for a shell, on standard output
    Completions {
        /// The shell
        #[arg(value_name = "SHELL")]
        shell: clap_complete::Shell,
    },
    /// Write manual pages into a folder
    Man {
        /// The folder
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}

/// A program, its world and its limits.
#[derive(Args, Clone)]
pub struct ProgramOptions {
    /// C files, or one version (a revision, a folder, a .bc or .ll file)
    #[arg(value_name = "PROGRAM", required = true)]
    pub programs: Vec<String>,
    /// The program's standard input: a file, or - for this command's own [default: empty]
    #[arg(long, value_name = "FILE")]
    pub stdin: Option<PathBuf>,
    /// Show the program the files of a folder, in its current folder or at PATH; they are never written to
    #[arg(long, value_name = "DIR[:PATH]")]
    pub map: Vec<String>,
    /// An environment variable of the program
    #[arg(long, value_name = "NAME=VALUE")]
    pub env: Vec<String>,
    /// The time of the program's clock, in seconds since 1970
    #[arg(long, value_name = "SECONDS")]
    pub clock: Option<u64>,
    /// The function to start with
    #[arg(long, value_name = "FUNCTION", default_value = "main")]
    pub entry: String,
    /// Call this function instead of starting the program: ARGS are its arguments (numbers, text, [1,2,3], NULL)
    #[arg(long, value_name = "NAME", conflicts_with = "entry")]
    pub function: Option<String>,
    /// Where several units define the entry point or the function: the file that counts
    #[arg(long, value_name = "FILE")]
    pub unit: Option<String>,
    /// Arguments for the compiler, for C files
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    pub cflags: Option<String>,
    /// Stop a run after so many instructions [default: 10000000000; slice: 200000000; explore: 5000000]
    #[arg(long, value_name = "N")]
    pub steps: Option<u64>,
    /// How large the program's heap may grow
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = size)]
    pub memory: u64,
    /// How large the program's stack may grow
    #[arg(long, value_name = "SIZE", default_value = "64M", value_parser = size)]
    pub stack: u64,
    /// How much the program may write [default: 256M; explore: 1M]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub output_limit: Option<u64>,
    /// What of the input is symbolic: stdin:N (its first N bytes), stdin:0-N (at most N bytes), stdin:lines:LxN, arg:I:N, arg:I:int,
    /// arg:I:int:LOW..HIGH, arg:I:long, arg:I:string:N, arg:* (all that are given), file:NAME:N, env:NAME:N
    #[arg(long, value_name = "WHAT")]
    pub symbolic: Vec<String>,
    /// The program's arguments
    #[arg(last = true, value_name = "ARGS")]
    pub args: Vec<std::ffi::OsString>,
}

#[derive(Args)]
pub struct RunOptions {
    #[command(flatten)]
    pub program: ProgramOptions,
    /// Write the files that the program made or changed into this folder
    #[arg(long, value_name = "DIR")]
    pub files: Option<PathBuf>,
    /// Stop after this time
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub time: Option<std::time::Duration>,
    /// Stop also at left shifts of signed numbers that C says nothing about, where compilers go on
    #[arg(long)]
    pub strict: bool,
    /// What to do at a fault: stop, or go on where C implementations do (overflow wraps, what was never written is what is there, an
    /// access that left its object for another one goes there)
    #[arg(long, value_enum, default_value_t)]
    pub faults: AtFault,
    /// Exit with the program's own status when it ends without a fault
    #[arg(long)]
    pub passthrough: bool,
    /// A test that explore wrote: its input
    #[arg(long, value_name = "FILE")]
    pub test: Option<PathBuf>,
    /// With --function: write the call as a test in C
    #[arg(long, value_name = "FILE", requires = "function")]
    pub c_test: Option<PathBuf>,
    /// Say how the outputs depend on the symbolic input, and under which condition
    #[arg(long)]
    pub symout: bool,
    /// Build the program natively too, run it there on the same input, and compare
    #[arg(long)]
    pub native: bool,
    #[arg(long, value_enum, default_value_t)]
    pub format: TableFormat,
}

/// What to do at a fault.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum AtFault {
    /// The run ends
    #[default]
    Stop,
    /// The run goes on where C implementations do, and the fault is reported with how it ended
    Continue,
}

#[derive(Args)]
pub struct SliceOptions {
    #[command(flatten)]
    pub program: ProgramOptions,
    /// Explain this line: its last execution, or the N-th
    #[arg(long, value_name = "FILE:LINE[#N]", conflicts_with = "of")]
    pub at: Option<String>,
    /// Explain an output: stdout, stderr, exit, fault, or a name that the program gave (hydrogen_output); stdout@17 or
    /// stdout@17..20 for some of its bytes; stdout:first-difference=FILE for the first byte that FILE has not [default: fault if
    /// there is one, else stdout, else exit]
    #[arg(long, value_name = "NAME")]
    pub of: Option<String>,
    /// What counts
    #[arg(long, value_enum, default_value_t)]
    pub kind: SliceKind,
    /// Show the lines of the C library too
    #[arg(long)]
    pub library: bool,
    /// Go back along the slice line by line, and say what values and the condition are in terms of what is still to be explained
    #[arg(long)]
    pub explain: bool,
    /// Write the source with the slice as one page, too
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    #[arg(long, value_enum, default_value_t)]
    pub format: TableFormat,
}

/// What a slice holds.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum SliceKind {
    /// Where values come from, and what decided that they were computed
    Dynamic,
    /// Also what would have mattered had it gone the other way
    #[default]
    Relevant,
}

#[derive(Args)]
pub struct ExploreOptions {
    #[command(flatten)]
    pub program: ProgramOptions,
    /// What counts as another behaviour
    #[arg(long, value_enum, default_value_t)]
    pub by: By,
    /// With --by rsc: what counts as output: stdout, stderr, exit, or names that the program gave [default: all]
    #[arg(long, value_name = "NAME")]
    pub of: Vec<String>,
    /// With --function: how far pointers lead, and how many elements an object may have
    #[arg(long, value_name = "BOUNDS", default_value = "depth=3,elements=4")]
    pub shape: String,
    /// With --function: what the global variables hold that it may read, unless they are constants or nothing writes them
    #[arg(long, value_enum, default_value_t)]
    pub globals: GlobalValues,
    /// With --function: the memory behind a `char *` that comes in holds a string: a zero ends it
    #[arg(long)]
    pub terminated: bool,
    /// Which branch is turned around next: generational (of the run with most new code), depth, or directed:FILE:LINE
    #[arg(long, value_name = "HOW", default_value = "generational")]
    pub search: String,
    /// How long to explore
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = time)]
    pub budget: std::time::Duration,
    /// How many tests at most
    #[arg(long, value_name = "N")]
    pub tests: Option<usize>,
    /// How long one question to the solver may take
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = time)]
    pub solver_time: std::time::Duration,
    /// Look also for inputs that fault: overflow, bad shifts, division by zero, accesses out of bounds
    #[arg(long)]
    pub faults: bool,
    /// Exploring by path: what functions on texts (strlen, strcmp, atoi, …) and counted loops become
    #[arg(long, value_enum, default_value_t)]
    pub summaries: Summaries,
    /// With --by rsc: check on every run that the order of conditions rests on the same reasons as in the run it was made
    /// from; what is found is a bug of this tool
    #[arg(long)]
    pub check_priorities: bool,
    /// Build the program natively too, run every test there, and compare
    #[arg(long)]
    pub native: bool,
    /// Forget what an earlier, interrupted exploration of the same has found
    #[arg(long)]
    pub fresh: bool,
    /// List all tests, not only those that reach something new
    #[arg(long)]
    pub all: bool,
    /// Show the condition and the outputs of each listed test
    #[arg(long)]
    pub signature: bool,
    #[arg(long, value_enum, default_value_t)]
    pub format: TableFormat,
}

/// What functions on texts and counted loops become.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Summaries {
    /// Terms of what they look at
    #[default]
    Terms,
    /// A path for each way through them
    Paths,
}

/// What global variables hold when a function is called.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum GlobalValues {
    /// Anything
    #[default]
    Any,
    /// What the program begins with
    Initial,
}

/// What counts as another behaviour.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum By {
    /// Another path through the program
    #[default]
    Path,
    /// Another way in which the output is computed: paths that differ only in what it does not depend on are one
    Rsc,
}

#[derive(Subcommand)]
pub enum MineWhat {
    /// Commits that say they repair a regression, in their message or in release notes
    Regressions {
        /// Where to begin
        #[arg(value_name = "COMMIT", default_value = "HEAD")]
        tip: String,
        /// How many commits to look at
        #[arg(long, value_name = "N", default_value_t = 1000)]
        history: usize,
        #[arg(long, value_enum, default_value_t)]
        format: TableFormat,
    },
    /// What a history says about its regressions, as one table: labels, keywords, days to fix, changed lines
    Statistics {
        /// Where to begin
        #[arg(value_name = "COMMIT", default_value = "HEAD")]
        tip: String,
        /// How many commits to look at
        #[arg(long, value_name = "N", default_value_t = 1000)]
        history: usize,
        #[arg(long, value_enum, default_value_t)]
        format: StatisticsFormat,
    },
    /// The commit that introduced an error, by a test that fails where the error is
    Introduced {
        /// A shell command, run in a clean checkout: 0 passes, 125 cannot tell, anything else fails
        #[arg(long, value_name = "CMD")]
        test: String,
        /// A shell command to run before it; where it fails, the version is skipped
        #[arg(long, value_name = "CMD")]
        build: Option<String>,
        /// A version that has the error [default: HEAD, or the parent of the fix]
        #[arg(long, value_name = "VERSION")]
        bad: Option<String>,
        /// An older version that has not [default: searched for]
        #[arg(long, value_name = "VERSION")]
        good: Option<String>,
        /// The commit that fixed it: validates the answer at four points, and compares what both changed
        #[arg(long, value_name = "COMMIT")]
        fix: Option<String>,
        /// How often each version is tested; answers that differ are flaky
        #[arg(long, value_name = "N", default_value_t = std::num::NonZeroUsize::MIN.saturating_add(1))]
        repeat: std::num::NonZeroUsize,
        /// How long a test or build may take
        #[arg(long, value_name = "TIME", default_value = "5m", value_parser = time)]
        timeout: std::time::Duration,
        #[arg(long, value_enum, default_value_t)]
        format: TableFormat,
    },
    /// What a change is for your tests: regression, progression, incomplete fix; and which of its parts are needed to fail
    Classify(ClassifyOptions),
    /// Life spans, complexity, chains and statistics of errors with known commits
    Study {
        /// A file with a line per error: INTRODUCING FIXING [REPORT]
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// How the definition of complexity is read
        #[arg(long, value_enum, default_value_t)]
        reading: ReadingName,
        #[arg(long, value_enum, default_value_t)]
        format: TableFormat,
    },
}

#[derive(Args)]
pub struct ClassifyOptions {
    /// OLD..NEW, or one commit (against its first parent)
    #[arg(value_name = "A..B")]
    pub what: String,
    /// A shell command, run in a clean checkout: 0 is correct, 125 cannot tell, anything else is wrong. Repeat it for several tests
    #[arg(long, value_name = "CMD", required = true)]
    pub test: Vec<String>,
    /// A shell command that builds; `true` where there is nothing to build. What does not build is never judged
    #[arg(long, value_name = "CMD")]
    pub build: String,
    /// A version that is right: the tests are judged by doing and printing the same there, instead of by their exit code
    #[arg(long, value_name = "VERSION")]
    pub oracle: Option<String>,
    /// How finely the change is divided
    #[arg(long, value_enum, default_value_t)]
    pub granularity: GranularityName,
    /// How many configurations (parts of the change) may be built and tested for each test
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub configurations: usize,
    /// Tell the error class only, without looking for the parts that are needed
    #[arg(long)]
    pub class_only: bool,
    /// How often each configuration is tested; answers that differ are flaky
    #[arg(long, value_name = "N", default_value_t = std::num::NonZeroUsize::MIN.saturating_add(1))]
    pub repeat: std::num::NonZeroUsize,
    /// How long a test or build may take
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = time)]
    pub timeout: std::time::Duration,
    #[arg(long, value_enum, default_value_t)]
    pub format: TableFormat,
}

#[derive(Clone, Copy, Default, ValueEnum)]
pub enum GranularityName {
    /// Whole files
    File,
    /// Runs of changed lines
    #[default]
    Hunk,
    /// Single lines; white space does not count
    Line,
}

#[derive(Subcommand)]
pub enum CacheAction {
    /// Where it is and what it holds (the default)
    Show {
        #[arg(long, value_enum, default_value_t)]
        format: TableFormat,
    },
    /// Remove everything
    Clear,
    /// Remove what is damaged or beyond the size limit
    Clean,
}

#[derive(Clone, Copy, Default, ValueEnum)]
pub enum TableFormat {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
}

#[derive(Clone, Copy, Default, ValueEnum)]
pub enum StatisticsFormat {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
    /// For spreadsheets
    Csv,
}

#[derive(Clone, Copy, Default, ValueEnum)]
pub enum ReadingName {
    /// Control returns to callers; deletions, declarations, types and macros count
    #[default]
    Full,
    /// As the published tool works, for comparison with published numbers
    Thesis,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum SeriesFormat {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
    /// One line per commit, for spreadsheets
    Csv,
    /// One page to look at, with a plot over time
    Html,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum GraphFormat {
    /// Blocks with the versions of their edges
    #[default]
    Text,
    /// For graphviz
    Dot,
    /// For programs
    Json,
    /// One page to look at, without a server
    Html,
    /// The graph itself, as a compact file
    Hyg,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum InteractFormat {
    /// For people, with source
    #[default]
    Text,
    /// For graphviz
    Dot,
    /// For programs
    Json,
    /// One page to look at
    Html,
    /// The graph as a text file that reads back
    Csg,
}

#[derive(Clone, Copy, Default, ValueEnum)]
pub enum IrFormat {
    /// The text form, which parses back
    #[default]
    Text,
    /// For programs
    Json,
    /// Statement graphs for graphviz
    Dot,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    /// The commands about faults.
    #[derive(Parser)]
    enum Later {
        Verify(VerifyOptions),
        Impact(ImpactOptions),
        Patch(PatchOptions),
    }

    #[test]
    fn questions_about_faults_are_read() {
        Later::command().debug_assert();
        let read = |line: &str| Later::try_parse_from(line.split(' '));
        let line = "hydrogen impact --bug a.c:3@v1 v1 v2 --documented v1,v2 --kind overflow --budget 60s --format sarif";
        let Ok(Later::Impact(options)) = read(line) else { panic!("{line}") };
        assert_eq!(options.documented, Some(vec!["v1".into(), "v2".into()]));
        assert_eq!(options.how.kind, Some(hydrogen_evidence::Class::Overflow));
        assert_eq!(options.how.budget, Some(std::time::Duration::from_secs(60)));
        assert!(options.how.format == VerdictFormat::Sarif && options.fix.is_none());
        assert_eq!((options.bug.as_deref(), options.versions.len()), (Some("a.c:3@v1"), 2));
        let line = "hydrogen verify v1..v2 --bug a.c:3 --dump-smt out --solver z3";
        let Ok(Later::Verify(options)) = read(line) else { panic!("{line}") };
        assert_eq!((options.what.as_str(), options.bug.as_deref()), ("v1..v2", Some("a.c:3")));
        assert!(options.how.dump_smt.is_some() && options.how.solver.is_some() && options.fix.is_none());
        let line = "hydrogen patch --from v1..v2 --bug a.c:3 v0 v1";
        let Ok(Later::Patch(options)) = read(line) else { panic!("{line}") };
        assert_eq!((options.from.as_str(), options.versions.len()), ("v1..v2", 2));
        assert!(options.bug.as_deref() == Some("a.c:3") && options.how.kind.is_none());
        assert!(read("hydrogen verify v1..v2 --bug a.c:3 --kind overflw").is_err());
        assert!(StrategyName::from_str("cached", true).is_ok_and(|name| name == StrategyName::Cached));
    }
}
