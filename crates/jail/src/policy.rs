//! What a process may touch and use.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What a process may touch and use. What is not named does not exist for it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    /// Folders and files that may be read and executed.
    pub read: Vec<OsString>,
    /// Folders and files that may be written, too.
    pub write: Vec<OsString>,
    /// Whether the network may be used. [`crate::Permissions`] can allow it for all.
    pub network: bool,
    /// Whether there are folders for temporary files, of its own.
    pub temporary: bool,
    /// What it may use up.
    pub limits: Limits,
    /// A process of ours, or of the user's own choice, is only supervised and limited.
    pub trusted: bool,
}

/// What a process may use up, together with all it starts. Time and output are limited by whoever waits, see [`crate::Watch`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Processor time of each process.
    pub cpu: Option<Duration>,
    /// Address space of each process.
    pub address_space: Option<u64>,
    /// Resident memory of all processes together.
    pub memory: Option<u64>,
    /// Processes and threads at the same time.
    pub processes: Option<u64>,
    /// Size of a file that is written.
    pub file: Option<u64>,
    /// Bytes on disk in the writable folders.
    pub disk: Option<u64>,
}

impl Limits {
    /// What an honest build or test stays below.
    pub fn of_a_build() -> Self {
        Self {
            cpu: None,
            address_space: None,
            memory: most_memory(),
            processes: Some(per_core(64, 128, 2048)),
            file: Some(4 << 30),
            disk: Some(8 << 30),
        }
    }

    /// What one run of a program under test stays below.
    pub fn of_a_run() -> Self {
        Self {
            cpu: None,
            address_space: None,
            memory: most_memory(),
            processes: Some(per_core(16, 32, 256)),
            file: Some(256 << 20),
            disk: Some(1 << 30),
        }
    }

    /// What a compiler stays below.
    pub fn of_a_compiler() -> Self {
        let memory = most_memory().map_or(COMPILER, |most| most.min(COMPILER));
        Self { processes: Some(64), memory: Some(memory), file: Some(1 << 30), ..Self::default() }
    }
}

/// Bytes of memory that a compiler gets: several run at a time.
const COMPILER: u64 = 4 << 30;

/// So many for every core and so many more, up to a limit: processes that have no core to run on only wait for each other, and those
/// that do not wait but try again and again to start others take the whole machine.
fn per_core(each: u64, more: u64, most: u64) -> u64 {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
    (each * cores + more).min(most)
}

impl Limits {
    /// What the kernel lets a jail have, a little more than it may: so that what goes beyond is seen, and all of it is ended. At a limit
    /// that only refuses, a program that tries again would try for ever.
    pub fn hard_processes(&self) -> Option<u64> {
        self.processes.map(|most| most + most / 4 + 16)
    }
}

/// Three quarters of the machine's memory.
fn most_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kilobytes * 1024 / 4 * 3)
}

/// Programs, libraries and headers of the system. `/etc` holds secrets too, so only what programs need at run time is named.
const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/opt",
    "/nix/store",
    "/gnu/store",
    "/sys/devices/system/cpu",
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/passwd",
    "/etc/group",
    "/etc/nsswitch.conf",
    "/etc/localtime",
    "/etc/timezone",
    "/etc/os-release",
    "/etc/lsb-release",
    "/etc/debian_version",
    "/etc/hosts",
    "/etc/host.conf",
    "/etc/protocols",
    "/etc/services",
    "/etc/mime.types",
    "/etc/magic",
    "/etc/login.defs",
    "/etc/locale.alias",
    "/etc/perl",
    "/etc/python3",
    "/etc/xml",
    "/etc/sgml",
    "/etc/fonts",
    "/etc/texmf",
    "/etc/java",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
];

/// What else it takes to find other machines.
const NETWORK: &[&str] = &["/etc/resolv.conf", "/etc/gai.conf", "/etc/ca-certificates", "/etc/pki/tls/certs"];

impl Policy {
    /// Nothing but the system's programs, libraries and headers, read-only.
    pub fn of_the_system() -> Self {
        let permissions = crate::permitted();
        let mut read: Vec<OsString> = SYSTEM.iter().map(OsString::from).collect();
        if permissions.network {
            read.extend(NETWORK.iter().map(OsString::from));
        }
        read.extend(permissions.read.iter().map(|path| path.as_os_str().to_owned()));
        Self { read, network: permissions.network, temporary: true, ..Self::default() }
    }

    /// A process that is only supervised and limited.
    pub fn trusted(limits: Limits) -> Self {
        Self { trusted: true, limits, ..Self::default() }
    }

    /// May read a folder or file.
    pub fn reading(mut self, path: impl AsRef<Path>) -> Self {
        self.read.push(path.as_ref().as_os_str().to_owned());
        self
    }

    /// May read and write a folder or file.
    pub fn writing(mut self, path: impl AsRef<Path>) -> Self {
        self.write.push(path.as_ref().as_os_str().to_owned());
        self
    }

    /// Has other limits.
    pub fn limited(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Only reads and computes: no network, whatever the user permitted, and nowhere to write.
    pub fn only_reading(mut self) -> Self {
        self.network = false;
        self.temporary = false;
        self
    }
}
