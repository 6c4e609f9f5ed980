//! Two versions of a program, both ready to run: what `expose`, `why` and `compare` start from.

use super::{Loaded, load, native, native_call};
use crate::cli::ProgramOptions;
use crate::context::Context;
use anyhow::{Context as _, Result, bail};
use hydrogen_evidence::Call;
use hydrogen_machine::{After, Program};
use hydrogen_program::Native;
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
        native(context, &self.options, &self.loaded)
            .with_context(|| format!("{} does not build natively", self.name))
    }

    /// What the call of a function prints as a test in C, built for the host.
    pub fn native_call(
        &self,
        context: &Context,
        call: &Call,
        after: Option<&After>,
    ) -> Result<hydrogen_program::Printed> {
        native_call(context, &self.options, &self.loaded, call, after)
            .with_context(|| format!("{} does not run natively", self.name))
    }
}

/// The names of the two versions in what the user wrote: `A..B`, one revision (with its parent), or two of anything that names a
/// version.
pub fn names(what: &[String]) -> Result<(String, String)> {
    Ok(match what {
        [one] => match one.split_once("..") {
            Some(("", _)) => bail!("`{one}` names no old version: write A..B"),
            Some((old, new)) => {
                (old.to_owned(), if new.is_empty() { "HEAD".to_owned() } else { new.to_owned() })
            }
            None => (format!("{one}~1"), one.clone()),
        },
        [old, new] => (old.clone(), new.clone()),
        _ => bail!("give A..B or two versions"),
    })
}

/// Loads both; `options.programs` names them. A version can be given a name: `old=a.c`.
pub fn load_two(context: &Context, options: &ProgramOptions, interrupt: &Arc<AtomicBool>) -> Result<Two> {
    let (old, new) = names(&options.programs)?;
    let side = |name: &str| -> Result<Side> {
        let (label, path) = match name.split_once('=') {
            Some((label, path)) if path.ends_with(".c") || path.ends_with(".i") => (label, path),
            _ => (name, name),
        };
        let options = ProgramOptions { programs: vec![path.to_owned()], ..options.clone() };
        let loaded = load(context, &options, interrupt).with_context(|| format!("cannot load {label}"))?;
        let name = name.split_once('=').map_or(name, |(label, _)| label).to_owned();
        Ok(Side { name, loaded, options })
    };
    Ok(Two { old: side(&old)?, new: side(&new)? })
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
        assert_eq!(of(&["a", "b", "c"]), None);
    }
}
