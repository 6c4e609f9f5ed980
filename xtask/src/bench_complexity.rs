//! The complexity of a history against `git log -p -U0` on the same commits, in one run.

use crate::table;
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The fastest of so many runs counts, since noise only ever adds; the two take turns.
const REPEATED: usize = 5;

/// Measures repositories, which are given by the user: no history is published as a crate.
pub fn run(repositories: &[PathBuf], commits: usize) -> Result<()> {
    let tool = tool()?;
    let mut rows = Vec::new();
    for repository in repositories {
        let count = commits.to_string();
        let (mut git, mut full, mut thesis) = (Duration::MAX, Duration::MAX, Duration::MAX);
        for _ in 0..REPEATED {
            git = git.min(time(Command::new("git").args(["log", "-p", "-U0", "-n", &count]), repository)?);
            let ours = |reading: &str| {
                let arguments = ["complexity", "--history", &count, "--format", "csv", "--reading", reading];
                time(Command::new(&tool).args(arguments), repository)
            };
            full = full.min(ours("full")?);
            thesis = thesis.min(ours("thesis")?);
        }
        let seconds = |time: Duration| format!("{:.2} s", time.as_secs_f64());
        let ratio = |time: Duration| format!("{:.2}", time.as_secs_f64() / git.as_secs_f64());
        let name = repository.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let memory = peak_memory(&tool, repository, &count)?;
        rows.push(vec![name, seconds(git), seconds(full), ratio(full), ratio(thesis), memory]);
    }
    let header = ["history", "git log -p -U0", "complexity", "ratio", "ratio (thesis)", "peak memory"];
    table::print("complexity", &header, &rows);
    Ok(())
}

fn tool() -> Result<PathBuf> {
    let folder = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    let tool = folder.join("release/hydrogen");
    let tool = tool.canonicalize().with_context(|| {
        format!("{} is missing: run `cargo build --release -p hydrogen --bin hydrogen` first", tool.display())
    })?;
    Ok(tool)
}

fn time(command: &mut Command, folder: &Path) -> Result<Duration> {
    let start = Instant::now();
    let status = command.current_dir(folder).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    ensure!(status.success(), "{command:?} in {} failed", folder.display());
    Ok(start.elapsed())
}

fn peak_memory(tool: &Path, folder: &Path, count: &str) -> Result<String> {
    let mut command = Command::new("/usr/bin/time");
    command.args(["-f", "%M"]).arg(tool).args(["complexity", "--history", count, "--format", "csv"]);
    let output = match command.current_dir(folder).output() {
        Ok(output) => output,
        Err(_) => return Ok("not measured".into()),
    };
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let kilobytes: u64 = text.lines().last().and_then(|line| line.trim().parse().ok()).unwrap_or(0);
    Ok(format!("{} MiB", kilobytes / 1024))
}
