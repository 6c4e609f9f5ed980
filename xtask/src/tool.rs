//! Running the tool as a user would.

use crate::corpora;
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The tool and where it keeps what it knows.
pub struct Tool {
    program: PathBuf,
    cache: PathBuf,
}

/// What a command said.
pub struct Said {
    pub json: Value,
    /// The exit code.
    pub code: i32,
    pub time: Duration,
}

impl Tool {
    /// The release build, made where it is missing, or what `HYDROGEN_PROGRAM` names; with a cache of its own that is empty
    /// at first.
    pub fn new(cache: &str) -> Result<Self> {
        let named = std::env::var_os("HYDROGEN_PROGRAM").map(PathBuf::from);
        let program = named.unwrap_or_else(|| corpora::target().join("release/hydrogen"));
        if !program.is_file() {
            let build =
                ["build", "--release", "-p", "hydrogen", "-p", "hydrogen-lowering", "-p", "hydrogen-jail"];
            let status = Command::new("cargo").args(build).status()?;
            ensure!(status.success(), "cannot build the tool");
        }
        let tool = Self { program, cache: corpora::target().join("cases/cache").join(cache) };
        tool.forget()?;
        Ok(tool)
    }

    /// Where the program is.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Empties the cache.
    pub fn forget(&self) -> Result<()> {
        match std::fs::remove_dir_all(&self.cache) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Asks for verdicts in a repository. Measured is what an answer costs, not what an earlier run left.
    pub fn ask(&self, root: &Path, arguments: &[&str]) -> Result<Said> {
        self.run(root, &[arguments, &["--fresh"]].concat())
    }

    /// Asks for anything else in a repository.
    pub fn say(&self, root: &Path, arguments: &[&str]) -> Result<Said> {
        self.run(root, arguments)
    }

    /// Reads a version, so that it is known when something is asked.
    pub fn read(&self, root: &Path, version: &str) -> Result<()> {
        self.run(root, &["functions", version, version]).map(drop)
    }

    /// Runs a command in a repository; findings and what could not be decided are no failures.
    fn run(&self, root: &Path, arguments: &[&str]) -> Result<Said> {
        let start = Instant::now();
        // What stands behind `--` is for the program that is looked at.
        let end = arguments.iter().position(|word| *word == "--").unwrap_or(arguments.len());
        let output = Command::new(&self.program)
            .args(&arguments[..end])
            .args(["--format", "json"])
            .args(&arguments[end..])
            .current_dir(root)
            .env("HYDROGEN_CACHE", &self.cache)
            .stdin(Stdio::null())
            .output()
            .with_context(|| format!("cannot run {}", self.program.display()))?;
        let time = start.elapsed();
        let Some(code @ (0 | 1 | 3)) = output.status.code() else {
            let told = String::from_utf8_lossy(&output.stderr);
            bail!("hydrogen {} failed: {}", arguments.join(" "), told.trim());
        };
        let json = serde_json::from_slice(&output.stdout).context("the answer is no JSON")?;
        Ok(Said { json, code, time })
    }
}

/// The verdicts of an answer on one version: (kind, basis, verdict), one for each finding and basis. What rests on nothing but the code of a
/// fix has the basis `code`.
pub fn verdicts<'a>(answer: &'a Value, version: &str) -> Vec<(&'a str, &'a str, &'a str)> {
    let list = |value: &'a Value, key: &str| value[key].as_array().map_or(&[][..], Vec::as_slice);
    let mut out = Vec::new();
    for finding in list(answer, "findings") {
        for one in list(finding, "verdicts").iter().filter(|one| one["version"] == version) {
            let word = |value: &'a Value| value.as_str().unwrap_or("?");
            let trusted = list(one, "ledger").iter().any(|entry| entry["code"] == "taken-as-fix");
            let basis = if trusted { "code" } else { word(&one["basis"]) };
            out.push((word(&finding["kind"]), basis, word(&one["verdict"])));
        }
    }
    out
}
