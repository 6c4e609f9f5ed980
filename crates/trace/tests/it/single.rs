//! The slice of one criterion is found with bits and sets of cells, those of many with lists of wants: two programs for one answer.

use super::support::{hosted, inputs, record};
use hydrogen_machine::{Program, World};
use hydrogen_testkit::generate::{PRELUDE, Style, program};
use hydrogen_trace::{Criterion, Dependences, Options, OutputName, Static};

/// Both answers for all outputs and the end, with and without jump statements.
fn agree(program: &Program, world: World, what: &str) {
    let entry = world.entry.clone();
    let (_, trace) = record(program, world);
    for jumps in [false, true] {
        let statics = Static::new(program, &[&entry]);
        let statics = if jumps { statics.with_jumps() } else { statics };
        let dependences = Dependences::new(&statics, &trace, &Options::default()).unwrap();
        let named = OutputName::Named("out".into());
        for criterion in [
            Criterion::Everything,
            Criterion::End,
            Criterion::Output(named),
            Criterion::Output(OutputName::Descriptor(1)),
        ] {
            let Ok(seeds) = dependences.find(&criterion) else { continue };
            let single = dependences.relevant_slice(&seeds).unwrap();
            let many = dependences.slices(&seeds, &[]).unwrap().slice;
            assert_eq!(single, many, "{what}: {criterion:?}");
            let dynamic = dependences.dynamic_slice(&seeds).unwrap();
            let inside = |step: u64| !dynamic.contains(step) || single.contains(step);
            assert!((1..=dependences.steps).all(inside), "{what}: the dynamic slice has more");
        }
    }
}

#[test]
fn one_criterion_and_many_give_the_same_slice() {
    for style in [Style::Memory, Style::Jumps, Style::Calls, Style::Indices, Style::Whole] {
        let texts: Vec<String> = (0..10).map(|number| program(number, style)).collect();
        let all = hydrogen_testkit::bare(&format!("{PRELUDE}{}", texts.concat()));
        for (number, values) in
            (0..10).flat_map(|number| [[0, 1, 0], [3, 2, 1]].map(|values| (number, values)))
        {
            let mut world = inputs(&[("a", values[0]), ("b", values[1]), ("c", values[2])]);
            world.entry = format!("p{number}");
            agree(&all, world, &texts[number]);
        }
    }
}

#[test]
fn also_with_the_library() {
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/mutated")).unwrap() {
        let path = entry.unwrap().path();
        let source = std::fs::read_to_string(&path).unwrap();
        let Some(program) = hosted(&source) else { return };
        let world = World::new(["program"]).with_stdin(super::mutations::stdin(&source));
        agree(&program, world, &path.display().to_string());
    }
}
