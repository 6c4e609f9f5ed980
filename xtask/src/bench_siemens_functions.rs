//! Faulty versions of the Siemens programs as a user compares two files: function by function, proved first.

use crate::{
    bench_siemens::differs,
    siemens::{self, Subject},
    table,
    tool::Tool,
};
use anyhow::{Context, Result};
use hydrogen_frontend::Pool;
use hydrogen_machine::Limits;
use hydrogen_program::Workshop;
use serde_json::Value;
use std::path::Path;

/// What was said of a pair of files.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Said {
    Equal,
    Differs,
    Open,
}

impl Said {
    fn of(answer: &Value) -> Self {
        let verdicts: Vec<&str> = answer["functions"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|one| one["verdict"].as_str())
            .collect();
        match () {
            () if verdicts.contains(&"differs") => Self::Differs,
            () if verdicts.iter().all(|&verdict| verdict == "equal") => Self::Equal,
            () => Self::Open,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Differs => "differs",
            Self::Open => "open",
        }
    }
}

/// Compares every version of a program with the original. A difference counts where native builds show it too; equality is tried on all tests.
pub fn run(folder: &Path, name: &str, only: Option<u32>, seconds: u64) -> Result<()> {
    let subject = siemens::subject(folder, name)?;
    let tests = subject.universe()?;
    let tool = Tool::new("siemens")?;
    let workshop = Workshop::new(Pool::default_program(), || false)?;
    let limits = Limits { steps: 2_000_000, output: 1 << 20, ..Limits::default() };
    let (mut rows, mut times, mut decided, mut wrong) = (Vec::new(), Vec::new(), 0, 0);
    for (number, path) in subject.versions.iter().filter(|one| only.is_none_or(|only| only == one.0)) {
        let [old, new] = [("old", &subject.original), ("new", path)]
            .map(|(word, path)| format!("{word}={}", path.display()));
        let root = subject.original.parent().context("a file lies in a folder")?;
        let said = tool.say(root, &["compare", &old, &new, "--budget", &format!("{seconds}s")])?;
        let verdict = Said::of(&said.json);
        decided += usize::from(verdict != Said::Open);
        let load = |path: &Path| -> Result<_> {
            let flags: Vec<String> = Subject::FLAGS.iter().map(|flag| (*flag).to_owned()).collect();
            let folder = path.parent().context("a file lies in a folder")?;
            Ok(workshop.link(vec![workshop.compile(folder, path, &flags)?]).program)
        };
        let is_wrong = verdict == Said::Equal && {
            let (old, new) = (load(&subject.original)?, load(path)?);
            tests.iter().any(|test| differs(&old, &new, test, name, &limits))
        };
        wrong += usize::from(is_wrong);
        times.push(said.time);
        let which: Vec<String> = said.json["functions"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|one| one["verdict"] != "equal")
            .map(|one| {
                let native = &one["differences"][0]["native"];
                format!(
                    "{} {}{}",
                    one["name"].as_str().unwrap_or(""),
                    one["verdict"].as_str().unwrap_or(""),
                    match native {
                        Value::Null => String::new(),
                        native => format!(" (natively: {native})"),
                    }
                )
            })
            .collect();
        let word = if is_wrong { format!("{} WRONG", verdict.word()) } else { verdict.word().to_owned() };
        rows.push(vec![
            format!("{name} v{number}"),
            word,
            format!("{:.2} s", said.time.as_secs_f64()),
            which.join(", "),
        ]);
        eprintln!("{}", rows.last().map_or(String::new(), |row| row.join("  ")));
    }
    times.sort();
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    table::print("siemens by functions", &["version", "verdict", "time", "functions"], &rows);
    println!(
        "{name}: {decided} of {} decided, {wrong} wrong, median {:.2} s",
        rows.len(),
        median.as_secs_f64()
    );
    Ok(())
}
