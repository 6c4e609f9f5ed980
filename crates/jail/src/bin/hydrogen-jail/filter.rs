//! Which system calls may be made: seccomp.
//!
//! Always refused are parts of the kernel that builds and tests do not need and that reach beyond namespaces: keys of the user's session,
//! typing into a terminal, and interfaces known for their holes. Where there is no network namespace, sockets are refused too.

use libc::{
    BPF_ABS, BPF_JEQ, BPF_JGE, BPF_JMP, BPF_K, BPF_LD, BPF_RET, BPF_W, SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO,
    sock_filter,
};
use std::io;

use crate::sys;

/// Where the kernel puts the number of the call, the kind of processor, and the lower half of the second argument.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const SECOND: u32 = 24;

/// One kind of processor and its numbers.
struct Numbers {
    architecture: u32,
    never: &'static [i64],
    sockets: &'static [i64],
    ioctl: i64,
}

#[cfg(target_arch = "x86_64")]
const KNOWN: &[Numbers] = &[
    Numbers {
        architecture: 0xc000_003e,
        never: &[
            libc::SYS_add_key,
            libc::SYS_request_key,
            libc::SYS_keyctl,
            libc::SYS_bpf,
            libc::SYS_perf_event_open,
            libc::SYS_userfaultfd,
            libc::SYS_io_uring_setup,
            libc::SYS_kexec_load,
            libc::SYS_open_by_handle_at,
        ],
        sockets: &[libc::SYS_socket],
        ioctl: libc::SYS_ioctl,
    },
    // Programs of the 32-bit predecessor: the same calls by other numbers, and all calls of sockets behind one.
    Numbers {
        architecture: 0x4000_0003,
        never: &[286, 287, 288, 357, 336, 374, 425, 283, 342],
        sockets: &[102, 359],
        ioctl: 54,
    },
];
#[cfg(target_arch = "aarch64")]
const KNOWN: &[Numbers] = &[Numbers {
    architecture: 0xc000_00b7,
    never: &[
        libc::SYS_add_key,
        libc::SYS_request_key,
        libc::SYS_keyctl,
        libc::SYS_bpf,
        libc::SYS_perf_event_open,
        libc::SYS_userfaultfd,
        libc::SYS_io_uring_setup,
        libc::SYS_kexec_load,
        libc::SYS_open_by_handle_at,
    ],
    sockets: &[libc::SYS_socket],
    ioctl: libc::SYS_ioctl,
}];
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const KNOWN: &[Numbers] = &[];

/// Calls with larger numbers belong to a third way of calling (x32), which nobody uses.
const LARGEST: u32 = 0x4000_0000;

/// Puts the filter up. It needs that no privileges can be won any more.
pub fn confine(no_sockets: bool) -> io::Result<()> {
    if KNOWN.is_empty() {
        return Err(io::ErrorKind::Unsupported.into());
    }
    sys::set_filter(&program(no_sockets))
}

fn program(no_sockets: bool) -> Vec<sock_filter> {
    let refuse = SECCOMP_RET_ERRNO | libc::EACCES as u32;
    let mut code = Vec::new();
    for numbers in KNOWN {
        let mut own = vec![load(NUMBER), jump(BPF_JGE, LARGEST, 0, 1), ret(refuse)];
        let sockets = if no_sockets { numbers.sockets } else { &[] };
        for call in numbers.never.iter().chain(sockets) {
            own.extend([jump(BPF_JEQ, *call as u32, 0, 1), ret(refuse)]);
        }
        own.extend([
            jump(BPF_JEQ, numbers.ioctl as u32, 0, 4),
            load(SECOND),
            jump(BPF_JEQ, libc::TIOCSTI as u32, 1, 0),
            jump(BPF_JEQ, libc::TIOCLINUX as u32, 0, 1),
            ret(refuse),
            ret(SECCOMP_RET_ALLOW),
        ]);
        let over = u8::try_from(own.len()).unwrap_or(u8::MAX);
        code.extend([load(ARCHITECTURE), jump(BPF_JEQ, numbers.architecture, 0, over)]);
        code.extend(own);
    }
    code.push(ret(refuse));
    code
}

/// Stops every call for the tracer, except those that say nothing of the environment: they change the process's own memory and signals,
/// and what they return does not depend on anything outside. What cannot be traced is not there: rings of calls, and sequences that
/// the kernel restarts.
#[cfg(target_arch = "x86_64")]
pub fn traced() -> Vec<sock_filter> {
    const SILENT: [i64; 6] = [
        libc::SYS_mprotect,
        libc::SYS_madvise,
        libc::SYS_rt_sigprocmask,
        libc::SYS_rt_sigreturn,
        libc::SYS_sigaltstack,
        libc::SYS_set_robust_list,
    ];
    const MISSING: [i64; 5] = [
        libc::SYS_rseq,
        libc::SYS_io_uring_setup,
        libc::SYS_io_uring_enter,
        libc::SYS_io_uring_register,
        // Programs read and write instead, so that what they copy is seen.
        libc::SYS_copy_file_range,
    ];
    let missing = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;
    let mut code = vec![load(ARCHITECTURE), jump(BPF_JEQ, KNOWN[0].architecture, 1, 0), ret(missing)];
    code.extend([load(NUMBER), jump(BPF_JGE, LARGEST, 0, 1), ret(missing)]);
    for call in SILENT {
        code.extend([jump(BPF_JEQ, call as u32, 0, 1), ret(SECCOMP_RET_ALLOW)]);
    }
    for call in MISSING {
        code.extend([jump(BPF_JEQ, call as u32, 0, 1), ret(missing)]);
    }
    code.push(ret(libc::SECCOMP_RET_TRACE));
    code
}

/// Where the table of calls is not that of x86-64, nothing is traced.
#[cfg(not(target_arch = "x86_64"))]
pub fn traced() -> Vec<sock_filter> {
    Vec::new()
}

fn load(offset: u32) -> sock_filter {
    sock_filter { code: (BPF_LD | BPF_W | BPF_ABS) as u16, jt: 0, jf: 0, k: offset }
}

fn jump(kind: u32, value: u32, yes: u8, no: u8) -> sock_filter {
    sock_filter { code: (BPF_JMP | kind | BPF_K) as u16, jt: yes, jf: no, k: value }
}

fn ret(value: u32) -> sock_filter {
    sock_filter { code: (BPF_RET | BPF_K) as u16, jt: 0, jf: 0, k: value }
}
