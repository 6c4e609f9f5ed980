//! Real faults of public libraries: what `impact` and `verify` say of releases whose truth is known, counted by what it rests on.

use crate::faults::{Fault, Half, Manifest};
use crate::public;
use crate::table;
use crate::tool::{Said, Tool, verdicts};
use anyhow::{Result, ensure};
use std::collections::BTreeMap;
use std::path::Path;

/// What is run.
pub struct Wish {
    pub half: Option<Half>,
    /// Only faults whose name contains this.
    pub name: Option<String>,
    /// Time for each question, as a stop.
    pub budget: String,
}

/// Right, wrong, unknown.
type Count = [usize; 3];

pub fn run(wish: &Wish) -> Result<()> {
    let Some(mirrors) = public::mirrors() else { return Ok(()) };
    let manifest = Manifest::read()?;
    let mut counts: BTreeMap<(&str, &str), Count> = BTreeMap::new();
    let mut rows = Vec::new();
    for fault in &manifest.fault {
        let half = match fault.half() {
            Half::Tune => "tune",
            Half::Report => "report",
        };
        let named = wish.name.as_ref().is_none_or(|name| fault.name.contains(name));
        if !named || wish.half.is_some_and(|half| half != fault.half()) {
            continue;
        }
        match one(fault, &manifest, &mirrors, wish) {
            Ok(cells) => {
                for cell in cells {
                    for (what, grade) in cell.counted {
                        counts.entry((half, what)).or_default()[grade] += 1;
                    }
                    eprintln!("{half} {}", cell.row.join("  "));
                    rows.push([vec![half.to_owned()], cell.row].concat());
                }
            }
            Err(error) => {
                eprintln!("SKIPPED: {}: {error:#}", fault.name);
                counts.entry((half, "skipped")).or_default()[2] += 1;
            }
        }
    }
    let header =
        ["half", "fault", "release", "has it", "by the fault", "by the fix", "by its code", "verify", "s"];
    table::print("faults-cells", &header, &rows);
    let summary: Vec<Vec<String>> = counts
        .iter()
        .map(|((half, what), count)| {
            let numbers = count.iter().map(ToString::to_string);
            [(*half).to_owned(), (*what).to_owned()].into_iter().chain(numbers).collect()
        })
        .collect();
    table::print("faults", &["half", "measured", "right", "wrong", "unknown"], &summary);
    let wrong: usize = counts.values().map(|count| count[1]).sum();
    ensure!(wrong == 0, "{wrong} cells are the wrong way round");
    Ok(())
}

/// What came out for one release.
struct Cell {
    row: Vec<String>,
    /// What was measured, and the grade: 0 right, 1 wrong, 2 unknown.
    counted: Vec<(&'static str, usize)>,
}

/// Asks for all releases at once and for the fix alone.
fn one(fault: &Fault, manifest: &Manifest, mirrors: &Path, wish: &Wish) -> Result<Vec<Cell>> {
    let root = fault.repository(manifest, mirrors)?;
    let Some(root) = root else { anyhow::bail!("there is no mirror") };
    let tool = Tool::new(&format!("faults-{}", fault.name))?;
    let bug = format!("{}:{}@before", fault.file, fault.line(&root)?);
    let how = ["--bug", &bug, "--kind", &fault.kind, "--fix", "before..after", "--budget", &wish.budget];
    let versions = fault.versions();
    let names: Vec<&str> = versions.iter().map(|(name, _)| *name).collect();
    let impact = tool.ask(&root, &[&["impact"], &how[..], &names].concat())?;
    let verify = tool.ask(&root, &[&["verify", "before..after"], &how[..]].concat())?;
    Ok(versions
        .iter()
        .enumerate()
        .map(|(place, (name, has))| cell(fault, (place, name, *has), &impact, &verify))
        .collect())
}

fn cell(fault: &Fault, (place, name, has): (usize, &str, bool), impact: &Said, verify: &Said) -> Cell {
    let around = place < 2;
    let by = |said: &Said, basis: &str| {
        let all = verdicts(&said.json, name);
        let words = all.iter().filter(|one| one.1 == basis).map(|one| one.2.to_owned());
        words.min_by_key(|word| rank(word))
    };
    let grade = |word: &Option<String>| match (word.as_deref(), has) {
        (Some("present"), true) | (Some("fixed" | "absent"), false) => 0,
        (Some("present"), false) | (Some("fixed" | "absent"), true) => 1,
        _ => 2,
    };
    let [by_fault, by_fix, by_code] = ["fault", "patch", "code"].map(|basis| by(impact, basis));
    let mut counted = vec![("the fault", grade(&by_fault))];
    // The version after the fix is right by the fix by definition.
    if place != 1 {
        counted.push(if around {
            ("the fix, before it", grade(&by_fix))
        } else {
            ("the fix, other releases", grade(&by_fix))
        });
    }
    // By its code, both versions of the fix are what its name says.
    if !around {
        counted.push(("the code of the fix, other releases", grade(&by_code)));
        let any = [&by_fault, &by_fix, &by_code].map(grade);
        let worst = if any.contains(&1) { 1 } else { any.into_iter().min().unwrap_or(2) };
        counted.push(("any of these, other releases", worst));
    }
    let mut said = String::new();
    if around {
        let verdict = by(verify, "patch").filter(|word| word != "unknown").or_else(|| by(verify, "fault"));
        counted.push(("verify", grade(&verdict)));
        said = shown(&verdict, grade(&verdict));
    }
    let first = if place == 0 { fault.name.clone() } else { String::new() };
    let truth = if has { "yes" } else { "no" }.to_owned();
    let seconds = if place == 0 {
        format!("{:.1}", impact.time.as_secs_f64() + verify.time.as_secs_f64())
    } else {
        String::new()
    };
    let [a, b, c] = [&by_fault, &by_fix, &by_code].map(|word| shown(word, grade(word)));
    Cell { row: vec![first, name.to_owned(), truth, a, b, c, said, seconds], counted }
}

/// A verdict, loudly where it is wrong.
fn shown(word: &Option<String>, grade: usize) -> String {
    let word = word.as_deref().unwrap_or("-");
    if grade == 1 { format!("WRONG:{word}") } else { word.to_owned() }
}

/// The worst of several verdicts on one release comes first.
fn rank(word: &str) -> usize {
    ["present", "unknown", "not_applicable", "fixed", "absent"]
        .iter()
        .position(|one| *one == word)
        .unwrap_or(9)
}
