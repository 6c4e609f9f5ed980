//! Exposing the faulty versions of a Siemens program from one test: how many, how fast, and how many runs it takes to reach the change.

use crate::siemens;
use crate::tool::Tool;
use anyhow::{Context, Result};
use std::path::Path;

/// Which test of the universe to start from.
const TEST: usize = 700;

pub fn run(program: &str, folder: Option<&Path>, budget: &str) -> Result<()> {
    let folder = siemens::folder(folder)?;
    let subject = siemens::subject(&folder, program)?;
    let universe = subject.universe()?;
    let test = universe.get(TEST % universe.len().max(1)).context("the universe has no test")?;
    let tool = Tool::new("expose")?;
    let flags = siemens::Subject::FLAGS.join(" ");
    let old = format!("old={}", subject.original.display());
    let stdin = test.stdin.as_ref().map(|path| path.display().to_string());
    let mut rows = Vec::new();
    let (mut times, mut exposed, mut same, mut reached) = (Vec::new(), 0, 0, 0);
    for (number, path) in &subject.versions {
        let new = format!("new={}", path.display());
        let mut words = vec!["expose", &old, &new, "--cflags", &flags, "--budget", budget];
        if let Some(stdin) = &stdin {
            words.extend(["--stdin", stdin]);
        }
        words.push("--");
        words.extend(test.args.iter().map(String::as_str));
        let said = tool.say(&folder, &words)?;
        let verdict = said.json["verdict"].as_str().unwrap_or_default().to_owned();
        exposed += usize::from(verdict == "differs");
        same += usize::from(verdict == "never");
        let statistics = &said.json["statistics"];
        let asked: u64 = statistics["asked"]
            .as_object()
            .map_or(0, |all| all.values().filter_map(serde_json::Value::as_u64).sum());
        reached += statistics["reached"].as_u64().unwrap_or(0);
        times.push(said.time.as_secs_f64());
        rows.push(vec![
            format!("v{number}"),
            verdict,
            format!("{:.2}", said.time.as_secs_f64()),
            statistics["runs"].to_string(),
            statistics["reached"].to_string(),
            asked.to_string(),
        ]);
    }
    times.sort_by(f64::total_cmp);
    let median = times.get(times.len() / 2).copied().unwrap_or(0.0);
    let all = subject.versions.len();
    crate::table::print(
        "expose",
        &["version", "verdict", "seconds", "runs", "reached by", "questions"],
        &rows,
    );
    println!(
        "{program}: {exposed} of {all} exposed, {same} shown to be the same; median {median:.2} s; {reached} runs to reach all changes (the thesis: 80 for 41 of tcas)"
    );
    Ok(())
}
