//! Tests of a single function, natively.

use crate::cli::ExploreOptions;
use crate::commands::program::{Loaded, call_natively};
use crate::context::Context;
use anyhow::Result;
use hydrogen_evidence::Natively;
use hydrogen_explore::Exploration;
use hydrogen_machine::{End, Limits, World};
use std::time::Instant;

/// What all tests run in.
#[derive(Clone, Copy)]
pub struct Base<'a> {
    pub world: &'a World,
    pub limits: &'a Limits,
    /// When there is no time left.
    pub until: Instant,
}

/// Builds every test of a call in C, runs it, and compares with the machine.
pub fn replay(
    context: &Context,
    options: &ExploreOptions,
    loaded: &Loaded,
    found: &Exploration,
    base: Base<'_>,
) -> Result<Vec<Natively>> {
    let mut all = Vec::with_capacity(found.tests.len());
    for test in &found.tests {
        let (End::Exit(_), Some(call)) = (&test.end, &test.input.call) else {
            all.push(Natively::NotCompared);
            continue;
        };
        if Instant::now() >= base.until {
            all.push(Natively::NoTime);
            continue;
        }
        // What the call leaves behind is not kept with the test.
        let run = loaded.linked.program.run(base.world.with_input(&test.input), base.limits.clone());
        all.push(match call_natively(context, &options.program, loaded, call, &run) {
            Ok(Some(Ok(()))) => Natively::Same,
            Ok(Some(Err(printed))) => Natively::Differs(printed.lines().collect::<Vec<_>>().join(", ")),
            Ok(None) => Natively::NotCompared,
            Err(error) => {
                tracing::warn!("{call}: {error:#}");
                Natively::NotCompared
            }
        });
    }
    Ok(all)
}
