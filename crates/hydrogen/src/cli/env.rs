//! The options of `hydrogen env`.

use super::units::time;
use clap::{Args, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// `hydrogen env`.
#[derive(Subcommand)]
pub enum EnvAction {
    /// Record what a program asks its environment, call by call, into the file of `--output`
    Record {
        /// End the run after this long; the record is partial then
        #[arg(long, value_name = "TIME", value_parser = time)]
        time_limit: Option<Duration>,
        /// Answer the processor's own clock (rdtsc) with fixed numbers, for programs that read it; calls cost twice as much
        #[arg(long)]
        trap_clock: bool,
        /// The program and its arguments
        #[arg(value_name = "COMMAND", required = true, last = true)]
        command: Vec<OsString>,
    },
    /// Run the program of a record again, with every answer as recorded; nothing outside is touched
    Replay {
        /// The record
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Only the first calls are as recorded; the others run, here and now
        #[arg(short = 'k', value_name = "N", requires = "command")]
        calls: Option<usize>,
        /// With -k: let the program change the files themselves, and not copies that are gone with the run
        #[arg(long)]
        in_place: bool,
        /// This process is confined already
        #[arg(long, hide = true)]
        inside: bool,
        /// With -k: the program to run
        #[arg(value_name = "COMMAND", last = true)]
        command: Vec<OsString>,
    },
    /// A record as text, one call a line, with what each call returned
    Show {
        /// The record
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Write a copy of the record to --output, with this text blotted out wherever it stands; the copy cannot be replayed
        /// (repeat for more)
        #[arg(long, value_name = "TEXT")]
        redact: Vec<OsString>,
    },
    /// Which calls of a record use what which other calls made
    Deps {
        /// The record
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// What a program is told here that differs from its record, without a search (runs the program once)
    Diff {
        /// The record
        #[arg(value_name = "FILE")]
        file: PathBuf,
        #[command(flatten)]
        run: EnvRun,
    },
    /// What in the environment makes a program fail here that passed when it was recorded (runs the program several times)
    Why {
        /// The record of a run that passed
        #[arg(long, value_name = "FILE")]
        recorded: PathBuf,
        /// The program's source, as a version or C files: which line reads what differs, and which branch it decides (repeat for more files)
        #[arg(long, value_name = "VERSION")]
        source: Vec<String>,
        #[command(flatten)]
        run: EnvRun,
    },
}

/// How a program is run and judged.
#[derive(Args)]
pub struct EnvRun {
    /// A command of the shell that exits with 0 when a run passed; $1 is the file with the program's output, $2 its status
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["alive", "expect_exit"])]
    pub oracle: Option<String>,
    /// A run passed when the program still runs after this long
    #[arg(long, value_name = "TIME", value_parser = time, conflicts_with = "expect_exit")]
    pub alive: Option<Duration>,
    /// A run passed when the program exits with this [default: as it did when it was recorded]
    #[arg(long, value_name = "N")]
    pub expect_exit: Option<u8>,
    /// The longest time of one run
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = time)]
    pub time_limit: Duration,
    /// The most runs
    #[arg(long, value_name = "N", default_value_t = 500)]
    pub runs: usize,
    /// Let code of the record run, such as its libraries: only for records that you trust
    #[arg(long)]
    pub recorded_code: bool,
    /// Let the program change the files themselves, run by run, and not copies that are gone with each run
    #[arg(long)]
    pub in_place: bool,
    #[arg(long, value_enum, default_value_t)]
    pub format: EnvFormat,
    /// The program and its arguments
    #[arg(value_name = "COMMAND", required = true, last = true)]
    pub command: Vec<OsString>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum EnvFormat {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
    /// One page to look at
    Html,
}
