//! Entering every commit of a history against `git log -p -U0` on the same commits, in one run, by processor time.

use crate::old_code::{head, short};
use crate::table;
use anyhow::{Context, Result, ensure};
use hydrogen_history::{Objects, Repository};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Measures repositories, which are given by the user: no history is published as a crate.
pub fn run(repositories: &[PathBuf], commits: usize) -> Result<()> {
    let tool = Path::new("target/release/hydrogen").canonicalize().context(
        "target/release/hydrogen is missing: run `cargo build --release -p hydrogen --bin hydrogen` first",
    )?;
    let mut rows = Vec::new();
    for repository in repositories {
        let opened = Repository::discover(repository)?;
        let head = head(repository)?;
        let newest = Objects::new(&opened).newest(&head.commit, commits + 1)?;
        let oldest = newest.last().context("a history has commits")?.commit.clone();
        let range = format!("{oldest}..{}", head.commit);
        let cache = tempfile::tempdir()?;
        let git = measure(Command::new("git").args(["log", "-p", "-U0", &range]).current_dir(repository))?;
        let graph = |more: &[&str]| {
            let mut command = Command::new(&tool);
            command.args(["--quiet", "graph", &range, "--syntax", "--format", "hyg"]).args(more);
            measure(command.current_dir(repository).env("HYDROGEN_CACHE", cache.path()))
        };
        let ours = graph(&[])?;
        let count = commits.to_string();
        let mut command = Command::new(&tool);
        command.args(["--quiet", "complexity", "--history", &count, "--format", "csv"]);
        let complexity = measure(command.current_dir(repository))?;
        let ratio = |cost: &Cost| format!("{:.1}", cost.seconds / git.seconds);
        let seconds = |cost: &Cost| format!("{:.2} s", cost.seconds);
        rows.push(vec![
            short(repository),
            seconds(&git),
            seconds(&ours),
            ratio(&ours),
            format!("{} MiB", ours.kilobytes / 1024),
            seconds(&complexity),
            ratio(&complexity),
        ]);
    }
    let header = ["history", "git log -p -U0", "graph", "ratio", "memory", "complexity", "ratio "];
    table::print("histories", &header, &rows);
    Ok(())
}

struct Cost {
    /// Of the processor.
    seconds: f64,
    kilobytes: u64,
}

fn measure(command: &mut Command) -> Result<Cost> {
    let mut timed = Command::new("/usr/bin/time");
    timed.args(["-f", "%U %S %M"]).arg(command.get_program()).args(command.get_args());
    if let Some(folder) = command.get_current_dir() {
        timed.current_dir(folder);
    }
    timed.envs(command.get_envs().filter_map(|(key, value)| Some((key, value?))));
    let output = timed.stdout(Stdio::null()).stderr(Stdio::piped()).output().context("/usr/bin/time")?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(output.status.success(), "{timed:?} failed: {text}");
    let last = text.lines().last().unwrap_or_default().to_owned();
    let numbers: Vec<f64> = last.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [user, system, kilobytes] = numbers[..] else { anyhow::bail!("not a measurement: {last}") };
    Ok(Cost { seconds: user + system, kilobytes: kilobytes as u64 })
}
