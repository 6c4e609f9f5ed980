//! How well `why` finds the faulty line of the Siemens programs: for every faulty version its first failing test (F-C25, F-C26).

use crate::siemens::{Subject, folder, subject};
use anyhow::Result;
use hydrogen_align::lcs;
use hydrogen_explore::Symbolic;
use hydrogen_machine::{Limits, Program, World};
use hydrogen_pair::{Observable, Outcome, Setting};
use hydrogen_program::Workshop;
use hydrogen_why::{Ask, Explanation, Mode, Side, Spot, Suspect, explain};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

/// A failing test whose answer takes longer is cut.
const LONGEST: Duration = Duration::from_secs(60);

/// Where a version is wrong: lines of either side.
struct Fault {
    old: BTreeSet<u32>,
    new: BTreeSet<u32>,
    lines: usize,
}

/// Runs the benchmark on some of the programs.
pub fn run(asked: Option<&Path>, names: &[String], most: usize, mode: Mode) -> Result<()> {
    let folder = folder(asked)?;
    let workshop = crate::programs::workshop()?;
    for name in names {
        one_program(&workshop, &subject(&folder, name)?, most, mode)?;
    }
    Ok(())
}

fn load(workshop: &Workshop, path: &Path) -> Result<Program> {
    let flags: Vec<String> = Subject::FLAGS.iter().map(|flag| (*flag).to_owned()).collect();
    let directory = path.parent().unwrap_or(Path::new("/"));
    Ok(workshop.link(vec![workshop.compile(directory, path, &flags)?]).program)
}

fn limits() -> Limits {
    Limits { steps: 20_000_000, ..Limits::default() }
}

fn outcome(program: &Program, world: World) -> Outcome {
    let run = program.run(world, limits());
    Outcome::of(&run.end, &run.world, None)
}

fn one_program(workshop: &Workshop, subject: &Subject, most: usize, mode: Mode) -> Result<()> {
    let old = load(workshop, &subject.original)?;
    let tests = subject.universe()?;
    let mut known: Vec<Outcome> = Vec::new();
    let (mut rows, mut ranks, mut times) = (Vec::new(), Vec::new(), Vec::new());
    let observables = [Observable::Ending, Observable::Stdout];
    for (number, path) in subject.versions.iter().take(most) {
        let new = load(workshop, path)?;
        let mut failing = None;
        for (at, test) in tests.iter().enumerate() {
            if known.len() <= at {
                known.push(outcome(&old, test.world(&subject.name)?));
            }
            let now = outcome(&new, test.world(&subject.name)?);
            if !known[at].same(&now, &observables) {
                failing = Some((at, test));
                break;
            }
        }
        let Some((at, test)) = failing else {
            rows.push(vec![format!("v{number}"), "no test fails".into()]);
            continue;
        };
        let fault = fault(&subject.original, path)?;
        let world = test.world(&subject.name)?;
        let mut symbolic = match world.args.len() {
            0 | 1 => Symbolic::default(),
            _ => Symbolic::parse(&["arg:*".to_owned()], &world.args).map_err(anyhow::Error::msg)?,
        };
        symbolic.stdin = world.stdin().len().min(4096);
        let input = symbolic.first(&world);
        let started = Instant::now();
        let limits = limits();
        let ask = Ask {
            old: &old,
            new: &new,
            setting: Setting { world: &world, symbolic: &symbolic, limits: &limits },
            input: &input,
            observables: &observables,
            mode,
            metric: hydrogen_why::Metric::default(),
            preconditions: false,
            predicates: false,
            only_source: true,
            trusted: &[],
            deadline: Some(started + LONGEST),
            oracle: None,
        };
        let found = match explain(&ask) {
            Ok(found) => found,
            Err(error) => {
                rows.push(vec![format!("v{number}"), error.to_string()]);
                continue;
            }
        };
        let time = started.elapsed();
        let (rank, class, examined) = judged(&found, &fault);
        ranks.push(rank);
        times.push(time);
        let shown = |rank: Option<usize>| rank.map_or("-".to_owned(), |rank| (rank + 1).to_string());
        let by_inputs = found.suspects.iter().filter(|one| !one.alternates.is_empty());
        let by_inputs = by_inputs.into_iter().position(|one| is_about(one, &fault));
        rows.push(vec![
            format!("v{number}"),
            (at + 1).to_string(),
            shown(rank),
            class.to_owned(),
            format!("{:.1}", 100.0 * examined as f64 / fault.lines as f64),
            found.suspects.len().to_string(),
            shown(by_inputs),
            found.invalid.len().to_string(),
            format!("{:.2}", time.as_secs_f64()),
        ]);
    }
    let name = format!("why {}", subject.name);
    let header = [
        "version",
        "first failing test",
        "rank",
        "class",
        "code to examine %",
        "suspects",
        "rank by inputs alone",
        "not counted",
        "seconds",
    ];
    for row in &mut rows {
        row.resize(header.len(), String::new());
    }
    crate::table::print(&name, &header, &rows);
    times.sort();
    let first = ranks.iter().filter(|rank| **rank == Some(0)).count();
    let three = ranks.iter().filter(|rank| rank.is_some_and(|rank| rank < 3)).count();
    println!(
        "{}: rank 1 in {first} of {}, first three in {three}; median {:.2} s",
        subject.name,
        ranks.len(),
        times.get(times.len() / 2).map_or(0.0, Duration::as_secs_f64)
    );
    Ok(())
}

/// The lines that differ between two files; what is only gone counts at the lines around it.
fn fault(old: &Path, new: &Path) -> Result<Fault> {
    let read = |path: &Path| -> Result<Vec<String>> {
        let text = std::fs::read(path)?;
        Ok(String::from_utf8_lossy(&text).lines().map(|line| line.split_whitespace().collect()).collect())
    };
    let (one, two) = (read(old)?, read(new)?);
    let (mut left, mut right): (BTreeSet<usize>, BTreeSet<usize>) =
        ((0..one.len()).collect(), (0..two.len()).collect());
    let words = |lines: &'_ [String]| -> Vec<u64> { lines.iter().map(hashed).collect() };
    for (a, b) in lcs(&words(&one), &words(&two)) {
        left.remove(&a);
        right.remove(&b);
    }
    let number = |set: BTreeSet<usize>| set.into_iter().map(|at| at as u32 + 1).collect();
    let lines = two.iter().filter(|line| !line.is_empty()).count();
    Ok(Fault { old: number(left), new: number(right), lines })
}

fn hashed(text: &String) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

fn at(spot: &Spot, fault: &Fault) -> bool {
    match spot.side {
        Side::Old => fault.old.contains(&spot.line),
        Side::New => fault.new.contains(&spot.line),
    }
}

fn is_about(suspect: &Suspect, fault: &Fault) -> bool {
    let spots = [Some(&suspect.spot), suspect.counterpart.spot()];
    // A statement of several lines begins on one of them.
    let near = |spot: &Spot| (0..4).any(|more| at(&Spot { line: spot.line + more, ..spot.clone() }, fault));
    spots.into_iter().flatten().any(near)
}

/// The rank of the faulty line, the class of the answer, and how many lines are looked at until it.
fn judged(found: &Explanation, fault: &Fault) -> (Option<usize>, &'static str, usize) {
    let all: Vec<&Suspect> = found.suspects.iter().chain(&found.others).collect();
    match all.iter().position(|suspect| is_about(suspect, fault)) {
        Some(rank) => (Some(rank), "1", rank + 1),
        None if all.is_empty() => (None, "4", fault.lines),
        None => (None, "2-4", fault.lines),
    }
}
