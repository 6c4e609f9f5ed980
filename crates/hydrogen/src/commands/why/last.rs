//! The last moment: conditions of a whole run can be so large that what is done with them does not look at the clock. Who gave a budget
//! gets an answer all the same.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// So much longer than its time something may take, and a part of that time more.
const GRACE: Duration = Duration::from_secs(1);
const PART: u32 = 12;

/// Does something when the time is over for long, unless it is dropped before.
pub struct LastMoment {
    _off: Sender<()>,
}

impl LastMoment {
    /// Waits for the end of `budget`, which began at `started`, and of what is given beyond it.
    pub fn of_budget(started: Instant, budget: Duration, act: impl FnOnce() + Send + 'static) -> Self {
        Self::at(started + budget + GRACE + budget / PART, act)
    }

    fn at(moment: Instant, act: impl FnOnce() + Send + 'static) -> Self {
        let (off, was_put_off) = channel::<()>();
        std::thread::spawn(move || {
            let left = moment.saturating_duration_since(Instant::now());
            if let Err(RecvTimeoutError::Timeout) = was_put_off.recv_timeout(left) {
                act();
            }
        });
        Self { _off: off }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_acts_unless_it_is_dropped() {
        let (acted, seen) = channel();
        let soon = || Instant::now() + Duration::from_millis(20);
        let other = acted.clone();
        drop(LastMoment::at(soon(), move || {
            let _ = other.send("dropped");
        }));
        let _kept = LastMoment::at(soon(), move || {
            let _ = acted.send("kept");
        });
        assert_eq!(seen.iter().collect::<Vec<_>>(), ["kept"]);
    }
}
