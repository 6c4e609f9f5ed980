//! Compiling and exploring.

use hydrogen_evidence::Input;
use hydrogen_explore::Options;
use hydrogen_machine::{Limits, Program};
use hydrogen_testkit::Compile;
use hydrogen_trace::{Criterion, OutputName};
use std::time::Duration;

/// What programs have before their first line.
pub fn header() -> String {
    let own = "static int in(const char *n) { int v; hydrogen_symbolic(&v, 4, n); return v; }";
    format!("{} {own}", hydrogen_testkit::HEADER)
}

/// A program with what it needs; its first line is line 1.
pub fn with_header(source: &str) -> String {
    format!("# 1 \"prelude.h\"\n{}\n# 1 \"test.c\"\n{source}", header())
}

/// The model of a program; its first line is line 1.
pub fn model(source: &str) -> hydrogen_ir::Module {
    Compile { header: &header(), flags: &[] }.model(source)
}

pub fn options() -> Options {
    Options {
        limits: Limits { steps: 1_000_000, ..Limits::default() },
        runs: 1000,
        time: Duration::from_secs(60),
        ..Options::default()
    }
}

/// An input of numbers, four bytes each.
pub fn input(values: &[(&str, i32)]) -> Input {
    let named = values.iter().map(|(name, value)| ((*name).into(), value.to_le_bytes().to_vec())).collect();
    Input { named, ..Input::default() }
}

/// The outputs of these names.
pub fn criteria(outputs: &[&str]) -> Vec<Criterion> {
    outputs.iter().map(|name| Criterion::Output(OutputName::Named((*name).into()))).collect()
}

/// A program with the C library; `None` where that was not fetched.
pub fn hosted(source: &str) -> Option<Program> {
    Some(Program::load(vec![model(source)], Some(hydrogen_testkit::archive()?)))
}
