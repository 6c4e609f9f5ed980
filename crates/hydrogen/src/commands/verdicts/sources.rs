//! The source files of versions, for excerpts.

use crate::context::Context;
use bstr::ByteSlice;
use hydrogen_history::version::Version;
use hydrogen_report::verdicts::Sources;

/// Reads from the versions themselves.
pub struct VersionSources<'a> {
    pub context: &'a Context,
    pub versions: &'a [Version],
}

impl Sources for VersionSources<'_> {
    fn file(&self, version: &str, file: &str) -> Option<String> {
        let version = self.versions.iter().find(|one| one.name == version)?;
        let bytes = self.context.trees.read_path(version, file.as_bytes().as_bstr()).ok()??;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
}
