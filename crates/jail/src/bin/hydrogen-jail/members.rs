//! The processes of the jail, as `/proc` shows them.

use std::collections::BTreeMap;
use std::fs;
use std::thread::sleep;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, kill_process_group, wait};

/// A process.
pub struct Member {
    /// Its number.
    pub id: i32,
    /// Its threads.
    pub threads: u64,
    /// Its resident memory, in pages.
    pub pages: u64,
}

/// All descendants of this process. In a namespace of our own these are all there are.
pub fn all() -> Vec<Member> {
    let mut parents: BTreeMap<i32, (i32, u64, u64)> = BTreeMap::new();
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    for entry in entries.flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let text = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        // The name may hold anything, also blanks and parentheses; the fields begin behind the last one.
        let Some((_, fields)) = text.rsplit_once(')') else { continue };
        let fields: Vec<&str> = fields.split_whitespace().collect();
        let number = |at: usize| fields.get(at).and_then(|word| word.parse::<u64>().ok()).unwrap_or(0);
        parents.insert(id, (number(1) as i32, number(17).max(1), number(21)));
    }
    let own = getpid().as_raw_nonzero().get();
    let inside = |mut id: i32| {
        // A chain cannot be longer than there are processes.
        for _ in 0..=parents.len() {
            match parents.get(&id) {
                Some((parent, ..)) if *parent == own => return true,
                Some((parent, ..)) if *parent != id => id = *parent,
                _ => return false,
            }
        }
        false
    };
    let found = parents.iter().filter(|(id, _)| inside(**id));
    found.map(|(id, (_, threads, pages))| Member { id: *id, threads: *threads, pages: *pages }).collect()
}

/// How many threads of all processes the kernel counts for a user: what a limit for the user must add to.
pub fn threads_of(user: u32) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let own = entries.filter(|entry| entry.metadata().is_ok_and(|found| found.uid() == user));
    let threads = own.filter_map(|entry| Some(fs::read_dir(entry.path().join("task")).ok()?.count() as u64));
    threads.sum()
}

/// Ends every descendant, also those that start others while they are being ended. First the group of the program at one
/// stroke, since nothing can be started between two processes of it.
pub fn end_all(program: Option<Pid>) {
    if let Some(group) = program {
        let _ = kill_process_group(group, Signal::KILL);
    }
    for round in 0..500 {
        let signal = |signal: Signal| {
            let members = all();
            for pid in members.iter().filter_map(|one| Pid::from_raw(one.id)) {
                let _ = kill_process(pid, signal);
            }
            members.len()
        };
        // Whoever is stopped starts nothing new.
        if round > 0 {
            signal(Signal::STOP);
        }
        signal(Signal::KILL);
        while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
        if all().is_empty() {
            return;
        }
        sleep(Duration::from_millis(2));
    }
}
