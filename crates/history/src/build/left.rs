//! Reading files that a build may have left behind. It may have put anything in their place: a pipe that never ends, a device, a link to
//! what nobody but the user may read.

use std::io;
use std::path::Path;

use hydrogen_jail::inside;

/// The content of a file in a folder that the build could write to; one elsewhere is refused.
pub(super) fn read(root: &Path, path: &Path) -> io::Result<Vec<u8>> {
    Ok(inside::read(root, path.strip_prefix(root).unwrap_or(path), inside::MOST)?)
}
