//! Pairs of small programs.

use hydrogen_evidence::Input;
use hydrogen_explore::Symbolic;
use hydrogen_machine::{Limits, Program, World};
use hydrogen_pair::{Pair, Ran, Setting};
use hydrogen_testkit::{Compile, HEADER};

/// A program without the C library.
pub fn program(source: &str) -> Program {
    let header =
        format!("{HEADER} static int in(const char *n) {{ int v; hydrogen_symbolic(&v, 4, n); return v; }}");
    Program::load(vec![Compile { header: &header, flags: &[] }.model(source)], None)
}

pub fn limits() -> Limits {
    Limits { steps: 2_000_000, ..Limits::default() }
}

/// An input of numbers, four bytes each.
pub fn input(values: &[(&str, i32)]) -> Input {
    let named = values.iter().map(|(name, value)| ((*name).into(), value.to_le_bytes().to_vec())).collect();
    Input { named, ..Input::default() }
}

pub fn run(pair: &mut Pair<'_>, world: &World, input: &Input) -> Vec<Ran> {
    let (symbolic, limits) = (Symbolic::default(), limits());
    pair.run(Setting { world, symbolic: &symbolic, limits: &limits }, input).unwrap()
}
