//! The same input on native builds: what the machine says of a difference must be true of the programs as they are built.

use crate::run::{Pair, Ran};
use hydrogen_evidence::{Call, Natively};
use hydrogen_machine::{After, World};
use hydrogen_program::{Done, Error, Native, Printed, lines};

/// A program, built for the host.
pub enum Built<'a> {
    /// As a whole.
    Program(&'a Native),
    /// As tests in C of single functions.
    Calls(&'a TestInC<'a>),
}

/// Builds and runs the test in C of a call, of which the machine says what it leaves behind.
pub type TestInC<'a> = dyn Fn(&Call, Option<&After>) -> Result<Printed, Error> + 'a;

/// How a native run went, compared with the machine's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Agreement {
    /// The same came out.
    Same,
    /// Something else came out, and what.
    Differs(String),
    /// Not compared, and why: after undefined behaviour nothing is promised.
    NotCompared(String),
}

impl Agreement {
    /// Whether a native run confirms what the machine did.
    pub fn is_same(&self) -> bool {
        *self == Agreement::Same
    }
}

impl Pair<'_> {
    /// Runs the input of some runs natively, each in the program that it was a run of. `base` is the world without the input.
    pub fn replay(&self, runs: &[Ran], built: &[Built<'_>], base: &World) -> Result<Vec<Agreement>, Error> {
        runs.iter().map(|ran| self.replay_one(ran, &built[ran.program], base)).collect()
    }

    fn replay_one(&self, ran: &Ran, built: &Built<'_>, base: &World) -> Result<Agreement, Error> {
        let not = |why: &str| Ok(Agreement::NotCompared(why.to_owned()));
        match (built, &ran.call) {
            (Built::Program(native), None) => {
                let done = Done { input: &ran.input, end: &ran.seen.end, after: &ran.seen.world };
                Ok(match native.once(&done, base)? {
                    Natively::Same => Agreement::Same,
                    Natively::Differs(how) => Agreement::Differs(how),
                    Natively::NotCompared => {
                        Agreement::NotCompared("the run ends with undefined behaviour, or was cut".to_owned())
                    }
                    Natively::NoTime => Agreement::NotCompared("there was no time left".to_owned()),
                })
            }
            (Built::Calls(test), Some(call)) => {
                let Some(after) = &ran.after else { return not("the call does not return") };
                let program = self.programs()[ran.program];
                let id = program.named(&call.function, call.unit.as_deref());
                let Some((module, function)) = id.and_then(|id| program.model(id)) else {
                    return not("the function is not there");
                };
                let (native, machine) = (test(call, Some(after))?, lines(module, function, call, after));
                // What the function itself prints comes before the test's own lines.
                let printed = String::from_utf8_lossy(&ran.seen.world.stdout);
                let Some(own) = native.strip_prefix(printed.as_ref()) else {
                    return Ok(Agreement::Differs("the function prints something else".to_owned()));
                };
                Ok(match own.lines().eq(machine.iter().map(String::as_str)) {
                    true => Agreement::Same,
                    false => Agreement::Differs(first_difference(own, &machine)),
                })
            }
            (Built::Program(_), Some(_)) => not("the program is built as a whole, and a function is called"),
            (Built::Calls(_), None) => not("functions are built for tests, and the program is run"),
        }
    }
}

fn first_difference(native: &str, machine: &[String]) -> String {
    let all: Vec<&str> = native.lines().collect();
    let different = machine.iter().find(|line| !all.contains(&line.as_str()));
    let extra = all.iter().find(|line| !machine.iter().any(|own| own == *line));
    match (different, extra) {
        (Some(machine), Some(native)) => format!("`{native}` instead of `{machine}`"),
        (Some(machine), None) => format!("`{machine}` is missing"),
        (None, Some(native)) => format!("`{native}` more"),
        (None, None) => "the same lines in another order".to_owned(),
    }
}
