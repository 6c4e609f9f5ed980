//! Becoming a program that whoever started us traces.

use std::ffi::CString;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::process::ExitCode;

use hydrogen_jail::order::{Traced, receive};
use rustix::process::{Resource, Rlimit, chdir, setrlimit, umask};

use crate::{Refusal, filter, overlay, sys};

/// Every limit by its number.
const LIMITS: [Resource; 16] = [
    Resource::Cpu,
    Resource::Fsize,
    Resource::Data,
    Resource::Stack,
    Resource::Core,
    Resource::Rss,
    Resource::Nproc,
    Resource::Nofile,
    Resource::Memlock,
    Resource::As,
    Resource::Locks,
    Resource::Sigpending,
    Resource::Msgqueue,
    Resource::Nice,
    Resource::Rtprio,
    Resource::Rttime,
];

/// What this program exits with when it could not become the other one: no program is likely to.
const NOT_STARTED: u8 = 125;

/// Reads the order from the file that is named, and becomes the program.
pub fn run() -> ExitCode {
    let Err(reason) = start();
    eprintln!("hydrogen-jail: {reason}");
    ExitCode::from(NOT_STARTED)
}

fn start() -> Result<std::convert::Infallible, Refusal> {
    let wrong = |what: &'static str| move |error: std::io::Error| format!("{what}: {error}");
    let path = std::env::args_os().nth(2).ok_or("it is started by hydrogen")?;
    let order: Traced =
        File::open(path).and_then(|mut file| receive(&mut file)).map_err(wrong("the order"))?;
    sys::close_on_exec();
    sys::unblock_signals();
    if let Some(place) = &order.copied {
        overlay::enter(place.as_ref())
            .map_err(|error| format!("files cannot be copied on write: {error}"))?;
    }
    let directory = order.directory.to_string_lossy().into_owned();
    chdir(&*order.directory).map_err(|error| format!("{directory}: {error}"))?;
    umask(rustix::fs::Mode::from_bits_truncate(order.umask));
    let text = |text: &std::ffi::OsString| CString::new(text.as_bytes()).map_err(|error| error.to_string());
    let arguments = order.arguments.iter().map(text).collect::<Result<Vec<_>, _>>()?;
    let environment = order.environment.iter().map(text).collect::<Result<Vec<_>, _>>()?;
    let program = text(&order.program)?;
    let code = filter::traced();
    if code.is_empty() {
        return Err("only x86-64 processors are known".into());
    }
    sys::fix_addresses().map_err(wrong("no fixed addresses"))?;
    if order.traps_clock {
        sys::trap_clock().map_err(wrong("the processor's clock cannot be trapped"))?;
    }
    rustix::thread::set_no_new_privs(true).map_err(|error| format!("privileges: {error}"))?;
    sys::be_traced().map_err(wrong("tracing"))?;
    for (resource, &(soft, hard)) in LIMITS.into_iter().zip(&order.limits) {
        let limit = |value: u64| (value != u64::MAX).then_some(value);
        // A limit that may not be raised stays as it is; the tracer compares.
        let _ = setrlimit(resource, Rlimit { current: limit(soft), maximum: limit(hard) });
    }
    sys::set_filter(&code).map_err(wrong("filter of system calls"))?;
    let error = sys::become_program(&program, &arguments, &environment);
    Err(format!("cannot run {}: {error}", program.to_string_lossy()))
}
