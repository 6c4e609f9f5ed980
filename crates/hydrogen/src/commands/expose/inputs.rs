//! What inputs look like when the user says little: the arguments by their look, standard input, and the option letters of the program's `getopt`.

use crate::cli::ExposeOptions;
use anyhow::{Result, bail};
use bstr::BString;
use hydrogen_explore::{FunctionEntry, Symbolic};
use hydrogen_expose::{Shape, options as own};
use hydrogen_machine::{Program, World};

/// So many arguments are tried where none was given and the program does not look at their number.
const ARGUMENTS: usize = 2;
/// So many bytes of an argument that was not given.
const BYTES: usize = 3;

/// How far pointers of a call lead, and how many elements an object has.
pub const DEPTH: u32 = 3;
pub const ELEMENTS: u64 = 4;

/// The call of a function with anything that its parameters allow.
pub fn call(world: &World, name: &str, options: &ExposeOptions, programs: [&Program; 2]) -> Result<Shape> {
    let unit = options.program.unit.clone();
    let entry = FunctionEntry { function: name.to_owned(), unit, depth: DEPTH, elements: ELEMENTS };
    if let Some(why) = programs.into_iter().find_map(|program| entry.refusal(program)) {
        bail!("{why}");
    }
    let symbolic = Symbolic { call: Some(entry), ..Symbolic::default() };
    Ok(Shape { world: world.clone(), symbolic, open: false, free: false })
}

/// The shapes of inputs to search, the most likely one first.
pub fn shapes(world: &World, options: &ExposeOptions, programs: [&Program; 2]) -> Result<Vec<Shape>> {
    if let Some(name) = &options.program.function {
        return Ok(vec![call(world, name, options, programs)?]);
    }
    let [_, program] = programs;
    let given: Vec<String> = options.inputs.iter().chain(&options.program.symbolic).cloned().collect();
    if !given.is_empty() {
        let symbolic = super::super::program::symbolic(&given, world)?;
        return Ok(vec![Shape { world: world.clone(), symbolic, open: false, free: false }]);
    }
    let mut shapes = vec![Shape::by_look(world.clone())];
    if world.args.len() > 1 {
        return Ok(shapes);
    }
    let with = |more: &[BString]| {
        let mut world = world.clone();
        world.args.extend(more.iter().cloned());
        Shape::by_look(world)
    };
    let blank = BString::from(vec![0; BYTES]);
    let Some(module) = program.units().next() else { return Ok(shapes) };
    let mut counts = own::counts(module);
    counts.extend(1..=ARGUMENTS);
    for count in counts.into_iter().filter(|count| *count > 0) {
        shapes.push(with(&vec![BString::from("0"); count]));
        shapes.push(with(&vec![blank.clone(); count]));
    }
    for (letter, wants) in own::letters(module) {
        let option = BString::from(format!("-{letter}"));
        match wants {
            true => shapes.push(with(&[option, blank.clone(), blank.clone()])),
            false => shapes.push(with(&[option, blank.clone()])),
        }
    }
    Ok(shapes)
}
