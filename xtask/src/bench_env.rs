//! What recording costs: the same work natively, recorded, replayed and under `strace -f`, in one run.

use crate::tool::Tool;
use anyhow::{Result, ensure};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What is measured: a name, what is prepared, and the work, both for the shell.
const WORK: &[(&str, &str, &str)] = &[
    ("pure computing", "true", "awk 'BEGIN { for (i = 0; i < 20000000; i++) x += i; exit x < 0 }'"),
    (
        "sqlite3 import, 100,000 rows",
        "seq 100000 | sed 's/$/,some text here/' > rows.csv",
        "rm -f a.db; sqlite3 a.db 'create table t(x, y)' '.mode csv' '.import rows.csv t'",
    ),
    (
        "git status, 5,000 files",
        "git init -q . && for d in $(seq 50); do mkdir -p d$d; for f in $(seq 100); do echo $f > d$d/f$f; done; done; git add -A",
        "git status --short > /dev/null",
    ),
    (
        "ls -lR, 10,000 folders, 50,000 names",
        "for d in $(seq 100); do mkdir -p l/$d; (cd l/$d; mkdir $(seq 100); for e in $(seq 100); do touch $e/a $e/b $e/c $e/d; done); done",
        "ls -lR l > /dev/null",
    ),
    ("sh, 200 processes", "true", "for i in $(seq 200); do /bin/true; done"),
];

/// So often each is measured; the fastest counts.
const ROUNDS: usize = 3;

pub fn run() -> Result<()> {
    let tool = Tool::new("env")?;
    let tool = tool.program();
    let has_strace =
        Command::new("strace").arg("-V").stdout(Stdio::null()).status().is_ok_and(|status| status.success());
    println!(
        "{:38} {:>8} {:>8} {:>6} {:>8} {:>6} {:>8} {:>9} {:>7}",
        "work", "native", "record", "×", "strace", "×", "replay", "calls", "B/call"
    );
    let mut rows = Vec::new();
    for (name, prepare, work) in WORK {
        let folder = tempfile::tempdir()?;
        let shell = |script: &str| -> Result<Duration> {
            timed(Command::new("sh").args(["-c", script]), folder.path())
        };
        shell(prepare)?;
        let native = fastest(|| shell(work))?;
        let record = fastest(|| {
            let mut command = Command::new(tool);
            command.args(["-q", "env", "record", "-o", "../run.rec", "--", "sh", "-c", work]);
            timed(&mut command, folder.path())
        })?;
        let strace = if has_strace {
            let mut command = Command::new("strace");
            command.args(["-f", "-o", "/dev/null", "sh", "-c", work]);
            Some(timed(&mut command, folder.path())?)
        } else {
            None
        };
        let file = folder.path().join("../run.rec");
        let size = std::fs::metadata(&file)?.len();
        let calls = hydrogen_env::read(&file)?.count();
        let replay = timed(Command::new(tool).args(["-q", "env", "replay", "../run.rec"]), folder.path())?;
        std::fs::remove_file(&file)?;
        let ratio = |time: Duration| time.as_secs_f64() / native.as_secs_f64();
        let seconds = |time: Duration| format!("{:.2}s", time.as_secs_f64());
        println!(
            "{name:38} {:>8} {:>8} {:>6.2} {:>8} {:>6.2} {:>8} {calls:>9} {:>7}",
            seconds(native),
            seconds(record),
            ratio(record),
            strace.map_or_else(|| "-".into(), seconds),
            strace.map_or(0.0, ratio),
            seconds(replay),
            size / calls.max(1) as u64
        );
        rows.push(serde_json::json!({
            "work": name, "native": native.as_secs_f64(), "record": record.as_secs_f64(), "ratio": ratio(record),
            "strace": strace.map(|time| time.as_secs_f64()), "replay": replay.as_secs_f64(), "calls": calls,
            "bytes": size,
        }));
    }
    println!("{:#}", serde_json::Value::from(rows));
    Ok(())
}

fn fastest(mut measure: impl FnMut() -> Result<Duration>) -> Result<Duration> {
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS {
        best = best.min(measure()?);
    }
    Ok(best)
}

fn timed(command: &mut Command, folder: &Path) -> Result<Duration> {
    command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null());
    let begin = Instant::now();
    let status = command.status()?;
    ensure!(status.success(), "{command:?} failed: {status}");
    Ok(begin.elapsed())
}
