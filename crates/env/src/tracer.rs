//! Running a program call by call: the one loop that records, replays and substitutes.
//!
//! A [`Handler`] is asked when a call begins and when it returns. Where calls are to be in one order (recording and replay), only one
//! thread at a time runs between calls; while it waits inside of a call, others go on. All this runs in one thread of ours, because
//! the kernel tells only the tracing thread.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use hydrogen_jail::order::{Traced, send};
use nix::sys::ptrace::{self, Options};
use nix::unistd::Pid;
use rustix::process::WaitOptions;

use crate::launch;
use crate::memory::{self, Space};
use crate::record::{Memory, Start, Tid};
use crate::sys::{Until, resume};
use crate::table;
use crate::watchdog::Watchdog;

/// Why a program could not be run call by call.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The system refused.
    #[error("cannot trace {program}: {error}")]
    Io {
        /// The program.
        program: String,
        /// The system's reason.
        error: std::io::Error,
    },
    /// It cannot be started.
    #[error("cannot start {0}: there is no such program here")]
    NotStarted(String),
    /// The helper program is missing.
    #[error(transparent)]
    NoHelper(#[from] hydrogen_jail::Error),
    /// It is a program of a kind that is not traced.
    #[error("{0}")]
    Refused(String),
}

/// A call that begins or has begun.
#[derive(Clone, Debug)]
pub struct Entered {
    /// Its number.
    pub number: u64,
    /// Its arguments as the program gave them.
    pub args: [u64; 6],
    /// The memory the kernel will read.
    pub given: Vec<Memory>,
    regs: libc::user_regs_struct,
}

impl Entered {
    /// Where the thread's stack ended when it called.
    pub fn stack(&self) -> u64 {
        self.regs.rsp
    }
}

/// What is done with a call that begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// It is run.
    Run,
    /// It is run, and nobody is asked when it returns.
    Pass,
    /// Another call is run in its place.
    RunAs(u64, [u64; 6]),
    /// It is not run; this comes back.
    Answer(i64),
    /// The run ends here, for this reason.
    Stop(String),
}

/// What is done with a call that returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum After {
    /// The program sees what the kernel said.
    Keep,
    /// The program sees this.
    Result(i64),
    /// Another call is run now, and this is asked again when it returned.
    Again(u64, [u64; 6]),
    /// The run ends here, for this reason.
    Stop(String),
}

/// A traced thread.
#[derive(Debug)]
pub struct Thread {
    /// Its number.
    pub tid: Tid,
    /// The process it belongs to.
    pub process: Tid,
    /// Which child of which child it is: the same in every run that does the same.
    pub lineage: Vec<u32>,
    children: u32,
    state: State,
    call: Option<Entered>,
    /// Where it was when its last call returned.
    boundary: u64,
    /// Signals that wait for the next call.
    deferred: VecDeque<i32>,
    /// A signal that we send, and whose delivery nobody is asked about.
    injected: Option<i32>,
    /// A call is run again: the kernel has not yet told of its begin.
    again: bool,
    /// It has, and the filter may tell of it once more.
    repeats: bool,
    passed: bool,
    /// What the processor's clock says to this thread next.
    clock: u64,
}

impl Thread {
    fn new(tid: Tid, process: Tid, lineage: Vec<u32>) -> Self {
        Self {
            tid,
            process,
            lineage,
            children: 0,
            state: State::Born,
            call: None,
            boundary: 0,
            deferred: VecDeque::new(),
            injected: None,
            again: false,
            repeats: false,
            passed: false,
            clock: 0,
        }
    }

    /// Its memory.
    pub fn space(&self) -> Space {
        Space(self.tid)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Started, but not yet stopped.
    Born,
    /// Between calls.
    Runs,
    /// Inside of a call.
    InCall,
    /// It begins, and waits for its turn.
    Fresh,
    /// A call returned, and it waits for its turn.
    Returned,
    /// A call begins, and it waits until the record comes to it.
    Waits,
}

/// Who is asked about calls.
pub trait Handler {
    /// Whether threads run one at a time.
    fn one_at_a_time(&self) -> bool;
    /// Whether a call, or a new thread, may begin now, or waits until others went on.
    fn is_turn(&mut self, _thread: &Thread, _call: Option<&Entered>) -> bool {
        true
    }
    /// A thread begins to run.
    fn begins(&mut self, _thread: &Thread) {}
    /// A call begins.
    fn enter(&mut self, thread: &Thread, call: &Entered) -> Action;
    /// A call returned.
    fn leave(&mut self, thread: &Thread, call: &Entered, result: i64) -> After;
    /// A signal is to be delivered; whether it is.
    fn signal(&mut self, _thread: &Thread, _signal: i32, _is_fault: bool) -> bool {
        true
    }
    /// A signal to deliver after the call that just returned.
    fn signal_after(&mut self, _thread: &Thread) -> Option<i32> {
        None
    }
    /// A thread was started by another one.
    fn started(&mut self, _parent: &Thread, _child: Tid, _call: &Entered) {}
    /// A process became another program.
    fn executed(&mut self, _thread: &Thread, _former: Tid) {}
    /// A thread is gone, with a status as the kernel writes it, perhaps from inside of a call.
    fn gone(&mut self, _tid: Tid, _status: i32, _inside: Option<&Entered>) {}
}

/// How a run went.
#[derive(Clone, Debug, Default)]
pub struct Ran {
    /// The status of the first process, as the kernel writes it.
    pub status: Option<i32>,
    /// Why it was ended from outside.
    pub stopped: Option<String>,
    /// Whether something ran when the time was over.
    pub timed_out: bool,
    /// How long it took.
    pub time: Duration,
    /// What is worth saying.
    pub notes: BTreeSet<String>,
}

/// How to run it.
#[derive(Debug)]
pub struct Order<'a> {
    /// What to start.
    pub start: &'a Start,
    /// Standard input, output and errors.
    pub streams: [Stdio; 3],
    /// The longest time.
    pub most: Option<Duration>,
    /// How long processes may go on when the first one has ended.
    pub linger: Option<Duration>,
    /// A folder of our own. Where it is given, what the program writes is gone with it.
    pub copied: Option<PathBuf>,
    /// Set when the user wants no more.
    pub cancel: Arc<AtomicBool>,
}

/// Runs a program to its end.
pub fn run(order: Order<'_>, handler: &mut (dyn Handler + Send)) -> Result<Ran, Error> {
    let program = String::from_utf8_lossy(&order.start.program).into_owned();
    let io = |error| Error::Io { program: program.clone(), error };
    let started = Instant::now();
    // A thread of its own: it is the only one that is told of these processes, and the only one that is moved.
    let traced = move || {
        launch::one_processor();
        let (child, _file) = start(order.start, order.streams, order.copied)?;
        let root = child.id() as Tid;
        let watchdog = Watchdog::start(order.most, Arc::clone(&order.cancel));
        watchdog.add(root);
        let mut tracer = Tracer {
            handler,
            threads: BTreeMap::new(),
            early: BTreeSet::new(),
            ready: VecDeque::new(),
            running: None,
            root,
            ran: Ran::default(),
            watchdog,
            linger: order.linger,
        };
        let done = tracer.first_stop().and_then(|()| tracer.all());
        if done.is_err() {
            tracer.end_all();
        }
        tracer.ran.time = started.elapsed();
        let (stopped, timed_out) = tracer.watchdog.verdict();
        tracer.ran.timed_out |= timed_out;
        tracer.ran.stopped = tracer.ran.stopped.take().or(stopped);
        done.map(|()| tracer.ran)
    };
    let result = std::thread::scope(|scope| scope.spawn(traced).join());
    result.unwrap_or_else(|panic| std::panic::resume_unwind(panic)).map_err(|error| match error {
        Error::Io { error, .. } => io(error),
        Error::NotStarted(_) => Error::NotStarted(program.clone()),
        other => other,
    })
}

/// Starts the helper, which waits to be let go on.
fn start(
    start: &Start,
    streams: [Stdio; 3],
    copied: Option<PathBuf>,
) -> Result<(Child, tempfile::NamedTempFile), Error> {
    let io = |error| Error::Io { program: String::new(), error };
    let text = |bytes: &Vec<u8>| OsString::from_vec(bytes.clone());
    let traced = Traced {
        program: text(&start.program),
        arguments: start.arguments.iter().map(text).collect(),
        directory: text(&start.folder),
        environment: start.variables.iter().map(text).collect(),
        umask: start.umask,
        limits: start.limits.clone(),
        traps_clock: start.traps_clock,
        copied: copied.map(PathBuf::into_os_string),
    };
    let mut file = tempfile::NamedTempFile::new().map_err(io)?;
    send(&mut file, &traced).map_err(io)?;
    let mut command = Command::new(hydrogen_jail::find_helper()?);
    let [input, output, errors] = streams;
    command.arg("--traced").arg(file.path()).env_clear().stdin(input).stdout(output).stderr(errors);
    Ok((command.spawn().map_err(io)?, file))
}

struct Tracer<'a> {
    handler: &'a mut (dyn Handler + Send),
    threads: BTreeMap<Tid, Thread>,
    /// Threads that stopped before their parent told of them.
    early: BTreeSet<Tid>,
    ready: VecDeque<Tid>,
    /// The thread whose turn it is.
    running: Option<Tid>,
    root: Tid,
    ran: Ran,
    watchdog: Watchdog,
    linger: Option<Duration>,
}

/// The kernel's words for what it reports.
const TRAP: i32 = libc::SIGTRAP;
/// A process of ours that does not exist any more is no error: its end is reported.
fn alive<T>(result: nix::Result<T>) -> Result<Option<T>, Error> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(nix::errno::Errno::ESRCH) => Ok(None),
        Err(error) => Err(failed(error.into())),
    }
}

fn failed(error: std::io::Error) -> Error {
    Error::Io { program: String::new(), error }
}

/// The next thing that the kernel reports of a thread of ours; nothing when there are none left.
fn next() -> Result<Option<(Tid, i32)>, Error> {
    let options = WaitOptions::from_bits_retain((libc::__WALL | libc::__WNOTHREAD).cast_unsigned());
    loop {
        match rustix::process::wait(options) {
            Ok(Some((pid, status))) => return Ok(Some((pid.as_raw_nonzero().get(), status.as_raw()))),
            Ok(None) | Err(rustix::io::Errno::INTR) => {}
            Err(rustix::io::Errno::CHILD) => return Ok(None),
            Err(error) => return Err(failed(error.into())),
        }
    }
}

impl Tracer<'_> {
    /// The helper stops itself; from then on it is followed until it has become the program.
    fn first_stop(&mut self) -> Result<(), Error> {
        let not_started = || Error::NotStarted(String::new());
        let root = Pid::from_raw(self.root);
        let Some((_, status)) = next()? else { return Err(not_started()) };
        if status & 0xff != 0x7f {
            return Err(Error::Refused(match status >> 8 {
                125 => "the program was not started: hydrogen-jail cannot prepare it".into(),
                _ => "programs cannot be traced here (ptrace is forbidden)".into(),
            }));
        }
        let options = Options::PTRACE_O_EXITKILL
            | Options::PTRACE_O_TRACESYSGOOD
            | Options::PTRACE_O_TRACEFORK
            | Options::PTRACE_O_TRACEVFORK
            | Options::PTRACE_O_TRACECLONE
            | Options::PTRACE_O_TRACEEXEC
            | Options::PTRACE_O_TRACESECCOMP;
        ptrace::setoptions(root, options).map_err(|error| failed(error.into()))?;
        loop {
            resume(self.root, Until::NextCall, 0).map_err(failed)?;
            let Some((_, status)) = next()? else { return Err(not_started()) };
            if status & 0xff != 0x7f {
                return Err(not_started());
            }
            if status >> 16 == libc::PTRACE_EVENT_EXEC {
                break;
            }
        }
        self.threads.insert(self.root, Thread::new(self.root, self.root, Vec::new()));
        self.became_program(self.root, self.root)?;
        self.begin(self.root)
    }

    fn all(&mut self) -> Result<(), Error> {
        while !self.threads.is_empty() {
            self.pick()?;
            self.watchdog.beat(!self.ready.is_empty());
            let Some((tid, status)) = next()? else { break };
            self.event(tid, status)?;
        }
        Ok(())
    }

    /// Ends everything, and waits until it is gone.
    fn end_all(&mut self) {
        self.watchdog.end_now();
        while let Ok(Some((tid, status))) = next() {
            if status & 0xff != 0x7f {
                self.gone(tid, status);
            }
        }
    }

    fn stop(&mut self, reason: String) {
        self.ran.stopped.get_or_insert(reason);
        self.watchdog.end_now();
        self.ready.clear();
    }

    fn is_stopped(&self) -> bool {
        self.ran.stopped.is_some()
    }

    /// Whose turn it is, where they take turns.
    fn pick(&mut self) -> Result<(), Error> {
        while self.running.is_none() && !self.is_stopped() {
            let turn = (0..self.ready.len()).find(|&at| {
                let thread = self.threads.get(&self.ready[at]);
                thread.is_none_or(|thread| match thread.state {
                    State::Fresh => self.handler.is_turn(thread, None),
                    _ => self.handler.is_turn(thread, thread.call.as_ref()),
                })
            });
            let Some(turn) = turn else {
                let busy =
                    |thread: &Thread| matches!(thread.state, State::Runs | State::InCall | State::Born);
                if !self.ready.is_empty() && !self.threads.values().any(busy) {
                    self.stop("the threads do not go on as they did".into());
                }
                return Ok(());
            };
            let Some(tid) = self.ready.remove(turn) else { return Ok(()) };
            let Some(thread) = self.threads.get_mut(&tid) else { continue };
            match std::mem::replace(&mut thread.state, State::Runs) {
                State::Fresh => {
                    self.running = Some(tid);
                    self.handler.begins(thread);
                    self.go(tid, Until::NextCall, 0)?;
                }
                State::Waits => {
                    self.running = Some(tid);
                    self.enter(tid)?;
                }
                _ => {
                    self.running = Some(tid);
                    self.leave(tid)?;
                }
            }
        }
        Ok(())
    }

    fn go(&mut self, tid: Tid, until: Until, signal: i32) -> Result<(), Error> {
        match resume(tid, until, signal) {
            Err(error) if error.raw_os_error() != Some(libc::ESRCH) => Err(failed(error)),
            _ => Ok(()),
        }
    }

    /// A new thread is stopped and could run.
    fn begin(&mut self, tid: Tid) -> Result<(), Error> {
        let Some(thread) = self.threads.get_mut(&tid) else { return Ok(()) };
        if self.handler.one_at_a_time() {
            thread.state = State::Fresh;
            self.ready.push_back(tid);
            return Ok(());
        }
        thread.state = State::Runs;
        self.handler.begins(thread);
        self.go(tid, Until::NextCall, 0)
    }

    fn event(&mut self, tid: Tid, status: i32) -> Result<(), Error> {
        if status & 0xff != 0x7f {
            self.gone(tid, status);
            return Ok(());
        }
        if self.is_stopped() {
            // It is being ended.
            return Ok(());
        }
        let signal = status >> 8 & 0xff;
        let Some(thread) = self.threads.get_mut(&tid) else {
            self.early.insert(tid);
            return Ok(());
        };
        match (signal, status >> 16) {
            (TRAP, libc::PTRACE_EVENT_SECCOMP) => self.call_begins(tid),
            (TRAP, libc::PTRACE_EVENT_EXEC) => {
                let former = alive(ptrace::getevent(Pid::from_raw(tid)))?.unwrap_or(tid.into()) as Tid;
                self.became_program(tid, former)?;
                self.go(tid, Until::EndOfCall, 0)
            }
            (TRAP, libc::PTRACE_EVENT_FORK | libc::PTRACE_EVENT_VFORK | libc::PTRACE_EVENT_CLONE) => {
                self.child_started(tid, status >> 16)
            }
            (TRAP, event) if event != 0 => self.go(tid, Until::EndOfCall, 0),
            (signal, _) if signal == TRAP | 0x80 => self.call_returned(tid),
            (libc::SIGSTOP, _) if thread.state == State::Born => self.begin(tid),
            (signal, _) => self.signal(tid, signal),
        }
    }

    fn call_begins(&mut self, tid: Tid) -> Result<(), Error> {
        let Some(thread) = self.threads.get_mut(&tid) else { return Ok(()) };
        let Some(regs) = alive(ptrace::getregs(Pid::from_raw(tid)))? else { return Ok(()) };
        thread.boundary = regs.rip;
        if std::mem::take(&mut thread.repeats) {
            return self.go(tid, Until::EndOfCall, 0);
        }
        let args = [regs.rdi, regs.rsi, regs.rdx, regs.r10, regs.r8, regs.r9];
        let number = regs.orig_rax;
        let given = memory::given(thread.space(), number, &args);
        thread.call = Some(Entered { number, args, given, regs });
        if self.handler.one_at_a_time() && !self.handler.is_turn(thread, thread.call.as_ref()) {
            thread.state = State::Waits;
            self.running = self.running.filter(|running| *running != tid);
            self.ready.push_back(tid);
            return Ok(());
        }
        self.enter(tid)
    }

    fn enter(&mut self, tid: Tid) -> Result<(), Error> {
        let Some(thread) = self.threads.get_mut(&tid) else { return Ok(()) };
        let Some(call) = &thread.call else { return Ok(()) };
        let mut regs = call.regs;
        let action = self.handler.enter(thread, call);
        thread.state = State::InCall;
        let known = table::call(call.number);
        let ends = known.is_some_and(|known| matches!(known.name, "exit" | "exit_group"));
        thread.passed = action == Action::Pass;
        match action {
            Action::Run | Action::Pass => {}
            Action::RunAs(number, args) => set_call(&mut regs, number, &args),
            Action::Answer(result) => {
                regs.orig_rax = u64::MAX;
                regs.rax = result.cast_unsigned();
                thread.state = State::Runs;
                alive(ptrace::setregs(Pid::from_raw(tid), regs))?;
                return self.go_on(tid);
            }
            Action::Stop(reason) => {
                self.stop(reason);
                return Ok(());
            }
        }
        if regs != call.regs {
            alive(ptrace::setregs(Pid::from_raw(tid), regs))?;
        }
        let leader_leaves = ends && thread.process == tid;
        let others = self.threads.values().any(|other| other.process == tid && other.tid != tid);
        if known.is_none_or(|known| known.waits) || leader_leaves && others {
            self.running = self.running.filter(|running| *running != tid);
        }
        self.go(tid, Until::EndOfCall, 0)
    }

    fn call_returned(&mut self, tid: Tid) -> Result<(), Error> {
        let Some(thread) = self.threads.get_mut(&tid) else { return Ok(()) };
        thread.repeats = std::mem::take(&mut thread.again);
        if thread.repeats {
            // It begins.
            return self.go(tid, Until::EndOfCall, 0);
        }
        if !self.handler.one_at_a_time() || self.running == Some(tid) {
            thread.state = State::Runs;
            return self.leave(tid);
        }
        thread.state = State::Returned;
        self.ready.push_back(tid);
        Ok(())
    }

    /// The call returned, and the thread may go on.
    fn leave(&mut self, tid: Tid) -> Result<(), Error> {
        let Some(thread) = self.threads.get_mut(&tid) else { return Ok(()) };
        let Some(call) = &thread.call else { return self.go_on(tid) };
        if std::mem::take(&mut thread.passed) {
            return self.go_on(tid);
        }
        let Some(mut regs) = alive(ptrace::getregs(Pid::from_raw(tid)))? else { return Ok(()) };
        let before = regs;
        let result = regs.rax.cast_signed();
        let after = self.handler.leave(thread, call, result);
        // A program that replaced another one begins with its own registers.
        let replaced = matches!(call.number, 59 | 322) && result == 0;
        if !replaced && call.number != 15 {
            let own = call.regs;
            set_call(&mut regs, own.orig_rax, &[own.rdi, own.rsi, own.rdx, own.r10, own.r8, own.r9]);
        }
        match after {
            After::Keep => {}
            After::Result(result) => regs.rax = result.cast_unsigned(),
            After::Again(number, args) => {
                set_call(&mut regs, number, &args);
                regs.rax = number;
                regs.rip -= 2;
                thread.again = true;
                thread.state = State::InCall;
                alive(ptrace::setregs(Pid::from_raw(tid), regs))?;
                return self.go(tid, Until::EndOfCall, 0);
            }
            After::Stop(reason) => {
                self.stop(reason);
                return Ok(());
            }
        }
        if regs != before {
            alive(ptrace::setregs(Pid::from_raw(tid), regs))?;
        }
        self.go_on(tid)
    }

    /// To the next call, with a signal that belongs here.
    fn go_on(&mut self, tid: Tid) -> Result<(), Error> {
        let Some(thread) = self.threads.get_mut(&tid) else { return Ok(()) };
        thread.state = State::Runs;
        let signal = match self.handler.signal_after(thread) {
            Some(signal) => {
                thread.injected = Some(signal);
                signal
            }
            None => thread.deferred.pop_front().unwrap_or(0),
        };
        self.go(tid, Until::NextCall, signal)
    }

    fn child_started(&mut self, tid: Tid, event: i32) -> Result<(), Error> {
        let Some(child) = alive(ptrace::getevent(Pid::from_raw(tid)))? else { return Ok(()) };
        let child = child as Tid;
        let Some(parent) = self.threads.get_mut(&tid) else { return Ok(()) };
        let lineage = parent.lineage.iter().copied().chain([parent.children]).collect();
        parent.children += 1;
        let process = parent.process;
        let call = parent.call.clone();
        let flags = call.as_ref().map_or(0, clone_flags);
        let is_thread = flags & libc::CLONE_THREAD as u64 != 0;
        let process = if is_thread { process } else { child };
        if let Some(call) = &call {
            self.handler.started(parent, child, call);
        }
        self.threads.insert(child, Thread::new(child, process, lineage));
        self.watchdog.add(child);
        if event == libc::PTRACE_EVENT_VFORK {
            // The parent waits for the child.
            self.running = self.running.filter(|running| *running != tid);
        }
        self.go(tid, Until::EndOfCall, 0)?;
        if self.early.remove(&child) { self.begin(child) } else { Ok(()) }
    }

    fn became_program(&mut self, tid: Tid, former: Tid) -> Result<(), Error> {
        if former != tid
            && let Some(mut thread) = self.threads.remove(&former)
        {
            thread.tid = tid;
            self.threads.insert(tid, thread);
            if self.running == Some(former) {
                self.running = Some(tid);
            }
        }
        if let Err(reason) = launch::prepare(tid) {
            self.stop(reason);
            return Ok(());
        }
        if let Some(thread) = self.threads.get(&tid) {
            self.handler.executed(thread, former);
        }
        Ok(())
    }

    fn signal(&mut self, tid: Tid, signal: i32) -> Result<(), Error> {
        let Some(thread) = self.threads.get_mut(&tid) else { return Ok(()) };
        if thread.injected == Some(signal) {
            thread.injected = None;
            return self.go(tid, Until::NextCall, signal);
        }
        let Some(regs) = alive(ptrace::getregs(Pid::from_raw(tid)))? else { return Ok(()) };
        let told = alive(ptrace::getsiginfo(Pid::from_raw(tid))).ok().flatten();
        let faults = [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGTRAP, libc::SIGSYS];
        let is_fault = faults.contains(&signal) && told.is_some_and(|told| told.si_code > 0);
        if is_fault && signal == libc::SIGSEGV && launch::clock_read(thread.space(), regs, &mut thread.clock)
        {
            return self.go(tid, Until::NextCall, 0);
        }
        if matches!(signal, libc::SIGSTOP | libc::SIGTSTP | libc::SIGTTIN | libc::SIGTTOU) {
            self.ran.notes.insert("signals that stop a program were not delivered".into());
            return self.go(tid, Until::NextCall, 0);
        }
        let at_a_call = regs.rip == thread.boundary;
        if self.handler.one_at_a_time() && !is_fault && !at_a_call {
            thread.deferred.push_back(signal);
            return self.go(tid, Until::NextCall, 0);
        }
        let signal = if self.handler.signal(thread, signal, is_fault) { signal } else { 0 };
        self.go(tid, Until::NextCall, signal)
    }

    fn gone(&mut self, tid: Tid, status: i32) {
        let Some(thread) = self.threads.remove(&tid) else { return };
        self.running = self.running.filter(|running| *running != tid);
        self.ready.retain(|ready| *ready != tid);
        self.watchdog.remove(tid);
        let inside = thread.call.as_ref().filter(|_| thread.state == State::InCall);
        self.handler.gone(tid, status, inside);
        if tid == self.root {
            self.ran.status = Some(status);
            if let Some(linger) = self.linger {
                self.watchdog.end_in(linger);
            }
        }
    }
}

/// The flags of a call that starts a thread or a process.
pub fn clone_flags(call: &Entered) -> u64 {
    match call.number {
        56 => call.args[0],
        435 => call.given.first().map_or(0, |memory| memory::word(&memory.bytes, 0)),
        58 => (libc::CLONE_VM | libc::CLONE_VFORK) as u64,
        _ => 0,
    }
}

fn set_call(regs: &mut libc::user_regs_struct, number: u64, args: &[u64; 6]) {
    regs.orig_rax = number;
    [regs.rdi, regs.rsi, regs.rdx, regs.r10, regs.r8, regs.r9] = *args;
}
