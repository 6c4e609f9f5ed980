//! A test in C, built for the host and run.

use crate::error::{Error, io};
use crate::toolchain::{Toolchain, compile, compile_like};
use hydrogen_history::version::Version;
use hydrogen_model::Modeller;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A test that takes longer is stopped.
const LONGEST: Duration = Duration::from_secs(10);

/// What a test printed, with a last line for an end that is not the usual one.
pub type Printed = String;

/// Compiles the test together with C files and runs it. Of two definitions the test's own counts.
pub fn run_test_of_files(
    directory: &Path,
    text: &str,
    others: Vec<PathBuf>,
    flags: &[&str],
) -> Result<Printed, Error> {
    let folder = tempfile::tempdir().map_err(io("no folder for temporary files"))?;
    let toolchain = Toolchain::new(folder.path())?;
    let test = toolchain.path("test.c");
    std::fs::write(&test, text).map_err(io("cannot write the test"))?;
    let mut all: Vec<&str> = flags.to_vec();
    all.extend(LENIENT);
    toolchain.link(directory, [vec![test], others].concat(), &all)?;
    run(&toolchain.path("program"))
}

/// Compiles the test by the command of the unit that it includes, links it with the other units of a version, and runs it.
pub fn run_test_of_version(
    modeller: &Modeller,
    version: &Version,
    units: &[String],
    file: &str,
    text: impl Fn(&str) -> String,
) -> Result<Printed, Error> {
    let folder = tempfile::tempdir().map_err(io("no folder for temporary files"))?;
    let toolchain = Toolchain::new(folder.path())?;
    let others: Vec<String> = units.iter().filter(|unit| *unit != file).cloned().collect();
    let built = modeller.with_commands(version, |commands| {
        let own = commands.iter().find(|one| one.name == file);
        let own = own.ok_or_else(|| Error::UnknownCommand(file.to_owned()))?;
        let test = compile_like(&toolchain, own, &text)?;
        Ok::<_, Error>([vec![test], compile(&toolchain, commands, &others)?].concat())
    });
    let objects = built?.ok_or(Error::NoSource)??;
    toolchain.link(folder.path(), objects, &LENIENT)?;
    run(&toolchain.path("program"))
}

const LENIENT: [&str; 2] =
    ["-Wl,--unresolved-symbols=ignore-in-object-files", "-Wl,--allow-multiple-definition"];

fn run(program: &Path) -> Result<Printed, Error> {
    let folder = tempfile::tempdir().map_err(io("no folder for temporary files"))?;
    let output = folder.path().join("output");
    let failed = || io("the native test cannot be run");
    let mut command = Command::new(program);
    command.current_dir(folder.path()).env_clear().stdin(Stdio::null()).stderr(Stdio::null());
    command.stdout(std::fs::File::create(&output).map_err(failed())?);
    let mut child = command.spawn().map_err(failed())?;
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().map_err(failed())? {
            break Some(status);
        }
        if begun.elapsed() > LONGEST {
            let _ = child.kill();
            let _ = child.wait();
            break None;
        }
        std::thread::sleep(Duration::from_micros(300));
    };
    let mut printed = String::from_utf8_lossy(&std::fs::read(&output).map_err(failed())?).into_owned();
    match status {
        Some(status) if status.code() == Some(0) => {}
        Some(status) => match status.code() {
            Some(code) => printed.push_str(&format!("exit status {code}\n")),
            None => printed.push_str(&format!("signal {}\n", status.signal().unwrap_or(0))),
        },
        None => printed.push_str("no end\n"),
    }
    Ok(printed)
}
