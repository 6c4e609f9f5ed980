//! What a call is about: the parts that an environment consists of.

use std::fmt;

use crate::show;

/// A part of the environment. Numbers of calls mean nothing once two runs differ; these mean the same in both.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resource {
    /// A variable.
    Variable(Vec<u8>),
    /// The arguments.
    Arguments,
    /// The folder that the program is started in.
    Folder,
    /// The mask of modes of new files.
    Umask,
    /// A limit, by its number.
    Limit(u8),
    /// Who runs it.
    User,
    /// A file, a folder, a link. Relative to the folder the program is started in, if it is below that.
    Path(Vec<u8>),
    /// The address of a socket.
    Address(String),
    /// Standard input, output or errors.
    Stream(u8),
    /// Another process.
    Process(i32),
    /// What the kernel tells by a call of this name.
    Kernel(String),
    /// The time.
    Clock,
    /// Random numbers.
    Random,
    /// What the program made itself: memory, pipes, its own processes. No part of its environment.
    Inside,
}

/// The limits by number, as the shell's `ulimit` knows them.
pub const LIMITS: [&str; 16] = [
    "processor time",
    "file size",
    "data size",
    "stack size",
    "core file size",
    "resident memory",
    "processes",
    "open files",
    "locked memory",
    "address space",
    "file locks",
    "pending signals",
    "message queues",
    "nice",
    "real-time priority",
    "real-time time",
];

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable(name) => write!(f, "variable {}", show::text(name)),
            Self::Arguments => write!(f, "the arguments"),
            Self::Folder => write!(f, "the folder it is started in"),
            Self::Umask => write!(f, "umask"),
            Self::Limit(number) => {
                write!(f, "limit of {}", LIMITS.get(usize::from(*number)).unwrap_or(&"something unknown"))
            }
            Self::User => write!(f, "the user"),
            Self::Path(path) if path.is_empty() => write!(f, "."),
            Self::Path(path) => write!(f, "{}", show::text(path)),
            Self::Address(address) => write!(f, "address {address}"),
            Self::Stream(0) => write!(f, "standard input"),
            Self::Stream(1) => write!(f, "standard output"),
            Self::Stream(_) => write!(f, "standard errors"),
            Self::Process(number) => write!(f, "process {number}"),
            Self::Kernel(name) => write!(f, "the kernel's {name}"),
            Self::Clock => write!(f, "the time"),
            Self::Random => write!(f, "random numbers"),
            Self::Inside => write!(f, "the program itself"),
        }
    }
}

impl Resource {
    /// One word for what it is.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Variable(_) => "variable",
            Self::Arguments => "arguments",
            Self::Folder => "folder",
            Self::Umask => "umask",
            Self::Limit(_) => "limit",
            Self::User => "user",
            Self::Path(_) => "path",
            Self::Address(_) => "address",
            Self::Stream(_) => "stream",
            Self::Process(_) => "process",
            Self::Kernel(_) => "kernel",
            Self::Clock => "clock",
            Self::Random => "random",
            Self::Inside => "inside",
        }
    }

    /// Whether two runs in the same environment may find it different.
    pub fn is_volatile(&self) -> bool {
        match self {
            Self::Clock | Self::Random | Self::Inside => true,
            Self::Path(path) => [&b"/proc/"[..], b"/dev/random", b"/dev/urandom", b"/sys/"]
                .iter()
                .any(|from| path.starts_with(from)),
            Self::Kernel(name) => {
                matches!(&name[..], "sysinfo" | "getrusage" | "times" | "getcpu" | "sched_getaffinity")
            }
            Self::Variable(name) => matches!(&name[..], b"_" | b"OLDPWD" | b"SHLVL"),
            _ => false,
        }
    }

    /// Whether it is given to the program at its start.
    pub fn is_of_start(&self) -> bool {
        matches!(self, Self::Variable(_) | Self::Arguments | Self::Folder | Self::Umask | Self::Limit(_))
    }
}
