//! How well `why` finds the faulty line of the Siemens programs: for every faulty version its first failing test (F-C25, F-C26).

use crate::siemens::{Subject, folder, subject};
use crate::why_judged::{Fault, is_about, judged};
use anyhow::Result;
use hydrogen_explore::Symbolic;
use hydrogen_machine::{Limits, Program, World};
use hydrogen_pair::{Observable, Outcome, Setting};
use hydrogen_program::Workshop;
use hydrogen_why::{Ask, Mode, explain};
use std::path::Path;
use std::time::{Duration, Instant};

/// A failing test whose answer takes longer is cut.
const LONGEST: Duration = Duration::from_secs(60);

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
        let fault = Fault::of(&subject.original, path)?;
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
            long: hydrogen_why::LONG,
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
        let (rank, class, examined) = judged(&found, &fault, [&old, &new]);
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
            format!("{:.1}", 100.0 * examined as f64 / fault.lines() as f64),
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
