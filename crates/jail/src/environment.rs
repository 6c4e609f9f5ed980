//! What of the user's environment a foreign process sees, and what the user permitted beyond that.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::OnceLock;

/// What the user of this run permitted on the command line. A repository's own files can never say this.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permissions {
    /// Builds and tests may use the network.
    pub network: bool,
    /// Further variables of the environment that may be seen.
    pub variables: Vec<String>,
    /// Further folders that may be read, such as a toolchain in the home folder.
    pub read: Vec<PathBuf>,
}

static PERMISSIONS: OnceLock<Permissions> = OnceLock::new();

/// Sets what the user permitted. It is one decision per run: a second one has no effect.
pub fn permit(permissions: Permissions) {
    let _ = PERMISSIONS.set(permissions);
}

/// What the user permitted; nothing when nobody said.
pub fn permitted() -> &'static Permissions {
    static NOTHING: Permissions = Permissions { network: false, variables: Vec::new(), read: Vec::new() };
    PERMISSIONS.get().unwrap_or(&NOTHING)
}

/// Variables that say how to show text and where programs are. All others may hold secrets or ways out.
const ALLOWED: [&str; 10] =
    ["PATH", "LANG", "LANGUAGE", "TZ", "TERM", "COLUMNS", "LINES", "USER", "LOGNAME", "NO_COLOR"];

/// Whether a variable of that name may be seen.
pub fn allowed_names(name: &str) -> bool {
    ALLOWED.contains(&name) || name.starts_with("LC_") || permitted().variables.iter().any(|one| one == name)
}

/// The part of the caller's environment that a foreign process may see.
pub fn allowed() -> BTreeMap<OsString, OsString> {
    std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(allowed_names)).collect()
}
