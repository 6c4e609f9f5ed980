//! A folder for temporary files that is gone when the work is done, or given up.

use anyhow::{Context, Result};
use std::path::Path;

/// The folder. Dropping it removes it and what is in it.
pub struct Scratch {
    folder: tempfile::TempDir,
}

impl Scratch {
    /// A new folder; `what` is part of its name.
    pub fn new(what: &str) -> Result<Self> {
        let prefix = format!("hydrogen-{what}-");
        let made = tempfile::Builder::new().prefix(&prefix).tempdir();
        let folder =
            made.with_context(|| format!("cannot make a folder in {}", std::env::temp_dir().display()))?;
        Ok(Self { folder })
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}
