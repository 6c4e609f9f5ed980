//! Names that no honest repository has: file names with line breaks and other control characters. They are kept as they are wherever
//! files are looked for; where they are shown, a line break in a name would begin a line of the repository's own choice. What was seen of
//! them is noted here when trees are read, so that whoever writes text can write them out, in whatever sentence they stand.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use bstr::{BStr, ByteSlice};

static ANY: AtomicBool = AtomicBool::new(false);
static SEEN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
/// More are not kept: then all that have been seen are written out, and others not.
const MOST: usize = 10_000;

/// Notes a path, if any part of it is strange.
pub(crate) fn note(path: &BStr) {
    if !path.iter().any(u8::is_ascii_control) {
        return;
    }
    let mut seen = SEEN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    for part in path.split_str("/").filter(|part| part.iter().any(u8::is_ascii_control)) {
        if seen.len() < MOST {
            seen.insert(part.to_str_lossy().into_owned());
        }
    }
    ANY.store(true, Ordering::Relaxed);
}

/// The parts of paths that were seen, the longest first: one may be in another.
pub fn seen() -> Vec<String> {
    if !ANY.load(Ordering::Relaxed) {
        return Vec::new();
    }
    let seen = SEEN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let mut all: Vec<String> = seen.iter().cloned().collect();
    all.sort_by_key(|name| std::cmp::Reverse(name.len()));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_with_line_breaks_are_noted() {
        note("plain/name.c".into());
        note("in\nside/a\nb.c".into());
        note("a\nb".into());
        assert_eq!(seen(), ["in\nside", "a\nb.c", "a\nb"]);
    }
}
