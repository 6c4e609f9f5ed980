//! Faults of public libraries, from the manifest `faults.toml`, as git repositories with a tag per release.

use crate::corpora;
use crate::public::{Library, ask, line_of};
use anyhow::{Context, Result};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// What is known of all faults.
#[derive(Deserialize)]
pub struct Manifest {
    library: Vec<Library>,
    pub fault: Vec<Fault>,
}

/// A fault and what is known of it.
#[derive(Deserialize)]
pub struct Fault {
    pub name: String,
    repository: String,
    before: String,
    fix: String,
    pub file: String,
    /// What is compiled, where that is more than the file.
    #[serde(default)]
    sources: Vec<String>,
    /// Whether the fix leaves some of the fault.
    #[serde(default)]
    after_has: bool,
    /// Whether causes of wrong answers were looked for here, whatever its name says.
    #[serde(default)]
    tuned: bool,
    pub function: String,
    /// The beginning of the faulty statement, as written before the fix.
    statement: String,
    pub kind: String,
    pub releases: Vec<Release>,
}

/// A release other than the two around the fix.
#[derive(Deserialize)]
pub struct Release {
    pub at: String,
    pub has: bool,
}

/// The half of the faults that one is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Half {
    /// Causes of wrong answers may be looked for here.
    Tune,
    /// Only counted.
    Report,
}

impl Manifest {
    pub fn read() -> Result<Self> {
        toml::from_str(include_str!("../faults.toml")).context("the manifest of faults cannot be read")
    }

    fn library(&self, repository: &str) -> Result<&Library> {
        let found = self.library.iter().find(|library| library.repository == repository);
        found.with_context(|| format!("nothing says how {repository} is compiled"))
    }
}

impl Fault {
    /// By a hash of the name alone (FNV-1a), so that nobody chose, and that a new fault moves no other.
    pub fn half(&self) -> Half {
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        let hash = self.name.bytes().fold(0xcbf2_9ce4_8422_2325, step);
        if self.tuned || (hash >> 32).is_multiple_of(2) { Half::Tune } else { Half::Report }
    }

    /// Every release that is asked about, with whether it has the fault; the two around the fix first.
    pub fn versions(&self) -> Vec<(&str, bool)> {
        let others = self.releases.iter().map(|release| (release.at.as_str(), release.has));
        [("before", true), ("after", self.after_has)].into_iter().chain(others).collect()
    }

    /// The repository, made when it is missing; none where there is no mirror.
    pub fn repository(&self, manifest: &Manifest, mirrors: &Path) -> Result<Option<PathBuf>> {
        let root = corpora::target().join("faults").join(&self.name);
        let around = [("before", self.before.as_str()), ("after", self.fix.as_str())];
        let others = self.releases.iter().map(|release| (release.at.as_str(), release.at.as_str()));
        let versions: Vec<(&str, &str)> = around.into_iter().chain(others).collect();
        let sources = match &self.sources[..] {
            [] => std::slice::from_ref(&self.file),
            all => all,
        };
        manifest.library(&self.repository)?.versions(root, mirrors, sources, &versions)
    }

    /// The line of the faulty statement before the fix: the first such text behind the head of its function.
    pub fn line(&self, root: &Path) -> Result<usize> {
        let text = ask(root, &["show", &format!("before:{}", self.file)])?;
        let found = line_of(&text, &self.function, &self.statement);
        found.with_context(|| format!("{} has no `{}`", self.file, self.statement))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manifest_has_forty_faults_with_three_other_releases_each_in_two_halves() {
        let manifest = Manifest::read().unwrap();
        assert!(manifest.fault.len() >= 40);
        assert!(manifest.fault.iter().all(|fault| fault.releases.len() >= 3));
        assert!(manifest.fault.iter().all(|fault| manifest.library(&fault.repository).is_ok()));
        let tune = manifest.fault.iter().filter(|fault| fault.half() == Half::Tune).count();
        assert_eq!((tune, manifest.fault.len() - tune), (90, 26));
    }
}
