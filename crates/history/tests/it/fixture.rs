//! Repositories made with the git command, the same on every machine.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use hydrogen_history::version::{Version, resolve};

/// A repository in a temporary directory.
pub struct Repo {
    pub dir: tempfile::TempDir,
    pub path: PathBuf,
    clock: std::cell::Cell<u64>,
}

impl Repo {
    pub fn new() -> Repo {
        Self::with(&["-b", "main"])
    }

    pub fn with(arguments: &[&str]) -> Repo {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("repo");
        std::fs::create_dir(&path).unwrap();
        let repo = Repo { dir, path, clock: std::cell::Cell::new(1_600_000_000) };
        let mut init = vec!["init", "-q"];
        init.extend(arguments);
        repo.git(&init);
        repo
    }

    pub fn git(&self, arguments: &[&str]) -> String {
        git(&self.path, arguments, self.clock.get())
    }

    pub fn write(&self, path: impl AsRef<[u8]>, content: impl AsRef<[u8]>) {
        let path = self.path.join(OsStr::from_bytes(path.as_ref()));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    /// Commits everything and returns the hash.
    pub fn commit(&self, message: &str) -> String {
        self.clock.set(self.clock.get() + 60);
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.git(&["rev-parse", "HEAD"]).trim().to_string()
    }

    pub fn set_clock(&self, seconds: u64) {
        self.clock.set(seconds);
    }

    pub fn resolve(&self, specs: &[&str]) -> Result<Vec<Version>, hydrogen_history::version::Error> {
        let specs: Vec<String> = specs.iter().map(|s| s.to_string()).collect();
        resolve(&specs, &self.path)
    }

    pub fn version(&self, spec: &str) -> Version {
        self.resolve(&[spec]).unwrap().remove(0)
    }
}

pub fn git(directory: &Path, arguments: &[&str], clock: u64) -> String {
    let date = format!("{clock} +0000");
    let output = Command::new("git")
        .args([
            "-c",
            "user.name=A U Thor",
            "-c",
            "user.email=author@example.com",
            "-c",
            "protocol.file.allow=always",
        ])
        .args(arguments)
        .current_dir(directory)
        .env("GIT_AUTHOR_DATE", &date)
        .env("GIT_COMMITTER_DATE", &date)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output()
        .unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}
