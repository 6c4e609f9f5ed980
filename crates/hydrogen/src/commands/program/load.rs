//! From what the user names to a program that can run.

use crate::cli::ProgramOptions;
use crate::context::Context;
use anyhow::{Context as _, Result, bail};
use bstr::BString;
use hydrogen_frontend::{Command, Pool};
use hydrogen_history::version::Version;
use hydrogen_ir::Module;
use hydrogen_machine::{Library, Program};
use hydrogen_model::Modeller;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A program, and what names it among all programs: a hash of its own units and of the library.
pub struct Loaded {
    pub program: Program,
    pub key: [u8; 32],
    /// The files of its units.
    pub units: Vec<String>,
    /// For a version: itself, and who knows how it is compiled.
    pub version: Option<(Modeller, Version)>,
}

pub fn load(context: &Context, options: &ProgramOptions, interrupt: &Arc<AtomicBool>) -> Result<Loaded> {
    let library = Library::find();
    if library.is_none() {
        tracing::warn!(
            "the C library is missing: run scripts/musl.sh once (the set-up does it where the network allows)"
        );
    }
    let flag = Arc::clone(interrupt);
    let lower = Pool::default_program();
    let pool = Pool::new(lower.clone(), Default::default(), move || flag.load(Ordering::Relaxed));
    let mut headers = library.as_ref().map(Library::arguments).unwrap_or_default();
    headers.extend(["-isystem".into(), own_headers(context)?]);
    let is_source = |name: &String| name.ends_with(".c") || name.ends_with(".i");
    let (modules, version) = match options.programs.as_slice() {
        files if files.iter().all(is_source) => (compile(context, options, &pool, &headers)?, None),
        [version] => {
            let (modules, version) = model(context, options, version, headers, interrupt)?;
            (modules, Some(version))
        }
        _ => bail!("give C files, or one version; these are several"),
    };
    let modules = one_entry(modules, options)?;
    let units = modules.iter().map(|module| module.name.clone()).collect();
    let mut key = blake3::Hasher::new();
    for module in &modules {
        key.update(&hydrogen_ir::encode(module));
    }
    let archive = match &library {
        Some(library) => {
            let progress = |done: usize, all: usize| {
                if done == 1 {
                    tracing::warn!("compiling the C library once, {all} files");
                }
            };
            Some(library.archive(&pool, &lower, &progress).context("the C library cannot be prepared")?)
        }
        None => None,
    };
    if let Some(archive) = &archive {
        key.update(&archive.key);
    }
    let program = Program::load(modules, archive.as_ref());
    for conflict in &program.conflicts {
        tracing::warn!("{conflict}");
    }
    if program.find(&options.entry).is_none() {
        bail!("no unit defines `{}`; name another entry point with --entry", options.entry);
    }
    Ok(Loaded { program, key: *key.finalize().as_bytes(), units, version })
}

/// The folder of `hydrogen.h`. Where the cache cannot be written, a folder for temporary files.
fn own_headers(context: &Context) -> Result<BString> {
    let usual = context.cache_directory()?.join("include");
    let folder = match hydrogen_machine::write_headers(&usual) {
        Ok(()) => usual,
        Err(_) => {
            let other = std::env::temp_dir().join("hydrogen-include");
            hydrogen_machine::write_headers(&other)
                .with_context(|| format!("cannot write hydrogen.h into {}", other.display()))?;
            other
        }
    };
    Ok(BString::from(folder.as_os_str().as_bytes()))
}

/// Compiles C files against the library's headers.
fn compile(
    context: &Context,
    options: &ProgramOptions,
    pool: &Pool,
    headers: &[BString],
) -> Result<Vec<Module>> {
    let here = BString::from(context.here().as_os_str().as_bytes());
    let flags = options.cflags.as_deref().unwrap_or("");
    let flags = shlex::split(flags).with_context(|| format!("`{flags}` has an open quote"))?;
    let mut modules = Vec::new();
    for name in &options.programs {
        let path = context.path(Path::new(name));
        if !path.exists() {
            bail!("{} does not exist", path.display());
        }
        let mut arguments: Vec<BString> = vec!["cc".into(), "-c".into()];
        arguments.extend(flags.iter().map(|flag| flag.as_str().into()));
        arguments.extend(headers.iter().cloned());
        let file = BString::from(path.as_os_str().as_bytes());
        arguments.push(file.clone());
        let command = Command { directory: here.clone(), root: here.clone(), file, arguments };
        let modelled = pool.model(&command)?;
        modules.push(hydrogen_ir::decode(&modelled.module)?);
    }
    Ok(modules)
}

/// The units of a version, compiled against the library's headers.
fn model(
    context: &Context,
    options: &ProgramOptions,
    version: &str,
    headers: Vec<BString>,
    interrupt: &Arc<AtomicBool>,
) -> Result<(Vec<Module>, (Modeller, Version))> {
    let versions = [context.resolve_one(version)?];
    let modeller = context.modeller_with(Arc::clone(interrupt), headers)?;
    let models = context.models(&modeller, &versions, false)?;
    let mut seen = std::collections::BTreeSet::new();
    let mut modules = Vec::new();
    for unit in &models[0].units {
        // A library built both static and shared has each unit twice; a program is linked of one of them.
        if seen.insert(&unit.file) {
            modules.push(Arc::unwrap_or_clone(modeller.module(unit)?));
        }
    }
    if modules.is_empty() {
        bail!("{version} has no unit that compiles{}", missing(&models[0], options));
    }
    let [version] = versions;
    Ok((modules, (modeller, version)))
}

fn missing(model: &hydrogen_model::VersionModel, _options: &ProgramOptions) -> String {
    model.failures.first().map_or(String::new(), |failure| format!(": {}", failure.message))
}

/// Leaves one unit with the entry point: a repository often holds several programs.
fn one_entry(modules: Vec<Module>, options: &ProgramOptions) -> Result<Vec<Module>> {
    let defines = |module: &Module| {
        module.functions.iter().any(|one| {
            one.name == options.entry && one.body.is_some() && one.linkage == hydrogen_ir::Linkage::External
        })
    };
    let names: Vec<String> = modules.iter().filter(|one| defines(one)).map(|one| one.name.clone()).collect();
    let chosen = match (&options.unit, names.as_slice()) {
        (None, [] | [_]) => return Ok(modules),
        (Some(unit), names) => {
            let found: Vec<&String> = names.iter().filter(|name| name.ends_with(unit.as_str())).collect();
            match found.as_slice() {
                [one] => (*one).clone(),
                _ => bail!(
                    "`--unit {unit}` names {} of the units with `{}`: {}",
                    found.len(),
                    options.entry,
                    names.join(", ")
                ),
            }
        }
        (None, names) => {
            bail!("several units define `{}`: choose one with --unit: {}", options.entry, names.join(", "))
        }
    };
    Ok(modules.into_iter().filter(|one| !defines(one) || one.name == chosen).collect())
}
