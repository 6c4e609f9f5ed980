//! From a failing test to the run of the program that went wrong.

use super::input::{Given, Place, everything};
use super::record::{Recorded, record};
use super::starts::Start;
use crate::cli::{Linked, ProgramOptions};
use crate::commands::program::{Two, load_two, names};
use crate::context::Context;
use crate::scratch::Scratch;
use anyhow::{Context as _, Result, bail};
use bstr::{BString, ByteSlice};
use hydrogen_evidence::Input;
use hydrogen_history::checkout::Checkouts;
use hydrogen_machine::{Limits, Program, World};
use hydrogen_pair::{Observable, Outcome};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// So many bytes of files that a program read may change.
const MOST_BYTES: usize = 1 << 16;

/// So many starts that go wrong are kept.
const MOST_FAILING: usize = 20;

/// What the test starts.
pub struct Tested {
    recorded: Recorded,
    test: String,
    /// Behind the checkout, so that it goes last.
    _scratch: Scratch,
}

/// What the starts of a test say.
pub struct Judged {
    /// The starts with which the versions differ, in the order in which they came.
    pub failing: Vec<Failing>,
    /// How many starts were compared.
    pub compared: usize,
    /// Why others were not, by reason, with an example.
    pub open: BTreeMap<String, String>,
}

/// A start that goes wrong: the versions, as the program that was started, its input, and how one would write it.
pub struct Failing {
    pub two: Rc<Two>,
    pub given: Given,
    pub start: String,
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
    Ok(Ok(Tested { recorded, test: test.to_owned(), _scratch: scratch }))
}

impl Tested {
    /// The programs that were started, each with its starts, in the order in which they came.
    fn programs(&self) -> Vec<(&str, Vec<&Start>)> {
        let mut all: Vec<(&str, Vec<&Start>)> = Vec::new();
        for start in &self.recorded.starts {
            match all.iter_mut().find(|(program, _)| *program == start.program) {
                Some((_, starts)) => starts.push(start),
                None => all.push((&start.program, vec![start])),
            }
        }
        all
    }

    /// Where several files have a `main` and it is not known what was linked: the one that is named like the program.
    fn unit_of(&self, program: &str) -> Option<String> {
        let name = format!("{}.c", program.rsplit('/').next().unwrap_or(program));
        let files = self.recorded.checkout.files().iter();
        let mut fitting = files.filter(|file| {
            let path = file.path.to_string();
            path == name || path.ends_with(&format!("/{name}"))
        });
        let found = fitting.next()?.path.to_string();
        fitting.next().is_none().then_some(found)
    }

    /// The starts of programs with which the versions differ.
    pub fn failing(
        &self,
        context: &Context,
        options: &ProgramOptions,
        limits: &Limits,
        observables: &[Observable],
        (interrupt, deadline): (&Arc<AtomicBool>, Instant),
    ) -> Result<Judged> {
        let mut judged = Judged { failing: Vec::new(), compared: 0, open: BTreeMap::new() };
        // A test that fails is no build that fails.
        let command = format!("(\n{}\n) </dev/null; true", self.test);
        for (program, starts) in self.programs() {
            let linked = Linked { command: command.clone(), output: program.to_owned() };
            let options = ProgramOptions { linked: Some(linked), ..options.clone() };
            let loaded = load_two(context, &options, interrupt).or_else(|first| {
                let unit = options.unit.clone().or_else(|| self.unit_of(program));
                let named = ProgramOptions { unit, ..options.clone() };
                if named.unit == options.unit { Err(first) } else { load_two(context, &named, interrupt) }
            });
            let two = match loaded {
                Ok(two) => Rc::new(two),
                Err(error) => {
                    judged.open.insert(format!("{program} cannot be read: {error:#}"), shown(starts[0]));
                    continue;
                }
            };
            let programs = [two.old.program(), two.new.program()];
            for start in starts {
                if Instant::now() >= deadline {
                    judged.open.insert("the time was over".into(), shown(start));
                    return Ok(judged);
                }
                let given = self.given(start, programs, limits)?;
                let [old, new] = programs.map(|program| given.outcome(program, limits));
                if let Some(why) = [&old, &new].into_iter().find_map(Outcome::cut) {
                    judged.open.insert(why.to_owned(), shown(start));
                    continue;
                }
                judged.compared += 1;
                if !old.same(&new, observables) {
                    let (two, start) = (Rc::clone(&two), shown(start));
                    judged.failing.push(Failing { two, given, start });
                    if judged.failing.len() == MOST_FAILING {
                        return Ok(judged);
                    }
                }
            }
        }
        Ok(judged)
    }

    /// The world of a start: with the files as they were, and with what may change of it.
    fn given(&self, start: &Start, programs: [&Program; 2], limits: &Limits) -> Result<Given> {
        let kept = &self.recorded.kept;
        let found = kept.lay_out(start).context("cannot lay out the files of a run")?;
        let args = std::iter::once(start.called.clone()).chain(start.args.iter().cloned());
        let mut world = World::new(args).with_stdin(start.stdin.clone());
        world.environment = start.environment.clone();
        let cannot = || format!("cannot map {}", found.root.display());
        world = world.with_folder(&found.root, "/").with_context(cannot)?;
        for (at, folder) in &found.others {
            world = world.with_folder(folder, &at.to_string_lossy()).with_context(cannot)?;
        }
        world = world.with_root_at(&kept.root.to_string_lossy());
        let inside = match &found.inside {
            Some(inside) => format!("/{}", inside.to_string_lossy()),
            None => start.folder.to_string_lossy().into_owned(),
        };
        world = world.in_folder(&inside).with_context(|| format!("{inside} is not there any more"))?;
        let mut input = Input::default();
        let mut left = MOST_BYTES;
        for program in programs {
            for (name, content) in program.run(world.clone(), limits.clone()).world.read_files() {
                // Relative names are what people know.
                let name = if inside == "/" { name.trim_start_with(|c| c == '/').into() } else { name };
                if content.len() <= left && !input.files.contains_key(&name) {
                    left -= content.len();
                    input.files.insert(name, content.to_vec());
                }
            }
        }
        let mut symbolic = everything(&world, &input)?;
        for name in &start.set {
            let len = world.variable(name).map_or(0, |(_, value)| value.len());
            if len > 0 {
                symbolic.environment.insert(name.clone(), len);
            }
        }
        let bound = found.inside.is_none() || kept.is_bound(start);
        let place = Place { root: found.root, inside: found.inside.unwrap_or_default(), bound };
        let first = symbolic.first(&world);
        Ok(Given { world, symbolic, input: first, place: Some(place) })
    }
}

/// A start as one would write it.
fn shown(start: &Start) -> String {
    let words = std::iter::once(&start.called).chain(&start.args).map(BString::to_string);
    let line = words.collect::<Vec<_>>().join(" ");
    match start.stdin.is_empty() {
        true => line,
        false => format!("{line} < ({} bytes)", start.stdin.len()),
    }
}
