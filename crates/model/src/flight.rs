//! One computation per key at a time: the second who asks waits for the first one's answer to reach the cache.

use crate::modeller::lock;
use std::collections::HashSet;
use std::sync::{Condvar, Mutex, MutexGuard};

/// The keys that some thread is working on.
#[derive(Default)]
pub(crate) struct Flight {
    busy: Mutex<HashSet<[u8; 32]>>,
    landed: Condvar,
}

impl Flight {
    /// Waits until nobody works on `key`, then claims it until the guard is dropped.
    pub(crate) fn claim(&self, key: [u8; 32]) -> Claim<'_> {
        let mut busy = self.lock();
        while busy.contains(&key) {
            busy = self.landed.wait(busy).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
        busy.insert(key);
        Claim { flight: self, key }
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<[u8; 32]>> {
        lock(&self.busy)
    }
}

/// The right to work on a key.
pub(crate) struct Claim<'a> {
    flight: &'a Flight,
    key: [u8; 32],
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.flight.lock().remove(&self.key);
        self.flight.landed.notify_all();
    }
}
