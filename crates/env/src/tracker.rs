//! Which descriptor stands for what: follows the calls of a run, and says what each call is about.

use std::collections::{BTreeMap, BTreeSet};

use crate::record::{Call, Event, Memory, Start, Tid, error_of};
use crate::resource::Resource;
use crate::show;
use crate::table::{self, Arg, Kind};

/// A file that is open, shared by all descriptors that were made from one.
#[derive(Clone, Debug)]
pub struct Open {
    /// What it is.
    pub resource: Resource,
    /// Where the next byte is read.
    pub offset: u64,
    /// Whether something else stands in its place.
    pub replaced: bool,
    /// The number of the call that made it; 0 is the start.
    pub made_by: usize,
}

#[derive(Clone, Debug, Default)]
struct Process {
    folder: Vec<u8>,
    /// Whether the kernel does not know of the last change of folder.
    astray: bool,
    files: BTreeMap<i32, usize>,
    close_on_exec: BTreeSet<i32>,
}

/// The descriptors and folders of all processes of a run.
#[derive(Clone, Debug)]
pub struct Tracker {
    start: Vec<u8>,
    threads: BTreeMap<Tid, usize>,
    processes: Vec<Process>,
    opens: Vec<Open>,
    /// How many calls returned.
    calls: usize,
}

/// A call, whether it is recorded or under way.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// Who calls.
    pub tid: Tid,
    /// Its number.
    pub number: u64,
    /// Its arguments.
    pub args: &'a [u64; 6],
    /// What the kernel reads.
    pub given: &'a [Memory],
}

impl<'a> From<&'a Call> for View<'a> {
    fn from(call: &'a Call) -> Self {
        Self { tid: call.tid, number: call.number, args: &call.args, given: &call.given }
    }
}

impl<'a> View<'a> {
    /// The text or bytes of an argument.
    pub fn bytes(&self, arg: usize) -> Option<&'a [u8]> {
        self.given.iter().find(|memory| usize::from(memory.arg) == arg).map(|memory| &memory.bytes[..])
    }

    fn fd(&self, arg: usize) -> i32 {
        self.args[arg] as i32
    }
}

impl Tracker {
    /// At the start of a program.
    pub fn new(start: &Start) -> Self {
        let mut opens = Vec::new();
        let mut process = Process { folder: start.folder.clone(), ..Process::default() };
        for number in 0..3 {
            opens.push(Open { resource: Resource::Stream(number), offset: 0, replaced: false, made_by: 0 });
            process.files.insert(i32::from(number), usize::from(number));
        }
        Self {
            start: start.folder.clone(),
            threads: BTreeMap::new(),
            processes: vec![process],
            opens,
            calls: 0,
        }
    }

    /// A thread that was started by another; the flags are those of `clone`.
    pub fn started(&mut self, child: Tid, parent: Tid, flags: u64) {
        if self.threads.contains_key(&child) {
            return;
        }
        let of_parent = self.threads.get(&parent).copied().unwrap_or(0);
        let shares = (libc::CLONE_FILES | libc::CLONE_THREAD) as u64;
        if flags & shares != 0 || self.threads.is_empty() {
            self.threads.insert(child, of_parent);
        } else {
            self.threads.insert(child, self.processes.len());
            self.processes.push(self.processes[of_parent].clone());
        }
    }

    /// Follows a recorded event.
    pub fn event(&mut self, event: &Event) {
        match event {
            Event::Begun { tid, parent } => self.started(*tid, *parent, 0),
            Event::Call(call) => self.returned(call.into(), &call.taken, call.result),
            _ => {}
        }
    }

    fn process(&self, tid: Tid) -> &Process {
        &self.processes[self.threads.get(&tid).copied().unwrap_or(0)]
    }

    fn process_mut(&mut self, tid: Tid) -> &mut Process {
        let at = self.threads.get(&tid).copied().unwrap_or(0);
        &mut self.processes[at]
    }

    /// What a descriptor stands for.
    pub fn open(&self, tid: Tid, fd: i32) -> Option<&Open> {
        self.opens.get(*self.process(tid).files.get(&fd)?)
    }

    /// The same, to be changed.
    pub fn open_mut(&mut self, tid: Tid, fd: i32) -> Option<&mut Open> {
        let at = *self.process(tid).files.get(&fd)?;
        self.opens.get_mut(at)
    }

    /// The kernel does not know of the last change of folder of this process.
    pub fn went_astray(&mut self, tid: Tid) {
        self.process_mut(tid).astray = true;
    }

    /// Whether a relative path would lead the kernel to another place than the program means.
    pub fn is_astray(&self, call: View<'_>, arg: usize) -> bool {
        let is_relative = call.bytes(arg).is_some_and(|path| !path.starts_with(b"/") && !path.is_empty());
        let folder = self.folder_of(call, arg);
        is_relative
            && match folder {
                Some(fd) => self.open(call.tid, fd).is_some_and(|open| open.replaced),
                None => self.process(call.tid).astray,
            }
    }

    /// The descriptor that a path begins at.
    fn folder_of(&self, call: View<'_>, arg: usize) -> Option<i32> {
        let known = table::call(call.number)?;
        let before = arg.checked_sub(1)?;
        (known.args.get(before) == Some(&Arg::Dir) && call.fd(before) != libc::AT_FDCWD)
            .then(|| call.fd(before))
    }

    /// The whole path that an argument means.
    pub fn path(&self, call: View<'_>, arg: usize) -> Option<Vec<u8>> {
        let path = call.bytes(arg)?;
        if path.starts_with(b"/") {
            return Some(joined(b"", path));
        }
        let folder = match self.folder_of(call, arg) {
            None => self.process(call.tid).folder.clone(),
            Some(fd) => match &self.open(call.tid, fd)?.resource {
                Resource::Path(folder) => joined(&self.start, folder),
                _ => return None,
            },
        };
        Some(joined(&folder, path))
    }

    /// The resource at a path.
    pub fn at_path(&self, path: &[u8]) -> Resource {
        let below = path.strip_prefix(&self.start[..]).filter(|_| self.start.len() > 1);
        let below = below.filter(|rest| rest.is_empty() || rest.starts_with(b"/"));
        Resource::Path(below.map_or(path, |rest| rest.strip_prefix(b"/").unwrap_or(rest)).to_vec())
    }

    /// The whole path of a resource.
    pub fn whole(&self, path: &[u8]) -> Vec<u8> {
        joined(&self.start, path)
    }

    /// What an argument is about, if it is a path.
    pub fn of_path(&self, call: View<'_>, arg: usize) -> Option<Resource> {
        Some(self.at_path(&self.path(call, arg)?))
    }

    /// What a call is about.
    pub fn resource(&self, call: View<'_>) -> Resource {
        let Some(known) = table::call(call.number) else { return Resource::Inside };
        let path = known.args.iter().rposition(|kind| *kind == Arg::Path);
        // Of two names the new one: it decides whether the call succeeds.
        if let Some(arg) = path {
            let is_of_fd = call.bytes(arg).is_some_and(<[u8]>::is_empty);
            if let (true, Some(fd)) = (is_of_fd, self.folder_of(call, arg)) {
                return self.of_fd(call.tid, fd);
            }
            return self.of_path(call, arg).unwrap_or(Resource::Inside);
        }
        let address = known.args.iter().position(|kind| matches!(kind, Arg::SocketIn(_)));
        if let Some(address) = address.and_then(|arg| call.bytes(arg)) {
            let words = show::socket(address);
            return match words.strip_prefix("unix:") {
                Some(path) if path.starts_with('/') => self.at_path(path.as_bytes()),
                Some(_) => Resource::Address(words),
                None if words == "netlink" => Resource::Inside,
                None => Resource::Address(words),
            };
        }
        match known.name {
            "getuid" | "geteuid" | "getgid" | "getegid" | "getresuid" | "getresgid" | "getgroups"
            | "capget" => {
                return Resource::User;
            }
            "getrlimit" | "setrlimit" => return Resource::Limit(call.args[0] as u8),
            "prlimit64" => return Resource::Limit(call.args[1] as u8),
            "getcwd" => return Resource::Folder,
            "clock_gettime" | "gettimeofday" | "time" | "times" | "getrusage" | "clock_getres"
            | "getitimer" | "timer_gettime" | "adjtimex" | "timerfd_gettime" => return Resource::Clock,
            "getrandom" => return Resource::Random,
            "getpid" | "gettid" | "getppid" | "getpgrp" | "getpgid" | "getsid" | "get_robust_list"
            | "sched_getparam" | "sched_getscheduler" | "get_mempolicy" => return Resource::Inside,
            "kill" if call.args[0] as i32 > 0 && !self.threads.contains_key(&(call.args[0] as i32)) => {
                return Resource::Process(call.args[0] as i32);
            }
            "socket" => return Resource::Kernel(format!("sockets of family {}", call.args[0])),
            "mmap" if call.args[3] & libc::MAP_ANONYMOUS as u64 == 0 => {
                return self.of_fd(call.tid, call.fd(4));
            }
            _ => {}
        }
        match (known.args.first(), known.kind) {
            (Some(Arg::Fd), _) => self.of_fd(call.tid, call.fd(0)),
            (_, Kind::Info) => Resource::Kernel(known.name.to_owned()),
            _ => Resource::Inside,
        }
    }

    fn of_fd(&self, tid: Tid, fd: i32) -> Resource {
        self.open(tid, fd).map_or(Resource::Inside, |open| open.resource.clone())
    }

    /// Follows a call that returned.
    pub fn returned(&mut self, call: View<'_>, taken: &[Memory], result: i64) {
        self.calls += 1;
        if error_of(result).is_some() {
            return;
        }
        let Some(known) = table::call(call.number) else { return };
        let tid = call.tid;
        let fd = result as i32;
        let ints = |arg: usize| -> Vec<i32> {
            let bytes = taken.iter().find(|memory| usize::from(memory.arg) == arg);
            bytes
                .map_or(&[][..], |memory| &memory.bytes)
                .chunks_exact(4)
                .map(|one| i32::from_le_bytes(one.try_into().unwrap_or_default()))
                .collect()
        };
        let close = libc::O_CLOEXEC as u64;
        match known.name {
            "open" | "creat" | "openat" | "openat2" => {
                let resource = self.resource(call);
                let flags = match known.name {
                    "open" => call.args[1],
                    "openat" => call.args[2],
                    "openat2" => call.bytes(2).map_or(0, |how| crate::memory::word(how, 0)),
                    _ => 0,
                };
                self.put(tid, fd, resource, flags & close != 0);
            }
            "pipe" | "pipe2" => {
                for fd in ints(0) {
                    self.put(tid, fd, Resource::Inside, known.name == "pipe2" && call.args[1] & close != 0);
                }
            }
            "socketpair" => {
                for fd in ints(3) {
                    self.put(tid, fd, Resource::Inside, call.args[1] & close != 0);
                }
            }
            "socket" | "epoll_create1" | "eventfd2" | "inotify_init1" | "memfd_create" | "timerfd_create" => {
                self.put(tid, fd, Resource::Inside, call.args.iter().any(|arg| arg & close != 0));
            }
            "epoll_create" | "eventfd" | "inotify_init" | "signalfd" | "signalfd4" | "pidfd_open" => {
                self.put(tid, fd, Resource::Inside, false);
            }
            "accept" | "accept4" => self.put(tid, fd, Resource::Inside, call.args[3] & close != 0),
            "bind" | "connect" => {
                let resource = self.resource(call);
                if let Some(open) = self.open_mut(tid, call.fd(0)) {
                    open.resource = resource;
                }
            }
            "dup" => self.copy(tid, call.fd(0), fd, false),
            "dup2" => self.copy(tid, call.fd(0), fd, false),
            "dup3" => self.copy(tid, call.fd(0), fd, call.args[2] & close != 0),
            "fcntl" => match call.args[1] as i32 {
                libc::F_DUPFD => self.copy(tid, call.fd(0), fd, false),
                libc::F_DUPFD_CLOEXEC => self.copy(tid, call.fd(0), fd, true),
                libc::F_SETFD => {
                    let files = &mut self.process_mut(tid).close_on_exec;
                    if call.args[2] & 1 == 0 {
                        files.remove(&call.fd(0))
                    } else {
                        files.insert(call.fd(0))
                    };
                }
                _ => {}
            },
            "close" => {
                self.process_mut(tid).files.remove(&call.fd(0));
            }
            "close_range" => {
                let (from, to) = (call.args[0] as u32, call.args[1] as u32);
                if call.args[2] & 4 == 0 {
                    self.process_mut(tid).files.retain(|fd, _| (*fd as u32) < from || *fd as u32 > to);
                }
            }
            "chdir" => {
                if let Some(path) = self.path(call, 0) {
                    let process = self.process_mut(tid);
                    process.folder = path;
                    process.astray = false;
                }
            }
            "fchdir" => {
                if let Resource::Path(path) = self.of_fd(tid, call.fd(0)) {
                    let whole = self.whole(&path);
                    self.process_mut(tid).folder = whole;
                }
            }
            "read" | "readv" | "write" | "writev" | "getdents64" => {
                if let Some(open) = self.open_mut(tid, call.fd(0)) {
                    open.offset = open.offset.saturating_add(result.cast_unsigned());
                }
            }
            "lseek" => {
                if let Some(open) = self.open_mut(tid, call.fd(0)) {
                    open.offset = result.cast_unsigned();
                }
            }
            "clone" | "clone3" | "fork" | "vfork" => {
                let flags = match known.name {
                    "clone" => call.args[0],
                    "clone3" => call.bytes(0).map_or(0, |bytes| crate::memory::word(bytes, 0)),
                    _ => 0,
                };
                self.started(fd, tid, flags);
            }
            "execve" | "execveat" => {
                let process = self.process_mut(tid);
                let closed = std::mem::take(&mut process.close_on_exec);
                process.files.retain(|fd, _| !closed.contains(fd));
            }
            _ => {}
        }
    }

    fn put(&mut self, tid: Tid, fd: i32, resource: Resource, close_on_exec: bool) {
        self.opens.push(Open { resource, offset: 0, replaced: false, made_by: self.calls });
        let at = self.opens.len() - 1;
        self.set(tid, fd, at, close_on_exec);
    }

    fn copy(&mut self, tid: Tid, from: i32, to: i32, close_on_exec: bool) {
        if let Some(at) = self.process(tid).files.get(&from).copied() {
            self.set(tid, to, at, close_on_exec);
        }
    }

    fn set(&mut self, tid: Tid, fd: i32, at: usize, close_on_exec: bool) {
        let process = self.process_mut(tid);
        process.files.insert(fd, at);
        if close_on_exec {
            process.close_on_exec.insert(fd);
        } else {
            process.close_on_exec.remove(&fd);
        }
    }
}

/// A path below a folder, without steps that lead nowhere. Links are not followed: it is a name, the same in two runs.
pub fn joined(folder: &[u8], path: &[u8]) -> Vec<u8> {
    let folder = if path.starts_with(b"/") { &[][..] } else { folder };
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in folder.split(|&byte| byte == b'/').chain(path.split(|&byte| byte == b'/')) {
        match part {
            b"" | b"." => {}
            b".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let mut whole = Vec::new();
    for part in &parts {
        whole.push(b'/');
        whole.extend_from_slice(part);
    }
    if whole.is_empty() { b"/".to_vec() } else { whole }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_joined() {
        for (folder, path, whole) in [
            ("/a/b", "c", "/a/b/c"),
            ("/a/b", "../c", "/a/c"),
            ("/a", "/x//y/./z", "/x/y/z"),
            ("/", "..", "/"),
            ("/a", ".", "/a"),
        ] {
            assert_eq!(joined(folder.as_bytes(), path.as_bytes()), whole.as_bytes(), "{folder} {path}");
        }
    }

    #[test]
    fn a_descriptor_is_what_it_was_made_from() {
        let start = Start { folder: b"/work".to_vec(), ..Start::default() };
        let mut tracker = Tracker::new(&start);
        tracker.started(1, 0, 0);
        let given = [Memory { arg: 1, address: 8, bytes: b"app.conf".to_vec() }];
        let args = [libc::AT_FDCWD as u64, 8, 0, 0, 0, 0];
        let open = View { tid: 1, number: 257, args: &args, given: &given };
        assert_eq!(tracker.resource(open), Resource::Path(b"app.conf".to_vec()));
        tracker.returned(open, &[], 3);
        let dup = [3, 9, 0, 0, 0, 0];
        tracker.returned(View { tid: 1, number: 33, args: &dup, given: &[] }, &[], 9);
        let read = [9, 8, 100, 0, 0, 0];
        let read = View { tid: 1, number: 0, args: &read, given: &[] };
        assert_eq!(tracker.resource(read), Resource::Path(b"app.conf".to_vec()));
        // A child has its own descriptors.
        tracker.started(2, 1, 0);
        let close = [9, 0, 0, 0, 0, 0];
        tracker.returned(View { tid: 2, number: 3, args: &close, given: &[] }, &[], 0);
        assert_eq!(tracker.resource(View { tid: 2, ..read }), Resource::Inside);
        assert_eq!(tracker.resource(read), Resource::Path(b"app.conf".to_vec()));
    }
}
