//! Process 1 of the jail: starts the program, collects what ends, watches the limits, and ends everything when it ends.

use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use hydrogen_jail::Namespaces;
use hydrogen_jail::order::{Order, Report, send};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, getpid, pidfd_open, set_child_subreaper,
    set_parent_process_death_signal, wait,
};

use crate::watch::Watch;
use crate::{Refusal, members, root, sys, target};

/// How often orphans are collected and limits looked at.
const TICK: Duration = Duration::from_millis(50);
/// The first look comes early: many processes can be started in a moment.
const FIRST: Duration = Duration::from_millis(5);

/// Runs the order to its end. Never returns to the caller.
pub fn run(order: &Order, control: &mut UnixStream) -> ! {
    // If the process before this one is killed, this one goes too.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    let started = prepare(order).and_then(|()| begin(order, control));
    let program = started.as_ref().ok().copied();
    let report = match started {
        Ok(program) => watched(order, control, program),
        Err(reason) => Some(Report::Refused(reason)),
    };
    if order.offered.namespaces == Namespaces::None {
        members::end_all(program);
    }
    if let Some(report) = report {
        let _ = send(control, &report);
    }
    std::process::exit(0);
}

fn prepare(order: &Order) -> Result<(), Refusal> {
    if order.offered.namespaces == Namespaces::None {
        // What detaches itself becomes our child, so that it can be found.
        return set_child_subreaper(Some(getpid())).map_err(|error| format!("processes: {error}"));
    }
    if !order.policy.network {
        // A program that talks to itself is not on the network. Some kernels refuse; then it cannot.
        let _ = sys::loopback_up();
    }
    root::enter(&order.policy, order.offered.namespaces)
}

fn begin(order: &Order, control: &mut UnixStream) -> Result<Pid, Refusal> {
    match sys::fork().map_err(|error| format!("no new process: {error}"))? {
        Some(program) => Ok(program),
        None => {
            let report = target::run(order);
            let _ = send(control, &report);
            std::process::exit(127);
        }
    }
}

/// Waits for the program's end; nothing to report if the tool does not wait any more.
fn watched(order: &Order, control: &UnixStream, program: Pid) -> Option<Report> {
    let ended = pidfd_open(program, PidfdFlags::empty()).ok();
    let mut watch = Watch::new(&order.policy);
    let mut tick = FIRST;
    let mut next = Instant::now() + tick;
    loop {
        while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
            if pid == program {
                return Some(Report::Ended(status.as_raw()));
            }
        }
        if Instant::now() >= next {
            if let Some(what) = watch.exceeded() {
                return Some(Report::Exceeded(what));
            }
            // Looking must not cost more than a twentieth of the time.
            tick = (tick * 2).min(TICK);
            next = Instant::now() + tick.max(watch.cost() * 20);
        }
        let mut files = vec![PollFd::from_borrowed_fd(control.as_fd(), PollFlags::IN)];
        files.extend(ended.as_ref().map(|fd| PollFd::from_borrowed_fd(fd.as_fd(), PollFlags::IN)));
        let time = Timespec::try_from(tick).ok();
        // A signal ends the sleep early, which does no harm.
        let _ = poll(&mut files, time.as_ref());
        if !files[0].revents().is_empty() {
            // The tool closed its end: it is gone, or wants no more.
            return None;
        }
    }
}
