//! Recording and slicing against plain interpretation, and exploring by slices against exploring by paths.

use crate::programs::{self, Subject};
use crate::{bench_machine, measure, table};
use anyhow::{Context, Result, ensure};
use hydrogen_evidence::Input;
use hydrogen_explore::{ByPath, ByRsc, Exploration, Options, Search, explore};
use hydrogen_machine::{End, Limits, Program, World};
use hydrogen_program::Workshop;
use hydrogen_trace::{Criterion, Dependences, OutputName, Recorder, Static};
use std::fmt::Write;
use std::time::{Duration, Instant};

pub fn run() -> Result<()> {
    let workshop = programs::workshop()?;
    let subjects = programs::subjects()?;
    let subject = |name: &str| subjects.iter().find(|one| one.name == name).context("a known subject");
    // First of all: what it takes is the most this process has had.
    slice(&workshop, subject("zlib")?)?;
    record(&workshop, subject("zlib")?)?;
    families(&workshop)
}

/// Slices a run of ten million instructions.
fn slice(workshop: &Workshop, subject: &Subject) -> Result<()> {
    const STEPS: u64 = 10_000_000;
    let program = programs::load(workshop, subject)?;
    let before = peak();
    let world = World::new(["program"]).with_stdin(bench_machine::words(1 << 20));
    let limits = Limits { steps: STEPS, ..Limits::default() };
    let start = Instant::now();
    let run = program.run_with(world, limits, Recorder::default());
    ensure!(matches!(run.end, End::Limit(..)), "{:?}", run.end);
    let trace = run.monitor.finish()?;
    let recorded = start.elapsed();
    let start = Instant::now();
    let statics = Static::new(&program, &["main"]);
    let prepared = start.elapsed();
    let start = Instant::now();
    let dependences = Dependences::new(&statics, &trace, &Default::default())?;
    let found = start.elapsed();
    let seeds = dependences.find(&Criterion::End)?;
    let mut rows = Vec::new();
    for kind in ["dynamic", "relevant"] {
        let start = Instant::now();
        let slice = match kind {
            "dynamic" => dependences.dynamic_slice(&seeds)?,
            _ => dependences.relevant_slice(&seeds)?,
        };
        let (kept, spilled) = dependences.size();
        rows.push(vec![
            format!("zlib, {} instructions, {kind}", dependences.steps),
            seconds(recorded),
            seconds(prepared),
            seconds(found),
            seconds(start.elapsed()),
            slice.count.to_string(),
            megabytes(kept as u64 + spilled),
            megabytes(before),
            megabytes(peak()),
            "1024 MiB".into(),
        ]);
    }
    let header = [
        "run",
        "record",
        "prepare",
        "dependences",
        "slice",
        "in it",
        "dependences take",
        "peak before",
        "peak",
        "limit",
    ];
    table::print("trace-slice", &header, &rows);
    Ok(())
}

/// Records a long run.
fn record(workshop: &Workshop, subject: &Subject) -> Result<()> {
    let program = programs::load(workshop, subject)?;
    let text = bench_machine::words(1 << 20);
    let world = || World::new(["program"]).with_stdin(text.clone());
    let (plain, run) = measure::fastest(3, || Ok(program.run(world(), Limits::default())))?;
    let (recorded, watched) =
        measure::fastest(3, || Ok(program.run_with(world(), Limits::default(), Recorder::default())))?;
    ensure!(run.world.stdout == watched.world.stdout, "recording changes the output");
    let trace = watched.monitor.finish()?;
    let (kept, spilled) = trace.size();
    let row = vec![
        "zlib compressing 1 MiB".into(),
        trace.steps.to_string(),
        seconds(plain),
        seconds(recorded),
        format!("{:.2}", recorded.as_secs_f64() / plain.as_secs_f64()),
        "4".into(),
        megabytes(kept as u64),
        megabytes(spilled),
        format!("{:.2}", (kept as u64 + spilled) as f64 / trace.steps as f64),
    ];
    let header = [
        "record",
        "instructions",
        "plain",
        "recorded",
        "ratio",
        "limit",
        "in memory",
        "in a file",
        "bytes each",
    ];
    table::print("trace-record", &header, &[row]);
    Ok(())
}

/// E-25 with more and more branches that the output does not depend on.
fn families(workshop: &Workshop) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let mut rows = Vec::new();
    for count in 0..=10 {
        let path = folder.path().join(format!("family{count}.c"));
        std::fs::write(&path, family(count))?;
        let program = programs::load(workshop, &Subject::single("family", path, &[]))?;
        let (by_rsc, rsc_time) = explored(&program, true);
        // Doubling has been seen by then.
        let (by_path, path_time) =
            if count <= 8 { explored(&program, false) } else { (None, Duration::ZERO) };
        let by_rsc = by_rsc.context("explored")?;
        ensure!(by_rsc.is_complete(), "{:?}", by_rsc.missing);
        let paths = by_path.as_ref().map_or("–".to_owned(), |found| found.tests.len().to_string());
        let took = by_path.as_ref().map_or("–".to_owned(), |_| seconds(path_time));
        rows.push(vec![
            count.to_string(),
            by_rsc.tests.len().to_string(),
            by_rsc.tests.first().map_or(0, |test| test.steps).to_string(),
            seconds(rsc_time),
            paths,
            took,
        ]);
    }
    let header =
        ["irrelevant branches", "conditions", "instructions of a run", "time", "paths", "time by path"];
    table::print("trace-families", &header, &rows);
    Ok(())
}

fn family(count: u32) -> String {
    let mut text = "void hydrogen_symbolic(void *, unsigned long, const char *); void hydrogen_output(const char *, long long);\n\
        static int in(const char *n) { int v; hydrogen_symbolic(&v, 4, n); return v & 255; }\nint seen;\n\
        int main(void) { int x = in(\"x\"), y = in(\"y\"), b = 2, a;\n"
        .to_owned();
    for number in 0..count {
        let _ = writeln!(
            text,
            "int z{number} = in(\"z{number}\"); if (z{number} > {number}) seen += 1; else seen -= 1;"
        );
    }
    text.push_str(
        "if (x - y > 0) a = x; else a = y; if (x + y > 10) b = a; hydrogen_output(\"out\", b); return 0; }\n",
    );
    text
}

fn explored(program: &Program, by_rsc: bool) -> (Option<Exploration>, Duration) {
    let start = Instant::now();
    let options = Options { search: Search::Depth, ..Options::default() };
    let (world, first) = (World::default(), Input::default());
    let found = if by_rsc {
        let statics = Static::new(program, &["main"]);
        let criteria = [Criterion::Output(OutputName::Named("out".into()))];
        explore(
            program,
            &world,
            first,
            &options,
            &ByRsc { statics: &statics, criteria: &criteria, check: false },
        )
    } else {
        explore(program, &world, first, &options, &ByPath)
    };
    (Some(found), start.elapsed())
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

fn megabytes(bytes: u64) -> String {
    format!("{} MiB", bytes >> 20)
}

/// The most memory that this process had.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0) * 1024
}
