//! The options of the commands that run a program: `run`, `slice`, `explore`; `expose` and `why` take theirs from here.

use super::formats::TableFormat;
use super::units::{heap, size, stack, time};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// How large a program's heap and stack may grow unless the user says otherwise: what the options' own defaults say in words.
const MEMORY: u64 = 1 << 30;
const STACK: u64 = 64 << 20;

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
    /// Where several units define the entry point or the function: the file that counts, or the name of the program
    #[arg(long, value_name = "FILE")]
    pub unit: Option<String>,
    /// Arguments for the compiler, for C files
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    pub cflags: Option<String>,
    /// Stop a run after so many instructions [default: 10000000000; slice: 200000000; explore: 5000000]
    #[arg(long, value_name = "N")]
    pub steps: Option<u64>,
    /// How large the program's heap may grow, 4G at most
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = heap)]
    pub memory: u64,
    /// How large the program's stack may grow, 2G at most
    #[arg(long, value_name = "SIZE", default_value = "64M", value_parser = stack)]
    pub stack: u64,
    /// How much the program may write [default: 256M; explore: 1M]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub output_limit: Option<u64>,
    /// Which thread runs when: turns of the same length in a fixed order (0), or turns that follow from another number
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub schedule: u64,
    /// What of the input is symbolic: stdin:N (its first N bytes), stdin:0-N (at most N bytes), stdin:lines:LxN, arg:I:N, arg:I:int,
    /// arg:I:int:LOW..HIGH, arg:I:long, arg:I:string:N, arg:* (all that are given), file:NAME:N, env:NAME:N
    #[arg(long, value_name = "WHAT")]
    pub symbolic: Vec<String>,
    /// The program that a test starts, where one was recorded
    #[arg(skip)]
    pub linked: Option<Linked>,
    /// The program's arguments
    #[arg(last = true, value_name = "ARGS")]
    pub args: Vec<std::ffi::OsString>,
}

/// A program among several of a version, by the file that a command makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linked {
    /// The shell command that builds it.
    pub command: String,
    /// The file, from the root of the version.
    pub output: String,
}

impl Linked {
    /// What people call it: without folders, and without what libtool puts before it.
    pub fn name(&self) -> &str {
        let name = self.output.rsplit('/').next().unwrap_or(&self.output);
        name.strip_prefix("lt-").unwrap_or(name)
    }
}

impl ProgramOptions {
    /// These programs, with nothing else asked for.
    pub fn plain(programs: Vec<String>) -> Self {
        Self {
            programs,
            stdin: None,
            map: Vec::new(),
            env: Vec::new(),
            clock: None,
            entry: "main".to_owned(),
            function: None,
            unit: None,
            cflags: None,
            steps: None,
            memory: MEMORY,
            stack: STACK,
            output_limit: None,
            schedule: 0,
            symbolic: Vec::new(),
            linked: None,
            args: Vec::new(),
        }
    }
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
    /// Say line by line what is set, in terms of the symbolic input, and what must hold
    #[arg(long)]
    pub table: bool,
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

impl AtFault {
    /// Whether runs go on.
    pub fn goes_on(self) -> bool {
        self == Self::Continue
    }
}

#[derive(Args)]
pub struct SliceOptions {
    #[command(flatten)]
    pub program: ProgramOptions,
    /// Explain this line: its last execution, or the N-th; or what a variable holds when it begins, or an expression there
    #[arg(long, value_name = "FILE:LINE[:NAME|:EXPRESSION][#N]", conflicts_with = "of")]
    pub at: Option<String>,
    /// Explain an output: stdout, stderr, exit, fault, or a name that the program gave (hydrogen_output); stdout@17 or
    /// stdout@17..20 for some of its bytes; stdout:first-difference=FILE for the first byte that FILE has not; file:NAME for what
    /// was written to a file; global:NAME for what a global variable holds at the end [default: fault if there is one, else
    /// stdout, else exit]
    #[arg(long, value_name = "NAME")]
    pub of: Option<String>,
    /// What counts
    #[arg(long, value_enum, default_value_t)]
    pub kind: SliceKind,
    /// Show the lines of the C library too
    #[arg(long)]
    pub library: bool,
    /// Instead of the source: the executions of lines, each with the one that decided about it and those that it takes values from
    #[arg(long)]
    pub instances: bool,
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
pub struct DependsOptions {
    /// C files, or one version
    #[arg(value_name = "PROGRAM", required = true)]
    pub programs: Vec<String>,
    /// How many branches each side of every branch is away from this line
    #[arg(long, value_name = "FILE:LINE", conflicts_with = "uses")]
    pub to: Option<String>,
    /// Who may read first what this line sets
    #[arg(long, value_name = "FILE:LINE")]
    pub uses: Option<String>,
    /// The function to start with
    #[arg(long, value_name = "FUNCTION", default_value = "main")]
    pub entry: String,
    /// Where several units define the entry point: the file that counts, or the name of the program
    #[arg(long, value_name = "FILE")]
    pub unit: Option<String>,
    /// Arguments for the compiler, for C files
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    pub cflags: Option<String>,
    #[arg(long, value_enum, default_value_t)]
    pub format: TableFormat,
}

#[derive(Args)]
pub struct ExploreOptions {
    #[command(flatten)]
    pub program: ProgramOptions,
    /// What counts as another behaviour
    #[arg(long, value_enum, default_value_t)]
    pub by: By,
    /// Exploring by path: say which tests compute the output (--of) in the same way, by their relevant-slice conditions
    #[arg(long, conflicts_with = "function")]
    pub groups: bool,
    /// With --by rsc or --groups: what counts as output: stdout, stderr, exit, or names that the program gave [default: all]
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
    /// Write every question to the solver into this folder
    #[arg(long, value_name = "DIR")]
    pub dump_smt: Option<PathBuf>,
    /// The solver: bitwuzla, z3, or the name of a program that reads SMT-LIB
    #[arg(long, value_name = "NAME")]
    pub solver: Option<String>,
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

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        program: ProgramOptions,
    }

    #[test]
    fn what_is_not_asked_for_is_as_the_command_line_has_it() {
        let Line { program } = Line::parse_from(["line", "a.c"]);
        let plain = ProgramOptions::plain(vec!["a.c".to_owned()]);
        assert_eq!(
            (program.memory, program.stack, &program.entry),
            (plain.memory, plain.stack, &plain.entry)
        );
        assert_eq!(program.programs, plain.programs);
    }
}
