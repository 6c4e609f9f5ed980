//! What verdicts cost: many releases together against one, a small change against compiling its file, the strategies
//! against each other, and how many questions never reach the solver.

use crate::cases::CASES;
use crate::measure::fastest;
use crate::series::{self, git};
use crate::table;
use crate::tool::{Said, Tool};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Short measurements are repeated; noise only ever adds.
const REPEATED: usize = 3;
/// What takes longer is measured once.
const LONG: Duration = Duration::from_secs(10);

pub fn run() -> Result<()> {
    let mut asked = Asked::default();
    together(&mut asked)?;
    small_change(&mut asked)?;
    cases(&mut asked)?;
    println!(
        "{:.0} % of {} questions were answered without the solver (aim 80)",
        100.0 * (1.0 - asked.solver as f64 / asked.questions.max(1) as f64),
        asked.questions
    );
    Ok(())
}

/// Questions, and those that reached the solver.
#[derive(Default)]
struct Asked {
    questions: u64,
    solver: u64,
}

impl Asked {
    fn add(&mut self, said: &Said) {
        self.questions += counter(&said.json, "questions");
        self.solver += counter(&said.json, "solver_calls");
    }
}

fn counter(answer: &Value, name: &str) -> u64 {
    answer["counters"][name].as_u64().unwrap_or(0)
}

fn ratio(a: Duration, b: Duration) -> String {
    format!("{:.2}", a.as_secs_f64() / b.as_secs_f64().max(1e-9))
}

fn series(name: &str) -> Result<PathBuf> {
    let known = series::known();
    let one = known.iter().find(|series| series.name == name).context("the series is known")?;
    one.repository()
}

/// Statements of the first Lua release that most later ones have too, in functions of different size.
const STATEMENTS: [(&str, &str); 5] = [
    ("ldebug.c", "if (p->lineinfo[oldpc] != 0)"),
    ("lzio.c", "memcpy(b, z->p, m)"),
    ("lstring.c", "memcpy(getstr(ts), str, l * sizeof(char))"),
    ("ldump.c", "buff[DIBS - (++n)] = x & 0x7f"),
    ("lvm.c", "memcpy(buff + tl, svalue(s2v(top - n)), l * sizeof(char))"),
];

/// Twelve releases together against one of them, when all are modelled already.
fn together(asked: &mut Asked) -> Result<()> {
    let root = series("lua")?;
    let tool = Tool::new("verdicts-lua")?;
    let releases: Vec<String> = (1..=12).map(|number| format!("v{number:02}")).collect();
    let mut rows = Vec::new();
    for (file, statement) in STATEMENTS {
        let Some(line) = line_of(&root, "v01", file, statement)? else {
            println!("NOT MEASURED: {file} of the first release has no `{statement}`");
            continue;
        };
        let bug = format!("{file}:{line}@v01");
        let names: Vec<&str> = releases.iter().map(String::as_str).collect();
        let all = [&["impact", "--bug", &bug], &names[..]].concat();
        let one = ["impact", "--bug", &bug, "v01"];
        let (model, _) = (tool.ask(&root, &all)?, tool.ask(&root, &one)?);
        let times = if model.time > LONG { 1 } else { REPEATED };
        let (together, said) = fastest(times, || tool.ask(&root, &all))?;
        let (alone, single) = fastest(times, || tool.ask(&root, &one))?;
        asked.add(&said);
        rows.push(vec![
            format!("{file}:{line}"),
            format!("{:.2}", model.time.as_secs_f64()),
            format!("{:.2}", together.as_secs_f64()),
            format!("{:.2}", alone.as_secs_f64()),
            ratio(together, alone),
            format!("{}/{}", counter(&said.json, "nodes"), counter(&single.json, "nodes")),
            format!("{}/{}", counter(&said.json, "questions"), counter(&single.json, "questions")),
        ]);
    }
    let header = ["12 lua releases", "first run s", "12 s", "1 s", "ratio (aim 2)", "nodes", "questions"];
    table::print("verdicts-together", &header, &rows);
    Ok(())
}

fn line_of(root: &Path, release: &str, file: &str, statement: &str) -> Result<Option<usize>> {
    let name = format!("{release}:{file}");
    let output = Command::new("git").args(["show", &name]).current_dir(root).output()?;
    ensure!(output.status.success(), "git show {name} failed");
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().position(|line| line.trim_start().starts_with(statement)).map(|at| at + 1))
}

/// The change of one function: a guard that a later edit weakens.
const CHANGE: [(&str, &str); 1] = [(
    "    if (bits > 16 || state->bits + (uInt)bits > 32) return Z_STREAM_ERROR;",
    "    if (bits > 24 || state->bits + (uInt)bits > 32) return Z_STREAM_ERROR;",
)];

/// A commit that changes one function of zlib, against compiling the file; and the three strategies.
fn small_change(asked: &mut Asked) -> Result<()> {
    let source = series("zlib")?;
    let folder = tempfile::tempdir()?;
    let root = folder.path().join("zlib");
    let clone = Command::new("git").args(["clone", "-q"]).arg(&source).arg(&root).status()?;
    ensure!(clone.success(), "cannot clone {}", source.display());
    let file = root.join("inflate.c");
    let mut text = std::fs::read_to_string(&file)?;
    for (old, new) in CHANGE {
        ensure!(text.contains(old), "inflate.c has no `{old}`");
        text = text.replace(old, new);
    }
    std::fs::write(&file, text)?;
    git(&root, &["commit", "-q", "-a", "-m", "a change of one function"])?;
    let tool = Tool::new("verdicts-zlib")?;
    let (compile, _) = fastest(REPEATED, || {
        let mut clang = Command::new("clang-19");
        clang.args(["-O0", "-g", "-c", "-w", "-o", "/dev/null", "-DHAVE_UNISTD_H", "inflate.c"]);
        let status = clang.current_dir(&root).stderr(Stdio::null()).status()?;
        ensure!(status.success(), "clang-19 failed");
        Ok(())
    })?;
    let mut rows = Vec::new();
    for strategy in ["demand", "cached"] {
        let arguments = ["check", "HEAD~1..HEAD", "--strategy", strategy];
        // What was there before the commit is known, as it is after the check of the commit before.
        let (_, said) = fastest(REPEATED, || {
            tool.forget()?;
            tool.read(&root, "HEAD~1")?;
            tool.ask(&root, &arguments)
        })?;
        asked.add(&said);
        rows.push(vec![
            strategy.to_owned(),
            format!("{:.2}", said.time.as_secs_f64()),
            format!("{:.2}", compile.as_secs_f64()),
            ratio(said.time, compile),
            counter(&said.json, "nodes").to_string(),
            counter(&said.json, "raised").to_string(),
            counter(&said.json, "questions").to_string(),
            counter(&said.json, "solver_calls").to_string(),
        ]);
    }
    let header = [
        "check of one function",
        "check s",
        "compile s",
        "ratio (aim 5)",
        "nodes",
        "raised",
        "questions",
        "solver calls",
    ];
    table::print("verdicts-change", &header, &rows);
    Ok(())
}

/// The questions of the real faults.
fn cases(asked: &mut Asked) -> Result<()> {
    let mut rows = Vec::new();
    for case in &CASES {
        let root = case.repository()?;
        let tool = Tool::new(&format!("verdicts-{}", case.name))?;
        let (old, new) = case.fix;
        let (fix, bug) = (format!("{old}..{new}"), format!("{}:{}@{old}", case.file, case.line(&root)?));
        let arguments = ["impact", "--bug", &bug, "--kind", case.kind, "--fix", &fix, old, new];
        let said = tool.ask(&root, &arguments)?;
        asked.add(&said);
        let (questions, calls) = (counter(&said.json, "questions"), counter(&said.json, "solver_calls"));
        let spared = 100.0 * (1.0 - calls as f64 / questions.max(1) as f64);
        rows.push(vec![
            case.name.to_owned(),
            questions.to_string(),
            calls.to_string(),
            format!("{spared:.0}"),
        ]);
    }
    table::print("verdicts-questions", &["case", "questions", "solver calls", "spared %"], &rows);
    Ok(())
}
