//! How a person compiles what was loaded: the commands of its units, for a script.

use super::Loaded;
use super::load::flags;
use crate::cli::ProgramOptions;
use crate::context::Context;
use anyhow::{Context as _, Result};
use bstr::{BString, ByteSlice};
use hydrogen_evidence::{Compiled, Origin, Recipe};
use hydrogen_history::version::Source;
use std::path::Path;

pub fn recipe(context: &Context, options: &ProgramOptions, loaded: &Loaded) -> Result<Recipe> {
    let Some((modeller, version)) = &loaded.version else {
        let folder = context.here().to_owned();
        let words: Vec<BString> = flags(options)?.into_iter().map(BString::from).collect();
        let unit = |name: &String| Compiled {
            name: name.clone(),
            folder: String::new(),
            file: name.as_str().into(),
            words: words.clone(),
        };
        let units = options.programs.iter().map(unit).collect();
        let root = folder.to_string_lossy().as_bytes().into();
        return Ok(Recipe { sources: Origin::Folder(folder), root, units });
    };
    let sources = match &version.source {
        Source::Commit(commit) => Origin::Commit(commit.commit.clone()),
        Source::Directory(folder) | Source::Bitcode(folder) => Origin::Folder(folder.clone()),
    };
    let mut root = BString::default();
    let wanted = &loaded.linked.units;
    let units = modeller.with_commands(version, |commands| {
        let mut units = Vec::new();
        for unit in wanted.iter().filter_map(|name| name.command(commands)) {
            let command = &unit.command;
            root.clone_from(&command.root);
            let inside = Path::new(&*command.directory.to_path_lossy())
                .strip_prefix(&*command.root.to_path_lossy())
                .map(|folder| folder.to_string_lossy().into_owned());
            let words = command.arguments.iter().skip(1).filter(|word| **word != command.file);
            units.push(Compiled {
                name: unit.name.clone(),
                folder: inside.unwrap_or_default(),
                file: command.file.clone(),
                words: words.cloned().collect(),
            });
        }
        units
    });
    let units = units?.context("there is no source to compile")?;
    Ok(Recipe { sources, root, units })
}
