//! The tables of the papers, row by row: which releases have a documented fault and what a change did, asked as a user would.

use crate::corpora;
use crate::public::{self, Library, ask, line_of};
use crate::table;
use crate::tool::{Tool, verdicts};
use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;

#[derive(Deserialize)]
struct Seeds {
    impact: Vec<Impact>,
    check: Vec<Check>,
}

/// A documented fault, its fix and the releases.
#[derive(Deserialize)]
struct Impact {
    name: String,
    file: String,
    function: String,
    statement: String,
    kind: String,
    fix: [String; 2],
    /// Whether the fix fixes it.
    fixed: bool,
    versions: Vec<Release>,
    library: Library,
}

#[derive(Deserialize)]
struct Release {
    name: String,
    at: String,
    has: bool,
}

/// A change.
#[derive(Deserialize)]
struct Check {
    name: String,
    /// The releases of the paper, where those are not to be had.
    instead: Option<String>,
    versions: [String; 2],
    library: Library,
}

pub fn run(budget: &str, name: Option<&str>) -> Result<()> {
    let Some(mirrors) = public::mirrors() else { return Ok(()) };
    let seeds: Seeds = toml::from_str(include_str!("../seeds.toml"))
        .context("the manifest of the papers' rows cannot be read")?;
    let wanted = |row: &str| name.is_none_or(|name| row.contains(name));
    let (mut rows, mut wrong) = (Vec::new(), 0);
    for row in seeds.impact.iter().filter(|row| wanted(&row.name)) {
        match row.asked(&mirrors, budget) {
            Ok((row, is_wrong)) => {
                wrong += is_wrong;
                eprintln!("{}", row.join("  "));
                rows.push(row);
            }
            Err(error) => eprintln!("SKIPPED: {}: {error:#}", row.name),
        }
    }
    let header =
        ["documented", "kind", "fixed?", "known", "s", "releases", "have it", "found", "wrong", "open", "s"];
    table::print("seeds-impact", &header, &rows);
    let mut rows = Vec::new();
    for row in seeds.check.iter().filter(|row| wanted(&row.name)) {
        for strategy in ["cached", "demand"] {
            match row.asked(&mirrors, budget, strategy) {
                Ok(row) => {
                    eprintln!("{}", row.join("  "));
                    rows.push(row);
                }
                Err(error) => eprintln!("SKIPPED: {}: {error:#}", row.name),
            }
        }
    }
    let header = ["versions", "of", "strategy", "raised", "nodes", "functions", "s", "new", "fixed", "cut"];
    table::print("seeds-check", &header, &rows);
    ensure!(wrong == 0, "{wrong} verdicts are the wrong way round");
    Ok(())
}

impl Impact {
    /// The row, and how many verdicts are wrong.
    fn asked(&self, mirrors: &Path, budget: &str) -> Result<(Vec<String>, usize)> {
        let folder = self.name.replace([' ', ','], "-");
        let root = corpora::target().join("seeds").join(&folder);
        let versions: Vec<(&str, &str)> =
            self.versions.iter().map(|one| (one.name.as_str(), one.at.as_str())).collect();
        let root = self
            .library
            .versions(root, mirrors, &self.library.sources, &versions)?
            .context("there is no mirror")?;
        let [before, after] = &self.fix;
        let text = ask(&root, &["show", &format!("{before}:{}", self.file)])?;
        let line = line_of(&text, &self.function, &self.statement)
            .with_context(|| format!("{} has no `{}`", self.file, self.statement))?;
        let tool = Tool::new(&format!("seeds-{folder}"))?;
        let (bug, fix) = (format!("{}:{line}@{before}", self.file), format!("{before}..{after}"));
        let how = ["--bug", &bug, "--kind", &self.kind, "--budget", budget];
        let verify = tool.ask(&root, &[&["verify", fix.as_str()], &how[..]].concat())?;
        let names: Vec<&str> = versions.iter().map(|(name, _)| *name).collect();
        let mut how = how.to_vec();
        // A fix that does not fix is no measure.
        if self.fixed {
            how.extend(["--fix", &fix]);
        }
        let impact = tool.ask(&root, &[&["impact"], &how[..], &names].concat())?;
        let (mut found, mut wrong, mut open) = (0, 0, 0);
        for release in &self.versions {
            match (settled(&impact.json, &release.name), release.has) {
                (Some(true), true) => found += 1,
                (Some(false), false) => {}
                (None, _) => open += 1,
                _ => wrong += 1,
            }
        }
        let fixes = match (settled(&verify.json, before), settled(&verify.json, after)) {
            (Some(true), Some(false)) => Some(true),
            (_, Some(true)) => Some(false),
            _ => None,
        };
        wrong += usize::from(fixes.is_some_and(|fixes| fixes != self.fixed));
        let word = |fixes: Option<bool>| fixes.map_or("unknown", |fixes| if fixes { "yes" } else { "no" });
        let have = self.versions.iter().filter(|one| one.has).count();
        let numbers = [self.versions.len(), have, found, wrong, open].map(|number| number.to_string());
        let seconds = |time: std::time::Duration| format!("{:.1}", time.as_secs_f64());
        let row = [self.name.as_str(), &self.kind, word(fixes), word(Some(self.fixed))].map(str::to_owned);
        let row = row.into_iter().chain([seconds(verify.time)]).chain(numbers);
        Ok((row.chain([seconds(impact.time)]).collect(), wrong))
    }
}

/// Whether a version has the fault, by the fault itself where that decides, else by the fix.
fn settled(answer: &Value, version: &str) -> Option<bool> {
    let all = verdicts(answer, version);
    let by = |basis: &str| {
        let mine: Vec<&str> = all.iter().filter(|one| one.1 == basis).map(|one| one.2).collect();
        match () {
            () if mine.contains(&"present") => Some(true),
            () if mine.is_empty() || mine.contains(&"unknown") => None,
            // A version without the statement has not the fault.
            () => Some(false),
        }
    };
    by("fault").or_else(|| by("patch"))
}

impl Check {
    fn asked(&self, mirrors: &Path, budget: &str, strategy: &str) -> Result<Vec<String>> {
        let folder = self.name.replace(' ', "-");
        let root = corpora::target().join("seeds").join(&folder);
        let [before, after] = &self.versions;
        let versions = [("before", before.as_str()), ("after", after.as_str())];
        let root = self
            .library
            .versions(root, mirrors, &self.library.sources, &versions)?
            .context("there is no mirror")?;
        let tool = Tool::new(&format!("seeds-{folder}"))?;
        let said =
            tool.ask(&root, &["check", "before..after", "--strategy", strategy, "--budget", budget])?;
        let findings = said.json["findings"].as_array().map_or(&[][..], Vec::as_slice);
        let count = |status: &str| findings.iter().filter(|one| one["status"] == status).count().to_string();
        for finding in findings.iter().filter(|one| matches!(one["status"].as_str(), Some("new" | "fixed"))) {
            let place = &finding["location"];
            eprintln!(
                "    {} {} {}:{} {}",
                finding["status"], finding["kind"], place["file"], place["line"], place["text"]
            );
        }
        let counted = |key: &str| said.json["counters"][key].to_string();
        let cut = if said.json["partial"] == true { "cut" } else { "" }.to_owned();
        let of = self.instead.clone().unwrap_or_default();
        Ok(vec![
            self.name.clone(),
            of,
            strategy.to_owned(),
            counted("raised"),
            counted("nodes"),
            counted("functions"),
            format!("{:.1}", said.time.as_secs_f64()),
            count("new"),
            count("fixed"),
            cut,
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manifest_has_the_rows_of_both_tables() {
        let seeds: Seeds = toml::from_str(include_str!("../seeds.toml")).unwrap();
        assert_eq!((seeds.impact.len(), seeds.check.len()), (4, 7));
        let named = |row: &Impact, name: &String| row.versions.iter().any(|one| one.name == *name);
        assert!(seeds.impact.iter().all(|row| row.fix.iter().all(|name| named(row, name))));
    }
}
