//! Benchmarks and checks on real programs: `cargo xtask --help`.

mod agreement;
mod bench_affects;
mod bench_blame;
mod bench_changed;
mod bench_check;
mod bench_complexity;
mod bench_cve;
mod bench_delta;
mod bench_env;
mod bench_explore;
mod bench_expose;
mod bench_faults;
mod bench_graph;
mod bench_histories;
mod bench_incremental;
mod bench_machine;
mod bench_model;
mod bench_mutants;
mod bench_pairs;
mod bench_peers;
mod bench_refactorings;
mod bench_seeds;
mod bench_siemens;
mod bench_siemens_functions;
mod bench_trace;
mod bench_verdicts;
mod bench_why;
mod cases;
mod corpora;
mod faults;
mod machine;
mod measure;
mod metrics;
mod old_code;
mod pairs;
mod programs;
mod public;
mod rsc_coverage;
mod series;
mod siemens;
mod solvers;
mod source;
mod statements;
mod table;
mod tidy;
mod tool;
mod why_judged;

use anyhow::Result;
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Fetch the real programs that checks and benchmarks run on
    Corpora,
    /// Files, functions, methods per type and casts of a tree, as a table
    Metrics {
        /// The tree; that of this checkout without it
        folder: Option<std::path::PathBuf>,
    },
    /// Whether the code keeps its limits: methods per type, long functions, folders that take no new file
    Tidy {
        /// Write down what became smaller
        #[arg(long)]
        shrink: bool,
    },
    /// How many instructions of real programs belong to statements
    Statements,
    /// How often build-free mode sees the same statement graph as compiled mode
    Agreement {
        /// Print every function that differs
        #[arg(long)]
        list: bool,
    },
    /// Read real old code in build-free mode: C files of many commits of repositories; nothing may fail
    OldCode {
        /// Repositories
        #[arg(required = true)]
        repositories: Vec<std::path::PathBuf>,
        /// How many commits of each, spread over its history; 0 for all
        #[arg(long, default_value_t = 20)]
        commits: usize,
    },
    /// Take every version of long series of real programs out of their graphs again
    Series,
    /// Run real and random programs in the machine and natively, and compare
    Machine {
        /// How many random programs
        #[arg(long, default_value_t = 200)]
        random: u32,
    },
    /// List the Siemens programs of a checkout: their versions and tests
    Siemens {
        /// The checkout; otherwise what HYDROGEN_SIEMENS names
        #[arg(long, value_name = "DIR")]
        siemens: Option<std::path::PathBuf>,
    },
    /// Measure; prints a table and JSON, in ratios against a baseline of the same run
    Bench {
        #[command(subcommand)]
        what: Bench,
    },
}

#[derive(Subcommand)]
enum Bench {
    /// Modelling real programs against compiling them
    Model,
    /// Building graphs against compiling the same versions, and against git's log of a long history
    Graph {
        /// A repository the size of zlib, for the long history
        #[arg(long)]
        history: Option<std::path::PathBuf>,
    },
    /// Solvers against each other, and what the simplifier and caches spare them
    Solvers,
    /// Recording and replaying real programs against running them, and against strace
    Env,
    /// Interpreting real programs against running them
    Machine,
    /// Recording and slicing runs against plain interpretation, exploring by slices against by paths
    Trace,
    /// Following the input through a short program against just running it, and exploring it
    Explore,
    /// The faulty versions of a Siemens program, exposed from one test
    Expose {
        /// The program: tcas, replace, …
        program: String,
        /// The checkout; otherwise what HYDROGEN_SIEMENS names
        #[arg(long, value_name = "DIR")]
        siemens: Option<std::path::PathBuf>,
        /// Time for each version
        #[arg(long, default_value = "60s")]
        budget: String,
    },
    /// Real faults with a known history: the verdicts on releases before and after the fix
    Cve,
    /// Faults of public libraries from a manifest: verdicts on their releases, by the fault and by the fix
    Faults {
        /// Only this half: tune or report
        #[arg(long)]
        half: Option<faults::Half>,
        /// Only faults whose name contains this
        #[arg(long)]
        name: Option<String>,
        /// When to stop a question
        #[arg(long, default_value = "60s")]
        budget: String,
    },
    /// Small pairs of versions that were written to deceive: how often an answer is wrong
    Pairs {
        /// Only pairs whose class and name contain this
        #[arg(long)]
        name: Option<String>,
        /// When to stop a question
        #[arg(long, default_value = "10s")]
        budget: String,
    },
    /// What `check` tells of the fixes of known faults, in both directions, and of ordinary commits
    Check {
        /// Which changes
        #[arg(long, default_value = "all")]
        what: bench_check::What,
        /// Only this half of the fixes: tune or report
        #[arg(long)]
        half: Option<faults::Half>,
        /// Only changes whose name contains this
        #[arg(long)]
        name: Option<String>,
        /// When to stop a check
        #[arg(long, default_value = "60s")]
        budget: String,
    },
    /// The tables of the papers: releases with documented faults, and what changes did
    Seeds {
        /// Only rows whose name contains this
        #[arg(long)]
        name: Option<String>,
        /// When to stop a question
        #[arg(long, default_value = "60s")]
        budget: String,
    },
    /// Every commit of a history checked with what was kept from earlier ones, and anew: the verdicts must be the same
    Incremental {
        /// A repository with its history
        repository: std::path::PathBuf,
        /// The newest so many commits
        #[arg(long, default_value_t = 200)]
        commits: usize,
        /// Time for each check, as a stop
        #[arg(long, default_value = "60s")]
        budget: String,
    },
    /// Other analysers on both sides of the same faults
    Peers,
    /// What verdicts cost: many releases against one, a small change against compiling, the strategies
    Verdicts,
    /// Real commits: the share of changed functions of which `delta` says exactly what they do differently, and its cost
    Delta {
        /// A folder with clones of the repositories
        folder: std::path::PathBuf,
    },
    /// Real refactorings: the share of changed functions that `compare` proves equal
    Refactorings {
        /// A folder with clones of the repositories
        folder: std::path::PathBuf,
        /// Time for each commit
        #[arg(long, default_value = "120s")]
        budget: String,
    },
    /// Faulty versions of the Siemens programs: decided or not, how fast, and whether an answer is wrong
    Siemens {
        /// The checkout; otherwise what HYDROGEN_SIEMENS names
        #[arg(long, value_name = "DIR")]
        siemens: Option<std::path::PathBuf>,
        /// Only this program: tcas or replace
        #[arg(long)]
        program: Option<String>,
        /// Only this version
        #[arg(long)]
        version: Option<u32>,
        /// Seconds for one version
        #[arg(long, default_value_t = 60)]
        seconds: u64,
        /// As a user compares two files: function by function, by the release build of the tool
        #[arg(long)]
        functions: bool,
    },
    /// The rank of the faulty line in the answers of `why`, for the faulty versions of the Siemens programs
    Why {
        /// The checkout; otherwise what HYDROGEN_SIEMENS names
        #[arg(long, value_name = "DIR")]
        siemens: Option<std::path::PathBuf>,
        /// The programs
        #[arg(default_values_t = ["tcas".to_owned(), "replace".to_owned()])]
        programs: Vec<String>,
        /// How many versions of each
        #[arg(long, default_value_t = 1000)]
        versions: usize,
        /// Compare all of the paths, not only what the wrong output depends on
        #[arg(long)]
        paths: bool,
    },
    /// The share of functions that real commits may affect, and that they likely do, by `affects --compiled`
    Affects {
        /// Ask without building
        #[arg(long)]
        source: bool,
        /// Repositories
        #[arg(required = true)]
        repositories: Vec<std::path::PathBuf>,
        /// How many commits of each
        #[arg(long, default_value_t = 15)]
        commits: usize,
    },
    /// Whether `affects --compiled` names every function that runs of small edits show to differ
    Mutants {
        /// Ask without building
        #[arg(long)]
        source: bool,
        /// A repository
        repository: std::path::PathBuf,
        /// How many edits
        #[arg(long, default_value_t = 50)]
        count: usize,
        /// A command that builds its program with gcc's `--coverage`
        #[arg(long)]
        build: String,
        /// A command that runs it
        #[arg(long)]
        test: String,
    },
    /// Who wrote a statement against `git blame -w -M`, every difference with its reason
    Blame {
        /// Repositories
        #[arg(required = true)]
        repositories: Vec<std::path::PathBuf>,
        /// How many statements of each
        #[arg(long, default_value_t = 100)]
        lines: usize,
    },
    /// Which functions build-free mode calls changed against compiled mode, on the newest commits to C files
    Changed {
        /// Repositories that build
        #[arg(required = true)]
        repositories: Vec<std::path::PathBuf>,
        /// How many commits of each
        #[arg(long, default_value_t = 40)]
        commits: usize,
    },
    /// Entering every commit of a history against `git log -p -U0`, by processor time
    Histories {
        /// Repositories
        #[arg(required = true)]
        repositories: Vec<std::path::PathBuf>,
        /// How many commits of each
        #[arg(long, default_value_t = 1000)]
        commits: usize,
    },
    /// The complexity of every commit of a history against `git log -p -U0`
    Complexity {
        /// Repositories
        #[arg(required = true)]
        repositories: Vec<std::path::PathBuf>,
        /// How many commits of each
        #[arg(long, default_value_t = 1000)]
        commits: usize,
    },
}

/// The folder of this checkout.
fn root() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map(std::path::Path::to_owned)
        .unwrap_or_default()
}

fn main() -> Result<()> {
    match Cli::parse().command {
        Command::Corpora => {
            corpora::fetch_all().map(|all| all.iter().for_each(|one| println!("{}", one.folder.display())))
        }
        Command::Metrics { folder } => metrics::run(&folder.unwrap_or_else(root)),
        Command::Tidy { shrink } => tidy::run(&root(), shrink),
        Command::Statements => statements::run(),
        Command::OldCode { repositories, commits } => old_code::run(&repositories, commits),
        Command::Series => series::check(),
        Command::Agreement { list } => agreement::run(list),
        Command::Machine { random } => machine::run(random),
        Command::Siemens { siemens } => siemens::list(siemens.as_deref()),
        Command::Bench { what: Bench::Model } => bench_model::run(),
        Command::Bench { what: Bench::Graph { history } } => bench_graph::run(history.as_deref()),
        Command::Bench { what: Bench::Solvers } => solvers::run(),
        Command::Bench { what: Bench::Env } => bench_env::run(),
        Command::Bench { what: Bench::Machine } => bench_machine::run(),
        Command::Bench { what: Bench::Trace } => bench_trace::run(),
        Command::Bench { what: Bench::Explore } => bench_explore::run(),
        Command::Bench { what: Bench::Expose { program, siemens, budget } } => {
            bench_expose::run(&program, siemens.as_deref(), &budget)
        }
        Command::Bench { what: Bench::Cve } => bench_cve::run(),
        Command::Bench { what: Bench::Incremental { repository, commits, budget } } => {
            bench_incremental::run(&bench_incremental::Wish { repository, commits, budget })
        }
        Command::Bench { what: Bench::Faults { half, name, budget } } => {
            bench_faults::run(&bench_faults::Wish { half, name, budget })
        }
        Command::Bench { what: Bench::Pairs { name, budget } } => {
            bench_pairs::run(&bench_pairs::Wish { name, budget })
        }
        Command::Bench { what: Bench::Check { what, half, name, budget } } => {
            bench_check::run(&bench_check::Wish { what, half, name, budget })
        }
        Command::Bench { what: Bench::Seeds { name, budget } } => bench_seeds::run(&budget, name.as_deref()),
        Command::Bench { what: Bench::Peers } => bench_peers::run(),
        Command::Bench { what: Bench::Verdicts } => bench_verdicts::run(),
        Command::Bench { what: Bench::Delta { folder } } => bench_delta::run(&folder),
        Command::Bench { what: Bench::Refactorings { folder, budget } } => {
            bench_refactorings::run(&folder, &budget)
        }
        Command::Bench { what: Bench::Siemens { siemens, program, version, seconds, functions } } => {
            let budget = std::time::Duration::from_secs(seconds);
            bench_siemens::run(&bench_siemens::Asked { siemens, program, budget, version, functions })
        }
        Command::Bench { what: Bench::Why { siemens, programs, versions, paths } } => {
            let mode = if paths { hydrogen_why::Mode::Path } else { hydrogen_why::Mode::Relevant };
            bench_why::run(siemens.as_deref(), &programs, versions, mode)
        }
        Command::Bench { what: Bench::Affects { repositories, commits, source } } => {
            bench_affects::shares(&repositories, commits, source)
        }
        Command::Bench { what: Bench::Mutants { repository, count, build, test, source } } => {
            bench_mutants::run(&repository, count, &build, &test, source)
        }
        Command::Bench { what: Bench::Blame { repositories, lines } } => {
            bench_blame::run(&repositories, lines)
        }
        Command::Bench { what: Bench::Changed { repositories, commits } } => {
            bench_changed::run(&repositories, commits)
        }
        Command::Bench { what: Bench::Histories { repositories, commits } } => {
            bench_histories::run(&repositories, commits)
        }
        Command::Bench { what: Bench::Complexity { repositories, commits } } => {
            bench_complexity::run(&repositories, commits)
        }
    }
}
