//! Letting a traced thread go on, with any signal. This is the crate's only unsafe code: safe libraries know no real-time signals.
#![allow(unsafe_code)]

use std::io;

/// How far a thread goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// To the next call that the filter stops.
    NextCall,
    /// To the end of the call it is in.
    EndOfCall,
}

/// Lets a stopped thread go on; a signal that is not zero is delivered to it.
pub fn resume(tid: i32, until: Until, signal: i32) -> io::Result<()> {
    let request = match until {
        Until::NextCall => libc::PTRACE_CONT,
        Until::EndOfCall => libc::PTRACE_SYSCALL,
    };
    // SAFETY: Both requests take no address, and a number of a signal in its place of data; they change no memory of this process.
    let result = unsafe { libc::ptrace(request, tid, 0_usize, signal as usize) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
