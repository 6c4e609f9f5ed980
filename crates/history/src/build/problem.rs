//! What can go wrong with a build, fatally or not.

use std::path::{Path, PathBuf};
use std::time::Duration;

/// Why there is no plan at all.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The build took too long.
    #[error(
        "the build was stopped after {:.1} s, during `{step}`; raise `[build] timeout` in hydrogen.toml if it only needs \
         longer{}",
        after.as_secs_f64(),
        last_lines(tail)
    )]
    Timeout {
        /// What was running.
        step: String,
        /// For how long.
        after: Duration,
        /// The last lines it printed.
        tail: String,
    },
    /// The build used up more than it may.
    #[error("the build was stopped during `{step}`: {what}{}", last_lines(tail))]
    Exceeded {
        /// What was running.
        step: String,
        /// What it used up.
        what: hydrogen_jail::Exceeded,
        /// The last lines it printed.
        tail: String,
    },
    /// It could not be run safely.
    #[error(transparent)]
    Jail(#[from] hydrogen_jail::Error),
    /// The user stopped it.
    #[error("stopped by the user")]
    Cancelled,
    /// The wrapper is not there.
    #[error("the compiler wrapper {} is missing; it is installed beside hydrogen, or named by HYDROGEN_CC", wrapper.display())]
    NoWrapper {
        /// Where it should be.
        wrapper: PathBuf,
    },
    /// The compiler is not there.
    #[error("the compiler `{compiler}` is not on PATH; install it (Debian: apt install {compiler})")]
    NoCompiler {
        /// Its name.
        compiler: String,
    },
    /// A file or folder cannot be used.
    #[error("cannot {doing} {}: {error}", path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// Where.
        path: PathBuf,
        /// The system's answer.
        error: std::io::Error,
    },
}

impl Error {
    pub(super) fn io<'a>(doing: &'static str, path: &'a Path) -> impl FnOnce(std::io::Error) -> Error + 'a {
        move |error| Error::Io { doing, path: path.to_path_buf(), error }
    }
}

/// Something that makes a plan less than complete.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// What keeps the version from being built, and what helps. It stands before all others.
    #[error("{lacking}; {helps}")]
    Advice {
        /// What is missing.
        lacking: String,
        /// The one command or line of `hydrogen.toml` that helps.
        helps: String,
    },
    /// A step failed; what was recorded until then is used.
    #[error(
        "`{}` failed ({status}); the commands recorded until then are used{}",
        short(step),
        details(step, tail)
    )]
    StepFailed {
        /// The step.
        step: String,
        /// How it ended.
        status: String,
        /// The last lines it printed.
        tail: String,
    },
    /// A step took too long; what was recorded until then is used.
    #[error(
        "`{}` was stopped after {:.0} s; the commands recorded until then are used{}",
        short(step),
        after.as_secs_f64(),
        details(step, tail)
    )]
    TimedOut {
        /// The step.
        step: String,
        /// How long the build took by then.
        after: Duration,
        /// The last lines it printed.
        tail: String,
    },
    /// The build system's program is not installed.
    #[error("`{tool}` is needed for {how} and not installed")]
    ToolMissing {
        /// The program.
        tool: String,
        /// What it is needed for.
        how: super::How,
    },
    /// A build system was found, and no compilation was seen.
    #[error("{how} compiled no C file that could be recorded")]
    NothingRecorded {
        /// The build system.
        how: super::How,
    },
    /// The include folders are guesses.
    #[error(
        "no build system was used: {files} C file{} taken{}",
        if *files == 1 { " is" } else { "s are" },
        if *folders == 0 { String::new() } else { format!(", include folders are guessed ({folders})") }
    )]
    Guessed {
        /// How many files.
        files: usize,
        /// How many folders.
        folders: usize,
    },
    /// Sources in other languages.
    #[error("skipped: {count} {language} file{}", if *count == 1 { "" } else { "s" })]
    Skipped {
        /// The language.
        language: &'static str,
        /// How many.
        count: usize,
    },
    /// Sources that do not exist (any more).
    #[error("skipped: {count} compiled files that are not there, such as {}", example.display())]
    Missing {
        /// How many.
        count: usize,
        /// One of them.
        example: PathBuf,
    },
    /// Arguments that cannot be written as text.
    #[error("skipped: {count} compilations with arguments that are not UTF-8, such as that of {}", example.display())]
    NotText {
        /// How many.
        count: usize,
        /// One of the files.
        example: PathBuf,
    },
    /// A compilation database that cannot be used.
    #[error("{} cannot be used: {message}", path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// Why.
        message: String,
    },
    /// A pattern of the configuration that fits nothing.
    #[error("`{pattern}` of hydrogen.toml matches no file")]
    NoMatch {
        /// The pattern.
        pattern: String,
    },
}

/// What is behind the first line, which says enough for most.
fn details(step: &str, tail: &str) -> String {
    if tail.is_empty() {
        String::new()
    } else {
        format!("; its last lines are shown with -v\n`{step}`:\n{tail}")
    }
}

/// A step as people call it: the program, or the script that a shell runs, without options and places.
pub(super) fn short(step: &str) -> String {
    let words: Vec<&str> = step.split_whitespace().collect();
    let script = words.iter().find(|word| word.starts_with("./") && **word != "./");
    script.or(words.first()).unwrap_or(&"").to_string()
}

fn last_lines(tail: &str) -> String {
    if tail.is_empty() { String::new() } else { format!("; the last lines:\n{tail}") }
}
