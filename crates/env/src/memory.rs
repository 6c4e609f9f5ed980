//! The memory of a traced process, and which of it a call reads and writes.

use std::io::{IoSlice, IoSliceMut};

use nix::sys::uio::{RemoteIoVec, process_vm_readv, process_vm_writev};
use nix::unistd::Pid;

use crate::record::{Call, Memory};
use crate::table::{self, Arg};

/// No path is longer.
const LONGEST_TEXT: usize = 4096;
/// No single buffer of a call is larger: the kernel itself moves no more at a time.
const LARGEST: usize = 0x7fff_f000;
const MOST_BUFFERS: usize = 1024;

/// The memory of a process.
#[derive(Clone, Copy, Debug)]
pub struct Space(pub i32);

impl Space {
    /// As many of these bytes as can be read.
    pub fn read(self, address: u64, length: usize) -> Vec<u8> {
        if address == 0 || length == 0 || length > LARGEST {
            return Vec::new();
        }
        let mut bytes = vec![0; length];
        let remote = RemoteIoVec { base: address as usize, len: length };
        let read = process_vm_readv(Pid::from_raw(self.0), &mut [IoSliceMut::new(&mut bytes)], &[remote]);
        bytes.truncate(read.unwrap_or(0));
        bytes
    }

    /// A text up to its zero.
    pub fn text(self, address: u64) -> Vec<u8> {
        let mut text = Vec::new();
        while address != 0 && text.len() < LONGEST_TEXT {
            let at = address + text.len() as u64;
            // Not over the end of a page: the next one may not be there.
            let piece = self.read(at, (4096 - (at % 4096) as usize).min(256));
            match piece.iter().position(|&byte| byte == 0) {
                Some(end) => {
                    text.extend_from_slice(&piece[..end]);
                    return text;
                }
                None if piece.is_empty() => break,
                None => text.extend(piece),
            }
        }
        text
    }

    /// A number of four bytes.
    pub fn half(self, address: u64) -> Option<u32> {
        Some(u32::from_le_bytes(self.read(address, 4).try_into().ok()?))
    }

    /// Writes bytes where the process itself may write; whether all could be written.
    pub fn write(self, address: u64, bytes: &[u8]) -> bool {
        let remote = RemoteIoVec { base: address as usize, len: bytes.len() };
        bytes.is_empty()
            || process_vm_writev(Pid::from_raw(self.0), &[IoSlice::new(bytes)], &[remote]) == Ok(bytes.len())
    }

    /// The buffers of a list: addresses and lengths.
    fn buffers(self, address: u64, count: u64) -> Vec<(u64, usize)> {
        let list = self.read(address, (count as usize).min(MOST_BUFFERS) * 16);
        let number = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_le_bytes);
        list.chunks_exact(16).map(|one| (number(&one[..8]), number(&one[8..]) as usize)).collect()
    }
}

/// Collects pieces of memory.
struct Pieces {
    space: Space,
    all: Vec<Memory>,
}

impl Pieces {
    fn add(&mut self, arg: usize, address: u64, length: usize) {
        let bytes = self.space.read(address, length);
        self.keep(arg, address, bytes);
    }

    fn keep(&mut self, arg: usize, address: u64, bytes: Vec<u8>) {
        if address != 0 && !bytes.is_empty() {
            self.all.push(Memory { arg: arg as u8, address, bytes });
        }
    }

    /// The first `total` bytes of a list of buffers.
    fn buffers(&mut self, arg: usize, list: u64, count: u64, mut total: usize) {
        for (address, length) in self.space.buffers(list, count) {
            let length = length.min(total);
            self.add(arg, address, length);
            total -= length;
            if total == 0 {
                break;
            }
        }
    }
}

/// What the kernel will read for a call that begins.
pub fn given(space: Space, number: u64, args: &[u64; 6]) -> Vec<Memory> {
    let Some(call) = table::call(number) else { return Vec::new() };
    let mut pieces = Pieces { space, all: Vec::new() };
    for (arg, what) in call.args.iter().enumerate() {
        let at = args[arg];
        match *what {
            Arg::Path | Arg::Text if at != 0 => {
                let text = space.text(at);
                // An empty text is a text, too.
                pieces.all.push(Memory { arg: arg as u8, address: at, bytes: text });
            }
            Arg::InBy(by) => pieces.add(arg, at, args[by] as usize),
            Arg::SocketIn(by) => pieces.add(arg, at, (args[by] as usize).min(128)),
            Arg::VectorIn(by) => pieces.buffers(arg, at, args[by], LARGEST),
            Arg::MessageIn => {
                let head = space.read(at, 56);
                pieces.keep(arg, at, head.clone());
                pieces.add(arg, word(&head, 0), (word(&head, 8) as u32 as usize).min(128));
                pieces.buffers(arg, word(&head, 16), word(&head, 24), LARGEST);
            }
            Arg::Poll(by) => pieces.add(arg, at, (args[by] as usize).min(1 << 16) * 8),
            _ => {}
        }
    }
    pieces.all
}

/// What the kernel has written for a call that returned.
pub fn taken(space: Space, number: u64, args: &[u64; 6], result: i64) -> Vec<Memory> {
    let Some(call) = table::call(number) else { return Vec::new() };
    let Ok(count) = usize::try_from(result) else { return Vec::new() };
    let mut pieces = Pieces { space, all: Vec::new() };
    let room = |arg: usize| match call.args.get(arg + 1) {
        Some(Arg::Number) => args[arg + 1] as usize,
        _ => usize::MAX,
    };
    for (arg, what) in call.args.iter().enumerate() {
        let at = args[arg];
        match *what {
            Arg::OutByReturn(1) => pieces.add(arg, at, count.min(room(arg))),
            Arg::OutByReturn(size) => pieces.add(arg, at, count.min(1 << 20).saturating_mul(size)),
            Arg::OutBy(by) => pieces.add(arg, at, args[by] as usize),
            Arg::Out(_) if call.name == "clone" => {}
            Arg::Out(size) | Arg::InOut(size) => pieces.add(arg, at, size),
            Arg::Length => pieces.add(arg, at, 4),
            Arg::VectorOut(by) => pieces.buffers(arg, at, args[by], count),
            Arg::SocketOut(by) => {
                // The length stands in the argument behind it.
                let length = space.half(args[by]).unwrap_or(0) as usize;
                pieces.add(arg, at, length.min(1 << 16));
            }
            Arg::MessageOut => message(&mut pieces, arg, at, count),
            Arg::Poll(by) => pieces.add(arg, at, (args[by] as usize).min(1 << 16) * 8),
            Arg::FdSet => pieces.add(arg, at, (args[0] as usize).min(1 << 16).div_ceil(64) * 8),
            _ => {}
        }
    }
    match call.name {
        "ioctl" => pieces.add(2, args[2], written_by_ioctl(args[1])),
        "fcntl" => match args[1] {
            5 | 36 => pieces.add(2, args[2], 32),
            16 => pieces.add(2, args[2], 8),
            _ => {}
        },
        "prctl" => match args[0] {
            16 => pieces.add(1, args[1], 16),
            2 | 5 | 25 | 37 => pieces.add(1, args[1], 4),
            _ => {}
        },
        // Operations that change the word itself: with priorities, and wake with an operation.
        "futex" if matches!(args[1] & 0x7f, 5..=8 | 11 | 12 | 13) => {
            pieces.add(0, args[0], 4);
            pieces.add(4, args[4], 4);
        }
        "recvmmsg" | "sendmmsg" => {
            for one in 0..count.min(MOST_BUFFERS) as u64 {
                let head = args[1] + one * 64;
                let length = space.half(head + 56).unwrap_or(0) as usize;
                if call.name == "recvmmsg" {
                    message(&mut pieces, 1, head, length);
                }
                pieces.add(1, head + 56, 4);
            }
        }
        _ => {}
    }
    pieces.all
}

fn message(pieces: &mut Pieces, arg: usize, at: u64, count: usize) {
    let head = pieces.space.read(at, 56);
    if head.len() < 56 {
        return;
    }
    pieces.buffers(arg, word(&head, 16), word(&head, 24), count);
    pieces.add(arg, word(&head, 0), (word(&head, 8) as u32 as usize).min(128));
    pieces.add(arg, word(&head, 32), (word(&head, 40) as usize).min(1 << 16));
    pieces.keep(arg, at + 8, head[8..12].to_vec());
    pieces.keep(arg, at + 40, head[40..52].to_vec());
}

/// How many bytes a control call writes: those of terminals have no size in their number, the others do.
fn written_by_ioctl(request: u64) -> usize {
    match request {
        0x5401 => 36,
        0x5413 => 8,
        0x541b | 0x540f | 0x5411 | 0x5429 => 4,
        _ if request & (2 << 30) != 0 => (request >> 16) as usize & 0x3fff,
        _ => 0,
    }
}

/// A number in a structure.
pub fn word(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..at + 8).and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_le_bytes)
}

/// Writes into the process what the kernel wrote in the recorded run, where the same arguments point to now; whether all could be
/// written.
pub fn give_back(space: Space, recorded: &Call, args: &[u64; 6]) -> bool {
    recorded.taken.iter().all(|memory| {
        let arg = usize::from(memory.arg);
        // Buffers behind a list or a message are where they were: the program did the same until here.
        let moved = args[arg].wrapping_sub(recorded.args[arg]);
        space.write(memory.address.wrapping_add(moved), &memory.bytes)
    })
}
