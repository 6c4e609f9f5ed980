//! Recording: every call runs, and what it said is kept.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::launch;
use crate::mapped::Mapped;
use crate::memory;
use crate::packages;
use crate::record::{Call, End, Event, Hash, Library, Record, Start, Tid, error_of};
use crate::tracer::{Action, After, Entered, Error, Handler, Order, Ran, Thread, clone_flags, run};

/// The most bytes of mapped files in one record.
const MOST_MAPPED: usize = 1 << 30;
/// The most calls in one record.
const MOST_CALLS: usize = 20_000_000;

/// A recorded run.
#[derive(Debug)]
pub struct Recorded {
    /// What was recorded.
    pub record: Record,
    /// How it went.
    pub ran: Ran,
}

/// What to record.
#[derive(Debug)]
pub struct Options {
    /// Standard input, output and errors.
    pub streams: [Stdio; 3],
    /// The longest time.
    pub most: Option<Duration>,
    /// How long processes may go on when the first one has ended.
    pub linger: Option<Duration>,
    /// Set when the user wants no more.
    pub cancel: Arc<AtomicBool>,
}

/// A program as it would be started here and now: its arguments, with everything else that it is given.
pub fn here(arguments: &[OsString]) -> Result<Start, Error> {
    let name = arguments.first().cloned().unwrap_or_default();
    let folder = std::env::current_dir().unwrap_or_default();
    let program =
        find(&name, &folder).ok_or_else(|| Error::NotStarted(name.to_string_lossy().into_owned()))?;
    let variables = std::env::vars_os().map(|(name, value)| {
        let mut both = name.into_vec();
        both.push(b'=');
        both.extend(value.into_vec());
        both
    });
    let process = Path::new("/proc/self");
    let limits = std::fs::read_to_string(process.join("limits")).unwrap_or_default();
    let status = std::fs::read_to_string(process.join("status")).unwrap_or_default();
    let umask = status.lines().find_map(|line| line.strip_prefix("Umask:"));
    Ok(Start {
        program_hash: hash_of_file(&program).unwrap_or_default(),
        program: program.into_os_string().into_vec(),
        arguments: arguments.iter().map(|one| one.as_bytes().to_vec()).collect(),
        variables: variables.collect(),
        folder: folder.into_os_string().into_vec(),
        umask: umask.and_then(|mask| u32::from_str_radix(mask.trim(), 8).ok()).unwrap_or(0o22),
        limits: limits_of(&limits),
        user: (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw()),
        traps_clock: false,
        tid: 0,
        libraries: Vec::new(),
    })
}

/// The file of a program: by its path, or from the folders of `PATH`.
fn find(name: &OsStr, folder: &Path) -> Option<PathBuf> {
    let is_program = |path: &PathBuf| {
        std::fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    };
    if name.as_bytes().contains(&b'/') {
        return Some(folder.join(name)).filter(is_program);
    }
    let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into());
    std::env::split_paths(&path).map(|place| folder.join(place).join(name)).find(is_program)
}

/// The names of limits as the kernel lists them, in the order of their numbers.
const LIMITS: [&str; 16] = [
    "Max cpu time",
    "Max file size",
    "Max data size",
    "Max stack size",
    "Max core file size",
    "Max resident set",
    "Max processes",
    "Max open files",
    "Max locked memory",
    "Max address space",
    "Max file locks",
    "Max pending signals",
    "Max msgqueue size",
    "Max nice priority",
    "Max realtime priority",
    "Max realtime timeout",
];

fn limits_of(text: &str) -> Vec<(u64, u64)> {
    let number = |word: &str| word.parse().unwrap_or(u64::MAX);
    let of = |name: &&str| {
        let line = text.lines().find_map(|line| line.strip_prefix(*name)).unwrap_or_default();
        let mut words = line.split_whitespace();
        (words.next().map_or(u64::MAX, number), words.next().map_or(u64::MAX, number))
    };
    LIMITS.iter().map(of).collect()
}

/// The hash of a whole file.
pub fn hash_of_file(path: &Path) -> Option<Hash> {
    let mut hasher = blake3::Hasher::new();
    let file = File::open(path).ok()?;
    file.metadata().ok().filter(std::fs::Metadata::is_file)?;
    std::io::copy(&mut &file, &mut hasher).ok()?;
    Some(*hasher.finalize().as_bytes())
}

/// Records a run. An error means that there is no run; one that does not come to its end gives a partial record.
pub fn record(mut start: Start, options: Options) -> Result<Recorded, Error> {
    let mut recorder = Recorder::default();
    let order = Order {
        start: &start,
        streams: options.streams,
        most: options.most,
        linger: options.linger,
        copied: None,
        cancel: options.cancel,
    };
    let ran = run(order, &mut recorder)?;
    let Recorder { mut record, libraries, mut notes, root, .. } = recorder;
    start.tid = root;
    let mut packages = packages::Packages::here();
    start.libraries = libraries
        .into_iter()
        .filter_map(|path| {
            let hash = hash_of_file(Path::new(OsStr::from_bytes(&path)))?;
            let package = packages.of(&path);
            Some(Library { path, hash, package })
        })
        .collect();
    record.start = start;
    record.end = match (&ran.stopped, ran.timed_out, ran.status) {
        (Some(reason), _, _) => End::Partial(reason.clone()),
        (_, true, _) => End::Partial("its time was over".into()),
        (_, _, Some(status)) => End::Ended(status),
        _ => End::Unknown,
    };
    notes.extend(ran.notes.iter().cloned());
    record.notes = notes.into_iter().collect();
    Ok(Recorded { record, ran })
}

#[derive(Default)]
struct Recorder {
    record: Record,
    bytes_mapped: usize,
    calls: usize,
    libraries: BTreeSet<Vec<u8>>,
    notes: BTreeSet<String>,
    /// The calls that threads are in, with what was given: kept by the tracer, logged on return.
    started: BTreeMap<Tid, Tid>,
    root: Tid,
}

impl Recorder {
    fn log(&mut self, thread: &Thread, call: &Entered, result: i64) {
        self.calls += 1;
        let taken = memory::taken(thread.space(), call.number, &call.args, result);
        let mapped =
            if call.number == MMAP && error_of(result).is_none() { self.map(thread, call) } else { None };
        self.record.events.push(Event::Call(Call {
            tid: thread.tid,
            number: call.number,
            args: call.args,
            result,
            given: call.given.clone(),
            taken,
            mapped,
            is_unfinished: false,
        }));
    }

    /// Keeps what a call mapped of a file.
    fn map(&mut self, thread: &Thread, call: &Entered) -> Option<Hash> {
        let [_, _, protection, flags, fd, _] = call.args;
        if flags & libc::MAP_ANONYMOUS as u64 != 0 {
            return None;
        }
        let link = format!("/proc/{}/fd/{}", thread.tid, fd as i32);
        let path = std::fs::read_link(&link).map(|path| path.into_os_string().into_vec()).unwrap_or_default();
        let named = String::from_utf8_lossy(&path).into_owned();
        if flags & libc::MAP_SHARED as u64 != 0 && protection & libc::PROT_WRITE as u64 != 0 {
            self.notes.insert(format!("{named} is shared memory: what others write into it is not recorded"));
        }
        let Some(mapped) = Mapped::of(thread.tid, &call.args) else {
            self.notes.insert(format!("{named} was mapped and cannot be read"));
            return None;
        };
        if protection & libc::PROT_EXEC as u64 != 0 {
            self.libraries.insert(path);
        }
        let hash = mapped.hash()?;
        if !self.record.blobs.contains_key(&hash) {
            self.bytes_mapped += mapped.length;
            if self.bytes_mapped > MOST_MAPPED {
                self.notes.insert(format!("{named} is too large to be kept"));
                return None;
            }
            self.record.blobs.insert(hash, mapped.bytes()?);
        }
        Some(hash)
    }
}

const MMAP: u64 = 9;
const SCHED_GETAFFINITY: u64 = 204;

impl Handler for Recorder {
    fn one_at_a_time(&self) -> bool {
        true
    }

    fn begins(&mut self, thread: &Thread) {
        if self.root == 0 {
            self.root = thread.tid;
        }
        let parent = self.started.get(&thread.tid).copied().unwrap_or(0);
        self.record.events.push(Event::Begun { tid: thread.tid, parent });
    }

    fn enter(&mut self, thread: &Thread, call: &Entered) -> Action {
        if self.calls > MOST_CALLS {
            return Action::Stop(format!("it made more than {MOST_CALLS} calls"));
        }
        match call.number {
            // They do not return.
            60 | 231 => {
                self.log(thread, call, 0);
                Action::Run
            }
            // Nobody may be started unseen.
            56 if clone_flags(call) & libc::CLONE_UNTRACED as u64 != 0 => {
                let mut args = call.args;
                args[0] &= !(libc::CLONE_UNTRACED as u64);
                Action::RunAs(56, args)
            }
            101 => {
                self.notes.insert(
                    "it traces programs: what those do is recorded as far as the kernel lets two tracers be"
                        .into(),
                );
                Action::Run
            }
            _ => Action::Run,
        }
    }

    fn leave(&mut self, thread: &Thread, call: &Entered, result: i64) -> After {
        if call.number == SCHED_GETAFFINITY && result > 0 {
            // We moved the program to one processor.
            let mask = launch::processor_mask();
            thread.space().write(call.args[2], &mask[..mask.len().min(result as usize)]);
        }
        self.log(thread, call, result);
        After::Keep
    }

    fn signal(&mut self, thread: &Thread, signal: i32, is_fault: bool) -> bool {
        self.record.events.push(Event::Signal { tid: thread.tid, signal, is_fault });
        true
    }

    fn started(&mut self, parent: &Thread, child: Tid, _call: &Entered) {
        self.started.insert(child, parent.tid);
    }

    fn gone(&mut self, tid: Tid, status: i32, inside: Option<&Entered>) {
        // A call that did not return, because it or somebody else ended the thread by a signal.
        if let Some(call) = inside.filter(|_| status & 0x7f != 0) {
            let Entered { number, args, given, .. } = call.clone();
            self.record.events.push(Event::Call(Call {
                tid,
                number,
                args,
                given,
                is_unfinished: true,
                ..Call::default()
            }));
        }
        self.record.events.push(Event::Gone { tid, status });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read() {
        let found = limits_of(
            "Limit  Soft Limit  Hard Limit  Units\nMax open files            1024                 524288               files\n",
        );
        assert_eq!((found[7], found[0]), ((1024, 524_288), (u64::MAX, u64::MAX)));
        let text = std::fs::read_to_string("/proc/self/limits").unwrap();
        for name in LIMITS {
            assert!(text.contains(name), "{name}");
        }
    }
}
