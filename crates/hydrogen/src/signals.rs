//! The user's wish to end: Ctrl-C (SIGINT), SIGTERM, and a terminal that is closed (SIGHUP).
//!
//! The first signal sets a flag that all engines look at, and ends the work of the solvers: what is known so far is told. Whatever does
//! not look at the flag ends all the same: a second later, or at the second signal, this process and everything that it started is gone.

use nix::sys::signal::{SigSet, Signal};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::Duration;

/// So long a command may tell what it knows. With what ending takes, it is less than a second.
const GRACE: Duration = Duration::from_millis(800);

/// The signals that mean an end.
const ENDS: [Signal; 3] = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP];

/// The first signal that came; 0 while there is none.
static CAME: AtomicI32 = AtomicI32::new(0);

/// Listens from now on. To be called before there is any other thread: these take over which signals are left to the listener.
pub fn listen() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let mut set = SigSet::empty();
    ENDS.into_iter()
        .filter(|signal| *signal != Signal::SIGHUP || !is_ignored(*signal))
        .for_each(|one| set.add(one));
    if let Err(error) = set.thread_block() {
        tracing::debug!("signals end this process at once: {error}");
        return flag;
    }
    let told = Arc::clone(&flag);
    std::thread::spawn(move || wait(&set, &told));
    flag
}

fn wait(set: &SigSet, flag: &Arc<AtomicBool>) {
    let Ok(signal) = set.wait() else { return };
    CAME.store(signal as i32, Ordering::Relaxed);
    flag.store(true, Ordering::Relaxed);
    // Nobody waits for the solver: what is known so far is told.
    hydrogen_term::interrupt();
    std::thread::spawn(|| {
        std::thread::sleep(GRACE);
        end();
    });
    let _ = set.wait();
    end();
}

/// Ends this process and what it started.
fn end() -> ! {
    hydrogen_jail::end_all();
    std::process::exit(i32::from(code()));
}

/// What a command exits with that was ended by a signal, as shells have it.
pub fn code() -> u8 {
    match CAME.load(Ordering::Relaxed) {
        0 => 130,
        signal => 128_u8.saturating_add(u8::try_from(signal).unwrap_or(0)),
    }
}

/// Whether a signal came.
pub fn came() -> bool {
    CAME.load(Ordering::Relaxed) != 0
}

/// Whether whoever started us wants a signal to do nothing, as `nohup` does.
fn is_ignored(signal: Signal) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = line.and_then(|line| u64::from_str_radix(line.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal as u32 - 1) & 1 == 1
}
