//! Leaving what is shared with the user's other processes.

use std::fs;

use hydrogen_jail::Namespaces;
use rustix::process::{getegid, geteuid};
use rustix::thread::UnshareFlags;

use crate::{Refusal, sys};

/// Enters namespaces of our own. The next child is process 1 of the new namespace.
pub fn enter(which: Namespaces, network: bool) -> Result<(), Refusal> {
    let mut flags = UnshareFlags::NEWNS | UnshareFlags::NEWPID | UnshareFlags::NEWIPC | UnshareFlags::NEWUTS;
    if !network {
        flags |= UnshareFlags::NEWNET;
    }
    match which {
        Namespaces::None => return Ok(()),
        Namespaces::User => flags |= UnshareFlags::NEWUSER,
        Namespaces::Root => {}
    }
    unshare(flags)
}

/// A view of the files of our own.
pub fn enter_files() -> Result<(), Refusal> {
    let user = if geteuid().is_root() { UnshareFlags::empty() } else { UnshareFlags::NEWUSER };
    unshare(UnshareFlags::NEWNS | user)
}

fn unshare(flags: UnshareFlags) -> Result<(), Refusal> {
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    sys::unshare(flags).map_err(|error| format!("namespaces: {error}"))?;
    if flags.contains(UnshareFlags::NEWUSER) {
        // Everybody stays who they are; nobody else exists.
        let write = |file: &str, text: &str| {
            fs::write(file, text).map_err(|error| format!("namespaces: {file}: {error}"))
        };
        write("/proc/self/setgroups", "deny")?;
        write("/proc/self/uid_map", &format!("{user} {user} 1"))?;
        write("/proc/self/gid_map", &format!("{group} {group} 1"))?;
    }
    Ok(())
}
