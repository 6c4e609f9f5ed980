//! `hydrogen compare A..B`: which changed functions behave as before.

mod bounded;
mod deltas;
mod folder;
mod further;
mod partition;
mod partition_kept;
mod partition_tests;
mod runs;
mod told;
mod whole;

use super::Outcome;
use crate::cli::{CompareFormat, CompareOptions};
use crate::context::Context;
use anyhow::{Context as _, Result, bail};
use bounded::Bounded;
use bstr::BString;
use further::Further;
use hydrogen_align::changed_variables;
use hydrogen_evidence::compared::{Compared, Shown, Word};
use hydrogen_frontend::{Command, Pool};
use hydrogen_ir::{FunctionId, Module};
use hydrogen_relate::{Options, Verdict, compare_programs};
use hydrogen_report::compared as report;
use runs::{Runs, Searched};
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// A version as one program.
pub struct Side {
    pub name: String,
    /// What the user wrote for it.
    pub given: String,
    pub module: Module,
    /// Units that could not be read.
    pub missing: Vec<String>,
}

/// What is said of a function.
pub struct Row {
    pub name: String,
    /// The function in either version's module.
    pub old: FunctionId,
    pub new: FunctionId,
    pub place: String,
    pub verdict: Verdict,
    /// A difference that was run.
    pub difference: Option<Shown>,
    /// What the search for one has to say.
    pub note: Option<String>,
    /// What exploring its calls came to, where it is not proved.
    pub explored: Option<Bounded>,
    /// Whether the program leads to it, where that is not so or not known.
    pub reach: Option<String>,
    /// What the checker says to the proof, where it was asked.
    pub checked: Option<&'static str>,
}

pub fn run(context: &Context, options: &CompareOptions) -> Result<Outcome> {
    if !options.partition.inputs.is_empty() {
        return partition::run(context, options);
    }
    let interrupt = context.cancel_flag();
    let folder = context.output_path();
    if let Some(folder) = folder.as_ref().filter(|folder| folder.is_file()) {
        bail!("{} is a file; --output names the folder for the differences", folder.display());
    }
    let (old, new) = sides(context, &options.what, &interrupt)?;
    if options.deltas {
        return deltas::run(context, options, (&old, &new));
    }
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
    let stop = Arc::new(AtomicBool::new(false));
    let limits = Options {
        assume_defined: options.assume_defined,
        time: options.function_budget,
        // What reading the versions took counts.
        deadline: options.budget.map(|budget| Instant::now() + budget.saturating_sub(context.elapsed())),
        stop: options.stop_on_difference.then(|| Arc::clone(&stop)),
        ..Options::default()
    };
    let spinner = crate::progress::spinner(context.is_quiet());
    let mut runs = Runs::new(context, options, &interrupt, &changed_variables(&old.module, &new.module));
    let (mut found, mut notes): (BTreeMap<FunctionId, Shown>, BTreeMap<FunctionId, String>) =
        Default::default();
    let comparison = compare_programs(
        &old.module,
        &new.module,
        wanted.as_ref(),
        &limits,
        |name| spinner.set_message(format!("comparing {name}")),
        |one, other, given| {
            let name = &old.module.function(one).name;
            spinner.set_message(format!("running {name}"));
            match runs.search((&old.module, one), (&new.module, other), given) {
                Searched::Found(shown) => {
                    stop.store(true, Ordering::Relaxed);
                    found.insert(one, *shown);
                    true
                }
                Searched::Nothing(note) => {
                    notes.extend(note.map(|note| (one, note)));
                    false
                }
            }
        },
    );
    let row = |judged: hydrogen_relate::Judged| {
        let function = new.module.function(judged.new);
        let file = function.file().map_or("", |file| new.module.file(file));
        let place = format!("{file}:{}", function.line().unwrap_or(0));
        let (difference, note) = (found.remove(&judged.old), notes.remove(&judged.old));
        Row {
            name: judged.name,
            old: judged.old,
            new: judged.new,
            place,
            verdict: judged.verdict,
            difference,
            note,
            explored: None,
            reach: None,
            checked: None,
        }
    };
    let mut rows: Vec<Row> = comparison.judged.into_iter().map(row).collect();
    let further =
        Further { context, options, old: &old, new: &new, end: limits.deadline, interrupt: &interrupt };
    further.explore(&mut rows, &mut runs, |words| spinner.set_message(words));
    if options.check_proofs {
        further.check(&mut rows, |words| spinner.set_message(words));
    }
    let whole = further.reach(&mut rows, |words| spinner.set_message(words));
    spinner.finish_and_clear();
    let all = Compared {
        old: old.told(),
        new: new.told(),
        functions: rows.iter().map(Row::told).collect(),
        removed: &comparison.removed,
        added: &comparison.added,
        variables: &comparison.variables,
        whole: whole.as_ref(),
    };
    let text = match options.format {
        CompareFormat::Text => report::text(&all),
        CompareFormat::Json => report::json(&all),
        CompareFormat::Md => report::markdown(&all),
        CompareFormat::Html => report::html(&all),
    };
    match &folder {
        Some(folder) => {
            folder::write(folder, &rows, &old, &new)?;
            crate::output::write(None, crate::output::shown(&text, false).as_bytes())?;
        }
        None => context.output(&text)?,
    }
    // Nothing is known of the functions of a unit that could not be read.
    let is_whole = old.missing.is_empty() && new.missing.is_empty() && comparison.variables.is_empty();
    let is_any = |word: Word| all.functions.iter().any(|function| function.word() == word);
    Ok(if is_any(Word::Differs) {
        Outcome::Findings
    } else if is_any(Word::Open) || !is_whole {
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
        return Ok(Side { name: label.to_owned(), given: path.to_owned(), module, missing: Vec::new() });
    }
    let versions = [context.resolve_one(name)?];
    let modeller = context.modeller_with(Arc::clone(interrupt), Vec::new())?;
    let models = context.models(&modeller, &versions, false)?;
    let mut seen = BTreeSet::new();
    let mut modules = Vec::new();
    // A library built both static and shared has each unit twice; a program is linked of one of them, in each version of the same one.
    let chosen = |file: &str| {
        let of_file = models[0].units.iter().filter(|unit| unit.file == file);
        of_file.map(|unit| (unit.object.len(), &unit.object)).min()
    };
    for unit in &models[0].units {
        if chosen(&unit.file) == Some((unit.object.len(), &unit.object)) && seen.insert(&unit.file) {
            modules.push(Arc::unwrap_or_clone(modeller.module(unit)?));
        }
    }
    if modules.is_empty() {
        let why =
            models[0].failures.first().map_or(String::new(), |failure| format!(": {}", failure.message));
        bail!(hydrogen_program::Error::Empty { version: name.to_owned(), why });
    }
    let missing = models[0].failures.iter().map(|failure| failure.message.clone()).collect();
    let linked = hydrogen_ir::link::link(modules);
    for conflict in &linked.conflicts {
        tracing::info!("{name}: {conflict}");
    }
    Ok(Side { name: versions[0].name.clone(), given: name.to_owned(), module: linked.module, missing })
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
