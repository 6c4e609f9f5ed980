//! Real commits: of which share of their changed functions `delta` says exactly what they do differently, and what that costs once both versions are known.
//!
//! The commits are those of `deltas.txt`, in two halves; their repositories are clones in a folder, named `name` or `owner+name`.

use crate::bench_refactorings::clone_of;
use crate::table;
use crate::tool::Tool;
use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

const LIST: &str = include_str!("../deltas.txt");

/// What was said of the functions of some commits.
#[derive(Default, Clone)]
struct Counts {
    commits: usize,
    /// Functions by what is said of them: `same`, `exact`, `partial`, `summary`.
    said: BTreeMap<String, usize>,
    /// Seconds per changed function, commit by commit.
    seconds: Vec<f64>,
}

impl Counts {
    fn add(&mut self, answer: &Value, seconds: f64) {
        let functions = answer["functions"].as_array().map_or(&[][..], Vec::as_slice);
        for function in functions {
            *self.said.entry(function["says"].as_str().unwrap_or("summary").to_owned()).or_default() += 1;
        }
        self.commits += 1;
        if !functions.is_empty() {
            self.seconds.push(seconds / functions.len() as f64);
        }
    }

    fn row(&self, half: &str) -> Vec<String> {
        let count = |says: &str| self.said.get(says).copied().unwrap_or(0);
        let all: usize = self.said.values().sum();
        let told = count("same") + count("exact");
        let share =
            (1000 * told).checked_div(all).map_or("-".to_owned(), |one| format!("{:.1}%", one as f64 / 10.0));
        let mut seconds = self.seconds.clone();
        seconds.sort_by(f64::total_cmp);
        let at = |share: usize| {
            let place = (seconds.len() * share / 100).min(seconds.len().saturating_sub(1));
            seconds.get(place).map_or("-".to_owned(), |one| format!("{one:.2}s"))
        };
        let mut row = vec![half.to_owned(), self.commits.to_string(), all.to_string()];
        row.extend(["same", "exact", "partial", "summary"].map(|says| count(says).to_string()));
        row.extend([share, at(50), at(95), at(100)]);
        row
    }
}

pub fn run(folder: &Path) -> Result<()> {
    let tool = Tool::new("delta")?;
    let mut halves: BTreeMap<&str, Counts> = BTreeMap::new();
    for line in LIST.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        let words: Vec<&str> = line.split(' ').collect();
        let [name, commit, half] = words[..] else { anyhow::bail!("`{line}` is no commit with its half") };
        let label = format!("{name} {}", &commit[..commit.len().min(10)]);
        let Some(root) = clone_of(folder, name) else {
            eprintln!("{label}: there is no clone of it in {}", folder.display());
            continue;
        };
        let range = format!("{commit}~1..{commit}");
        // Asked twice: what it costs is counted once the models are known.
        let said = tool.say(&root, &["delta", &range]).and_then(|_| tool.say(&root, &["delta", &range]));
        match said.with_context(|| label.clone()) {
            Ok(said) => halves.entry(half).or_default().add(&said.json, said.time.as_secs_f64()),
            Err(error) => eprintln!("{error:#}"),
        }
    }
    let rows: Vec<Vec<String>> = halves.iter().map(|(half, counts)| counts.row(half)).collect();
    let header = [
        "half",
        "commits",
        "changed",
        "same",
        "exact",
        "partial",
        "summary",
        "same or exact",
        "median",
        "p95",
        "most",
    ];
    table::print("delta", &header, &rows);
    Ok(())
}
