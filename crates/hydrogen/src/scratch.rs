//! A folder for temporary files that is gone when the work is done, or given up.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// The folder. Dropping it removes it and what is in it.
pub struct Scratch {
    path: PathBuf,
}

impl Scratch {
    /// A new folder; `what` is part of its name.
    pub fn new(what: &str) -> Result<Self> {
        let path = std::env::temp_dir().join(format!("hydrogen-{what}-{}", std::process::id()));
        std::fs::create_dir_all(&path).with_context(|| format!("cannot make {}", path.display()))?;
        Ok(Self { path })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Best effort: it is a folder for temporary files.
        drop(std::fs::remove_dir_all(&self.path));
    }
}
