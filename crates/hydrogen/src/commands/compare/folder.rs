//! Differences as folders: the input, a script that replays it, and a test in C for each version.

use super::{Row, Side};
use anyhow::{Context as _, Result};
use hydrogen_evidence::Input;
use std::fs;
use std::path::Path;

/// Writes one folder for every function that differs.
pub fn write(folder: &Path, rows: &[Row], old: &Side, new: &Side) -> Result<()> {
    for row in rows {
        let Some(shown) = &row.difference else { continue };
        let place = folder.join(&row.name);
        let cannot = || format!("cannot write into {}", place.display());
        fs::create_dir_all(&place).with_context(cannot)?;
        let input = Input { call: Some(shown.call.clone()), ..Input::default() };
        fs::write(place.join("input.json"), format!("{}\n", serde_json::to_string_pretty(&input)?))
            .with_context(cannot)?;
        for (name, text) in ["old.c", "new.c"].iter().zip(&shown.tests) {
            fs::write(place.join(name), text).with_context(cannot)?;
        }
        let quote =
            |text: &str| shlex::try_quote(text).map_or_else(|_| text.to_owned(), |text| text.into_owned());
        let run = |side: &Side| {
            format!(
                "echo {}\nhydrogen run --function {} --test \"$here/input.json\" --native {}\n",
                quote(&format!("{}:", side.name)),
                quote(&row.name),
                quote(&side.given)
            )
        };
        let script = format!(
            "#!/bin/sh\n# {}\n# {}: {}\n# {}: {}\n# Start it where the versions are: in the repository, or in the folder of the files.\nhere=$(cd \"$(dirname \"$0\")\" && pwd)\n{}{}",
            shown.input.replace('\n', " "),
            old.name,
            shown.old.replace('\n', " "),
            new.name,
            shown.new.replace('\n', " "),
            run(old),
            run(new)
        );
        fs::write(place.join("replay.sh"), script).with_context(cannot)?;
    }
    Ok(())
}
