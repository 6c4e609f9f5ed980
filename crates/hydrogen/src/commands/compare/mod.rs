//! `hydrogen compare A..B`: which changed functions behave as before.

mod replay;
mod report;

use super::Outcome;
use crate::cli::{CompareOptions, TableFormat};
use crate::context::Context;
use anyhow::{Context as _, Result, bail};
use bstr::BString;
use hydrogen_frontend::{Command, Pool};
use hydrogen_ir::Module;
use hydrogen_relate::{Argument, Options, Subject, Verdict, compare_programs};
use replay::{Replayed, Replayer};
use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Inputs that are run where no proof was found.
const TRIES: u64 = 16;

/// A version as one program.
pub struct Side {
    pub name: String,
    pub module: Module,
    /// Units that could not be read.
    pub missing: Vec<String>,
}

/// What is said of a function, after its candidate was run.
pub struct Row {
    pub name: String,
    pub place: String,
    pub verdict: Verdict,
    /// For a candidate: what the runs of both versions did.
    pub runs: Option<Replayed>,
}

impl Row {
    pub fn is_difference(&self) -> bool {
        self.runs.as_ref().is_some_and(|runs| runs.differ)
    }
}

pub fn run(context: &Context, options: &CompareOptions) -> Result<Outcome> {
    let interrupt = context.cancel_flag()?;
    let (old, new) = sides(context, &options.what, &interrupt)?;
    let wanted: Option<BTreeSet<String>> = match (options.all_functions, options.functions.as_slice()) {
        (true, _) => Some(old.module.definitions().map(|(_, function)| function.name.clone()).collect()),
        (false, []) => None,
        (false, names) => Some(names.iter().cloned().collect()),
    };
    if let Some(name) =
        options.functions.iter().find(|name| !defines(&old.module, name) || !defines(&new.module, name))
    {
        let lacking = if defines(&old.module, name) { &new.name } else { &old.name };
        bail!("{lacking} defines no function `{name}`: both versions must have it");
    }
    let limits = Options {
        assume_defined: options.assume_defined,
        time: options.function_budget,
        deadline: options.budget.map(|budget| Instant::now() + budget),
        ..Options::default()
    };
    let spinner = crate::progress::spinner(context.is_quiet());
    let comparison = compare_programs(&old.module, &new.module, wanted.as_ref(), &limits, |name| {
        spinner.set_message(format!("comparing {name}"));
    });
    let mut replayer = Replayer::new(&old, &new, &interrupt);
    let mut rows = Vec::new();
    for judged in comparison.judged {
        let function = new.module.function(judged.new);
        let file = function.file().map_or("", |file| new.module.file(file));
        let place = format!("{file}:{}", function.line().unwrap_or(0));
        // What the prover could not show is tried: nothing is called a difference that was not run.
        let mut inputs: Vec<Vec<Argument>> = Vec::new();
        if let Verdict::Candidate(candidate) = &judged.verdict {
            inputs.push(candidate.arguments.clone());
        }
        if !matches!(judged.verdict, Verdict::Equal(_)) {
            inputs.extend(hydrogen_relate::inputs(
                Subject { module: &old.module, function: judged.old },
                TRIES,
            ));
        }
        let mut runs: Option<Replayed> = None;
        for input in &inputs {
            spinner.set_message(format!("running {}", judged.name));
            let done = replayer.run(judged.old, judged.new, input, options.assume_defined);
            let (found, hopeless) = (done.differ, done.hopeless);
            if found || runs.is_none() {
                runs = Some(done);
            }
            if found || hopeless || interrupt.load(Ordering::Relaxed) {
                break;
            }
        }
        rows.push(Row { name: judged.name, place, verdict: judged.verdict, runs });
    }
    spinner.finish_and_clear();
    let all = report::All {
        old: &old,
        new: &new,
        rows: &rows,
        removed: &comparison.removed,
        added: &comparison.added,
        variables: &comparison.variables,
    };
    context.output(&match options.format {
        TableFormat::Text => report::text(&all),
        TableFormat::Json => crate::output::json("compare/1", &report::json(&all)),
    })?;
    let is_open = |row: &Row| !row.is_difference() && !matches!(row.verdict, Verdict::Equal(_));
    Ok(if rows.iter().any(Row::is_difference) {
        Outcome::Findings
    } else if rows.iter().any(is_open) || !comparison.variables.is_empty() {
        Outcome::Undecided
    } else {
        Outcome::Done
    })
}

fn defines(module: &Module, name: &str) -> bool {
    module.definitions().any(|(_, function)| function.name == name)
}

fn sides(context: &Context, what: &[String], interrupt: &Arc<AtomicBool>) -> Result<(Side, Side)> {
    let (old, new) = super::program::names(what)?;
    Ok((side(context, &old, interrupt)?, side(context, &new, interrupt)?))
}

/// One version: a C file, or anything else that names a version.
fn side(context: &Context, name: &str, interrupt: &Arc<AtomicBool>) -> Result<Side> {
    let (label, path) = name.split_once('=').unwrap_or((name, name));
    if path.ends_with(".c") || path.ends_with(".i") {
        let module = compile(context, &context.path(Path::new(path)), interrupt)?;
        return Ok(Side { name: label.to_owned(), module, missing: Vec::new() });
    }
    let versions = [context.resolve_one(name)?];
    let modeller = context.modeller_with(Arc::clone(interrupt), Vec::new())?;
    let models = context.models(&modeller, &versions, false)?;
    let mut seen = BTreeSet::new();
    let mut modules = Vec::new();
    for unit in &models[0].units {
        // A library built both static and shared has each unit twice; a program is linked of one of them.
        if seen.insert(&unit.file) {
            modules.push(Arc::unwrap_or_clone(modeller.module(unit)?));
        }
    }
    if modules.is_empty() {
        let why =
            models[0].failures.first().map_or(String::new(), |failure| format!(": {}", failure.message));
        bail!("{name} has no unit that compiles{why}");
    }
    let missing = models[0].failures.iter().map(|failure| failure.message.clone()).collect();
    let linked = hydrogen_ir::link::link(modules);
    for conflict in &linked.conflicts {
        tracing::info!("{name}: {conflict}");
    }
    Ok(Side { name: versions[0].name.clone(), module: linked.module, missing })
}

/// Compiles one file.
pub fn compile(context: &Context, path: &Path, interrupt: &Arc<AtomicBool>) -> Result<Module> {
    if !path.exists() {
        bail!("{} does not exist", path.display());
    }
    let here = BString::from(context.here().as_os_str().as_bytes());
    let file = BString::from(path.as_os_str().as_bytes());
    let command = Command {
        directory: here.clone(),
        root: here,
        file: file.clone(),
        arguments: vec!["cc".into(), "-c".into(), file],
    };
    let flag = Arc::clone(interrupt);
    let pool = Pool::new(Pool::default_program(), Default::default(), move || flag.load(Ordering::Relaxed));
    let modelled = pool.model(&command).with_context(|| format!("{} does not compile", path.display()))?;
    Ok(hydrogen_ir::decode(&modelled.module)?)
}
