//! How programs are compiled and linked for the host: with the machine's C library where it is installed.

use crate::error::{Error, io};
use hydrogen_machine::{NATIVE_SOURCE, write_headers};
use hydrogen_model::UnitCommand;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const MUSL: &str = "/usr/lib/x86_64-linux-musl";
const MUSL_HEADERS: &str = "/usr/include/x86_64-linux-musl";

/// How programs are compiled and linked here.
pub(crate) struct Toolchain {
    folder: PathBuf,
    musl: bool,
}

impl Toolchain {
    pub(crate) fn new(folder: &Path) -> Result<Self, Error> {
        let wrong = || io(format!("cannot write into {}", folder.display()));
        write_headers(&folder.join("include")).map_err(wrong())?;
        fs::write(folder.join("hydrogen.c"), NATIVE_SOURCE).map_err(wrong())?;
        Ok(Self { folder: folder.to_owned(), musl: Path::new(MUSL).join("libc.a").exists() })
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The compiler, with our headers and the machine's C library before all others.
    pub(crate) fn compiler(&self, directory: &Path) -> Command {
        let mut compile = Command::new("clang-19");
        compile.current_dir(directory).args(["-O0", "-w"]);
        if self.musl {
            compile.args(["-nostdlibinc", "-isystem", MUSL_HEADERS]);
        }
        compile
    }

    pub(crate) fn link(
        &self,
        directory: &Path,
        inputs: impl IntoIterator<Item = PathBuf>,
        flags: &[&str],
    ) -> Result<(), Error> {
        let mut link = self.compiler(directory);
        link.args(flags).arg("-isystem").arg(self.path("include"));
        let musl = |name: &str| Path::new(MUSL).join(name);
        if self.musl {
            link.args(["-static", "-nostdlib"]).args(["crt1.o", "crti.o"].map(musl));
        }
        link.args(inputs).arg(self.path("hydrogen.c"));
        match self.musl {
            true => link.arg(musl("libc.a")).arg("-lgcc").arg(musl("crtn.o")),
            false => link.arg("-lm"),
        };
        run(link.arg("-o").arg(self.path("program")))
    }
}

/// Runs a compiler; what it has against the program is said in few words.
fn run(command: &mut Command) -> Result<(), Error> {
    let output = command.output().map_err(io("cannot start clang-19"))?;
    if output.status.success() {
        return Ok(());
    }
    let message = String::from_utf8_lossy(&output.stderr);
    let wrong =
        |line: &&str| line.contains("error") || line.contains("undefined") || line.contains("multiple");
    let first: Vec<&str> = message.lines().filter(wrong).take(3).collect();
    Err(Error::NotNative(first.join("; ")))
}

/// Compiles the units that the machine runs, in their order; gives the object files.
pub(crate) fn compile(
    toolchain: &Toolchain,
    commands: &[UnitCommand],
    units: &[String],
) -> Result<Vec<PathBuf>, Error> {
    let mut objects = Vec::new();
    for (number, name) in units.iter().enumerate() {
        let unit = commands.iter().find(|one| one.name == *name);
        let command = &unit.ok_or_else(|| Error::UnknownCommand(name.clone()))?.command;
        let text = |bytes: &bstr::BString| OsStr::from_bytes(bytes).to_owned();
        let object = toolchain.path(&format!("{number}.o"));
        let mut compile = toolchain.compiler(Path::new(&text(&command.directory)));
        compile.args(command.arguments.iter().skip(1).filter(|one| *one != &command.file).map(text));
        // Ours come last, as for the machine.
        compile.arg("-isystem").arg(toolchain.path("include"));
        run(compile.arg("-c").arg(text(&command.file)).arg("-o").arg(&object))?;
        objects.push(object);
    }
    Ok(objects)
}

/// Compiles a test that includes a unit by that unit's own command; `text` is told the unit's path.
pub(crate) fn compile_like(
    toolchain: &Toolchain,
    unit: &UnitCommand,
    text: impl Fn(&str) -> String,
) -> Result<PathBuf, Error> {
    let command = &unit.command;
    let as_text = |bytes: &bstr::BString| OsStr::from_bytes(bytes).to_owned();
    let directory = PathBuf::from(as_text(&command.directory));
    let included = directory.join(as_text(&command.file));
    let (source, object) = (toolchain.path("test.c"), toolchain.path("test.o"));
    fs::write(&source, text(&included.to_string_lossy())).map_err(io("cannot write the test"))?;
    let mut compile = toolchain.compiler(&directory);
    compile.args(command.arguments.iter().skip(1).filter(|one| *one != &command.file).map(as_text));
    compile.arg("-isystem").arg(toolchain.path("include"));
    run(compile.arg("-c").arg(&source).arg("-o").arg(&object))?;
    Ok(object)
}
