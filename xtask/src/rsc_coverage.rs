//! How many relevant-slice conditions exploring by them hits, against exploring by paths in the same time (F-D15).

use crate::programs::{self, Subject, driver};
use crate::table;
use anyhow::{Context, Result, ensure};
use hydrogen_explore::{
    Answers, ByPath, ByRsc, Exploration, Explorer, Kind, Observer, Options, Setting, Symbolic,
};
use hydrogen_machine::{Limits, Program, World};
use hydrogen_program::Workshop;
use hydrogen_term::{Importer, Pool, Term};
use hydrogen_trace::{Criterion, Static};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

/// What each exploration may take.
const BUDGET: Duration = Duration::from_secs(10);
/// Where the curves go.
const CURVES: &str = "target/bench/rsc-coverage.csv";

/// A condition, whatever the order of its branches.
type Condition = BTreeSet<Term>;

struct Explored {
    found: Exploration,
    /// By test, when it was found.
    times: Vec<Duration>,
}

fn explored(program: &Program, world: &World, options: &Options, observer: &dyn Observer) -> Explored {
    let begun = Instant::now();
    let first = options.symbolic.first(world);
    let mut explorer = Explorer::new(program, world, first, options, observer, Answers::default());
    let mut times = vec![begun.elapsed()];
    while explorer.round() {
        times.resize(explorer.found().tests.len().max(times.len()), begun.elapsed());
    }
    Explored { found: explorer.finish(), times }
}

/// The conditions that tests hit, in the order of the tests, with the time of each; and the distinct ones.
fn curve(conditions: &[Condition], times: &[Duration]) -> (Vec<(Duration, usize)>, BTreeSet<Condition>) {
    let mut seen = BTreeSet::new();
    let mut points = Vec::new();
    for (condition, time) in conditions.iter().zip(times) {
        if seen.insert(condition.clone()) {
            points.push((*time, seen.len()));
        }
    }
    (points, seen)
}

pub fn run(workshop: &Workshop) -> Result<()> {
    let include = tempfile::tempdir()?;
    hydrogen_machine::write_headers(include.path())?;
    let flag = format!("-I{}", include.path().display());
    let mut rows = Vec::new();
    let mut csv = "subject,by,seconds,conditions\n".to_owned();
    let stdin = |bytes: usize| Symbolic { stdin: bytes, ..Symbolic::default() };
    for (name, symbolic) in
        [("tree", stdin(0)), ("set", stdin(0)), ("disjoint", stdin(0)), ("short", stdin(6))]
    {
        let program =
            programs::load(workshop, &Subject::single(name, driver(&format!("{name}.c")), &[&flag]))?;
        let statics = Static::new(&program, &["main"]);
        let criteria = [Criterion::Everything];
        let by_rsc = ByRsc { statics: &statics, criteria: &criteria, check: false };
        let limits = Limits { steps: 5_000_000, ..Limits::default() };
        let options = Options { symbolic, limits, time: BUDGET, ..Options::default() };
        let world = World::new([name]);
        let rsc = explored(&program, &world, &options, &by_rsc);
        let path = explored(&program, &world, &options, &ByPath);
        ensure!(rsc.found.alarms.is_empty() && path.found.alarms.is_empty(), "{name}: a promise is broken");
        // Both in one pool: a test by path gets its condition from a run of its own.
        let mut pool = Pool::new();
        let mut importer = Importer::new(&rsc.found.pool);
        let mut branches = Vec::new();
        for test in &rsc.found.tests {
            let terms = test.condition().iter().filter(|one| one.kind == Kind::Branch);
            branches.push(terms.map(|one| importer.import(&mut pool, one.term)).collect::<Condition>());
        }
        let (rsc_points, hit_by_rsc) = curve(&branches, &rsc.times);
        let setting = Setting {
            program: &program,
            world: &world,
            symbolic: &options.symbolic,
            limits: &options.limits,
            summaries: options.summaries,
        };
        let mut branches = Vec::new();
        for test in &path.found.tests {
            let seen = by_rsc.observe(setting, &test.input, &mut pool);
            let terms = seen.condition().iter().filter(|one| one.kind == Kind::Branch);
            branches.push(terms.map(|one| one.term).collect::<Condition>());
        }
        let (path_points, hit_by_path) = curve(&branches, &path.times);
        for (by, points) in [("rsc", &rsc_points), ("path", &path_points)] {
            for (time, conditions) in points {
                let _ = writeln!(csv, "{name},{by},{:.4},{conditions}", time.as_secs_f64());
            }
        }
        let complete = |one: &Explored| if one.found.is_complete() { "" } else { "+" };
        let share = |part: usize, of: usize| format!("{:.0} %", 100.0 * part as f64 / of.max(1) as f64);
        rows.push(vec![
            name.to_owned(),
            format!("{}{}", rsc.found.tests.len(), complete(&rsc)),
            format!("{}{}", path.found.tests.len(), complete(&path)),
            hit_by_rsc.len().to_string(),
            hit_by_path.len().to_string(),
            share(hit_by_rsc.len(), hit_by_path.len()),
            share(hit_by_rsc.intersection(&hit_by_path).count(), hit_by_path.len()),
            seconds(&rsc),
            seconds(&path),
        ]);
    }
    let header = [
        "rsc coverage",
        "tests by rsc",
        "by path",
        "conditions hit by rsc",
        "hit by path",
        "ratio",
        "of path's, hit by rsc",
        "last at",
        "last at (path)",
    ];
    table::print("explore-rsc-coverage", &header, &rows);
    let file = Path::new(CURVES);
    file.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    std::fs::write(file, csv).with_context(|| format!("cannot write {CURVES}"))?;
    println!("conditions over time: {CURVES}");
    Ok(())
}

fn seconds(explored: &Explored) -> String {
    format!("{:.2} s", explored.times.last().copied().unwrap_or_default().as_secs_f64())
}
