//! From what the user names to a program that can run.

use crate::cli::{Linked, ProgramOptions};
use crate::context::Context;
use anyhow::{Context as _, Result, bail};
use hydrogen_evidence::Call;
use hydrogen_frontend::Pool;
use hydrogen_history::version::Version;
use hydrogen_ir::{Function, Module};
use hydrogen_machine::{After, Program};
use hydrogen_model::Modeller;
use hydrogen_program::{CLibrary, Error, Native, Workshop};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The program, and for a version: itself, and who knows how it is compiled.
pub struct Loaded {
    pub linked: hydrogen_program::Loaded,
    pub(super) version: Option<(Modeller, Version)>,
}

impl Loaded {
    /// The version that was loaded; none for C files.
    pub fn version(&self) -> Option<&Version> {
        self.version.as_ref().map(|(_, version)| version)
    }
}

/// What programs are made with, in the user's cache.
pub fn workshop(context: &Context, interrupt: &Arc<AtomicBool>) -> Result<Workshop> {
    let flag = Arc::clone(interrupt);
    let workshop = Workshop::new(Pool::default_program(), move || flag.load(Ordering::Relaxed))?;
    context.spare(workshop.once());
    if !workshop.has_library() {
        tracing::warn!(
            "the C library is missing: run scripts/musl.sh once (the set-up does it where the network allows)"
        );
    }
    Ok(workshop.with_headers(&context.kept("include")?)?)
}

/// The units of what the user names, before they are linked.
pub struct Units {
    pub all: hydrogen_program::Units,
    version: Option<(Modeller, Version)>,
}

/// How units become something that runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// As the options say: a program with an entry point, or for one of its functions.
    Asked,
    /// For whatever functions are called: no entry point is needed.
    Library,
}

/// The units that the options name, compiled.
pub fn units(
    context: &Context,
    workshop: &Workshop,
    options: &ProgramOptions,
    interrupt: &Arc<AtomicBool>,
) -> Result<Units> {
    let is_source = |name: &String| name.ends_with(".c") || name.ends_with(".i");
    Ok(match options.programs.as_slice() {
        files if files.iter().all(is_source) => {
            let flags = flags(options)?;
            let compile = |name: &String| workshop.compile(context.here(), Path::new(name), &flags);
            let modules = files.iter().map(compile).collect::<Result<Vec<Module>, Error>>()?;
            Units { all: hydrogen_program::Units::alone(modules), version: None }
        }
        [name] => {
            let versions = [context.resolve_one(name)?];
            let mut modeller = context.modeller_with(Arc::clone(interrupt), workshop.arguments())?;
            if let Some(linked) = &options.linked {
                modeller = modeller.built_by(linked.command.clone());
            }
            let models = context.models(&modeller, &versions, false)?;
            let programs = &models[0].programs;
            if let Some(linked) = options.linked.as_ref().filter(|_| !programs.is_empty())
                && !programs.iter().any(|program| program.name == linked.name())
            {
                bail!("no program `{}` was linked of C files that could be read", linked.output);
            }
            let all = hydrogen_program::Units::of_version(&modeller, name, &models[0])?;
            let [version] = versions;
            Units { all, version: Some((modeller, version)) }
        }
        _ => bail!("give C files, or one version; these are several"),
    })
}

/// The units as a program.
pub fn link(workshop: &Workshop, units: Units, options: &ProgramOptions, kind: Kind) -> Result<Loaded> {
    let Units { all, version } = units;
    let starts = kind == Kind::Asked && options.function.is_none();
    let linked = options.linked.as_ref().map(Linked::name).filter(|name| all.has_program(name));
    let units = match starts {
        true => all.of_program(&options.entry, linked.or(options.unit.as_deref()))?,
        false => all.of_all(),
    };
    let linked = workshop.link_units(units);
    // Which `main` counts is nothing to a function.
    let matters = |conflict: &&String| starts || !conflict.contains("`main`");
    for conflict in linked.program.conflicts.iter().filter(matters) {
        tracing::warn!("{conflict}");
    }
    match (&options.function, kind) {
        (_, Kind::Library) => {}
        (Some(function), _) => drop(called(&linked.program, function, options.unit.as_deref())?),
        (None, _) => entry(&linked.program, &options.entry)?,
    }
    Ok(Loaded { linked, version })
}

pub fn load(context: &Context, options: &ProgramOptions, interrupt: &Arc<AtomicBool>) -> Result<Loaded> {
    let workshop = workshop(context, interrupt)?;
    let units = units(context, &workshop, options, interrupt)?;
    link(&workshop, units, options, Kind::Asked)
}

/// The entry point must be one: a function of other parameters would read arguments that nobody gave.
fn entry(program: &Program, name: &str) -> Result<()> {
    let found = program.find(name).ok_or_else(|| Error::NoEntry(name.to_owned()))?;
    let Some((module, function)) = program.model(found) else { return Ok(()) };
    let parameters = &function.parameters;
    let pointer = |at: usize| {
        hydrogen_program::parameter_type(module, function, at)
            .is_none_or(|ctype| hydrogen_ir::layout::pointee(module, ctype).is_some())
    };
    let like_main = match parameters.len() {
        0 => true,
        1 => name == "main",
        2 | 3 => !pointer(0) && (1..parameters.len()).all(pointer),
        _ => false,
    };
    if name != "main" && !like_main {
        bail!("`{}` is not the entry point of a program; call it with --function {name}", function.signature);
    }
    Ok(())
}

/// The function that is called, with its unit.
pub fn called<'p>(
    program: &'p Program,
    name: &str,
    unit: Option<&str>,
) -> Result<(&'p Module, &'p Function)> {
    let found = program.named(name, unit).and_then(|id| program.model(id));
    found.with_context(|| format!("no unit defines a function `{name}`"))
}

/// The call that the user asks for: the one of a test, or the function with the arguments of the command line.
pub fn call(program: &Program, options: &ProgramOptions, given: Option<&Call>) -> Result<Option<Call>> {
    let Some(name) = &options.function else { return Ok(given.cloned()) };
    if let Some(call) = given.filter(|call| call.function == *name) {
        return Ok(Some(call.clone()));
    }
    let (module, function) = called(program, name, options.unit.as_deref())?;
    let words: Vec<String> = options.args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
    Ok(Some(hydrogen_program::call_of(module, function, &words)?))
}

/// The file that defines a function, as the test in C includes it.
fn file_of(module: &Module, function: &Function) -> Result<String> {
    let file = function.file().context("it is not known which file defines the function")?;
    Ok(module.file(file).to_owned())
}

pub(super) fn flags(options: &ProgramOptions) -> Result<Vec<String>> {
    let flags = options.cflags.as_deref().unwrap_or("");
    shlex::split(flags).with_context(|| format!("`{flags}` has an open quote"))
}

/// The program that was loaded, for the host: C files together, or the units of a version by its own compile commands.
pub fn native(context: &Context, options: &ProgramOptions, loaded: &Loaded) -> Result<Native> {
    native_with(context, options, loaded, CLibrary::Machine)
}

/// The same with a C library.
pub fn native_with(
    context: &Context,
    options: &ProgramOptions,
    loaded: &Loaded,
    library: CLibrary,
) -> Result<Native> {
    if options.entry != "main" {
        bail!("--native starts programs in `main`, not in `{}`", options.entry);
    }
    let map = |map: &String| match map.rsplit_once(':') {
        Some((folder, "/")) => Ok(context.path(Path::new(folder))),
        Some((_, at)) if at.starts_with('/') => {
            bail!("files are mapped to {at}, where a native run does not find them: map them into its folder")
        }
        _ => Ok(context.path(Path::new(map))),
    };
    let maps: Vec<PathBuf> = options.map.iter().map(map).collect::<Result<_>>()?;
    Ok(match &loaded.version {
        None => {
            let flags = flags(options)?;
            let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
            let files = options.programs.iter().map(|name| context.path(Path::new(name))).collect();
            Native::of_files(context.here(), files, &flags, maps, library)?
        }
        Some((modeller, version)) => {
            Native::of_version(modeller, version, &loaded.linked.units, maps, library)?
        }
    })
}

/// The call as a test in C.
pub fn test_of(program: &Program, call: &Call, after: Option<&After>) -> Result<String> {
    let (module, function) = called(program, &call.function, call.unit.as_deref())?;
    let file = file_of(module, function)?;
    let about = format!(
        "{call}\nCompiled like {file}, with the folder of the version in the path of includes and the other files of the program."
    );
    Ok(hydrogen_program::c_test(module, function, call, after, &file, &about))
}

/// The test in C, built for the host and run: what it prints.
pub fn native_call(
    context: &Context,
    options: &ProgramOptions,
    loaded: &Loaded,
    call: &Call,
    after: Option<&After>,
) -> Result<hydrogen_program::Printed> {
    native_call_with(context, options, loaded, call, after, CLibrary::Machine)
}

/// The same with a C library.
pub fn native_call_with(
    context: &Context,
    options: &ProgramOptions,
    loaded: &Loaded,
    call: &Call,
    after: Option<&After>,
    library: CLibrary,
) -> Result<hydrogen_program::Printed> {
    let program = &loaded.linked.program;
    let (module, function) = called(program, &call.function, call.unit.as_deref())?;
    let file = file_of(module, function)?;
    let text = |file: &str| hydrogen_program::c_test(module, function, call, after, file, "");
    Ok(match &loaded.version {
        None => {
            let flags = flags(options)?;
            let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
            let files: Vec<PathBuf> =
                options.programs.iter().map(|name| context.path(Path::new(name))).collect();
            let own =
                files.iter().find(|path| path.ends_with(&file)).context("the function's file is missing")?;
            let text = text(&own.to_string_lossy());
            let others = files.iter().filter(|path| *path != own).cloned().collect();
            hydrogen_program::run_test_of_files(context.here(), own, &text, others, &flags, library)?
        }
        Some((modeller, version)) => hydrogen_program::run_test_of_version(
            modeller,
            version,
            &loaded.linked.units,
            &file,
            text,
            library,
        )?,
    })
}
