//! Whether `affects` misses what runs show, on mutants of real programs.
//!
//! A mutant is the newest commit with one small edit. The program is built with counters per line and run before and after it: a
//! function of which some line ran another number of times is affected, and must be among those that are named.

use crate::bench_affects::{git, is_likely, median, question};
use crate::old_code::{head, short};
use crate::table;
use crate::tool::Tool;
use anyhow::{Context, Result};
use hydrogen_history::{Objects, Repository};
use hydrogen_model::sources::is_c;
use hydrogen_syntax::{Options, read};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// Mutants of a program, which `build` makes with gcc's `--coverage` and `test` runs.
pub fn run(repository: &Path, count: usize, build: &str, test: &str, source: bool) -> Result<()> {
    let tool = Tool::new("mutants")?;
    let folder = tempfile::tempdir()?;
    let copy = folder.path().join("program");
    git(Path::new("."), &["clone", "-q", &repository.to_string_lossy(), &copy.to_string_lossy()])?;
    let before = counts(&copy, build, test)?.context("the program does not build")?;
    let (mut differing, mut missed, mut unbuilt, mut died, mut near, mut tried) = (0, 0, 0, 0, 0, 0);
    let (mut elsewhere, mut foreseen) = (0, 0);
    let mut likely = Hits::default();
    let mut first_ten = Hits::default();
    let mut shares = Vec::new();
    for mutant in sample(repository, &before, count)? {
        let path = copy.join(&mutant.file);
        let text = std::fs::read_to_string(&path)?;
        std::fs::write(&path, mutant.applied(&text))?;
        let after = counts(&copy, build, test)?;
        if after.as_ref().is_some_and(Counts::is_empty) {
            died += 1;
            std::fs::write(&path, &text)?;
        } else if let Some(after) = &after {
            tried += 1;
            let seen: BTreeSet<(&String, &String)> = before
                .iter()
                .filter(|(key, was)| after.get(*key) != Some(*was))
                .map(|((file, name), _)| (file, name))
                .collect();
            differing += usize::from(!seen.is_empty());
            let commit = ["-c", "user.name=x", "-c", "user.email=x", "commit", "-qam", "mutant"];
            git(&copy, &commit)?;
            let said = tool.say(&copy, &question("HEAD", source))?;
            let functions = said.json["functions"].as_array().map_or(&[][..], Vec::as_slice);
            let named = |it: &Value| {
                (
                    it["file"].as_str().unwrap_or_default().to_owned(),
                    it["name"].as_str().unwrap_or_default().to_owned(),
                )
            };
            let all: Vec<(String, String)> = functions.iter().map(named).collect();
            for (file, name) in &seen {
                if !all.iter().any(|it| it.0 == **file && it.1 == **name) {
                    missed += 1;
                    println!(
                        "MISSED {file} {name}: {}:{} {} -> {}",
                        mutant.file, mutant.line, mutant.from, mutant.to
                    );
                }
            }
            if !seen.is_empty() {
                let others: BTreeSet<(&String, &String)> =
                    seen.iter().copied().filter(|it| it.1 != &mutant.function).collect();
                let count = functions.iter().filter(|it| is_likely(it)).count();
                let hit = |it: &(String, String)| others.contains(&(&it.0, &it.1));
                elsewhere += usize::from(!others.is_empty());
                foreseen += usize::from(all[..count].iter().any(hit));
                likely.add(&all[..count], &mutant.function, &others);
                first_ten.add(&all[..all.len().min(10)], &mutant.function, &others);
                let whole = said.json["program"]["functions"].as_f64().unwrap_or(1.0).max(1.0);
                shares.push((100.0 * all.len() as f64 / whole, 100.0 * seen.len() as f64 / whole));
            }
            near += usize::from(
                all.iter().take(10).any(|it| seen.contains(&(&it.0, &it.1)) && it.1 != mutant.function),
            );
            git(&copy, &["reset", "-q", "--hard", "HEAD~1"])?;
        } else {
            unbuilt += 1;
            std::fs::write(&path, &text)?;
        }
    }
    let numbers =
        [tried, differing, missed, near, died, unbuilt, elsewhere, foreseen].map(|it: usize| it.to_string());
    let medians = [
        median(shares.iter().map(|it: &(f64, f64)| it.0).collect()),
        median(shares.iter().map(|it| it.1).collect()),
    ]
    .to_vec();
    let told = [likely.told(), first_ten.told()].concat();
    let row = [vec![short(repository)], numbers.to_vec(), told, medians].concat();
    table::print(
        "mutants",
        &[
            "program",
            "mutants",
            "seen to differ",
            "functions missed",
            "another one among the first ten",
            "ended by a signal",
            "not built",
            "another function seen to differ",
            "one of these told as likely",
            "likely: seen, of those named",
            "likely: named, of those seen",
            "first ten: seen, of those named",
            "first ten: named, of those seen",
            "median share named",
            "median share seen",
        ],
        &[row],
    );
    Ok(())
}

/// How well functions that are told first agree with those that runs show to differ, the edited function left out.
#[derive(Default)]
struct Hits {
    named: usize,
    seen: usize,
    both: usize,
}

impl Hits {
    fn add(&mut self, named: &[(String, String)], edited: &str, seen: &BTreeSet<(&String, &String)>) {
        let others = named.iter().filter(|it| it.1 != edited);
        self.seen += seen.len();
        for it in others {
            self.named += 1;
            self.both += usize::from(seen.contains(&(&it.0, &it.1)));
        }
    }

    /// Precision and recall.
    fn told(&self) -> Vec<String> {
        let of = |whole: usize| format!("{} of {whole}", self.both);
        vec![of(self.named), of(self.seen)]
    }
}

/// An edit in one line.
struct Mutant {
    file: String,
    line: u32,
    function: String,
    from: String,
    to: String,
}

impl Mutant {
    fn applied(&self, text: &str) -> String {
        let edit = |(at, line): (usize, &str)| match at + 1 == self.line as usize {
            true => line.replacen(&self.from, &self.to, 1),
            false => line.to_owned(),
        };
        text.lines().enumerate().map(edit).collect::<Vec<_>>().join("\n") + "\n"
    }
}

/// What becomes of a statement: the first of these that it has, beginning at another one each time.
const EDITS: [(&str, &str); 12] = [
    (" < ", " <= "),
    (" == ", " != "),
    (" + 1", " + 2"),
    ("++", "--"),
    (" > ", " >= "),
    (" && ", " || "),
    (" = 0;", " = 1;"),
    (" - 1", " - 2"),
    ("return 0;", "return 1;"),
    (" != ", " == "),
    (" + ", " - "),
    (" >= ", " > "),
];

/// Statements of functions that the test runs, spread evenly, each with an edit.
fn sample(repository: &Path, run: &Counts, wanted: usize) -> Result<Vec<Mutant>> {
    let head = head(repository)?;
    let opened = Repository::discover(repository)?;
    let objects = Objects::new(&opened);
    let mut all = Vec::new();
    for file in objects.files(&head.tree)?.iter().filter(|file| is_c(file)) {
        let path = String::from_utf8_lossy(&file.path).into_owned();
        let content = objects.blob(file.oid)?;
        let unit = read(&path, &content, &Options::default());
        let text = String::from_utf8_lossy(&content).into_owned();
        let lines: Vec<&str> = text.lines().collect();
        for function in &unit.module.functions {
            if !run.contains_key(&(path.clone(), function.name.clone())) {
                continue;
            }
            for span in function.pieces.iter().filter(|piece| piece.part == 0).filter_map(|piece| piece.span)
            {
                let line = span.start.line;
                let Some(own) = lines.get(line as usize - 1) else { continue };
                let edits = EDITS.iter().cycle().skip(line as usize % EDITS.len()).take(EDITS.len());
                if let Some((from, to)) = edits.into_iter().find(|(from, _)| own.contains(from)) {
                    let [from, to] = [*from, *to].map(str::to_owned);
                    all.push(Mutant { file: path.clone(), line, function: function.name.clone(), from, to });
                }
            }
        }
    }
    all.dedup_by(|a, b| a.file == b.file && a.line == b.line);
    let step = (all.len() / wanted.max(1)).max(1);
    Ok(all.into_iter().step_by(step).take(wanted).collect())
}

/// By file and function, how often each line ran.
type Counts = BTreeMap<(String, String), Vec<(u64, u64)>>;

/// Builds and runs; `None` where it does not build.
fn counts(folder: &Path, build: &str, test: &str) -> Result<Option<Counts>> {
    let shell = |text: &str| {
        let limited = format!("ulimit -v 8000000; timeout 20 sh -c '{}'", text.replace('\'', "'\\''"));
        Command::new("sh").args(["-c", &limited]).current_dir(folder).output()
    };
    shell("find . -name '*.gcda' -delete")?;
    if !shell(build)?.status.success() {
        return Ok(None);
    }
    // A program that dies by a signal leaves no counters behind.
    if shell(test)?.status.code().is_none_or(|code| code >= 124) {
        return Ok(Some(Counts::new()));
    }
    let told = shell("find . -name '*.gcda' | sort | xargs gcov --json-format --stdout 2>/dev/null")?;
    let mut all = Counts::new();
    for line in String::from_utf8_lossy(&told.stdout).lines().filter(|line| line.starts_with('{')) {
        let value: Value = serde_json::from_str(line)?;
        for file in value["files"].as_array().into_iter().flatten() {
            let name = file["file"].as_str().unwrap_or_default().trim_start_matches("./").to_owned();
            // Functions of system headers are nobody's change.
            if name.starts_with('/') {
                continue;
            }
            for line in file["lines"].as_array().into_iter().flatten() {
                let function = line["function_name"].as_str().unwrap_or_default().to_owned();
                let counted =
                    (line["line_number"].as_u64().unwrap_or(0), line["count"].as_u64().unwrap_or(0));
                all.entry((name.clone(), function)).or_default().push(counted);
            }
        }
    }
    Ok(Some(all))
}
