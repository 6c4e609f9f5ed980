//! How much `affects` says of real commits: the share of functions that it names, and of those that it tells as likely.

use crate::old_code::short;
use crate::table;
use crate::tool::Tool;
use anyhow::{Result, ensure};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What `affects` tells as likely.
pub const LIKELY: f64 = 0.5;

/// Whether a function of an answer is told as likely.
pub fn is_likely(function: &Value) -> bool {
    function["likelihood"].as_f64().unwrap_or(0.0) >= LIKELY
}

/// The question about a commit.
pub fn question(commit: &str, source: bool) -> Vec<&str> {
    [&["affects", commit][..], if source { &[] } else { &["--compiled"] }].concat()
}

/// The shares of functions that the newest commits to C files may affect, of those that change a function.
pub fn shares(repositories: &[PathBuf], commits: usize, source: bool) -> Result<()> {
    let tool = Tool::new("affects")?;
    let (mut rows, mut every) = (Vec::new(), Vec::new());
    for repository in repositories {
        let list = git(repository, &["log", "--no-merges", "--format=%H", "--", "*.c"])?;
        let (mut all, mut unread) = (Vec::new(), 0);
        for commit in list.lines() {
            if all.len() == commits {
                break;
            }
            let Ok(said) = tool.say(repository, &question(commit, source)) else {
                unread += 1;
                continue;
            };
            if said.json["hunks"].as_array().is_none_or(Vec::is_empty) {
                continue;
            }
            let functions = said.json["functions"].as_array().map_or(&[][..], Vec::as_slice);
            let computing: Vec<&Value> =
                functions.iter().filter(|it| it["only_called"] != Value::Bool(true)).collect();
            let likely = computing.iter().filter(|it| is_likely(it)).count();
            let whole = said.json["program"]["functions"].as_f64().unwrap_or(1.0).max(1.0);
            all.push([likely, computing.len(), functions.len()].map(|count| 100.0 * count as f64 / whole));
        }
        rows.push(row(&short(repository), &all, unread));
        every.extend(all);
    }
    rows.push(row("all", &every, 0));
    let header =
        ["repository", "commits", "no answer", "likely", "median share", "with those called more or less"];
    table::print("affects", &header, &rows);
    Ok(())
}

fn row(name: &str, all: &[[f64; 3]], unread: usize) -> Vec<String> {
    let medians = [0, 1, 2].map(|at| median(all.iter().map(|it| it[at]).collect()));
    [vec![name.into(), all.len().to_string(), unread.to_string()], medians.to_vec()].concat()
}

/// The median of shares.
pub fn median(mut of: Vec<f64>) -> String {
    of.sort_by(f64::total_cmp);
    of.get(of.len() / 2).map_or("–".into(), |it| format!("{it:.1} %"))
}

/// What git says.
pub fn git(folder: &Path, arguments: &[&str]) -> Result<String> {
    let output = Command::new("git").current_dir(folder).args(arguments).output()?;
    ensure!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
