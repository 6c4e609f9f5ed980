//! Inputs on the program as it is built natively.

use crate::error::{Error, io};
use crate::loaded::UnitName;
use crate::toolchain::{CLibrary, LENIENT, Toolchain, compile};
use bstr::ByteSlice;
use hydrogen_evidence::{Input, Natively, escape, until_zero};
use hydrogen_frontend::folders_around;
use hydrogen_history::version::Version;
use hydrogen_jail::{Command, Limits, Policy, Watch, inside};
use hydrogen_machine::{End, World};
use hydrogen_model::Modeller;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A native run that takes longer is stopped.
const LONGEST: Duration = Duration::from_secs(10);

/// The program, built natively.
pub struct Native {
    folder: tempfile::TempDir,
    maps: Vec<PathBuf>,
    /// Where the program is started, from the root of what is mapped.
    inside: PathBuf,
}

/// Where a thread's native runs take place: the program's current folder, and one for what goes in and out.
struct Places {
    folder: tempfile::TempDir,
    own: tempfile::TempDir,
}

/// What a native run did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observed {
    /// How it ended.
    pub end: hydrogen_jail::End,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
    /// Named outputs.
    pub named: Vec<u8>,
}

/// A run of the machine to compare with.
pub struct Done<'a> {
    /// What it was given.
    pub input: &'a Input,
    /// How it ended.
    pub end: &'a End,
    /// The world afterwards.
    pub after: &'a World,
}

impl Places {
    fn new(inside: &Path) -> Result<Self, Error> {
        let make = || tempfile::tempdir_in(inside).map_err(io("no folder for a native run"));
        Ok(Self { folder: make()?, own: make()? })
    }

    /// Every run starts in an empty folder, and finds nothing where we write that an earlier one could have put there.
    fn clean(&mut self, inside: &Path) -> std::io::Result<()> {
        let used = fs::read_dir(self.own.path()).map_or(true, |mut entries| entries.next().is_some());
        if used {
            self.own = tempfile::tempdir_in(inside)?;
        }
        let used = fs::read_dir(self.folder.path()).map_or(true, |mut entries| entries.next().is_some());
        if used {
            self.folder = tempfile::tempdir_in(inside)?;
        }
        Ok(())
    }
}

impl Native {
    /// Builds C files together, with these flags.
    pub fn of_files(
        directory: &Path,
        files: Vec<PathBuf>,
        flags: &[&str],
        maps: Vec<PathBuf>,
        library: CLibrary,
    ) -> Result<Self, Error> {
        let folder = temporary()?;
        let folders = folders_of(directory, &files, flags);
        Toolchain::new(folder.path(), library)?.link(directory, &files, flags, &folders)?;
        Ok(Self { folder, maps, inside: PathBuf::new() })
    }

    /// Builds units of a version by its own compile commands.
    pub fn of_version(
        modeller: &Modeller,
        version: &Version,
        units: &[UnitName],
        maps: Vec<PathBuf>,
        library: CLibrary,
    ) -> Result<Self, Error> {
        let folder = temporary()?;
        let toolchain = Toolchain::new(folder.path(), library)?;
        let built = modeller.with_commands(version, |commands| compile(&toolchain, commands, units));
        let objects = built?.ok_or(Error::NoSource)??;
        toolchain.link(folder.path(), &objects, &LENIENT, &[])?;
        Ok(Self { folder, maps, inside: PathBuf::new() })
    }

    /// The same with the content of a folder around it, started in a folder inside of that.
    pub fn in_folder(mut self, root: PathBuf, inside: PathBuf) -> Self {
        self.maps.push(root);
        self.inside = inside;
        self
    }

    /// Runs one input natively and compares with what the machine did.
    pub fn once(&self, done: &Done<'_>, base: &World) -> Result<Natively, Error> {
        match done.end {
            End::Exit(_) | End::Signal(_) => {
                let mut places = Places::new(self.folder.path())?;
                self.compare(done, base, &mut places, Instant::now() + LONGEST)
            }
            _ => Ok(Natively::NotCompared),
        }
    }

    /// Runs every test natively and compares, several at a time.
    pub fn replay(
        &self,
        tests: &[Done<'_>],
        world: &World,
        jobs: usize,
        until: Instant,
        interrupt: &AtomicBool,
    ) -> Result<Vec<Natively>, Error> {
        let one = |test: &Done<'_>, places: &mut Places| match test.end {
            _ if interrupt.load(Ordering::Relaxed) => Ok(Natively::NotCompared),
            End::Exit(_) | End::Signal(_) if Instant::now() >= until => Ok(Natively::NoTime),
            End::Exit(_) | End::Signal(_) => self.compare(test, world, places, until),
            _ => Ok(Natively::NotCompared),
        };
        let all = |tests: &[Done<'_>]| -> Result<Vec<Natively>, Error> {
            let mut places = Places::new(self.folder.path())?;
            tests.iter().map(|test| one(test, &mut places)).collect()
        };
        let share = tests.len().div_ceil(jobs.max(1)).max(1);
        let parts: Vec<Result<Vec<Natively>, Error>> = std::thread::scope(|scope| {
            let threads: Vec<_> = tests.chunks(share).map(|tests| scope.spawn(move || all(tests))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap_or(Err(Error::Thread))).collect()
        });
        Ok(parts.into_iter().collect::<Result<Vec<_>, Error>>()?.into_iter().flatten().collect())
    }

    /// What a native run of an input does, whatever the machine says.
    pub fn observe(&self, input: &Input, base: &World) -> Result<Observed, Error> {
        let mut places = Places::new(self.folder.path())?;
        self.run(input, base, &mut places, LONGEST)
    }

    fn run(
        &self,
        input: &Input,
        base: &World,
        places: &mut Places,
        time: Duration,
    ) -> Result<Observed, Error> {
        let failed = || io("the native program cannot be run");
        let command = self.prepared(input, base, places).map_err(failed())?;
        let program = self.folder.path().join("program");
        let policy = Policy::of_the_system().reading(program).writing(places.folder.path());
        let policy = policy.writing(places.own.path()).limited(Limits::of_a_run());
        let end = hydrogen_jail::run(command, &policy, &Watch::new(time.min(LONGEST)))?.end;
        // The program could put anything in their place.
        let left = |name: &str| {
            inside::read_left(&places.own.path().join(name), inside::MOST).map_err(std::io::Error::from)
        };
        let read = |name: &str| left(name).map_err(failed());
        Ok(Observed {
            end,
            stdout: read("stdout")?,
            stderr: read("stderr")?,
            named: left("named").unwrap_or_default(),
        })
    }

    fn compare(
        &self,
        test: &Done<'_>,
        base: &World,
        places: &mut Places,
        until: Instant,
    ) -> Result<Natively, Error> {
        let left = until.saturating_duration_since(Instant::now());
        let observed = self.run(test.input, base, places, left)?;
        let ended = match observed.end {
            hydrogen_jail::End::Exit(code) => End::Exit(code),
            hydrogen_jail::End::Signal(signal) => End::Signal(signal),
            hydrogen_jail::End::TimeOut if left < LONGEST => return Ok(Natively::NoTime),
            hydrogen_jail::End::TimeOut => {
                return Ok(Natively::Differs(format!(
                    "it does not end within {} seconds",
                    LONGEST.as_secs()
                )));
            }
            other => return Ok(Natively::Differs(other.to_string())),
        };
        let named: String = test
            .after
            .named_outputs
            .iter()
            .map(|(name, value)| format!("{name}={}\n", *value as i64))
            .collect();
        let streams = [
            ("standard output", observed.stdout, test.after.stdout.clone()),
            ("standard error", observed.stderr, test.after.stderr.clone()),
            ("named outputs", observed.named, named.into_bytes()),
        ];
        if ended != *test.end {
            return Ok(Natively::Differs(format!("{} instead of {}", say(&ended), say(test.end))));
        }
        for (name, native, machine) in streams {
            if native != machine {
                let short = |bytes: &[u8]| escape(&bytes[..bytes.len().min(60)]);
                return Ok(Natively::Differs(format!(
                    "{name} \"{}\" instead of \"{}\"",
                    short(&native),
                    short(&machine)
                )));
            }
        }
        Ok(Natively::Same)
    }

    /// The program's command, with the files of its input where it finds them.
    fn prepared(&self, input: &Input, base: &World, places: &mut Places) -> std::io::Result<Command> {
        places.clean(self.folder.path())?;
        let (folder, own) = (&places.folder, &places.own);
        for map in &self.maps {
            copy(map, Path::new(""), folder.path())?;
        }
        for (name, bytes) in &input.files {
            inside::write(folder.path(), &name.trim_start_with(|c| c == '/').to_path_lossy(), bytes)?;
        }
        fs::write(own.path().join("stdin"), base.with_input(input).stdin())?;
        fs::write(own.path().join("memory"), memory(input))?;
        let _ = fs::remove_file(own.path().join("named"));
        let world = base.with_input(input);
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
        let start = folder.path().join(&self.inside);
        fs::create_dir_all(&start)?;
        Ok(Command::new(self.folder.path().join("program"), &start)
            .environment(environment)
            .called(text(&world.args[0]))
            .args(world.args.iter().skip(1).map(|arg| text(arg)))
            .env("HYDROGEN_INPUT", own.path().join("memory"))
            .env("HYDROGEN_OUTPUT", own.path().join("named"))
            .stdin(fs::File::open(own.path().join("stdin"))?)
            .stdout(fs::File::create(&out)?)
            .stderr(fs::File::create(&err)?))
    }
}

/// The folders that a compiler of these files may read.
pub(crate) fn folders_of(directory: &Path, files: &[PathBuf], flags: &[&str]) -> Vec<PathBuf> {
    let named = flags.iter().map(|flag| directory.join(flag.trim_start_matches("-I")));
    folders_around(files.iter().cloned().chain(named).chain([directory.to_owned()]))
}

fn say(end: &End) -> String {
    match end {
        End::Exit(status) => format!("exit status {status}"),
        End::Signal(signal) => format!("signal {signal}"),
        _ => "another end".to_owned(),
    }
}

/// Named memory as the native functions read it.
pub fn memory(input: &Input) -> String {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    input.named.iter().map(|(name, bytes)| format!("{} {}\n", hex(name), hex(bytes))).collect()
}

fn temporary() -> Result<tempfile::TempDir, Error> {
    tempfile::tempdir().map_err(io("no folder for temporary files"))
}

/// Copies what a program finds in a folder of `from`: the machine's program finds the same. What a link leads to is copied where that
/// lies inside of `from`, and nothing that is neither a file nor a folder.
fn copy(from: &Path, folder: &Path, to: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(from.join(folder))?.flatten() {
        let (name, kind) = (folder.join(entry.file_name()), entry.file_type()?);
        if kind.is_dir() {
            inside::make_folder(to, &name)?;
            copy(from, &name, to)?;
            continue;
        }
        if !kind.is_file() && !kind.is_symlink() {
            continue;
        }
        let runs = fs::metadata(entry.path()).is_ok_and(|found| found.permissions().mode() & 0o111 != 0);
        let write = if runs { inside::write_executable } else { inside::write };
        match inside::read(from, &name, inside::MOST) {
            Ok(bytes) => write(to, &name, &bytes)?,
            // The machine's program does not find it either.
            Err(refused) => tracing::debug!("{} is not copied: {refused}", name.display()),
        }
    }
    Ok(())
}
