//! Reading files that a build may have left behind. It may have put anything in their place: a pipe that never ends, a device.

use std::io;
use std::path::Path;

/// More than any honest build writes.
const MOST: u64 = 1 << 30;

/// The content of a regular file; anything else is an error. Nothing changes it between the two looks: the build has ended, and all it
/// started with it.
pub(super) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let found = std::fs::metadata(path)?;
    if !found.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    if found.len() > MOST {
        return Err(io::Error::other("it is too large"));
    }
    std::fs::read(path)
}
