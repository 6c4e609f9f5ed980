//! Files of public repositories as git repositories of their own, with a tag per version, that compile alone. The files come from mirrors
//! that the user has; nothing of them is ever committed.

use crate::series::git;
use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The variable that names the folder of mirrors.
pub const MIRRORS: &str = "HYDROGEN_MIRRORS";

/// How files of a repository are compiled without its build.
#[derive(Deserialize)]
pub struct Library {
    pub repository: String,
    /// Folders, or `*.c` for the files of the root that end so.
    taken: Vec<String>,
    /// Headers that the build would generate.
    #[serde(default)]
    generated: BTreeMap<String, String>,
    #[serde(default)]
    flags: Vec<String>,
    /// What is compiled, where it is the same for all that is asked about.
    #[serde(default)]
    pub sources: Vec<String>,
}

/// The folder of mirrors; none, loudly, where there is none.
pub fn mirrors() -> Option<PathBuf> {
    let folder = std::env::var_os(MIRRORS).map(PathBuf::from);
    if folder.is_none() {
        println!(
            "SKIPPED: {MIRRORS} does not name a folder of git mirrors (owner/name, owner+name or name below it)"
        );
    }
    folder
}

impl Library {
    /// A repository with a tag for each version (its name, and a commit or a folder of one), made when it is missing; none where there is no
    /// mirror.
    pub fn versions(
        &self,
        root: PathBuf,
        mirrors: &Path,
        sources: &[String],
        versions: &[(&str, &str)],
    ) -> Result<Option<PathBuf>> {
        if root.join(".git/complete").exists() {
            return Ok(Some(root));
        }
        let Some(mirror) = mirror(mirrors, &self.repository) else { return Ok(None) };
        drop(std::fs::remove_dir_all(&root));
        std::fs::create_dir_all(&root)?;
        git(&root, &["init", "-q"])?;
        for (tag, commit) in versions {
            self.lay_out(&mirror, commit, sources, &root)?;
            git(&root, &["add", "-A", "-f"])?;
            git(&root, &["commit", "-q", "--allow-empty", "-m", tag])?;
            git(&root, &["tag", tag])?;
        }
        std::fs::write(root.join(".git/complete"), "")?;
        Ok(Some(root))
    }

    /// Replaces the files of the repository by those of a version.
    fn lay_out(&self, mirror: &Path, commit: &str, sources: &[String], root: &Path) -> Result<()> {
        for entry in std::fs::read_dir(root)?.flatten().filter(|entry| entry.file_name() != ".git") {
            match entry.file_type()?.is_dir() {
                true => std::fs::remove_dir_all(entry.path())?,
                false => std::fs::remove_file(entry.path())?,
            }
        }
        let names = ask(mirror, &["ls-tree", "--name-only", commit])?;
        let wanted = |name: &str| {
            let ends = |taken: &String| taken.strip_prefix('*').is_some_and(|end| name.ends_with(end));
            self.taken.iter().any(|taken| name == taken.split('/').next().unwrap_or(taken) || ends(taken))
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
        ensure!(archive.wait()?.success() && status.success(), "{commit} cannot be taken out");
        for (name, text) in &self.generated {
            let path = root.join(name);
            if let Some(folder) = path.parent().filter(|_| !path.exists()) {
                std::fs::create_dir_all(folder)?;
                std::fs::write(path, text)?;
            }
        }
        let config = format!("[build]\nsources = {sources:?}\nflags = {:?}\n", self.flags);
        Ok(std::fs::write(root.join("hydrogen.toml"), config)?)
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
pub fn ask(root: &Path, arguments: &[&str]) -> Result<String> {
    let output = Command::new("git").arg("-C").arg(root).args(arguments).output()?;
    ensure!(output.status.success(), "git {arguments:?} failed in {}", root.display());
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The first line of a text that begins with a statement, behind the head of its function; blanks do not count.
pub fn line_of(text: &str, function: &str, statement: &str) -> Option<usize> {
    let blank = |text: &str| text.split_whitespace().collect::<String>();
    let (statement, head) = (blank(statement), format!("{function}("));
    let lines: Vec<String> = text.lines().map(blank).collect();
    let is_head = |at: usize| lines[at].contains(&head) && !lines[at].ends_with(';');
    // What is written over several lines is compared with as many.
    let is_statement = |at: usize| {
        let few: String = lines[at..].iter().take(5).map(String::as_str).collect();
        !lines[at].trim_matches(['{', '}']).is_empty()
            && few.trim_start_matches(['{', '}']).starts_with(&statement)
    };
    let heads = (0..lines.len()).filter(|at| is_head(*at));
    let mut found = heads.filter_map(|head| (head..lines.len().min(head + 600)).find(|at| is_statement(*at)));
    found.next().map(|at| at + 1)
}
