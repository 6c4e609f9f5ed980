//! A lock on a file that other processes respect.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;

/// Held until dropped. The operating system releases it when the process dies, however it dies.
#[derive(Debug)]
pub(crate) struct FileLock(File);

impl FileLock {
    /// Takes the lock if nobody has it; the file is made when it is missing.
    pub fn try_take(path: &Path) -> io::Result<Option<FileLock>> {
        let file = File::options().create(true).append(true).open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(FileLock(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // Closing the file is not enough: a process that another thread is just starting holds a copy of it until it
        // runs its program, and with it the lock.
        let _ = self.0.unlock();
    }
}
