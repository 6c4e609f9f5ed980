//! Versions of small programs, and what is found about them.

use hydrogen_evidence::Input;
use hydrogen_explore::Symbolic;
use hydrogen_machine::{Limits, Program, World};
use hydrogen_partition::{Answers, Cell, Found, Options, Partitioner, Subject, Undefined, shown};
use hydrogen_testkit::{Compile, HEADER};
use std::fmt::Write;

/// A program without the C library: `in("x")` reads a number.
pub fn program(source: &str, flags: &[&str]) -> Program {
    let header =
        format!("{HEADER} static int in(const char *n) {{ int v; hydrogen_symbolic(&v, 4, n); return v; }}");
    Program::load(vec![Compile { header: &header, flags }.model(source)], None)
}

pub fn limits() -> Limits {
    Limits { steps: 2_000_000, ..Limits::default() }
}

/// An input of numbers, four bytes each.
pub fn input(values: &[(&str, i32)]) -> Input {
    let named = values.iter().map(|(name, value)| ((*name).into(), value.to_le_bytes().to_vec())).collect();
    Input { named, ..Input::default() }
}

/// Everything that a comparison needs, owned.
pub struct Setting {
    pub programs: Vec<Program>,
    pub world: World,
    pub symbolic: Symbolic,
    pub limits: Limits,
    pub undefined: Undefined,
}

impl Setting {
    pub fn new(sources: &[&str], undefined: Undefined, flags: &[&str]) -> Self {
        Self {
            programs: sources.iter().map(|source| program(source, flags)).collect(),
            world: World::default(),
            symbolic: Symbolic::default(),
            limits: limits(),
            undefined,
        }
    }

    pub fn subject(&self) -> Subject<'_> {
        let programs = self.programs.iter().collect();
        let subject = Subject::new(programs, &self.world, &self.symbolic, &self.limits);
        Subject { undefined: self.undefined, ..subject }
    }

    /// Explores to the end; the conditions of the cells are shortened and shown.
    pub fn explore(&self, given: Vec<Input>) -> (Found, Vec<String>) {
        self.explore_with(&Options::default(), given)
    }

    pub fn explore_with(&self, options: &Options, given: Vec<Input>) -> (Found, Vec<String>) {
        let subject = self.subject();
        let mut partitioner = Partitioner::new(&subject, options, given, Answers::default());
        while partitioner.step() {}
        let count = partitioner.found().cells.len();
        let short: Vec<_> = (0..count).map(|cell| partitioner.shortened(cell, 40)).collect();
        let mut found = partitioner.finish();
        let texts = short.iter().map(|terms| shown(&mut found.pool, terms)).collect();
        (found, texts)
    }
}

/// The values of a cell's test, and what the versions gave out.
pub fn line(cell: &Cell, condition: &str) -> String {
    let mut out = String::new();
    let _ = write!(out, "{} {condition}: ", cell.label.letter());
    for (name, bytes) in &cell.input.named {
        let mut word = [0; 4];
        word.copy_from_slice(&bytes[..4]);
        let _ = write!(out, "{name}={} ", i32::from_le_bytes(word));
    }
    let sides: Vec<String> = cell.sides.iter().map(|side| outcome(&side.outcome)).collect();
    let _ = write!(out, "gives {}", sides.join(", "));
    out
}

fn outcome(outcome: &hydrogen_pair::Outcome) -> String {
    match &outcome.ending {
        hydrogen_pair::Ending::Exit(_) => {
            let named: Vec<String> =
                outcome.named.iter().map(|(_, value)| (*value as i64).to_string()).collect();
            named.join("/")
        }
        hydrogen_pair::Ending::Fault(kind, _) => format!("{kind}"),
        other => format!("{other:?}"),
    }
}
