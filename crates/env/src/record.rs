//! What is kept of a run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The number of a thread or process, as the program saw it.
pub type Tid = i32;

/// A recorded run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// What the program was started with: call number 0.
    pub start: Start,
    /// What happened, in the order in which threads went on.
    pub events: Vec<Event>,
    /// Contents that were mapped into memory, by their hash.
    pub blobs: BTreeMap<Hash, Vec<u8>>,
    /// How it ended.
    pub end: End,
    /// What the record does not hold, in words.
    pub notes: Vec<String>,
    /// Whether something in it was blotted out: it can be read, but not replayed.
    pub is_redacted: bool,
}

/// A content hash.
pub type Hash = [u8; 32];

/// What a program was started with: everything that it is given without a system call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// The program's file.
    pub program: Vec<u8>,
    /// Its hash.
    pub program_hash: Hash,
    /// Its arguments, with the name it was called by.
    pub arguments: Vec<Vec<u8>>,
    /// Its variables: NAME=VALUE.
    pub variables: Vec<Vec<u8>>,
    /// Its folder.
    pub folder: Vec<u8>,
    /// The mask of modes of new files.
    pub umask: u32,
    /// The limits, by number: soft and hard.
    pub limits: Vec<(u64, u64)>,
    /// User and group.
    pub user: (u32, u32),
    /// Whether the processor's own clock (`rdtsc`) is answered with numbers that are the same in every run. It doubles the cost of every
    /// call, because the processor's mode changes with every switch.
    pub traps_clock: bool,
    /// The first process.
    pub tid: Tid,
    /// The libraries it loaded.
    pub libraries: Vec<Library>,
}

/// A file whose code was loaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Library {
    /// Where.
    pub path: Vec<u8>,
    /// The hash of the whole file.
    pub hash: Hash,
    /// Package and version, where the system knows them.
    pub package: Option<String>,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Event {
    /// A system call returned.
    Call(Call),
    /// A signal was delivered.
    Signal {
        /// To whom.
        tid: Tid,
        /// Its number.
        signal: i32,
        /// Whether the program itself did what the signal is about, such as reading where nothing is.
        is_fault: bool,
    },
    /// A thread began to run.
    Begun {
        /// Which.
        tid: Tid,
        /// Who started it.
        parent: Tid,
    },
    /// A thread was gone.
    Gone {
        /// Which.
        tid: Tid,
        /// Its status, as the kernel writes it.
        status: i32,
    },
}

/// A system call that returned.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// Who called.
    pub tid: Tid,
    /// Which call.
    pub number: u64,
    /// The arguments, as numbers.
    pub args: [u64; 6],
    /// What came back.
    pub result: i64,
    /// Memory that the kernel read: texts, buffers.
    pub given: Vec<Memory>,
    /// Memory that the kernel wrote.
    pub taken: Vec<Memory>,
    /// What was mapped: a file's content.
    pub mapped: Option<Hash>,
    /// The thread was ended inside of it: it did not return.
    pub is_unfinished: bool,
}

/// A piece of memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// The argument it belongs to.
    pub arg: u8,
    /// Where.
    pub address: u64,
    /// What.
    pub bytes: Vec<u8>,
}

/// How a recorded run ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum End {
    /// By itself, with this status as the kernel writes it.
    Ended(i32),
    /// The record ends before the run does, for this reason.
    Partial(String),
    /// Nothing is known: the recorder was ended.
    #[default]
    Unknown,
}

impl Record {
    /// The calls in their order.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.events.iter().filter_map(|event| match event {
            Event::Call(call) => Some(call),
            _ => None,
        })
    }

    /// A copy in which some texts are blotted out wherever they stand. It cannot be replayed.
    pub fn redacted(&self, texts: &[Vec<u8>]) -> Self {
        let mut copy = self.clone();
        copy.is_redacted = true;
        let start = &mut copy.start;
        let lists = start.arguments.iter_mut().chain(&mut start.variables);
        lists.chain([&mut start.folder, &mut start.program]).for_each(|bytes| blot(bytes, texts));
        start.libraries.iter_mut().for_each(|library| blot(&mut library.path, texts));
        for event in &mut copy.events {
            if let Event::Call(call) = event {
                let all = call.given.iter_mut().chain(&mut call.taken);
                all.for_each(|memory| blot(&mut memory.bytes, texts));
            }
        }
        copy.blobs.values_mut().for_each(|bytes| blot(bytes, texts));
        copy
    }

    /// How many calls there are.
    pub fn count(&self) -> usize {
        self.calls().count()
    }
}

impl Call {
    /// The bytes that the kernel read for an argument.
    pub fn given(&self, arg: usize) -> Option<&[u8]> {
        find(&self.given, arg)
    }

    /// The bytes that the kernel wrote for an argument.
    pub fn taken(&self, arg: usize) -> Option<&[u8]> {
        find(&self.taken, arg)
    }

    /// The errors are the last 4095 numbers.
    pub fn error(&self) -> Option<i32> {
        error_of(self.result)
    }
}

/// The number of the error that a result stands for.
pub fn error_of(result: i64) -> Option<i32> {
    (-4095..0).contains(&result).then_some(-(result as i32))
}

fn find(all: &[Memory], arg: usize) -> Option<&[u8]> {
    all.iter().find(|memory| usize::from(memory.arg) == arg).map(|memory| &memory.bytes[..])
}

fn blot(bytes: &mut [u8], texts: &[Vec<u8>]) {
    for text in texts.iter().filter(|text| !text.is_empty()) {
        let mut at = 0;
        while let Some(found) = bytes[at..].windows(text.len()).position(|part| part == &text[..]) {
            bytes[at + found..at + found + text.len()].fill(b'*');
            at += found + text.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_blotted_out_everywhere() {
        let memory = Memory { bytes: b"a secret, secretsecret".to_vec(), ..Memory::default() };
        let call = Call { taken: vec![memory.clone()], given: vec![memory], ..Call::default() };
        let start = Start { variables: vec![b"KEY=secret".to_vec()], ..Start::default() };
        let record = Record { start, events: vec![Event::Call(call)], ..Record::default() };
        let copy = record.redacted(&[b"secret".to_vec(), Vec::new()]);
        assert!(copy.is_redacted);
        assert_eq!(copy.start.variables, [b"KEY=******"]);
        let shown = copy.calls().next().map(|call| call.taken[0].bytes.clone());
        assert_eq!(shown.as_deref(), Some(&b"a ******, ************"[..]));
    }
}
