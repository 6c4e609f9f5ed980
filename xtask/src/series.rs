//! Real programs in many versions, as git repositories with a tag per version.

use crate::corpora;
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A program in many versions.
pub struct Series {
    pub name: &'static str,
    crate_name: &'static str,
    versions: &'static [&'static str],
    /// The folders that are taken, the first that exists; everything directly in them, without what is skipped.
    folders: &'static [&'static str],
    skip: &'static [&'static str],
    config: &'static str,
}

/// The series that the graph is tried on.
pub fn known() -> Vec<Series> {
    vec![
        Series {
            name: "lua",
            crate_name: "lua-src",
            versions: &[
                "540.0.1", "541.0.0", "542.0.0", "543.0.0", "543.1.0", "544.0.0", "544.0.1", "546.0.0",
                "546.0.2", "547.0.0", "548.0.0", "548.1.2",
            ],
            folders: &[
                "lua-5.4.0",
                "lua-5.4.1",
                "lua-5.4.2",
                "lua-5.4.3",
                "lua-5.4.4",
                "lua-5.4.6",
                "lua-5.4.7",
                "lua-5.4.8",
            ],
            skip: &["onelua.c", "ltests.c"],
            config: "[build]\nsources = [\"*.c\"]\nflags = [\"-DLUA_USE_POSIX\"]\n",
        },
        Series {
            name: "zlib",
            crate_name: "libz-sys",
            versions: &["1.1.8", "1.1.9", "1.1.10", "1.1.13", "1.1.14", "1.1.20"],
            folders: &["src/zlib"],
            skip: &[],
            config: "[build]\nsources = [\"*.c\"]\nflags = [\"-DHAVE_UNISTD_H\"]\n",
        },
        Series {
            name: "sqlite",
            crate_name: "libsqlite3-sys",
            versions: &[
                "0.16.0", "0.18.0", "0.20.0", "0.22.0", "0.23.0", "0.24.0", "0.25.0", "0.27.0", "0.28.0",
                "0.30.1",
            ],
            folders: &["sqlite3"],
            skip: &["sqlite3ext.c", "bindgen_bundled_version.c"],
            config: "[build]\nsources = [\"sqlite3.c\"]\nflags = [\"-DSQLITE_THREADSAFE=1\"]\n",
        },
        Series {
            name: "tree-sitter",
            crate_name: "tree-sitter",
            versions: &[
                "0.16.0", "0.16.1", "0.17.0", "0.17.1", "0.19.0", "0.19.2", "0.19.3", "0.19.5", "0.20.0",
                "0.20.2", "0.20.4", "0.20.6", "0.20.8", "0.20.9", "0.20.10", "0.21.0", "0.22.1", "0.22.5",
                "0.22.6", "0.23.0",
            ],
            folders: &["."],
            skip: &["binding_rust", "Cargo.toml", "Cargo.toml.orig", "Cargo.lock", "lib.c"],
            config: "[build]\nsources = [\"src/*.c\"]\nflags = [\"-Iinclude\", \"-Isrc\", \"-D_GNU_SOURCE\"]\n",
        },
    ]
}

impl Series {
    /// The repository, made when it is missing: a commit and a tag for each version, in order.
    pub fn repository(&self) -> Result<PathBuf> {
        let packages: Vec<String> =
            self.versions.iter().map(|version| format!("{}@{version}", self.crate_name)).collect();
        corpora::fetch(&packages)?;
        let home = corpora::target().join("corpora");
        let root = corpora::target().join("series").join(self.name);
        if root.join(".git/complete").exists() {
            return Ok(root);
        }
        drop(std::fs::remove_dir_all(&root));
        std::fs::create_dir_all(&root)?;
        git(&root, &["init", "-q"])?;
        for (number, package) in packages.iter().enumerate() {
            let missing = || format!("{package} cannot be fetched; is there a network?");
            let package = corpora::package(&home, package).with_context(missing)?;
            let folders = self.folders.iter().map(|folder| package.join(folder));
            let folder = folders.into_iter().find(|folder| folder.is_dir()).context("the folder is gone")?;
            self.lay_out(&folder, &root)?;
            git(&root, &["add", "-A"])?;
            git(
                &root,
                &["commit", "-q", "--allow-empty", "-m", &format!("{} {}", self.name, self.versions[number])],
            )?;
            git(&root, &["tag", &format!("v{:02}", number + 1)])?;
        }
        std::fs::write(root.join(".git/complete"), "")?;
        Ok(root)
    }

    /// Replaces the files of the repository by those of the folder.
    fn lay_out(&self, from: &Path, root: &Path) -> Result<()> {
        for entry in std::fs::read_dir(root)?.flatten().filter(|entry| entry.file_name() != ".git") {
            match entry.path().is_dir() {
                true => std::fs::remove_dir_all(entry.path())?,
                false => std::fs::remove_file(entry.path())?,
            }
        }
        copy(from, root, self.skip)?;
        std::fs::write(root.join("hydrogen.toml"), self.config)?;
        Ok(())
    }
}

/// Copies the C files below a folder.
pub fn copy(from: &Path, to: &Path, skip: &[&str]) -> Result<()> {
    for entry in std::fs::read_dir(from)?.flatten() {
        let name = entry.file_name();
        let path = entry.path();
        if skip.iter().any(|skip| name == *skip) {
            continue;
        }
        if path.is_dir() {
            std::fs::create_dir_all(to.join(&name))?;
            copy(&path, &to.join(&name), skip)?;
        } else if path.extension().is_some_and(|ending| ending == "c" || ending == "h") {
            std::fs::copy(&path, to.join(&name))?;
        }
    }
    Ok(())
}

/// Runs git as somebody.
pub fn git(root: &Path, arguments: &[&str]) -> Result<()> {
    let identity = ["-c", "user.name=bench", "-c", "user.email=bench@example.org"];
    let status = Command::new("git").args(identity).args(arguments).current_dir(root).status()?;
    ensure!(status.success(), "git {arguments:?} failed");
    Ok(())
}

/// Takes every version of every series out of its graph again, in both modes.
pub fn check() -> Result<()> {
    for series in known() {
        let root = series.repository()?;
        for mode in [&[][..], &["--syntax"][..]] {
            let output = Command::new(corpora::target().join("release/hydrogen"))
                .args(["graph", "v*", "--check", "--format", "json"])
                .args(mode)
                .current_dir(&root)
                .env("HYDROGEN_CACHE", corpora::target().join("series/cache"))
                .stderr(Stdio::inherit())
                .output()?;
            ensure!(output.status.success(), "{} {mode:?} does not hold", series.name);
            let graph: serde_json::Value = serde_json::from_slice(&output.stdout)?;
            let versions = graph["versions"].as_array().map_or(0, Vec::len);
            let functions: u64 = graph["functions"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|function| function["versions"].as_array().map_or(0, Vec::len) as u64)
                .sum();
            let missing: usize = graph["commits"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|commit| commit["missing"].as_array().map_or(0, Vec::len))
                .sum();
            let mode = if mode.is_empty() { "compiled" } else { "build-free" };
            println!(
                "{} {mode}: {versions} versions, {functions} functions as they were put in, {missing} files missing",
                series.name
            );
            ensure!(versions == series.versions.len(), "a version of {} is left out", series.name);
        }
    }
    Ok(())
}
