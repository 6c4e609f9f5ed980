//! What to start.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// What to start: a program, its arguments, its folder and its whole environment.
#[derive(Debug)]
pub struct Command {
    pub(crate) program: OsString,
    pub(crate) called: Option<OsString>,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) directory: PathBuf,
    pub(crate) environment: BTreeMap<OsString, OsString>,
    pub(crate) input: Stdio,
    pub(crate) output: Stdio,
    pub(crate) errors: Stdio,
}

impl Command {
    /// A program that runs in a folder, with the allowed part of our environment, no input and no output.
    pub fn new(program: impl AsRef<OsStr>, directory: impl AsRef<Path>) -> Self {
        Self {
            program: program.as_ref().to_owned(),
            called: None,
            arguments: Vec::new(),
            directory: directory.as_ref().to_owned(),
            environment: crate::allowed(),
            input: Stdio::null(),
            output: Stdio::null(),
            errors: Stdio::null(),
        }
    }

    /// The name that the program sees itself called by.
    pub fn called(mut self, name: impl AsRef<OsStr>) -> Self {
        self.called = Some(name.as_ref().to_owned());
        self
    }

    /// Adds an argument.
    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.arguments.push(argument.as_ref().to_owned());
        self
    }

    /// Adds arguments.
    pub fn args<S: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = S>) -> Self {
        self.arguments.extend(arguments.into_iter().map(|one| one.as_ref().to_owned()));
        self
    }

    /// Sets a variable.
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.environment.insert(name.as_ref().to_owned(), value.as_ref().to_owned());
        self
    }

    /// Replaces the whole environment.
    pub fn environment(mut self, all: BTreeMap<OsString, OsString>) -> Self {
        self.environment = all;
        self
    }

    /// Where standard input comes from.
    pub fn stdin(mut self, input: impl Into<Stdio>) -> Self {
        self.input = input.into();
        self
    }

    /// Where standard output goes. [`crate::run`] replaces it unless it keeps nothing.
    pub fn stdout(mut self, output: impl Into<Stdio>) -> Self {
        self.output = output.into();
        self
    }

    /// Where standard error goes. [`crate::run`] replaces it unless it keeps nothing.
    pub fn stderr(mut self, errors: impl Into<Stdio>) -> Self {
        self.errors = errors.into();
        self
    }

    /// The command as a person would type it.
    pub fn shown(&self) -> String {
        let words = std::iter::once(&self.program).chain(&self.arguments);
        words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }
}
