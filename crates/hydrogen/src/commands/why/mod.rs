//! `hydrogen why A..B`: a test passes in the old version and fails in the new one. Which statement is the reason?

mod beyond;
mod confirm;
mod defined;
mod finding;
mod further;
mod input;
mod last;
mod oracle;
mod record;
mod reduce;
mod setup;
mod starts;
mod tested;
mod written;

use super::program::Two;
use super::{Outcome, program};
use crate::cli::{WhyFormat, WhyMetric, WhyMode, WhyOptions};
use crate::context::Context;
use anyhow::{Result, bail};
use hydrogen_evidence::Input;
use hydrogen_machine::Limits;
use hydrogen_pair::{Observable, Setting, unsteady};
use hydrogen_report::why as report;
use hydrogen_why::{Ask, Metric, Mode, Told, WhyError, explain};
use input::Given;
use setup::{Answered, Runs, Setup, setup};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Longer runs are cut, unless the user wants them whole.
const STEPS: u64 = 200_000_000;

pub fn run(context: &Context, options: &WhyOptions) -> Result<Outcome> {
    let started = Instant::now();
    let interrupt = context.cancel_flag();
    if let Some(id) = &options.finding {
        return finding::run(context, options, id);
    }
    let observables = observables(options.of.as_deref())?;
    let mut limits = program::limits(&options.program, Arc::clone(&interrupt));
    limits.steps = options.program.steps.unwrap_or(STEPS);
    limits.go_on = options.faults.goes_on();
    let spinner = crate::progress::spinner(context.is_quiet());
    let runs = Runs {
        limits: &limits,
        observables: &observables,
        interrupt: &interrupt,
        say: &|what| spinner.set_message(what),
    };
    let setup = match setup(context, options, &runs)? {
        Ok(setup) => setup,
        Err(Answered(message, outcome)) => {
            spinner.finish_and_clear();
            context.output(&message)?;
            return Ok(outcome);
        }
    };
    let Setup { two, given, programs, since, .. } = &setup;
    let (old, new) = (two.old.program(), two.new.program());
    let deadline = Instant::now() + options.budget;
    spinner.set_message("running both versions");
    if let Some(message) = beyond::beyond(two, given, &limits) {
        spinner.finish_and_clear();
        context.output(&message)?;
        return Ok(Outcome::Undecided);
    }
    if let Some(why) = nobody_writes(&observables, &[old, new].map(|program| given.outcome(program, &limits)))
    {
        spinner.finish_and_clear();
        bail!("{why}");
    }
    let given = match options.reduce {
        true => &reduce::reduce(given, [old, new], &limits, &observables),
        false => given,
    };
    let judge = options.oracle.as_deref().map(|command| oracle::Judge::new(command, &interrupt));
    let promised = match &options.contract {
        Some(file) => Some(oracle::Promised::read(&context.path(file), given, new, &observables)?),
        None => None,
    };
    if let Some(promised) = &promised {
        let [old, new] = [old, new].map(|program| given.outcome(program, &limits));
        if !old.same(&new, &observables) && promised.passes(&given.input, &old, &new) {
            spinner.finish_and_clear();
            context.output("the versions differ as the contract says: there is nothing to explain\n")?;
            return Ok(Outcome::BadInput);
        }
    }
    let says = |input: &Input, old: &hydrogen_pair::Outcome, new: &hydrogen_pair::Outcome| match &promised {
        Some(promised) => Some(promised.passes(input, old, new)),
        None => judge.as_ref().and_then(|judge| judge.passes(new)),
    };
    let asks_user = judge.is_some() || promised.is_some();
    let asking = Asking {
        options,
        limits: &limits,
        observables: &observables,
        deadline,
        oracle: asks_user.then_some(&says as &hydrogen_why::Oracle<'_>),
    };
    let ask = asking.about(two, given);
    let found = {
        let budget = options.budget;
        let _last = last::LastMoment::of_budget(deadline - budget, budget, move || {
            tracing::error!(
                "no answer within {} s: the conditions of these runs are too large; fewer bytes of the input may change \
                 (--symbolic), or a smaller input (--reduce)",
                budget.as_secs()
            );
            std::process::exit(i32::from(Outcome::Undecided.code()));
        });
        explain(&ask)
    };
    if found.is_err() || interrupt.load(Ordering::Relaxed) {
        spinner.finish_and_clear();
    }
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
        Err(WhyError::Late(steps)) => {
            context.output(&beyond::late(&ask, steps, options.budget))?;
            return Ok(Outcome::Undecided);
        }
        found => found?,
    };
    spinner.set_message("looking into the other starts of the test");
    let further = match options.contract {
        None => further::further(&found, &setup.further, deadline, &|one| asking.about(&one.two, &one.given)),
        Some(_) => (Vec::new(), setup.further.len()),
    };
    spinner.finish_and_clear();
    let mut disturbed = Vec::new();
    for (name, program) in [(&two.old.name, old), (&two.new.name, new)] {
        let world = given.symbolic.world(program, &given.world, &given.input);
        for (what, difference) in unsteady(program, &world, &Input::default(), &limits, &observables) {
            disturbed.push(format!("{} of {name} depends on {what}", difference.observable));
        }
    }
    let given_names = program::names(programs)?;
    let native = confirm::natively(context, two, given, &limits, &found);
    let told = Told {
        names: [&two.old.name, &two.new.name],
        input: &given.input,
        found: &found,
        unsteady: disturbed,
        native,
        since: since.clone(),
        start: setup.start.as_deref(),
        further,
        written: written::written(two, &found),
        defined: defined::defined(context, [&given_names.0, &given_names.1], &found),
        seconds: started.elapsed().as_secs_f64(),
    };
    if let Some(folder) = &options.save_tests {
        input::save(&context.path(folder), &found)?;
    }
    context.output(&match options.format {
        WhyFormat::Text => report::text(&told),
        WhyFormat::Html => {
            let [old, new] = program::sources_of(context, [&given_names.0, &given_names.1])?;
            report::html(&told, [&old, &new])
        }
        WhyFormat::Md => report::markdown(&told),
        WhyFormat::Json => report::json(&told),
    })?;
    Ok(match (&found.wrong, found.equivalent) {
        (None, Some(true)) => Outcome::Done,
        (None, _) => Outcome::BadInput,
        (Some(_), _) if found.suspects.is_empty() => Outcome::Undecided,
        _ => Outcome::Findings,
    })
}

/// What all questions of a command have in common.
struct Asking<'a> {
    options: &'a WhyOptions,
    limits: &'a Limits,
    observables: &'a [Observable],
    deadline: Instant,
    oracle: Option<&'a hydrogen_why::Oracle<'a>>,
}

impl<'a> Asking<'a> {
    fn about(&self, two: &'a Two, given: &'a Given) -> Ask<'a> {
        let options = self.options;
        Ask {
            old: two.old.program(),
            new: two.new.program(),
            setting: Setting { world: &given.world, symbolic: &given.symbolic, limits: self.limits },
            input: &given.input,
            observables: self.observables,
            mode: match options.mode {
                WhyMode::Rsc => Mode::Relevant,
                WhyMode::Pc => Mode::Path,
                WhyMode::Tr2008 => Mode::Plain,
            },
            long: hydrogen_why::LONG,
            metric: match options.metric {
                WhyMetric::Branches => Metric::Branches,
                WhyMetric::Statements => Metric::Statements,
                WhyMetric::Blocks => Metric::Blocks,
                WhyMetric::Paths => Metric::Paths,
            },
            preconditions: options.preconditions,
            predicates: options.predicates,
            only_source: options.only_source,
            trusted: &options.trust,
            deadline: Some(self.deadline),
            oracle: self.oracle,
        }
    }
}

/// Why there is no such output: neither version writes a file of this name, or names an output.
fn nobody_writes(observables: &[Observable], outcomes: &[hydrogen_pair::Outcome; 2]) -> Option<String> {
    match observables {
        [Observable::File(name)] if outcomes.iter().all(|outcome| !outcome.files.contains_key(name)) => {
            let all: BTreeSet<String> =
                outcomes.iter().flat_map(|outcome| outcome.files.keys()).map(ToString::to_string).collect();
            Some(match all.is_empty() {
                true => format!("`--of file:{name}`: neither version writes a file"),
                false => format!(
                    "`--of file:{name}`: neither version writes that; they write {}",
                    all.into_iter().collect::<Vec<_>>().join(", ")
                ),
            })
        }
        [Observable::Named] if outcomes.iter().all(|outcome| outcome.named.is_empty()) => {
            Some("`--of named`: neither version names an output (`hydrogen_output`)".to_owned())
        }
        _ => None,
    }
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
        Some("memory") => vec![Observable::Memory],
        Some(name) => match name.strip_prefix("file:") {
            Some(name) => vec![Observable::File(name.into())],
            None => bail!("`--of {name}`: write stdout, stderr, exit, files, file:NAME, named or memory"),
        },
    })
}
