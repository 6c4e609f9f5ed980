//! Source text, as the program that was run has it.

use crate::context::Context;
use anyhow::Result;
use bstr::ByteSlice;
use hydrogen_history::tree::Trees;
use hydrogen_history::version::Version;
use hydrogen_jail::inside;
use std::path::{Path, PathBuf};

/// Where the text of files is.
pub struct Sources {
    /// The folder that the tool runs in, and those of the files that were given. A file says itself which files it was made of, by
    /// `#line`; only what lies in these is shown.
    folders: Vec<PathBuf>,
    version: Option<(Trees, Version)>,
}

impl Sources {
    /// The files themselves, or those of the version.
    pub fn new(context: &Context, programs: &[String]) -> Result<Self> {
        let is_file = |name: &String| name.ends_with(".c") || name.ends_with(".i");
        let version = match programs {
            [name] if !is_file(name) => Some((Trees::new(), context.resolve_one(name)?)),
            _ => None,
        };
        let given = programs.iter().filter(|name| is_file(name));
        let folders = given.filter_map(|name| context.path(Path::new(name)).parent().map(Path::to_owned));
        Ok(Self { folders: std::iter::once(context.here().to_owned()).chain(folders).collect(), version })
    }
}

fn in_folder(folder: &Path, file: &Path) -> Option<Vec<u8>> {
    let name = file.strip_prefix(folder).unwrap_or(file);
    inside::read(folder, name, inside::MOST).ok()
}

impl hydrogen_report::runs::Sources for Sources {
    fn lines(&self, file: &str) -> Option<Vec<String>> {
        let bytes = match &self.version {
            Some((trees, version)) => trees.read_path(version, file.as_bytes().as_bstr()).ok().flatten()?,
            None => self.folders.iter().find_map(|folder| in_folder(folder, Path::new(file)))?,
        };
        Some(bytes.lines().map(|line| line.to_str_lossy().into_owned()).collect())
    }
}

/// The text of both versions: what was given is a C file, `NAME=FILE`, or names a version.
pub fn sources_of(context: &Context, given: [&str; 2]) -> Result<[Sources; 2]> {
    let path = |name: &str| match name.split_once('=') {
        Some((_, path)) if path.ends_with(".c") || path.ends_with(".i") => path.to_owned(),
        _ => name.to_owned(),
    };
    let [old, new] = given.map(|name| Sources::new(context, &[path(name)]));
    Ok([old?, new?])
}
