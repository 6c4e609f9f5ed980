//! The compiler's children and the C library, from which programs are made.

use crate::error::{Error, io};
use crate::loaded::{Loaded, Unit, UnitName};
use bstr::BString;
use hydrogen_frontend::{Command, Pool};
use hydrogen_ir::Module;
use hydrogen_machine::{Archive, Library, Program};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What programs are made with. One serves any number of programs.
pub struct Workshop {
    pool: Pool,
    library: Option<(Library, Archive)>,
    /// The folder of `hydrogen.h`.
    headers: Option<PathBuf>,
    /// How long the C library took, where it had to be compiled.
    once: Duration,
}

impl Workshop {
    /// With the program `lower` for compiling; `cancel` stops a compilation that is under way. Without the C library (it is fetched by
    /// `scripts/musl.sh`) programs run that need none.
    pub fn new(lower: PathBuf, cancel: impl Fn() -> bool + Send + Sync + 'static) -> Result<Self, Error> {
        let pool = Pool::new(lower.clone(), Default::default(), cancel);
        let (started, compiles) = (Instant::now(), AtomicBool::new(false));
        let library = match Library::find() {
            Some(library) => {
                let progress = |done: usize, all: usize| {
                    compiles.store(true, Ordering::Relaxed);
                    if done == 1 {
                        tracing::warn!("compiling the C library once, {all} files");
                    }
                };
                let archive = library.archive(&pool, &lower, &progress)?;
                Some((library, archive))
            }
            None => None,
        };
        let once = if compiles.into_inner() { started.elapsed() } else { Duration::ZERO };
        Ok(Self { pool, library, headers: None, once })
    }

    /// Puts `hydrogen.h` where programs find it: into this folder, or into one for temporary files where that cannot be written.
    pub fn with_headers(mut self, usual: &Path) -> Result<Self, Error> {
        let folder = match hydrogen_machine::write_headers(usual) {
            Ok(()) => usual.to_owned(),
            Err(_) => {
                let other = hydrogen_jail::private::temporary("hydrogen-include").map_err(|error| {
                    io("hydrogen.h is written nowhere")(std::io::Error::other(error.to_string()))
                })?;
                hydrogen_machine::write_headers(&other)
                    .map_err(io(format!("cannot write hydrogen.h into {}", other.display())))?;
                other
            }
        };
        self.headers = Some(folder);
        Ok(self)
    }

    /// How long was spent on what is done once on a machine: no budget is for that.
    pub fn once(&self) -> Duration {
        self.once
    }

    /// Whether the C library is there.
    pub fn has_library(&self) -> bool {
        self.library.is_some()
    }

    /// The C library's models, if it is there.
    pub fn archive(&self) -> Option<&Archive> {
        self.library.as_ref().map(|(_, archive)| archive)
    }

    /// The children that compile.
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// What every unit's command needs besides its own arguments: the machine's headers instead of the system's.
    pub fn arguments(&self) -> Vec<BString> {
        let mut all = self.library.as_ref().map(|(library, _)| library.arguments()).unwrap_or_default();
        if let Some(folder) = &self.headers {
            all.extend(["-isystem".into(), bytes(folder)]);
        }
        all
    }

    /// The model of a C file, compiled in a folder with these flags.
    pub fn compile<S: AsRef<str>>(
        &self,
        directory: &Path,
        file: &Path,
        flags: &[S],
    ) -> Result<Module, Error> {
        if !directory.join(file).exists() {
            return Err(Error::Missing(file.display().to_string()));
        }
        let mut arguments: Vec<BString> = vec!["cc".into(), "-c".into()];
        arguments.extend(flags.iter().map(|flag| flag.as_ref().into()));
        arguments.extend(self.arguments());
        arguments.push(bytes(file));
        let (directory, file) = (bytes(directory), bytes(file));
        let command = Command { directory: directory.clone(), root: directory, file, arguments };
        Ok(hydrogen_ir::decode(&self.pool.model(&command)?.module)?)
    }

    /// Units and what they need of the C library as one program.
    pub fn link(&self, modules: Vec<Module>) -> Loaded {
        self.link_units(modules.into_iter().map(|module| Unit { module, object: String::new() }).collect())
    }

    /// The same for units that know what the build made of them.
    pub fn link_units(&self, units: Vec<Unit>) -> Loaded {
        let name = |unit: &Unit| UnitName { file: unit.module.name.clone(), object: unit.object.clone() };
        let (units, modules): (Vec<UnitName>, Vec<Module>) =
            units.into_iter().map(|unit| (name(&unit), unit.module)).unzip();
        let mut key = blake3::Hasher::new();
        for module in &modules {
            key.update(&hydrogen_ir::encode(module));
        }
        if let Some(archive) = self.archive() {
            key.update(&archive.key);
        }
        let program = Program::load(modules, self.archive());
        Loaded { program, key: *key.finalize().as_bytes(), units }
    }
}

fn bytes(path: &Path) -> BString {
    BString::from(path.as_os_str().as_bytes())
}
