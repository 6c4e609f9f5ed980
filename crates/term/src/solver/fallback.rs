//! One solver where another is missing or cannot do it.

use super::{Answer, Bitwuzla, Limits, Reason, Smtlib, Solver};
use crate::{pool::Pool, term::Term};
use std::path::Path;

/// Asks the first, and the second where the first is missing, has crashed or does not support what is asked. Limits that were reached are an
/// answer: asking again would double the time.
pub struct Fallback<A, B> {
    first: A,
    second: B,
    name: String,
}

impl<A: Solver, B: Solver> Fallback<A, B> {
    /// The first, and the second behind it.
    pub fn new(first: A, second: B) -> Self {
        let name = format!("{}, then {}", first.name(), second.name());
        Self { first, second, name }
    }
}

impl<A: Solver, B: Solver> Solver for Fallback<A, B> {
    fn name(&self) -> &str {
        &self.name
    }

    fn check(&mut self, pool: &Pool, constraints: &[Term], limits: &Limits) -> Answer {
        let first = self.first.check(pool, constraints, limits);
        otherwise(first, || self.second.check(pool, constraints, limits))
    }

    fn check_alone(&mut self, pool: &Pool, constraints: &[Term], limits: &Limits) -> Answer {
        let first = self.first.check_alone(pool, constraints, limits);
        otherwise(first, || self.second.check_alone(pool, constraints, limits))
    }

    fn work(&self) -> u64 {
        self.first.work().saturating_add(self.second.work())
    }
}

fn otherwise(first: Answer, second: impl FnOnce() -> Answer) -> Answer {
    match first {
        Answer::Unknown(Reason::Missing(_) | Reason::Crashed(_) | Reason::Unsupported(_)) => match second() {
            // What is wrong with the first is what can be helped.
            Answer::Unknown(Reason::Missing(_)) => first,
            answer => answer,
        },
        answer => answer,
    }
}

/// The solver to use if nothing else is asked for: Bitwuzla, if the program was built with it, and z3 behind it.
pub fn standard() -> Box<dyn Solver + Send> {
    match Bitwuzla::is_available() {
        true => Box::new(Fallback::new(Bitwuzla::new(), Smtlib::z3())),
        false => Box::new(Smtlib::z3()),
    }
}

/// Whether a program can be started: a path to a file, or a name that is found where programs are looked for.
fn is_there(program: &str) -> bool {
    if program.contains('/') {
        return Path::new(program).is_file();
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| folder.join(program).is_file())
}

/// The solver of a name: `bitwuzla`, `z3`, `both` (which compares them), or a command line of an SMT-LIB 2 solver that reads standard input. None if
/// there is no such program, or Bitwuzla is asked for and was not built in.
pub fn by_name(name: &str) -> Option<Box<dyn Solver + Send>> {
    match name {
        "bitwuzla" => Bitwuzla::is_available().then(|| Box::new(Bitwuzla::new()) as Box<dyn Solver + Send>),
        "both" => Bitwuzla::is_available()
            .then(|| Box::new(super::Both::new(Bitwuzla::new(), Smtlib::z3())) as Box<dyn Solver + Send>),
        command => {
            let mut words = command.split_whitespace();
            let program = words.next().filter(|program| is_there(program))?;
            Some(Box::new(Smtlib::new(program, &words.collect::<Vec<_>>())))
        }
    }
}
