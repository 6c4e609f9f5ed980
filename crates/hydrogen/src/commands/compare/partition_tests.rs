//! Which partitions the tests of a suite are in: what it tries of a change, and what it does not (A15).

use crate::commands::expose::tests::{self, Test};
use anyhow::Result;
use hydrogen_evidence::Input;
use hydrogen_explore::Symbolic;
use hydrogen_machine::World;
use hydrogen_partition::Found;
use hydrogen_program::until_zero;
use serde_json::{Value, json};
use std::fmt::Write;
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

/// So many tests of another form are named.
const NAMED: usize = 5;

/// Which partitions tests are in.
pub struct Coverage {
    /// The tests, each with its partition, if one that was found holds it.
    tests: Vec<(String, Option<usize>)>,
    /// Tests of another form.
    others: Vec<String>,
    /// By partition, whether the versions differ in it.
    differ: Vec<bool>,
}

impl Tests {
    pub fn in_cells(self, found: &Found) -> Coverage {
        let differ = found.cells.iter().map(|cell| !cell.is_equal()).collect();
        let mut coverage = Coverage { tests: Vec::new(), others: Vec::new(), differ };
        for (name, input) in self.0 {
            match input {
                Some(input) => coverage.tests.push((name, found.cell_of(&input))),
                None => coverage.others.push(name),
            }
        }
        coverage
    }
}

impl Coverage {
    /// Whether a test is in a partition.
    fn is_covered(&self, cell: usize) -> bool {
        self.tests.iter().any(|(_, own)| *own == Some(cell))
    }

    pub fn text(&self) -> String {
        let mut out = String::new();
        let all = self.differ.len();
        let covered = (0..all).filter(|cell| self.is_covered(*cell)).count();
        let differ = (0..all).filter(|cell| self.differ[*cell]);
        let (of_them, tried) = (differ.clone().count(), differ.filter(|cell| self.is_covered(*cell)).count());
        let percent = if all == 0 { 0.0 } else { covered as f64 * 100.0 / all as f64 };
        let _ = writeln!(
            out,
            "the {} tests are in {covered} of {all} partitions ({percent:.1} %); of {of_them} in which the versions differ, in {tried}",
            self.tests.len()
        );
        let outside = self.tests.iter().filter(|(_, cell)| cell.is_none()).count();
        if outside > 0 {
            let _ = writeln!(out, "{outside} tests are in none that was found");
        }
        if !self.others.is_empty() {
            let (count, names) = (self.others.len(), &self.others[..self.others.len().min(NAMED)]);
            let more = if count > NAMED { ", …" } else { "" };
            let _ =
                writeln!(out, "{count} tests have another form than --inputs: {}{more}", names.join(", "));
        }
        out
    }

    pub fn json(&self) -> Value {
        let tests: Vec<Value> =
            self.tests.iter().map(|(name, cell)| json!({ "name": name, "partition": cell })).collect();
        let covered: Vec<usize> = (0..self.differ.len()).filter(|cell| self.is_covered(*cell)).collect();
        json!({ "tests": tests, "covered": covered, "of": self.differ.len(), "another_form": self.others })
    }
}
