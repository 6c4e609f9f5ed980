//! What was kept from earlier commits changes no verdict: every commit of a history is checked with the rulings of those before it, and anew.

use crate::table;
use crate::tool::Tool;
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// What is run.
pub struct Wish {
    /// A repository that has its history.
    pub repository: std::path::PathBuf,
    /// The newest so many commits, without merges.
    pub commits: usize,
    /// Time for each check, as a stop.
    pub budget: String,
}

pub fn run(wish: &Wish) -> Result<()> {
    let root = wish.repository.as_path();
    let commits = newest(root, wish.commits)?;
    let (kept, anew) = (Tool::new("incremental-kept")?, Tool::new("incremental-anew")?);
    let (mut compared, mut same, mut cut, mut reused, mut findings) = (0, 0, 0, 0, 0);
    let mut rows = Vec::new();
    for commit in &commits {
        let ask = ["check", commit.as_str(), "--budget", wish.budget.as_str()];
        let (Ok(first), Ok(second)) = (kept.say(root, &ask), anew.ask(root, &ask)) else {
            eprintln!("SKIPPED: {commit} does not build");
            continue;
        };
        if first.json["partial"] == true || second.json["partial"] == true {
            cut += 1;
            continue;
        }
        compared += 1;
        reused += first.json["counters"]["kept"].as_u64().unwrap_or(0);
        let (one, other) = (told(&first.json), told(&second.json));
        findings += other.len();
        same += usize::from(one == other);
        for only in one.symmetric_difference(&other) {
            let which = if one.contains(only) { "kept" } else { "anew" };
            rows.push(vec![commit.clone(), which.to_owned(), only.clone()]);
        }
        let (quick, slow) = (first.time.as_secs_f64(), second.time.as_secs_f64());
        eprintln!(
            "{commit}  {}  kept {quick:.1} s  anew {slow:.1} s",
            if one == other { "same" } else { "OTHER" }
        );
    }
    table::print("incremental-differences", &["commit", "only", "finding"], &rows);
    let numbers = [commits.len() as u64, compared, same as u64, cut, findings as u64, reused];
    let numbers = numbers.iter().map(ToString::to_string).collect();
    let header = ["commits", "compared", "the same", "cut by time", "findings", "rulings reused"];
    table::print("incremental", &header, &[numbers]);
    ensure!(rows.is_empty(), "{} findings depend on what was kept", rows.len());
    Ok(())
}

/// Every finding with its verdicts, and what the notes count.
fn told(answer: &Value) -> BTreeSet<String> {
    let list = |value: &Value, key: &str| value[key].as_array().cloned().unwrap_or_default();
    let mut out = BTreeSet::new();
    for finding in list(answer, "findings") {
        let place = &finding["location"];
        let verdicts = list(&finding, "verdicts");
        let verdicts: Vec<String> =
            verdicts.iter().map(|one| format!("{} {}", one["version"], one["verdict"])).collect();
        out.insert(format!(
            "{} {} {}:{} {}: {}",
            finding["status"],
            finding["kind"],
            place["file"],
            place["line"],
            place["text"],
            verdicts.join(", ")
        ));
    }
    out.extend(list(answer, "notes").iter().filter_map(Value::as_str).map(str::to_owned));
    out
}

fn newest(root: &Path, commits: usize) -> Result<Vec<String>> {
    let count = format!("-{commits}");
    let output = Command::new("git")
        .args(["rev-list", "--no-merges", "--abbrev-commit", &count, "HEAD"])
        .current_dir(root)
        .output()?;
    ensure!(output.status.success(), "{} has no history", root.display());
    let text = String::from_utf8(output.stdout).context("git's answer is no text")?;
    let mut all: Vec<String> = text.lines().map(str::to_owned).collect();
    // As they came.
    all.reverse();
    Ok(all)
}
