//! Nothing is called a difference that was not run again: in the machine without being watched, in another world, and natively.

use super::report::CTest;
use crate::commands::program::{Side, Two, called, test_of};
use crate::context::Context;
use hydrogen_evidence::exposed::{Natively, Platform};
use hydrogen_evidence::{Call, Input};
use hydrogen_expose::{Found, Shape};
use hydrogen_machine::{After, End, Limits, Program, World};
use hydrogen_pair::{Observable, Outcome, unsteady};
use hydrogen_program::{CLibrary, Done, Native, changes};
use std::time::Instant;

/// What running a difference again gave.
pub enum Confirmed {
    /// It is one: how native runs went, the old version first; and what the platform's own C library says.
    Yes([Natively; 2], Platform),
    /// It is none, and why.
    No(String),
}

/// Both versions, built natively when the first difference is there.
pub struct Confirmer<'a> {
    context: &'a Context,
    two: &'a Two,
    /// Why they are not built, or that they are to be.
    wanted: Result<(), String>,
    built: Builds,
    /// With the platform's own C library.
    own: Builds,
    /// Nothing is built or run natively after this.
    end: Instant,
}

/// What is said of native runs that were not begun because the time was over.
const NO_TIME: &str = "there was no time: --budget gives more";

/// Both versions as they are built, or why they are not.
type Builds = Option<Result<[Native; 2], String>>;

impl<'a> Confirmer<'a> {
    pub fn new(context: &'a Context, two: &'a Two, wanted: Result<(), String>, end: Instant) -> Self {
        Self { context, two, wanted, built: None, own: None, end }
    }

    /// Whether something is run natively, or why it is not.
    fn wants(&self) -> Result<(), String> {
        self.wanted.clone()?;
        if Instant::now() >= self.end { Err(NO_TIME.to_owned()) } else { Ok(()) }
    }

    pub fn confirm(&mut self, found: &Found, shape: &Shape, limits: &Limits) -> Confirmed {
        let sides = [&self.two.old, &self.two.new];
        let inputs = [0, 1].map(|at| input_of(found, at));
        let again = [0, 1].map(|at| again(sides[at].program(), &shape.world, &inputs[at], limits));
        let differing: Vec<Observable> = found.differences.iter().map(|one| one.observable.clone()).collect();
        if again[0].outcome.same(&again[1].outcome, &differing) {
            return Confirmed::No("it was not there when nobody watched".to_owned());
        }
        for (side, input) in sides.into_iter().zip(&inputs) {
            let unsteady = unsteady(side.program(), &shape.world, input, limits, &differing);
            if let Some((disturbance, difference)) = unsteady.first() {
                return Confirmed::No(format!(
                    "{} of {} depends on {disturbance}, not on the input alone",
                    difference.observable, side.name
                ));
            }
        }
        let mut natively = Vec::new();
        for (at, again) in again.iter().enumerate() {
            let how = match &inputs[at].call {
                Some(call) => self.natively_called(at, call, again),
                None => self.natively(at, &shape.world, &inputs[at], again),
            };
            match how {
                Ok(how) => natively.push(how),
                Err(why) => return Confirmed::No(why),
            }
        }
        let natively: [Natively; 2] =
            natively.try_into().unwrap_or_else(|_| unreachable!("two versions were run"));
        // A host has more memory than the machine: what a program does without it counts only where it was seen natively.
        let lacks =
            |at: &usize| again[*at].world.memory.lacking > 0 && !matches!(natively[*at], Natively::Same);
        if let Some(at) = [0, 1].into_iter().find(lacks) {
            return Confirmed::No(format!(
                "{} asks for memory that only the machine does not have, and no native run shows the same",
                sides[at].name
            ));
        }
        match self.on_the_platform(&inputs, &shape.world, &again, &natively, &differing) {
            Ok(platform) => Confirmed::Yes(natively, platform),
            Err(why) => Confirmed::No(why),
        }
    }

    /// Whether the difference is there with the platform's own C library: what only the machine's does is no difference of the program.
    fn on_the_platform(
        &mut self,
        inputs: &[Input; 2],
        base: &World,
        again: &[Again; 2],
        natively: &[Natively; 2],
        differing: &[Observable],
    ) -> Result<Platform, String> {
        let plain = [
            Observable::Ending,
            Observable::Stdout,
            Observable::Stderr,
            Observable::Named,
            Observable::Memory,
        ];
        let undefined = natively.iter().any(|how| matches!(how, Natively::Undefined));
        if undefined || !CLibrary::is_another() || !differing.iter().all(|one| plain.contains(one)) {
            return Ok(Platform::NotAsked);
        }
        if let Err(why) = self.wants() {
            return Ok(Platform::NotRun(why));
        }
        let same = match (&inputs[0].call, &inputs[1].call) {
            (Some(old), Some(new)) => self.calls_on_the_platform([old, new], again),
            _ => self.programs_on_the_platform(inputs, base),
        };
        match same {
            Ok(true) => Err("with the platform's own C library both versions do the same: only the machine's tells them apart".to_owned()),
            Ok(false) => Ok(Platform::Differs),
            Err(why) => Ok(Platform::NotRun(why)),
        }
    }

    fn calls_on_the_platform(&self, calls: [&Call; 2], again: &[Again; 2]) -> Result<bool, String> {
        let sides = [&self.two.old, &self.two.new];
        let one = |at: usize| {
            let after = again[at].after.as_ref();
            let printed = sides[at].native_call_with(self.context, calls[at], after, CLibrary::Platform);
            printed.map_err(|error| format!("{error:#}"))
        };
        Ok(one(0)? == one(1)?)
    }

    fn programs_on_the_platform(&mut self, inputs: &[Input; 2], base: &World) -> Result<bool, String> {
        let native = built(&mut self.own, self.context, self.two, CLibrary::Platform)?;
        let one = |at: usize| native[at].observe(&inputs[at], base).map_err(|error| error.to_string());
        Ok(one(0)? == one(1)?)
    }

    /// What both versions do with an input when nobody watches.
    pub fn outcomes(&self, world: &World, input: &Input, limits: &Limits) -> [Outcome; 2] {
        [&self.two.old, &self.two.new].map(|side| again(side.program(), world, input, limits).outcome)
    }

    /// The call of a function as a test in C, for each version.
    pub fn tests_in_c(&self, found: &Found) -> Option<[CTest; 2]> {
        let one = |version: usize, side: &Side| {
            let ran = &found.runs[version];
            let call = ran.call.as_deref()?;
            let text = test_of(side.program(), call, ran.after.as_ref()).ok()?;
            let (module, function) = called(side.program(), &call.function, call.unit.as_deref()).ok()?;
            let mut prints = ran.outcome.stdout.clone();
            if let Some(after) = &ran.after {
                let lines = hydrogen_program::lines(module, function, call, after);
                prints.extend(lines.iter().flat_map(|line| [line.as_bytes(), b"\n"].concat()));
            }
            let unit = module.file(function.file()?).to_owned();
            Some(CTest { version, unit, text, prints })
        };
        Some([one(0, &self.two.old)?, one(1, &self.two.new)?])
    }

    /// The call as a programmer would write it, for the new version.
    pub fn call(&self, found: &Found) -> Option<String> {
        let call = found.runs[1].call.as_deref()?;
        let (module, function) = called(self.two.new.program(), &call.function, call.unit.as_deref()).ok()?;
        Some(hydrogen_trial::call_text(module, function, call))
    }

    /// The test in C of a call, built for the host.
    fn natively_called(&self, at: usize, call: &Call, again: &Again) -> Result<Natively, String> {
        if let Err(why) = self.wants() {
            return Ok(Natively::NotRun(why));
        }
        let side = if at == 0 { &self.two.old } else { &self.two.new };
        let Some(after) = &again.after else { return Ok(Natively::Undefined) };
        let Ok((module, function)) = called(side.program(), &call.function, call.unit.as_deref()) else {
            return Ok(Natively::NotRun("the function is not there".to_owned()));
        };
        let machine = hydrogen_program::lines(module, function, call, after);
        let before = String::from_utf8_lossy(&again.world.stdout).into_owned();
        match side.native_call(self.context, call, Some(after)) {
            Ok(native) => match native.strip_prefix(before.as_str()) {
                Some(own) if own.lines().eq(machine.iter().map(String::as_str)) => Ok(Natively::Same),
                own => {
                    let native: Vec<&str> = own.unwrap_or(&native).lines().collect();
                    let machine: Vec<&str> = machine.iter().map(String::as_str).collect();
                    Err(format!(
                        "natively {} leaves something else behind{}",
                        side.name,
                        first_other(&native, &machine)
                    ))
                }
            },
            Err(error) => Ok(Natively::NotRun(format!("{error:#}"))),
        }
    }

    fn natively(
        &mut self,
        at: usize,
        base: &World,
        input: &Input,
        again: &Again,
    ) -> Result<Natively, String> {
        if let Err(why) = self.wants() {
            return Ok(Natively::NotRun(why));
        }
        let two = self.two;
        let native = match built(&mut self.built, self.context, two, CLibrary::Machine) {
            Ok(native) => &native[at],
            Err(why) => return Ok(Natively::NotRun(why)),
        };
        let name = if at == 0 { &two.old.name } else { &two.new.name };
        match native.once(&Done { input, end: &again.end, after: &again.world }, base) {
            Ok(hydrogen_evidence::Natively::Same) => Ok(Natively::Same),
            Ok(hydrogen_evidence::Natively::NotCompared) => Ok(Natively::Undefined),
            Ok(hydrogen_evidence::Natively::NoTime) => Ok(Natively::NotRun("there was no time".to_owned())),
            Ok(hydrogen_evidence::Natively::Differs(how)) => Err(format!("natively {name} gives {how}")),
            Err(error) => Ok(Natively::NotRun(error.to_string())),
        }
    }
}

/// The first line in which a native run and the machine's differ.
fn first_other(native: &[&str], machine: &[&str]) -> String {
    let most = native.len().max(machine.len());
    let line =
        |of: &[&str], at: usize| of.get(at).map_or("nothing more".to_owned(), |line| format!("`{line}`"));
    let at = (0..most).find(|at| native.get(*at) != machine.get(*at));
    at.map_or(String::new(), |at| format!(": {}, in the machine {}", line(native, at), line(machine, at)))
}

/// Both versions for the host, built when they are asked for first.
fn built<'b>(
    builds: &'b mut Builds,
    context: &Context,
    two: &Two,
    library: CLibrary,
) -> Result<&'b [Native; 2], String> {
    let built = builds.get_or_insert_with(|| {
        let build = |side: &Side| side.native_with(context, library).map_err(|error| format!("{error:#}"));
        Ok([build(&two.old)?, build(&two.new)?])
    });
    built.as_ref().map_err(Clone::clone)
}

/// A run that nobody watched.
pub struct Again {
    pub outcome: Outcome,
    end: End,
    world: World,
    after: Option<After>,
}

/// The input of a version. A call is made for each, because layouts may differ.
fn input_of(found: &Found, at: usize) -> Input {
    match &found.runs[at].call {
        Some(call) => Input { call: Some(call.as_ref().clone()), ..Input::default() },
        None => found.input.clone(),
    }
}

/// What a version does with the input when nobody watches.
pub fn again(program: &Program, base: &World, input: &Input, limits: &Limits) -> Again {
    let run = program.run(base.with_input(input), limits.clone());
    let mut outcome = Outcome::of(&run.end, &run.world, None);
    if let (Some(call), Some(after)) = (&input.call, &run.after)
        && let Ok((module, function)) = called(program, &call.function, call.unit.as_deref())
    {
        outcome = outcome.with_memory(&changes(&hydrogen_program::seen(module, function, call, after)));
    }
    Again { outcome, end: run.end, world: run.world, after: run.after }
}
