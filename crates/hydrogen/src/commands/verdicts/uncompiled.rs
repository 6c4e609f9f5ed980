//! Files that a change touched and that the build does not compile: nothing of what is said is about them.

use super::engine::Functions;
use crate::context::Context;
use hydrogen_graph::VersionId;
use hydrogen_history::tree::Change;
use hydrogen_history::version::Version;
use std::collections::BTreeSet;

/// The C files that differ between two versions and are no units of the newer one. Empty where the versions are not two of one repository.
pub fn uncompiled(
    context: &Context,
    functions: &Functions<'_>,
    before: &Version,
    (after, id): (&Version, VersionId),
) -> Vec<String> {
    let Ok(changed) = context.trees.changed_files(before, after) else { return Vec::new() };
    let Some(units) = functions.unit_files(id) else { return Vec::new() };
    let still_there = changed.into_iter().filter(|file| !matches!(file.change, Change::Deleted(_)));
    let paths = still_there.map(|file| file.path.to_string()).filter(|path| path.ends_with(".c"));
    let not_compiled: BTreeSet<String> = paths.filter(|path| !units.contains(path)).collect();
    not_compiled.into_iter().collect()
}
