//! What is done to a program before its first instruction, so that two runs of it can be the same.

use std::fs::File;
use std::io::Read;

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::sys::ptrace;
use nix::unistd::Pid;

use crate::memory::{Space, word};
use crate::record::Tid;

/// Entries of the table that the kernel gives to a new program.
const AT_NULL: u64 = 0;
const AT_IGNORE: u64 = 1;
const AT_RANDOM: u64 = 25;
const AT_SYSINFO_EHDR: u64 = 33;
/// So many bytes of it are read at a time; arguments are limited to an eighth of this.
const PIECE: usize = 64 << 10;

/// Moves this thread, and whom it starts, to one processor: a stopped call costs a fraction there.
pub fn one_processor() {
    let this = Pid::from_raw(0);
    let Ok(may) = sched_getaffinity(this) else { return };
    let last = (0..CpuSet::count()).rev().find(|&number| may.is_set(number).unwrap_or(false));
    let mut one = CpuSet::new();
    if last.is_some_and(|last| one.set(last).is_ok()) {
        // Where it is refused, all is only slower.
        let _ = sched_setaffinity(this, &one);
    }
}

/// The processors of this process, as the kernel tells a program.
pub fn processor_mask() -> Vec<u8> {
    // The main thread is never moved.
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("Cpus_allowed:")).unwrap_or("1");
    let digits: Vec<u8> = line.trim().bytes().filter(|byte| *byte != b',').collect();
    let text = String::from_utf8_lossy(&digits).into_owned();
    let value = u128::from_str_radix(&text, 16).unwrap_or(1);
    value.to_le_bytes().to_vec()
}

/// A process has become a program: its clock is asked by calls, and its random bytes are fixed. Programs of another kind are refused.
pub fn prepare(tid: Tid) -> Result<(), String> {
    let mut head = [0; 5];
    let read = File::open(format!("/proc/{tid}/exe")).and_then(|mut file| file.read_exact(&mut head));
    if read.is_ok() && head[..4] == *b"\x7fELF" && head[4] != 2 {
        return Err("it is a 32-bit program; only x86-64 programs are recorded".into());
    }
    let Ok(regs) = ptrace::getregs(Pid::from_raw(tid)) else { return Ok(()) };
    let space = Space(tid);
    let mut at = regs.rsp + 8;
    // Arguments, then variables, each list with a null pointer at its end.
    for _ in 0..2 {
        at = end_of_list(space, at).ok_or("its stack is not as the kernel makes it")?;
    }
    let table = space.read(at, 1024);
    for (number, entry) in table.chunks_exact(16).enumerate() {
        let here = at + number as u64 * 16;
        match word(entry, 0) {
            AT_NULL => break,
            AT_SYSINFO_EHDR => {
                space.write(here, &AT_IGNORE.to_le_bytes());
            }
            AT_RANDOM => {
                space.write(word(entry, 8), b"as in every run.");
            }
            _ => {}
        }
    }
    Ok(())
}

/// Where the list ends that begins here.
fn end_of_list(space: Space, mut at: u64) -> Option<u64> {
    loop {
        // Not over the end of the stack.
        let piece = space.read(at, PIECE);
        let piece = if piece.is_empty() { space.read(at, 4096 - (at % 4096) as usize) } else { piece };
        match piece.chunks_exact(8).position(|entry| word(entry, 0) == 0) {
            Some(end) => return Some(at + end as u64 * 8 + 8),
            None if piece.len() < 8 => return None,
            None => at += (piece.len() / 8 * 8) as u64,
        }
    }
}

/// Whether a thread stopped because it reads the processor's clock. It gets a number that is the same in every run.
pub fn clock_read(space: Space, mut regs: libc::user_regs_struct, clock: &mut u64) -> bool {
    let code = space.read(regs.rip, 3);
    let length = match &code[..] {
        [0x0f, 0x31, ..] => 2,
        [0x0f, 0x01, 0xf9] => 3,
        _ => return false,
    };
    *clock += 1_000;
    regs.rax = *clock & 0xffff_ffff;
    regs.rdx = *clock >> 32;
    if length == 3 {
        regs.rcx = 0;
    }
    regs.rip += length;
    ptrace::setregs(Pid::from_raw(space.0), regs).is_ok()
}
