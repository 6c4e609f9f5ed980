//! Source text, as the program that was run has it.

use crate::context::Context;
use anyhow::Result;
use bstr::ByteSlice;
use hydrogen_history::tree::Trees;
use hydrogen_history::version::Version;
use std::path::PathBuf;

/// Where the text of files is.
pub struct Sources {
    here: PathBuf,
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
        Ok(Self { here: context.here().to_owned(), version })
    }
}

impl hydrogen_report::runs::Sources for Sources {
    fn lines(&self, file: &str) -> Option<Vec<String>> {
        let bytes = match &self.version {
            Some((trees, version)) => trees.read_path(version, file.as_bytes().as_bstr()).ok().flatten()?,
            None => std::fs::read(self.here.join(file)).ok()?,
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
