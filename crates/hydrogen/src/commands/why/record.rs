//! `--test CMD`: the user's own test, run natively in a checkout of each version, and what it starts its programs with.

use super::starts::{Kept, Start};
use anyhow::{Context as _, Result, bail};
use hydrogen_history::checkout::{Checkout, Checkouts};
use hydrogen_history::trial::{Seen, Trial, see};
use hydrogen_history::version::Version;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A test that takes longer is stopped.
const LONGEST: Duration = Duration::from_secs(300);
/// Of what a test prints, so much is looked at where it fails for a reason of its own,
const MOST_OUTPUT: usize = 1 << 20;
/// and so many lines are shown.
const LAST_LINES: usize = 5;
/// So much of a line.
const LONGEST_LINE: usize = 200;
/// Names under which tests call a compiler.
const COMPILERS: [&str; 4] = ["cc", "gcc", "clang", "c99"];

/// What the new version's programs were started with by the test.
pub struct Recorded {
    pub starts: Vec<Start>,
    pub kept: Kept,
    /// The contents of files lie in its scratch folder.
    pub checkout: Checkout,
}

/// Runs the test in both versions, and once more to record. A message where there is nothing to explain.
pub fn record(
    checkouts: &Checkouts,
    versions: [&Version; 2],
    test: &str,
    interrupt: &AtomicBool,
) -> Result<Result<Recorded, String>> {
    let run = |checkout: &Checkout| -> Result<Seen> {
        match see(checkout, test, LONGEST, interrupt, MOST_OUTPUT) {
            Ok(seen) => Ok(seen),
            Err(Trial::Skip(reason) | Trial::Broken(reason)) => bail!("{reason}"),
            Err(Trial::Pass | Trial::Fail) => bail!("a test that ended was not seen"),
        }
    };
    let (mut codes, mut said) = (Vec::new(), String::new());
    for version in versions {
        // Each time from nothing: a test that `make` knows to be done is not run again.
        let (first, second) = (run(&checkouts.lease(version)?)?, run(&checkouts.lease(version)?)?);
        said = last_lines(&second.output);
        let (first, second) = (first.code, second.code);
        if first != second {
            let name = &version.name;
            return Ok(Err(format!(
                "the test is flaky: in {name} it ended with {first} and then with {second}"
            )));
        }
        codes.push(first);
    }
    match codes.as_slice() {
        [0, 0] => return Ok(Err("the test passes in both versions: there is nothing to explain".into())),
        [0, _] => {}
        [_, 0] => {
            return Ok(Err(
                "the test fails in the old version and passes in the new one: ask the other way round".into(),
            ));
        }
        _ => {
            return Ok(Err(format!(
                "the test fails in both versions: give an old version in which it passes{said}"
            )));
        }
    }
    // What the test builds is replaced as it is linked. Where that is not seen, it is built first and replaced then.
    let mut recorded = recording(checkouts.lease(versions[1])?, test, interrupt)?;
    if recorded.starts.is_empty() {
        drop(recorded);
        let checkout = checkouts.lease(versions[1])?;
        run(&checkout)?;
        recorded = recording(checkout, test, interrupt)?;
    }
    if recorded.starts.is_empty() {
        return Ok(Err(format!(
            "the test fails, but no program of the version was seen to be started; give the failing run itself: -- ARGS{said}"
        )));
    }
    Ok(Ok(recorded))
}

/// The last lines that a test printed, to be put behind a message.
fn last_lines(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output);
    // Progress that is written over itself is one long line.
    let short = |line: &str| -> String {
        let line = line.rsplit(['\r', '\u{8}']).find(|part| !part.trim().is_empty()).unwrap_or("").trim_end();
        match line.char_indices().nth(LONGEST_LINE) {
            Some((cut, _)) => format!("{}…", &line[..cut]),
            None => line.to_owned(),
        }
    };
    let lines: Vec<String> = text.lines().map(short).filter(|line| !line.is_empty()).collect();
    match lines.as_slice() {
        [] => String::new(),
        all => {
            let last = &all[all.len().saturating_sub(LAST_LINES)..];
            format!("\nthe test printed last:\n  {}", last.join("\n  "))
        }
    }
}

/// Runs the test once more, with recorders in the place of programs.
fn recording(checkout: Checkout, test: &str, interrupt: &AtomicBool) -> Result<Recorded> {
    let kept = Kept::new(&checkout);
    checkout.fresh("recorded").context("cannot make a folder for the recording")?;
    prepare(&kept).context("cannot prepare the recording of the test")?;
    let folders: Vec<String> = kept.folders().iter().map(|folder| folder.display().to_string()).collect();
    let command = format!(
        "HYDROGEN_RECORD='{}'; HYDROGEN_FOLDERS='{}'; PATH=$HYDROGEN_RECORD/bin:$PATH\n\
         export HYDROGEN_RECORD HYDROGEN_FOLDERS PATH; env -0 > \"$HYDROGEN_RECORD/environment\"\n{test}",
        kept.folder.display(),
        folders.join(" "),
    );
    let _ = see(&checkout, &command, LONGEST, interrupt, 0);
    let starts = kept.starts().context("cannot read what was recorded")?;
    Ok(Recorded { starts, kept, checkout })
}

/// Puts the recorder in the place of every program of the checkout, and of compilers.
fn prepare(kept: &Kept) -> std::io::Result<()> {
    for folder in ["bin", "real", "contents"] {
        fs::create_dir_all(kept.folder.join(folder))?;
    }
    let recorder = include_str!("record.sh");
    fs::write(kept.folder.join("recorder"), recorder)?;
    fs::write(kept.folder.join("begin"), "")?;
    for name in COMPILERS {
        executable(&kept.folder.join("bin").join(name), include_str!("compile.sh"))?;
    }
    let mut open = vec![kept.root.clone()];
    let mut programs: Vec<PathBuf> = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder)?.flatten() {
            let (path, kind) = (entry.path(), entry.file_type()?);
            if kind.is_dir() && entry.file_name() != ".git" {
                open.push(path);
            } else if kind.is_file() && is_program(&path)? {
                programs.push(path);
            }
        }
    }
    programs.sort();
    for (number, program) in programs.iter().enumerate() {
        let folder = kept.folder.join("real").join(number.to_string());
        fs::create_dir_all(&folder)?;
        let real = folder.join(program.file_name().unwrap_or_default());
        fs::rename(program, &real)?;
        let head = format!("#!/bin/sh\nreal='{}'\nbuilt='{}'\n", real.display(), program.display());
        executable(program, &format!("{head}{recorder}"))?;
    }
    Ok(())
}

fn executable(path: &Path, text: &str) -> std::io::Result<()> {
    fs::write(path, text)?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

/// An ELF file that may be executed and is no library.
fn is_program(path: &Path) -> std::io::Result<bool> {
    use std::io::Read;
    let runs = fs::metadata(path)?.permissions().mode() & 0o111 != 0;
    let library = path.file_name().is_some_and(|name| name.to_string_lossy().contains(".so"));
    let mut start = [0; 4];
    let read = fs::File::open(path)?.read(&mut start)?;
    Ok(runs && !library && read == 4 && start == *b"\x7fELF")
}
