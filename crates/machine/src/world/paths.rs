//! System calls on names of files.

use super::files::{EEXIST, EISDIR, ENOENT, ENOTDIR, Node, NodeId};
use super::{Answer, EINVAL, Failure, Open, Stream, StreamEvent, Transfer, World, ok, string, write};
use crate::memory::Memory;
use std::sync::Arc;

const AT_FDCWD: i32 = -100;
const EMPTY_PATH: u64 = 0x1000;
const O_ACCMODE: u64 = 3;
const O_CREAT: u64 = 0o100;
const O_EXCL: u64 = 0o200;
const O_TRUNC: u64 = 0o1000;
const O_APPEND: u64 = 0o2000;
const O_DIRECTORY: u64 = 0o200000;
const RENAME_NOREPLACE: u64 = 1;

impl World {
    pub(super) fn path_call(&mut self, memory: &mut Memory, number: u64, args: [u64; 6]) -> Option<Answer> {
        let [a, b, c, d, e, ..] = args;
        let here = AT_FDCWD as u64;
        Some(match number {
            2 => self.open_call(memory, here, a, b),
            257 => self.open_call(memory, a, b, c),
            85 => self.open_call(memory, here, a, 1 | O_CREAT | O_TRUNC),
            4 | 6 => self.status(memory, here, a, b, 0),
            5 => self.status_of_descriptor(memory, a as i32, b),
            262 => self.status(memory, a, b, c, d),
            21 => self.access(memory, here, a),
            269 | 439 => self.access(memory, a, b),
            79 => self.current_folder(memory, a, b),
            80 => self.change_folder(memory, a),
            82 => self.rename(memory, (here, a), (here, b), 0),
            264 => self.rename(memory, (a, b), (c, d), 0),
            316 => self.rename(memory, (a, b), (c, d), e),
            83 => self.with_path(memory, here, a, |world, from, path| world.files.make_folder(from, path)),
            258 => self.with_path(memory, a, b, |world, from, path| world.files.make_folder(from, path)),
            84 => self.with_path(memory, here, a, |world, from, path| world.files.remove(from, path, true)),
            87 => self.with_path(memory, here, a, |world, from, path| world.files.remove(from, path, false)),
            263 => self
                .with_path(memory, a, b, |world, from, path| world.files.remove(from, path, c & 0x200 != 0)),
            // Permissions, owners and times are accepted and not kept.
            90 | 92 | 94 | 132 | 235 => self.access(memory, here, a),
            260 | 268 | 280 if b != 0 => self.access(memory, a, b),
            91 | 93 | 280 => self.descriptor(a as i32).and_then(|_| ok(0)),
            95 => ok(0o022),
            // There are no links.
            89 => self.access(memory, here, a).and(Err(EINVAL.into())),
            267 => self.access(memory, a, b).and(Err(EINVAL.into())),
            76 => {
                self.note("truncating a file by its name is not supported");
                Err(38.into())
            }
            _ => return None,
        })
    }

    /// The folder that a relative name starts from.
    fn base(&self, fd: u64) -> Result<NodeId, Failure> {
        if fd as i32 == AT_FDCWD {
            return Ok(self.folder);
        }
        match self.open[self.descriptor(fd as i32)?].stream {
            Stream::Node(id) => Ok(id),
            _ => Err(ENOTDIR.into()),
        }
    }

    fn with_path(
        &mut self,
        memory: &Memory,
        base: u64,
        name: u64,
        action: impl FnOnce(&mut Self, NodeId, &[u8]) -> Result<(), i64>,
    ) -> Answer {
        let path = string(memory, name)?;
        let from = self.base(base)?;
        action(self, from, &path)?;
        ok(0)
    }

    fn open_call(&mut self, memory: &Memory, base: u64, name: u64, flags: u64) -> Answer {
        let path = string(memory, name)?;
        let from = self.base(base)?;
        let id = match self.files.find(from, &path) {
            Ok(_) if flags & O_CREAT != 0 && flags & O_EXCL != 0 => return Err(EEXIST.into()),
            Ok(id) => id,
            Err(ENOENT) if flags & O_CREAT != 0 => self.files.create(from, &path)?,
            Err(error) => return Err(error.into()),
        };
        let writes = flags & O_ACCMODE != 0;
        match &mut self.files.nodes[id] {
            Node::Folder { .. } | Node::HostFolder { .. } if writes => return Err(EISDIR.into()),
            Node::Folder { .. } | Node::HostFolder { .. } => {}
            _ if flags & O_DIRECTORY != 0 => return Err(ENOTDIR.into()),
            node @ (Node::File { .. } | Node::HostFile { .. }) if flags & O_TRUNC != 0 && writes => {
                *node = Node::File { content: Arc::default(), changed: true };
                self.record(Transfer::Stream(Stream::Node(id), StreamEvent::Resize { size: 0 }));
            }
            _ => {}
        }
        let open = Open {
            stream: Stream::Node(id),
            offset: 0,
            readable: flags & O_ACCMODE != 1,
            writable: writes,
            append: flags & O_APPEND != 0,
        };
        ok(self.add_descriptor(open) as u64)
    }

    fn access(&mut self, memory: &Memory, base: u64, name: u64) -> Answer {
        self.with_path(memory, base, name, |world, from, path| world.files.find(from, path).map(drop))
    }

    fn rename(&mut self, memory: &Memory, old: (u64, u64), new: (u64, u64), flags: u64) -> Answer {
        if flags & !RENAME_NOREPLACE != 0 {
            self.note("exchanging two files is not supported");
            return Err(EINVAL.into());
        }
        let (old_name, new_name) = (string(memory, old.1)?, string(memory, new.1)?);
        let (old, new) = (self.base(old.0)?, self.base(new.0)?);
        self.files.rename((old, &old_name), (new, &new_name), flags & RENAME_NOREPLACE == 0)?;
        ok(0)
    }

    fn current_folder(&mut self, memory: &mut Memory, buffer: u64, size: u64) -> Answer {
        let mut path = self.files.path(self.folder);
        path.push(0);
        if path.len() as u64 > size {
            return Err(34.into());
        }
        write(memory, buffer, &path)?;
        ok(path.len() as u64)
    }

    fn change_folder(&mut self, memory: &Memory, name: u64) -> Answer {
        let path = string(memory, name)?;
        let id = self.files.find(self.folder, &path)?;
        self.files.list(id).ok_or(Failure::Error(ENOTDIR))?;
        self.folder = id;
        ok(0)
    }

    fn status(&mut self, memory: &mut Memory, base: u64, name: u64, buffer: u64, flags: u64) -> Answer {
        let path = string(memory, name)?;
        if path.is_empty() && flags & EMPTY_PATH != 0 {
            return self.status_of_descriptor(memory, base as i32, buffer);
        }
        let from = self.base(base)?;
        let id = self.files.find(from, &path)?;
        self.write_status(memory, Stream::Node(id), buffer)
    }

    fn status_of_descriptor(&mut self, memory: &mut Memory, fd: i32, buffer: u64) -> Answer {
        let index = self.descriptor(fd)?;
        self.write_status(memory, self.open[index].stream, buffer)
    }

    /// The kernel's structure on x86-64.
    fn write_status(&mut self, memory: &mut Memory, stream: Stream, buffer: u64) -> Answer {
        const PIPE: u32 = 0o010600;
        const FOLDER: u32 = 0o040755;
        const FILE: u32 = 0o100644;
        const DEVICE: u32 = 0o020666;
        let (number, mode, size) = match stream {
            Stream::Stdin | Stream::Stdout | Stream::Stderr => (1_000_000, PIPE, 0),
            Stream::Node(id) => {
                self.files.load(id)?;
                match &self.files.nodes[id] {
                    Node::File { content, .. } => (id, FILE, content.len() as u64),
                    Node::Null => (id, DEVICE, 0),
                    _ => (id, FOLDER, 4096),
                }
            }
        };
        let mut bytes = Vec::with_capacity(144);
        let seconds = super::EPOCH / 1_000_000_000;
        for word in [1, number as u64 + 1, 1] {
            bytes.extend(word.to_le_bytes());
        }
        for half in [mode, 1000, 1000, 0] {
            bytes.extend(half.to_le_bytes());
        }
        for word in [0, size, 4096, size.div_ceil(512), seconds, 0, seconds, 0, seconds, 0, 0, 0, 0] {
            bytes.extend(word.to_le_bytes());
        }
        write(memory, buffer, &bytes)?;
        ok(0)
    }
}
