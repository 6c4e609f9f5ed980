//! A flag that is set when the time is over, or when the user stops the command.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// So often it is looked at the clock, and at what the user does.
const OFTEN: Duration = Duration::from_millis(50);

/// Sets a flag at a time. It ends with what holds it.
pub struct Timer {
    flag: Arc<AtomicBool>,
    done: Arc<AtomicBool>,
    interrupt: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Timer {
    /// The flag is set at this time, or when `interrupt` is.
    pub fn until(end: Instant, interrupt: &Arc<AtomicBool>) -> Self {
        let (flag, done) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let (set, stop, user) = (Arc::clone(&flag), Arc::clone(&done), Arc::clone(interrupt));
        let thread = std::thread::spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                if Instant::now() >= end || user.load(Ordering::Relaxed) {
                    return set.store(true, Ordering::Relaxed);
                }
                std::thread::sleep(OFTEN);
            }
        });
        Self { flag, done, interrupt: Arc::clone(interrupt), thread: Some(thread) }
    }

    /// The flag.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.flag)
    }

    /// The time no longer counts: what was found is told in any case.
    pub fn stop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A thread that only looks at the clock does not panic.
            drop(thread.join());
        }
        self.flag.store(self.interrupt.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
    }
}
