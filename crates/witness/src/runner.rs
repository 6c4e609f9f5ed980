//! Programs of versions, and the runs of witnesses in them.

use crate::chance::Failed;
use crate::verdict::{Seen, seen};
use crate::watch::Watch;
use hydrogen_align::laid_out_otherwise;
use hydrogen_evidence::{Call, Class, Input, Replay, Reply, Value};
use hydrogen_graph::VersionId;
use hydrogen_ir::{FunctionId, Linkage, Module};
use hydrogen_machine::{Archive, End, Limits, Program, World};
use hydrogen_query::{Again, Attempt, Confirm, Entrance, Ran, Shared, Tried};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Steps of one run: a witness is short, and a run that goes elsewhere may never end.
pub(crate) const STEPS: u64 = 5_000_000;
/// Bytes of memory of one run.
const MEMORY: u64 = 1 << 28;
/// Bytes that a run may write.
const OUTPUT: u64 = 1 << 20;
/// How often a run is repeated with answers for functions that nobody defines.
const ROUNDS: usize = 40;
/// What is said of a run for which no time is left.
const NO_TIME: &str = "the time is over";
/// Programs that are kept; whoever asks about many versions asks about one after the other.
const KEPT: usize = 4;

/// Where a version's units come from.
pub trait Units {
    /// All units of a version, each once; or why there are none.
    fn units(&self, version: VersionId) -> Result<Vec<Module>, String>;
    /// The C library's models, where they are there.
    fn archive(&self) -> Option<&Archive>;
}

impl<U: Units> Units for &U {
    fn units(&self, version: VersionId) -> Result<Vec<Module>, String> {
        U::units(self, version)
    }

    fn archive(&self) -> Option<&Archive> {
        U::archive(self)
    }
}

/// A version and, of several units with a `main`, the one that counts.
type Key = (VersionId, Option<String>);

/// Runs witnesses.
pub struct Runner<U> {
    units: U,
    interrupt: Option<Arc<AtomicBool>>,
    /// When nothing is run any more.
    until: Option<Instant>,
    programs: RefCell<BTreeMap<Key, Result<Rc<Program>, String>>>,
    /// What usual starts of each version ended with, with shifts by every rule of C or as compilers take them.
    pub(crate) failed: RefCell<BTreeMap<(VersionId, bool), Failed>>,
}

impl<U: Units> Runner<U> {
    /// A runner of these versions; `interrupt` ends every run.
    pub fn new(units: U, interrupt: Option<Arc<AtomicBool>>) -> Self {
        Self { units, interrupt, until: None, programs: RefCell::default(), failed: RefCell::default() }
    }

    /// A runner that ends what it runs at some time, and runs nothing later.
    pub fn until(self, until: Instant) -> Self {
        Self { until: Some(until), ..self }
    }

    /// How much time is left for runs.
    pub(crate) fn left(&self) -> Duration {
        self.until.map_or(Duration::MAX, |until| until.saturating_duration_since(Instant::now()))
    }

    /// Whether no time is left.
    pub(crate) fn is_over(&self) -> bool {
        self.left().is_zero()
    }

    pub(crate) fn program(&self, attempt: &Attempt) -> Result<Rc<Program>, String> {
        let whole = attempt.input.call.is_none();
        let key = (attempt.version, attempt.files.first().filter(|_| whole).cloned());
        if let Some(known) = self.programs.borrow().get(&key) {
            return known.clone();
        }
        let made = self.load(&key, attempt).map(Rc::new);
        let mut programs = self.programs.borrow_mut();
        while programs.len() >= KEPT {
            programs.pop_first();
        }
        programs.insert(key, made.clone());
        made
    }

    /// The program that a version is, if it is exactly one.
    pub(crate) fn whole(&self, attempt: &Attempt) -> Result<Rc<Program>, String> {
        let units = self.units.units(attempt.version)?;
        let mut mains = units.iter().filter(|module| defines_main(module));
        let (Some(main), None) = (mains.next(), mains.next()) else {
            return Err("the version is not one program".into());
        };
        let files = vec![main.name.clone()];
        self.program(&Attempt { files, input: Input::default(), ..attempt.clone() })
    }

    fn load(&self, key: &Key, attempt: &Attempt) -> Result<Program, String> {
        let Some(archive) = self.units.archive() else {
            return Err("the machine's C library is missing (scripts/musl.sh makes it)".into());
        };
        let mut modules = self.units.units(attempt.version)?;
        if let Some(file) = &key.1 {
            modules.retain(|module| !defines_main(module) || is_of(module, file));
        }
        // Of several definitions of a name the first counts: those on the way.
        modules.sort_by_key(|module| {
            let place = attempt.files.iter().position(|file| is_of(module, file));
            place.unwrap_or(usize::MAX)
        });
        Ok(Program::load(modules, Some(archive)))
    }

    pub(crate) fn interrupt(&self) -> Option<Arc<AtomicBool>> {
        self.interrupt.clone()
    }

    pub(crate) fn limits(&self, kind: Class, steps: u64) -> Limits {
        Limits {
            steps,
            memory: MEMORY,
            output: OUTPUT,
            time: self.left().min(Limits::default().time),
            interrupt: self.interrupt.clone(),
            strict: kind == Class::Shift,
            ..Limits::default()
        }
    }

    /// One run, repeated with an answer for every function that nobody defines.
    pub(crate) fn run(&self, program: &Program, attempt: &Attempt, input: Input) -> (Input, Seen) {
        self.run_within(program, attempt, input, STEPS)
    }

    /// As `run`, in so many steps at most.
    pub(crate) fn run_within(
        &self,
        program: &Program,
        attempt: &Attempt,
        mut input: Input,
        steps: u64,
    ) -> (Input, Seen) {
        let mut first = true;
        for _ in 0..ROUNDS {
            if self.is_over() {
                return (input, Seen::Other(Replay::NotRun { why: NO_TIME.to_owned() }));
            }
            let mut world = world(attempt).with_input(&input);
            if first {
                world.memory.places.clone_from(&attempt.without_memory);
            }
            let watch = Watch::new(program, attempt);
            let run = program.run_with(world, self.limits(attempt.kind, steps), watch);
            // From now on the refused requests have numbers.
            input.refused.clone_from(&run.world.memory.refused);
            first = false;
            match (&run.end, &mut input.call) {
                (End::Unresolved(name, _), Some(call)) => {
                    call.answers.push(Reply { function: name.clone(), value: Value::number(64, 0) });
                }
                _ => return (input, seen(attempt, &run)),
            }
        }
        let why = "it calls too many functions that nobody defines".to_owned();
        (input, Seen::Unfinished(why))
    }
}

impl<U: Units> Confirm for Runner<U> {
    fn confirm(&self, attempt: &Attempt) -> Ran {
        let loaded = if self.is_over() { Err(NO_TIME.to_owned()) } else { self.program(attempt) };
        let program = match loaded {
            Ok(program) => program,
            Err(why) => return Ran { input: attempt.input.clone(), replay: Replay::NotRun { why } },
        };
        let (input, first) = self.run(&program, attempt, attempt.input.clone());
        let confirmed = |input: Input| {
            let input = as_typed(&program, self.smaller(&program, attempt, input));
            Ran { input, replay: Replay::Confirmed }
        };
        let replay = match first {
            Seen::It => return confirmed(input),
            Seen::Other(replay) => replay,
            Seen::Nothing { why, .. } | Seen::Unfinished(why) => Replay::NotReached { why },
        };
        tracing::debug!(function = attempt.function, %replay, "a witness that goes elsewhere");
        match self.search(&program, attempt) {
            Some(input) => confirmed(input),
            None => Ran { input: as_typed(&program, input), replay },
        }
    }

    fn carried(&self, attempt: &Attempt) -> Option<Ran> {
        self.carry(attempt)
    }

    fn by_chance(&self, attempt: &Attempt) -> Option<Ran> {
        self.by_chance_of(attempt)
    }

    fn again(&self, attempt: &Attempt, made_in: VersionId) -> Result<Again, String> {
        if self.is_over() {
            return Err(NO_TIME.to_owned());
        }
        let program = self.program(attempt)?;
        if let Some(call) = &attempt.input.call {
            let found = program.named(&call.function, call.unit.as_deref()).and_then(|id| program.model(id));
            let parameters = found.map(|(_, function)| function.parameters.len());
            if parameters != Some(call.arguments.len()) {
                return Err(format!("there is no `{}` with such parameters", call.function));
            }
            let origin = self.program(&Attempt { version: made_in, ..attempt.clone() })?;
            let places = place_in(&origin, call).zip(place_in(&program, call));
            if let Some(what) = places.and_then(|(one, other)| laid_out_otherwise(one, other)) {
                return Err(format!("the memory of the call would be another one: {what} has changed"));
            }
        }
        let (input, seen) = self.run(&program, attempt, attempt.input.clone());
        Ok(match seen {
            Seen::It => Again::Same,
            Seen::Other(Replay::OtherFault { kind, at, .. }) => Again::Fault(format!("{kind}, {at}")),
            Seen::Other(replay) => Again::Unfinished(replay.to_string()),
            Seen::Unfinished(why) => Again::Unfinished(why),
            Seen::Nothing { came, .. } => {
                Again::Harmless { came, unseen: answers_more(&input, &attempt.input) }
            }
        })
    }

    fn fails_near(&self, attempt: &Attempt) -> bool {
        !self.is_over() && Runner::fails_near(self, attempt)
    }

    fn attacked(&self, attempt: &Attempt, entrances: &[Entrance], inside: bool) -> Option<Ran> {
        self.attack(attempt, entrances, inside)
    }

    fn tried(&self, shared: &Shared) -> Vec<Tried> {
        self.try_calls(shared)
    }
}

/// Whether a run needed answers of functions that had none to give before.
fn answers_more(input: &Input, before: &Input) -> bool {
    let functions = |input: &Input| -> BTreeSet<String> {
        let answers = input.call.iter().flat_map(|call| &call.answers);
        answers.map(|reply| reply.function.clone()).collect()
    };
    !functions(input).is_subset(&functions(before))
}

/// The function that a call is of.
pub(crate) fn place_in<'p>(program: &'p Program, call: &Call) -> Option<(&'p Module, FunctionId)> {
    let (module, function) = program.model(program.named(&call.function, call.unit.as_deref())?)?;
    let at = module.functions.iter().position(|one| std::ptr::eq(one, function))?;
    Some((module, FunctionId::at(at)))
}

/// An input whose numbers are shown as their types say.
pub(crate) fn as_typed(program: &Program, input: Input) -> Input {
    let Some(call) = &input.call else { return input };
    let Some((module, id)) = place_in(program, call) else { return input };
    let call = hydrogen_program::typed(module, module.function(id), call.clone());
    Input { call: Some(call), ..input }
}

/// The world that every run begins in.
pub(crate) fn world(attempt: &Attempt) -> World {
    let name = attempt.files.first().map_or("program", |file| file.as_str());
    let name = name.rsplit('/').next().and_then(|name| name.split('.').next()).unwrap_or("program");
    World::new(vec![name])
}

fn defines_main(module: &Module) -> bool {
    main_of(module).is_some()
}

fn main_of(module: &Module) -> Option<&hydrogen_ir::Function> {
    let is_main = |one: &&hydrogen_ir::Function| {
        one.name == "main" && one.body.is_some() && one.linkage == Linkage::External
    };
    module.functions.iter().find(is_main)
}

/// Whether a file is that of a unit, or the one that its `main` stands in: a unit may include it, or say by `#line` that it was made of it.
fn is_of(module: &Module, file: &str) -> bool {
    let stands_in = main_of(module).and_then(|main| main.span);
    is_file(&module.name, file) || stands_in.is_some_and(|span| is_file(module.file(span.file), file))
}

/// Whether a unit is the one of this file, however its path is written.
fn is_file(unit: &str, file: &str) -> bool {
    unit.ends_with(file) || file.ends_with(unit)
}
