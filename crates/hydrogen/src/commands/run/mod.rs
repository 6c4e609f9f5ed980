//! `hydrogen run PROGRAM… -- ARGS`.

mod load;
mod report;

use super::Outcome;
use crate::cli::{RunOptions, TableFormat};
use crate::context::Context;
use anyhow::{Context as _, Result, bail};
use bstr::{BString, ByteSlice};
use hydrogen_machine::{End, Limits, Run, World};
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub fn run(context: &Context, options: &RunOptions) -> Result<Outcome> {
    let interrupt = context.cancel_flag()?;
    let world = world(context, options)?;
    let program = load::program(context, options, &interrupt)?;
    let run = program.run(world, limits(options, interrupt));
    if let Some(folder) = &options.files {
        save_files(&context.path(folder), &run)?;
    }
    match options.format {
        TableFormat::Json => context.output(&report::json(&run))?,
        TableFormat::Text => {
            context.output_bytes(&run.world.stdout)?;
            let mut errors = std::io::stderr().lock();
            errors.write_all(&run.world.stderr)?;
            errors.write_all(report::text(context.here(), &run, context.is_quiet()).as_bytes())?;
        }
    }
    Ok(match &run.end {
        End::Exit(status) if options.passthrough => Outcome::Status(*status as u8),
        End::Signal(signal) if options.passthrough => Outcome::Status(128 + *signal as u8),
        End::Exit(_) | End::Signal(_) => Outcome::Done,
        End::Fault(_) => Outcome::Findings,
        End::Unresolved(..) => Outcome::BadInput,
        End::Limit(..) | End::Unsupported(..) | End::Assumption(..) => Outcome::Undecided,
    })
}

fn limits(options: &RunOptions, interrupt: Arc<AtomicBool>) -> Limits {
    let usual = Limits::default();
    Limits {
        steps: options.steps.unwrap_or(usual.steps),
        memory: options.memory,
        stack: options.stack.min(1 << 31),
        output: options.output_limit,
        time: options.time.unwrap_or(usual.time),
        interrupt: Some(interrupt),
    }
}

/// What the program will see.
fn world(context: &Context, options: &RunOptions) -> Result<World> {
    let name = Path::new(&options.programs[0]).file_stem().unwrap_or_default();
    let mut args = vec![BString::from(name.as_bytes())];
    args.extend(options.args.iter().map(|arg| BString::from(arg.as_bytes())));
    let mut world = World::new(args);
    world.entry.clone_from(&options.entry);
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

/// Writes what the program wrote.
fn save_files(folder: &Path, run: &Run) -> Result<()> {
    for (name, content) in run.world.changed_files() {
        let path = folder.join(name.trim_start_with(|c| c == '/').to_path_lossy());
        let parent = path.parent().unwrap_or(folder);
        let written = std::fs::create_dir_all(parent).and_then(|()| std::fs::write(&path, &**content));
        written.with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}
