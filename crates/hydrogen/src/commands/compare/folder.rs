//! Differences as folders: the input, a script that replays it, and a test in C for each version.

use super::{Row, Side};
use crate::output::into;
use anyhow::{Context as _, Result};
use hydrogen_evidence::Input;
use hydrogen_report::replay::{Version, call};
use std::fs;
use std::path::Path;

/// Writes one folder for every function that differs.
pub fn write(folder: &Path, rows: &[Row], old: &Side, new: &Side) -> Result<()> {
    for row in rows {
        let Some(shown) = &row.difference else { continue };
        let place = Path::new(&row.name);
        let cannot = || format!("cannot write into {}", folder.join(place).display());
        fs::create_dir_all(folder).with_context(cannot)?;
        let input = Input { call: Some(shown.call.clone()), ..Input::default() };
        into(folder, place.join("input.json"), format!("{}\n", serde_json::to_string_pretty(&input)?))
            .with_context(cannot)?;
        for (name, text) in ["old.c", "new.c"].iter().zip(&shown.tests) {
            into(folder, place.join(name), text).with_context(cannot)?;
        }
        fn version(side: &Side) -> Version<'_> {
            Version { name: &side.name, given: &side.given }
        }
        let script = call(&row.name, shown, [version(old), version(new)]);
        into(folder, place.join("replay.sh"), script).with_context(cannot)?;
    }
    Ok(())
}
