//! From what the user names to a program that can run.

use crate::cli::ProgramOptions;
use crate::context::Context;
use anyhow::{Context as _, Result, bail};
use hydrogen_frontend::Pool;
use hydrogen_history::version::Version;
use hydrogen_ir::Module;
use hydrogen_model::Modeller;
use hydrogen_program::{Error, Native, Workshop, modules_of, one_entry};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The program, and for a version: itself, and who knows how it is compiled.
pub struct Loaded {
    pub linked: hydrogen_program::Loaded,
    version: Option<(Modeller, Version)>,
}

/// What programs are made with, in the user's cache.
pub fn workshop(context: &Context, interrupt: &Arc<AtomicBool>) -> Result<Workshop> {
    let flag = Arc::clone(interrupt);
    let workshop = Workshop::new(Pool::default_program(), move || flag.load(Ordering::Relaxed))?;
    if !workshop.has_library() {
        tracing::warn!(
            "the C library is missing: run scripts/musl.sh once (the set-up does it where the network allows)"
        );
    }
    Ok(workshop.with_headers(&context.cache_directory()?.join("include"))?)
}

pub fn load(context: &Context, options: &ProgramOptions, interrupt: &Arc<AtomicBool>) -> Result<Loaded> {
    let workshop = workshop(context, interrupt)?;
    let is_source = |name: &String| name.ends_with(".c") || name.ends_with(".i");
    let (modules, version) = match options.programs.as_slice() {
        files if files.iter().all(is_source) => {
            let flags = flags(options)?;
            let compile =
                |name: &String| workshop.compile(context.here(), &context.path(Path::new(name)), &flags);
            (files.iter().map(compile).collect::<Result<Vec<Module>, Error>>()?, None)
        }
        [name] => {
            let versions = [context.resolve_one(name)?];
            let modeller = context.modeller_with(Arc::clone(interrupt), workshop.arguments())?;
            let models = context.models(&modeller, &versions, false)?;
            let modules = modules_of(&modeller, name, &models[0])?;
            let [version] = versions;
            (modules, Some((modeller, version)))
        }
        _ => bail!("give C files, or one version; these are several"),
    };
    let linked = workshop.link(one_entry(modules, &options.entry, options.unit.as_deref())?);
    for conflict in &linked.program.conflicts {
        tracing::warn!("{conflict}");
    }
    if linked.program.find(&options.entry).is_none() {
        return Err(Error::NoEntry(options.entry.clone()).into());
    }
    Ok(Loaded { linked, version })
}

fn flags(options: &ProgramOptions) -> Result<Vec<String>> {
    let flags = options.cflags.as_deref().unwrap_or("");
    shlex::split(flags).with_context(|| format!("`{flags}` has an open quote"))
}

/// The program that was loaded, for the host: C files together, or the units of a version by its own compile commands.
pub fn native(context: &Context, options: &ProgramOptions, loaded: &Loaded) -> Result<Native> {
    if options.entry != "main" {
        bail!("--native starts programs in `main`, not in `{}`", options.entry);
    }
    let map = |map: &String| match map.rsplit_once(':') {
        Some((folder, "/")) => Some(context.path(Path::new(folder))),
        Some((_, at)) if at.starts_with('/') => None,
        _ => Some(context.path(Path::new(map))),
    };
    let maps: Vec<PathBuf> = options.map.iter().filter_map(map).collect();
    Ok(match &loaded.version {
        None => {
            let flags = flags(options)?;
            let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
            let files = options.programs.iter().map(|name| context.path(Path::new(name))).collect();
            Native::of_files(context.here(), files, &flags, maps)?
        }
        Some((modeller, version)) => Native::of_version(modeller, version, &loaded.linked.units, maps)?,
    })
}
