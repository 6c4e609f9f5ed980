//! Which functions build-free mode calls changed against those that compiled mode does, on real commits.
//!
//! A function counts if both modes know it and it stands in a file that the commit touches. *Missed* is what compiled mode
//! calls changed and build-free mode does not: the mistake that matters, since nobody looks at such a function.

use crate::old_code::short;
use crate::table;
use crate::tool::Tool;
use anyhow::{Result, ensure};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compares both modes on the newest commits to C files of each repository that build.
pub fn run(repositories: &[PathBuf], commits: usize) -> Result<()> {
    let tool = Tool::new("changed")?;
    let (mut rows, mut whole) = (Vec::new(), Count::default());
    for repository in repositories {
        let mut count = Count::default();
        let list = git(repository, &["log", "--no-merges", "--format=%H %P", "--", "*.c", "*.h"])?;
        for line in list.lines() {
            let Some((commit, parent)) = line.split_once(' ') else { continue };
            if count.commits == commits {
                break;
            }
            let Some((compiled, source)) = ask(&tool, repository, parent, commit) else {
                count.unbuilt += 1;
                continue;
            };
            let touched = git(repository, &["diff", "--name-only", parent, commit])?;
            let touched: BTreeSet<&str> = touched.lines().collect();
            for one in count.add(&compiled, &source, &touched) {
                println!("{} {}: {one}", short(repository), &commit[..10]);
            }
        }
        rows.push(count.row(&short(repository)));
        whole.join(&count);
    }
    rows.push(whole.row("all"));
    let header =
        ["repository", "commits", "not built", "functions", "agree", "share", "missed", "only build-free"];
    table::print("changed", &header, &rows);
    Ok(())
}

/// What both modes say, if both versions build.
fn ask(tool: &Tool, repository: &Path, old: &str, new: &str) -> Option<(Value, Value)> {
    let compiled = tool.say(repository, &["functions", old, new, "--all"]).ok()?.json;
    let source = tool.say(repository, &["functions", old, new, "--all", "--syntax"]).ok()?.json;
    compiled["functions"].as_array().is_some_and(|all| !all.is_empty()).then_some((compiled, source))
}

/// How often both modes say the same.
#[derive(Debug, Default, PartialEq, Eq)]
struct Count {
    commits: usize,
    unbuilt: usize,
    agree: usize,
    missed: usize,
    only_source: usize,
}

/// A function and what is said about it.
type Said<'a> = BTreeMap<(&'a str, &'a str), (bool, &'a str)>;

impl Count {
    /// Adds a commit; gives what the modes do not agree on, in words.
    fn add(&mut self, compiled: &Value, source: &Value, touched: &BTreeSet<&str>) -> Vec<String> {
        self.commits += 1;
        let (compiled, source) = (said(compiled), said(source));
        let mut told = Vec::new();
        for ((file, name), (changed, why)) in compiled.iter().filter(|((file, _), _)| touched.contains(file))
        {
            let other = source.get(&(*file, *name));
            match (changed, other) {
                (true, Some((true, _))) | (false, Some((false, _)) | None) => self.agree += 1,
                (true, Some((false, _))) => {
                    self.missed += 1;
                    told.push(format!("MISSED {file} {name} ({why})"));
                }
                (true, None) => {
                    self.missed += 1;
                    told.push(format!("MISSED {file} {name}: not found ({why})"));
                }
                (false, Some((true, why))) => {
                    self.only_source += 1;
                    told.push(format!("build-free only: {file} {name} ({why})"));
                }
            }
        }
        told
    }

    fn join(&mut self, other: &Count) {
        self.commits += other.commits;
        self.unbuilt += other.unbuilt;
        self.agree += other.agree;
        self.missed += other.missed;
        self.only_source += other.only_source;
    }

    fn row(&self, name: &str) -> Vec<String> {
        let all = self.agree + self.missed + self.only_source;
        let share = 100.0 * self.agree as f64 / all.max(1) as f64;
        let numbers = [self.commits, self.unbuilt, all, self.agree].map(|it| it.to_string());
        let rest = [format!("{share:.2} %"), self.missed.to_string(), self.only_source.to_string()];
        [vec![name.to_owned()], numbers.to_vec(), rest.to_vec()].concat()
    }
}

/// Per function, whether it changed and why.
fn said(answer: &Value) -> Said<'_> {
    let mut found = Said::new();
    for one in answer["functions"].as_array().map_or(&[][..], Vec::as_slice) {
        let word = |key: &str| one[key].as_str().unwrap_or_default();
        let (status, key) = (word("status"), (word("file"), word("name")));
        let why = one["reason"].as_str().unwrap_or(status);
        found.insert(key, (status != "unchanged", why));
    }
    found
}

fn git(folder: &Path, arguments: &[&str]) -> Result<String> {
    let output = Command::new("git").current_dir(folder).args(arguments).output()?;
    ensure!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_only_compiled_mode_sees_is_missed() {
        let said = |statuses: [&str; 4]| {
            let one = |(name, status)| json!({ "name": name, "file": "a.c", "status": status });
            let all = ["f", "g", "h", "k"].into_iter().zip(statuses).map(one).collect::<Vec<_>>();
            json!({ "functions": all })
        };
        let compiled = said(["updated", "updated", "unchanged", "unchanged"]);
        let source = said(["updated", "unchanged", "added", "unchanged"]);
        let mut count = Count::default();
        let told = count.add(&compiled, &source, &BTreeSet::from(["a.c"]));
        assert_eq!(count, Count { commits: 1, agree: 2, missed: 1, only_source: 1, ..Count::default() });
        assert_eq!(told, ["MISSED a.c g (updated)", "build-free only: a.c h (added)"]);
        assert!(count.add(&compiled, &source, &BTreeSet::from(["b.c"])).is_empty());
    }
}
