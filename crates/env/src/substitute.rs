//! Running a program here, with some answers as recorded.
//!
//! Either the first calls are answered as recorded (semi-replay), or all calls on some resources are, whenever they come. Everything
//! else runs. What a call would have made exists all the same: an open file, a bound socket. Where it cannot be made here, a stand-in
//! with the recorded content takes its place, so that later calls that run work on something.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::mapped::Mapped;
use crate::memory;
use crate::packages;
use crate::record::{Call, Event, Memory, Record, Start, Tid};
use crate::resource::Resource;
use crate::show;
use crate::stage::Stage;
use crate::table::{self, Arg, Kind};
use crate::tracer::{Action, After, Entered, Handler, Thread, clone_flags};
use crate::tracker::{Tracker, View};
use crate::world::{Content, Form, Lineage, World};

/// Which answers are as recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// None: the plain run.
    #[default]
    Nothing,
    /// Those of the start and of so many calls; with 0, none at all, with 1, the start alone.
    First(usize),
    /// Those about these resources.
    About(BTreeSet<Resource>),
}

/// A recorded content that is changed for a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Another content of a file.
    Bytes(Vec<u8>),
    /// Other names in a folder.
    Names(Vec<(Vec<u8>, u8)>),
}

/// The start of a run.
pub fn start(choice: &Choice, here: &Start, recorded: &Start) -> Start {
    let mut start = here.clone();
    start.traps_clock = recorded.traps_clock;
    let has = |resource: &Resource| match choice {
        Choice::Nothing => false,
        Choice::First(count) => *count > 0,
        Choice::About(set) => set.contains(resource),
    };
    for (name, _) in differing_variables(here, recorded) {
        if has(&Resource::Variable(name.clone())) {
            start.variables.retain(|variable| name_of(variable) != name);
            start
                .variables
                .extend(recorded.variables.iter().filter(|variable| name_of(variable) == name).cloned());
        }
    }
    if has(&Resource::Arguments) {
        start.arguments.clone_from(&recorded.arguments);
    }
    if has(&Resource::Folder) {
        start.folder.clone_from(&recorded.folder);
    }
    if has(&Resource::Umask) {
        start.umask = recorded.umask;
    }
    for (number, limit) in start.limits.iter_mut().enumerate() {
        if let Some(recorded) = recorded.limits.get(number).filter(|_| has(&Resource::Limit(number as u8))) {
            *limit = *recorded;
        }
    }
    start
}

/// The name of a variable.
pub fn name_of(variable: &[u8]) -> &[u8] {
    variable.split(|&byte| byte == b'=').next().unwrap_or_default()
}

/// The value of a variable.
pub fn value_of<'a>(start: &'a Start, name: &[u8]) -> Option<&'a [u8]> {
    start
        .variables
        .iter()
        .find(|variable| name_of(variable) == name)
        .map(|variable| variable.get(name.len() + 1..).unwrap_or_default())
}

/// The names of variables that differ, with what is here.
pub fn differing_variables(here: &Start, recorded: &Start) -> Vec<(Vec<u8>, Option<Vec<u8>>)> {
    let names: BTreeSet<&[u8]> =
        here.variables.iter().chain(&recorded.variables).map(|variable| name_of(variable)).collect();
    names
        .into_iter()
        .filter(|name| value_of(here, name) != value_of(recorded, name))
        .map(|name| (name.to_vec(), value_of(here, name).map(<[u8]>::to_vec)))
        .collect()
}

/// How far an answer is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    /// The kernel's answer counts.
    Live,
    /// The kernel is asked; where it refuses what was granted then, something takes its place.
    First(usize),
    /// A stand-in takes the place of what the kernel refused.
    Replaced,
    /// The recorded answer, after another call was run in its place.
    Recorded(usize),
    /// Memory with the recorded content.
    Mapped(usize),
    /// That memory, when it has got its protection.
    Protected(i64),
}

#[derive(Debug)]
struct Plan {
    resource: Resource,
    step: Step,
    /// Memory of the program that was used for a moment.
    borrowed: Vec<(u64, Vec<u8>)>,
}

/// The handler of such a run.
pub struct Substitute<'a> {
    world: &'a World<'a>,
    choice: Choice,
    edits: HashMap<Resource, Edit>,
    /// Whether code of the record may run.
    trusts_code: bool,
    /// Whether it may connect to other machines.
    network: bool,
    stage: Stage,
    tracker: Tracker,
    plans: HashMap<Tid, Plan>,
    /// How many calls each thread made.
    made: HashMap<Lineage, usize>,
    /// Threads that went another way than recorded.
    strayed: BTreeSet<Lineage>,
    occurrences: HashMap<(Resource, u64, Lineage), usize>,
    parents: HashMap<Tid, Tid>,
    /// Folders that are missing here and are as recorded, by their whole paths.
    missing: Vec<Vec<u8>>,
    /// Sockets whose other end is only in the record.
    recorded_peers: BTreeSet<(Tid, i32)>,
    /// What happened.
    pub log: Record,
    /// What could not be as recorded.
    pub notes: BTreeSet<String>,
}

const OPENS: [u64; 4] = [2, 85, 257, 437];
const READ: u64 = 0;
const LSEEK: u64 = 8;
const MMAP: u64 = 9;
const IOCTL: u64 = 16;
const FCNTL: u64 = 72;
const PAUSE: u64 = 34;
const MPROTECT: u64 = 10;

impl<'a> Substitute<'a> {
    /// A run of the program that starts so.
    pub fn new(
        world: &'a World<'a>,
        start: &Start,
        choice: Choice,
        edits: HashMap<Resource, Edit>,
        trusts_code: bool,
        network: bool,
    ) -> std::io::Result<Self> {
        let tracker = Tracker::new(start);
        let mut missing = Vec::new();
        if let Choice::About(set) = &choice {
            let paths = set.iter().filter_map(|resource| match resource {
                Resource::Path(path) => Some(tracker.whole(path)),
                _ => None,
            });
            missing
                .extend(paths.filter(|path| Path::new(OsStr::from_bytes(path)).symlink_metadata().is_err()));
        }
        Ok(Self {
            world,
            choice,
            edits,
            trusts_code,
            network,
            stage: Stage::new()?,
            tracker,
            missing,
            plans: HashMap::new(),
            made: HashMap::new(),
            strayed: BTreeSet::new(),
            occurrences: HashMap::new(),
            parents: HashMap::new(),
            recorded_peers: BTreeSet::new(),
            log: Record { start: start.clone(), ..Record::default() },
            notes: BTreeSet::new(),
        })
    }

    /// A folder of our own that the program may see.
    pub fn folder(&self) -> PathBuf {
        self.stage.folder().to_owned()
    }

    fn is_whole(&self, resource: &Resource) -> bool {
        matches!(&self.choice, Choice::About(set) if set.contains(resource))
            || self.is_below_missing(resource)
    }

    /// Whether it lies in a folder that is missing here and is as recorded.
    fn is_below_missing(&self, resource: &Resource) -> bool {
        let Resource::Path(path) = resource else { return false };
        let whole = self.tracker.whole(path);
        let below =
            |folder: &Vec<u8>| whole.strip_prefix(&folder[..]).is_some_and(|rest| rest.starts_with(b"/"));
        self.missing.iter().any(below)
    }

    /// The recorded call whose answer this call gets.
    fn recorded(&mut self, thread: &Thread, call: &Entered, resource: &Resource) -> Option<usize> {
        let made = self.made.entry(thread.lineage.clone()).or_default();
        let own = *made;
        *made += 1;
        let occurrence =
            self.occurrences.entry((resource.clone(), call.number, thread.lineage.clone())).or_default();
        let nth = *occurrence;
        *occurrence += 1;
        // What the program writes is caught, in every run: its streams look as they did.
        if looks_at_stream(call, resource) {
            return self.world.answer(resource, call.number, &thread.lineage, nth);
        }
        match &self.choice {
            Choice::Nothing => None,
            Choice::About(_) => self
                .is_whole(resource)
                .then(|| self.world.answer(resource, call.number, &thread.lineage, nth))
                .flatten(),
            Choice::First(count) => {
                if self.strayed.contains(&thread.lineage) {
                    return None;
                }
                let at = *self.world.by_thread.get(&thread.lineage)?.get(own)?;
                // The end of a file belongs to what was read before it.
                if self.world.ends.get(&at).unwrap_or(&at) + 2 > *count {
                    return None;
                }
                if let Some(what) = strays(self.world.calls[at], call) {
                    self.strayed.insert(thread.lineage.clone());
                    self.notes.insert(format!("call {} is another one than recorded: {what}", at + 1));
                    return None;
                }
                Some(at)
            }
        }
    }

    fn content(&self, resource: &Resource) -> Option<Content> {
        let mut content = self.world.content(resource)?.clone();
        match self.edits.get(resource) {
            Some(Edit::Bytes(bytes)) => {
                content.size = Some(bytes.len() as u64);
                content.pieces = vec![(0, bytes.clone())];
            }
            Some(Edit::Names(names)) => content.names.clone_from(names),
            None => {}
        }
        Some(content)
    }

    /// The stand-in for a resource.
    fn stand_in(&mut self, resource: &Resource) -> Option<Vec<u8>> {
        let absent = || Content { exists: Some(false), ..Content::default() };
        let content = self.content(resource).or_else(|| self.is_below_missing(resource).then(absent))?;
        if content.is_code {
            if self.is_same_code(resource) {
                return None;
            }
            if !self.trusts_code {
                self.notes.insert(format!("{resource} is code of the record: it is not run"));
                return None;
            }
        }
        self.stage.path(resource, &content)
    }

    /// Whether code of the record is the same here.
    fn is_same_code(&self, resource: &Resource) -> bool {
        let Resource::Path(path) = resource else { return false };
        let whole = self.tracker.whole(path);
        packages::same_file(&self.world.record.start.libraries, &whole)
    }

    /// Puts bytes where the program does not look: below its stack.
    fn borrow(
        &mut self,
        thread: &Thread,
        call: &Entered,
        slot: u64,
        bytes: &[u8],
        plan: &mut Plan,
    ) -> Option<u64> {
        let at = (call.stack() - 1024 - (slot + 1) * 5000) & !15;
        let was = thread.space().read(at, bytes.len());
        if was.len() != bytes.len() || !thread.space().write(at, bytes) {
            return None;
        }
        plan.borrowed.push((at, was));
        Some(at)
    }

    /// Leads a path argument to another place.
    fn redirect(
        &mut self,
        thread: &Thread,
        call: &Entered,
        args: &mut [u64; 6],
        arg: usize,
        path: &[u8],
        plan: &mut Plan,
    ) -> bool {
        let text = [path, b"\0"].concat();
        let Some(at) = self.borrow(thread, call, arg as u64, &text, plan) else { return false };
        args[arg] = at;
        true
    }

    /// A folder that is listed as it is here, but for the names of files that are as recorded: a file and its name are one thing.
    fn listed(&mut self, resource: &Resource) -> Option<Vec<u8>> {
        let (Choice::About(set), Resource::Path(folder)) = (&self.choice, resource) else { return None };
        let folder = self.tracker.whole(folder);
        let mut names: Option<Vec<(Vec<u8>, u8)>> = None;
        for inner in set {
            let Resource::Path(path) = inner else { continue };
            let whole = self.tracker.whole(path);
            let Some(name) = name_in(&folder, &whole) else { continue };
            let content = self.world.content(inner)?;
            let is_here = std::fs::symlink_metadata(Path::new(OsStr::from_bytes(&whole))).is_ok();
            let Some(was) = content.exists.filter(|was| *was != is_here) else { continue };
            let names = names.get_or_insert_with(|| names_here(&folder));
            names.retain(|(other, _)| other != name);
            if was {
                let kind = if content.form == Some(Form::Folder) { libc::DT_DIR } else { libc::DT_REG };
                names.push((name.to_vec(), kind));
            }
        }
        let listed = Content { form: Some(Form::Folder), names: names?, ..Content::default() };
        self.stage.path(resource, &listed)
    }

    /// A call that runs: its paths lead where the program means, or to stand-ins.
    fn live(&mut self, thread: &Thread, call: &Entered, plan: &mut Plan) -> Action {
        let mut args = call.args;
        let Some(known) = table::call(call.number) else { return Action::Run };
        if let (Some(arg), false) = (sends_to(known.name), self.network)
            && let Some(address) = view(thread, call).bytes(arg)
            && is_elsewhere(address)
        {
            let to = show::socket(address);
            self.notes.insert(format!(
                "a connection to {to} was refused, so that runs of the search reach nobody; --allow-network lets them"
            ));
            return Action::Answer(-i64::from(libc::ECONNREFUSED));
        }
        for (arg, kind) in known.args.iter().enumerate() {
            if *kind != Arg::Path {
                continue;
            }
            let seen = view(thread, call);
            let resource = self.tracker.of_path(seen, arg);
            let stand_in = match resource {
                Some(resource)
                    if known.kind == Kind::Fs && self.is_whole(&resource)
                        || self.is_below_missing(&resource) =>
                {
                    self.stand_in(&resource)
                }
                Some(resource) if lists(call) => self.listed(&resource),
                _ => None,
            };
            if known.kind == Kind::Open && stand_in.is_some() {
                plan.step = Step::Replaced;
            }
            let path = stand_in.or_else(|| {
                self.tracker.is_astray(seen, arg).then(|| self.tracker.path(seen, arg)).flatten()
            });
            if let Some(path) = path {
                self.redirect(thread, call, &mut args, arg, &path, plan);
            }
        }
        if args == call.args { Action::Run } else { Action::RunAs(call.number, args) }
    }

    /// The recorded answer, and the call does not run.
    fn inject(&mut self, thread: &Thread, call: &Entered, at: usize) -> Action {
        let recorded = self.world.calls[at];
        let fits = recorded.taken.iter().all(|memory| {
            let arg = usize::from(memory.arg);
            room(call, arg).is_none_or(|room| memory.bytes.len() <= room) && call.args[arg] != 0
        });
        if !fits || !memory::give_back(thread.space(), recorded, &call.args) {
            return Action::Run;
        }
        Action::Answer(recorded.result)
    }

    fn answer(&mut self, thread: &Thread, call: &Entered, at: usize, plan: &mut Plan) -> Action {
        let recorded = self.world.calls[at];
        let Some(known) = table::call(call.number) else { return Action::Run };
        let failed = recorded.error();
        let is_prefix = matches!(self.choice, Choice::First(_));
        let refused =
            || failed.filter(|error| !(512..=516).contains(error)).map(|_| Action::Answer(recorded.result));
        let fd = call.args[0] as i32;
        if looks_at_stream(call, &plan.resource) {
            return self.inject(thread, call, at);
        }
        if recorded.is_unfinished && is_prefix {
            // It never came back from there.
            return Action::RunAs(PAUSE, [0; 6]);
        }
        match (known.kind, known.name) {
            (Kind::Info, _) => self.inject(thread, call, at),
            (Kind::Open, _) => {
                if let Some(refused) = refused() {
                    return refused;
                }
                plan.step = Step::First(at);
                if is_prefix {
                    self.live(thread, call, plan)
                } else {
                    self.open_stand_in(thread, call, plan).unwrap_or(Action::Run)
                }
            }
            (_, "mmap") if failed.is_none() => self.map(thread, call, at, plan),
            (Kind::Fd, "read" | "pread64" | "readv" | "getdents64" | "ioctl")
            | (Kind::Net, "recvfrom" | "recvmsg") => {
                let is_file = self
                    .world
                    .content(&plan.resource)
                    .is_some_and(|content| content.form != Some(Form::Other));
                let is_replaced = self.tracker.open(thread.tid, fd).is_some_and(|open| open.replaced);
                match () {
                    () if plan.resource == Resource::Inside => Action::Run,
                    // The stand-in has the content.
                    () if is_file && is_replaced => Action::Run,
                    // The offset moves as it did, and the program sees what it saw.
                    () if is_file && failed.is_none() && matches!(call.number, READ | 19) => {
                        plan.step = Step::Recorded(at);
                        Action::RunAs(
                            LSEEK,
                            [call.args[0], recorded.result.cast_unsigned(), libc::SEEK_CUR as u64, 0, 0, 0],
                        )
                    }
                    () if matches!(known.kind, Kind::Net)
                        && !self.recorded_peers.contains(&(thread.process, fd)) =>
                    {
                        Action::Run
                    }
                    () => self.inject(thread, call, at),
                }
            }
            (Kind::Fd, "lseek") if is_prefix && failed.is_none() => {
                plan.step = Step::Recorded(at);
                Action::RunAs(
                    LSEEK,
                    [call.args[0], recorded.result.cast_unsigned(), libc::SEEK_SET as u64, 0, 0, 0],
                )
            }
            (Kind::Net, "getsockname" | "getpeername" | "getsockopt")
                if plan.resource != Resource::Inside =>
            {
                self.inject(thread, call, at)
            }
            (Kind::Net, "sendto" | "sendmsg") if self.recorded_peers.contains(&(thread.process, fd)) => {
                Action::Answer(recorded.result)
            }
            (Kind::Proc, "execve" | "execveat") | (Kind::Net, "socket") => refused().unwrap_or(Action::Run),
            (Kind::Sig, "kill") if plan.resource != Resource::Inside => Action::Answer(recorded.result),
            (Kind::Net, "accept" | "accept4") => Action::Run,
            (Kind::Fs | Kind::Set | Kind::Net, _)
            | (
                Kind::Fd,
                "write" | "pwrite64" | "writev" | "flock" | "fsync" | "fdatasync" | "ftruncate" | "fallocate"
                | "fchmod" | "fchown" | "inotify_add_watch" | "fcntl",
            ) => {
                if call.number == FCNTL && plan.resource == Resource::Inside {
                    return Action::Run;
                }
                match refused() {
                    Some(refused) => refused,
                    None => {
                        plan.step = Step::First(at);
                        self.live(thread, call, plan)
                    }
                }
            }
            _ => self.live(thread, call, plan),
        }
    }

    fn open_stand_in(&mut self, thread: &Thread, call: &Entered, plan: &mut Plan) -> Option<Action> {
        let path = self.stand_in(&plan.resource.clone())?;
        let known = table::call(call.number)?;
        let arg = known.args.iter().position(|kind| *kind == Arg::Path)?;
        let mut args = call.args;
        if !self.redirect(thread, call, &mut args, arg, &path, plan) {
            return None;
        }
        plan.step = Step::Replaced;
        Some(Action::RunAs(call.number, args))
    }

    /// A file that is mapped: with the recorded content, where that differs.
    fn map(&mut self, thread: &Thread, call: &Entered, at: usize, plan: &mut Plan) -> Action {
        let recorded = self.world.calls[at];
        let is_replaced =
            self.tracker.open(thread.tid, call.args[4] as i32).is_some_and(|open| open.replaced);
        let here = Mapped::of(thread.tid, &call.args).and_then(|mapped| mapped.hash());
        if is_replaced || recorded.mapped.is_none() || here == recorded.mapped {
            return Action::Run;
        }
        if !self.trusts_code && self.world.content(&plan.resource).is_none_or(|content| content.is_code) {
            self.notes.insert(format!("{} is code of the record: it is not run", plan.resource));
            return Action::Run;
        }
        plan.step = Step::Mapped(at);
        let [address, length, protection, flags, ..] = call.args;
        let flags =
            flags & !(libc::MAP_SHARED_VALIDATE as u64) | (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS) as u64;
        let open = (libc::PROT_READ | libc::PROT_WRITE) as u64;
        Action::RunAs(MMAP, [address, length, protection | open, flags, u64::MAX, 0])
    }

    /// What takes the place of something that the kernel refuses here and granted then.
    fn replace(&mut self, thread: &Thread, call: &Entered, at: usize, plan: &mut Plan) -> After {
        let recorded = self.world.calls[at];
        let known = table::call(call.number);
        if OPENS.contains(&call.number) {
            return match self.open_stand_in(thread, call, plan) {
                Some(Action::RunAs(number, args)) => After::Again(number, args),
                _ => After::Keep,
            };
        }
        let again = match known.map(|known| known.name) {
            Some("bind") => self.bind_elsewhere(thread, call, plan),
            Some("rename" | "renameat" | "renameat2") => self.move_over(thread, call),
            Some("connect") => {
                self.recorded_peers.insert((thread.process, call.args[0] as i32));
                None
            }
            Some("chdir") => {
                self.tracker.went_astray(thread.tid);
                None
            }
            _ => None,
        };
        again.unwrap_or(After::Result(recorded.result))
    }

    /// Where a path argument leads for us: to a stand-in, or into the files as the program sees them.
    fn place(&mut self, thread: &Thread, call: &Entered, arg: usize) -> Option<PathBuf> {
        let resource = self.tracker.of_path(view(thread, call), arg)?;
        if self.is_whole(&resource)
            && let Some(path) = self.stand_in(&resource)
        {
            return Some(PathBuf::from(OsStr::from_bytes(&path)));
        }
        let whole = self.tracker.path(view(thread, call), arg)?;
        let below = OsStr::from_bytes(whole.strip_prefix(b"/")?).to_owned();
        Some(Path::new("/proc").join(thread.tid.to_string()).join("root").join(below))
    }

    /// A stand-in lies in another file system: it cannot be renamed into the program's, but moved.
    fn move_over(&mut self, thread: &Thread, call: &Entered) -> Option<After> {
        let paths: Vec<usize> = (0..6).filter(|arg| view(thread, call).bytes(*arg).is_some()).collect();
        let [from, to] = paths[..] else { return None };
        let (from, to) = (self.place(thread, call, from)?, self.place(thread, call, to)?);
        std::fs::copy(&from, &to).and_then(|_| std::fs::remove_file(&from)).ok()?;
        Some(After::Result(0))
    }

    /// A free port, or a name of our own.
    fn bind_elsewhere(&mut self, thread: &Thread, call: &Entered, plan: &mut Plan) -> Option<After> {
        let mut address = view(thread, call).bytes(1)?.to_vec();
        if plan.step == Step::Replaced {
            return None;
        }
        match address.first()? {
            2 | 10 => address.get_mut(2..4)?.fill(0),
            1 => {
                let path =
                    self.stage.path(&Resource::Address(show::socket(&address)), &Content::default())?;
                address.truncate(2);
                address.extend(path.into_iter().chain([0]));
            }
            _ => return None,
        }
        let mut args = call.args;
        args[2] = address.len() as u64;
        args[1] = self.borrow(thread, call, 1, &address, plan)?;
        plan.step = Step::Replaced;
        Some(After::Again(call.number, args))
    }

    fn keep(
        &mut self,
        thread: &Thread,
        call: &Entered,
        result: i64,
        taken: Vec<Memory>,
        mapped: Option<crate::record::Hash>,
    ) {
        self.tracker.returned(view(thread, call), &taken, result);
        self.log.events.push(Event::Call(Call {
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
}

/// Whether a call asks what a standard stream is.
/// The argument of a call that names another machine.
fn sends_to(name: &str) -> Option<usize> {
    match name {
        "connect" => Some(1),
        "sendto" => Some(4),
        _ => None,
    }
}

/// Whether an address is one of another machine.
fn is_elsewhere(address: &[u8]) -> bool {
    match address {
        [2, 0, _, _, first, ..] => !matches!(first, 127 | 0),
        [10, 0, _, _, _, _, _, _, ip @ ..] if ip.len() >= 16 => {
            let is_own = ip[..15].iter().all(|&byte| byte == 0) && ip[15] <= 1;
            let is_mapped =
                ip[..10].iter().all(|&byte| byte == 0) && ip[10..12] == [255, 255] && ip[12] == 127;
            !is_own && !is_mapped
        }
        _ => false,
    }
}

fn looks_at_stream(call: &Entered, resource: &Resource) -> bool {
    let asks = match call.number {
        FCNTL => matches!(call.args[1] as i32, libc::F_GETFD | libc::F_GETFL),
        IOCTL | LSEEK => true,
        number => table::call(number).is_some_and(|known| known.kind == Kind::Info),
    };
    asks && matches!(resource, Resource::Stream(_))
}

/// The name of a path in a folder.
fn name_in<'b>(folder: &[u8], path: &'b [u8]) -> Option<&'b [u8]> {
    let at = path.iter().rposition(|&byte| byte == b'/')?;
    let parent = if at == 0 { &b"/"[..] } else { &path[..at] };
    (parent == folder && at + 1 < path.len()).then(|| &path[at + 1..])
}

/// The names in a folder, with their kinds as `getdents` tells them.
pub fn names_here(folder: &[u8]) -> Vec<(Vec<u8>, u8)> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(Path::new(OsStr::from_bytes(folder))).into_iter().flatten().flatten() {
        let kind = match entry.file_type() {
            Ok(kind) if kind.is_dir() => libc::DT_DIR,
            Ok(kind) if kind.is_symlink() => libc::DT_LNK,
            _ => libc::DT_REG,
        };
        all.push((entry.file_name().as_bytes().to_vec(), kind));
    }
    all.sort();
    all
}

/// Whether a call opens a folder to list it.
fn lists(call: &Entered) -> bool {
    let flags = match call.number {
        2 => call.args[1],
        257 => call.args[2],
        _ => 0,
    };
    flags & libc::O_DIRECTORY as u64 != 0 && flags & libc::O_PATH as u64 == 0
}

fn view<'b>(thread: &Thread, call: &'b Entered) -> View<'b> {
    View { tid: thread.tid, number: call.number, args: &call.args, given: &call.given }
}

/// How many bytes the program has room for.
fn room(call: &Entered, arg: usize) -> Option<usize> {
    let known = table::call(call.number)?;
    match (known.args.get(arg)?, known.args.get(arg + 1)) {
        (Arg::OutByReturn(1), Some(Arg::Number)) => Some(call.args[arg + 1] as usize),
        _ => None,
    }
}

/// In what a call is another one than the recorded one. Numbers of processes, addresses and what is written may differ.
fn strays(recorded: &Call, call: &Entered) -> Option<String> {
    if recorded.number != call.number {
        return Some(format!("{} in place of {}", table::name(call.number), show::call(recorded)));
    }
    let known = table::call(call.number)?;
    for (arg, kind) in known.args.iter().enumerate() {
        let then = recorded.given(arg);
        let now =
            call.given.iter().find(|memory| usize::from(memory.arg) == arg).map(|memory| &memory.bytes[..]);
        let same = match kind {
            Arg::Path | Arg::Text | Arg::SocketIn(_) => then == now,
            Arg::Fd | Arg::Dir => recorded.args[arg] as i32 == call.args[arg] as i32,
            _ => true,
        };
        if !same {
            return Some(format!("{} with another argument {}", show::call(recorded), arg + 1));
        }
    }
    None
}

impl Handler for Substitute<'_> {
    fn one_at_a_time(&self) -> bool {
        false
    }

    fn begins(&mut self, thread: &Thread) {
        let parent = self.parents.get(&thread.tid).copied().unwrap_or(0);
        self.tracker.started(thread.tid, parent, 0);
        self.log.events.push(Event::Begun { tid: thread.tid, parent });
    }

    fn enter(&mut self, thread: &Thread, call: &Entered) -> Action {
        let resource = self.tracker.resource(view(thread, call));
        let mut plan = Plan { resource, step: Step::Live, borrowed: Vec::new() };
        let resource = plan.resource.clone();
        let action = match self.recorded(thread, call, &resource) {
            Some(at) => {
                let action = self.answer(thread, call, at, &mut plan);
                if let Action::Answer(result) = action {
                    let recorded = self.world.calls[at];
                    self.keep(thread, call, result, recorded.taken.clone(), None);
                }
                action
            }
            None => self.live(thread, call, &mut plan),
        };
        if matches!(call.number, 60 | 231) {
            self.keep(thread, call, 0, Vec::new(), None);
        }
        let action = match action {
            Action::Run if call.number == 56 && clone_flags(call) & libc::CLONE_UNTRACED as u64 != 0 => {
                let mut args = call.args;
                args[0] &= !(libc::CLONE_UNTRACED as u64);
                Action::RunAs(56, args)
            }
            action => action,
        };
        self.plans.insert(thread.tid, plan);
        action
    }

    fn leave(&mut self, thread: &Thread, call: &Entered, result: i64) -> After {
        let Some(mut plan) = self.plans.remove(&thread.tid) else { return After::Keep };
        for (at, was) in plan.borrowed.drain(..).rev() {
            thread.space().write(at, &was);
        }
        let refused = crate::record::error_of(result).is_some_and(|error| !(512..=516).contains(&error));
        let mut after = After::Keep;
        if result == -i64::from(libc::EXDEV)
            && matches!(call.number, 82 | 264 | 316)
            && plan.step == Step::Live
        {
            after = self.move_over(thread, call).unwrap_or(After::Keep);
        }
        match plan.step {
            Step::First(at) if refused => after = self.replace(thread, call, at, &mut plan),
            Step::Recorded(at) => {
                memory::give_back(thread.space(), self.world.calls[at], &call.args);
                after = After::Result(self.world.calls[at].result);
            }
            Step::Mapped(at) if !refused => {
                let content = self.world.calls[at].mapped.and_then(|hash| self.world.record.blobs.get(&hash));
                thread.space().write(result.cast_unsigned(), content.map_or(&[], |content| content));
                plan.step = Step::Protected(result);
                after = After::Again(MPROTECT, [result.cast_unsigned(), call.args[1], call.args[2], 0, 0, 0]);
            }
            Step::Protected(address) => after = After::Result(address),
            Step::Replaced if refused && call.number == 49 => after = After::Result(0),
            _ => {}
        }
        if let After::Again(..) = after {
            self.plans.insert(thread.tid, plan);
            return after;
        }
        let seen = if let After::Result(seen) = after { seen } else { result };
        if call.number == 204 && result > 0 {
            let mask = crate::launch::processor_mask();
            thread.space().write(call.args[2], &mask[..mask.len().min(result as usize)]);
        }
        let taken = memory::taken(thread.space(), call.number, &call.args, seen);
        let mapped = match call.number == MMAP && !refused {
            true => Mapped::of(thread.tid, &call.args).and_then(|mapped| mapped.hash()),
            false => None,
        };
        self.keep(thread, call, seen, taken, mapped);
        if plan.step == Step::Replaced
            && OPENS.contains(&call.number)
            && let Some(open) = self.tracker.open_mut(thread.tid, seen as i32)
        {
            open.replaced = true;
        }
        after
    }

    fn signal(&mut self, thread: &Thread, signal: i32, is_fault: bool) -> bool {
        self.log.events.push(Event::Signal { tid: thread.tid, signal, is_fault });
        true
    }

    fn started(&mut self, parent: &Thread, child: Tid, call: &Entered) {
        self.parents.insert(child, parent.tid);
        self.tracker.started(child, parent.tid, clone_flags(call));
    }

    fn gone(&mut self, tid: Tid, status: i32, _inside: Option<&Entered>) {
        self.log.events.push(Event::Gone { tid, status });
    }
}
