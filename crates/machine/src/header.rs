//! `hydrogen.h` and its kin: what programs may include, and what they are linked with to run natively.

use std::io;
use std::path::Path;

/// The headers, by name.
const HEADERS: &[(&str, &str)] = &[
    ("hydrogen.h", include_str!("../include/hydrogen.h")),
    ("klee/klee.h", include_str!("../include/klee/klee.h")),
];

/// The functions of `hydrogen.h` for programs that are built natively, in C.
pub const NATIVE_SOURCE: &str = include_str!("../include/hydrogen.c");

/// Writes the headers into a folder, where they are not there already as they should be.
pub fn write_headers(folder: &Path) -> io::Result<()> {
    for (name, text) in HEADERS {
        let path = folder.join(name);
        if std::fs::read(&path).is_ok_and(|there| there == text.as_bytes()) {
            continue;
        }
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        // Another process may read it at this moment: it sees the old or the new one.
        let part = path.with_extension(format!("{}.part", std::process::id()));
        std::fs::write(&part, text)?;
        std::fs::rename(&part, &path)?;
    }
    Ok(())
}
