//! Entering every commit of a history against `git log -p -U0` on the same commits, in one run, by processor time.

use crate::old_code::{head, short};
use crate::table;
use anyhow::{Context, Result, ensure};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Measures repositories, which are given by the user: no history is published as a crate.
pub fn run(repositories: &[PathBuf], commits: usize) -> Result<()> {
    let tool = Path::new("target/release/hydrogen").canonicalize().context(
        "target/release/hydrogen is missing: run `cargo build --release -p hydrogen --bin hydrogen` first",
    )?;
    let mut rows = Vec::new();
    for repository in repositories {
        let (range, count) = range(repository, commits)?;
        let cache = tempfile::tempdir()?;
        let newest = format!("-{count}");
        let git = |what: &str| {
            measure(Command::new("git").args(["log", "-p", "-U0", what]).current_dir(repository))
        };
        let graph = |folder: &Path, range: &str| {
            let mut command = Command::new(&tool);
            command.args(["--quiet", "graph", range, "--syntax", "--format", "hyg"]);
            measure(command.current_dir(folder).env("HYDROGEN_CACHE", cache.path()))
        };
        let (theirs, ours) = (git(&range)?, graph(repository, &range)?);
        let mut command = Command::new(&tool);
        command.args(["--quiet", "complexity", "--history", &count.to_string(), "--format", "csv"]);
        let (theirs_of, complexity) = (git(&newest)?, measure(command.current_dir(repository))?);
        let idle = idle(repository, &graph)?;
        let ratio = |ours: &Cost, theirs: &Cost| format!("{:.1}", ours.seconds / theirs.seconds);
        let seconds = |cost: &Cost| format!("{:.2} s", cost.seconds);
        rows.push(vec![
            short(repository),
            count.to_string(),
            seconds(&theirs),
            seconds(&ours),
            ratio(&ours, &theirs),
            format!("{} MiB", ours.kilobytes / 1024),
            format!("{:.3} ms", 1000.0 * idle),
            seconds(&complexity),
            ratio(&complexity, &theirs_of),
        ]);
    }
    let header = [
        "history",
        "commits",
        "git log -p -U0",
        "graph",
        "ratio",
        "memory",
        "a version without a C change",
        "complexity",
        "ratio ",
    ];
    table::print("histories", &header, &rows);
    Ok(())
}

/// The longest range from a first parent of the newest commit that has at most so many commits, and how many it has. The newest commits by
/// date are no range where two lines of history are merged again and again.
fn range(repository: &Path, most: usize) -> Result<(String, usize)> {
    let text = |arguments: &[&str]| -> Result<String> {
        let output = Command::new("git").args(arguments).current_dir(repository).output()?;
        ensure!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let head = text(&["rev-parse", "HEAD"])?;
    let firsts = text(&["rev-list", "--first-parent", &format!("-{}", most + 1), "HEAD"])?;
    let firsts: Vec<&str> = firsts.lines().collect();
    let count = |at: usize| -> Result<usize> {
        Ok(text(&["rev-list", "--count", &format!("{}..{head}", firsts[at])])?.parse()?)
    };
    // The count grows with the distance.
    let (mut near, mut far) = (0, firsts.len());
    while near + 1 < far {
        let middle = near.midpoint(far);
        match count(middle)? <= most {
            true => near = middle,
            false => far = middle,
        }
    }
    Ok((format!("{}..{head}", firsts[near]), count(near)?))
}

/// So many commits that change no C file.
const IDLE: usize = 2000;

/// The processor time of one commit that changes no C file, behind the newest one of a repository, in seconds.
fn idle(repository: &Path, graph: &dyn Fn(&Path, &str) -> Result<Cost>) -> Result<f64> {
    let folder = tempfile::tempdir()?;
    let copy = folder.path().join("copy");
    let git = |arguments: &[&str], folder: &Path, input: &str| -> Result<()> {
        let mut child =
            Command::new("git").args(arguments).current_dir(folder).stdin(Stdio::piped()).spawn()?;
        child.stdin.take().context("a pipe")?.write_all(input.as_bytes())?;
        ensure!(child.wait()?.success(), "git {arguments:?}");
        Ok(())
    };
    let from = repository.canonicalize()?.to_string_lossy().into_owned();
    git(&["clone", "-q", "--bare", "--shared", &from, "copy"], folder.path(), "")?;
    let head = head(repository)?.commit;
    let mut stream = String::new();
    for number in 0..=IDLE {
        let from = if number == 0 { format!("from {head}\n") } else { String::new() };
        let body = format!("idle {number}\n");
        stream.push_str(&format!(
            "commit refs/heads/idle\ncommitter x <x@x> {} +0000\ndata 4\nidle\n{from}M 644 inline IDLE\ndata {}\n{body}",
            2_000_000_000 + number,
            body.len()
        ));
    }
    git(&["fast-import", "--quiet"], &copy, &stream)?;
    let one = graph(&copy, &format!("{head}..idle~{}", IDLE))?;
    let all = graph(&copy, &format!("{head}..idle"))?;
    Ok((all.seconds - one.seconds).max(0.0) / IDLE as f64)
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
