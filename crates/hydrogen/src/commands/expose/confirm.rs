//! Nothing is called a difference that was not run again: in the machine without being watched, in another world, and natively.

use crate::commands::program::Two;
use crate::context::Context;
use hydrogen_expose::{Found, Shape};
use hydrogen_machine::{End, Limits, Program, World};
use hydrogen_pair::{Observable, Outcome, unsteady};
use hydrogen_program::{Done, Native, Replay};

/// What running a difference again gave.
pub enum Confirmed {
    /// It is one: how native runs went, the old version first.
    Yes([Natively; 2]),
    /// It is none, and why.
    No(String),
}

/// How a version's native run went.
#[derive(Clone)]
pub enum Natively {
    /// As in the machine.
    Same,
    /// Undefined behaviour has no native outcome.
    Undefined,
    /// It was not run, and why.
    NotRun(String),
}

/// Both versions, built natively when the first difference is there.
pub struct Confirmer<'a> {
    context: &'a Context,
    two: &'a Two,
    /// Why they are not built, or that they are to be.
    wanted: Result<(), String>,
    built: Option<Result<[Native; 2], String>>,
}

impl<'a> Confirmer<'a> {
    pub fn new(context: &'a Context, two: &'a Two, wanted: Result<(), String>) -> Self {
        Self { context, two, wanted, built: None }
    }

    pub fn confirm(&mut self, found: &Found, shape: &Shape, limits: &Limits) -> Confirmed {
        let programs = [self.two.old.program(), self.two.new.program()];
        let again = programs.map(|program| outcome(program, shape, found, limits));
        let [(old, ..), (new, ..)] = &again;
        let differing: Vec<Observable> = found.differences.iter().map(|one| one.observable.clone()).collect();
        if old.same(new, &differing) {
            return Confirmed::No("it was not there when nobody watched".to_owned());
        }
        for (program, side) in programs.into_iter().zip([&self.two.old, &self.two.new]) {
            let unsteady = unsteady(program, &shape.world, &found.input, limits, &differing);
            if let Some((disturbance, difference)) = unsteady.first() {
                return Confirmed::No(format!(
                    "{} of {} depends on {disturbance}, not on the input alone",
                    difference.observable, side.name
                ));
            }
        }
        let mut natively = Vec::new();
        for (at, (_, end, world)) in again.iter().enumerate() {
            match self.natively(at, &shape.world, found, end, world) {
                Ok(how) => natively.push(how),
                Err(why) => return Confirmed::No(why),
            }
        }
        Confirmed::Yes(natively.try_into().unwrap_or_else(|_| unreachable!("two versions were run")))
    }

    fn natively(
        &mut self,
        at: usize,
        base: &World,
        found: &Found,
        end: &End,
        after: &World,
    ) -> Result<Natively, String> {
        if let Err(why) = &self.wanted {
            return Ok(Natively::NotRun(why.clone()));
        }
        let (context, two) = (self.context, self.two);
        let built = self.built.get_or_insert_with(|| {
            let build = |side: &crate::commands::program::Side| {
                side.native(context).map_err(|error| format!("{error:#}"))
            };
            Ok([build(&two.old)?, build(&two.new)?])
        });
        let native = match built {
            Ok(native) => &native[at],
            Err(why) => return Ok(Natively::NotRun(why.clone())),
        };
        let name = if at == 0 { &two.old.name } else { &two.new.name };
        match native.once(&Done { input: &found.input, end, after }, base) {
            Ok(Replay::Same) => Ok(Natively::Same),
            Ok(Replay::NotCompared) => Ok(Natively::Undefined),
            Ok(Replay::NoTime) => Ok(Natively::NotRun("there was no time".to_owned())),
            Ok(Replay::Differs(how)) => Err(format!("natively {name} gives {how}")),
            Err(error) => Ok(Natively::NotRun(error.to_string())),
        }
    }
}

/// What a version does with the input when nobody watches.
fn outcome(program: &Program, shape: &Shape, found: &Found, limits: &Limits) -> (Outcome, End, World) {
    let world = shape.symbolic.world(program, &shape.world, &found.input);
    let run = program.run(world, limits.clone());
    (Outcome::of(&run.end, &run.world, None), run.end, run.world)
}
