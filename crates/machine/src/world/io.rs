//! System calls on open files.

use super::files::{EIO, EISDIR, Node};
use super::{
    Answer, EBADF, EINVAL, Effect, Failure, Open, Stream, StreamEvent, Transfer, World, ok, read, write,
};
use crate::memory::Memory;
use std::sync::Arc;

const ESPIPE: i64 = 29;
const EAGAIN: i64 = 11;
const ENOTTY: i64 = 25;
/// No file of the program grows larger.
const LARGEST_FILE: u64 = 1 << 30;

impl World {
    pub(super) fn input_output(
        &mut self,
        memory: &mut Memory,
        number: u64,
        args: [u64; 6],
    ) -> Option<Answer> {
        let [a, b, c, d, ..] = args;
        let fd = a as i32;
        Some(match number {
            0 => self.read_call(memory, fd, b, c, None),
            1 => self.write_call(memory, fd, b, c, None),
            3 => self.close(fd),
            8 => self.seek(fd, b as i64, c),
            16 => self.descriptor(fd).and(Err(ENOTTY.into())),
            17 => self.read_call(memory, fd, b, c, Some(d)),
            18 => self.write_call(memory, fd, b, c, Some(d)),
            19 => self.vector(memory, b, c, |world, memory, base, len| {
                world.read_call(memory, fd, base, len, None)
            }),
            20 => self.vector(memory, b, c, |world, memory, base, len| {
                world.write_call(memory, fd, base, len, None)
            }),
            32 => self.duplicate(fd, None),
            33 => self.duplicate(fd, Some(b as i32)),
            292 => self.duplicate(fd, Some(b as i32)),
            72 => self.control(fd, b, c),
            74 | 75 => self.descriptor(fd).and_then(|_| ok(0)),
            77 => self.truncate(fd, b),
            217 => self.list_folder(memory, fd, b, c),
            221 => self.descriptor(fd).and_then(|_| ok(0)),
            // File locks: nobody else is there.
            73 => self.descriptor(fd).and_then(|_| ok(0)),
            7 => self.poll(memory, a, b),
            22 | 293 => self.pipe(memory, a),
            _ => return None,
        })
    }

    pub(super) fn descriptor(&self, fd: i32) -> Result<usize, Failure> {
        self.descriptors.get(&fd).copied().ok_or(Failure::Error(EBADF))
    }

    /// The lowest free descriptor for an open file.
    pub(super) fn add_descriptor(&mut self, open: Open) -> i32 {
        self.open.push(open);
        self.assign(self.open.len() - 1, 0)
    }

    fn assign(&mut self, index: usize, from: i32) -> i32 {
        let fd = (from..).find(|fd| !self.descriptors.contains_key(fd)).unwrap_or(from);
        self.descriptors.insert(fd, index);
        fd
    }

    fn close(&mut self, fd: i32) -> Answer {
        self.descriptor(fd)?;
        self.descriptors.remove(&fd);
        ok(0)
    }

    fn duplicate(&mut self, fd: i32, to: Option<i32>) -> Answer {
        let index = self.descriptor(fd)?;
        let new = match to {
            Some(to) => {
                self.descriptors.insert(to, index);
                to
            }
            None => self.assign(index, 0),
        };
        ok(new as u64)
    }

    fn control(&mut self, fd: i32, command: u64, arg: u64) -> Answer {
        let index = self.descriptor(fd)?;
        match command {
            // F_DUPFD and its close-on-exec form.
            0 | 1030 => ok(self.assign(index, arg as i32) as u64),
            // Flags and locks.
            1..=7 | 36..=38 => ok(match command {
                3 => match (self.open[index].readable, self.open[index].writable) {
                    (true, true) => 2,
                    (false, true) => 1,
                    _ => 0,
                },
                _ => 0,
            }),
            _ => Err(EINVAL.into()),
        }
    }

    /// A pipe to the program itself: what is written is kept until it is read.
    fn pipe(&mut self, memory: &mut Memory, at: u64) -> Answer {
        let id = self.files.nodes.len();
        self.files.nodes.push(Node::File { content: Arc::default(), changed: true });
        self.pipes.insert(id);
        let end = |writable: bool| Open {
            stream: Stream::Node(id),
            offset: 0,
            readable: !writable,
            writable,
            append: writable,
        };
        let [from, to] = [end(false), end(true)].map(|open| self.add_descriptor(open));
        let bytes: Vec<u8> = [from, to].iter().flat_map(|fd| fd.to_le_bytes()).collect();
        write(memory, at, &bytes)?;
        ok(0)
    }

    /// Whether a read here would wait for somebody to write: all others have their turns, and none will.
    fn would_wait(&self, stream: Stream) -> bool {
        let is_pipe = matches!(stream, Stream::Node(id) if self.pipes.contains(&id));
        let writes = |index: &usize| self.open[*index].stream == stream && self.open[*index].writable;
        is_pipe && self.descriptors.values().any(writes)
    }

    fn content(&mut self, stream: Stream) -> Result<Arc<Vec<u8>>, Failure> {
        match stream {
            Stream::Stdin => Ok(Arc::clone(&self.stdin)),
            Stream::Stdout | Stream::Stderr => Err(EBADF.into()),
            Stream::Node(id) => {
                self.files.load(id)?;
                match &self.files.nodes[id] {
                    Node::File { content, .. } => Ok(Arc::clone(content)),
                    Node::Null => Ok(Arc::default()),
                    _ => Err(EISDIR.into()),
                }
            }
        }
    }

    fn read_call(&mut self, memory: &mut Memory, fd: i32, buffer: u64, len: u64, at: Option<u64>) -> Answer {
        let index = self.descriptor(fd)?;
        let open = self.open[index];
        if !open.readable {
            return Err(EBADF.into());
        }
        let content = self.content(open.stream)?;
        let offset = at.unwrap_or(open.offset);
        let from = usize::try_from(offset).unwrap_or(usize::MAX).min(content.len());
        let count = (content.len() - from).min(usize::try_from(len).unwrap_or(usize::MAX));
        if count == 0 && len > 0 && self.would_wait(open.stream) {
            self.note("a read of an empty pipe would wait for ever");
            return Err(EAGAIN.into());
        }
        let (region, place) = write(memory, buffer, &content[from..from + count])?;
        let event = StreamEvent::Read { offset, wanted: len, got: count as u64 };
        self.record(Transfer::Stream(open.stream, event));
        if count > 0 {
            let transfer = Transfer::In { address: buffer, region, at: place, len: count as u64, fd, offset };
            self.record(transfer);
        }
        if at.is_none() {
            self.open[index].offset = offset + count as u64;
        }
        ok(count as u64)
    }

    /// Remembers a transfer for whoever watches; forgotten at the next one when nobody does.
    pub(super) fn record(&mut self, transfer: Transfer) {
        if self.transfers.len() > 4096 {
            self.transfers.clear();
        }
        self.transfers.push(transfer);
    }

    fn write_call(&mut self, memory: &mut Memory, fd: i32, buffer: u64, len: u64, at: Option<u64>) -> Answer {
        let index = self.descriptor(fd)?;
        let open = self.open[index];
        if !open.writable {
            return Err(EBADF.into());
        }
        let access = Failure::Access { address: buffer, bytes: len, write: false };
        let (region, place) = memory.range(buffer, len, false).ok_or(access)?;
        let end = place + len as usize;
        let bytes = &memory.arenas[region].bytes[place..end];
        if memory.arenas[region].defined[place..end].iter().any(|byte| *byte != 0xff) {
            self.note("bytes that were never written are given to the system");
        }
        self.written += len;
        let mut written_at = match open.stream {
            Stream::Stdout => self.stdout.len() as u64,
            _ => self.stderr.len() as u64,
        };
        match open.stream {
            Stream::Stdin => return Err(EBADF.into()),
            Stream::Stdout => self.stdout.extend_from_slice(bytes),
            Stream::Stderr => self.stderr.extend_from_slice(bytes),
            Stream::Node(id) => {
                self.files.load(id)?;
                match &mut self.files.nodes[id] {
                    Node::File { content, changed } => {
                        let content = Arc::make_mut(content);
                        let offset = match (at, open.append) {
                            (Some(at), _) => at,
                            (None, true) => content.len() as u64,
                            (None, false) => open.offset,
                        };
                        if offset.checked_add(len).is_none_or(|end| end > LARGEST_FILE) {
                            return Err(27.into());
                        }
                        written_at = offset;
                        let (from, to) = (offset as usize, (offset + len) as usize);
                        if content.len() < to {
                            content.resize(to, 0);
                        }
                        content[from..to].copy_from_slice(bytes);
                        *changed = true;
                        if at.is_none() {
                            self.open[index].offset = offset + len;
                        }
                    }
                    Node::Null => {}
                    _ => return Err(EIO.into()),
                }
            }
        }
        if len > 0 {
            self.record(Transfer::Stream(open.stream, StreamEvent::Write { offset: written_at }));
            self.record(Transfer::Out { address: buffer, region, at: place, len, fd });
        }
        ok(len)
    }

    /// `readv` and `writev`.
    fn vector(
        &mut self,
        memory: &mut Memory,
        list: u64,
        count: u64,
        mut each: impl FnMut(&mut Self, &mut Memory, u64, u64) -> Answer,
    ) -> Answer {
        if count > 1024 {
            return Err(EINVAL.into());
        }
        let mut total = 0;
        for index in 0..count {
            let entry = read(memory, list.wrapping_add(16 * index), 16)?;
            let word = |at: usize| u64::from_le_bytes(*entry[at..].first_chunk().expect("sixteen bytes"));
            let (base, len) = (word(0), word(8));
            if len == 0 {
                continue;
            }
            let Effect::Value(done) = each(self, memory, base, len)? else { break };
            total += done as u64;
            if (done as u64) < len {
                break;
            }
        }
        ok(total)
    }

    fn seek(&mut self, fd: i32, offset: i64, whence: u64) -> Answer {
        let index = self.descriptor(fd)?;
        let open = self.open[index];
        let Stream::Node(id) = open.stream else { return Err(ESPIPE.into()) };
        let size = match &self.files.nodes[id] {
            Node::Folder { .. } | Node::HostFolder { .. } => 0,
            _ => self.content(open.stream)?.len() as i64,
        };
        let from = match whence {
            0 => 0,
            1 => open.offset as i64,
            2 => size,
            _ => return Err(EINVAL.into()),
        };
        let to = from.checked_add(offset).filter(|to| *to >= 0).ok_or(Failure::Error(EINVAL))?;
        self.open[index].offset = to as u64;
        ok(to as u64)
    }

    fn truncate(&mut self, fd: i32, len: u64) -> Answer {
        let index = self.descriptor(fd)?;
        let Stream::Node(id) = self.open[index].stream else { return Err(EINVAL.into()) };
        self.files.load(id)?;
        let Node::File { content, changed } = &mut self.files.nodes[id] else { return Err(EINVAL.into()) };
        if len > LARGEST_FILE {
            return Err(27.into());
        }
        // Room counts as written, or files could grow for nothing.
        self.written += len.saturating_sub(content.len() as u64);
        Arc::make_mut(content).resize(len as usize, 0);
        *changed = true;
        self.record(Transfer::Stream(Stream::Node(id), StreamEvent::Resize { size: len }));
        ok(0)
    }

    /// `getdents64`.
    fn list_folder(&mut self, memory: &mut Memory, fd: i32, buffer: u64, len: u64) -> Answer {
        let index = self.descriptor(fd)?;
        let open = self.open[index];
        let Stream::Node(id) = open.stream else { return Err(20.into()) };
        let entries = self.files.list(id).ok_or(Failure::Error(20))?;
        let mut names: Vec<(bstr::BString, usize)> = vec![(".".into(), id), ("..".into(), 0)];
        names.extend(entries);
        let mut bytes: Vec<u8> = Vec::new();
        let mut position = open.offset;
        for (name, node) in names.iter().skip(open.offset as usize) {
            let size = (19 + name.len() + 1).next_multiple_of(8);
            if bytes.len() + size > len as usize {
                break;
            }
            position += 1;
            let folder = matches!(self.files.nodes[*node], Node::Folder { .. } | Node::HostFolder { .. });
            let start = bytes.len();
            bytes.extend((*node as u64 + 1).to_le_bytes());
            bytes.extend(position.to_le_bytes());
            bytes.extend((size as u16).to_le_bytes());
            bytes.push(if folder { 4 } else { 8 });
            bytes.extend_from_slice(name);
            bytes.resize(start + size, 0);
        }
        write(memory, buffer, &bytes)?;
        self.open[index].offset = position;
        ok(bytes.len() as u64)
    }

    /// Everything is always ready.
    fn poll(&mut self, memory: &mut Memory, list: u64, count: u64) -> Answer {
        for index in 0..count.min(1024) {
            let at = list.wrapping_add(8 * index);
            let entry = read(memory, at, 8)?.to_vec();
            let events = u16::from_le_bytes([entry[4], entry[5]]);
            write(memory, at.wrapping_add(6), &(events & 5).to_le_bytes())?;
        }
        ok(count)
    }
}
