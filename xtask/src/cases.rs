//! Real faults with a known history, as git repositories with a tag per release. The files are the published ones, unchanged;
//! nothing of them is ever committed.

use crate::corpora;
use crate::series::{copy, git};
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};

/// A fault, and what is known of it.
pub struct Case {
    pub name: &'static str,
    package: &'static str,
    /// The releases in order, each with whether it has the fault.
    pub releases: &'static [(&'static str, bool)],
    /// The release before the fix and the one after it.
    pub fix: (&'static str, &'static str),
    /// The folders of the package that the library may be in.
    folders: &'static [&'static str],
    /// What is taken of the folder; everything where this is empty.
    taken: &'static [&'static str],
    /// Headers that the build would generate and that may be empty.
    generated: &'static [&'static str],
    /// The file with the fault, which is all that is compiled.
    pub file: &'static str,
    pub flags: &'static [&'static str],
    /// The beginning of the faulty statement, as written in the release before the fix.
    statement: &'static str,
    /// The function that has it.
    pub function: &'static str,
    pub kind: &'static str,
}

/// The eight faults.
pub const CASES: [Case; 8] = [
    Case {
        name: "zlib-extra",
        package: "libz-sys",
        releases: &[("1.1.8", true), ("1.1.9", false), ("1.1.10", true), ("1.1.13", true), ("1.1.14", false)],
        fix: ("1.1.8", "1.1.9"),
        folders: &["src/zlib"],
        taken: &[],
        generated: &[],
        file: "inflate.c",
        flags: &["-I."],
        statement: "zmemcpy(state->head->extra + len",
        function: "inflate",
        kind: "overflow",
    },
    Case {
        name: "zlib-mark",
        package: "libz-sys",
        releases: &[("1.0.16", true), ("1.0.17", false)],
        fix: ("1.0.16", "1.0.17"),
        folders: &["src/zlib-1.2.8", "src/zlib-1.2.11"],
        taken: &[],
        generated: &[],
        file: "inflate.c",
        flags: &["-I."],
        statement: "return ((long)(state->back) << 16)",
        function: "inflateMark",
        kind: "shift",
    },
    Case {
        name: "lz4-sign",
        package: "lz4-sys",
        releases: &[("1.9.3", true), ("1.9.4", false)],
        fix: ("1.9.3", "1.9.4"),
        folders: &["liblz4/lib"],
        taken: &[],
        generated: &[],
        file: "lz4.c",
        flags: &[],
        statement: "memmove(op, ip, length)",
        function: "LZ4_decompress_generic",
        kind: "sign",
    },
    Case {
        name: "bzip2-selectors",
        package: "bzip2-sys",
        releases: &[("0.1.7", true), ("0.1.8", false)],
        fix: ("0.1.7", "0.1.8"),
        folders: &["bzip2-1.0.6", "bzip2-1.0.8"],
        taken: &[],
        generated: &[],
        file: "decompress.c",
        flags: &[],
        statement: "s->selectorMtf[i] = j",
        function: "BZ2_decompress",
        kind: "overflow",
    },
    Case {
        name: "libuv-idna",
        package: "libuv-sys2",
        releases: &[("1.41.0", true), ("1.41.1", false)],
        fix: ("1.41.0", "1.41.1"),
        folders: &["libuv"],
        taken: &["include", "src"],
        generated: &[],
        file: "src/idna.c",
        flags: &["-D_GNU_SOURCE", "-Iinclude", "-Isrc"],
        statement: "b = (unsigned char) *(*p)++",
        function: "uv__utf8_decode1_slow",
        kind: "overflow",
    },
    Case {
        name: "lua-vararg",
        package: "lua-src",
        releases: &[("540.0.1", true), ("541.0.0", false)],
        fix: ("540.0.1", "541.0.0"),
        folders: &["lua-5.4.0", "lua-5.4.1"],
        taken: &[],
        generated: &[],
        file: "ldebug.c",
        flags: &["-I."],
        statement: "return findvararg(ci, -n, pos)",
        function: "luaG_findlocal",
        kind: "signed-overflow",
    },
    Case {
        name: "lua-lineinfo",
        package: "lua-src",
        releases: &[("540.0.1", true), ("541.0.0", false)],
        fix: ("540.0.1", "541.0.0"),
        folders: &["lua-5.4.0", "lua-5.4.1"],
        taken: &[],
        generated: &[],
        file: "ldebug.c",
        flags: &["-I."],
        statement: "if (p->lineinfo[oldpc] != 0)",
        function: "changedline",
        kind: "null",
    },
    Case {
        name: "punycode",
        package: "openssl-src",
        releases: &[("300.0.9", true), ("300.0.11", false)],
        fix: ("300.0.9", "300.0.11"),
        folders: &["openssl"],
        taken: &["include", "crypto/punycode.c"],
        generated: &["generated/openssl/opensslconf.h", "generated/openssl/macros.h"],
        file: "crypto/punycode.c",
        flags: &["-Igenerated", "-Iinclude"],
        statement: "pDecoded[i] = n",
        function: "ossl_punycode_decode",
        kind: "overflow",
    },
];

impl Case {
    /// The repository, made when it is missing: a commit and a tag for each release, in order.
    pub fn repository(&self) -> Result<PathBuf> {
        let root = corpora::target().join("cases").join(self.name);
        if root.join(".git/complete").exists() {
            return Ok(root);
        }
        let packages: Vec<String> =
            self.releases.iter().map(|(version, _)| format!("{}@{version}", self.package)).collect();
        corpora::fetch(&packages)?;
        drop(std::fs::remove_dir_all(&root));
        std::fs::create_dir_all(&root)?;
        git(&root, &["init", "-q"])?;
        for ((version, _), package) in self.releases.iter().zip(&packages) {
            self.lay_out(package, &root)?;
            git(&root, &["add", "-A"])?;
            git(&root, &["commit", "-q", "--allow-empty", "-m", package])?;
            git(&root, &["tag", version])?;
        }
        std::fs::write(root.join(".git/complete"), "")?;
        Ok(root)
    }

    /// Replaces the files of the repository by those of the package.
    fn lay_out(&self, package: &str, root: &Path) -> Result<()> {
        let missing = || format!("{package} cannot be fetched; is there a network?");
        let home = corpora::target().join("corpora");
        let package = corpora::package(&home, package).with_context(missing)?;
        let folders = self.folders.iter().map(|folder| package.join(folder));
        let folder = folders.into_iter().find(|folder| folder.is_dir()).context("the folder is gone")?;
        for entry in std::fs::read_dir(root)?.flatten().filter(|entry| entry.file_name() != ".git") {
            match entry.path().is_dir() {
                true => std::fs::remove_dir_all(entry.path())?,
                false => std::fs::remove_file(entry.path())?,
            }
        }
        for taken in self.taken {
            let (from, to) = (folder.join(taken), root.join(taken));
            if from.is_dir() {
                std::fs::create_dir_all(&to)?;
                copy(&from, &to, &[])?;
            } else {
                std::fs::create_dir_all(to.parent().unwrap_or(root))?;
                std::fs::copy(from, to)?;
            }
        }
        if self.taken.is_empty() {
            copy(&folder, root, &[])?;
        }
        for name in self.generated {
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().unwrap_or(root))?;
            std::fs::write(path, "")?;
        }
        let config = format!("[build]\nsources = [{:?}]\nflags = {:?}\n", self.file, self.flags);
        Ok(std::fs::write(root.join("hydrogen.toml"), config)?)
    }

    /// The file with the fault, as it is in a release.
    pub fn text(&self, root: &Path, release: &str) -> Result<String> {
        let name = format!("{release}:{}", self.file);
        let output = std::process::Command::new("git").args(["show", &name]).current_dir(root).output()?;
        ensure!(output.status.success(), "git show {name} failed");
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// The line of the faulty statement in the release before the fix.
    pub fn line(&self, root: &Path) -> Result<usize> {
        let text = self.text(root, self.fix.0)?;
        let at = text.lines().position(|line| line.trim_start().starts_with(self.statement));
        at.map(|at| at + 1).with_context(|| format!("{} has no `{}`", self.file, self.statement))
    }
}
