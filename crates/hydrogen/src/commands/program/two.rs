//! Two versions of a program, both ready to run: what `expose`, `why` and `compare` start from.

use super::load::{Kind, Units, link, units};
use super::recipe::recipe;
use super::start::{self, Start};
use super::{Loaded, native_call_with, native_with};
use crate::cli::ProgramOptions;
use crate::context::Context;
use anyhow::{Context as _, Result, bail};
use hydrogen_align::lines_as_before;
use hydrogen_align::name_members_alike;
use hydrogen_evidence::Call;
use hydrogen_evidence::Recipe;
use hydrogen_machine::{After, Program};
use hydrogen_program::{CLibrary, Native, Workshop};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// One of the two versions.
pub struct Side {
    /// What the user calls it.
    pub name: String,
    /// The program, linked.
    pub loaded: Loaded,
    /// The user's options, with this version alone as the program.
    options: ProgramOptions,
}

/// An old and a new version of one program.
pub struct Two {
    pub old: Side,
    pub new: Side,
}

impl Side {
    pub fn program(&self) -> &Program {
        &self.loaded.linked.program
    }

    /// The version, built for the host.
    pub fn native(&self, context: &Context) -> Result<Native> {
        self.native_with(context, CLibrary::Machine)
    }

    /// The same with a C library.
    pub fn native_with(&self, context: &Context, library: CLibrary) -> Result<Native> {
        native_with(context, &self.options, &self.loaded, library)
            .with_context(|| format!("{} does not build natively", self.name))
    }

    /// What the call of a function prints as a test in C, built for the host.
    pub fn native_call(
        &self,
        context: &Context,
        call: &Call,
        after: Option<&After>,
    ) -> Result<hydrogen_program::Printed> {
        self.native_call_with(context, call, after, CLibrary::Machine)
    }

    /// The same with a C library.
    pub fn native_call_with(
        &self,
        context: &Context,
        call: &Call,
        after: Option<&After>,
        library: CLibrary,
    ) -> Result<hydrogen_program::Printed> {
        native_call_with(context, &self.options, &self.loaded, call, after, library)
            .with_context(|| format!("{} does not run natively", self.name))
    }

    /// How a call goes natively, compared with the machine's run of it.
    pub fn call_natively<M>(
        &self,
        context: &Context,
        call: &Call,
        run: &hydrogen_machine::Run<M>,
    ) -> Result<Option<Result<(), String>>> {
        super::call_natively(context, &self.options, &self.loaded, call, run)
            .with_context(|| format!("{} does not run natively", self.name))
    }

    /// How a person compiles the version.
    pub fn recipe(&self, context: &Context) -> Result<Recipe> {
        recipe(context, &self.options, &self.loaded)
    }
}

/// The names of the two versions in what the user wrote: `A..B`, one revision (with its parent), or two of anything that names a
/// version.
pub fn names(what: &[String]) -> Result<(String, String)> {
    Ok(match what {
        // A folder above begins with dots too.
        [one] => match one.split_once("..").filter(|(_, new)| !new.starts_with(['.', '/'])) {
            Some(("", _)) => bail!("`{one}` names no old version: write A..B"),
            Some((old, new)) => {
                (old.to_owned(), if new.is_empty() { "HEAD".to_owned() } else { new.to_owned() })
            }
            None if is_file(one) => {
                bail!("`{one}` is one version, and nothing is before it: name two, OLD..NEW")
            }
            None => (format!("{one}~1"), one.clone()),
        },
        [old, new] => (old.clone(), new.clone()),
        _ => bail!("give A..B or two versions"),
    })
}

/// Whether a name is that of a file or of a named folder, which has no parent as a commit has.
fn is_file(name: &str) -> bool {
    name.contains('=') || [".bc", ".ll", ".c", ".i"].iter().any(|end| name.ends_with(end))
}

/// A version as the user names it, not loaded yet: it can be given a name, `old=a.c`.
struct Named {
    name: String,
    options: ProgramOptions,
}

fn named(options: &ProgramOptions) -> Result<[Named; 2]> {
    let (old, new) = names(&options.programs)?;
    let one = |name: &str| {
        let (label, path) = match name.split_once('=') {
            Some((label, path)) if path.ends_with(".c") || path.ends_with(".i") => (label, path),
            _ => (name, name),
        };
        let options = ProgramOptions { programs: vec![path.to_owned()], ..options.clone() };
        let shown = name.split_once('=').map_or(label, |(label, _)| label);
        Named { name: shown.to_owned(), options }
    };
    Ok([one(&old), one(&new)])
}

/// Loads both; `options.programs` names them.
pub fn load_two(context: &Context, options: &ProgramOptions, interrupt: &Arc<AtomicBool>) -> Result<Two> {
    let workshop = super::load::workshop(context, interrupt)?;
    let both = named(options)?;
    let units = compile(context, &workshop, &both, interrupt)?;
    two(&workshop, both, units, Kind::Asked)
}

/// The units of both versions. Members of structures are called as in the old one, and so are lines that statements of both hand on.
fn compile(
    context: &Context,
    workshop: &Workshop,
    both: &[Named; 2],
    interrupt: &Arc<AtomicBool>,
) -> Result<[Units; 2]> {
    let one = |one: &Named| {
        units(context, workshop, &one.options, interrupt).with_context(|| format!("cannot load {}", one.name))
    };
    let (old, mut new) = (one(&both[0])?, one(&both[1])?);
    name_members_alike(&old.all.modules, &mut new.all.modules);
    lines_as_before(&old.all.modules, &mut new.all.modules);
    Ok([old, new])
}

fn two(workshop: &Workshop, both: [Named; 2], units: [Units; 2], kind: Kind) -> Result<Two> {
    let side = |Named { name, options }: Named, units: Units| -> Result<Side> {
        let loaded = link(workshop, units, &options, kind).with_context(|| format!("cannot load {name}"))?;
        Ok(Side { name, loaded, options })
    };
    let ([old, new], [of_old, of_new]) = (both, units);
    Ok(Two { old: side(old, of_old)?, new: side(new, of_new)? })
}

/// Loads both, and says where their runs begin: in the entry point where they have one in common, else in their functions.
pub fn load_and_choose(
    context: &Context,
    options: &ProgramOptions,
    interrupt: &Arc<AtomicBool>,
) -> Result<(Two, Start)> {
    let workshop = super::load::workshop(context, interrupt)?;
    let mut both = named(options)?;
    let units = compile(context, &workshop, &both, interrupt)?;
    let start = match options.function {
        Some(_) => Start::Program { unit: None, others: Vec::new() },
        None => start::choose(
            [&units[0].all.modules, &units[1].all.modules],
            &options.entry,
            options.unit.as_deref(),
        ),
    };
    let (kind, unit) = match &start {
        Start::Program { unit, .. } => (Kind::Asked, unit.clone().or(options.unit.clone())),
        Start::Functions { .. } => (Kind::Library, None),
    };
    for one in &mut both {
        one.options.unit.clone_from(&unit);
    }
    Ok((two(&workshop, both, units, kind)?, start))
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn two_versions_have_several_spellings() {
        let of = |what: &[&str]| names(&what.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()).ok();
        let pair = |old: &str, new: &str| Some((old.to_owned(), new.to_owned()));
        assert_eq!(of(&["v1..v2"]), pair("v1", "v2"));
        assert_eq!(of(&["v1.."]), pair("v1", "HEAD"));
        assert_eq!(of(&["v2"]), pair("v2~1", "v2"));
        assert_eq!(of(&["old=a.c", "new=b.c"]), pair("old=a.c", "new=b.c"));
        assert_eq!(of(&["..v2"]), None);
        assert_eq!(of(&["a.bc"]), None);
        assert_eq!(of(&["old=folder"]), None);
        assert_eq!(of(&["a", "b", "c"]), None);
    }
}
