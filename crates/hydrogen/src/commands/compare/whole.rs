//! Whether the program itself shows what one of its functions does differently.

use super::partition::{confirm_programs, observables, shaken, undefined};
use crate::cli::{CompareOptions, ProgramOptions};
use crate::commands::program::{self, Start};
use crate::context::Context;
use anyhow::Result;
use bstr::BString;
use hydrogen_evidence::compared::Whole;
use hydrogen_evidence::partitioned::Confirmed;
use hydrogen_machine::World;
use hydrogen_partition::{Answers, Options, Partitioner, Subject};
use hydrogen_report::compared::{confirmed_words, outcome};
use hydrogen_report::runs::input;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Steps of one run of the program.
const STEPS: u64 = 2_000_000;

/// Runs the program on inputs of the usual looks until one shows a difference, or the time is over.
pub fn run(
    context: &Context,
    options: &CompareOptions,
    time: Duration,
    interrupt: &Arc<AtomicBool>,
) -> Whole {
    search(context, options, time, interrupt).unwrap_or_else(|error| Whole::NotRun(format!("{error:#}")))
}

fn search(
    context: &Context,
    options: &CompareOptions,
    time: Duration,
    interrupt: &Arc<AtomicBool>,
) -> Result<Whole> {
    let program_options = ProgramOptions::plain(options.what.clone());
    let (two, start) = program::load_and_choose(context, &program_options, interrupt)?;
    if let Start::Functions { .. } = start {
        return Ok(Whole::NotRun("the versions have no program in common".to_owned()));
    }
    let world = program::world(context, &program_options)?;
    let mut limits = program::limits(&program_options, Arc::clone(interrupt));
    limits.steps = STEPS;
    let end = Instant::now() + time;
    let (mut runs, worlds) = (0, worlds(&world));
    for (at, world) in worlds.iter().enumerate() {
        let shape = hydrogen_expose::Shape::by_look(world.clone());
        let mut subject =
            Subject::new(vec![two.old.program(), two.new.program()], &shape.world, &shape.symbolic, &limits);
        subject.observables = observables(&options.observe);
        subject.undefined = undefined(options);
        let left = end.saturating_duration_since(Instant::now());
        let share = left.div_f64((worlds.len() - at) as f64);
        let interrupt = Some(Arc::clone(interrupt));
        let how = Options { time: share, stop_on_difference: true, interrupt, ..Options::default() };
        let first = shape.symbolic.first(&shape.world);
        if !shaken(&subject, &first).is_empty() {
            return Ok(Whole::NotRun("its output depends on time, random numbers or addresses".to_owned()));
        }
        let mut partitioner = Partitioner::new(&subject, &how, vec![first], Answers::default());
        while partitioner.step() {}
        let found = partitioner.finish();
        runs += found.runs;
        let Some((at, cell)) = found.differences().next() else { continue };
        let native = match confirm_programs(context, &two, &subject, &[(at, cell)]) {
            Ok(mut all) => all.pop().unwrap_or(Confirmed::NotAsked),
            Err(error) => Confirmed::Impossible(format!("{error:#}")),
        };
        if native.stands() {
            return Ok(Whole::Differs {
                input: input(&cell.input),
                old: outcome(&cell.sides[0].outcome),
                new: outcome(&cell.sides[1].outcome),
                native: match native {
                    Confirmed::Same => "native builds show it too".to_owned(),
                    other => confirmed_words(&other),
                },
            });
        }
    }
    Ok(Whole::Nothing(runs))
}

/// The program with what the user gave, and with one or two numbers or short words as arguments.
fn worlds(world: &World) -> Vec<World> {
    let with = |more: &[&str]| {
        let mut world = world.clone();
        world.args.extend(more.iter().map(|text| BString::from(*text)));
        world
    };
    vec![world.clone(), with(&["0"]), with(&["\0\0\0"]), with(&["0", "0"]), with(&["\0\0\0", "\0\0\0"])]
}
