//! Real C libraries: the model is what LLVM says.
//!
//! The sources are vendored in published crates and are not part of this repository: `HYDROGEN_CORPORA` names a
//! cargo home that has them unpacked; `scripts/test.sh` fetches them.
#![allow(clippy::unwrap_used)] // A test's helpers fail as the test does.

mod support;

use hydrogen_frontend::protocol::Command;
use std::path::{Path, PathBuf};

struct Corpus {
    /// The crate, without its version.
    name: &'static str,
    /// The folder of the units inside the crate.
    folder: &'static str,
    flags: &'static [&'static str],
}

const CORPORA: &[Corpus] = &[
    Corpus { name: "libz-sys", folder: "src/zlib", flags: &["-DHAVE_UNISTD_H", "-DHAVE_STDARG_H"] },
    Corpus { name: "lz4-sys", folder: "liblz4/lib", flags: &[] },
    Corpus { name: "bzip2-sys", folder: "bzip2-1.0.8", flags: &["-D_FILE_OFFSET_BITS=64"] },
    Corpus { name: "lua-src", folder: "lua-5.4.7", flags: &["-DLUA_USE_LINUX"] },
    Corpus {
        name: "libsqlite3-sys",
        folder: "sqlite3",
        flags: &["-DSQLITE_ENABLE_FTS5", "-DSQLITE_THREADSAFE=1"],
    },
];

fn home() -> Option<PathBuf> {
    let home = PathBuf::from(std::env::var_os("HYDROGEN_CORPORA")?);
    let registries = std::fs::read_dir(home.join("registry/src")).ok()?;
    registries.filter_map(Result::ok).map(|entry| entry.path()).next()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut list: Vec<_> =
        std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
    list.sort();
    list
}

#[test]
fn libraries_are_what_llvm_says() {
    let Some(home) = home() else {
        eprintln!("SKIPPED: no corpora found; set HYDROGEN_CORPORA to a cargo home that has them");
        return;
    };
    for corpus in CORPORA {
        let Some(package) = entries(&home).into_iter().find(|path| {
            // Other releases of the package may be there too, with other folders.
            path.join(corpus.folder).is_dir()
                && path
                    .file_name()
                    .is_some_and(|name| name.to_string_lossy().starts_with(&format!("{}-", corpus.name)))
        }) else {
            eprintln!("SKIPPED: {} is not among the corpora", corpus.name);
            continue;
        };
        let folder = package.join(corpus.folder);
        let (mut body_instructions, mut real, mut unexplained) = (0, 0, 0);
        let (mut units, mut instructions, mut placed, mut rejected) = (0, 0, 0, Vec::new());
        for file in
            entries(&folder).iter().filter(|path| path.extension().is_some_and(|ending| ending == "c"))
        {
            let mut command: Command = support::command(file, corpus.flags);
            command.root = package.to_str().unwrap().into();
            match support::faithful(&command) {
                Ok((_, mut model)) => {
                    units += 1;
                    let found = support::attributed(&command, &mut model);
                    support::sound(&model);
                    body_instructions += found.instructions - found.synthetic;
                    real += found.real;
                    unexplained += found.unexplained.len();
                    found.unattributed.iter().for_each(|one| eprintln!("  unattributed: {one:?}"));
                    for body in model.functions.iter().filter_map(|function| function.body.as_ref()) {
                        instructions += body.instructions.len();
                        placed += body.instructions.iter().filter(|one| one.location.is_some()).count();
                    }
                    for name in &model.files {
                        assert!(!name.contains("registry/src"), "{name} is not relative to the root");
                    }
                }
                Err(message) => {
                    rejected.push(format!("{}: {}", file.display(), message.lines().next().unwrap_or("")))
                }
            }
        }
        let attributed = 100.0 * real as f64 / body_instructions as f64;
        eprintln!(
            "{}: {attributed:.3} % of {body_instructions} body instructions have a statement; {unexplained} edges are not in the source",
            corpus.name
        );
        assert!(attributed >= 99.5, "{}: too few instructions have a statement", corpus.name);
        let share = 100.0 * placed as f64 / instructions as f64;
        eprintln!(
            "{}: {units} units, {instructions} instructions, {share:.1} % with a place, {} units do not compile",
            corpus.name,
            rejected.len()
        );
        rejected.iter().for_each(|line| eprintln!("  {line}"));
        assert!(units > 0, "{} has no unit that compiles in {}", corpus.name, folder.display());
    }
}
