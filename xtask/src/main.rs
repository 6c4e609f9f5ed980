//! Benchmarks and checks on real programs: `cargo xtask --help`.

mod agreement;
mod bench_complexity;
mod bench_model;
mod corpora;
mod statements;
mod table;

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
    /// How many instructions of real programs belong to statements
    Statements,
    /// How often build-free mode sees the same statement graph as compiled mode
    Agreement {
        /// Print every function that differs
        #[arg(long)]
        list: bool,
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

fn main() -> Result<()> {
    match Cli::parse().command {
        Command::Corpora => {
            corpora::fetch_all().map(|all| all.iter().for_each(|one| println!("{}", one.folder.display())))
        }
        Command::Statements => statements::run(),
        Command::Agreement { list } => agreement::run(list),
        Command::Bench { what: Bench::Model } => bench_model::run(),
        Command::Bench { what: Bench::Complexity { repositories, commits } } => {
            bench_complexity::run(&repositories, commits)
        }
    }
}
