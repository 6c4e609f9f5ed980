//! Following the input against just running, and exploring, in one run.

use crate::programs::{self, Subject};
use crate::table;
use anyhow::{Result, ensure};
use hydrogen_explore::{ByPath, Observer, Options, Search, Setting, Symbolic, explore};
use hydrogen_machine::{End, Limits, Program, World};
use hydrogen_term::Pool;
use std::time::{Duration, Instant};

const INPUT: &str = "pear 5\napple 17\nfig 3\npear 6\nbad\n";
const MEASURED: Duration = Duration::from_secs(2);
/// How many tests are looked for with each number of threads, and for how long at most.
const TESTS: usize = 6000;
const LONGEST: Duration = Duration::from_secs(30);

pub fn run() -> Result<()> {
    let workshop = programs::workshop()?;
    let program = programs::load(&workshop, &Subject::single("short", programs::driver("short.c"), &[]))?;
    let world = World::new(["short", "pear"]).with_stdin(INPUT);
    let concrete = per_second(|| {
        let run = program.run(world.clone(), Limits::default());
        ensure!(run.end == End::Exit(1), "{:?}", run.end);
        Ok(())
    })?;
    let mut rows =
        vec![vec!["concrete".to_owned(), format!("{concrete:.0}"), "1.0".to_owned(), "0".to_owned()]];
    for bytes in [1, 8, INPUT.len()] {
        let symbolic = Symbolic { stdin: bytes, ..Symbolic::default() };
        let mut conditions = 0;
        let each = per_second(|| {
            conditions = watched(&program, &world, &symbolic)?;
            Ok(())
        })?;
        let name = format!("{bytes} symbolic bytes");
        rows.push(vec![
            name,
            format!("{each:.0}"),
            format!("{:.1}", concrete / each),
            conditions.to_string(),
        ]);
    }
    table::print("explore-run", &["short.c", "runs/s", "times slower", "conditions"], &rows);
    exploring(&program)?;
    crate::rsc_coverage::run(&workshop)
}

fn per_second(mut work: impl FnMut() -> Result<()>) -> Result<f64> {
    let start = Instant::now();
    let mut times = 0u32;
    while start.elapsed() < MEASURED {
        work()?;
        times += 1;
    }
    Ok(f64::from(times) / start.elapsed().as_secs_f64())
}

fn watched(program: &Program, world: &World, symbolic: &Symbolic) -> Result<usize> {
    let limits = Limits::default();
    let setting = Setting { program, world, symbolic, limits: &limits, summaries: false };
    let seen = ByPath.observe(setting, &symbolic.first(world), &mut Pool::new());
    ensure!(seen.end == End::Exit(1), "{:?}", seen.end);
    Ok(seen.path.len())
}

/// Tests per second, solver included, and what more threads bring.
fn exploring(program: &Program) -> Result<()> {
    let mut rows = Vec::new();
    let mut alone = None;
    for jobs in [1, 2, 4] {
        let symbolic = Symbolic { stdin: 12, ..Symbolic::default() };
        let limits = Limits { steps: 5_000_000, ..Limits::default() };
        let options = Options {
            symbolic,
            limits,
            runs: TESTS,
            time: LONGEST,
            jobs,
            search: Search::Generational,
            ..Options::default()
        };
        let world = World::new(["short"]);
        let start = Instant::now();
        let found = explore(program, &world, options.symbolic.first(&world), &options, &ByPath);
        let time = start.elapsed().as_secs_f64();
        ensure!(found.alarms.is_empty(), "{:?}", found.alarms);
        let rate = found.tests.len() as f64 / time;
        let alone = *alone.get_or_insert(rate);
        rows.push(vec![
            format!("{jobs} threads"),
            format!("{rate:.0}"),
            format!("{:.0}", found.asked as f64 / time),
            found.tests.len().to_string(),
            format!("{:.2}", rate / alone),
        ]);
    }
    let header = ["12 symbolic bytes", "tests/s", "questions/s", "tests", "times as fast"];
    table::print("explore", &header, &rows);
    println!("threads here: {}", std::thread::available_parallelism().map_or(1, usize::from));
    Ok(())
}
