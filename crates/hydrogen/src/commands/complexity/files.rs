//! Two files or two folders, old and new.

use super::{Options, answer};
use crate::context::Context;
use anyhow::{Context as _, Result};
use hydrogen_evidence::complexity::Row;
use hydrogen_history::tree::Trees;
use hydrogen_history::version::{Source, Version};
use hydrogen_interact::{Complexity, advance_to, index_of};
use std::path::{Path, PathBuf};

/// The two paths, when that is what is given: two files, or two folders.
pub fn pair(context: &Context, what: &[String]) -> Result<Option<(PathBuf, PathBuf)>> {
    let [old, new] = what else { return Ok(None) };
    let (old_path, new_path) = (context.path(Path::new(old)), context.path(Path::new(new)));
    let is_c = |path: &Path| path.extension().is_some_and(|it| it == "c" || it == "h");
    if is_c(&old_path) || is_c(&new_path) {
        for path in [&old_path, &new_path] {
            std::fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?;
        }
    }
    let both = |test: fn(&Path) -> bool| test(&old_path) && test(&new_path);
    Ok((both(Path::is_file) || both(Path::is_dir)).then_some((old_path, new_path)))
}

/// Compares them. Files go under the name of the new one, so that they are versions of one file.
pub fn measure(old: &Path, new: &Path, options: &Options) -> Result<Row> {
    let (before, after) = if new.is_file() {
        let name = new.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        (vec![(name.clone(), read(old)?)], vec![(name, read(new)?)])
    } else {
        (folder(old)?, folder(new)?)
    };
    let mut index = index_of(files(&before));
    let touched = advance_to(&mut index, files(&after));
    let complexity = Complexity::of_step(&index, &touched, options.reading());
    let name = format!("{}..{}", old.display(), new.display());
    let answer = answer(complexity, options.most_sequences());
    Ok(Row { name, commit: None, answer, notes: Vec::new() })
}

fn files(list: &[(String, Vec<u8>)]) -> impl Iterator<Item = (&str, &[u8])> + Clone {
    list.iter().map(|(path, content)| (path.as_str(), content.as_slice()))
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

fn folder(path: &Path) -> Result<Vec<(String, Vec<u8>)>> {
    let trees = Trees::new();
    let version = Version { name: path.display().to_string(), source: Source::Directory(path.to_owned()) };
    let mut found = Vec::new();
    for file in trees.files(&version)? {
        if hydrogen_model::sources::is_c(&file) {
            found.push((file.path.to_string(), trees.read(&version, &file)?));
        }
    }
    Ok(found)
}
