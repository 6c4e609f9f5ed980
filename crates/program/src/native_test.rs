//! A test in C, built for the host and run.

use crate::error::{Error, io};
use crate::loaded::UnitName;
use crate::native::folders_of;
use crate::toolchain::{CLibrary, LENIENT, Toolchain, compile, compile_like};
use hydrogen_history::version::Version;
use hydrogen_jail::{Command, End, Kept, Limits, Policy, Watch};
use hydrogen_model::Modeller;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A test that takes longer is stopped.
const LONGEST: Duration = Duration::from_secs(10);

/// How much of what a test prints is read.
const MOST: usize = 1 << 20;

/// What a test printed, with a last line for an end that is not the usual one.
pub type Printed = String;

/// Compiles the test, which includes the file `own`, together with other C files, and runs it. Of two definitions the test's own counts.
pub fn run_test_of_files(
    directory: &Path,
    own: &Path,
    text: &str,
    others: Vec<PathBuf>,
    flags: &[&str],
    library: CLibrary,
) -> Result<Printed, Error> {
    let folder = tempfile::tempdir().map_err(io("no folder for temporary files"))?;
    let toolchain = Toolchain::new(folder.path(), library)?;
    let test = toolchain.path("test.c");
    std::fs::write(&test, text).map_err(io("cannot write the test"))?;
    let mut all: Vec<&str> = flags.to_vec();
    all.extend(LENIENT);
    let read: Vec<PathBuf> = others.iter().cloned().chain([own.to_owned()]).collect();
    let folders = folders_of(directory, &read, flags);
    toolchain.link(directory, &[vec![test], others].concat(), &all, &folders)?;
    run(&toolchain.path("program"))
}

/// Compiles the test by the command of the unit that it includes, links it with the other units of a version, and runs it.
pub fn run_test_of_version(
    modeller: &Modeller,
    version: &Version,
    units: &[UnitName],
    file: &str,
    text: impl Fn(&str) -> String,
    library: CLibrary,
) -> Result<Printed, Error> {
    let folder = tempfile::tempdir().map_err(io("no folder for temporary files"))?;
    let toolchain = Toolchain::new(folder.path(), library)?;
    let own = units.iter().find(|unit| unit.file == file);
    let own = own.ok_or_else(|| Error::UnknownCommand(file.to_owned()))?;
    let others: Vec<UnitName> = units.iter().filter(|unit| *unit != own).cloned().collect();
    let built = modeller.with_commands(version, |commands| {
        let own = own.command(commands).ok_or_else(|| Error::UnknownCommand(file.to_owned()))?;
        let test = compile_like(&toolchain, own, &text)?;
        Ok::<_, Error>([vec![test], compile(&toolchain, commands, &others)?].concat())
    });
    let objects = built?.ok_or(Error::NoSource)??;
    toolchain.link(folder.path(), &objects, &LENIENT, &[])?;
    run(&toolchain.path("program"))
}

fn run(program: &Path) -> Result<Printed, Error> {
    let folder = tempfile::tempdir().map_err(io("no folder for temporary files"))?;
    let command = Command::new(program, folder.path()).environment(Default::default());
    let policy = Policy::of_the_system().reading(program).writing(folder.path()).limited(Limits::of_a_run());
    let done = hydrogen_jail::run(command, &policy, &Watch::new(LONGEST).keeping(Kept::Apart(MOST)))?;
    let mut printed = String::from_utf8_lossy(&done.output).into_owned();
    match done.end {
        End::Exit(0) => {}
        End::Exit(code) => printed.push_str(&format!("exit status {code}\n")),
        End::Signal(signal) => printed.push_str(&format!("signal {signal}\n")),
        _ => printed.push_str("no end\n"),
    }
    Ok(printed)
}
