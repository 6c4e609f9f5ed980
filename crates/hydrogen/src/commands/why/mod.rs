//! `hydrogen why A..B`: a test passes in the old version and fails in the new one. Which statement is the reason?

mod confirm;
mod input;
mod json;
mod oracle;
mod page;
mod record;
mod reduce;
mod tested;
mod text;
mod words;

use super::mine::introducing;
use super::{Outcome, program};
use crate::cli::{WhyFormat, WhyMode, WhyOptions};
use crate::context::Context;
use anyhow::{Result, bail};
use hydrogen_pair::{Observable, Setting, unsteady};
use hydrogen_why::{Ask, Explanation, Mode, WhyError, explain};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Longer runs are cut, unless the user wants them whole.
const STEPS: u64 = 200_000_000;

/// Everything that a report says.
pub struct Told<'a> {
    pub names: [&'a str; 2],
    pub input: &'a hydrogen_evidence::Input,
    pub found: &'a Explanation,
    /// What the input does not determine, by version.
    pub unsteady: Vec<String>,
    /// What native builds of both versions said, for the inputs that are shown.
    pub native: Vec<String>,
    /// The commit that brought the failure, where it was looked for.
    pub since: Option<String>,
    pub seconds: f64,
}

pub fn run(context: &Context, options: &WhyOptions) -> Result<Outcome> {
    let started = Instant::now();
    let deadline = started + options.budget;
    let interrupt = context.cancel_flag()?;
    if options.program.function.is_some() {
        bail!("`why` starts whole programs; for one function write a small `main` that calls it");
    }
    let observables = observables(options.of.as_deref())?;
    let mut limits = program::limits(&options.program, Arc::clone(&interrupt));
    limits.steps = options.program.steps.unwrap_or(STEPS);
    let spinner = crate::progress::spinner(context.is_quiet());
    // Last to go: programs read the files that the test left.
    let mut tested = None;
    let mut program_options = options.program.clone();
    let mut since = None;
    if let Some(test) = options.test.as_ref().filter(|_| options.bisect) {
        spinner.set_message("looking for the commit");
        let (old, new) = program::names(&program_options.programs)?;
        let Some(commit) = introducing(context, test, &old, &new)? else {
            spinner.finish_and_clear();
            context.output("no single commit is known to have broken the test\n")?;
            return Ok(Outcome::Undecided);
        };
        let Some(parent) = commit.parents.first() else {
            bail!("the first commit broke the test: nothing is before it")
        };
        program_options.programs = vec![parent.clone(), commit.commit.clone()];
        since = Some(format!(
            "since {} of {} by {}: {}",
            &commit.commit[..10],
            commit.date(),
            commit.author,
            commit.summary
        ));
    }
    if let Some(test) = &options.test {
        spinner.set_message("running the test in both versions");
        match tested::run(context, &program_options.programs, test, &interrupt)? {
            Ok(found) => {
                program_options.unit = program_options.unit.or_else(|| found.unit());
                tested = Some(found);
            }
            Err(message) => {
                spinner.finish_and_clear();
                context.output(&format!("{message}\n"))?;
                return Ok(Outcome::BadInput);
            }
        }
    }
    spinner.set_message("reading both versions");
    let two = program::load_two(context, &program_options, &interrupt)?;
    let (old, new) = (two.old.program(), two.new.program());
    let given = match &tested {
        None => input::of(context, options)?,
        Some(tested) => match tested.failing([old, new], &limits, &observables)? {
            Some(given) => given,
            None => {
                spinner.finish_and_clear();
                context.output(&format!(
                    "the test fails, but none of the {} runs that it starts differs between the versions in the machine\n",
                    tested.count()
                ))?;
                return Ok(Outcome::Undecided);
            }
        },
    };
    spinner.set_message("running both versions");
    let given = match options.reduce {
        true => reduce::reduce(given, [old, new], &limits, &observables),
        false => given,
    };
    let judge = options.oracle.as_deref().map(|command| oracle::Judge::new(command, &interrupt));
    let oracle = judge.as_ref().map(|judge| {
        move |_: &hydrogen_evidence::Input, _: &hydrogen_pair::Outcome, new: &hydrogen_pair::Outcome| {
            judge.passes(new)
        }
    });
    let ask = Ask {
        old,
        new,
        setting: Setting { world: &given.world, symbolic: &given.symbolic, limits: &limits },
        input: &given.input,
        observables: &observables,
        mode: match options.mode {
            WhyMode::Rsc => Mode::Relevant,
            WhyMode::Pc => Mode::Path,
            WhyMode::Tr2008 => Mode::Plain,
        },
        only_source: options.only_source,
        trusted: &options.trust,
        deadline: Some(deadline),
        oracle: oracle.as_ref().map(|oracle| oracle as &hydrogen_why::Oracle<'_>),
    };
    let found = explain(&ask);
    spinner.finish_and_clear();
    if interrupt.load(Ordering::Relaxed) {
        return Ok(Outcome::Interrupted);
    }
    let found = match found {
        Err(WhyError::Cut(side, why)) => {
            tracing::error!(
                "the {side} version cannot be run to its end: {why}; `hydrogen check` and `hydrogen compare` need no run"
            );
            return Ok(Outcome::Undecided);
        }
        found => found?,
    };
    let mut disturbed = Vec::new();
    for (name, program) in [(&two.old.name, old), (&two.new.name, new)] {
        for (what, difference) in unsteady(program, &given.world, &given.input, &limits, &observables) {
            disturbed.push(format!("{} of {name} depends on {what}", difference.observable));
        }
    }
    let native = confirm::natively(context, &two, &given, &limits, &found);
    let told = Told {
        names: [&two.old.name, &two.new.name],
        input: &given.input,
        found: &found,
        unsteady: disturbed,
        native,
        since,
        seconds: started.elapsed().as_secs_f64(),
    };
    if let Some(folder) = &options.save_tests {
        input::save(&context.path(folder), &found)?;
    }
    context.output(&match options.format {
        WhyFormat::Text => text::text(&told),
        WhyFormat::Html => page::html(context, &program_options.programs, &told)?,
        WhyFormat::Md => text::markdown(&told),
        WhyFormat::Json => crate::output::json("why/1", &json::json(&told)),
    })?;
    Ok(match (&found.wrong, found.equivalent) {
        (None, Some(true)) => Outcome::Done,
        (None, _) => Outcome::BadInput,
        (Some(_), _) if found.suspects.is_empty() => Outcome::Undecided,
        _ => Outcome::Findings,
    })
}

/// What counts as output.
fn observables(of: Option<&str>) -> Result<Vec<Observable>> {
    Ok(match of {
        None => Observable::usual(),
        Some("stdout") => vec![Observable::Stdout],
        Some("stderr") => vec![Observable::Stderr],
        Some("exit" | "end") => vec![Observable::Ending],
        Some("files") => vec![Observable::Files],
        Some("named") => vec![Observable::Named],
        Some(name) => match name.strip_prefix("file:") {
            Some(name) => vec![Observable::File(name.into())],
            None => bail!("`--of {name}`: write stdout, stderr, exit, files, file:NAME or named"),
        },
    })
}
