//! The recorded environment: what the record says of every resource, by occurrence and as a whole.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::record::{Call, Event, Hash, Record, Tid};
use crate::resource::Resource;
use crate::table;
use crate::tracker::{Tracker, View};

/// Which child of which child a thread is.
pub type Lineage = Vec<u32>;

/// What a record says of a file as a whole: as it was before the program changed it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// What it is, if the record says so.
    pub form: Option<Form>,
    /// Whether it was there; nothing if the record does not say.
    pub exists: Option<bool>,
    /// Its size, if the record says so.
    pub size: Option<u64>,
    /// Its mode, if the record says so.
    pub mode: Option<u32>,
    /// Parts that were read: where, and what.
    pub pieces: Vec<(u64, Vec<u8>)>,
    /// The names in a folder, with their kinds as `getdents` tells them.
    pub names: Vec<(Vec<u8>, u8)>,
    /// Code of it was mapped.
    pub is_code: bool,
}

/// Kinds of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// With contents.
    File,
    /// With names.
    Folder,
    /// A device, a pipe, a socket.
    Other,
}

impl Content {
    /// The bytes, with zeros where nothing was read.
    pub fn bytes(&self) -> Vec<u8> {
        const MOST: u64 = 1 << 30;
        let ends = self.pieces.iter().map(|(at, bytes)| at.saturating_add(bytes.len() as u64));
        let length = self.size.unwrap_or(0).max(ends.max().unwrap_or(0)).min(MOST) as usize;
        let mut all = vec![0; length];
        for (at, bytes) in &self.pieces {
            let at = usize::try_from(*at).unwrap_or(length).min(length);
            let end = (at + bytes.len()).min(length);
            all[at..end].copy_from_slice(&bytes[..end - at]);
        }
        all
    }

    /// Whether every byte is known.
    pub fn is_whole(&self) -> bool {
        let mut pieces: Vec<(u64, u64)> =
            self.pieces.iter().map(|(at, bytes)| (*at, at.saturating_add(bytes.len() as u64))).collect();
        pieces.sort_unstable();
        let mut known = 0;
        for (from, to) in pieces {
            if from > known {
                return false;
            }
            known = known.max(to);
        }
        self.size.is_none_or(|size| known >= size)
    }
}

/// A record, by resources.
#[derive(Debug)]
pub struct World<'a> {
    /// The record.
    pub record: &'a Record,
    /// Its calls in their order.
    pub calls: Vec<&'a Call>,
    /// What each call is about.
    pub about: Vec<Resource>,
    /// Which thread made each call.
    pub threads: Vec<Lineage>,
    /// The calls of each thread.
    pub by_thread: HashMap<Lineage, Vec<usize>>,
    answers: HashMap<(Resource, u64), Vec<usize>>,
    contents: BTreeMap<Resource, Content>,
    /// Calls that say that nothing is left to read, with the call that read the last of it.
    pub ends: HashMap<usize, usize>,
    last_read: HashMap<(Resource, usize), usize>,
    /// For each call, whether it wrote to standard output or errors.
    pub outputs: HashSet<usize>,
}

impl<'a> World<'a> {
    /// Reads a record.
    pub fn new(record: &'a Record) -> Self {
        let mut world = Self {
            record,
            calls: Vec::new(),
            about: Vec::new(),
            threads: Vec::new(),
            by_thread: HashMap::new(),
            answers: HashMap::new(),
            contents: BTreeMap::new(),
            ends: HashMap::new(),
            last_read: HashMap::new(),
            outputs: HashSet::new(),
        };
        let mut tracker = Tracker::new(&record.start);
        let mut lineages: HashMap<Tid, Lineage> = HashMap::new();
        let mut children: HashMap<Tid, u32> = HashMap::new();
        let mut changed: HashSet<Resource> = HashSet::new();
        for event in &record.events {
            match event {
                Event::Begun { tid, parent } => {
                    let mut lineage = lineages.get(parent).cloned().unwrap_or_default();
                    if *parent != 0 {
                        let number = children.entry(*parent).or_default();
                        lineage.push(*number);
                        *number += 1;
                    }
                    lineages.insert(*tid, lineage);
                }
                Event::Call(call) => {
                    let lineage = lineages.get(&call.tid).cloned().unwrap_or_default();
                    world.call(call, lineage, &tracker, &mut changed);
                }
                _ => {}
            }
            tracker.event(event);
        }
        world
    }

    fn call(&mut self, call: &'a Call, lineage: Lineage, tracker: &Tracker, changed: &mut HashSet<Resource>) {
        let at = self.calls.len();
        let resource = tracker.resource(call.into());
        if matches!(call.number, 1 | 20) && matches!(resource, Resource::Stream(1 | 2)) {
            self.outputs.insert(at);
        }
        if matches!(call.number, 0 | 217)
            && let Some(open) = tracker.open(call.tid, call.args[0] as i32)
        {
            let key = (resource.clone(), open.made_by);
            if call.result == 0 {
                self.ends.extend(self.last_read.get(&key).map(|before| (at, *before)));
            } else {
                self.last_read.insert(key, at);
            }
        }
        self.observe(call, &resource, tracker, changed);
        self.calls.push(call);
        self.by_thread.entry(lineage.clone()).or_default().push(at);
        self.threads.push(lineage);
        if resource != Resource::Inside {
            self.answers.entry((resource.clone(), call.number)).or_default().push(at);
        }
        self.about.push(resource);
    }

    /// What a call says of a file as a whole.
    fn observe(
        &mut self,
        call: &Call,
        resource: &Resource,
        tracker: &Tracker,
        changed: &mut HashSet<Resource>,
    ) {
        let Some(known) = table::call(call.number) else { return };
        if let Resource::Path(_) = resource {
            let is_first = !changed.contains(resource);
            let content = self.contents.entry(resource.clone()).or_default();
            if is_first {
                observe(content, call, known.name, tracker);
                let mapped = call.mapped.as_ref().and_then(|hash: &Hash| self.record.blobs.get(hash));
                if let Some(bytes) = mapped {
                    content.is_code |= call.args[2] & libc::PROT_EXEC as u64 != 0;
                    content.form = Some(Form::File);
                    content.pieces.push((call.args[5], bytes.clone()));
                }
            }
        }
        if changes(call, known.name) {
            for arg in 0..known.args.len() {
                changed.extend(tracker.of_path(call.into(), arg));
            }
            changed.insert(resource.clone());
        }
    }

    /// The recorded answer to a call on a resource: that of the same thread's occurrence if there is one, else of any.
    pub fn answer(
        &self,
        resource: &Resource,
        number: u64,
        lineage: &Lineage,
        occurrence: usize,
    ) -> Option<usize> {
        let all = self.answers.get(&(resource.clone(), number))?;
        let own: Vec<usize> = all.iter().copied().filter(|at| &self.threads[*at] == lineage).collect();
        let from = if own.is_empty() { all } else { &own };
        from.get(occurrence).or(from.last()).copied()
    }

    /// All answers of a resource by the numbers of their calls.
    pub fn of(&self, resource: &Resource) -> BTreeMap<u64, &[usize]> {
        let own = self.answers.iter().filter(|((other, _), _)| other == resource);
        own.map(|((_, number), all)| (*number, &all[..])).collect()
    }

    /// Every resource that was used.
    pub fn resources(&self) -> Vec<Resource> {
        let mut all: Vec<Resource> = self.answers.keys().map(|(resource, _)| resource.clone()).collect();
        all.sort();
        all.dedup();
        all
    }

    /// What is known of a file as a whole.
    pub fn content(&self, resource: &Resource) -> Option<&Content> {
        self.contents.get(resource)
    }
}

/// Whether a call changes what it is about.
fn changes(call: &Call, name: &str) -> bool {
    if call.error().is_some() {
        return false;
    }
    let opens = |flags: u64| flags & libc::O_TRUNC as u64 != 0;
    match name {
        "open" => opens(call.args[1]),
        "openat" => opens(call.args[2]),
        "write" | "pwrite64" | "writev" | "pwritev" | "ftruncate" | "creat" | "fallocate"
        | "copy_file_range" => true,
        _ => table::call(call.number).is_some_and(|known| known.kind == table::Kind::Fs),
    }
}

fn observe(content: &mut Content, call: &Call, name: &str, tracker: &Tracker) {
    let failed = call.error();
    let looks = matches!(
        name,
        "open"
            | "openat"
            | "stat"
            | "lstat"
            | "newfstatat"
            | "statx"
            | "access"
            | "faccessat"
            | "faccessat2"
            | "chdir"
            | "readlink"
            | "readlinkat"
            | "execve"
    );
    if looks {
        let flags = match name {
            "open" => call.args[1],
            "openat" => call.args[2],
            _ => 0,
        };
        let creates = flags & libc::O_CREAT as u64 != 0;
        let exclusive = flags & libc::O_EXCL as u64 != 0;
        let exists = match failed {
            Some(libc::ENOENT) => Some(false),
            None if creates && exclusive => Some(false),
            None if creates => None,
            None | Some(libc::EEXIST | libc::EACCES | libc::EISDIR | libc::EINVAL) => Some(true),
            Some(_) => None,
        };
        content.exists = content.exists.or(exists);
        if flags & libc::O_DIRECTORY as u64 != 0 && failed.is_none() {
            content.form = content.form.or(Some(Form::Folder));
        }
    }
    if failed.is_some() {
        return;
    }
    let view: View<'_> = call.into();
    let offset = || tracker.open(call.tid, call.args[0] as i32).map_or(0, |open| open.offset);
    let number = |bytes: &[u8], at: usize| crate::memory::word(bytes, at);
    match name {
        "stat" | "fstat" | "newfstatat" | "lstat" => {
            let arg = if name == "newfstatat" { 2 } else { 1 };
            if let Some(bytes) = call.taken(arg) {
                stat(content, number(bytes, 24) as u32, number(bytes, 48));
            }
        }
        "statx" => {
            if let Some(bytes) = call.taken(4) {
                stat(content, number(bytes, 28) as u32 & 0xffff, number(bytes, 40));
            }
        }
        "read" | "pread64" if content.form != Some(Form::Other) => {
            let at = if name == "read" { offset() } else { call.args[3] };
            let bytes = call.taken(1).unwrap_or_default();
            if !bytes.is_empty() {
                content.pieces.push((at, bytes.to_vec()));
            } else if name == "read" && call.result == 0 && view.args[2] > 0 {
                content.size = content.size.or(Some(at));
            }
        }
        "readv" if content.form != Some(Form::Other) => {
            let mut at = offset();
            for memory in &call.taken {
                content.pieces.push((at, memory.bytes.clone()));
                at = at.saturating_add(memory.bytes.len() as u64);
            }
        }
        "getdents64" => {
            content.form = Some(Form::Folder);
            for (name, kind) in names(call.taken(1).unwrap_or_default()) {
                if !content.names.iter().any(|(known, _)| *known == name) {
                    content.names.push((name, kind));
                }
            }
        }
        "chdir" => content.form = content.form.or(Some(Form::Folder)),
        _ => {}
    }
}

fn stat(content: &mut Content, mode: u32, size: u64) {
    let form = match mode & libc::S_IFMT {
        libc::S_IFREG => Form::File,
        libc::S_IFDIR => Form::Folder,
        // The link itself says nothing of what it leads to.
        libc::S_IFLNK => return,
        _ => Form::Other,
    };
    content.exists = content.exists.or(Some(true));
    content.form = content.form.or(Some(form));
    content.mode = content.mode.or(Some(mode & 0o7777));
    if form == Form::File && size > 0 {
        content.size = content.size.or(Some(size));
    }
}

/// The names in what `getdents64` wrote, with their kinds.
pub fn names(mut bytes: &[u8]) -> Vec<(Vec<u8>, u8)> {
    let mut all = Vec::new();
    while bytes.len() > 19 {
        let length = usize::from(u16::from_le_bytes([bytes[16], bytes[17]]));
        if length < 20 || length > bytes.len() {
            break;
        }
        let name: Vec<u8> = bytes[19..length].iter().copied().take_while(|&byte| byte != 0).collect();
        if name != b"." && name != b".." {
            all.push((name, bytes[18]));
        }
        bytes = &bytes[length..];
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_are_put_together() {
        let content = Content {
            size: Some(6),
            pieces: vec![(0, b"ab".to_vec()), (2, b"cd".to_vec())],
            ..Content::default()
        };
        assert_eq!(content.bytes(), b"abcd\0\0");
        assert!(!content.is_whole());
        assert!(Content { size: Some(4), ..content }.is_whole());
    }

    #[test]
    fn damaged_lists_of_names_end() {
        for length in [0_u16, 1, 19, 20, 40, u16::MAX] {
            let mut bytes = vec![b'x'; 40];
            bytes[16..18].copy_from_slice(&length.to_le_bytes());
            assert!(names(&bytes).len() <= 2);
        }
    }
}
