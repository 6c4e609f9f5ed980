//! Records as files.
//!
//! A file is a mark, a version, the length of what is packed, its hash, and then the record: packed with LZ4, encoded with postcard.
//! A record may come from anywhere. It is read within limits, its hash is checked before anything is decoded, and whatever is wrong
//! with it is an error, never a panic.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use crate::record::Record;

const MARK: &[u8; 8] = b"HYDROENV";
const VERSION: u32 = 1;
/// The most bytes of a record, packed and unpacked.
const MOST_PACKED: u64 = 1 << 30;
const MOST_UNPACKED: usize = 4 << 30;
/// No call has more arguments.
const ARGUMENTS: usize = 6;

/// Why a record cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The system refused.
    #[error("{path}: {error}")]
    Io {
        /// Which file.
        path: String,
        /// The system's reason.
        error: io::Error,
    },
    /// It is no record.
    #[error("{0}: this is no record of `hydrogen env record`")]
    NoRecord(String),
    /// Another version wrote it.
    #[error(
        "{path}: the record has version {found}; this program reads version {VERSION}. Record the run again"
    )]
    Version {
        /// Which file.
        path: String,
        /// Its version.
        found: u32,
    },
    /// It is damaged.
    #[error("{path}: the record is damaged: {what}. Record the run again")]
    Damaged {
        /// Which file.
        path: String,
        /// What is wrong.
        what: &'static str,
    },
}

/// Writes a record. Only its owner can read it: it holds what the program read.
pub fn write(path: &Path, record: &Record) -> Result<(), Error> {
    let io = |error| Error::Io { path: path.display().to_string(), error };
    let bytes = encode(record).map_err(io)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return OpenOptions::new()
            .write(true)
            .open(path)
            .and_then(|mut file| file.write_all(&bytes))
            .map_err(io);
    }
    // Whole or not at all. Such files are made with mode 0600.
    let mut part =
        tempfile::Builder::new().prefix(".hydrogen-").suffix(".part").tempfile_in(folder).map_err(io)?;
    part.write_all(&bytes).map_err(io)?;
    part.persist(path).map(drop).map_err(|error| io(error.error))
}

/// Reads a record.
pub fn read(path: &Path) -> Result<Record, Error> {
    let io = |error| Error::Io { path: path.display().to_string(), error };
    let name = path.display().to_string();
    // Not a device or a pipe that never ends.
    let file = File::options().read(true).custom_flags(nix::libc::O_NONBLOCK).open(path).map_err(io)?;
    if !file.metadata().map_err(io)?.is_file() {
        return Err(Error::NoRecord(name));
    }
    let mut bytes = Vec::new();
    file.take(MOST_PACKED + 1).read_to_end(&mut bytes).map_err(io)?;
    if bytes.len() as u64 > MOST_PACKED {
        return Err(Error::Damaged { path: name, what: "it is too large" });
    }
    decode(&bytes, &name)
}

/// A record as bytes.
pub fn encode(record: &Record) -> io::Result<Vec<u8>> {
    let plain = postcard::to_stdvec(record).map_err(io::Error::other)?;
    let packed = lz4_flex::block::compress(&plain);
    let mut bytes = Vec::with_capacity(packed.len() + 52);
    bytes.extend_from_slice(MARK);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&(plain.len() as u64).to_le_bytes());
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(plain.len() as u64).to_le_bytes()).update(&packed);
    bytes.extend_from_slice(hasher.finalize().as_bytes());
    bytes.extend_from_slice(&packed);
    Ok(bytes)
}

/// A record from bytes. The name is for messages.
pub fn decode(bytes: &[u8], name: &str) -> Result<Record, Error> {
    let damaged = |what| Error::Damaged { path: name.to_owned(), what };
    let Some((mark, rest)) = bytes.split_at_checked(8).filter(|(mark, _)| mark == MARK) else {
        return Err(Error::NoRecord(name.to_owned()));
    };
    debug_assert_eq!(mark, MARK);
    let (version, rest) = rest.split_first_chunk::<4>().ok_or_else(|| damaged("it ends too early"))?;
    let found = u32::from_le_bytes(*version);
    if found != VERSION {
        return Err(Error::Version { path: name.to_owned(), found });
    }
    let (length, rest) = rest.split_first_chunk::<8>().ok_or_else(|| damaged("it ends too early"))?;
    let (hash, packed) = rest.split_first_chunk::<32>().ok_or_else(|| damaged("it ends too early"))?;
    let mut hasher = blake3::Hasher::new();
    hasher.update(length).update(packed);
    if hasher.finalize().as_bytes() != hash {
        return Err(damaged("its content is not what was written"));
    }
    let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
    // LZ4 cannot make more than 255 bytes of one.
    if length > MOST_UNPACKED || length > packed.len().saturating_mul(255).saturating_add(64) {
        return Err(damaged("it says that it is larger than it can be"));
    }
    let plain = lz4_flex::block::decompress(packed, length).map_err(|_| damaged("it cannot be unpacked"))?;
    let (record, rest) =
        postcard::take_from_bytes::<Record>(&plain).map_err(|_| damaged("it cannot be decoded"))?;
    if !rest.is_empty() {
        return Err(damaged("something stands behind its end"));
    }
    let arguments = record.calls().flat_map(|call| call.given.iter().chain(&call.taken));
    if arguments.map(|memory| usize::from(memory.arg)).any(|arg| arg >= ARGUMENTS) {
        return Err(damaged("a call has more arguments than there can be"));
    }
    Ok(record)
}
