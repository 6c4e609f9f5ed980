//! A call on the native build, as a test in C.

use super::{Loaded, called, native_call};
use crate::cli::ProgramOptions;
use crate::context::Context;
use anyhow::Result;
use hydrogen_evidence::Call;
use hydrogen_machine::Run;

/// How a call went natively: the same as in the machine, or what the test printed instead. `None` where the machine's call does not
/// return, so that there is nothing to compare.
pub fn call_natively<M>(
    context: &Context,
    options: &ProgramOptions,
    loaded: &Loaded,
    call: &Call,
    run: &Run<M>,
) -> Result<Option<Result<(), String>>> {
    let Some(after) = &run.after else { return Ok(None) };
    let (module, function) = called(&loaded.linked.program, &call.function, call.unit.as_deref())?;
    let seen = hydrogen_program::lines(module, function, call, after);
    let printed = native_call(context, options, loaded, call, Some(after))?;
    let own = String::from_utf8_lossy(&run.world.stdout).into_owned();
    let expected = own.lines().chain(seen.iter().map(String::as_str));
    Ok(Some(if printed.lines().eq(expected) { Ok(()) } else { Err(printed) }))
}
