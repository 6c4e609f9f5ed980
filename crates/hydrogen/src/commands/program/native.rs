//! Tests on the program as it is built natively.

use super::load::Loaded;
use crate::cli::ProgramOptions;
use crate::context::Context;
use anyhow::{Context as _, Result, bail};
use bstr::ByteSlice;
use hydrogen_explore::{Exploration, Input, Test, escape};
use hydrogen_frontend::folders_around;
use hydrogen_jail::{Command, Kept, Limits, Policy, Watch};
use hydrogen_machine::{COMPLEX, End, NATIVE_SOURCE, World, write_headers};
use hydrogen_model::UnitCommand;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A native run that takes longer is stopped.
const LONGEST: Duration = Duration::from_secs(10);
/// A compiler that takes longer is stopped.
const LONGEST_BUILD: Duration = Duration::from_secs(300);
/// How much of a compiler's messages is read.
const MESSAGES: usize = 1 << 20;
const MUSL: &str = "/usr/lib/x86_64-linux-musl";
const MUSL_HEADERS: &str = "/usr/include/x86_64-linux-musl";

/// How a test went natively.
pub enum Replay {
    /// The same output and the same end.
    Same,
    /// Something else, and what.
    Differs(String),
    /// Undefined behaviour, or a run that was cut short: nothing to compare.
    NotCompared,
    /// It was not run: there was no time left.
    NoTime,
}

/// The program, built natively.
pub struct Native {
    folder: tempfile::TempDir,
    maps: Vec<PathBuf>,
}

/// Where a thread's native runs take place: the program's current folder, and one for what goes in and out.
struct Places {
    folder: tempfile::TempDir,
    own: tempfile::TempDir,
}

/// A run of the machine to compare with.
struct Done<'a> {
    input: &'a Input,
    end: &'a End,
    after: &'a World,
}

impl Places {
    fn new(inside: &Path) -> Result<Self> {
        Ok(Self { folder: tempfile::tempdir_in(inside)?, own: tempfile::tempdir_in(inside)? })
    }

    /// Every run starts in an empty folder.
    fn clean(&mut self, inside: &Path) -> Result<()> {
        let used = fs::read_dir(self.folder.path()).map_or(true, |mut entries| entries.next().is_some());
        if used {
            self.folder = tempfile::tempdir_in(inside)?;
        }
        Ok(())
    }
}

/// How programs are compiled and linked here.
struct Toolchain {
    folder: PathBuf,
    musl: bool,
}

impl Toolchain {
    fn new(folder: &Path) -> Result<Self> {
        write_headers(&folder.join("include"))?;
        fs::write(folder.join("hydrogen.c"), NATIVE_SOURCE)?;
        fs::write(folder.join("complex.c"), COMPLEX)?;
        Ok(Self { folder: folder.to_owned(), musl: Path::new(MUSL).join("libc.a").exists() })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The compiler, with our headers and the machine's C library before all others.
    fn compiler(&self, directory: &Path) -> Command {
        let compile = Command::new("clang-19", directory).env("TMPDIR", &self.folder).args(["-O0", "-w"]);
        match self.musl {
            true => compile.args(["-nostdlibinc", "-isystem", MUSL_HEADERS]),
            false => compile,
        }
    }

    /// Links what lies in these folders, or in our own.
    fn link(&self, directory: &Path, inputs: &[PathBuf], flags: &[&str], folders: &[PathBuf]) -> Result<()> {
        let mut link = self.compiler(directory).args(flags).arg(without_folder(directory));
        link = link.arg("-isystem").arg(self.path("include"));
        let musl = |name: &str| Path::new(MUSL).join(name);
        if self.musl {
            link = link.args(["-static", "-nostdlib"]).args(["crt1.o", "crti.o"].map(musl));
        }
        link = link.args(inputs).arg(self.path("hydrogen.c")).arg(self.path("complex.c"));
        link = match self.musl {
            true => link.arg(musl("libc.a")).arg("-lgcc").arg(musl("crtn.o")),
            false => link.arg("-lm"),
        };
        self.run(link.arg("-o").arg(self.path("program")), folders)
    }

    /// Runs a compiler; what it has against the program is said in few words.
    fn run(&self, command: Command, folders: &[PathBuf]) -> Result<()> {
        let policy = Policy::of_the_system().writing(&self.folder).limited(Limits::of_a_build());
        let policy = folders.iter().fold(policy, Policy::reading);
        let watch = Watch::new(LONGEST_BUILD).keeping(Kept::Apart(MESSAGES));
        let done = hydrogen_jail::run(command, &policy, &watch)?;
        if done.end.success() {
            return Ok(());
        }
        let message = String::from_utf8_lossy(&done.errors);
        let wrong =
            |line: &&str| line.contains("error") || line.contains("undefined") || line.contains("multiple");
        let first: Vec<&str> = message.lines().filter(wrong).take(3).collect();
        let first = if first.is_empty() { done.end.to_string() } else { first.join("; ") };
        bail!("the program does not build natively: {first}");
    }
}

impl Native {
    /// Builds the program that was loaded: C files together, or the units of a version by its own compile commands.
    pub fn build(context: &Context, options: &ProgramOptions, loaded: &Loaded) -> Result<Self> {
        if options.entry != "main" {
            bail!("--native starts programs in `main`, not in `{}`", options.entry);
        }
        let folder = tempfile::tempdir().context("no folder for temporary files")?;
        let toolchain = Toolchain::new(folder.path())?;
        match &loaded.version {
            None => {
                let flags = options.cflags.as_deref().unwrap_or("");
                let flags = shlex::split(flags).with_context(|| format!("`{flags}` has an open quote"))?;
                let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
                let files: Vec<PathBuf> =
                    options.programs.iter().map(|name| context.path(Path::new(name))).collect();
                let named = flags.iter().map(|flag| context.path(Path::new(flag.trim_start_matches("-I"))));
                let folders =
                    folders_around(files.iter().cloned().chain(named).chain([context.here().into()]));
                toolchain.link(context.here(), &files, &flags, &folders)?;
            }
            Some((modeller, version)) => {
                let built =
                    modeller.with_commands(version, |commands| compile(&toolchain, commands, &loaded.units));
                let objects = built?.context("--native needs source; a bitcode file has none")??;
                // What no unit defines is missing only where it is called, and then the machine says so; of two definitions the
                // first counts there too.
                let flags =
                    ["-Wl,--unresolved-symbols=ignore-in-object-files", "-Wl,--allow-multiple-definition"];
                toolchain.link(folder.path(), &objects, &flags, &[])?;
            }
        }
        let map = |map: &String| match map.rsplit_once(':') {
            Some((folder, "/")) => Some(context.path(Path::new(folder))),
            Some((_, at)) if at.starts_with('/') => None,
            _ => Some(context.path(Path::new(map))),
        };
        Ok(Self { maps: options.map.iter().filter_map(map).collect(), folder })
    }

    /// Runs one input natively and compares with what the machine did.
    pub fn once(&self, input: &Input, base: &World, end: &End, after: &World) -> Result<Replay> {
        match end {
            End::Exit(_) | End::Signal(_) => {
                let mut places = Places::new(self.folder.path())?;
                let until = Instant::now() + LONGEST;
                self.compare(&Done { input, end, after }, base, &mut places, until)
            }
            _ => Ok(Replay::NotCompared),
        }
    }

    /// Runs every test natively and compares, several at a time.
    pub fn replay(
        &self,
        found: &Exploration,
        world: &World,
        jobs: usize,
        until: Instant,
        interrupt: &AtomicBool,
    ) -> Result<Vec<Replay>> {
        let one = |test: &Test, places: &mut Places| match test.end {
            _ if interrupt.load(Ordering::Relaxed) => Ok(Replay::NotCompared),
            End::Exit(_) | End::Signal(_) if Instant::now() >= until => Ok(Replay::NoTime),
            End::Exit(_) | End::Signal(_) => {
                let done = Done { input: &test.input, end: &test.end, after: &test.world };
                self.compare(&done, world, places, until)
            }
            _ => Ok(Replay::NotCompared),
        };
        let all = |tests: &[Test]| -> Result<Vec<Replay>> {
            let mut places = Places::new(self.folder.path())?;
            tests.iter().map(|test| one(test, &mut places)).collect()
        };
        let share = found.tests.len().div_ceil(jobs.max(1)).max(1);
        let parts: Vec<Result<Vec<Replay>>> = std::thread::scope(|scope| {
            let threads: Vec<_> =
                found.tests.chunks(share).map(|tests| scope.spawn(move || all(tests))).collect();
            let failed = || Err(anyhow::anyhow!("a thread failed"));
            threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| failed())).collect()
        });
        Ok(parts.into_iter().collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
    }

    fn compare(&self, test: &Done<'_>, base: &World, places: &mut Places, until: Instant) -> Result<Replay> {
        places.clean(self.folder.path())?;
        let (folder, own) = (&places.folder, &places.own);
        for map in &self.maps {
            copy(map, folder.path())?;
        }
        for (name, bytes) in &test.input.files {
            let path = folder.path().join(name.trim_start_with(|c| c == '/').to_path_lossy());
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(&path, bytes)?;
        }
        fs::write(own.path().join("stdin"), stdin(test, base))?;
        fs::write(own.path().join("memory"), memory(test.input))?;
        let _ = fs::remove_file(own.path().join("named"));
        let world = test.input.world(base);
        let (out, err) = (own.path().join("stdout"), own.path().join("stderr"));
        let text = |bytes: &[u8]| OsStr::from_bytes(until_zero(bytes)).to_owned();
        let mut environment = BTreeMap::new();
        for variable in &world.environment {
            if let Some((name, value)) =
                until_zero(variable).split_once_str("=").filter(|(name, _)| !name.is_empty())
            {
                environment.insert(OsStr::from_bytes(name).to_owned(), OsStr::from_bytes(value).to_owned());
            }
        }
        let program = self.folder.path().join("program");
        let command = Command::new(&program, folder.path())
            .environment(environment)
            .called(text(&world.args[0]))
            .args(world.args.iter().skip(1).map(|arg| text(arg)))
            .env("HYDROGEN_INPUT", own.path().join("memory"))
            .env("HYDROGEN_OUTPUT", own.path().join("named"))
            .stdin(fs::File::open(own.path().join("stdin"))?)
            .stdout(fs::File::create(&out)?)
            .stderr(fs::File::create(&err)?);
        let policy = Policy::of_the_system().reading(program).writing(folder.path()).writing(own.path());
        let policy = policy.limited(Limits::of_a_run());
        let left = until.saturating_duration_since(Instant::now());
        let ended = match hydrogen_jail::run(command, &policy, &Watch::new(left.min(LONGEST)))?.end {
            hydrogen_jail::End::Exit(code) => End::Exit(code),
            hydrogen_jail::End::Signal(signal) => End::Signal(signal),
            hydrogen_jail::End::TimeOut if left < LONGEST => return Ok(Replay::NoTime),
            hydrogen_jail::End::TimeOut => {
                return Ok(Replay::Differs(format!("it does not end within {} seconds", LONGEST.as_secs())));
            }
            other => return Ok(Replay::Differs(other.to_string())),
        };
        let named: String = test
            .after
            .named_outputs
            .iter()
            .map(|(name, value)| format!("{name}={}\n", *value as i64))
            .collect();
        let streams = [
            ("standard output", fs::read(&out)?, test.after.stdout.clone()),
            ("standard error", fs::read(&err)?, test.after.stderr.clone()),
            ("named outputs", fs::read(own.path().join("named")).unwrap_or_default(), named.into_bytes()),
        ];
        if ended != *test.end {
            return Ok(Replay::Differs(format!("{} instead of {}", say(&ended), say(test.end))));
        }
        for (name, native, machine) in streams {
            if native != machine {
                let short = |bytes: &[u8]| escape(&bytes[..bytes.len().min(60)]);
                return Ok(Replay::Differs(format!(
                    "{name} \"{}\" instead of \"{}\"",
                    short(&native),
                    short(&machine)
                )));
            }
        }
        Ok(Replay::Same)
    }
}

/// Compiles the units that the machine runs, in their order; gives the object files.
fn compile(toolchain: &Toolchain, commands: &[UnitCommand], units: &[String]) -> Result<Vec<PathBuf>> {
    let mut objects = Vec::new();
    for (number, name) in units.iter().enumerate() {
        let unit = commands.iter().find(|one| one.name == *name);
        let command = &unit.with_context(|| format!("it is not known how {name} is compiled"))?.command;
        let text = |bytes: &bstr::BString| OsStr::from_bytes(bytes).to_owned();
        let object = toolchain.path(&format!("{number}.o"));
        let words = command.arguments.iter().skip(1).filter(|one| *one != &command.file).map(text);
        // Ours come last, as for the machine.
        let compile = toolchain
            .compiler(Path::new(&text(&command.directory)))
            .args(words)
            .arg(without_folder(Path::new(&text(&command.root))))
            .arg("-isystem")
            .arg(toolchain.path("include"))
            .arg("-c")
            .arg(text(&command.file))
            .arg("-o")
            .arg(&object);
        let root = PathBuf::from(text(&command.root));
        let slot = root.parent().unwrap_or(&root).to_owned();
        toolchain.run(compile, &[slot])?;
        objects.push(object);
    }
    Ok(objects)
}

/// `__FILE__` is what it is for the machine: without the folder that the program lies in.
fn without_folder(folder: &Path) -> std::ffi::OsString {
    let mut map = std::ffi::OsString::from("-fmacro-prefix-map=");
    map.push(folder);
    map.push("/=");
    map
}

fn say(end: &End) -> String {
    match end {
        End::Exit(status) => format!("exit status {status}"),
        End::Signal(signal) => format!("signal {signal}"),
        _ => "another end".to_owned(),
    }
}

fn stdin(test: &Done<'_>, base: &World) -> Vec<u8> {
    test.input.world(base).stdin().to_vec()
}

/// A string of C.
pub fn until_zero(bytes: &[u8]) -> &[u8] {
    bytes.split(|byte| *byte == 0).next().unwrap_or(&[])
}

/// Named memory as the native functions read it.
pub fn memory(input: &Input) -> String {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    input.named.iter().map(|(name, bytes)| format!("{} {}\n", hex(name), hex(bytes))).collect()
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))?.flatten() {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() && !path.is_symlink() {
            fs::create_dir_all(&target)?;
            copy(&path, &target)?;
        } else if path.is_file() {
            fs::copy(&path, &target)?;
        }
    }
    Ok(())
}
