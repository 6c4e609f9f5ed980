//! Full replay: the program runs, and every answer is the recorded one.
//!
//! Only what changes the process's own memory and signals, and what starts and ends processes, is run. Everything else is answered from
//! the record: no file, no socket and no other process is touched. The first call that is not the recorded one ends the replay.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::memory;
use crate::record::{Call, Event, Record, Tid};
use crate::recorder::hash_of_file;
use crate::show;
use crate::table::{self, Arg, Kind};
use crate::tracer::{Action, After, Entered, Error, Handler, Order, Ran, Thread, run};
use crate::world::World;

/// How a replay went.
#[derive(Debug)]
pub struct Replayed {
    /// So many calls were as recorded.
    pub calls: usize,
    /// Where and how it went another way.
    pub diverged: Option<String>,
    /// What it wrote to standard output and standard error.
    pub output: Vec<u8>,
    /// How it ran.
    pub ran: Ran,
}

/// Whether a record can be replayed here: it has to be whole, and the program the recorded one.
pub fn can_replay(record: &Record) -> Result<(), Error> {
    if record.is_redacted {
        return Err(Error::Refused(
            "something in this record was blotted out: it can be shown, but not replayed".into(),
        ));
    }
    let path = Path::new(OsStr::from_bytes(&record.start.program));
    match hash_of_file(path) {
        None => Err(Error::NotStarted(path.display().to_string())),
        Some(hash) if hash != record.start.program_hash => {
            Err(Error::Refused(format!("{} is another program than the recorded one", path.display())))
        }
        Some(_) => Ok(()),
    }
}

/// The programs that a record runs.
pub fn programs(record: &Record) -> BTreeSet<Vec<u8>> {
    let mut all = BTreeSet::from([record.start.program.clone()]);
    let started = record.calls().filter(|call| matches!(call.number, 59 | 322) && call.error().is_none());
    all.extend(started.filter_map(|call| call.given(usize::from(call.number == 322))).map(<[u8]>::to_vec));
    all
}

/// Replays a whole record.
pub fn replay(record: &Record, order: Order<'_>) -> Result<Replayed, Error> {
    let mut replayer = Replayer::new(record);
    let ran = run(order, &mut replayer)?;
    let left = replayer.next().is_some();
    let diverged = replayer.diverged.take().or_else(|| ran.stopped.clone());
    let is_whole = matches!(record.end, crate::record::End::Ended(_));
    let diverged =
        diverged.or_else(|| (left && is_whole).then(|| "the program ended earlier than recorded".to_owned()));
    Ok(Replayed { calls: replayer.calls, diverged, output: replayer.output, ran })
}

struct Replayer<'a> {
    record: &'a Record,
    /// The next event.
    at: usize,
    calls: usize,
    /// The numbers in the record of the threads that run.
    recorded: BTreeMap<Tid, Tid>,
    /// Where the kernel writes the number of a new thread, in the thread's memory.
    numbers: BTreeMap<Tid, u64>,
    diverged: Option<String>,
    /// Threads whose memory gets its protection back.
    protecting: BTreeSet<Tid>,
    /// The calls that write to standard output or errors.
    outputs: HashSet<usize>,
    output: Vec<u8>,
}

impl<'a> Replayer<'a> {
    fn new(record: &'a Record) -> Self {
        Self {
            record,
            at: 0,
            calls: 0,
            recorded: BTreeMap::new(),
            numbers: BTreeMap::new(),
            diverged: None,
            protecting: BTreeSet::new(),
            outputs: World::new(record).outputs,
            output: Vec::new(),
        }
    }

    /// The next event that a thread takes part in; ends of threads are passed over.
    fn next(&mut self) -> Option<&'a Event> {
        while let Some(Event::Gone { .. }) = self.record.events.get(self.at) {
            self.at += 1;
        }
        self.record.events.get(self.at)
    }

    fn of(&self, thread: &Thread) -> Tid {
        self.recorded.get(&thread.tid).copied().unwrap_or(0)
    }

    fn diverge(&mut self, what: String) -> String {
        let at = self.calls + 1;
        let sentence = format!("call {at} is another one than recorded: {what}");
        self.diverged.get_or_insert(sentence).clone()
    }

    /// The next recorded call of a thread. Only a thread that waits for its child's next program has others before it.
    fn upcoming(&self, own: Tid) -> Option<&'a Call> {
        self.record.events[self.at..].iter().find_map(|event| match event {
            Event::Call(call) if call.tid == own => Some(call),
            _ => None,
        })
    }

    /// The recorded call, if this is the same one.
    fn same(&mut self, thread: &Thread, call: &Entered) -> Result<&'a Call, String> {
        let next = match self.next() {
            Some(Event::Call(recorded)) => Some(recorded),
            Some(Event::Begun { parent, .. }) if *parent == self.of(thread) => self.upcoming(*parent),
            _ => None,
        };
        let Some(recorded) = next else {
            return Err(self.diverge(format!("{} where the record has none", table::name(call.number))));
        };
        match difference(recorded, call) {
            None if recorded.tid == self.of(thread) => Ok(recorded),
            None => Err(self.diverge(format!("{} of another thread", table::name(call.number)))),
            Some(what) => Err(self.diverge(what)),
        }
    }

    fn answer(&mut self, thread: &Thread, call: &Entered, recorded: &'a Call) -> Action {
        let known = table::call(call.number);
        let name = known.map_or("", |known| known.name);
        match name {
            "mmap" if recorded.error().is_none() => return map(call, recorded),
            "brk" | "munmap" | "mremap" | "arch_prctl" | "rt_sigaction" | "execve" | "execveat" | "exit"
            | "exit_group" | "clone" | "clone3" | "fork" | "vfork" => {
                return if recorded.error().is_some() {
                    Action::Answer(recorded.result)
                } else {
                    Action::Run
                };
            }
            "write" | "writev" if self.outputs.contains(&self.calls) && recorded.result > 0 => {
                let all: Vec<u8> = call.given.iter().flat_map(|memory| memory.bytes.clone()).collect();
                self.output.extend(all.iter().take(recorded.result as usize));
            }
            _ => {}
        }
        if !memory::give_back(thread.space(), recorded, &call.args) {
            let what = self.diverge(format!("{name} cannot be given what was recorded"));
            return Action::Stop(what);
        }
        // Only after a real call does the kernel deliver a signal, or begin the call again.
        let is_interrupted = matches!(recorded.error(), Some(512..=516));
        let signal = self.record.events.get(self.at + 1);
        if recorded.is_unfinished {
            // By which signal it was ended is known; one that ended everything is as good as any.
            let status = match signal {
                Some(Event::Gone { tid, status }) if *tid == recorded.tid => *status,
                _ => libc::SIGKILL,
            };
            let number = (status & 0x7f).cast_unsigned().into();
            return Action::RunAs(TGKILL, [thread.process as u64, thread.tid as u64, number, 0, 0, 0]);
        }
        let is_signalled = matches!(signal, Some(Event::Signal { tid, .. }) if *tid == recorded.tid);
        match is_interrupted || is_signalled {
            true => Action::RunAs(GETPID, [0; 6]),
            false => Action::Answer(recorded.result),
        }
    }
}

const GETPID: u64 = 39;
const TGKILL: u64 = 234;
/// Calls that start a thread or a process.
const STARTS: [u64; 4] = [56, 57, 58, 435];
const MPROTECT: u64 = 10;
/// Memory that is filled is open for that long.
const OPEN: u64 = (libc::PROT_READ | libc::PROT_WRITE) as u64;
const FIXED: u64 = libc::MAP_FIXED as u64;

/// Memory where it was: of files, the recorded content is written into it.
fn map(call: &Entered, recorded: &Call) -> Action {
    let [_, length, protection, mut flags, ..] = call.args;
    flags |= libc::MAP_ANONYMOUS as u64;
    if flags & FIXED == 0 {
        flags |= libc::MAP_FIXED_NOREPLACE as u64;
    }
    let is_file = recorded.args[3] & libc::MAP_ANONYMOUS as u64 == 0;
    if is_file && protection & libc::PROT_WRITE as u64 == 0 {
        // What nobody writes into need not be shared, and can be filled.
        flags = flags & !(libc::MAP_SHARED_VALIDATE as u64) | libc::MAP_PRIVATE as u64;
    }
    // Huge pages and kinds of growth do not matter.
    flags &= !(libc::MAP_HUGETLB as u64 | libc::MAP_SYNC as u64);
    let open = if recorded.mapped.is_some() { OPEN } else { 0 };
    Action::RunAs(
        call.number,
        [recorded.result.cast_unsigned(), length, protection | open, flags, u64::MAX, 0],
    )
}

impl Handler for Replayer<'_> {
    fn one_at_a_time(&self) -> bool {
        true
    }

    fn is_turn(&mut self, thread: &Thread, call: Option<&Entered>) -> bool {
        let own = self.of(thread);
        match (self.next(), call) {
            (Some(Event::Begun { tid, .. }), None) => *tid == own || own == 0,
            (Some(Event::Call(recorded)), Some(_)) => recorded.tid == own,
            // The child begins before the call of its parent returns.
            (Some(Event::Begun { parent, .. }), Some(call)) => {
                *parent == own && STARTS.contains(&call.number)
            }
            // Nothing is left: whoever comes is another than recorded.
            (None, _) => true,
            _ => false,
        }
    }

    fn begins(&mut self, thread: &Thread) {
        if let Some(Event::Begun { tid, .. }) = self.next() {
            self.recorded.insert(thread.tid, *tid);
            self.at += 1;
            // The child sees its number of then.
            if let Some(address) = self.numbers.remove(&thread.tid) {
                thread.space().write(address, &tid.to_le_bytes());
            }
        }
    }

    fn enter(&mut self, thread: &Thread, call: &Entered) -> Action {
        let recorded = match self.same(thread, call) {
            Ok(recorded) => recorded,
            Err(what) => return Action::Stop(what),
        };
        let action = self.answer(thread, call, recorded);
        let returns = !matches!(action, Action::RunAs(TGKILL, _)) && !matches!(call.number, 60 | 231);
        if matches!(action, Action::Answer(_)) || !returns {
            self.at += 1;
            self.calls += 1;
        }
        action
    }

    fn leave(&mut self, thread: &Thread, call: &Entered, result: i64) -> After {
        let Some(Event::Call(recorded)) = self.next() else { return After::Keep };
        if recorded.mapped.is_some() && !self.protecting.remove(&thread.tid) {
            return self.fill(thread, call, recorded, result);
        }
        self.at += 1;
        self.calls += 1;
        match call.number {
            9 if recorded.mapped.is_none() && result != recorded.result => {
                return After::Stop(self.not_free(recorded));
            }
            // The kernel writes numbers of threads, too: they become those of the record.
            56 | 435 if result > 0 => self.tell_numbers(thread, call, recorded),
            _ => {}
        }
        if result != recorded.result && matches!(call.number, 12 | 25 | 59) {
            let what = self.diverge(format!(
                "{} returns {} here",
                show::call(recorded),
                show::result(&table::name(call.number), result)
            ));
            return After::Stop(what);
        }
        After::Result(recorded.result)
    }

    fn signal(&mut self, thread: &Thread, signal: i32, is_fault: bool) -> bool {
        let own = self.of(thread);
        match self.next() {
            Some(Event::Signal { tid, signal: recorded, is_fault: true })
                if is_fault && (*tid, *recorded) == (own, signal) =>
            {
                self.at += 1;
                true
            }
            // A fault that was not recorded ends the program; signals that the kernel sends now are not those of then.
            _ => is_fault,
        }
    }

    fn signal_after(&mut self, thread: &Thread) -> Option<i32> {
        let own = self.of(thread);
        match self.next() {
            Some(Event::Signal { tid, signal, is_fault: false }) if *tid == own => {
                self.at += 1;
                Some(*signal)
            }
            _ => None,
        }
    }

    fn started(&mut self, parent: &Thread, child: Tid, call: &Entered) {
        let Some(recorded) = self.upcoming(self.of(parent)) else { return };
        if let Ok(number) = Tid::try_from(recorded.result) {
            self.recorded.insert(child, number);
            let (flags, address) = child_number(call);
            if flags & libc::CLONE_CHILD_SETTID as u64 != 0 {
                self.numbers.insert(child, address);
            }
        }
    }
}

/// The flags of a call that starts a thread, and where the child's number goes.
fn child_number(call: &Entered) -> (u64, u64) {
    match call.number {
        56 => (call.args[0], call.args[3]),
        435 => call
            .given
            .first()
            .map_or((0, 0), |memory| (memory::word(&memory.bytes, 0), memory::word(&memory.bytes, 16))),
        _ => (0, 0),
    }
}

impl Replayer<'_> {
    fn not_free(&mut self, recorded: &Call) -> String {
        self.diverge(format!("memory at {:#x} is not free here", recorded.result))
    }

    /// Memory that stands for a file gets the file's content, and then its protection.
    fn fill(&mut self, thread: &Thread, call: &Entered, recorded: &Call, result: i64) -> After {
        if result != recorded.result {
            return After::Stop(self.not_free(recorded));
        }
        let content = recorded.mapped.and_then(|hash| self.record.blobs.get(&hash));
        if !content.is_some_and(|content| thread.space().write(result.cast_unsigned(), content)) {
            return After::Stop(self.diverge("a file's content cannot be mapped".into()));
        }
        self.protecting.insert(thread.tid);
        After::Again(MPROTECT, [result.cast_unsigned(), call.args[1], call.args[2], 0, 0, 0])
    }

    fn tell_numbers(&self, thread: &Thread, call: &Entered, recorded: &Call) {
        let (flags, parent) = match call.number {
            56 => (call.args[0], call.args[2]),
            _ => call
                .given
                .first()
                .map_or((0, 0), |memory| (memory::word(&memory.bytes, 0), memory::word(&memory.bytes, 24))),
        };
        if flags & libc::CLONE_PARENT_SETTID as u64 != 0 {
            thread.space().write(parent, &(recorded.result as Tid).to_le_bytes());
        }
    }
}

/// In what a call is not the recorded one: its number, its texts, what it writes, its plain numbers.
pub fn difference(recorded: &Call, call: &Entered) -> Option<String> {
    if recorded.number != call.number {
        return Some(format!("{} in place of {}", table::name(call.number), show::call(recorded)));
    }
    let known = table::call(call.number)?;
    let differs = |what: &str| Some(format!("{} has {what}", show::call(recorded)));
    for (at, kind) in known.args.iter().enumerate() {
        let same = match kind {
            Arg::Number | Arg::Bits | Arg::Fd | Arg::Dir => {
                recorded.args[at] == call.args[at]
                    || known.kind == Kind::Proc
                    || call.args[at] as i32 == recorded.args[at] as i32
            }
            _ => true,
        };
        if !same {
            return differs(&format!("{} as argument {}", call.args[at].cast_signed(), at + 1));
        }
    }
    let compared = |arg: u8| match known.args.get(usize::from(arg)) {
        // Structures hold addresses.
        Some(Arg::InBy(_)) => !matches!(known.name, "clone3" | "setsockopt" | "sched_setaffinity"),
        Some(Arg::Path | Arg::Text | Arg::VectorIn(_) | Arg::SocketIn(_)) => true,
        _ => false,
    };
    let of = |all: &[crate::record::Memory]| -> Vec<(u8, Vec<u8>)> {
        all.iter()
            .filter(|memory| compared(memory.arg))
            .map(|memory| (memory.arg, memory.bytes.clone()))
            .collect()
    };
    let (then, now) = (of(&recorded.given), of(&call.given));
    let other = now.iter().zip(&then).find(|(now, then)| now != then).map(|(now, _)| now);
    match other {
        Some((_, bytes)) => differs(&format!("the text {}", show::quoted(bytes, 64))),
        None if then.len() != now.len() => differs("other texts"),
        None => None,
    }
}
