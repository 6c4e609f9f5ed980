//! What `run`, `explore`, `expose` and `why` share: the program, the world it sees, its limits, and what of its input is symbolic.

mod load;
mod natively;
mod recipe;
mod sources;
mod start;
mod symbolic;
mod terms;
mod two;

pub use load::{Loaded, call, called, load, native, native_call, test_of};
use load::{native_call_with, native_with};
pub use natively::call_natively;
pub use sources::{Sources, sources_of};
pub use start::{Start, is_test};
pub use symbolic::{symbolic, symbolic_call};
pub use terms::{Outgoing, conditions, outputs};
pub use two::{Side, Two, load_and_choose, load_two, names};

use crate::cli::ProgramOptions;
use crate::context::Context;
use anyhow::{Context as _, Result, bail};
use bstr::BString;
use hydrogen_machine::{Limits, World};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub fn limits(options: &ProgramOptions, interrupt: Arc<AtomicBool>) -> Limits {
    let usual = Limits::default();
    Limits {
        steps: options.steps.unwrap_or(usual.steps),
        memory: options.memory,
        stack: options.stack,
        output: options.output_limit.unwrap_or(usual.output),
        interrupt: Some(interrupt),
        ..usual
    }
}

/// What the program will see.
pub fn world(context: &Context, options: &ProgramOptions) -> Result<World> {
    let name = Path::new(&options.programs[0]).file_stem().unwrap_or_default();
    let mut args = vec![BString::from(name.as_bytes())];
    if options.function.is_none() {
        args.extend(options.args.iter().map(|arg| BString::from(arg.as_bytes())));
    }
    let mut world = World::new(args);
    world.entry.clone_from(&options.entry);
    world.schedule = options.schedule;
    for pair in &options.env {
        if !pair.contains('=') {
            bail!("`--env {pair}`: write NAME=VALUE");
        }
        world.environment.push(pair.as_str().into());
    }
    if let Some(path) = &options.stdin {
        let mut bytes = Vec::new();
        if path.as_os_str() == "-" {
            std::io::stdin().read_to_end(&mut bytes).context("cannot read standard input")?;
        } else {
            let path = context.path(path);
            bytes = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        }
        world = world.with_stdin(bytes);
    }
    for map in &options.map {
        let (folder, at) = match map.rsplit_once(':') {
            Some((folder, at)) if at.starts_with('/') => (folder, at),
            _ => (map.as_str(), "/"),
        };
        let path = context.path(Path::new(folder));
        world = world.with_folder(&path, at).with_context(|| format!("cannot map {}", path.display()))?;
    }
    if let Some(seconds) = options.clock {
        world = world.with_clock(seconds);
    }
    Ok(world)
}
