//! `hydrogen-jail`: confines itself as it is ordered to, and becomes the program it was ordered to run. Not meant to be started by hand.
//!
//! `hydrogen-jail FD` reads its order from a socket; `hydrogen-jail --probe` prints which protections there are; `hydrogen-jail --traced
//! FILE` becomes a program that its starter traces. Three processes take part:
//! this one enters the namespaces and waits; its child, process 1 of the new namespace, watches the limits and collects what ended; that
//! one's child becomes the program. When process 1 ends, the kernel ends everything in its namespace.

mod files;
mod filter;
mod guard;
mod members;
mod namespaces;
mod overlay;
mod probe;
mod root;
mod sys;
mod target;
mod traced;
mod watch;

use hydrogen_jail::order::{Order, Report, receive, send};
use rustix::process::{Pid, WaitOptions, setsid, waitpid};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

/// Why a protection could not be put up.
type Refusal = String;

fn main() -> ExitCode {
    let word = std::env::args().nth(1).unwrap_or_default();
    if word == "--probe" {
        return probe::run();
    }
    if word == "--traced" {
        return traced::run();
    }
    let Ok(number) = word.parse() else {
        eprintln!("hydrogen-jail: it is started by hydrogen");
        return ExitCode::from(2);
    };
    let Some(mut control) = sys::inherited(number) else { return ExitCode::from(2) };
    let Ok(order) = receive::<Order>(&mut control) else {
        // The tool is gone.
        return ExitCode::from(2);
    };
    // Without a terminal of its own nothing can be typed into the user's; a Ctrl-C goes to the tool alone.
    let _ = setsid();
    match start(&order, &mut control) {
        Ok(guard) => {
            let _ = waitpid(Some(guard), WaitOptions::empty());
            ExitCode::SUCCESS
        }
        Err(reason) => {
            let _ = send(&mut control, &Report::Refused(reason));
            ExitCode::from(2)
        }
    }
}

/// Starts the guard; gives its number.
fn start(order: &Order, control: &mut UnixStream) -> Result<Pid, Refusal> {
    namespaces::enter(order.offered.namespaces, order.policy.network)?;
    match sys::fork().map_err(|error| format!("no new process: {error}"))? {
        Some(guard) => Ok(guard),
        None => guard::run(order, control),
    }
}
