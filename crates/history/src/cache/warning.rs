//! What a user should know about the cache, although the work goes on.

use std::path::PathBuf;

/// Something that makes the cache less useful. It says each thing once.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Warning {
    /// Nothing can be stored.
    #[error("the cache {} cannot be written ({message}); it is used for reading only", path.display())]
    ReadOnly {
        /// The cache.
        path: PathBuf,
        /// The system's answer.
        message: String,
    },
    /// A value could not be stored.
    #[error("the disk of the cache {} is full; results are not stored", path.display())]
    DiskFull {
        /// The cache.
        path: PathBuf,
    },
    /// A value could not be stored or read for another reason.
    #[error("the cache cannot use {}: {message}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's answer.
        message: String,
    },
    /// A value was damaged and is gone.
    #[error("a damaged value was removed from the cache: {}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// The index was damaged and rebuilt.
    #[error("the index of the cache was damaged ({message}); it was moved to {} and rebuilt", moved.display())]
    IndexRebuilt {
        /// What was wrong.
        message: String,
        /// Where it is now.
        moved: PathBuf,
    },
    /// Another process holds the index for too long.
    #[error("the index of the cache is busy; sizes and times of use are recorded later")]
    IndexBusy,
    /// The index cannot be written.
    #[error("the index of the cache cannot be written: {message}; old values are not evicted")]
    Index {
        /// Why.
        message: String,
    },
}
