//! The last steps before this process becomes the foreign program.

use std::os::unix::process::CommandExt;
use std::process::Command;

use hydrogen_jail::Namespaces;
use hydrogen_jail::order::{Order, Report};
use rustix::process::{Resource, Rlimit, getuid, setpgid, setpriority_process, setrlimit};
use rustix::thread::{CapabilitySet, CapabilitySets, remove_capability_from_bounding_set, set_capabilities};

use crate::{Refusal, files, filter, members, sys};

/// Gives up every privilege and becomes the program; comes back only when that fails.
pub fn run(order: &Order) -> Report {
    if let Err(reason) = confine(order) {
        return Report::Refused(reason);
    }
    let mut command = Command::new(&order.program);
    command.args(&order.arguments).env_clear();
    command.envs(order.environment.iter().map(|(name, value)| (name, value)));
    command.current_dir(&order.directory);
    if let Some(name) = &order.called {
        command.arg0(name);
    }
    let error = command.exec();
    Report::NotStarted(format!("cannot run {}: {error}", order.program.to_string_lossy()))
}

/// How much others come first.
const NICE: i32 = 3;

fn confine(order: &Order) -> Result<(), Refusal> {
    let (policy, offered) = (&order.policy, &order.offered);
    let wrong = |what: &'static str| move |error: rustix::io::Errno| format!("{what}: {error}");
    sys::close_on_exec();
    sys::unblock_signals();
    let limits = &policy.limits;
    let cpu = limits.cpu.map(|time| time.as_secs().max(1));
    let mut all = vec![
        (Resource::Core, Some(0)),
        (Resource::Cpu, cpu),
        (Resource::As, limits.address_space),
        (Resource::Fsize, limits.file),
    ];
    // Outside of a namespace the kernel counts the user's other processes too. It never counts the administrator's.
    let others = match offered.namespaces {
        Namespaces::User => 0,
        _ => members::threads_of(getuid().as_raw()),
    };
    all.push((Resource::Nproc, limits.hard_processes().map(|most| most + others)));
    // Whoever watches the limits gets a turn, however many processes there are.
    let _ = setpriority_process(None, NICE);
    // A group of its own can be ended at one stroke.
    let _ = setpgid(None, None);
    for (resource, value) in all.into_iter().filter_map(|(resource, value)| Some((resource, value?))) {
        setrlimit(resource, Rlimit { current: Some(value), maximum: Some(value) })
            .map_err(wrong("limits"))?;
    }
    rustix::thread::set_no_new_privs(true).map_err(wrong("privileges"))?;
    // The administrator's as well: with them, one could read what other processes have in memory, whatever Landlock says.
    for number in 0..64 {
        // The kernel knows fewer than there are bits; unknown ones are refused, and so is everybody who has none to give up.
        let _ = remove_capability_from_bounding_set(CapabilitySet::from_bits_retain(1 << number));
    }
    let none = CapabilitySet::empty();
    let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
    set_capabilities(None, sets).map_err(wrong("capabilities"))?;
    if offered.landlock {
        let closed =
            files::confine(policy, offered.namespaces).map_err(|error| format!("Landlock: {error}"))?;
        if !closed.files {
            return Err("Landlock: the kernel does not enforce it".into());
        }
    }
    if offered.filter {
        let no_sockets = offered.namespaces == Namespaces::None && !policy.network;
        filter::confine(no_sockets).map_err(|error| format!("filter of system calls: {error}"))?;
    }
    Ok(())
}
