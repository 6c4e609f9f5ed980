//! `hydrogen.toml`: what the owner of a program knows better than any detection.

mod duration;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bstr::ByteSlice;
use hydrogen_jail::inside;
use serde::Deserialize;

use crate::tree::Trees;
use crate::version::Version;

/// The file's name.
pub const FILE_NAME: &str = "hydrogen.toml";

/// The whole file; every part is optional.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// How to build a version.
    pub build: Build,
    /// Names for lists of versions: `releases = "v*"`, or `supported = ["v1.*", "v2.*"]`.
    #[serde(deserialize_with = "one_or_many_each")]
    pub versions: BTreeMap<String, Vec<String>>,
    /// What matters to the analyses.
    pub analysis: Analysis,
    /// What the program must keep to.
    pub rules: Rules,
}

/// `[build]`: a command to record, or sources and flags.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Build {
    /// What to run; its compiler calls are recorded. A string goes to the shell, a list is run as it is.
    pub command: Option<Command>,
    /// Where to run it, from the root of the version.
    pub directory: Option<PathBuf>,
    /// How long it may take.
    #[serde(deserialize_with = "duration::deserialize")]
    pub timeout: Option<Duration>,
    /// Patterns of the C files; used when there is no command.
    pub sources: Vec<String>,
    /// Flags for every C file.
    pub flags: Vec<String>,
    /// Include folders, from the root of the version.
    pub include: Vec<PathBuf>,
    /// Patterns of C files to leave out.
    pub exclude: Vec<String>,
    /// Environment variables for the command.
    pub env: BTreeMap<String, String>,
}

/// A build command.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Command {
    /// A line for `sh -c`.
    Shell(String),
    /// A program and its arguments.
    Program(Vec<String>),
}

/// `[analysis]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Analysis {
    /// Functions where execution may begin, besides `main`.
    pub entry_points: Vec<String>,
    /// Findings not to report.
    pub suppress: Vec<String>,
    /// Files with contracts of functions without a body.
    pub contracts: Vec<PathBuf>,
    /// What may come in from outside.
    pub comes_in: ComesIn,
}

/// `[analysis.comes_in]`: answers to what a verdict asks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ComesIn {
    /// Parameters `function.parameter` and members `structure.member` that may be null.
    pub null: Vec<String>,
    /// Functions whose pointers may lead to the same object.
    pub same: Vec<String>,
    /// Members `structure.member` that may hold anything.
    pub any: Vec<String>,
}

/// `[rules]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Rules {
    /// Ordering rules: `"lock => unlock"`.
    pub order: Vec<String>,
}

/// Why a configuration could not be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file is not right.
    #[error("{file}:{line}:{column}: {message}")]
    Parse {
        /// The file, as the user knows it.
        file: String,
        /// Its line, from 1.
        line: usize,
        /// Its column, from 1, in characters.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// The file cannot be read.
    #[error("cannot read {file}: {message}")]
    Unreadable {
        /// The file.
        file: String,
        /// Why.
        message: String,
    },
}

impl Config {
    /// Reads a configuration; `file` is its name in messages.
    pub fn parse(text: &str, file: &str) -> Result<Config, Error> {
        let config: Config = toml::from_str(text).map_err(|error| {
            let offset = error.span().map_or(0, |span| span.start).min(text.len());
            let before = String::from_utf8_lossy(&text.as_bytes()[..offset]);
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
            Error::Parse { file: file.to_string(), line, column, message: error.message().replace('\n', " ") }
        })?;
        config.check(file)?;
        Ok(config)
    }

    /// What the types cannot say: patterns are patterns, and a command is not empty.
    fn check(&self, file: &str) -> Result<(), Error> {
        let wrong = |message: String| Error::Parse { file: file.to_string(), line: 1, column: 1, message };
        for pattern in self.build.sources.iter().chain(&self.build.exclude) {
            globset::Glob::new(pattern).map_err(|error| {
                wrong(format!("[build] `{pattern}` is not a valid pattern: {}", error.kind()))
            })?;
        }
        match &self.build.command {
            Some(Command::Program(words)) if words.is_empty() => {
                Err(wrong("[build] command is an empty list".into()))
            }
            Some(Command::Shell(line)) if line.trim().is_empty() => {
                Err(wrong("[build] command is empty".into()))
            }
            _ => Ok(()),
        }
    }

    /// Reads the file in `directory`, when there is one.
    pub fn in_directory(directory: &Path) -> Result<Option<Config>, Error> {
        let file = directory.join(FILE_NAME).display().to_string();
        match inside::read(directory, Path::new(FILE_NAME), inside::MOST_TEXT) {
            Ok(bytes) => Self::parse_bytes(bytes, &file).map(Some),
            Err(refused) if refused.is_missing() => Ok(None),
            Err(refused) => Err(Error::Unreadable { file, message: refused.to_string() }),
        }
    }

    /// The configuration for a version: the one in its own tree, else the one of the user (in `user`, the root of
    /// the work tree or the current directory), else the empty one.
    pub fn for_version(trees: &Trees, version: &Version, user: Option<&Path>) -> Result<Config, Error> {
        let file = format!("{}:{FILE_NAME}", version.name);
        match trees.read_path(version, FILE_NAME.as_bytes().as_bstr()) {
            Ok(Some(bytes)) => return Self::parse_bytes(bytes, &file),
            Ok(None) => {}
            Err(error) => return Err(Error::Unreadable { file, message: error.to_string() }),
        }
        Ok(user.map(Self::in_directory).transpose()?.flatten().unwrap_or_default())
    }

    fn parse_bytes(bytes: Vec<u8>, file: &str) -> Result<Config, Error> {
        match String::from_utf8(bytes) {
            Ok(text) => Self::parse(&text, file),
            Err(_) => {
                Err(Error::Unreadable { file: file.to_string(), message: "it is not UTF-8".to_string() })
            }
        }
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

fn one_or_many_each<'de, D: serde::Deserializer<'de>>(
    from: D,
) -> Result<BTreeMap<String, Vec<String>>, D::Error> {
    let table = BTreeMap::<String, OneOrMany>::deserialize(from)?;
    let list = |value| match value {
        OneOrMany::One(spec) => vec![spec],
        OneOrMany::Many(specs) => specs,
    };
    Ok(table.into_iter().map(|(name, value)| (name, list(value))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_can_be_said() {
        let text = r#"
            [build]
            command = ["make", "all"]
            directory = "src"
            timeout = "2m"
            sources = ["src/**/*.c"]
            flags = ["-DX=1"]
            include = ["include"]
            exclude = ["test/**"]
            env = { V = "1" }
            [versions]
            releases = "v*"
            two = ["v1", "v2"]
            [analysis]
            entry_points = ["handle"]
            suppress = ["null:parse.c"]
            [rules]
            order = ["lock => unlock"]
        "#;
        let config = Config::parse(text, FILE_NAME).unwrap();
        assert_eq!(config.build.command, Some(Command::Program(vec!["make".into(), "all".into()])));
        assert_eq!(config.build.timeout, Some(Duration::from_secs(120)));
        assert_eq!(config.versions["releases"], ["v*"]);
        assert_eq!(config.versions["two"], ["v1", "v2"]);
        assert_eq!(config.analysis.entry_points, ["handle"]);
        assert_eq!(config.rules.order, ["lock => unlock"]);
        assert_eq!(Config::parse("", FILE_NAME).unwrap(), Config::default());
    }

    fn check_error(text: &str, expect: &str) {
        let message = Config::parse(text, FILE_NAME).unwrap_err().to_string();
        assert!(message.starts_with(expect), "{message}");
    }

    #[test]
    fn errors_name_file_line_and_column() {
        check_error("[build]\n  comand = \"make\"\n", "hydrogen.toml:2:3: unknown field `comand`");
        check_error("[build]\ntimeout = \"soon\"\n", "hydrogen.toml:2:11: `soon` is not a duration");
        check_error("[build\n", "hydrogen.toml:1:7: ");
        check_error("[build]\nsources = [\"[\"]\n", "hydrogen.toml:1:1: [build] `[` is not a valid pattern");
        check_error("[build]\ncommand = []\n", "hydrogen.toml:1:1: [build] command is an empty list");
    }
}
