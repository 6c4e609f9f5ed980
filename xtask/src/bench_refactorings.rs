//! Real refactorings: which share of their changed functions `compare` proves equal, and whether native builds confirm every difference.
//!
//! The commits are those of `refactorings.txt`; their repositories are clones in a folder, named `name` or `owner+name`.

use crate::table;
use crate::tool::Tool;
use anyhow::{Context, Result};
use serde_json::Value;
use std::path::{Path, PathBuf};

const LIST: &str = include_str!("../refactorings.txt");

/// What was said of the functions of one commit, or of all.
#[derive(Default, Clone, Copy)]
struct Counts {
    equal: usize,
    differ: usize,
    natively: usize,
    open: usize,
}

impl Counts {
    fn of(answer: &Value) -> Self {
        let mut counts = Self::default();
        for function in answer["functions"].as_array().into_iter().flatten() {
            match function["verdict"].as_str() {
                Some("equal") => counts.equal += 1,
                Some("differs") => {
                    counts.differ += 1;
                    counts.natively += usize::from(function["differences"][0]["native"] == "differs");
                }
                _ => counts.open += 1,
            }
        }
        counts
    }

    fn and(self, other: Self) -> Self {
        Self {
            equal: self.equal + other.equal,
            differ: self.differ + other.differ,
            natively: self.natively + other.natively,
            open: self.open + other.open,
        }
    }

    fn row(self, name: String, time: String) -> Vec<String> {
        let all = self.equal + self.differ + self.open;
        let share = (100 * self.equal).checked_div(all).map_or("-".to_owned(), |share| format!("{share}%"));
        let numbers =
            [all, self.equal, self.differ, self.natively, self.open].map(|number| number.to_string());
        [vec![name], numbers.to_vec(), vec![share, time]].concat()
    }
}

pub fn run(folder: &Path, budget: &str) -> Result<()> {
    let tool = Tool::new("refactorings")?;
    let (mut rows, mut total) = (Vec::new(), Counts::default());
    for line in LIST.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        let (name, commit) = line.split_once(' ').with_context(|| format!("`{line}` names no commit"))?;
        let label = format!("{name} {}", &commit[..commit.len().min(10)]);
        let Some(root) = clone_of(folder, name) else {
            eprintln!("{label}: there is no clone of it in {}", folder.display());
            continue;
        };
        let range = format!("{commit}~1..{commit}");
        match tool.say(&root, &["compare", &range, "--budget", budget]) {
            Ok(said) => {
                let counts = Counts::of(&said.json);
                total = total.and(counts);
                rows.push(counts.row(label, format!("{:.1}s", said.time.as_secs_f64())));
            }
            Err(error) => eprintln!("{label}: {error:#}"),
        }
    }
    rows.push(total.row("all".to_owned(), String::new()));
    let header = ["commit", "changed", "equal", "differ", "natively too", "open", "proved", "time"];
    table::print("refactorings", &header, &rows);
    Ok(())
}

pub fn clone_of(folder: &Path, name: &str) -> Option<PathBuf> {
    let short = name.rsplit('/').next().unwrap_or(name);
    let places = [short.to_owned(), name.replace('/', "+"), format!("{}/repo", name.replace('/', "+"))];
    places
        .into_iter()
        .map(|place| folder.join(place))
        .find(|path| path.join(".git").exists() || path.join("HEAD").is_file())
}
