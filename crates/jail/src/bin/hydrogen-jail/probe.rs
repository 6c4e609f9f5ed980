//! Trying every protection once, each in a process of its own.

use std::io::Write;
use std::process::ExitCode;

use hydrogen_jail::{Namespaces, Offered, Policy};
use rustix::process::{WaitOptions, getuid, waitpid};

use crate::{files, filter, namespaces, root, sys};

/// Prints what there is.
pub fn run() -> ExitCode {
    let namespaces = [Namespaces::User, Namespaces::Root].into_iter().find(|which| {
        // Only the administrator can have them in the second way.
        (*which == Namespaces::User || getuid().is_root()) && works(|| has_namespaces(*which))
    });
    let policy = Policy::default();
    let landlock =
        |ask: fn(files::Closed) -> bool| works(|| files::confine(&policy, Namespaces::None).is_ok_and(ask));
    let offered = Offered {
        namespaces: namespaces.unwrap_or_default(),
        landlock: landlock(|closed| closed.files),
        signals: landlock(|closed| closed.signals),
        filter: works(|| rustix::thread::set_no_new_privs(true).is_ok() && filter::confine(false).is_ok()),
    };
    let written = std::io::stdout().write_all(offered.words().as_bytes());
    if written.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Whether something works, in a process that it may spoil.
fn works(trial: impl FnOnce() -> bool) -> bool {
    match sys::fork() {
        Ok(None) => std::process::exit(if trial() { 0 } else { 1 }),
        Ok(Some(child)) => waitpid(Some(child), WaitOptions::empty())
            .is_ok_and(|ended| ended.is_some_and(|(_, status)| status.exit_status() == Some(0))),
        Err(_) => false,
    }
}

fn has_namespaces(which: Namespaces) -> bool {
    let policy = Policy::default().reading("/usr");
    namespaces::enter(which, false).is_ok() && works(|| root::enter(&policy, which).is_ok())
}
