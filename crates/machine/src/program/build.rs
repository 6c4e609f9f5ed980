//! The C library: where it is, how it is compiled, and how programs are compiled against it.

use super::archive::Archive;
use bstr::BString;
use hydrogen_frontend::{Command, Pool};
use hydrogen_ir::Module;
use hydrogen_jail::private;
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

/// What compilers expect of their own library.
pub const COMPLEX: &str = include_str!("../../musl/complex.c");
const COMPILER: &str = include_str!("../../musl/compiler.c");

/// What the machine does itself, and what it has no use for.
const LEFT_OUT: &[&str] = &["string/memcpy.c", "string/memmove.c", "string/memset.c"];

/// Where musl reads words with GNU extensions, and bytes without.
const READ_BYTEWISE: [&str; 2] = ["src/string", "src/multibyte"];

/// Archives of other builds that are kept.
const KEPT: usize = 3;

/// How every file is compiled. Signed arithmetic wraps: musl's own code is not what is under test.
const FLAGS: [&str; 8] = [
    "cc",
    "-std=c99",
    "-nostdinc",
    "-ffreestanding",
    "-fno-builtin",
    "-fwrapv",
    "-fno-stack-protector",
    "-D_XOPEN_SOURCE=700",
];

/// Where headers are, in the sources.
const FOLDERS: [&str; 7] = [
    "arch/x86_64",
    "arch/generic",
    "obj/src/internal",
    "src/include",
    "src/internal",
    "obj/include",
    "include",
];

impl Library {
    /// The library in `HYDROGEN_MUSL`, or as it is installed (`share/hydrogen/musl`) or set up in a checkout (`vendor/musl`) in a
    /// folder above the running program, or of the sources that the program was built from.
    pub fn find() -> Option<Self> {
        if let Some(home) = std::env::var_os("HYDROGEN_MUSL") {
            return Self::at(home.into());
        }
        let own = std::env::current_exe().and_then(|path| path.canonicalize()).ok();
        let above = own.iter().flat_map(|path| path.ancestors().skip(1));
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().skip(1);
        let places = ["share/hydrogen/musl", "vendor/musl"];
        above
            .chain(sources)
            .find_map(|folder| places.into_iter().find_map(|place| Self::at(folder.join(place))))
    }

    /// The library in this folder.
    pub fn at(home: PathBuf) -> Option<Self> {
        home.join("ready").exists().then_some(Self { home })
    }

    /// The folder that it is in.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// What a program's compile command needs besides its own arguments: musl's headers instead of those of the system's C library, and behind
    /// them those of the system's other libraries.
    pub fn arguments(&self) -> Vec<BString> {
        let include = BString::from(self.home.join("include").as_os_str().as_bytes());
        let mut arguments = vec!["-nostdlibinc".into(), "-isystem".into(), include];
        if let Some(others) = super::host::headers(&self.writable()) {
            arguments.extend(["-idirafter".into(), BString::from(others.as_os_str().as_bytes())]);
        }
        arguments
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
        let name = format!("libc-{name}.hya");
        let read =
            |folder: &Path| Archive::read(&folder.join(&name)).ok().filter(|archive| archive.key == key);
        if let Some(archive) = read(&self.home) {
            return Ok(archive);
        }
        let folder = self.writable();
        let path = folder.join(&name);
        let read = || read(&folder);
        // Only one process compiles; others wait for it.
        let lock = folder.join("lock");
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
        clean(&folder);
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
        // Whole seconds, which packages keep; no path, because an installed library may be moved.
        let since = |made: &fs::Metadata| made.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok();
        let tool = made.map(|made| (made.len(), since(&made).map(|time| time.as_secs())));
        let mut hasher = blake3::Hasher::new();
        hasher.update(&stamp).update(ATOMIC.as_bytes()).update(COMPLEX.as_bytes());
        hasher.update(COMPILER.as_bytes()).update(format!("{READ_BYTEWISE:?}").as_bytes());
        hasher.update(format!("{tool:?} {FLAGS:?} {FOLDERS:?} {LEFT_OUT:?}").as_bytes());
        Ok(*hasher.finalize().as_bytes())
    }

    /// Where archives are written: beside the sources, or where the user may not write there, in the user's cache.
    fn writable(&self) -> PathBuf {
        let lock = self.home.join("lock");
        if fs::OpenOptions::new().create(true).truncate(false).write(true).open(&lock).is_ok() {
            return self.home.clone();
        }
        let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        let home = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
        let folder = cache.or_else(home).map(|folder| folder.join("hydrogen/musl"));
        let own = folder.filter(|folder| private::own(folder).is_ok());
        own.or_else(|| private::temporary("hydrogen-musl").ok()).unwrap_or_else(|| self.home.clone())
    }

    fn flags(&self) -> Vec<String> {
        let source = self.home.join("source");
        let mut flags: Vec<String> = FLAGS.map(str::to_owned).into();
        flags.push(format!("-I{}", self.writable().join("overlay").display()));
        flags.extend(FOLDERS.iter().map(|folder| format!("-I{}", source.join(folder).display())));
        flags
    }

    fn compile(
        &self,
        pool: &Pool,
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<Vec<Module>, BuildError> {
        let source = self.home.join("source");
        let overlay = self.writable().join("overlay");
        fs::create_dir_all(&overlay).map_err(io(&overlay))?;
        fs::write(overlay.join("atomic_arch.h"), ATOMIC).map_err(io(&overlay))?;
        let mut files = sources(&source)?;
        for (name, text) in [("complex.c", COMPLEX), ("compiler.c", COMPILER)] {
            let own = overlay.join(name);
            fs::write(&own, text).map_err(io(&own))?;
            files.push(own);
        }
        let flags = self.flags();
        let done = std::sync::atomic::AtomicUsize::new(0);
        let answers: Vec<Result<Module, hydrogen_frontend::Error>> = files
            .par_iter()
            .map(|file| {
                let bytes = |path: &Path| BString::from(path.as_os_str().as_bytes());
                let mut arguments: Vec<BString> = flags.iter().map(|flag| flag.as_str().into()).collect();
                // Reading a string by words goes past its end on purpose; without GNU extensions musl reads bytes.
                if READ_BYTEWISE.iter().any(|place| file.starts_with(source.join(place))) {
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
}

/// Removes archives of long ago.
fn clean(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
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
