//! The command line.

mod compare;
mod delta;
mod env;
mod expose;
mod faults;
mod formats;
mod guide;
mod mine;
mod partition;
mod program;
mod review;
mod select;
mod units;
mod why;

pub use compare::*;
pub use delta::*;
pub use env::*;
pub use expose::*;
pub use faults::*;
pub use formats::*;
pub use guide::command;
pub use mine::*;
pub use partition::*;
pub use program::*;
pub use review::*;
pub use select::*;
use units::{size, time};
pub use why::*;

use clap::{Args, Parser, Subcommand};
use std::num::NonZeroUsize;
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
    /// The most files of a version; one with more is not read
    #[arg(long, value_name = "N", default_value_t = 500_000, global = true)]
    pub files_limit: u64,
    /// The most bytes of all files of a version that is checked out, such as 4G; a single file may have an eighth of it
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = size, global = true)]
    pub size_limit: u64,
    /// How long the build of a version may take, such as 90s or 10m, and the compiler over one of its files; 5m if neither this nor
    /// hydrogen.toml says it
    #[arg(long, value_name = "TIME", value_parser = time, global = true)]
    pub build_timeout: Option<std::time::Duration>,
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
        /// How many files and lines each has, and which C files
        #[arg(long)]
        files: bool,
        #[arg(long, value_enum, default_value_t)]
        format: TableFormat,
    },
    /// Which functions were added, deleted, updated, left unchanged between two versions
    Functions {
        /// Two versions, A..B, or one commit (against its first parent)
        #[arg(value_name = "A..B|OLD NEW", required = true, num_args = 1..=2)]
        versions: Vec<String>,
        /// Read the source without building it
        #[arg(long)]
        syntax: bool,
        /// List unchanged functions too (JSON always does)
        #[arg(long)]
        all: bool,
        #[arg(long, value_enum, default_value_t)]
        format: TableFormat,
    },
    /// What exactly each hunk of a change does differently, and when
    Delta(DeltaOptions),
    /// What in the environment makes a program fail here that passes elsewhere: record a run, and search
    #[command(subcommand)]
    Env(EnvAction),
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
        /// Only who calls whom, in which versions
        #[arg(long, conflicts_with = "function")]
        calls: bool,
        /// Only the calls through which this function can be reached, in each version
        #[arg(long, value_name = "FUNCTION", conflicts_with_all = ["function", "calls"])]
        reaching: Option<String>,
        #[arg(long, value_enum, default_value_t)]
        format: GraphFormat,
    },
    /// Which statements two versions added and removed, and which kept their text and changed their meaning
    Diff {
        /// Two versions, A..B, or one commit (against its first parent)
        #[arg(value_name = "A..B|OLD NEW", required = true, num_args = 1..=2)]
        versions: Vec<String>,
        /// Read the source without building it
        #[arg(long)]
        syntax: bool,
        /// List paths through functions that only one of the versions has, at most so many of each function
        #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "20")]
        paths: Option<usize>,
        /// Only functions of this name
        #[arg(short, long, value_name = "FUNCTION")]
        function: Option<String>,
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
        /// Tell also since when the values of the statement come from where they do, and go where they go
        #[arg(long)]
        uses: bool,
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
        /// Only so many of the versions, chosen at random
        #[arg(long, value_name = "N")]
        sample: Option<NonZeroUsize>,
        /// Which random choice
        #[arg(long, value_name = "N", default_value_t = 1, requires = "sample")]
        seed: u64,
        #[arg(long, value_enum, default_value_t)]
        format: StatisticsFormat,
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
    /// Which tests a change can affect, and which changes no test executes
    Select(SelectOptions),
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
    /// What depends on what in a program, without a run: what decides about each statement, how far branches are from a line, who
    /// reads what a line sets
    Depends(DependsOptions),
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
        #[arg(value_name = "A..B", required_unless_present = "import")]
        what: Option<String>,
        /// Show the graph of this file instead, which an earlier run wrote with --format csg and a person may have edited
        #[arg(long, value_name = "FILE", conflicts_with_all = ["what", "tests", "run"])]
        import: Option<PathBuf>,
        /// Keep locations that merely depend on another one
        #[arg(long)]
        all_locations: bool,
        /// Build both versions, and tell memory apart by what pointers may point to
        #[arg(long, conflicts_with_all = ["import", "tests", "run"])]
        compiled: bool,
        /// Build both versions and look for inputs behind every order in which the changes are executed, as `expose --sequences` does
        #[arg(long)]
        tests: bool,
        /// With --tests: stop after this time
        #[arg(long, value_name = "TIME", value_parser = time, default_value = "60s")]
        budget: std::time::Duration,
        /// Run the program with ARGS: with all changes, without each, and without each two of them, and tell what each change does
        /// and which of them interact in this run
        #[arg(long, conflicts_with = "tests")]
        run: bool,
        /// With --run: the program's standard input [default: empty]
        #[arg(long, value_name = "FILE", requires = "run")]
        stdin: Option<PathBuf>,
        /// With --run: what counts as one change
        #[arg(long, value_enum, default_value_t)]
        granularity: GranularityName,
        /// With --run: how many configurations may be built
        #[arg(long, value_name = "N", default_value_t = 40)]
        configurations: usize,
        #[arg(long, value_enum, default_value_t)]
        format: InteractFormat,
        /// With --run: the program's arguments
        #[arg(last = true, value_name = "ARGS", requires = "run")]
        args: Vec<std::ffi::OsString>,
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
        /// What counts as one change
        #[arg(long, value_enum, default_value_t, conflicts_with = "with")]
        granularity: ChangeGranularity,
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

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;
    use clap::ValueEnum;

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
