//! Benchmarks and checks on real programs: `cargo xtask --help`.

mod agreement;
mod bench_machine;
mod bench_model;
mod corpora;
mod machine;
mod programs;
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
    /// Run real and random programs in the machine and natively, and compare
    Machine {
        /// How many random programs
        #[arg(long, default_value_t = 200)]
        random: u32,
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
    /// Interpreting real programs against running them
    Machine,
}

fn main() -> Result<()> {
    match Cli::parse().command {
        Command::Corpora => {
            corpora::fetch_all().map(|all| all.iter().for_each(|one| println!("{}", one.folder.display())))
        }
        Command::Statements => statements::run(),
        Command::Agreement { list } => agreement::run(list),
        Command::Machine { random } => machine::run(random),
        Command::Bench { what: Bench::Model } => bench_model::run(),
        Command::Bench { what: Bench::Machine } => bench_machine::run(),
    }
}
