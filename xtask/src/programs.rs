//! Real programs that the machine runs: library sources with a driver of ours.

use crate::corpora::{self, Corpus};
use anyhow::{Context, Result, ensure};
use hydrogen_machine::Program;
use hydrogen_program::Workshop;
use std::path::{Path, PathBuf};

/// Files and flags that make a program.
pub struct Subject {
    pub name: &'static str,
    files: Vec<PathBuf>,
    flags: Vec<String>,
}

pub fn driver(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("drivers").join(name)
}

/// All subjects, with their sources fetched.
pub fn subjects() -> Result<Vec<Subject>> {
    let corpora = corpora::fetch_all()?;
    let corpus = |name: &str| corpora.iter().find(|one| one.name == name).context("a known corpus");
    let make = |name: &'static str, corpus: &Corpus, driver_file: Option<&str>, skip: &[&str]| {
        let mut files = corpus.files()?;
        files.retain(|file| !skip.iter().any(|skip| file.ends_with(skip)));
        files.extend(driver_file.map(driver));
        let mut flags: Vec<String> = corpus.flags.iter().map(|flag| (*flag).to_owned()).collect();
        flags.push(format!("-I{}", corpus.folder.display()));
        if name == "sqlite" {
            // Threads and loaded code are beyond the machine.
            flags.extend(["-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOAD_EXTENSION"].map(str::to_owned));
        }
        Ok::<_, anyhow::Error>(Subject { name, files, flags })
    };
    const OTHER_PROGRAMS: &[&str] = &["bzip2recover.c", "dlltest.c", "mk251.c", "spewG.c", "unzcrash.c"];
    Ok(vec![
        make("zlib", corpus("zlib")?, Some("gzip.c"), &[])?,
        make("bzip2", corpus("bzip2")?, None, OTHER_PROGRAMS)?,
        make("lua", corpus("lua")?, Some("lua.c"), &["lua.c", "luac.c"])?,
        make("sqlite", corpus("sqlite")?, Some("sql.c"), &["wasm32-wasi-vfs.c"])?,
    ])
}

impl Subject {
    pub fn single(name: &'static str, file: PathBuf, flags: &[&str]) -> Self {
        Self { name, files: vec![file], flags: flags.iter().map(|flag| (*flag).to_owned()).collect() }
    }

    /// Compiles natively without optimisation, against musl.
    pub fn build(&self, program: &Path) -> Result<()> {
        let musl = Path::new("/usr/lib/x86_64-linux-musl");
        ensure!(musl.join("libc.a").exists(), "musl-dev is missing; run scripts/setup.sh");
        let status = std::process::Command::new("clang-19")
            .args([
                "-O0",
                "-w",
                "-nostdlibinc",
                "-isystem",
                "/usr/include/x86_64-linux-musl",
                "-static",
                "-nostdlib",
            ])
            .args(&self.flags)
            .args([musl.join("crt1.o"), musl.join("crti.o")])
            .args(&self.files)
            .args([musl.join("libc.a")])
            .arg("-lgcc")
            .arg(musl.join("crtn.o"))
            .arg("-o")
            .arg(program)
            .stderr(std::process::Stdio::null())
            .status()?;
        ensure!(status.success(), "{} does not build natively", self.name);
        Ok(())
    }
}

/// What programs are made with here: children of this build, and the C library, which must be there.
pub fn workshop() -> Result<Workshop> {
    let lower = std::env::current_exe()?.with_file_name("hydrogen-lower");
    ensure!(lower.exists(), "build first: cargo build --release -p hydrogen-lowering");
    let workshop = Workshop::new(lower, || false)?;
    ensure!(workshop.has_library(), "the C library is missing; run scripts/musl.sh");
    Ok(workshop)
}

/// The subject as the machine's program.
pub fn load(workshop: &Workshop, subject: &Subject) -> Result<Program> {
    let compile = |file: &PathBuf| workshop.compile(file.parent().unwrap_or(file), file, &subject.flags);
    let modules = subject.files.iter().map(compile).collect::<Result<Vec<_>, _>>()?;
    Ok(workshop.link(modules).program)
}
