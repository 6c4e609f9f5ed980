//! How programs are compiled and linked for the host: in the jail, with the machine's C library where it is installed.

use crate::error::{Error, io};
use crate::loaded::UnitName;
use bstr::ByteSlice;
use hydrogen_jail::{Command, Kept, Limits, Policy, Watch};
use hydrogen_machine::{COMPLEX, NATIVE_SOURCE, write_headers};
use hydrogen_model::UnitCommand;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

const MUSL: &str = "/usr/lib/x86_64-linux-musl";
const MUSL_HEADERS: &str = "/usr/include/x86_64-linux-musl";
/// A compiler that takes longer is stopped.
const LONGEST: Duration = Duration::from_secs(300);
/// How much of a compiler's messages is read.
const MESSAGES: usize = 1 << 20;

/// What no unit defines is missing only where it is called, and then the machine says so; of two definitions the first counts there too.
pub(crate) const LENIENT: [&str; 2] =
    ["-Wl,--unresolved-symbols=ignore-in-object-files", "-Wl,--allow-multiple-definition"];

/// What clang 16 turned into errors; other compilers, older clangs and the models accept it.
const TOLERATED: [&str; 4] = [
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=implicit-int",
    "-Wno-error=int-conversion",
    "-Wno-error=incompatible-function-pointer-types",
];

/// What `hydrogen.c` defines begins with one of these,
const OURS: [&str; 2] = ["hydrogen_", "klee_"];
/// and these are what `complex.c` defines, and the functions of the C library that use that.
const COMPLEX_NAMES: [&str; 17] = [
    "__muldc3", "__divdc3", "__mulsc3", "__divsc3", "__mulxc3", "__divxc3", "cacos", "casin", "catan",
    "ccos", "cexp", "clog", "cpow", "cproj", "csin", "csqrt", "ctan",
];

/// The C library that a native program is linked with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CLibrary {
    /// The one that the machine interprets, where it is installed, so that both do the same.
    Machine,
    /// The one that the user's own builds have. What only the machine's does is nothing that the user's program does.
    Platform,
}

impl CLibrary {
    /// Whether native programs have another C library than the user's builds unless they are asked not to.
    pub fn is_another() -> bool {
        Path::new(MUSL).join("libc.a").exists()
    }
}

/// How programs are compiled and linked here.
pub(crate) struct Toolchain {
    folder: PathBuf,
    musl: bool,
}

impl Toolchain {
    pub(crate) fn new(folder: &Path, library: CLibrary) -> Result<Self, Error> {
        let wrong = || io(format!("cannot write into {}", folder.display()));
        write_headers(&folder.join("include")).map_err(wrong())?;
        fs::write(folder.join("hydrogen.c"), NATIVE_SOURCE).map_err(wrong())?;
        fs::write(folder.join("complex.c"), COMPLEX).map_err(wrong())?;
        let musl = library == CLibrary::Machine && CLibrary::is_another();
        Ok(Self { folder: folder.to_owned(), musl })
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The compiler, with our headers and the machine's C library before all others.
    fn compiler(&self, directory: &Path) -> Command {
        let compile = Command::new("clang-19", directory).env("TMPDIR", &self.folder).args(["-O0", "-w"]);
        let compile = compile.args(TOLERATED);
        match self.musl {
            true => compile.args(["-nostdlibinc", "-isystem", MUSL_HEADERS]),
            false => compile,
        }
    }

    /// Links what lies in these folders, or in our own.
    pub(crate) fn link(
        &self,
        directory: &Path,
        inputs: &[PathBuf],
        flags: &[&str],
        folders: &[PathBuf],
    ) -> Result<(), Error> {
        let compiler = || {
            let compiler = self.compiler(directory).args(flags).arg(without_folder(directory));
            compiler.arg("-isystem").arg(self.path("include"))
        };
        let mut objects = Vec::new();
        for (number, input) in inputs.iter().enumerate() {
            if input.extension().is_none_or(|ending| ending != "c") {
                objects.push(input.clone());
                continue;
            }
            let object = self.path(&format!("input{number}.o"));
            self.run(compiler().arg("-c").arg(input).arg("-o").arg(&object), folders)?;
            objects.push(object);
        }
        let musl = |name: &str| Path::new(MUSL).join(name);
        let mut link = compiler();
        if self.musl {
            link = link.args(["-static", "-nostdlib"]).args(["crt1.o", "crti.o"].map(musl));
        }
        link = link.args(&objects).args(self.helpers(&objects));
        link = match self.musl {
            true => link.arg(musl("libc.a")).arg("-lgcc").arg(musl("crtn.o")),
            false => link.arg("-lm"),
        };
        self.run(link.arg("-o").arg(self.path("program")), folders)
    }

    /// The sources of ours that some object files need: most need none, and compiling one takes as long as compiling a small program.
    fn helpers(&self, objects: &[PathBuf]) -> Vec<PathBuf> {
        let objects: Vec<Vec<u8>> = objects
            .iter()
            .map(|file| {
                hydrogen_jail::inside::read_left(file, hydrogen_jail::inside::MOST).unwrap_or_default()
            })
            .collect();
        let is_needed =
            |names: &[&str]| names.iter().any(|name| objects.iter().any(|object| object.contains_str(name)));
        let helpers = [("hydrogen.c", &OURS[..]), ("complex.c", &COMPLEX_NAMES[..])];
        helpers.into_iter().filter(|(_, names)| is_needed(names)).map(|(file, _)| self.path(file)).collect()
    }

    /// Compiles a file by the command of a unit, which it stands for.
    fn compile(&self, unit: &UnitCommand, file: &OsStr, object: &Path) -> Result<(), Error> {
        let command = &unit.command;
        let text = |bytes: &bstr::BString| OsStr::from_bytes(bytes).to_owned();
        let root = PathBuf::from(text(&command.root));
        let words = command.arguments.iter().skip(1).filter(|one| *one != &command.file).map(text);
        // Ours come last, as for the machine.
        let compile = self
            .compiler(Path::new(&text(&command.directory)))
            .args(words)
            .arg(without_folder(&root))
            .arg("-isystem")
            .arg(self.path("include"))
            .arg("-c")
            .arg(file)
            .arg("-o")
            .arg(object);
        let slot = root.parent().unwrap_or(&root).to_owned();
        self.run(compile, &[slot])
    }

    /// Runs a compiler; what it has against the program is said in few words.
    fn run(&self, command: Command, folders: &[PathBuf]) -> Result<(), Error> {
        let policy = Policy::of_the_system().writing(&self.folder).limited(Limits::of_a_build());
        let policy = folders.iter().fold(policy, Policy::reading);
        let watch = Watch::new(LONGEST).keeping(Kept::Apart(MESSAGES));
        let done = hydrogen_jail::run(command, &policy, &watch)?;
        if done.end.success() {
            return Ok(());
        }
        let message = String::from_utf8_lossy(&done.errors);
        let wrong =
            |line: &&str| line.contains("error") || line.contains("undefined") || line.contains("multiple");
        let first: Vec<&str> = message.lines().filter(wrong).take(3).collect();
        Err(Error::NotNative(if first.is_empty() { done.end.to_string() } else { first.join("; ") }))
    }
}

/// `__FILE__` is what it is for the machine: without the folder that the program lies in.
fn without_folder(folder: &Path) -> OsString {
    let mut map = OsString::from("-fmacro-prefix-map=");
    map.push(folder);
    map.push("/=");
    map
}

/// Compiles the units that the machine runs, in their order; gives the object files.
pub(crate) fn compile(
    toolchain: &Toolchain,
    commands: &[UnitCommand],
    units: &[UnitName],
) -> Result<Vec<PathBuf>, Error> {
    let mut objects = Vec::new();
    for (number, name) in units.iter().enumerate() {
        let unit = name.command(commands);
        let unit = unit.ok_or_else(|| Error::UnknownCommand(name.file.clone()))?;
        let object = toolchain.path(&format!("{number}.o"));
        toolchain.compile(unit, OsStr::from_bytes(&unit.command.file), &object)?;
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
    let as_path = |bytes: &bstr::BString| PathBuf::from(OsStr::from_bytes(bytes));
    let included = as_path(&unit.command.directory).join(as_path(&unit.command.file));
    let (source, object) = (toolchain.path("test.c"), toolchain.path("test.o"));
    fs::write(&source, text(&included.to_string_lossy())).map_err(io("cannot write the test"))?;
    toolchain.compile(unit, source.as_os_str(), &object)?;
    Ok(object)
}
