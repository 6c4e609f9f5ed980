//! Timers: a signal after a while. Time passes by instructions, a nanosecond each, and by sleeping and asking for it.

use super::{Answer, EINVAL, Effect, Failure, World, ok, read, write};
use crate::memory::Memory;

const SIGALRM: i32 = 14;
const EINTR: i64 = 4;

/// A timer that runs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Timer {
    /// When it is due, by the time that the program has used.
    at: u64,
    /// After how long it is due again; 0 for never.
    again: u64,
}

impl World {
    /// How long the program has run, in nanoseconds, when it has executed so many instructions.
    fn used(&self, steps: u64) -> u64 {
        self.clock.saturating_add(steps)
    }

    /// After how many instructions, of which so many are executed, a timer is due.
    pub(crate) fn due_in(&self, steps: u64) -> Option<u64> {
        let timer = self.timer?;
        Some(timer.at.saturating_sub(self.used(steps)))
    }

    /// The timer is due.
    pub(crate) fn alarm(&mut self, steps: u64) -> Effect {
        let now = self.used(steps);
        self.timer =
            self.timer.filter(|timer| timer.again > 0).map(|timer| Timer { at: now + timer.again, ..timer });
        self.signal(SIGALRM)
    }

    /// `setitimer`, with `alarm` and `ualarm` above it. Time of the processor is all the time there is.
    pub(super) fn set_timer(&mut self, memory: &mut Memory, which: u64, new: u64, old: u64) -> Answer {
        if which > 0 {
            self.note("a timer of processor time was asked for and refused");
            return Err(EINVAL.into());
        }
        self.get_timer(memory, which, old)?;
        if new != 0 {
            let bytes = read(memory, new, 32)?;
            let word = |at: usize| u64::from_le_bytes(*bytes[at..].first_chunk().expect("32 bytes"));
            let time = |at: usize| {
                word(at).saturating_mul(1_000_000_000).saturating_add(word(at + 8).saturating_mul(1000))
            };
            let (again, first) = (time(0), time(16));
            self.timer =
                (first > 0).then(|| Timer { at: self.used(self.steps).saturating_add(first), again });
        }
        ok(0)
    }

    /// `getitimer`.
    pub(super) fn get_timer(&self, memory: &mut Memory, which: u64, old: u64) -> Answer {
        if old != 0 {
            let timer = self.timer.filter(|_| which == 0);
            let left = timer.map_or(0, |timer| timer.at.saturating_sub(self.used(self.steps)));
            let pair = |time: u64| [time / 1_000_000_000, time % 1_000_000_000 / 1000];
            let words = [pair(timer.map_or(0, |timer| timer.again)), pair(left)].concat();
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            write(memory, old, &bytes)?;
        }
        ok(0)
    }

    /// So much of a sleep as there is before a timer is due; and whether it is less than all of it.
    pub(super) fn until_alarm(&self, time: u64) -> (u64, bool) {
        match self.due_in(self.steps) {
            Some(left) if left < time => (left, true),
            _ => (time, false),
        }
    }

    /// `pause` and `sigsuspend`: until a timer is due, for nobody else sends signals.
    pub(super) fn pause(&mut self) -> Answer {
        match self.due_in(self.steps) {
            Some(left) => {
                self.clock = self.clock.saturating_add(left);
                Err(EINTR.into())
            }
            None => {
                self.note("a program that waits for a signal would wait for ever");
                Err(Failure::Error(EINTR))
            }
        }
    }
}
