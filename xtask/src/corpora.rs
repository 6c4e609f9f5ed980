//! Real programs: C sources that published crates carry, fetched with the ordinary client into the target folder. None of
//! them is ever committed.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program and how to compile its files.
pub struct Corpus {
    pub name: &'static str,
    package: &'static str,
    below: &'static str,
    /// Files that are not part of the program.
    skip: &'static [&'static str],
    pub flags: &'static [&'static str],
    pub folder: PathBuf,
}

fn known() -> Vec<Corpus> {
    let corpus = |name, package, below, skip, flags| Corpus {
        name,
        package,
        below,
        skip,
        flags,
        folder: PathBuf::new(),
    };
    vec![
        corpus("zlib", "libz-sys@1.1.20", "src/zlib", &[], &["-DHAVE_UNISTD_H"]),
        corpus("lz4", "lz4-sys@1.11.1", "liblz4/lib", &[], &[]),
        corpus("bzip2", "bzip2-sys@0.1.11", "bzip2-1.0.8", &[], &["-D_FILE_OFFSET_BITS=64"]),
        corpus("lua", "lua-src@547.0.0", "lua-5.4.7", &["onelua.c", "ltests.c"], &["-DLUA_USE_POSIX"]),
        corpus("sqlite", "libsqlite3-sys@0.30.1", "sqlite3", &["sqlite3ext.c"], &["-DSQLITE_THREADSAFE=1"]),
    ]
}

/// The workspace's target folder.
pub fn target() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from)
}

/// All corpora, fetched where missing.
pub fn fetch_all() -> Result<Vec<Corpus>> {
    fetch(&[])?;
    let home = target().join("corpora");
    known()
        .into_iter()
        .map(|mut corpus| {
            let missing = || format!("{} cannot be fetched; is there a network?", corpus.package);
            corpus.folder = find(&home, &corpus).with_context(missing)?;
            Ok(corpus)
        })
        .collect()
}

/// Fetches packages, or the usual ones.
pub fn fetch(packages: &[String]) -> Result<()> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/corpora.sh");
    Command::new(script).args(packages).status().context("cannot run scripts/corpora.sh")?;
    Ok(())
}

fn find(home: &Path, corpus: &Corpus) -> Option<PathBuf> {
    let folder = package(home, corpus.package)?.join(corpus.below);
    folder.is_dir().then_some(folder)
}

/// The folder of a package that was fetched.
pub fn package(home: &Path, package: &str) -> Option<PathBuf> {
    let wanted = package.replace('@', "-");
    let registries = std::fs::read_dir(home.join("registry/src")).ok()?.flatten();
    let packages =
        registries.flat_map(|registry| std::fs::read_dir(registry.path()).into_iter().flatten().flatten());
    // Build metadata may follow the version.
    let is =
        |name: &str| name == wanted || name.strip_prefix(&wanted).is_some_and(|rest| rest.starts_with('+'));
    packages
        .map(|entry| entry.path())
        .find(|path| path.file_name().and_then(|name| name.to_str()).is_some_and(is))
}

impl Corpus {
    /// The C files, sorted.
    pub fn files(&self) -> Result<Vec<PathBuf>> {
        let entries = std::fs::read_dir(&self.folder)?.flatten().map(|entry| entry.path());
        let mut files: Vec<PathBuf> = entries
            .filter(|path| path.extension().is_some_and(|ending| ending == "c"))
            .filter(|path| !path.file_name().is_some_and(|name| self.skip.iter().any(|skip| name == *skip)))
            .collect();
        files.sort();
        Ok(files)
    }
}
