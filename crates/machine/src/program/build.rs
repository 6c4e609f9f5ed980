//! The C library: where it is, how it is compiled, and how programs are compiled against it.

use super::archive::Archive;
use bstr::BString;
use hydrogen_frontend::{Command, Pool};
use hydrogen_ir::Module;
use rayon::prelude::*;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Why there is no library.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A file cannot be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The compiler does not work.
    #[error(transparent)]
    Compiler(#[from] hydrogen_frontend::Error),
    /// Most of the library does not compile.
    #[error("{failed} of {all} files of the C library do not compile; the first: {first}")]
    Broken {
        /// How many do not.
        failed: usize,
        /// How many there are.
        all: usize,
        /// The compiler's message.
        first: String,
    },
}

fn io(path: &Path) -> impl FnOnce(std::io::Error) -> BuildError {
    let path = path.display().to_string();
    move |source| BuildError::Io { path, source }
}

/// musl as `scripts/musl.sh` leaves it: sources, headers, and the archives that were made of them.
#[derive(Debug, Clone)]
pub struct Library {
    home: PathBuf,
}

/// Replaces musl's assembly for atomic operations.
const ATOMIC: &str = include_str!("../../musl/atomic_arch.h");

/// What the machine does itself, and what it has no use for.
const LEFT_OUT: &[&str] = &["string/memcpy.c", "string/memmove.c", "string/memset.c"];

/// Archives of other builds that are kept.
const KEPT: usize = 3;

impl Library {
    /// The library in `HYDROGEN_MUSL`, or in `vendor/musl` of a folder above the running program, or of the sources that
    /// the program was built from.
    pub fn find() -> Option<Self> {
        if let Some(home) = std::env::var_os("HYDROGEN_MUSL") {
            return Self::at(home.into());
        }
        let own = std::env::current_exe().ok();
        let above = own.iter().flat_map(|path| path.ancestors().skip(1));
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().skip(1);
        above.chain(sources).find_map(|folder| Self::at(folder.join("vendor/musl")))
    }

    /// The library in this folder.
    pub fn at(home: PathBuf) -> Option<Self> {
        home.join("ready").exists().then_some(Self { home })
    }

    /// What a program's compile command needs besides its own arguments: musl's headers instead of the system's.
    pub fn arguments(&self) -> Vec<BString> {
        let include = BString::from(self.home.join("include").as_os_str().as_bytes());
        vec!["-nostdlibinc".into(), "-isystem".into(), include]
    }

    /// The library's models; compiled when they are not there yet. `progress` is told how many files are done of how many.
    pub fn archive(
        &self,
        pool: &Pool,
        lower: &Path,
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<Archive, BuildError> {
        let key = self.key(lower)?;
        let name: String = key[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        let path = self.home.join(format!("libc-{name}.hya"));
        let read = || Archive::read(&path).ok().filter(|archive| archive.key == key);
        if let Some(archive) = read() {
            return Ok(archive);
        }
        // Only one process compiles; others wait for it.
        let lock = self.home.join("lock");
        let file = fs::File::create(&lock).map_err(io(&lock))?;
        file.lock().map_err(io(&lock))?;
        if let Some(archive) = read() {
            return Ok(archive);
        }
        let modules = self.compile(pool, progress)?;
        let bytes = Archive::encode(key, &modules);
        let part = path.with_extension("part");
        fs::write(&part, &bytes).map_err(io(&part))?;
        fs::rename(&part, &path).map_err(io(&path))?;
        self.clean();
        Archive::decode(bytes).ok_or_else(|| BuildError::Broken {
            failed: 0,
            all: 0,
            first: "it cannot be read back".into(),
        })
    }

    /// Everything that the models depend on.
    fn key(&self, lower: &Path) -> Result<[u8; 32], BuildError> {
        let ready = self.home.join("ready");
        let stamp = fs::read(&ready).map_err(io(&ready))?;
        let made = fs::metadata(lower).ok();
        let tool = made.map(|made| (made.len(), made.modified().ok()));
        let mut hasher = blake3::Hasher::new();
        hasher.update(&stamp).update(ATOMIC.as_bytes());
        hasher.update(format!("{tool:?} {:?} {LEFT_OUT:?}", self.flags()).as_bytes());
        Ok(*hasher.finalize().as_bytes())
    }

    fn flags(&self) -> Vec<String> {
        let source = self.home.join("source");
        let folders = [
            "arch/x86_64",
            "arch/generic",
            "obj/src/internal",
            "src/include",
            "src/internal",
            "obj/include",
            "include",
        ];
        // Signed arithmetic wraps: musl's own code is not what is under test.
        let fixed = [
            "cc",
            "-std=c99",
            "-nostdinc",
            "-ffreestanding",
            "-fno-builtin",
            "-fwrapv",
            "-fno-stack-protector",
            "-D_XOPEN_SOURCE=700",
        ];
        let mut flags: Vec<String> = fixed.map(str::to_owned).into();
        flags.push(format!("-I{}", self.home.join("overlay").display()));
        flags.extend(folders.iter().map(|folder| format!("-I{}", source.join(folder).display())));
        flags
    }

    fn compile(
        &self,
        pool: &Pool,
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<Vec<Module>, BuildError> {
        let source = self.home.join("source");
        let overlay = self.home.join("overlay");
        fs::create_dir_all(&overlay).map_err(io(&overlay))?;
        fs::write(overlay.join("atomic_arch.h"), ATOMIC).map_err(io(&overlay))?;
        let files = sources(&source)?;
        let flags = self.flags();
        let done = std::sync::atomic::AtomicUsize::new(0);
        let answers: Vec<Result<Module, hydrogen_frontend::Error>> = files
            .par_iter()
            .map(|file| {
                let bytes = |path: &Path| BString::from(path.as_os_str().as_bytes());
                let mut arguments: Vec<BString> = flags.iter().map(|flag| flag.as_str().into()).collect();
                // Reading a string by words goes past its end on purpose; without GNU extensions musl reads bytes.
                if file.starts_with(source.join("src/string")) {
                    arguments.push("-U__GNUC__".into());
                }
                arguments.push("-c".into());
                arguments.push(bytes(file));
                let command =
                    Command { directory: bytes(&source), root: bytes(&source), file: bytes(file), arguments };
                let modelled = pool.model(&command)?;
                let count = done.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1;
                progress(count, files.len());
                hydrogen_ir::decode(&modelled.module).map_err(|error| hydrogen_frontend::Error::Crashed {
                    file: file.display().to_string(),
                    detail: error.to_string(),
                })
            })
            .collect();
        let mut modules = Vec::new();
        let mut failures = Vec::new();
        for answer in answers {
            match answer {
                Ok(module) => modules.push(module),
                Err(
                    error @ (hydrogen_frontend::Error::Start { .. } | hydrogen_frontend::Error::Interrupted),
                ) => {
                    return Err(error.into());
                }
                Err(error) => failures.push(error.to_string()),
            }
        }
        // A few files are assembly in disguise; more than a few mean that the compiler or the sources are wrong.
        if failures.len() * 20 > files.len() {
            let first = failures.swap_remove(0);
            return Err(BuildError::Broken { failed: failures.len() + 1, all: files.len(), first });
        }
        Ok(modules)
    }

    /// Removes archives of long ago.
    fn clean(&self) {
        let Ok(entries) = fs::read_dir(&self.home) else { return };
        let mut archives: Vec<(std::time::SystemTime, PathBuf)> = entries
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "hya"))
            .filter_map(|path| Some((fs::metadata(&path).ok()?.modified().ok()?, path)))
            .collect();
        archives.sort();
        for (_, path) in archives.iter().rev().skip(KEPT) {
            let _ = fs::remove_file(path);
        }
    }
}

/// The library's source files, without the allocator and without what is special to one processor.
fn sources(source: &Path) -> Result<Vec<PathBuf>, BuildError> {
    let root = source.join("src");
    let list = |folder: &Path| -> Result<Vec<PathBuf>, BuildError> {
        let entries = fs::read_dir(folder).map_err(io(folder))?;
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        Ok(paths)
    };
    let mut files = Vec::new();
    for folder in list(&root)?.iter().filter(|path| path.is_dir()) {
        for file in list(folder)? {
            let inside = file.strip_prefix(&root).unwrap_or(&file).to_string_lossy().into_owned();
            let is_source = inside.ends_with(".c");
            let allocator = inside.starts_with("malloc/") && inside != "malloc/reallocarray.c";
            if is_source && !allocator && !LEFT_OUT.contains(&inside.as_str()) {
                files.push(file);
            }
        }
    }
    Ok(files)
}
