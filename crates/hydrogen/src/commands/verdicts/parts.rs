//! A check in parts, side by side.

use super::engine::Setting;
use crate::context::Context;
use anyhow::{Result, anyhow};
use hydrogen_evidence::Counters;
use hydrogen_query::{Check, Checked, Joined, Part};
use indicatif::ProgressBar;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The parts of a check: always as many, so that the answer does not depend on the number of threads.
const PARTS: usize = 2;

/// What all parts did.
pub struct Done {
    /// Per check.
    pub joined: Vec<Joined>,
    /// All but what is counted in there.
    pub counters: Counters,
    /// How many statements behind calls were not looked at.
    pub left_out: usize,
    /// Whether time ended one of them.
    pub spent: bool,
}

/// What one part did.
struct Own {
    checked: Vec<Checked>,
    counters: Counters,
    left_out: usize,
    spent: bool,
}

/// Does the checks, each in parts.
pub fn in_parts(context: &Context, setting: &Setting<'_>, checks: &[Check<'_>]) -> Result<Done> {
    let of = if setting.is_divisible() { PARTS } else { 1 };
    let bar = Bar::new(context, of);
    let one = |at: usize, shares: usize| -> Result<Own> {
        let mut analyst = setting.analyst(u32::try_from(shares).unwrap_or(u32::MAX))?;
        let tell = |check: &Check<'_>| {
            analyst.check_part(check, Part { at, of }, &mut |done, all| bar.tell(at, done, all))
        };
        let checked = checks.iter().map(tell).collect();
        let (counters, left_out, spent) = (analyst.counters(), analyst.left_out(), analyst.spent());
        Ok(Own { checked, counters, left_out, spent })
    };
    let parts: Vec<Own> = match context.jobs() {
        // One after the other, each gets its share of the time that is left.
        1 => (0..of).map(|at| one(at, of - at)).collect::<Result<_>>()?,
        _ => std::thread::scope(|scope| {
            let one = &one;
            let threads: Vec<_> = (0..of).map(|at| scope.spawn(move || one(at, 1))).collect();
            let ended = threads.into_iter().map(|thread| thread.join());
            ended
                .map(|ended| ended.unwrap_or_else(|_| Err(anyhow!("a part of the check has failed"))))
                .collect::<Result<_>>()
        })?,
    };
    bar.bar.finish_and_clear();
    Ok(together(checks.len(), parts))
}

fn together(checks: usize, parts: Vec<Own>) -> Done {
    let mut done = Done { joined: Vec::new(), counters: Counters::default(), left_out: 0, spent: false };
    let mut by_check: Vec<Vec<Checked>> = (0..checks).map(|_| Vec::new()).collect();
    for part in parts {
        done.counters.raised += part.counters.raised;
        done.counters.questions += part.counters.questions;
        done.counters.solver_calls += part.counters.solver_calls;
        done.counters.kept += part.counters.kept;
        // All parts see the same list, and leave the same out.
        done.left_out = done.left_out.max(part.left_out);
        done.spent |= part.spent;
        for (all, own) in by_check.iter_mut().zip(part.checked) {
            all.push(own);
        }
    }
    done.joined = by_check.into_iter().map(Checked::join).collect();
    done
}

/// The progress of all parts.
struct Bar {
    bar: ProgressBar,
    done: Vec<AtomicUsize>,
    all: Vec<AtomicUsize>,
}

impl Bar {
    fn new(context: &Context, parts: usize) -> Self {
        let counts = || (0..parts).map(|_| AtomicUsize::new(0)).collect();
        let bar = crate::progress::counter(context.is_quiet(), 0, "statements on changed paths");
        Self { bar, done: counts(), all: counts() }
    }

    fn tell(&self, part: usize, done: usize, all: usize) {
        let sum = |counts: &[AtomicUsize]| counts.iter().map(|one| one.load(Ordering::Relaxed) as u64).sum();
        self.done[part].store(done, Ordering::Relaxed);
        self.all[part].store(all, Ordering::Relaxed);
        self.bar.set_length(sum(&self.all));
        self.bar.set_position(sum(&self.done));
    }
}
