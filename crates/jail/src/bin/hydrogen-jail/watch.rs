//! Limits that no single call of the kernel has: memory and processes of all together, bytes on disk.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hydrogen_jail::{Exceeded, Policy};

use crate::members;

/// Folders with more entries than this are not counted to the end.
const MOST_ENTRIES: usize = 2_000_000;

/// What is looked at from time to time.
pub struct Watch {
    memory: u64,
    processes: u64,
    disk: u64,
    /// The writable folders, and the most free bytes seen beside each.
    folders: Vec<(PathBuf, u64)>,
    cost: Duration,
}

impl Watch {
    pub fn new(policy: &Policy) -> Self {
        let folders = policy.write.iter().map(|path| (PathBuf::from(path), free(Path::new(path)))).collect();
        let limits = &policy.limits;
        Self {
            memory: limits.memory.unwrap_or(u64::MAX),
            processes: limits.processes.unwrap_or(u64::MAX),
            disk: limits.disk.unwrap_or(u64::MAX),
            folders,
            cost: Duration::ZERO,
        }
    }

    /// How long the last look took.
    pub fn cost(&self) -> Duration {
        self.cost
    }

    /// The first limit that is exceeded.
    pub fn exceeded(&mut self) -> Option<Exceeded> {
        let start = Instant::now();
        let found = self.look();
        self.cost = start.elapsed();
        found
    }

    fn look(&mut self) -> Option<Exceeded> {
        if self.memory < u64::MAX || self.processes < u64::MAX {
            let members = members::all();
            if members.iter().map(|one| one.threads).sum::<u64>() > self.processes {
                return Some(Exceeded::Processes);
            }
            let page = rustix::param::page_size() as u64;
            if members.iter().map(|one| one.pages * page).sum::<u64>() > self.memory {
                return Some(Exceeded::Memory);
            }
        }
        if self.disk < u64::MAX && self.has_shrunk() {
            let used: u64 = self.folders.iter().map(|(folder, _)| bytes_below(folder)).sum();
            if used > self.disk {
                return Some(Exceeded::Disk);
            }
        }
        None
    }

    /// Whether so much of the disk is gone that it is worth counting who has it.
    fn has_shrunk(&mut self) -> bool {
        let mut shrunk = false;
        for (folder, most) in &mut self.folders {
            let now = free(folder);
            *most = now.max(*most);
            shrunk |= *most - now > self.disk;
        }
        shrunk
    }
}

fn free(path: &Path) -> u64 {
    rustix::fs::statvfs(path).map_or(0, |found| found.f_bfree * found.f_frsize)
}

/// Bytes on disk below a folder; links are not followed.
fn bytes_below(folder: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let mut bytes = 0;
    let mut entries = 0;
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            entries += 1;
            let Ok(found) = entry.metadata() else { continue };
            bytes += found.blocks() * 512;
            if found.is_dir() && entries < MOST_ENTRIES {
                open.push(entry.path());
            }
        }
    }
    bytes
}
