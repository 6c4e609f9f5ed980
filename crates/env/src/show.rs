//! A record as text, one line a call, as `strace` writes it.

use std::fmt::Write;

use crate::record::{Call, End, Event, Memory, Record, error_of};
use crate::table::{self, Arg};

/// So many bytes of a buffer are shown.
const SHOWN: usize = 32;

/// The whole record.
pub fn record(record: &Record) -> String {
    let mut out = String::new();
    start(&mut out, record);
    let threads = record.events.iter().filter(|event| matches!(event, Event::Begun { .. })).count();
    let mut number = 0;
    for event in &record.events {
        match event {
            Event::Call(one) => {
                number += 1;
                let _ = write!(out, "{number:>6}  ");
                who(&mut out, threads, one.tid);
                out.push_str(&call(one));
            }
            Event::Signal { tid, signal, .. } => {
                out.push_str("        ");
                who(&mut out, threads, *tid);
                let _ = write!(out, "--- {}", signal_name(*signal));
            }
            Event::Begun { tid, parent } if *parent != 0 => {
                out.push_str("        ");
                who(&mut out, threads, *tid);
                let _ = write!(out, "+++ started by {parent}");
            }
            Event::Gone { tid, status } => {
                out.push_str("        ");
                who(&mut out, threads, *tid);
                let _ = write!(out, "+++ {}", ended(*status));
            }
            Event::Begun { .. } => continue,
        }
        out.push('\n');
    }
    match &record.end {
        End::Ended(status) => {
            let _ = writeln!(out, "The program {}.", ended(*status));
        }
        End::Partial(why) => {
            let _ = writeln!(out, "The record ends before the program did: {why}.");
        }
        End::Unknown => out.push_str("How the program ended is not known.\n"),
    }
    for note in &record.notes {
        let _ = writeln!(out, "Not recorded: {note}.");
    }
    out
}

fn start(out: &mut String, record: &Record) {
    let start = &record.start;
    let words: Vec<String> = start.arguments.iter().map(|word| quoted(word, usize::MAX)).collect();
    let _ = writeln!(out, "     0  start({}, [{}])", quoted(&start.program, usize::MAX), words.join(", "));
    let _ = writeln!(
        out,
        "        folder {}, umask {:03o}, user {}, group {}",
        text(&start.folder),
        start.umask,
        start.user.0,
        start.user.1
    );
    for variable in &start.variables {
        let _ = writeln!(out, "        {}", quoted(variable, 200));
    }
    for library in &start.libraries {
        let package = library.package.as_deref().map(|package| format!(" ({package})")).unwrap_or_default();
        let _ = writeln!(out, "        loads {}{package}", text(&library.path));
    }
}

fn who(out: &mut String, threads: usize, tid: i32) {
    if threads > 1 {
        let _ = write!(out, "[{tid}] ");
    }
}

/// One call with what it returned.
pub fn call(call: &Call) -> String {
    let name = table::name(call.number);
    let known = table::call(call.number);
    let kinds = known.map_or(&[Arg::Number; 0][..], |known| &known.args);
    let count = known.map_or(6, |known| known.args.len());
    let args: Vec<String> = (0..count)
        .map(|at| argument(call, &name, at, kinds.get(at).copied().unwrap_or(Arg::Number)))
        .collect();
    let came_back =
        if call.is_unfinished { "it did not return".to_owned() } else { result(&name, call.result) };
    format!("{name}({}) = {came_back}", args.join(", "))
}

/// What a call returned, in words.
pub fn result(name: &str, result: i64) -> String {
    match error_of(result) {
        // What the kernel tells itself when a signal comes in the middle of a call.
        Some(512..=516) => "interrupted".into(),
        Some(error) => error_name(error),
        None if matches!(name, "mmap" | "brk" | "mremap" | "shmat") => format!("{result:#x}"),
        None => result.to_string(),
    }
}

/// The name of an error, as in `errno.h`.
pub fn error_name(error: i32) -> String {
    match nix::errno::Errno::from_raw(error) {
        nix::errno::Errno::UnknownErrno => format!("error {error}"),
        known => format!("{known:?}"),
    }
}

fn signal_name(signal: i32) -> String {
    nix::sys::signal::Signal::try_from(signal)
        .map_or_else(|_| format!("signal {signal}"), |known| known.as_str().into())
}

/// How something ended, from its status as the kernel writes it.
pub fn ended(status: i32) -> String {
    match status & 0x7f {
        0 => format!("exited with {}", status >> 8 & 0xff),
        signal => format!("was ended by {}", signal_name(signal)),
    }
}

fn argument(call: &Call, name: &str, at: usize, kind: Arg) -> String {
    let value = call.args[at];
    let bytes = |all: &[Memory]| {
        let all: Vec<u8> = all
            .iter()
            .filter(|memory| usize::from(memory.arg) == at)
            .flat_map(|memory| memory.bytes.clone())
            .collect();
        quoted(&all, SHOWN)
    };
    match kind {
        Arg::Path | Arg::Text if value != 0 => quoted(call.given(at).unwrap_or_default(), usize::MAX),
        Arg::Fd | Arg::Number if value as i32 as i64 as u64 == value || value >> 32 == 0 => {
            (value as i32).to_string()
        }
        Arg::Number => (value.cast_signed()).to_string(),
        Arg::Dir if value as i32 == libc::AT_FDCWD => "AT_FDCWD".into(),
        Arg::Dir | Arg::Fd => (value as i32).to_string(),
        Arg::Bits if matches!(name, "open" | "openat") && at == usize::from(name == "openat") + 1 => {
            open_flags(value)
        }
        Arg::Bits if matches!(name, "open" | "openat" | "mkdir" | "chmod" | "umask") => format!("{value:#o}"),
        Arg::SocketIn(_) | Arg::SocketOut(_) if name != "getsockopt" => {
            let address = call.given(at).or_else(|| call.taken(at));
            address.map_or_else(|| format!("{value:#x}"), socket)
        }
        Arg::InBy(_) | Arg::VectorIn(_) | Arg::MessageIn if call.given(at).is_some() => bytes(&call.given),
        Arg::OutByReturn(1) | Arg::VectorOut(_) if call.taken(at).is_some() => bytes(&call.taken),
        _ if value == 0 => "NULL".into(),
        _ => format!("{value:#x}"),
    }
}

fn open_flags(value: u64) -> String {
    const NAMES: [(i32, &str); 10] = [
        (libc::O_CREAT, "O_CREAT"),
        (libc::O_EXCL, "O_EXCL"),
        (libc::O_TRUNC, "O_TRUNC"),
        (libc::O_APPEND, "O_APPEND"),
        (libc::O_NONBLOCK, "O_NONBLOCK"),
        (libc::O_DIRECTORY, "O_DIRECTORY"),
        (libc::O_NOFOLLOW, "O_NOFOLLOW"),
        (libc::O_CLOEXEC, "O_CLOEXEC"),
        (libc::O_NOCTTY, "O_NOCTTY"),
        (libc::O_PATH, "O_PATH"),
    ];
    let value = value as i32;
    let mut words = vec![match value & libc::O_ACCMODE {
        libc::O_WRONLY => "O_WRONLY",
        libc::O_RDWR => "O_RDWR",
        _ => "O_RDONLY",
    }];
    words.extend(NAMES.iter().filter(|(bits, _)| value & bits == *bits).map(|(_, name)| *name));
    words.join("|")
}

/// The address of a socket, in words.
pub fn socket(bytes: &[u8]) -> String {
    let port = |bytes: &[u8]| u16::from_be_bytes([bytes[2], bytes[3]]);
    match (bytes.first(), bytes.len()) {
        (Some(1), length) if length > 2 => {
            let path: Vec<u8> = bytes[2..]
                .iter()
                .copied()
                .skip_while(|&byte| byte == 0)
                .take_while(|&byte| byte != 0)
                .collect();
            format!("unix:{}", text(&path))
        }
        (Some(2), 8..) => format!("{}.{}.{}.{}:{}", bytes[4], bytes[5], bytes[6], bytes[7], port(bytes)),
        (Some(10), 24..) => {
            let address: [u8; 16] = bytes[8..24].try_into().unwrap_or_default();
            format!("[{}]:{}", std::net::Ipv6Addr::from(address), port(bytes))
        }
        (Some(16), _) => "netlink".into(),
        _ => "an address".into(),
    }
}

/// Bytes as a text that can be shown.
pub fn text(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}

/// Bytes in quotes, the first of them.
pub fn quoted(bytes: &[u8], most: usize) -> String {
    let (shown, more) = if bytes.len() > most { (&bytes[..most], "...") } else { (bytes, "") };
    format!("\"{}\"{more}", text(shown))
}
