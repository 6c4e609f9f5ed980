//! Modelling real programs against compiling them, in one run.

use crate::corpora::{self, Corpus};
use crate::measure;
use crate::series::git;
use crate::table;
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Short measurements are repeated; the fastest counts, since noise only ever adds.
const REPEATED: usize = 3;

pub fn run() -> Result<()> {
    let mut rows = Vec::new();
    for corpus in corpora::fetch_all()? {
        let work = Workplace::new(&corpus)?;
        let compile = shortest(|| work.compile_all())?;
        let scratch = shortest(|| {
            work.forget()?;
            work.functions("HEAD", "HEAD", &[])
        })?;
        let again = shortest(|| work.functions("HEAD", "HEAD", &[]))?;
        let unit = work.change_one()?;
        let compile_unit = shortest(|| work.compile(&unit))?;
        let kept = work.cache();
        let saved = work.folder.path().join("saved");
        copy(&kept, &saved)?;
        let adding = shortest(|| {
            work.forget()?;
            copy(&saved, &kept)?;
            let start = Instant::now();
            work.functions("HEAD~1", "HEAD", &[])?;
            Ok(start.elapsed())
        })?;
        let syntax = shortest(|| work.functions("HEAD", "HEAD", &["--syntax"]))?;
        let limit = 1.3 * compile_unit.as_secs_f64() + 0.1 * again.as_secs_f64();
        let ratio = |a: Duration, b: Duration| format!("{:.2}", a.as_secs_f64() / b.as_secs_f64());
        rows.push(vec![
            corpus.name.to_owned(),
            format!("{:.2} s", compile.as_secs_f64()),
            ratio(scratch, compile),
            format!("{:.1} %", 100.0 * again.as_secs_f64() / scratch.as_secs_f64()),
            format!("{:.2} of {limit:.2} s", adding.as_secs_f64()),
            ratio(compile, syntax),
            work.peak_memory()?,
        ]);
    }
    let header = [
        "program",
        "clang -O0 -g -c",
        "model / clang",
        "second run",
        "one unit changed",
        "clang / build-free",
        "peak memory",
    ];
    table::print("model", &header, &rows);
    Ok(())
}

/// The shortest of the times that the work says it took.
fn shortest(mut run: impl FnMut() -> Result<Duration>) -> Result<Duration> {
    let times: Result<Vec<Duration>> = (0..REPEATED).map(|_| run()).collect();
    times?.into_iter().min().context("measured at least once")
}

/// A repository with the corpus in it.
struct Workplace {
    folder: tempfile::TempDir,
    flags: Vec<String>,
    files: Vec<PathBuf>,
}

impl Workplace {
    fn new(corpus: &Corpus) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let root = folder.path().join("program");
        std::fs::create_dir(&root)?;
        let mut files = Vec::new();
        for entry in std::fs::read_dir(&corpus.folder)?.flatten() {
            let name = entry.path();
            if name.extension().is_some_and(|ending| ending == "h") {
                std::fs::copy(&name, root.join(entry.file_name()))?;
            }
        }
        for file in corpus.files()? {
            let name = PathBuf::from(file.file_name().unwrap_or_default());
            std::fs::copy(&file, root.join(&name))?;
            files.push(name);
        }
        let flags: Vec<String> = corpus.flags.iter().map(|flag| (*flag).to_owned()).collect();
        let config = format!("[build]\nsources = [\"*.c\"]\nflags = {flags:?}\n");
        std::fs::write(root.join("hydrogen.toml"), config)?;
        let work = Self { folder, flags, files };
        work.git(&["init", "-q"])?;
        work.commit()?;
        Ok(work)
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("program")
    }

    fn cache(&self) -> PathBuf {
        self.folder.path().join("cache")
    }

    fn git(&self, arguments: &[&str]) -> Result<()> {
        git(&self.root(), arguments)
    }

    fn commit(&self) -> Result<()> {
        self.git(&["add", "-A"])?;
        self.git(&["commit", "-q", "-m", "a change"])
    }

    /// Adds a function to the first file.
    fn change_one(&self) -> Result<PathBuf> {
        let file = self.files.first().context("the corpus has files")?;
        let path = self.root().join(file);
        let mut text = std::fs::read(&path)?;
        text.extend_from_slice(b"\nint hydrogen_bench_added(int a) { return a + 1; }\n");
        std::fs::write(&path, text)?;
        self.commit()?;
        Ok(file.clone())
    }

    fn compile(&self, file: &Path) -> Result<Duration> {
        let start = Instant::now();
        self.clang(file).status()?;
        Ok(start.elapsed())
    }

    fn clang(&self, file: &Path) -> Command {
        let mut command = Command::new("clang-19");
        command.args(["-O0", "-g", "-c", "-w", "-o", "/dev/null"]).args(&self.flags).arg(file);
        command.current_dir(self.root()).stderr(Stdio::null());
        command
    }

    fn compile_all(&self) -> Result<Duration> {
        Ok(measure::compile(&self.files, |file| self.clang(file)))
    }

    fn forget(&self) -> Result<()> {
        match std::fs::remove_dir_all(self.cache()) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }

    fn hydrogen(&self) -> Command {
        let mut command = Command::new(corpora::target().join("release/hydrogen"));
        command.current_dir(self.root()).env("HYDROGEN_CACHE", self.cache());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    fn functions(&self, old: &str, new: &str, options: &[&str]) -> Result<Duration> {
        let start = Instant::now();
        let status = self.hydrogen().args(["functions", old, new]).args(options).status()?;
        ensure!(status.success(), "hydrogen functions {old} {new} failed");
        Ok(start.elapsed())
    }

    /// The largest resident set of any process of a run from scratch.
    fn peak_memory(&self) -> Result<String> {
        self.forget()?;
        let program = corpora::target().join("release/hydrogen");
        let output = Command::new("time")
            .args(["-f", "%M"])
            .arg(program)
            .args(["functions", "HEAD", "HEAD"])
            .current_dir(self.root())
            .env("HYDROGEN_CACHE", self.cache())
            .output();
        let Ok(output) = output else { return Ok("?".into()) };
        let text = String::from_utf8_lossy(&output.stderr);
        let kilobytes: f64 =
            text.lines().last().and_then(|line| line.trim().parse().ok()).unwrap_or(f64::NAN);
        Ok(format!("{:.0} MiB", kilobytes / 1024.0))
    }
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    let status = Command::new("cp").arg("-a").arg(from).arg(to).status()?;
    ensure!(status.success(), "cannot copy {}", from.display());
    Ok(())
}
