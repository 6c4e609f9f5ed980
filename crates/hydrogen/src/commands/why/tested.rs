//! From a failing test to the run of the program that went wrong.

use super::input::{Given, everything};
use super::record::{Recorded, Start, record};
use crate::commands::program::names;
use crate::context::Context;
use crate::scratch::Scratch;
use anyhow::{Context as _, Result, bail};
use bstr::BString;
use hydrogen_evidence::Input;
use hydrogen_history::checkout::Checkouts;
use hydrogen_machine::{Limits, Program, World};
use hydrogen_pair::{Observable, Outcome};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What the test starts.
pub struct Tested {
    recorded: Recorded,
    /// The file with the program's `main`, where the program's name says it.
    unit: Option<String>,
    /// Behind the checkout, so that it goes last.
    _scratch: Scratch,
}

/// Runs the test; a message where there is nothing to explain.
pub fn run(
    context: &Context,
    programs: &[String],
    test: &str,
    interrupt: &AtomicBool,
) -> Result<Result<Tested, String>> {
    let (old, new) = names(programs)?;
    if [&old, &new].iter().any(|name| name.ends_with(".c") || name.ends_with(".i")) {
        bail!("--test runs in checkouts: give two revisions or folders, or the failing run itself: -- ARGS");
    }
    let versions = [context.resolve_one(&old)?, context.resolve_one(&new)?];
    let scratch = Scratch::new("why")?;
    let checkouts = Checkouts::with_trees(&scratch.path().join("checkouts"), Arc::clone(&context.trees))?;
    let recorded = match record(&checkouts, [&versions[0], &versions[1]], test, interrupt)? {
        Ok(recorded) => recorded,
        Err(message) => return Ok(Err(message)),
    };
    let unit = recorded.starts.first().and_then(|start| unit_of(&recorded, &start.program));
    Ok(Ok(Tested { recorded, unit, _scratch: scratch }))
}

/// Where several files have a `main`: the one that is named like the program.
fn unit_of(recorded: &Recorded, program: &str) -> Option<String> {
    let name = format!("{program}.c");
    let files = recorded.checkout.files().iter();
    let mut fitting = files.filter(|file| {
        let path = file.path.to_string();
        path == name || path.ends_with(&format!("/{name}"))
    });
    let found = fitting.next()?.path.to_string();
    fitting.next().is_none().then_some(found)
}

impl Tested {
    pub fn unit(&self) -> Option<String> {
        self.unit.clone()
    }

    pub fn count(&self) -> usize {
        self.recorded.starts.len()
    }

    /// The first start of the program with which the versions differ.
    pub fn failing(
        &self,
        programs: [&Program; 2],
        limits: &Limits,
        observables: &[Observable],
    ) -> Result<Option<Given>> {
        for start in &self.recorded.starts {
            let given = given(start)?;
            let [old, new] = programs.map(|program| {
                let run = program.run(given.world.with_input(&given.input), limits.clone());
                Outcome::of(&run.end, &run.world, None)
            });
            if !old.same(&new, observables) {
                return Ok(Some(given));
            }
        }
        Ok(None)
    }
}

fn given(start: &Start) -> Result<Given> {
    let args = std::iter::once(BString::from(start.program.as_str())).chain(start.args.iter().cloned());
    let mut world = World::new(args).with_stdin(start.stdin.clone());
    if start.folder.is_dir() {
        world = world
            .with_folder(&start.folder, "/")
            .with_context(|| format!("cannot map {}", start.folder.display()))?;
    }
    let files = Input { files: start.files.clone(), ..Input::default() };
    world = world.with_input(&files);
    let symbolic = everything(&world, &files)?;
    let first = symbolic.first(&world);
    Ok(Given { world, symbolic, input: first })
}
