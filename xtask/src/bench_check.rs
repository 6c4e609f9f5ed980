//! What `check` tells of changes whose faults are known, in both directions, and of ordinary commits. Everything that is called new or fixed
//! is listed, to be read by a person; what counts by itself is whether the known fault is among it, and the time.

use crate::corpora;
use crate::faults::{Half, Manifest};
use crate::public::{self, Library};
use crate::table;
use crate::tool::Tool;
use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;

/// What is run.
pub struct Wish {
    /// Only these changes: pairs of the manifest of faults, or ordinary commits.
    pub what: What,
    pub half: Option<Half>,
    /// Only those whose name contains this.
    pub name: Option<String>,
    pub budget: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum What {
    All,
    /// The fixes of known faults, forwards and backwards
    Pairs,
    /// Ordinary commits
    Commits,
}

#[derive(Deserialize)]
struct Ordinary {
    commits: Vec<Commits>,
}

#[derive(Deserialize)]
struct Commits {
    of: Vec<String>,
    library: Library,
}

/// What a check said.
#[derive(Default)]
struct Told {
    /// A row of each finding that is new or fixed.
    rows: Vec<Vec<String>>,
    /// Whether the known fault is among them.
    known: bool,
    cut: bool,
    seconds: f64,
}

/// A fault that a change is known to fix or to bring.
struct Known<'a> {
    kind: &'a str,
    function: &'a str,
}

/// Sums of one group of changes.
#[derive(Default)]
struct Sum {
    changes: usize,
    known: usize,
    findings: usize,
    cut: usize,
    seconds: Vec<f64>,
}

impl Sum {
    fn add(&mut self, told: &Told) {
        self.changes += 1;
        self.known += usize::from(told.known);
        self.findings += told.rows.len();
        self.cut += usize::from(told.cut);
        self.seconds.push(told.seconds);
    }

    fn row(mut self, name: &str) -> Vec<String> {
        self.seconds.sort_by(f64::total_cmp);
        let median = self.seconds.get(self.seconds.len() / 2).copied().unwrap_or(0.0);
        let longest = self.seconds.last().copied().unwrap_or(0.0);
        let numbers = [self.changes, self.known, self.findings, self.cut].map(|number| number.to_string());
        let times = [format!("{median:.1}"), format!("{longest:.1}")];
        std::iter::once(name.to_owned()).chain(numbers).chain(times).collect()
    }
}

pub fn run(wish: &Wish) -> Result<()> {
    let Some(mirrors) = public::mirrors() else { return Ok(()) };
    let (mut rows, mut sums) = (Vec::new(), Vec::new());
    if wish.what != What::Commits {
        let [forwards, backwards] = pairs(wish, &mirrors, &mut rows)?;
        sums.push(forwards.row("fixes, forwards"));
        sums.push(backwards.row("fixes, backwards"));
    }
    if wish.what != What::Pairs {
        sums.push(commits(wish, &mirrors, &mut rows)?.row("ordinary commits"));
    }
    let header = ["change", "known", "status", "kind", "place", "function", "statement"];
    table::print("check-findings", &header, &rows);
    let header =
        ["changes", "checked", "known fault told", "new or fixed", "cut by time", "median s", "longest s"];
    table::print("check", &header, &sums);
    Ok(())
}

fn pairs(wish: &Wish, mirrors: &Path, rows: &mut Vec<Vec<String>>) -> Result<[Sum; 2]> {
    let manifest = Manifest::read()?;
    let mut sums = [Sum::default(), Sum::default()];
    for fault in &manifest.fault {
        let named = wish.name.as_ref().is_none_or(|name| fault.name.contains(name));
        if !named || wish.half.is_some_and(|half| half != fault.half()) {
            continue;
        }
        let Some(root) = fault.repository(&manifest, mirrors)? else {
            eprintln!("SKIPPED: {}: there is no mirror", fault.name);
            continue;
        };
        let known = Known { kind: &fault.kind, function: &fault.function };
        let tool = Tool::new(&format!("check-{}", fault.name))?;
        for (sum, (change, status)) in
            sums.iter_mut().zip([("before..after", "fixed"), ("after..before", "new")])
        {
            let name = format!("{} {change}", fault.name);
            match check(&tool, &root, (&name, change), Some((&known, status)), wish) {
                Ok(told) => {
                    sum.add(&told);
                    rows.extend(told.rows);
                }
                Err(error) => eprintln!("SKIPPED: {name}: {error:#}"),
            }
        }
    }
    Ok(sums)
}

fn commits(wish: &Wish, mirrors: &Path, rows: &mut Vec<Vec<String>>) -> Result<Sum> {
    let all: Ordinary = toml::from_str(include_str!("../commits.toml"))
        .context("the manifest of ordinary commits cannot be read")?;
    let mut sum = Sum::default();
    for Commits { of, library } in &all.commits {
        for commit in of {
            let name = format!("{} {}", library.repository, &commit[..12]);
            if wish.name.as_ref().is_some_and(|wanted| !name.contains(wanted)) {
                continue;
            }
            let folder = name.replace(['/', ' '], "+");
            let root = corpora::target().join("commits").join(&folder);
            let parent = format!("{commit}~1");
            let versions = [("before", parent.as_str()), ("after", commit.as_str())];
            let Some(root) = library.versions(root, mirrors, &library.sources, &versions)? else {
                eprintln!("SKIPPED: {name}: there is no mirror");
                continue;
            };
            let tool = Tool::new(&format!("check-{folder}"))?;
            match check(&tool, &root, (&name, "before..after"), None, wish) {
                Ok(told) => {
                    sum.add(&told);
                    rows.extend(told.rows);
                }
                Err(error) => eprintln!("SKIPPED: {name}: {error:#}"),
            }
        }
    }
    Ok(sum)
}

fn check(
    tool: &Tool,
    root: &Path,
    (name, change): (&str, &str),
    known: Option<(&Known<'_>, &str)>,
    wish: &Wish,
) -> Result<Told> {
    let said = tool.ask(root, &["check", change, "--budget", &wish.budget])?;
    let mut told =
        Told { cut: said.json["partial"] == true, seconds: said.time.as_secs_f64(), ..Told::default() };
    let word = |value: &Value| value.as_str().unwrap_or("?").to_owned();
    for finding in said.json["findings"].as_array().map_or(&[][..], Vec::as_slice) {
        let (status, kind) = (word(&finding["status"]), word(&finding["kind"]));
        if !matches!(status.as_str(), "new" | "fixed") {
            continue;
        }
        let place = &finding["location"];
        let function = word(&finding["function"]);
        // The fault may be told at another statement of its function.
        let is_known = known.is_some_and(|(known, wanted)| {
            status == wanted && kind == known.kind && function == known.function
        });
        told.known |= is_known;
        let at = format!("{}:{}@{}", word(&place["file"]), place["line"], word(&place["version"]));
        let is_known = if is_known { "yes" } else { "" }.to_owned();
        told.rows.push(vec![name.to_owned(), is_known, status, kind, at, function, word(&place["text"])]);
    }
    let cut = if told.cut { "  cut" } else { "" };
    eprintln!("{name}  {} new or fixed  {:.1} s{cut}", told.rows.len(), told.seconds);
    for row in &told.rows {
        eprintln!("    {}", row[1..].join("  "));
    }
    Ok(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_thirty_ordinary_commits_of_six_repositories() {
        let all: Ordinary = toml::from_str(include_str!("../commits.toml")).unwrap();
        assert!(all.commits.len() >= 6);
        assert!(all.commits.iter().map(|one| one.of.len()).sum::<usize>() >= 30);
        assert!(all.commits.iter().all(|one| !one.library.sources.is_empty()));
    }
}
