//! The values, one file each.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use hydrogen_jail::inside;

use super::{Key, Warning, blob};

/// File systems give out room in blocks; counting them is what keeps a limit honest for many small values.
const BLOCK: u64 = 4096;
/// How the names of unfinished files begin.
const TEMPORARY: &str = ".new-";
/// An unfinished file this old belongs to a writer that was killed.
const ABANDONED: Duration = Duration::from_secs(3600);

/// The name of a value: its kind, a zero byte, its key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Name(Vec<u8>);

impl Name {
    pub fn new(kind: &str, key: &Key) -> Name {
        let valid = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(!kind.is_empty() && kind.chars().all(valid), "`{kind}` cannot name a kind of cached values");
        let mut name = Vec::with_capacity(kind.len() + 1 + key.len());
        name.extend_from_slice(kind.as_bytes());
        name.push(0);
        name.extend_from_slice(key);
        Name(name)
    }

    /// Reads a name back from its bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Name> {
        let zero = bytes.iter().position(|b| *b == 0)?;
        (std::str::from_utf8(&bytes[..zero]).is_ok() && bytes.len() == zero + 33)
            .then(|| Name(bytes.to_vec()))
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    pub fn kind(&self) -> &str {
        let zero = self.0.len() - 33;
        std::str::from_utf8(&self.0[..zero]).expect("a kind is ASCII")
    }

    /// Its file, below the folder of all values.
    fn path(&self) -> String {
        let key = &self.0[self.0.len() - 32..];
        let mut path = String::with_capacity(self.0.len() + 70);
        path.push_str(self.kind());
        path.push('/');
        for (at, byte) in key.iter().enumerate() {
            for digit in [byte >> 4, byte & 15] {
                path.push(char::from_digit(u32::from(digit), 16).expect("half a byte is a digit"));
            }
            if at == 0 {
                path.push('/');
            }
        }
        path
    }
}

/// A stored value, seen from outside.
pub(super) struct Found {
    pub size: u64,
    pub written: SystemTime,
}

/// The folder of the values.
#[derive(Debug)]
pub(super) struct Store {
    directory: PathBuf,
    values: PathBuf,
    writable: bool,
}

impl Store {
    /// Makes the folders; when that is not possible, the store is read-only (or empty), and the warning says why.
    pub fn open(directory: &Path, root: &Path) -> (Store, Option<Warning>) {
        let mut store =
            Store { directory: directory.to_path_buf(), values: root.join("values"), writable: true };
        let prepared = fs::create_dir_all(&store.values)
            .and_then(|()| tempfile::NamedTempFile::new_in(&store.values))
            .and_then(|probe| probe.close());
        match prepared {
            Ok(()) => {
                // So that backups leave the cache out; see https://bford.info/cachedir/.
                let tag = directory.join("CACHEDIR.TAG");
                if !tag.exists() {
                    let _ = fs::write(tag, "Signature: 8a477f597d28d172789f06886806bc55\n");
                }
                (store, None)
            }
            Err(error) => {
                store.writable = false;
                let warning = Warning::ReadOnly { path: store.directory.clone(), message: error.to_string() };
                (store, Some(warning))
            }
        }
    }

    pub fn is_writable(&self) -> bool {
        self.writable
    }

    /// Reads a value. A damaged one is removed, and counts as missing.
    pub fn read(&self, name: &Name) -> Result<Option<Vec<u8>>, Warning> {
        let path = self.values.join(name.path());
        match inside::read_left(&path, inside::MOST).map_err(io::Error::from) {
            Ok(file) => match blob::decode(name.as_bytes(), file) {
                Some(value) => Ok(Some(value)),
                None => {
                    let _ = fs::remove_file(&path);
                    Err(Warning::Damaged { path })
                }
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Warning::Io { path, message: error.to_string() }),
        }
    }

    /// Writes a value and says how much room it takes.
    pub fn write(&self, name: &Name, value: &[u8]) -> Result<u64, Warning> {
        let file = blob::encode(name.as_bytes(), value);
        let path = self.values.join(name.path());
        match self.write_file(&path, &file) {
            Ok(()) => Ok(on_disk(file.len() as u64)),
            Err(error) => Err(match error.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                    Warning::DiskFull { path: self.directory.clone() }
                }
                _ => Warning::Io { path, message: error.to_string() },
            }),
        }
    }

    fn write_file(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        // Beside its place, because renaming within one folder is cheaper than between folders, which a file system
        // does one at a time. No `fsync`: after a power failure the checksum tells, and a lost value is only computed
        // again.
        let folder = path.parent().unwrap_or(path);
        let make = || tempfile::Builder::new().prefix(TEMPORARY).tempfile_in(folder);
        let mut file = match make() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // The first value of its folder, or another process is clearing the cache.
                fs::create_dir_all(folder)?;
                make()?
            }
            other => other?,
        };
        file.write_all(content)?;
        file.persist(path).map(drop).map_err(|failed| failed.error)
    }

    /// How much room a value takes, when it is there.
    pub fn size(&self, name: &Name) -> Option<u64> {
        fs::metadata(self.values.join(name.path())).ok().map(|found| on_disk(found.len()))
    }

    /// Removes a value, whether it is there or not.
    pub fn remove(&self, name: &Name) {
        let _ = fs::remove_file(self.values.join(name.path()));
    }

    /// Visits every value.
    pub fn each(&self, mut visit: impl FnMut(Name, Found)) {
        for kind in folders(&self.values) {
            for shard in folders(&kind.path()) {
                for file in list(&shard.path()) {
                    let name = parse(&kind.file_name(), &shard.file_name(), &file.file_name());
                    if let (Some(name), Ok(found)) = (name, file.metadata()) {
                        let written = found.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                        visit(name, Found { size: on_disk(found.len()), written });
                    }
                }
            }
        }
    }

    /// Removes what killed writers left behind.
    pub fn sweep(&self) {
        for kind in folders(&self.values) {
            for shard in folders(&kind.path()) {
                for file in list(&shard.path()) {
                    if !file.file_name().to_string_lossy().starts_with(TEMPORARY) {
                        continue;
                    }
                    let age =
                        file.metadata().and_then(|found| found.modified()).map(|written| written.elapsed());
                    if matches!(age, Ok(Ok(age)) if age > ABANDONED) {
                        let _ = fs::remove_file(file.path());
                    }
                }
            }
        }
    }

    /// Removes every value.
    pub fn clear(&self) {
        let _ = fs::remove_dir_all(&self.values);
        let _ = fs::create_dir_all(&self.values);
    }
}

fn list(path: &Path) -> impl Iterator<Item = fs::DirEntry> {
    fs::read_dir(path).into_iter().flatten().flatten()
}

/// The folders in a folder; links to folders are none.
fn folders(path: &Path) -> impl Iterator<Item = fs::DirEntry> {
    list(path).filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
}

fn on_disk(length: u64) -> u64 {
    length.div_ceil(BLOCK) * BLOCK
}

/// The name of the value in `kind/xx/yyyy…`.
fn parse(kind: &std::ffi::OsStr, shard: &std::ffi::OsStr, file: &std::ffi::OsStr) -> Option<Name> {
    let hex = format!("{}{}", shard.to_str()?, file.to_str()?);
    let mut key = [0; 32];
    if hex.len() != 64 || !hex.is_ascii() {
        return None;
    }
    for (byte, digits) in key.iter_mut().zip(hex.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    }
    Some(Name::new(
        kind.to_str()
            .filter(|kind| kind.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'))?,
        &key,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_gives_its_name_back() {
        let name = Name::new("tu-ir", &[0xa7; 32]);
        let path = name.path();
        let parts: Vec<&str> = path.split('/').collect();
        assert_eq!(parse(parts[0].as_ref(), parts[1].as_ref(), parts[2].as_ref()), Some(name.clone()));
        assert_eq!(Name::from_bytes(name.as_bytes()), Some(name));
    }
}
