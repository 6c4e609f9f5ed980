//! When work has to end: by the clock, or because the user says so.
//!
//! A [`Stop`] is a time, a flag, or both. Whoever begins work that may be long does it [`within`] one; the innermost loops, also those
//! of crates that know nothing of budgets (terms that are built, instructions that are executed), [`look`]. Where it is over, the work
//! is left at once: the stack is unwound to the innermost [`within`], which says [`Stopped`]. No function on the way needs a way to
//! fail, so none can forget to pass it on. This is how incremental compilers cancel queries (salsa, rust-analyzer).
//!
//! What was under way when it was over is in an unknown state: whoever calls [`within`] uses only what was finished before.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// When work has to end. Copies end together.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    end: Option<Instant>,
    flags: Vec<Arc<AtomicBool>>,
}

/// Work was left before its end. What unwinds the stack is a value of this type; whoever catches panics must let it through, see
/// [`is_stop`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

impl Stop {
    /// Never.
    pub fn never() -> Self {
        Self::default()
    }

    /// At this time.
    pub fn at(end: Instant) -> Self {
        Self::default().by(Some(end))
    }

    /// When the flag is set.
    pub fn on(flag: &Arc<AtomicBool>) -> Self {
        Self::default().or(Some(flag))
    }

    /// At this time at the latest.
    pub fn by(mut self, end: Option<Instant>) -> Self {
        self.end = match (self.end, end) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        self
    }

    /// Also when the flag is set.
    pub fn or(mut self, flag: Option<&Arc<AtomicBool>>) -> Self {
        self.flags.extend(flag.cloned());
        self
    }

    /// Whether it is over.
    pub fn is_over(&self) -> bool {
        self.is_said() || self.end.is_some_and(|end| Instant::now() >= end)
    }

    /// Whether somebody said so, whatever the time is.
    pub fn is_said(&self) -> bool {
        self.flags.iter().any(|flag| flag.load(Ordering::Relaxed))
    }

    /// The time that is left.
    pub fn left(&self) -> Duration {
        match (self.is_said(), self.end) {
            (true, _) => Duration::ZERO,
            (false, Some(end)) => end.saturating_duration_since(Instant::now()),
            (false, None) => Duration::MAX,
        }
    }
}

thread_local! {
    /// What this thread is within, the outermost first.
    static AROUND: RefCell<Vec<Stop>> = const { RefCell::new(Vec::new()) };
    /// Looks until the clock is read again.
    static PATIENCE: Cell<u32> = const { Cell::new(0) };
}

/// So many looks are free: reading the clock takes longer than building a term.
const FREE: u32 = 512;

/// Does some work, and leaves it when it is over. It is also left when what is around it is over.
pub fn within<T>(stop: &Stop, work: impl FnOnce() -> T) -> Result<T, Stopped> {
    within_all(vec![stop.clone()], work)
}

fn within_all<T>(stops: Vec<Stop>, work: impl FnOnce() -> T) -> Result<T, Stopped> {
    if stops.iter().any(Stop::is_over) {
        return Err(Stopped);
    }
    let before = AROUND.with_borrow(Vec::len);
    AROUND.with_borrow_mut(|around| around.extend(stops));
    let done = catch_unwind(AssertUnwindSafe(work));
    AROUND.with_borrow_mut(|around| around.truncate(before));
    match done {
        Ok(value) => Ok(value),
        Err(payload) if is_stop(&*payload) => Err(Stopped),
        Err(payload) => resume_unwind(payload),
    }
}

/// Does work that is not left, whatever it is within: it looks at the clock itself, and what it finds must not be lost.
pub fn apart<T>(work: impl FnOnce() -> T) -> T {
    let before = AROUND.take();
    let done = catch_unwind(AssertUnwindSafe(work));
    AROUND.set(before);
    done.unwrap_or_else(|payload| resume_unwind(payload))
}

/// What this thread is within: for work that goes on in other threads, see [`Around::within`].
pub fn around() -> Around {
    Around(AROUND.with_borrow(Clone::clone))
}

/// What a thread was within.
#[derive(Clone, Debug)]
pub struct Around(Vec<Stop>);

impl Around {
    /// Does work of that thread in this one.
    pub fn within<T>(&self, work: impl FnOnce() -> T) -> Result<T, Stopped> {
        within_all(self.0.clone(), work)
    }
}

/// Leaves the work that this thread does, if it is over. Cheap enough for innermost loops.
#[inline]
pub fn look() {
    PATIENCE.with(|patience| match patience.get() {
        0 => {
            patience.set(FREE);
            look_now();
        }
        left => patience.set(left - 1),
    });
}

/// The same, and the clock is read in any case: for loops whose rounds are long.
pub fn look_now() {
    if is_over() && !std::thread::panicking() {
        resume_unwind(Box::new(Stopped));
    }
}

/// Whether the work that this thread does is over.
pub fn is_over() -> bool {
    AROUND.with_borrow(|around| around.iter().any(Stop::is_over))
}

/// The time that is left for the work that this thread does.
pub fn left() -> Duration {
    AROUND.with_borrow(|around| around.iter().map(Stop::left).min()).unwrap_or(Duration::MAX)
}

/// Whether what was caught is no panic, but work that was left.
pub fn is_stop(payload: &(dyn std::any::Any + Send)) -> bool {
    payload.is::<Stopped>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endless() {
        loop {
            look();
        }
    }

    #[test]
    fn work_is_left_at_its_time() {
        let started = Instant::now();
        let time = Duration::from_millis(50);
        assert_eq!(within(&Stop::at(started + time), endless), Err(Stopped));
        assert!(started.elapsed() >= time && started.elapsed() < time * 20);
        assert_eq!(within(&Stop::never(), || 7), Ok(7));
        assert!(!is_over() && left() == Duration::MAX);
    }

    #[test]
    fn work_is_left_when_somebody_says_so() {
        let flag = Arc::new(AtomicBool::new(false));
        let other = Arc::clone(&flag);
        let teller = std::thread::spawn(move || other.store(true, Ordering::Relaxed));
        assert_eq!(within(&Stop::on(&flag), endless), Err(Stopped));
        teller.join().expect("it only sets a flag");
        // It is not begun either.
        assert_eq!(within(&Stop::on(&flag), || panic!("it is begun")), Err(Stopped));
    }

    #[test]
    fn the_inner_one_is_left_first_and_then_the_outer_one() {
        let (outer, inner) = (Duration::from_millis(80), Duration::from_millis(20));
        let now = Instant::now();
        let mut left = None;
        let all = within(&Stop::at(now + outer), || {
            left = Some(within(&Stop::at(now + inner), endless));
            assert!(now.elapsed() < outer);
            // A longer time inside does not help.
            let _ = within(&Stop::at(now + 1000 * outer), endless);
            endless();
        });
        assert_eq!((left, all), (Some(Err(Stopped)), Err(Stopped)));
    }

    #[test]
    fn threads_work_within_what_is_around_who_started_them() {
        let stop = Stop::at(Instant::now() + Duration::from_millis(50));
        let all = within(&stop, || {
            let around = around();
            std::thread::scope(|scope| {
                let threads: Vec<_> = (0..3).map(|_| scope.spawn(|| around.within(endless))).collect();
                threads.into_iter().map(|one| one.join().expect("it is left, not broken")).collect::<Vec<_>>()
            })
        });
        assert_eq!(all, Ok(vec![Err(Stopped); 3]));
    }

    #[test]
    fn what_is_apart_is_not_left() {
        let flag = Arc::new(AtomicBool::new(false));
        let mut seen = 0;
        let all = within(&Stop::on(&flag), || {
            flag.store(true, Ordering::Relaxed);
            apart(|| (0..10).for_each(|_| look_now()));
            seen = 1;
            look_now();
        });
        assert_eq!((seen, all), (1, Err(Stopped)));
    }

    #[test]
    fn a_panic_stays_one() {
        let caught = catch_unwind(|| within(&Stop::never(), || panic!("a bug")));
        assert!(caught.is_err_and(|payload| !is_stop(&*payload)));
        assert!(!is_over());
    }
}
