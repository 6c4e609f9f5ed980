//! Compiling, recording, slicing.

use hydrogen_ir::Module;
use hydrogen_machine::{Limits, Program, Run, World};
use hydrogen_testkit::Compile;
use hydrogen_trace::{Criterion, Dependences, Options, Recorder, Slice, Static, Trace, lines};

/// The model of a program.
pub fn model(source: &str) -> Module {
    Compile::default().model(source)
}

/// A program without the C library.
pub fn bare(source: &str) -> Program {
    Program::load(vec![model(source)], None)
}

/// A program with the C library.
pub fn hosted(source: &str) -> Option<Program> {
    Some(Program::load(vec![model(source)], Some(hydrogen_testkit::archive()?)))
}

pub fn limits() -> Limits {
    Limits { steps: 50_000_000, ..Limits::default() }
}

/// Runs and records.
pub fn record(program: &Program, world: World) -> (Run<()>, Trace) {
    let run = program.run_with(world, limits(), Recorder::default());
    let trace = run.monitor.finish().unwrap();
    let Run { end, leaks, reachable, statistics, world, .. } = run;
    (Run { end, leaks, reachable, statistics, world, after: None, monitor: () }, trace)
}

/// A world whose named inputs are these numbers, four bytes each.
pub fn inputs(values: &[(&str, i32)]) -> World {
    let mut world = World::default();
    for (name, value) in values {
        world.named.insert((*name).into(), value.to_le_bytes().to_vec());
    }
    world
}

/// The lines of the user's program that are in the dynamic and in the relevant slice.
pub fn slices(program: &Program, world: World, criterion: &Criterion) -> (Vec<u32>, Vec<u32>) {
    let statics = Static::new(program, &[&world.entry]);
    let (_, trace) = record(program, world);
    let dependences = Dependences::new(&statics, &trace, &Options::default()).unwrap();
    let seeds = dependences.find(criterion).unwrap();
    let show = |slice: Slice| -> Vec<u32> {
        let lines = lines(&dependences, &slice, true).unwrap();
        lines.into_iter().filter(|(_, line)| line.sliced > 0).map(|((_, line), _)| line).collect()
    };
    (show(dependences.dynamic_slice(&seeds).unwrap()), show(dependences.relevant_slice(&seeds).unwrap()))
}
