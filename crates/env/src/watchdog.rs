//! Who looks at the clock while the tracing thread waits for the kernel.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::record::Tid;

/// How often it looks.
const TICK: Duration = Duration::from_millis(25);
/// How long one thread may compute while others wait for their turn.
const LONGEST_TURN: Duration = Duration::from_secs(1);

/// It ends the run when its time is over, when the user wants no more, or when one thread keeps all others waiting.
#[derive(Debug)]
pub struct Watchdog {
    shared: Arc<(Mutex<Shared>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    all: BTreeSet<Tid>,
    /// When the time is over, and whether that is the run's own time.
    end: Option<(Instant, bool)>,
    turn: Instant,
    others_wait: bool,
    ending: bool,
    finished: bool,
    stopped: Option<String>,
    timed_out: bool,
}

impl Watchdog {
    /// Starts looking.
    pub fn start(most: Option<Duration>, cancel: Arc<AtomicBool>) -> Self {
        let now = Instant::now();
        let shared = Shared {
            all: BTreeSet::new(),
            end: most.map(|most| (now + most, true)),
            turn: now,
            others_wait: false,
            ending: false,
            finished: false,
            stopped: None,
            timed_out: false,
        };
        let shared = Arc::new((Mutex::new(shared), Condvar::new()));
        let theirs = Arc::clone(&shared);
        let thread = std::thread::spawn(move || watch(&theirs, &cancel));
        Self { shared, thread: Some(thread) }
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        lock(&self.shared.0)
    }

    /// A thread that ends with the run.
    pub fn add(&self, tid: Tid) {
        self.shared().all.insert(tid);
    }

    /// A thread that is gone.
    pub fn remove(&self, tid: Tid) {
        self.shared().all.remove(&tid);
    }

    /// Something happened; whether others wait for their turn from now on.
    pub fn beat(&self, others_wait: bool) {
        let mut shared = self.shared();
        if others_wait || shared.others_wait {
            shared.others_wait = others_wait;
            shared.turn = Instant::now();
        }
    }

    /// Everything is ended after so long.
    pub fn end_in(&self, time: Duration) {
        let end = Instant::now() + time;
        let mut shared = self.shared();
        shared.end = Some(shared.end.filter(|(other, _)| *other < end).unwrap_or((end, false)));
    }

    /// Everything is ended.
    pub fn end_now(&self) {
        end_all(&mut self.shared());
    }

    /// Why it ended the run, if it did; and whether the run's time was over.
    pub fn verdict(&self) -> (Option<String>, bool) {
        let shared = self.shared();
        (shared.stopped.clone(), shared.timed_out)
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.shared().finished = true;
        self.shared.1.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn lock(mutex: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn end_all(shared: &mut Shared) {
    shared.ending = true;
    for tid in &shared.all {
        let _ = kill(Pid::from_raw(*tid), Signal::SIGKILL);
    }
}

fn watch(shared: &(Mutex<Shared>, Condvar), cancel: &AtomicBool) {
    let mut state = lock(&shared.0);
    while !state.finished {
        let now = Instant::now();
        if state.ending {
            // What was started at the last moment.
            end_all(&mut state);
        } else if cancel.load(Ordering::Relaxed) {
            state.stopped = Some("it was interrupted".into());
            end_all(&mut state);
        } else if let Some((_, own)) = state.end.filter(|(end, _)| *end <= now) {
            state.timed_out = own;
            end_all(&mut state);
        } else if state.others_wait && now - state.turn > LONGEST_TURN {
            state.stopped =
                Some("one thread computed for more than a second while others waited for their turn".into());
            end_all(&mut state);
        }
        state = shared.1.wait_timeout(state, TICK).unwrap_or_else(PoisonError::into_inner).0;
    }
}
