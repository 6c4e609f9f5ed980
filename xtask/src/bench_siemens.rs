//! Faulty versions of the Siemens programs beside the correct one, by partitions of their inputs: how many are decided, how fast, and
//! whether an answer is wrong.

use crate::siemens::{self, Subject as Siemens, Test};
use crate::table;
use anyhow::{Context, Result};
use hydrogen_evidence::Input;
use hydrogen_explore::Symbolic;
use hydrogen_expose::{Shape, try_inputs};
use hydrogen_frontend::Pool;
use hydrogen_machine::{Limits, Program, World};
use hydrogen_pair::{Observable, Outcome};
use hydrogen_partition::{Answers, Options, Partitioner, Status, Subject};
use hydrogen_program::Workshop;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Where a program is started, and what of that may change. Nothing of it comes from the tests of the programs.
struct Start {
    name: &'static str,
    args: &'static [&'static str],
    stdin: &'static str,
    inputs: &'static [&'static str],
}

const STARTS: [Start; 2] = [
    Start { name: "tcas", args: &["0"; 12], stdin: "", inputs: &["arg:*"] },
    Start {
        name: "replace",
        args: &["abcd", "ef"],
        stdin: "abcd a\n",
        inputs: &["arg:1:string:4", "arg:2:string:2", "stdin:7"],
    },
];

/// What is asked for.
pub struct Asked {
    /// The checkout.
    pub siemens: Option<PathBuf>,
    /// Only this program.
    pub program: Option<String>,
    /// The most time for one version.
    pub budget: Duration,
    /// Only this version.
    pub version: Option<u32>,
    /// As a user compares two files: function by function.
    pub functions: bool,
}

pub fn run(asked: &Asked) -> Result<()> {
    let folder = siemens::folder(asked.siemens.as_deref())?;
    if asked.functions {
        for start in
            STARTS.iter().filter(|start| asked.program.as_deref().is_none_or(|name| name == start.name))
        {
            crate::bench_siemens_functions::run(&folder, start.name, asked.version, asked.budget.as_secs())?;
        }
        return Ok(());
    }
    let workshop = Workshop::new(Pool::default_program(), || false)?;
    for start in STARTS.iter().filter(|start| asked.program.as_deref().is_none_or(|name| name == start.name))
    {
        bench(&workshop, &siemens::subject(&folder, start.name)?, start, asked)?;
    }
    Ok(())
}

fn load(workshop: &Workshop, path: &Path) -> Result<Program> {
    let folder = path.parent().context("a file lies in a folder")?;
    let flags: Vec<String> = Siemens::FLAGS.iter().map(|flag| (*flag).to_owned()).collect();
    Ok(workshop.link(vec![workshop.compile(folder, path, &flags)?]).program)
}

fn bench(workshop: &Workshop, siemens: &Siemens, start: &Start, asked: &Asked) -> Result<()> {
    let tests = siemens.universe()?;
    let old = load(workshop, &siemens.original)?;
    let words = std::iter::once(start.name).chain(start.args.iter().copied());
    let world = World::new(words).with_stdin(start.stdin.as_bytes());
    let inputs: Vec<String> = start.inputs.iter().map(|one| (*one).to_owned()).collect();
    let symbolic = Symbolic::parse(&inputs, &world.args).map_err(anyhow::Error::msg)?;
    let limits = Limits { steps: 2_000_000, output: 1 << 20, ..Limits::default() };
    let options = Options { time: asked.budget, stop_on_difference: true, ..Options::default() };
    let (mut rows, mut times, mut decided, mut wrong) = (Vec::new(), Vec::new(), 0, 0);
    for (number, path) in siemens.versions.iter().filter(|one| asked.version.is_none_or(|only| only == one.0))
    {
        let new = load(workshop, path)?;
        let subject = Subject::new(vec![&old, &new], &world, &symbolic, &limits);
        let begun = Instant::now();
        let mut given = vec![symbolic.first(&world)];
        let shape = Shape { world: world.clone(), symbolic: symbolic.clone(), open: false, free: false };
        let end = begun + asked.budget.mul_f64(0.25);
        let is_over = || Instant::now() >= end;
        let tried = try_inputs([&old, &new], &shape, &given, &limits, &subject.observables, is_over);
        given.splice(0..0, tried);
        let found = Partitioner::new(&subject, &options, given, Answers::default()).run();
        let time = begun.elapsed();
        let verdict = match () {
            () if found.is_equal() => "equal",
            () if found.differences().next().is_some() => "differs",
            () => "open",
        };
        let contradicted =
            verdict == "equal" && tests.iter().any(|test| differs(&old, &new, test, start.name, &limits));
        decided += usize::from(verdict != "open");
        wrong += usize::from(contradicted || !found.alarms.is_empty());
        times.push(time);
        let shown = found.differences().next().map_or(String::new(), |(_, cell)| words_of(&cell.input));
        let why = match &found.status {
            Status::Open(why) => why.clone(),
            _ => shown,
        };
        rows.push(vec![
            format!("{} v{number}", start.name),
            if contradicted { format!("{verdict} WRONG") } else { verdict.to_owned() },
            format!("{:.2} s", time.as_secs_f64()),
            found.cells.len().to_string(),
            found.asked.to_string(),
            why,
        ]);
        eprintln!("{}", rows.last().map_or(String::new(), |row| row.join("  ")));
    }
    times.sort();
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    table::print(
        "siemens",
        &["version", "verdict", "time", "partitions", "questions", "input or reason"],
        &rows,
    );
    println!(
        "{}: {decided} of {} decided, {wrong} wrong, median {:.2} s",
        start.name,
        rows.len(),
        median.as_secs_f64()
    );
    Ok(())
}

fn words_of(input: &Input) -> String {
    let text = |bytes: &Vec<u8>| hydrogen_evidence::escape(bytes);
    let args: Vec<String> = input.args.values().map(text).collect();
    let stdin = if input.stdin.is_empty() { String::new() } else { format!(" < {}", text(&input.stdin)) };
    format!("{}{stdin}", args.join(" "))
}

/// Whether a test of the universe shows a difference.
pub fn differs(old: &Program, new: &Program, test: &Test, name: &str, limits: &Limits) -> bool {
    let Ok(world) = test.world(name) else { return false };
    let outcome = |program: &Program| {
        let run = program.run(world.clone(), limits.clone());
        Outcome::of(&run.end, &run.world, None)
    };
    !outcome(old).same(&outcome(new), &Observable::usual())
}
