//! System calls that no safe library offers. This is the crate's only unsafe code.
#![allow(unsafe_code)]

use std::ffi::CString;
use std::io;
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::Path;

use rustix::io::FdFlags;
use rustix::process::Pid;
use rustix::thread::UnshareFlags;

/// The socket that was inherited under this number.
pub fn inherited(number: i32) -> Option<UnixStream> {
    if number < 3 {
        return None;
    }
    // SAFETY: F_GETFD only asks whether the number is an open file.
    if unsafe { libc::fcntl(number, libc::F_GETFD) } < 0 {
        return None;
    }
    // SAFETY: The number is open, it was opened for us by the process that started us, and nothing else in this process uses it.
    let fd = unsafe { OwnedFd::from_raw_fd(number) };
    rustix::io::fcntl_setfd(&fd, FdFlags::CLOEXEC).ok()?;
    Some(fd.into())
}

/// Makes another process of this one. The child gets `None`.
pub fn fork() -> io::Result<Option<Pid>> {
    // SAFETY: This program has one thread, so the child can use everything that its parent could.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(None),
        pid => Ok(Pid::from_raw(pid)),
    }
}

/// Leaves namespaces that are shared with others.
pub fn unshare(flags: UnshareFlags) -> io::Result<()> {
    // SAFETY: The table of open files is never among the flags, and this program has one thread.
    unsafe { rustix::thread::unshare_unsafe(flags).map_err(io::Error::from) }
}

/// All files but the first three are closed when the program starts.
pub fn close_on_exec() {
    // SAFETY: Marking files changes nothing for this process; the call fails where the kernel does not know it.
    unsafe { libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) };
}

/// No signal is blocked any more: the tool, which started us, keeps those that mean an end for a thread of its own.
pub fn unblock_signals() {
    // SAFETY: All zeros are a valid set, which is emptied before its use; the call only changes this process.
    unsafe {
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
    }
}

/// Adds attributes to a mount, and to all below it if asked.
pub fn mount_attributes(path: &Path, attributes: u64, recursive: bool) -> io::Result<()> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    let change = libc::mount_attr { attr_set: attributes, attr_clr: 0, propagation: 0, userns_fd: 0 };
    let flags = if recursive { libc::AT_RECURSIVE } else { 0 };
    // SAFETY: The path ends with a zero, and the structure has the size that is given.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            path.as_ptr(),
            flags,
            &raw const change,
            size_of::<libc::mount_attr>(),
        )
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Puts up a filter of system calls for this process and all that it starts.
pub fn set_filter(program: &[libc::sock_filter]) -> io::Result<()> {
    let length = u16::try_from(program.len()).map_err(io::Error::other)?;
    let filter = libc::sock_fprog { len: length, filter: program.as_ptr().cast_mut() };
    // SAFETY: The filter's length is that of the slice, which lives until the call returns; the kernel copies and checks it.
    let result = unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const filter) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Switches the loop-back interface of a new network namespace on, so that a program can talk to itself.
pub fn loopback_up() -> io::Result<()> {
    let socket = rustix::net::socket(rustix::net::AddressFamily::INET, rustix::net::SocketType::DGRAM, None)?;
    // SAFETY: All zeros are a valid request.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(b"lo") {
        *to = from.cast_signed();
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
    let fd = std::os::fd::AsRawFd::as_raw_fd(&socket);
    // SAFETY: The request is what this call expects, and lives until it returns.
    let result = unsafe { libc::ioctl(fd, libc::SIOCSIFFLAGS, &raw const request) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Asks whoever started this process to trace it, and stops.
pub fn be_traced() -> io::Result<()> {
    // SAFETY: The request has no arguments; a tracer that is not there is an error.
    if unsafe { libc::ptrace(libc::PTRACE_TRACEME) } < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: The signal stops this process until its tracer lets it go on.
    unsafe { libc::raise(libc::SIGSTOP) };
    Ok(())
}

/// From the next program on, everything stands where it stood in every other run.
pub fn fix_addresses() -> io::Result<()> {
    // SAFETY: The call sets a number of this process.
    let done = unsafe { libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong) };
    if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// The processor's clock is not read any more without a signal.
pub fn trap_clock() -> io::Result<()> {
    // SAFETY: The call sets a mode of this process.
    let done = unsafe { libc::prctl(libc::PR_SET_TSC, libc::PR_TSC_SIGSEGV) };
    if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Becomes another program; comes back only when that fails.
pub fn become_program(program: &CString, arguments: &[CString], environment: &[CString]) -> io::Error {
    let list = |all: &[CString]| {
        all.iter().map(|one| one.as_ptr()).chain([std::ptr::null()]).collect::<Vec<*const libc::c_char>>()
    };
    let (arguments, environment) = (list(arguments), list(environment));
    // SAFETY: The texts end with a zero and the lists with a null pointer; both live until the call comes back.
    unsafe { libc::execve(program.as_ptr(), arguments.as_ptr(), environment.as_ptr()) };
    io::Error::last_os_error()
}
