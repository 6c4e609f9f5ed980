//! The time that a question takes: this thread's processor time, so that a busy machine does not stop what an idle one lets go on.

use std::time::{Duration, Instant};

/// Where Linux says how long the thread has run, in nanoseconds, before other numbers.
const RAN: &str = "/proc/thread-self/schedstat";

/// A stop watch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    ran: Option<Duration>,
    started: Instant,
}

impl Clock {
    pub fn start() -> Self {
        Self { ran: ran(), started: Instant::now() }
    }

    /// How long the thread has worked since; where the system does not tell, how long ago the start was.
    pub fn elapsed(&self) -> Duration {
        let wall = self.started.elapsed();
        match (self.ran, ran()) {
            (Some(then), Some(now)) => now.saturating_sub(then).min(wall),
            _ => wall,
        }
    }

    /// Whether the thread has worked longer than this.
    pub fn is_over(&self, limit: Duration) -> bool {
        limit.is_zero() || self.started.elapsed() > limit && self.elapsed() > limit
    }
}

fn ran() -> Option<Duration> {
    let text = std::fs::read_to_string(RAN).ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_is_no_work() {
        let clock = Clock::start();
        std::thread::sleep(Duration::from_millis(120));
        assert!(clock.started.elapsed() >= Duration::from_millis(120));
        assert!(clock.ran.is_none() || !clock.is_over(Duration::from_millis(100)));
    }
}
