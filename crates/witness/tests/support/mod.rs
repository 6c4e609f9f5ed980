//! What the tests of witnesses share.

use super::common::Code;
use hydrogen_graph::VersionId;
use hydrogen_ir::Module;
use hydrogen_machine::Archive;
use hydrogen_witness::Units;

/// Versions that are compiled already.
pub struct Compiled<'a>(pub &'a Code);

impl Units for Compiled<'_> {
    fn units(&self, version: VersionId) -> Result<Vec<Module>, String> {
        Ok(self.0[version.index()].iter().map(|module| Module::clone(module)).collect())
    }

    fn archive(&self) -> Option<&Archive> {
        hydrogen_testkit::archive()
    }
}
