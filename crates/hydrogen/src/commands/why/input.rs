//! The failing input, and what of it may change.

use crate::cli::WhyOptions;
use crate::commands::program;
use crate::commands::run::read_test;
use crate::context::Context;
use anyhow::{Context as _, Result, bail};
use hydrogen_evidence::Input;
use hydrogen_explore::Symbolic;
use hydrogen_machine::World;
use hydrogen_why::Explanation;
use std::path::Path;

/// So many bytes of one source may change, unless the user says otherwise.
const MOST: usize = 4096;

/// The failing input in its world.
pub struct Given {
    pub world: World,
    pub symbolic: Symbolic,
    pub input: Input,
}

pub fn of(context: &Context, options: &WhyOptions) -> Result<Given> {
    let mut world = program::world(context, &options.program)?;
    let mut given = Input::default();
    if let Some(spec) = &options.input {
        given = match context.path(Path::new(spec)).exists() {
            true => read_test(&context.path(Path::new(spec)))?,
            false => named(spec)?,
        };
        if given.call.is_some() {
            bail!("the test calls a single function; `why` starts whole programs");
        }
        world = world.with_input(&given);
    }
    let mut symbolic = program::symbolic(&options.program.symbolic, &world)?;
    if options.program.symbolic.is_empty() {
        symbolic = everything(&world, &given)?;
    }
    let first = symbolic.first(&world);
    let input = Input { named: given.named, ..first };
    Ok(Given { world, symbolic, input })
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
        std::fs::write(folder.join(format!("{number:04}.json")), text).with_context(cannot)?;
    }
    Ok(())
}
