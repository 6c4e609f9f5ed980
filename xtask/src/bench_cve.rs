//! Real faults with a known history, asked about as a user would.

use crate::cases::{CASES, Case};
use crate::table;
use crate::tool::{Tool, verdicts};
use anyhow::{Result, ensure};
use serde_json::Value;

pub fn run() -> Result<()> {
    let mut rows = Vec::new();
    let (mut decided, mut wrong) = (0, 0);
    for case in &CASES {
        let outcome = one(case)?;
        decided += usize::from(outcome.grade == Grade::Right);
        wrong += usize::from(outcome.grade == Grade::Wrong);
        rows.extend(outcome.rows);
    }
    let header = ["case", "release", "verdict", "basis", "expected", "grade", "impact s", "verify s"];
    table::print("cve", &header, &rows);
    println!("{decided} of {} decided, {wrong} the wrong way round", CASES.len());
    ensure!(wrong == 0, "a verdict is the wrong way round");
    Ok(())
}

/// How a verdict stands to what is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    Right,
    Undecided,
    Wrong,
}

impl Grade {
    fn of(verdict: &str, has: bool) -> Self {
        match (verdict, has) {
            ("present", true) | ("fixed" | "absent", false) => Grade::Right,
            ("present", false) | ("fixed" | "absent", true) => Grade::Wrong,
            _ => Grade::Undecided,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Grade::Right => "right",
            Grade::Undecided => "undecided",
            Grade::Wrong => "WRONG",
        }
    }
}

/// What came out of a case.
pub struct Outcome {
    pub rows: Vec<Vec<String>>,
    pub grade: Grade,
}

/// Asks for the matrix of all releases and for the fix alone, and compares both with what is known.
fn one(case: &Case) -> Result<Outcome> {
    let root = case.repository()?;
    let tool = Tool::new(case.name)?;
    let (old, new) = case.fix;
    let fix = format!("{old}..{new}");
    let bug = format!("{}:{}@{old}", case.file, case.line(&root)?);
    let how = ["--bug", &bug, "--kind", case.kind, "--fix", &fix];
    let releases: Vec<&str> = case.releases.iter().map(|(name, _)| *name).collect();
    let impact = tool.ask(&root, &[&["impact"], &how[..], &releases].concat())?;
    let verify = tool.ask(&root, &[&["verify", &fix], &how[..]].concat())?;
    let mut outcome = Outcome { rows: Vec::new(), grade: Grade::Right };
    for (place, (release, has)) in case.releases.iter().enumerate() {
        let (verdict, basis) = settled(&impact.json, release);
        let mut grade = Grade::of(verdict, *has);
        if *release == old || *release == new {
            grade = grade.max(Grade::of(settled(&verify.json, release).0, *has));
        }
        outcome.grade = outcome.grade.max(grade);
        let seconds = |time: std::time::Duration| match place {
            0 => format!("{:.2}", time.as_secs_f64()),
            _ => String::new(),
        };
        outcome.rows.push(vec![
            if place == 0 { case.name.to_owned() } else { String::new() },
            (*release).to_owned(),
            verdict.to_owned(),
            basis,
            if *has { "present" } else { "fixed" }.to_owned(),
            grade.word().to_owned(),
            seconds(impact.time),
            seconds(verify.time),
        ]);
    }
    Ok(outcome)
}

/// What is said of a release, over all pieces of the statement, and by which measure; other measures follow in brackets.
fn settled<'a>(answer: &'a Value, release: &str) -> (&'a str, String) {
    let all = verdicts(answer, release);
    let rank = |verdict: &str| match verdict {
        "present" => 0,
        "unknown" => 1,
        "not_applicable" => 2,
        _ => 3,
    };
    // The safety condition counts where it decides, else the fix.
    let decided = |verdict: &str| !matches!(verdict, "unknown" | "not_applicable");
    let by = |basis: &str| {
        all.iter().filter(|one| one.1 == basis).map(|one| one.2).min_by_key(|verdict| rank(verdict))
    };
    let (fault, patch) = (by("fault"), by("patch"));
    match (fault, patch) {
        (Some(fault), patch) if decided(fault) || patch.is_none() => (fault, with("fault", "patch", patch)),
        (fault, Some(patch)) => (patch, with("patch", "fault", fault)),
        _ => ("nothing", String::new()),
    }
}

fn with(basis: &str, other: &str, verdict: Option<&str>) -> String {
    verdict.map_or_else(|| basis.to_owned(), |verdict| format!("{basis} ({other}: {verdict})"))
}
