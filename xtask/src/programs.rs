//! Real programs that the machine runs: library sources with a driver of ours.

use crate::corpora::{self, Corpus};
use anyhow::{Context, Result, ensure};
use bstr::BString;
use hydrogen_frontend::{Command, Pool};
use hydrogen_machine::{Archive, Library, Program};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Files and flags that make a program.
pub struct Subject {
    pub name: &'static str,
    files: Vec<PathBuf>,
    flags: Vec<String>,
}

/// The C library and the children that compile.
pub struct Tools {
    pool: Pool,
    library: Library,
    pub archive: Archive,
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

impl Tools {
    pub fn new() -> Result<Self> {
        let library = Library::find().context("the C library is missing; run scripts/musl.sh")?;
        let lower = std::env::current_exe()?.with_file_name("hydrogen-lower");
        ensure!(lower.exists(), "build first: cargo build --release -p hydrogen-lowering");
        let pool = Pool::new(lower.clone(), Default::default(), || false);
        let archive = library.archive(&pool, &lower, &|_, _| {})?;
        Ok(Self { pool, library, archive })
    }

    /// The subject as the machine's program.
    pub fn load(&self, subject: &Subject) -> Result<Program> {
        let bytes = |path: &Path| BString::from(path.as_os_str().as_bytes());
        let mut modules = Vec::new();
        for file in &subject.files {
            let folder = file.parent().unwrap_or(file);
            let mut arguments: Vec<BString> = vec!["cc".into(), "-c".into()];
            arguments.extend(subject.flags.iter().map(|flag| flag.as_str().into()));
            arguments.extend(self.library.arguments());
            arguments.push(bytes(file));
            let command =
                Command { directory: bytes(folder), root: bytes(folder), file: bytes(file), arguments };
            modules.push(hydrogen_ir::decode(&self.pool.model(&command)?.module)?);
        }
        Ok(Program::load(modules, Some(&self.archive)))
    }
}
