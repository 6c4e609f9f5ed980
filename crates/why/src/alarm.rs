//! The end of the time for what cannot be done by halves: the runs that are looked into, and their slices.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often the user's own wish to stop is looked at.
const LOOK: Duration = Duration::from_millis(50);

/// A flag that is set when the time is over, or when the user wants to stop.
pub(crate) struct Alarm {
    pub(crate) flag: Arc<AtomicBool>,
    off: Option<Sender<()>>,
    waiting: Option<JoinHandle<()>>,
}

impl Alarm {
    pub(crate) fn new(deadline: Option<Instant>, user: Option<Arc<AtomicBool>>) -> Self {
        let flag = Arc::new(AtomicBool::new(false));
        let (off, was_put_off) = channel();
        let set = Arc::clone(&flag);
        let waiting = std::thread::spawn(move || {
            while let Err(RecvTimeoutError::Timeout) = was_put_off.recv_timeout(LOOK) {
                let stopped = user.as_ref().is_some_and(|user| user.load(Ordering::Relaxed));
                if stopped || deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                    return set.store(true, Ordering::Relaxed);
                }
            }
        });
        Self { flag, off: Some(off), waiting: Some(waiting) }
    }

    pub(crate) fn rang(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    /// From now on the flag stays as it is.
    pub(crate) fn put_off(&mut self) {
        drop(self.off.take());
        if let Some(waiting) = self.waiting.take() {
            let _ = waiting.join();
        }
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        self.put_off();
    }
}
