//! `--test CMD`: the user's own test, run natively in a checkout of each version, and what it starts the program with.

use anyhow::{Context as _, Result, bail};
use bstr::{BString, ByteSlice};
use hydrogen_history::checkout::{Checkout, Checkouts};
use hydrogen_history::trial::{Trial, see};
use hydrogen_history::version::Version;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A test that takes longer is stopped.
const LONGEST: Duration = Duration::from_secs(300);
/// A file that is larger is not part of the input.
const LARGEST_FILE: u64 = 1 << 20;

/// One start of a program.
pub struct Start {
    /// The program's file name.
    pub program: String,
    /// Its arguments, without its name.
    pub args: Vec<BString>,
    pub stdin: Vec<u8>,
    /// Files that its arguments name, by these names.
    pub files: BTreeMap<BString, Vec<u8>>,
    /// Where it was started.
    pub folder: PathBuf,
}

/// What the test said in both versions, and what the new one's programs were started with.
pub struct Recorded {
    pub starts: Vec<Start>,
    /// The files that the test left must stay as long as programs read them.
    pub checkout: Checkout,
}

/// Runs the test in both versions, and once more to record. A message where there is nothing to explain.
pub fn record(
    checkouts: &Checkouts,
    versions: [&Version; 2],
    test: &str,
    interrupt: &AtomicBool,
) -> Result<Result<Recorded, String>> {
    let code = |checkout: &Checkout| -> Result<i32> {
        match see(checkout, test, LONGEST, interrupt, 0) {
            Ok(seen) => Ok(seen.code),
            Err(Trial::Skip(reason) | Trial::Broken(reason)) => bail!("{reason}"),
            Err(Trial::Pass | Trial::Fail) => bail!("a test that ended was not seen"),
        }
    };
    let mut codes = Vec::new();
    for version in versions {
        let checkout = checkouts.lease(version)?;
        let (first, second) = (code(&checkout)?, code(&checkout)?);
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
            return Ok(Err("the test fails in both versions: give an old version in which it passes".into()));
        }
    }
    let checkout = checkouts.lease(versions[1])?;
    // Built once, so that only the test is left to be recorded.
    code(&checkout)?;
    let kept = checkout.scratch().join("recorded");
    prepare(&checkout, &kept).context("cannot prepare the recording of the test")?;
    let compilers = kept.join("bin");
    let command = format!(
        "HYDROGEN_RECORD='{}'; export HYDROGEN_RECORD; HYDROGEN_COMPILER=$(command -v cc); export HYDROGEN_COMPILER; PATH='{}':$PATH; export PATH\n{test}",
        kept.display(),
        compilers.display()
    );
    let _ = see(&checkout, &command, LONGEST, interrupt, 0);
    let starts = starts(&kept).context("cannot read what was recorded")?;
    if starts.is_empty() {
        return Ok(Err(
            "the test fails, but no program of the version was seen to be started; give the failing run itself: -- ARGS".into(),
        ));
    }
    Ok(Ok(Recorded { starts, checkout }))
}

/// Puts the recorder in the place of every program of the checkout, and of compilers.
fn prepare(checkout: &Checkout, kept: &Path) -> std::io::Result<()> {
    let executable = |path: &Path, text: &str| {
        fs::write(path, text)?;
        fs::set_permissions(path, fs::Permissions::from_mode(0o755))
    };
    fs::create_dir_all(kept.join("bin"))?;
    let recorder = kept.join("recorder");
    executable(&recorder, include_str!("record.sh"))?;
    for name in ["cc", "gcc", "clang"] {
        executable(&kept.join("bin").join(name), include_str!("compile.sh"))?;
    }
    let mut open = vec![checkout.path().to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder)?.flatten() {
            let (path, kind) = (entry.path(), entry.file_type()?);
            if kind.is_dir() && entry.file_name() != ".git" {
                open.push(path);
            } else if kind.is_file() && is_program(&path)? {
                let mut real = path.clone().into_os_string();
                real.push(".hydrogen");
                fs::rename(&path, real)?;
                fs::copy(&recorder, &path)?;
            }
        }
    }
    Ok(())
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

fn starts(kept: &Path) -> std::io::Result<Vec<Start>> {
    let mut found = Vec::new();
    for number in 0.. {
        let one = kept.join(number.to_string());
        if !one.is_dir() {
            break;
        }
        let program = PathBuf::from(fs::read_to_string(one.join("program"))?);
        let args = fs::read(one.join("args"))?;
        let args: Vec<BString> = args
            .split_str("\0")
            .map(BString::from)
            .collect::<Vec<_>>()
            .split_last()
            .map_or(Vec::new(), |(_, args)| args.to_vec());
        let mut files = BTreeMap::new();
        for (number, name) in (1..).zip(&args) {
            let path = one.join("files").join(number.to_string());
            if fs::metadata(&path).is_ok_and(|file| file.len() <= LARGEST_FILE) {
                files.insert(name.clone(), fs::read(&path)?);
            }
        }
        found.push(Start {
            program: program.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            args,
            stdin: fs::read(one.join("stdin"))?,
            files,
            folder: PathBuf::from(fs::read_to_string(one.join("folder"))?.trim_end()),
        });
    }
    Ok(found)
}
