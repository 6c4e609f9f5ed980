//! Completions for shells and manual pages, made from the command line's own description.

use super::Outcome;
use crate::cli;
use crate::context::Context;
use anyhow::{Context as _, Result};
use clap_complete::Shell;
use std::path::Path;

/// Writes the completions of a shell to standard output.
pub fn completions(context: &Context, shell: Shell) -> Result<Outcome> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut cli::command(), "hydrogen", &mut text);
    context.output_bytes(&text)?;
    Ok(Outcome::Done)
}

/// Writes a manual page for the tool and one for every command into a folder.
pub fn pages(context: &Context, folder: &Path) -> Result<Outcome> {
    let folder = context.path(folder);
    std::fs::create_dir_all(&folder)
        .and_then(|()| clap_mangen::generate_to(cli::command(), &folder))
        .with_context(|| format!("cannot write manual pages into {}", folder.display()))?;
    Ok(Outcome::Done)
}
