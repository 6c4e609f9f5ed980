//! Faults of public libraries, from the manifest `faults.toml`, as git repositories with a tag per release. The files come from
//! mirrors that the user has; nothing of them is ever committed.

use crate::corpora;
use crate::series::git;
use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The variable that names the folder of mirrors.
pub const MIRRORS: &str = "HYDROGEN_MIRRORS";

/// What is known of all faults.
#[derive(Deserialize)]
pub struct Manifest {
    library: Vec<Library>,
    pub fault: Vec<Fault>,
}

/// How a file of a library is compiled alone.
#[derive(Deserialize)]
pub struct Library {
    repository: String,
    /// Folders, or `*.c` for the files of the root that end so.
    taken: Vec<String>,
    /// Headers that the build would generate.
    generated: BTreeMap<String, String>,
    flags: Vec<String>,
}

/// A fault and what is known of it.
#[derive(Deserialize)]
pub struct Fault {
    pub name: String,
    repository: String,
    before: String,
    fix: String,
    pub file: String,
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
        if (hash >> 32).is_multiple_of(2) { Half::Tune } else { Half::Report }
    }

    /// Every release that is asked about, with whether it has the fault; the two around the fix first.
    pub fn versions(&self) -> Vec<(&str, bool)> {
        let others = self.releases.iter().map(|release| (release.at.as_str(), release.has));
        [("before", true), ("after", false)].into_iter().chain(others).collect()
    }

    /// The repository, made when it is missing; none where there is no mirror.
    pub fn repository(&self, manifest: &Manifest, mirrors: &Path) -> Result<Option<PathBuf>> {
        let root = corpora::target().join("faults").join(&self.name);
        if root.join(".git/complete").exists() {
            return Ok(Some(root));
        }
        let Some(mirror) = mirror(mirrors, &self.repository) else { return Ok(None) };
        let library = manifest.library(&self.repository)?;
        drop(std::fs::remove_dir_all(&root));
        std::fs::create_dir_all(&root)?;
        git(&root, &["init", "-q"])?;
        let around = [("before", self.before.as_str()), ("after", self.fix.as_str())];
        let others = self.releases.iter().map(|release| (release.at.as_str(), release.at.as_str()));
        for (tag, commit) in around.into_iter().chain(others) {
            self.lay_out(library, &mirror, commit, &root)?;
            git(&root, &["add", "-A", "-f"])?;
            git(&root, &["commit", "-q", "--allow-empty", "-m", tag])?;
            git(&root, &["tag", tag])?;
        }
        std::fs::write(root.join(".git/complete"), "")?;
        Ok(Some(root))
    }

    /// Replaces the files of the repository by those of a release.
    fn lay_out(&self, library: &Library, mirror: &Path, commit: &str, root: &Path) -> Result<()> {
        for entry in std::fs::read_dir(root)?.flatten().filter(|entry| entry.file_name() != ".git") {
            match entry.file_type()?.is_dir() {
                true => std::fs::remove_dir_all(entry.path())?,
                false => std::fs::remove_file(entry.path())?,
            }
        }
        let names = ask(mirror, &["ls-tree", "--name-only", commit])?;
        let wanted = |name: &str| {
            let ends = |taken: &String| taken.strip_prefix('*').is_some_and(|end| name.ends_with(end));
            library.taken.iter().any(|taken| name == taken.split('/').next().unwrap_or(taken) || ends(taken))
        };
        let paths: Vec<&str> = names.lines().filter(|name| wanted(name)).collect();
        let mut archive = Command::new("git")
            .arg("-C")
            .arg(mirror)
            .args(["archive", commit])
            .args(&paths)
            .stdout(Stdio::piped())
            .spawn()?;
        let input = archive.stdout.take().context("no output of git archive")?;
        let status = Command::new("tar").arg("-x").current_dir(root).stdin(input).status()?;
        ensure!(archive.wait()?.success() && status.success(), "{} {commit} cannot be taken out", self.name);
        for (name, text) in &library.generated {
            let path = root.join(name);
            if !path.exists() && path.parent().is_some_and(Path::is_dir) {
                std::fs::write(path, text)?;
            }
        }
        let config = format!("[build]\nsources = [{:?}]\nflags = {:?}\n", self.file, library.flags);
        Ok(std::fs::write(root.join("hydrogen.toml"), config)?)
    }

    /// The line of the faulty statement before the fix: the first such text behind the head of its function.
    pub fn line(&self, root: &Path) -> Result<usize> {
        let text = ask(root, &["show", &format!("before:{}", self.file)])?;
        let blank = |text: &str| text.split_whitespace().collect::<String>();
        let (statement, head) = (blank(&self.statement), format!("{}(", self.function));
        let lines: Vec<String> = text.lines().map(blank).collect();
        let is_head = |at: usize| lines[at].contains(&head) && !lines[at].ends_with(';');
        // What is written over several lines is compared with as many.
        let is_statement = |at: usize| {
            let few: String = lines[at..].iter().take(5).map(String::as_str).collect();
            !lines[at].trim_matches(['{', '}']).is_empty()
                && few.trim_start_matches(['{', '}']).starts_with(&statement)
        };
        let heads = (0..lines.len()).filter(|at| is_head(*at));
        let found =
            heads.filter_map(|head| (head..lines.len().min(head + 600)).find(|at| is_statement(*at))).next();
        found.map(|at| at + 1).with_context(|| format!("{} has no `{}`", self.file, self.statement))
    }
}

/// The mirror of a repository: `owner/name`, `owner+name` or `name`, bare or not, as `git clone --mirror` leaves it.
fn mirror(mirrors: &Path, repository: &str) -> Option<PathBuf> {
    let name = repository.rsplit('/').next()?;
    let folders = [repository.to_owned(), repository.replace('/', "+"), name.to_owned()];
    let inside = ["", ".git", "repo", "repo/.git"];
    let all = folders.iter().flat_map(|folder| inside.map(|inner| mirrors.join(folder).join(inner)));
    all.into_iter().find(|path| path.join("objects").is_dir())
}

/// What git says.
fn ask(root: &Path, arguments: &[&str]) -> Result<String> {
    let output = Command::new("git").arg("-C").arg(root).args(arguments).output()?;
    ensure!(output.status.success(), "git {arguments:?} failed in {}", root.display());
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
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
        assert_eq!((tune, manifest.fault.len() - tune), (36, 26));
    }
}
