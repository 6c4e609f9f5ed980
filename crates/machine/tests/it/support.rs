//! Compiling and running, in the machine and natively.

use hydrogen_ir::Module;
use hydrogen_machine::{Archive, End, Limits, Monitor, Program, Run, World};
use hydrogen_testkit::Compile;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

/// The C library; `None` where it was not fetched.
pub fn tools() -> Option<&'static Archive> {
    hydrogen_testkit::archive()
}

/// A folder with one C file.
pub fn file(source: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.c");
    std::fs::write(&path, source).unwrap();
    (folder, path)
}

/// The model of a C file, compiled against the library's headers.
pub fn model(path: &Path, flags: &[&str]) -> Module {
    Compile { header: "", flags }.file(path.parent().unwrap(), path)
}

pub fn load(archive: &Archive, path: &Path, flags: &[&str]) -> Program {
    Program::load(vec![model(path, flags)], Some(archive))
}

/// Enough for every test, and an end to those that go wrong.
pub fn limits() -> Limits {
    Limits { steps: 200_000_000, time: Duration::from_secs(100), ..Limits::default() }
}

/// Runs a program given as text.
pub fn run(source: &str) -> Option<Run> {
    let tools = tools()?;
    let (_folder, path) = file(source);
    let program = load(tools, &path, &[]);
    let run = program.run(World::default(), limits());
    same_if_watched(&program, World::default(), &run);
    Some(run)
}

/// Somebody who watches without looking.
pub struct Idle;

impl Monitor for Idle {}

/// A run that is watched is done instruction by instruction, one that nobody watches mostly several at a time: both are the same.
pub fn same_if_watched(program: &Program, world: World, run: &Run) {
    let watched = program.run_with(world, limits(), Idle);
    assert_eq!(watched.end, run.end);
    assert_eq!(watched.statistics, run.statistics);
    assert_eq!(watched.world.stdout, run.world.stdout);
}

/// What a program shows of itself: output, errors, status (128 and more: a signal).
#[derive(Debug, PartialEq, Eq)]
pub struct Seen {
    pub stdout: String,
    pub stderr: String,
    pub status: i32,
}

pub fn seen(run: &Run) -> Seen {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let status = match &run.end {
        End::Exit(status) => *status,
        End::Signal(signal) => 128 + signal,
        other => panic!("{other:#?}\n{}", text(&run.world.stderr)),
    };
    Seen { stdout: text(&run.world.stdout), stderr: text(&run.world.stderr), status }
}

/// Compiles natively against musl, statically, without optimisation.
pub fn native(path: &Path, flags: &[&str], program: &Path) {
    let musl = Path::new("/usr/lib/x86_64-linux-musl");
    let object = program.with_extension("o");
    let compiled = std::process::Command::new("clang-19")
        .args(["-O0", "-w", "-c", "-nostdlibinc", "-isystem", "/usr/include/x86_64-linux-musl"])
        .args(flags)
        .arg(path)
        .arg("-o")
        .arg(&object)
        .status()
        .unwrap();
    assert!(compiled.success());
    // Compilers' own libraries do not agree on the last bit of a quotient.
    let complex = program.with_extension("complex.c");
    std::fs::write(&complex, hydrogen_machine::COMPLEX).unwrap();
    let linked = std::process::Command::new("clang-19")
        .args(["-w", "-static", "-nostdlib"])
        .args([musl.join("crt1.o"), musl.join("crti.o"), object, complex, musl.join("libc.a")])
        .args(["-lgcc"])
        .arg(musl.join("crtn.o"))
        .arg("-o")
        .arg(program)
        .status()
        .unwrap();
    assert!(linked.success());
}

pub fn has_native() -> bool {
    Path::new("/usr/lib/x86_64-linux-musl/libc.a").exists()
}

/// Runs a native program as the machine would: no environment, the same name.
pub fn run_native(program: &Path, args: &[&str], stdin: &Path) -> Seen {
    // Programs print their own name: `timeout` cannot give another one, so a link does.
    let name = program.with_file_name("program");
    if name != program {
        let _ = std::fs::remove_file(&name);
        std::os::unix::fs::symlink(program, &name).unwrap();
    }
    let output = std::process::Command::new("timeout")
        .arg("5")
        .arg(&name)
        .args(args)
        .env_clear()
        .stdin(std::fs::File::open(stdin).unwrap())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let status = output.status.code().unwrap_or_else(|| 128 + output.status.signal().unwrap_or(0));
    Seen { stdout: text(&output.stdout), stderr: text(&output.stderr), status }
}
