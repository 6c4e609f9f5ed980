//! Without a build system: all C files, with include folders that are guessed from what they include.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::units::{globs, relative};
use super::{Problem, Unit};
use crate::config::Config;

/// All C files of the checkout, or those that the configuration names.
pub(super) fn units(checkout: &Path, config: &Config, problems: &mut Vec<Problem>) -> Vec<Unit> {
    let tree = Tree::read(checkout);
    let wanted = globs(&config.build.sources);
    for pattern in &config.build.sources {
        let one = globs(std::slice::from_ref(pattern));
        if !tree.sources.iter().any(|file| one.is_match(file)) {
            problems.push(Problem::NoMatch { pattern: pattern.clone() });
        }
    }
    let named = !config.build.sources.is_empty();
    let files: Vec<&PathBuf> = tree.sources.iter().filter(|file| !named || wanted.is_match(file)).collect();
    // Who writes down the include folders knows them all.
    let folders = if config.build.include.is_empty() { tree.include_folders(checkout) } else { Vec::new() };
    // Files beside each other need no build system: nothing was guessed, and nothing went wrong before.
    let nothing_guessed = folders.is_empty() && problems.is_empty();
    if !named && !nothing_guessed {
        problems.push(Problem::Guessed { files: files.len(), folders: folders.len() });
    }
    let arguments: Vec<String> =
        folders.iter().filter_map(|folder| Some(format!("-I{}", folder.to_str()?))).collect();
    files
        .into_iter()
        .map(|file| Unit {
            file: file.clone(),
            directory: PathBuf::new(),
            arguments: arguments.clone(),
            objects: Vec::new(),
        })
        .collect()
}

/// The C files of a checkout, sorted.
#[derive(Default)]
struct Tree {
    sources: Vec<PathBuf>,
    headers: Vec<PathBuf>,
}

impl Tree {
    fn read(checkout: &Path) -> Tree {
        let mut tree = Tree::default();
        tree.walk(checkout, checkout);
        tree.sources.sort();
        tree.headers.sort();
        tree
    }

    fn walk(&mut self, folder: &Path, checkout: &Path) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let hidden = entry.file_name().as_bytes().starts_with(b".");
            // Links are other names of files that are met anyway, or lead in circles.
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && !hidden => self.walk(&path, checkout),
                Ok(kind) if kind.is_file() => match path.extension().map(OsStr::as_bytes) {
                    Some(b"c") => self.sources.push(relative(&path, checkout)),
                    Some(b"h") => self.headers.push(relative(&path, checkout)),
                    _ => {}
                },
                _ => {}
            }
        }
    }

    /// Folders from which the files' includes can be found: `include` folders first, then the nearest to the root.
    fn include_folders(&self, checkout: &Path) -> Vec<PathBuf> {
        let mut by_name: BTreeMap<&OsStr, Vec<&PathBuf>> = BTreeMap::new();
        for header in &self.headers {
            by_name.entry(header.file_name().unwrap_or_default()).or_default().push(header);
        }
        let mut folders = BTreeSet::new();
        for file in self.sources.iter().chain(&self.headers) {
            let text = super::left::read(checkout, &checkout.join(file)).unwrap_or_default();
            for (included, quoted) in includes(&text) {
                let included = Path::new(OsStr::from_bytes(included));
                let own = file.parent().unwrap_or(Path::new(""));
                let found = quoted && checkout.join(own).join(included).is_file();
                if found || (!quoted && is_system_header(included)) {
                    continue;
                }
                for header in by_name.get(included.file_name().unwrap_or_default()).into_iter().flatten() {
                    folders.extend(prefix(header, included));
                }
            }
        }
        let mut folders: Vec<PathBuf> = folders.into_iter().collect();
        let is_include =
            |folder: &Path| folder.components().any(|part| part.as_os_str().as_bytes().starts_with(b"inc"));
        folders
            .sort_by_cached_key(|folder| (!is_include(folder), folder.components().count(), folder.clone()));
        folders
            .into_iter()
            .map(|folder| if folder.as_os_str().is_empty() { ".".into() } else { folder })
            .collect()
    }
}

/// `dir` when `header` is `dir/included`.
fn prefix(header: &Path, included: &Path) -> Option<PathBuf> {
    let clean: PathBuf =
        included.components().filter(|part| !matches!(part, std::path::Component::CurDir)).collect();
    if !header.ends_with(&clean) {
        return None;
    }
    let keep = header.components().count() - clean.components().count();
    Some(header.components().take(keep).collect())
}

fn is_system_header(path: &Path) -> bool {
    ["/usr/include", "/usr/include/x86_64-linux-gnu", "/usr/lib/llvm-19/lib/clang/19/include"]
        .iter()
        .any(|folder| Path::new(folder).join(path).is_file())
}

/// The files a text includes, and whether they are in quotes.
fn includes(text: &[u8]) -> impl Iterator<Item = (&[u8], bool)> {
    text.split(|b| *b == b'\n').filter_map(|line| {
        let rest = line.trim_ascii_start().strip_prefix(b"#")?.trim_ascii_start();
        let rest = rest.strip_prefix(b"include")?.trim_ascii_start();
        let (open, rest) = rest.split_first()?;
        let close = match open {
            b'"' => b'"',
            b'<' => b'>',
            _ => return None,
        };
        let end = rest.iter().position(|b| *b == close)?;
        Some((&rest[..end], close == b'"'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn includes_are_found() {
        let text = b"#include <a/b.h>\n  # include \"c.h\" // x\n#include MACRO\nint x; /* #include */\n";
        let found: Vec<_> = includes(text).collect();
        assert_eq!(found, [(&b"a/b.h"[..], false), (&b"c.h"[..], true)]);
        assert_eq!(prefix(Path::new("x/inc/a/b.h"), Path::new("a/b.h")), Some("x/inc".into()));
        assert_eq!(prefix(Path::new("a/b.h"), Path::new("./a/b.h")), Some("".into()));
        assert_eq!(prefix(Path::new("xa/b.h"), Path::new("a/b.h")), None);
    }
}
