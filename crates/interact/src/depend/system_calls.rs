//! Functions of systems that the table of the library does not have: what they may do to memory and files, as far as texts alone
//! tell it.

use super::named_calls::{Extent, Outside};

/// They see no memory of the program.
const PLAIN: [&str; 47] = [
    "random",
    "srandom",
    "rand_r",
    "drand48",
    "lrand48",
    "mrand48",
    "srand48",
    "isnan",
    "isinf",
    "isfinite",
    "signbit",
    "isblank",
    "isascii",
    "toascii",
    "getpid",
    "getppid",
    "getpgrp",
    "getpgid",
    "getsid",
    "setsid",
    "setpgid",
    "getuid",
    "geteuid",
    "getgid",
    "getegid",
    "setuid",
    "setgid",
    "seteuid",
    "setegid",
    "fork",
    "vfork",
    "kill",
    "killpg",
    "raise",
    "alarm",
    "sleep",
    "usleep",
    "sched_yield",
    "umask",
    "getpagesize",
    "sysconf",
    "tzset",
    "htons",
    "htonl",
    "ntohs",
    "ntohl",
    "pause",
];

/// They read texts, and change nothing but what files hold and are.
const OF_NAMES: [&str; 26] = [
    "chdir",
    "fchdir",
    "chmod",
    "fchmod",
    "chown",
    "lchown",
    "fchown",
    "link",
    "symlink",
    "mkfifo",
    "mknod",
    "truncate",
    "unlinkat",
    "renameat",
    "linkat",
    "symlinkat",
    "mkdirat",
    "openat",
    "creat",
    "pathconf",
    "sync",
    "fsync",
    "fdatasync",
    "dup",
    "dup2",
    "utimensat",
];

/// They read and write texts and single numbers, of what they are given.
const OF_TEXTS: [&str; 16] = [
    "execvp",
    "execv",
    "execve",
    "execlp",
    "execl",
    "fnmatch",
    "regerror",
    "gethostname",
    "realpath",
    "readlink",
    "dirname",
    "basename",
    "ctime",
    "confstr",
    "waitpid",
    "wait",
];

/// What a call of a function of a system may do; nothing for those that are not known here.
pub(crate) fn system_call(name: &str) -> Option<Outside> {
    let texts = |sets: Extent, files: bool| Outside { reads: Extent::Texts, sets, files };
    match name {
        _ if PLAIN.contains(&name) => Some(Outside::default()),
        _ if OF_NAMES.contains(&name) => Some(texts(Extent::None, true)),
        _ if OF_TEXTS.contains(&name) => Some(texts(Extent::Texts, true)),
        // The environment is a text that others read by its name.
        "setenv" | "unsetenv" => Some(texts(Extent::Texts, false)),
        "pipe" => Some(texts(Extent::Texts, true)),
        // What a compiler is told.
        "__attribute__" | "__declspec" | "__builtin_expect" | "__asm__" => Some(Outside::default()),
        _ => None,
    }
}
