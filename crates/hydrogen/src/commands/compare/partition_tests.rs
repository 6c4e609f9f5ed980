//! Which partitions the tests of a suite are in: what it tries of a change, and what it does not (A15).

use crate::commands::expose::tests::{self, Test};
use anyhow::Result;
use hydrogen_evidence::partitioned::Coverage;
use hydrogen_evidence::{Input, until_zero};
use hydrogen_explore::Symbolic;
use hydrogen_machine::World;
use hydrogen_partition::Found;
use std::path::Path;

/// The tests of a suite, as inputs of the form that is compared.
pub struct Tests(Vec<(String, Option<Input>)>);

/// Reads a suite.
pub fn read(place: &Path, world: &World, symbolic: &Symbolic) -> Result<Tests> {
    // What is on the command line of a test is all of its command line.
    let mut bare = world.clone();
    bare.args.truncate(1);
    let suite = tests::read(place, &bare)?;
    Ok(Tests(suite.iter().map(|test| (test.name.clone(), in_form(test, world, symbolic))).collect()))
}

/// The test as an input of the form that is compared; none where it is of another form.
fn in_form(test: &Test, world: &World, symbolic: &Symbolic) -> Option<Input> {
    let own = test.world.with_input(&test.input);
    // A file with an input alone says nothing of the rest.
    let own = if own.args.len() == 1 { world.with_input(&test.input) } else { own };
    let input = symbolic.first(&own);
    let there = world.with_input(&input);
    let words = |world: &World| -> Vec<Vec<u8>> {
        world.args.iter().skip(1).map(|word| until_zero(word).to_vec()).collect()
    };
    let files = input.files.iter().all(|(name, bytes)| own.file(name).is_some_and(|own| own == *bytes));
    (words(&own) == words(&there) && own.stdin() == there.stdin() && files).then_some(input)
}

impl Tests {
    pub fn in_cells(self, found: &Found) -> Coverage {
        let mut coverage = Coverage { tests: Vec::new(), others: Vec::new() };
        for (name, input) in self.0 {
            match input {
                Some(input) => coverage.tests.push((name, found.cell_of(&input))),
                None => coverage.others.push(name),
            }
        }
        coverage
    }
}
