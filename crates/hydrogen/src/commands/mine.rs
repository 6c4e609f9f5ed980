//! `hydrogen mine`: regressions in a history.

mod classify;
mod configurations;
mod introduced;
mod overlap;
pub mod parts;
mod regressions;
mod statistics;
mod study;

pub use introduced::introducing;

use super::Outcome;
use crate::cli::MineWhat;
use crate::context::Context;
use anyhow::Result;

pub fn run(context: &Context, what: MineWhat) -> Result<Outcome> {
    match what {
        MineWhat::Regressions { tip, history, format } => regressions::run(context, &tip, history, format),
        MineWhat::Classify(options) => classify::run(context, &options),
        MineWhat::Introduced { test, build, bad, good, fix, repeat, timeout, format } => {
            let options = introduced::Options { test, build, bad, good, fix, repeat, timeout };
            introduced::run(context, &options, format)
        }
        MineWhat::Statistics { tip, history, format } => statistics::run(context, &tip, history, format),
        MineWhat::Study { file, reading, format } => study::run(context, &file, reading, format),
    }
}

/// Whole days between two commits.
fn days(from: i64, to: i64) -> i64 {
    (to - from).div_euclid(24 * 60 * 60)
}
