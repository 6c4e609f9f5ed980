//! The full replay runs in the jail: a record may come from anywhere, and the programs in it are run.

use super::{Outcome, full};
use crate::context::Context;
use anyhow::{Context as _, Result, bail};
use hydrogen_env::record::{End, Record};
use hydrogen_jail::{Command, Kept, Limits, Policy, Watch};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

/// The most bytes that a replayed program's output is kept of.
const MOST_OUTPUT: usize = 256 << 20;
/// No replay takes longer.
const LONGEST: Duration = Duration::from_secs(3600);

/// Replays in another process, which sees the system's programs and the record, and nothing else.
pub fn start(context: &Context, file: &Path, record: &Record) -> Result<Outcome> {
    hydrogen_env::can_replay(record)?;
    let own = std::env::current_exe().context("where this program is, is not known")?;
    let helper = hydrogen_jail::find_helper()?;
    let mut policy =
        Policy::of_the_system().reading(file).reading(&own).reading(&helper).limited(Limits::default());
    policy.network = false;
    for program in hydrogen_env::programs(record) {
        policy = policy.reading(OsStr::from_bytes(&program));
    }
    let command =
        Command::new(&own, "/").args(["env", "replay", "--inside"]).arg(file).env("HYDROGEN_JAIL", &helper);
    let flag = context.cancel_flag();
    let watch = Watch::new(LONGEST).keeping(Kept::Apart(MOST_OUTPUT)).until(&flag);
    let ran = hydrogen_jail::run(command, &policy, &watch)?;
    context.output_of_a_program(&ran.output)?;
    let said = String::from_utf8_lossy(&ran.errors).trim().to_owned();
    if !said.is_empty() {
        tracing::warn!("{said}");
    }
    Ok(match ran.end {
        hydrogen_jail::End::Exit(0) => Outcome::Done,
        hydrogen_jail::End::Exit(3) => Outcome::Undecided,
        hydrogen_jail::End::Cancelled => Outcome::Interrupted,
        other => bail!("the replay did not come to its end: {other:?}"),
    })
}

/// Replays in this process.
pub fn replay(context: &Context, record: &Record) -> Result<Outcome> {
    let replayed = full(context, record)?;
    context.output_bytes(&replayed.output)?;
    if let Some(diverged) = replayed.diverged {
        eprintln!("after {} calls: {diverged}", replayed.calls);
        return Ok(Outcome::Undecided);
    }
    if let End::Partial(why) = &record.end {
        eprintln!("the record is partial: {why}");
        return Ok(Outcome::Undecided);
    }
    Ok(Outcome::Done)
}
