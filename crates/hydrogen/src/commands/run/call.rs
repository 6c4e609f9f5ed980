//! `hydrogen run --function NAME`.

use super::report;
use crate::cli::{RunOptions, TableFormat};
use crate::commands::Outcome;
use crate::commands::program::{self, Loaded, Sources};
use crate::context::Context;
use anyhow::{Context as _, Result};
use hydrogen_evidence::{Call, Input};
use hydrogen_machine::{End, World};
use hydrogen_report::runs;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Calls the function, shows what its caller sees, and compares with the native test.
pub fn run(
    context: &Context,
    options: &RunOptions,
    loaded: &Loaded,
    world: &World,
    call: Call,
    interrupt: Arc<AtomicBool>,
) -> Result<Outcome> {
    let machine = &loaded.linked.program;
    let mut limits = program::limits(&options.program, interrupt);
    limits.time = options.time.unwrap_or(limits.time);
    let input = Input { call: Some(call.clone()), ..Input::default() };
    let run = machine.run(world.with_input(&input), limits);
    let (module, function) = program::called(machine, &call.function, call.unit.as_deref())?;
    let seen = run.after.as_ref().map(|after| hydrogen_program::lines(module, function, &call, after));
    if let Some(path) = &options.c_test {
        let text = program::test_of(machine, &call, run.after.as_ref())?;
        let path = context.path(path);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let native = match options.native {
        true => program::call_natively(context, &options.program, loaded, &call, &run)?,
        false => None,
    };
    let told = report::ran(&run, None, None);
    match options.format {
        TableFormat::Json => {
            let mut more = serde_json::Map::new();
            more.insert("call".into(), serde_json::to_value(&call)?);
            more.insert("seen".into(), serde_json::to_value(&seen)?);
            if let Some(native) = &native {
                let native = match native {
                    Ok(()) => "same".into(),
                    Err(printed) => printed.lines().collect::<Vec<_>>().into(),
                };
                more.insert("native".into(), native);
            }
            context.output(&runs::run_json(&told, more))?;
        }
        TableFormat::Text => {
            context.output_bytes(&run.world.stdout)?;
            let sources = Sources::new(context, &options.program.programs)?;
            let mut errors = std::io::stderr().lock();
            errors.write_all(&run.world.stderr)?;
            writeln!(errors, "hydrogen: {call}")?;
            for line in seen.iter().flatten() {
                writeln!(errors, "hydrogen:   {line}")?;
            }
            errors.write_all(runs::run_text(&told, &sources, context.is_quiet()).as_bytes())?;
            match &native {
                None => {}
                Some(Ok(())) => writeln!(errors, "hydrogen: natively the same")?,
                Some(Err(printed)) => {
                    writeln!(errors, "hydrogen: natively something else:")?;
                    for line in printed.lines() {
                        writeln!(errors, "hydrogen:   {line}")?;
                    }
                }
            }
        }
    }
    Ok(match &run.end {
        _ if matches!(native, Some(Err(_))) => Outcome::Findings,
        End::Exit(_) | End::Signal(_) => Outcome::Done,
        End::Fault(_) => Outcome::Findings,
        End::Unresolved(..) => Outcome::BadInput,
        End::Limit(hydrogen_machine::Limit::Interrupted, _) => Outcome::Interrupted,
        End::Limit(..) | End::Unsupported(..) | End::Assumption(..) => Outcome::Undecided,
    })
}
