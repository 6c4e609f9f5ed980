//! `compile_commands.json`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::Problem;
use super::recorder::{Call, Tool};
use super::units::{Collected, relative};

#[derive(Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    command: Option<String>,
    arguments: Option<Vec<String>>,
}

/// The databases a version may carry: at its root, else in a folder whose name begins with `build`.
pub(super) fn find(checkout: &Path) -> Option<PathBuf> {
    let mut folders = vec![checkout.to_path_buf()];
    let mut builds: Vec<PathBuf> = std::fs::read_dir(checkout)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("build"))
        .map(|entry| entry.path())
        .collect();
    builds.sort();
    folders.append(&mut builds);
    folders.into_iter().map(|folder| folder.join("compile_commands.json")).find(|path| path.is_file())
}

/// Reads a database.
pub(super) fn read(path: &Path, checkout: &Path) -> Result<Collected, Problem> {
    let failed = |message: String| Problem::Database { path: relative(path, checkout), message };
    // A build folder lies outside of the checkout.
    let root = if path.starts_with(checkout) { checkout } else { path.parent().unwrap_or(checkout) };
    let text = super::left::read(root, path).map_err(|error| failed(error.to_string()))?;
    let entries: Vec<Entry> = serde_json::from_slice(&text).map_err(|error| failed(error.to_string()))?;
    let base = path.parent().unwrap_or(checkout);
    let mut collected = Collected::default();
    for entry in entries {
        collected.compilation(&call(entry, base, checkout), checkout);
    }
    Ok(collected)
}

fn call(entry: Entry, base: &Path, checkout: &Path) -> Call {
    let words =
        entry.arguments.or_else(|| entry.command.as_deref().and_then(shlex::split)).unwrap_or_default();
    let mut directory = base.join(&entry.directory);
    let file = directory.join(&entry.file);
    // The database may have been made elsewhere: then its paths end like ours and begin otherwise.
    let moved = if file.is_file() { None } else { moved_root(&file, checkout) };
    let here = |word: &str| match &moved {
        Some(root) => word.replace(root.as_str(), &checkout.to_string_lossy()),
        None => word.to_string(),
    };
    directory = PathBuf::from(here(&directory.to_string_lossy()));
    if moved.is_some() && !directory.is_dir() {
        directory = checkout.to_path_buf();
    }
    let cxx = is_cxx(&words);
    let mut arguments: Vec<OsString> =
        words.iter().skip(compiler_words(&words)).map(|word| OsString::from(here(word))).collect();
    // Some databases leave the file out of the command.
    let named = here(&file.to_string_lossy());
    let listed = |word: &OsString| {
        directory.join(word) == Path::new(&named)
            || relative(&directory.join(word), checkout) == relative(Path::new(&named), checkout)
    };
    if !arguments.iter().any(listed) {
        arguments.push(named.into());
    }
    Call { tool: if cxx { Tool::Cxx } else { Tool::C }, directory, arguments }
}

/// The root of the tree in which the database was made, when a file of it has the same place in this one.
fn moved_root(file: &Path, checkout: &Path) -> Option<String> {
    let parts: Vec<_> = file.components().collect();
    (1..parts.len()).find_map(|at| {
        let rest: PathBuf = parts[at..].iter().collect();
        let root: PathBuf = parts[..at].iter().collect();
        (checkout.join(&rest).is_file() && root.parent().is_some())
            .then(|| root.to_string_lossy().into_owned())
    })
}

/// How many words come before the arguments: the compiler, and what starts it.
fn compiler_words(words: &[String]) -> usize {
    let launcher = words.first().is_some_and(|word| {
        let name = word.rsplit('/').next().unwrap_or(word);
        matches!(name, "ccache" | "distcc" | "sccache" | "icecc")
    });
    if launcher { 2 } else { 1 }
}

fn is_cxx(words: &[String]) -> bool {
    words
        .get(compiler_words(words) - 1)
        .is_some_and(|word| word.rsplit('/').next().unwrap_or(word).contains("++"))
}
