//! Which files may be opened: Landlock.

use std::path::Path;

use hydrogen_jail::{Namespaces, Policy};
use landlock::{
    ABI, Access, AccessFs, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError,
    RulesetStatus, Scope, path_beneath_rules,
};

/// The rights of Linux 6.2: reading, writing, creating, removing, renaming, truncating.
const RIGHTS: ABI = ABI::V3;
/// Devices that every program may write to.
const DEVICES: [&str; 7] =
    ["/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/ptmx", "/dev/pts", "/dev/random"];
/// Devices that every program may read.
const SOURCES: [&str; 2] = ["/dev/urandom", "/proc"];
/// Folders that exist for this process alone when it has a file system of its own.
const PRIVATE: [&str; 2] = ["/tmp", "/dev/shm"];

/// Closes everything that the policy does not name.
pub fn confine(policy: &Policy, namespaces: Namespaces) -> Result<Closed, RulesetError> {
    let all = AccessFs::from_all(RIGHTS);
    let read = AccessFs::from_read(RIGHTS);
    let mut rules = Ruleset::default()
        .handle_access(all)?
        .scope(Scope::Signal)?
        .scope(Scope::AbstractUnixSocket)?
        .create()?
        .add_rules(path_beneath_rules(&policy.read, read))?
        .add_rules(path_beneath_rules(&policy.write, all))?
        .add_rules(path_beneath_rules(SOURCES, read))?
        .add_rules(path_beneath_rules(DEVICES, AccessFs::from_file(RIGHTS)))?;
    if namespaces != Namespaces::None {
        if policy.temporary {
            rules = rules.add_rules(path_beneath_rules(PRIVATE, all))?;
        }
        if let Ok(root) = PathFd::new(Path::new("/")) {
            rules = rules.add_rule(PathBeneath::new(root, AccessFs::ReadDir))?;
        }
    }
    let status = rules.restrict_self()?;
    Ok(Closed {
        files: status.ruleset != RulesetStatus::NotEnforced,
        signals: status.ruleset == RulesetStatus::FullyEnforced,
    })
}

/// What was closed.
pub struct Closed {
    /// Files.
    pub files: bool,
    /// Signals to processes outside, too.
    pub signals: bool,
}
