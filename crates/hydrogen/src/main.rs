//! The `hydrogen` command: what did this change do?

mod cli;
mod commands;
mod context;
mod graphs;
mod missing;
mod output;
mod progress;
mod scratch;
mod signals;
mod solvers;
mod warnings;

use clap::FromArgMatches;
use commands::Outcome;
use std::process::ExitCode;

/// Readers and graphs make many small values on several threads; the system's allocator takes a fifth of their time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = match cli::Cli::from_arg_matches(&cli::command().get_matches()) {
        Ok(cli) => cli,
        Err(error) => error.exit(),
    };
    start_logging(&cli.global);
    let cancel = signals::listen();
    let outcome = match std::panic::catch_unwind(|| commands::run(cli, cancel)) {
        Ok(outcome) => outcome,
        Err(payload) if hydrogen_stop::is_stop(&*payload) => Ok(Outcome::Undecided),
        Err(_) => {
            eprintln!(
                "hydrogen: this is a bug of ours, and there is no answer. Please send us the message above and the command"
            );
            return ExitCode::from(Outcome::Bug.code());
        }
    };
    match outcome {
        // Whatever a command that was stopped says of itself: it was stopped.
        Ok(Outcome::Undecided | Outcome::Interrupted) if signals::came() => ExitCode::from(signals::code()),
        Err(_) if signals::came() => {
            eprintln!("hydrogen: interrupted");
            ExitCode::from(signals::code())
        }
        Ok(outcome) => ExitCode::from(outcome.code()),
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("hydrogen: {}", output::shown(&format!("{error:#}"), false));
            ExitCode::from(of_error(&error).code())
        }
    }
}

fn of_error(error: &anyhow::Error) -> Outcome {
    if let Some(hydrogen_model::Error::Interrupted) = error.downcast_ref() {
        return Outcome::Interrupted;
    }
    // Of a version without a unit that compiles nothing can be said: that is no wrong question.
    if let Some(hydrogen_program::Error::Empty { .. }) = error.downcast_ref() {
        return Outcome::Undecided;
    }
    match error.downcast_ref() {
        Some(hydrogen_series::Error::Bug { .. } | hydrogen_series::Error::Check { .. }) => Outcome::Bug,
        Some(hydrogen_series::Error::Nothing) => Outcome::Undecided,
        _ => Outcome::BadInput,
    }
}

/// A reader such as `head` that has seen enough is no error.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let cause = error.root_cause().downcast_ref::<std::io::Error>();
    cause.is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}

fn start_logging(options: &cli::Global) {
    use tracing_subscriber::EnvFilter;
    let level = match (options.quiet, options.verbose) {
        (true, _) => "error",
        (false, 0) => "warn",
        (false, 1) => "info",
        (false, _) => "debug",
    };
    let filter = EnvFilter::try_from_env("HYDROGEN_LOG").unwrap_or_else(|_| EnvFilter::new(level));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(warnings::Lines::new(options.verbose == 0))
        .with_ansi(output::coloured(&std::io::stderr()))
        .without_time()
        .with_target(false)
        .init();
}
