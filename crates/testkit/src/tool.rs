//! Tools that may be missing.

/// A test cannot be done without something: it fails where `CI` is set, and says so otherwise.
pub fn skip(what: &str) {
    if std::env::var_os("CI").is_some() {
        panic!("{what}; with CI set this test must not be skipped");
    }
    eprintln!("SKIPPED: {what}");
}

/// What a test needs, if it is there; otherwise as [`skip`].
pub fn need<T>(found: Option<T>, what: &str) -> Option<T> {
    if found.is_none() {
        skip(what);
    }
    found
}
