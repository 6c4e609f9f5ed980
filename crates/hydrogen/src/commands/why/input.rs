//! The failing input, and what of it may change.

use crate::cli::WhyOptions;
use crate::commands::program;
use crate::commands::run::read_test;
use crate::context::Context;
use anyhow::{Context as _, Result, bail};
use hydrogen_evidence::Input;
use hydrogen_explore::{FunctionEntry, Symbolic};
use hydrogen_machine::{Limits, Program, Run, World};
use hydrogen_pair::{Outcome, memory};
use hydrogen_why::Explanation;
use std::path::{Path, PathBuf};

/// How far pointers of a call lead, and how many elements an object has at least.
const DEPTH: u32 = 3;
const ELEMENTS: u64 = 4;
/// So many bytes of one source may change, unless the user says otherwise.
const MOST: usize = 4096;

/// The failing input in its world.
#[derive(Clone)]
pub struct Given {
    pub world: World,
    pub symbolic: Symbolic,
    pub input: Input,
    /// Where a recorded run took place.
    pub place: Option<Place>,
}

/// The folders that a recorded run found.
#[derive(Clone)]
pub struct Place {
    /// The files of the version, on the host.
    pub root: PathBuf,
    /// Where the program was started, from there.
    pub inside: PathBuf,
    /// Whether it names files by where they were.
    pub bound: bool,
}

pub fn of(context: &Context, options: &WhyOptions, programs: [&Program; 2]) -> Result<Given> {
    let mut world = program::world(context, &options.program)?;
    let mut given = Input::default();
    if let Some(spec) = &options.input {
        given = match context.path(Path::new(spec)).exists() {
            true => read_test(&context.path(Path::new(spec)))?,
            false => named(spec)?,
        };
        if let (Some(call), None) = (&given.call, &options.program.function) {
            bail!("the test calls a single function: add --function {}", call.function);
        }
        world = world.with_input(&given);
        world.call = None;
    }
    if let Some(name) = &options.program.function {
        return of_call(options, world, given, name, programs);
    }
    let mut symbolic = program::symbolic(&options.program.symbolic, &world)?;
    if options.program.symbolic.is_empty() {
        symbolic = everything(&world, &given)?;
    }
    let first = symbolic.first(&world);
    let input = Input { named: given.named, ..first };
    Ok(Given { world, symbolic, input, place: None })
}

/// The call of one function: all that its parameters lead to may change.
fn of_call(
    options: &WhyOptions,
    world: World,
    given: Input,
    name: &str,
    programs: [&Program; 2],
) -> Result<Given> {
    let unit = options.program.unit.clone();
    let mut entry = FunctionEntry { function: name.to_owned(), unit, depth: DEPTH, elements: ELEMENTS };
    if let Some(why) = programs.iter().find_map(|program| entry.refusal(program)) {
        bail!("{why}");
    }
    let call = program::call(programs[1], &options.program, given.call.as_ref())?;
    let call = call.context("there is no call")?;
    let named = entry.seed(programs[1], &call);
    let mut symbolic = program::symbolic_call(&options.program.symbolic, &world)?;
    symbolic.call = Some(entry);
    let named = named.into_iter().map(|(name, bytes)| (name.into(), bytes)).collect();
    let input = symbolic.with_globals(programs[1], Input { named, ..Input::default() });
    Ok(Given { world, symbolic, input, place: None })
}

impl Given {
    /// Runs the input, or another one.
    pub fn run(&self, program: &Program, input: &Input, limits: &Limits) -> Run {
        program.run(self.symbolic.world(program, &self.world, input), limits.clone())
    }

    /// What comes out.
    pub fn outcome(&self, program: &Program, limits: &Limits) -> Outcome {
        let call = self.symbolic.call_of(program, &self.input);
        let run = self.run(program, &self.input, limits);
        let memory = memory(program, call.as_ref(), run.after.as_ref());
        Outcome::of(&run.end, &run.world, None).with_memory(&memory)
    }
}

/// All that the program is given may change: arguments that are numbers as numbers, all else at its length.
pub fn everything(world: &World, given: &Input) -> Result<Symbolic> {
    let arguments = world.args.len() > 1;
    let mut symbolic = match arguments {
        true => program::symbolic(&["arg:*".to_owned()], world)?,
        false => Symbolic::default(),
    };
    symbolic.stdin = world.stdin().len().min(MOST);
    for (name, content) in given.files.iter().filter(|(_, content)| !content.is_empty()) {
        symbolic.files.insert(name.clone(), content.len().min(MOST));
    }
    Ok(symbolic)
}

/// `x=5,y=-3`: memory of the size of an `int`.
fn named(spec: &str) -> Result<Input> {
    let mut input = Input::default();
    for word in spec.split(',') {
        let wrong = || format!("`--input {spec}`: no such file; write FILE or NAME=NUMBER,…");
        let (name, value) = word.split_once('=').with_context(wrong)?;
        let value: i32 = value.trim().parse().ok().with_context(wrong)?;
        input.named.insert(name.trim().into(), value.to_le_bytes().to_vec());
    }
    Ok(input)
}

/// Writes the alternate inputs as tests that `hydrogen run --test` and `why --input` read.
pub fn save(folder: &Path, found: &Explanation) -> Result<()> {
    let cannot = || format!("cannot write tests into {}", folder.display());
    std::fs::create_dir_all(folder).with_context(cannot)?;
    let alternates = found.suspects.iter().flat_map(|suspect| &suspect.alternates).map(|one| &one.input);
    let agreeing = found.agreeing.iter().map(|(input, _)| input);
    for (number, input) in (1..).zip(alternates.chain(agreeing)) {
        let text = format!("{}\n", serde_json::to_string_pretty(input)?);
        crate::output::into(folder, format!("{number:04}.json"), text).with_context(cannot)?;
    }
    Ok(())
}
