//! The compiler that a recorded build finds under the names `cc`, `gcc`, `clang`, …
//!
//! It writes down how it was called and then runs the real compiler, quickly: without optimisation, debug information
//! and warnings. While a project is being configured it only runs the real compiler. It is started thousands of
//! times, so it does nothing else.

mod arguments;
mod record;

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// What a name stands for.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    C,
    Cxx,
    Archiver,
}

fn main() -> ExitCode {
    let mut words = std::env::args_os();
    let called = words.next().unwrap_or_default();
    let arguments: Vec<OsString> = words.collect();
    let name = Path::new(&called).file_name().unwrap_or(OsStr::new("cc")).to_owned();
    match run(&name, &arguments) {
        Ok(code) => code,
        Err(message) => {
            eprintln!("hydrogen-cc: {message}");
            ExitCode::from(127)
        }
    }
}

fn role(name: &OsStr) -> Role {
    let name = name.as_bytes();
    if name == b"ar" || name.ends_with(b"-ar") {
        Role::Archiver
    } else if name.windows(2).any(|pair| pair == b"++") {
        Role::Cxx
    } else {
        Role::C
    }
}

fn run(name: &OsStr, arguments: &[OsString]) -> Result<ExitCode, String> {
    let role = role(name);
    let program = real_program(name, role).ok_or_else(|| format!("no real `{}` on PATH", name.display()))?;
    let log = std::env::var_os("HYDROGEN_CC_LOG").filter(|log| !log.is_empty());
    let Some(log) = log else {
        let arguments =
            if role == Role::Archiver { arguments.to_vec() } else { arguments::tolerant(arguments) };
        let error = Command::new(&program).args(arguments).exec();
        return Err(format!("cannot run {}: {error}", program.display()));
    };
    record::append(Path::new(&log), role, &arguments::expanded(arguments))?;
    if role == Role::Archiver {
        let error = Command::new(&program).args(arguments).exec();
        return Err(format!("cannot run {}: {error}", program.display()));
    }
    let status = Command::new(&program).args(arguments::quick(arguments)).status();
    let status = status.map_err(|error| format!("cannot run {}: {error}", program.display()))?;
    if status.success() {
        return Ok(ExitCode::SUCCESS);
    }
    // The build may need what only its own compiler understands; the commands are written down all the same.
    if let Some(own) = find(name).filter(|own| *own != program)
        && Command::new(own).args(arguments).status().is_ok_and(|status| status.success())
    {
        return Ok(ExitCode::SUCCESS);
    }
    let code = status.code().or(status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)))
}

/// The program to run: our compiler for C, its C++ sibling, or what the build asked for.
fn real_program(name: &OsStr, role: Role) -> Option<PathBuf> {
    let compiler = std::env::var_os("HYDROGEN_CC_COMPILER").map(PathBuf::from);
    match role {
        Role::C => compiler.or_else(|| find(OsStr::new("clang-19"))).or_else(|| find(name)),
        Role::Cxx => {
            let sibling = compiler.and_then(|path| {
                let name = path.file_name()?.to_str()?.replacen("clang", "clang++", 1);
                Some(path.with_file_name(name)).filter(|path| path.exists())
            });
            sibling.or_else(|| find(name))
        }
        Role::Archiver => find(name).or_else(|| find(OsStr::new("ar"))),
    }
}

/// The program of that name on the path, behind our own folder.
fn find(name: &OsStr) -> Option<PathBuf> {
    let own = std::env::var_os("HYDROGEN_CC_BIN").map(PathBuf::from);
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .filter(|folder| Some(folder) != own.as_ref())
        .map(|folder| folder.join(name))
        .find(|program| program.is_file())
}
