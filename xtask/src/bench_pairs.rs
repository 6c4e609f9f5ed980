//! What `check`, `impact` and `verify` say of small pairs of versions whose truth is known, and how often that is wrong.

use crate::pairs::{Pair, Truth, VERSIONS, all};
use crate::table;
use crate::tool::{Said, Tool, verdicts};
use anyhow::{Result, ensure};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// What is run.
pub struct Wish {
    /// Only pairs whose class and name contain this.
    pub name: Option<String>,
    /// Time for each question, as a stop.
    pub budget: String,
}

/// Right, wrong, unknown, and what a person has to read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Grade {
    Right,
    Wrong,
    Unknown,
    Read,
}

/// The answers so far.
#[derive(Default)]
struct Counts {
    by_command: BTreeMap<&'static str, [usize; 4]>,
    wrong: Vec<Vec<String>>,
}

pub fn run(wish: &Wish) -> Result<()> {
    let tool = Tool::new("pairs")?;
    let mut counts = Counts::default();
    for pair in all()? {
        let name = format!("{}/{}", pair.class, pair.name);
        if wish.name.as_ref().is_some_and(|wanted| !name.contains(wanted.as_str())) {
            continue;
        }
        let root = pair.repository()?;
        for (old, new) in [(0, 1), (1, 0)] {
            checked(&pair, &name, (old, new), &tool, &root, wish, &mut counts);
        }
        for truth in &pair.truths {
            asked(&pair, &name, truth, &tool, &root, wish, &mut counts);
        }
    }
    let numbers = |count: &[usize; 4]| count.map(|one| one.to_string()).to_vec();
    let rows: Vec<Vec<String>> = counts
        .by_command
        .iter()
        .map(|(command, count)| [vec![(*command).to_owned()], numbers(count)].concat())
        .collect();
    table::print("pairs-wrong", &["command", "pair", "said", "true"], &counts.wrong);
    table::print("pairs", &["command", "right", "wrong", "unknown", "to be read"], &rows);
    ensure!(counts.wrong.is_empty(), "{} answers are wrong", counts.wrong.len());
    Ok(())
}

impl Counts {
    fn note(&mut self, command: &'static str, pair: &str, grade: Grade, said: &str, truth: &str) {
        self.by_command.entry(command).or_default()[grade as usize] += 1;
        if grade == Grade::Wrong {
            eprintln!("WRONG {command} {pair}: {said} ({truth})");
            self.wrong.push([command, pair, said, truth].map(str::to_owned).to_vec());
        }
    }
}

/// What a check of a change says: nothing that is not so, and not that all is well where a fault came in.
fn checked(
    pair: &Pair,
    name: &str,
    (old, new): (usize, usize),
    tool: &Tool,
    root: &Path,
    wish: &Wish,
    counts: &mut Counts,
) {
    let range = format!("{}..{}", VERSIONS[old], VERSIONS[new]);
    let Ok(said) = tool.ask(root, &["check", &range, "--budget", &wish.budget]) else { return };
    let kinds = |from: Option<bool>, to: Option<bool>| -> Vec<&str> {
        let alike = |truth: &&Truth| truth.has[old] == from && truth.has[new] == to;
        pair.truths.iter().filter(alike).map(|truth| truth.kind.as_str()).collect()
    };
    // What stands elsewhere in another form is there before and after.
    let moved: Vec<&str> = {
        let gone = kinds(Some(true), None);
        kinds(None, Some(true)).into_iter().filter(|kind| gone.contains(kind)).collect()
    };
    let brings = |truth: &Truth| truth.has[old] != Some(true) && truth.has[new] == Some(true);
    let takes = |truth: &Truth| truth.has[old] == Some(true) && truth.has[new] != Some(true);
    let mut met = false;
    for finding in said.json["findings"].as_array().map_or(&[][..], Vec::as_slice) {
        let is_new = finding["status"] == "new";
        if !is_new && finding["status"] != "fixed" {
            continue;
        }
        let wanted = |truth: &Truth| if is_new { brings(truth) } else { takes(truth) };
        let kind = finding["kind"].as_str().unwrap_or_default();
        let of_kind: Vec<&Truth> = pair.truths.iter().filter(|truth| truth.kind == kind).collect();
        let here = of_kind.iter().find(|truth| is_at(pair, truth, &finding["location"]));
        let grade = if moved.contains(&kind) {
            Grade::Read
        } else if of_kind.iter().any(|truth| wanted(truth)) {
            met |= is_new;
            Grade::Right
        } else if here.is_some() {
            Grade::Wrong
        } else {
            Grade::Read
        };
        let told = format!("{range}: {} {kind} at {}", finding["status"], finding["location"]["text"]);
        counts.note("check", name, grade, &told, "there before and after, or never");
    }
    let brought = pair.truths.iter().any(|truth| brings(truth) && !moved.contains(&truth.kind.as_str()));
    let is_clean = said.code == 0;
    let grade = match (brought, met) {
        (true, true) => Grade::Right,
        (true, false) if is_clean => Grade::Wrong,
        (false, _) if is_clean => Grade::Right,
        _ => Grade::Unknown,
    };
    counts.note("check, as a whole", name, grade, &format!("{range}: all is well"), "a fault came in");
}

fn is_at(pair: &Pair, truth: &Truth, location: &Value) -> bool {
    let at = VERSIONS.iter().position(|version| location["version"] == *version);
    let place = at.and_then(|at| pair.place(truth, at));
    place.is_some_and(|(file, line)| location["file"] == file && location["line"] == line)
}

/// What is said of a statement in both versions, by the fault itself and with a version as the fix of the other one.
fn asked(pair: &Pair, name: &str, truth: &Truth, tool: &Tool, root: &Path, wish: &Wish, counts: &mut Counts) {
    let at = if truth.has[0] == Some(true) || pair.place(truth, 1).is_none() { 0 } else { 1 };
    let Some((file, line)) = pair.place(truth, at) else { return };
    let bug = format!("{file}:{line}@{}", VERSIONS[at]);
    let how = ["--bug", &bug, "--kind", &truth.kind, "--budget", &wish.budget];
    let told = tool.ask(root, &[&["impact"], &how[..], &VERSIONS].concat());
    note(counts, "impact", name, truth, told.as_ref().ok());
    if truth.has[at] == Some(true) && truth.has[1 - at].is_some() {
        let range = format!("{}..{}", VERSIONS[at], VERSIONS[1 - at]);
        let told = tool.ask(root, &[&["verify", &range], &how[..]].concat());
        note(counts, "verify", name, truth, told.as_ref().ok());
        let told = tool.ask(root, &[&["impact"], &how[..], &["--fix", &range], &VERSIONS].concat());
        note(counts, "impact --fix", name, truth, told.as_ref().ok());
    }
}

fn note(counts: &mut Counts, command: &'static str, name: &str, truth: &Truth, said: Option<&Said>) {
    let Some(said) = said else {
        let grade = if truth.has.contains(&Some(true)) { Grade::Unknown } else { Grade::Right };
        return counts.note(command, name, grade, "refused", "");
    };
    for (at, version) in VERSIONS.iter().enumerate() {
        let Some(has) = truth.has[at] else { continue };
        let all = verdicts(&said.json, version);
        let by_fix =
            all.iter().any(|one| one.1 != "fault" && one.2 != "unknown" && one.2 != "not_applicable");
        let mut words: Vec<&str> = all.iter().map(|one| one.2).collect();
        if by_fix {
            words.retain(|word| *word != "unknown");
        }
        let is = |wanted: &str| words.contains(&wanted);
        let without = is("absent") || is("fixed");
        let grade = match has {
            true if is("present") => Grade::Right,
            false if is("present") => Grade::Wrong,
            _ if is("unknown") || !without => Grade::Unknown,
            true => Grade::Wrong,
            false => Grade::Right,
        };
        let told = format!("{version}: {} {}", truth.kind, words.join("/"));
        counts.note(command, name, grade, &told, if has { "it has it" } else { "it has it not" });
    }
}
