//! What each instance depends on, kept as few bytes, read backwards.

use crate::encode::{put, take, unzigzag, zigzag};
use crate::log::Log;
use crate::node::Node;
use crate::record::TraceError;
use hydrogen_machine::FuncId;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// An instance and what it depends on.
#[derive(Debug, Clone, Default)]
pub(crate) struct Record {
    pub(crate) node: Node,
    /// The activation, by number.
    pub(crate) frame: u32,
    pub(crate) function: u32,
    pub(crate) pc: u32,
    /// Whether it is the first instruction of its activation.
    pub(crate) first: bool,
    /// For a branch: where it went.
    pub(crate) taken: Option<u32>,
    /// What decided that it was executed.
    pub(crate) control: Node,
    /// Where its values come from.
    pub(crate) data: Vec<Node>,
    /// Variables of its activation that it reads, and who wrote them.
    pub(crate) variables: Vec<(u32, Node)>,
    /// Cells of memory that it reads, and the oldest writer.
    pub(crate) cells: Vec<(u32, Node)>,
    /// How many of `data` and of `variables`, from the first on, decide where it reads, writes or calls.
    pub(crate) address: (u32, u32),
    /// Whether it writes where these decide.
    pub(crate) stores: bool,
}

impl Record {
    pub(crate) fn clear(&mut self) {
        self.data.clear();
        self.variables.clear();
        self.cells.clear();
        self.taken = None;
        self.first = false;
        self.address = (0, 0);
        self.stores = false;
    }

    /// Whether it goes to a place that is not always the same.
    pub(crate) fn chooses_place(&self) -> bool {
        self.address != (0, 0)
    }

    /// Where the instance is.
    pub(crate) fn function(&self) -> FuncId {
        FuncId(self.function)
    }
}

const SAME_FRAME: u8 = 1;
const NEXT_PC: u8 = 2;
const SAME_CONTROL: u8 = 4;
const PART: u8 = 8;
const TAKEN: u8 = 16;
const FIRST: u8 = 32;
const DATA: u8 = 64;
const CELLS: u8 = 128;

/// All records of a run.
#[derive(Debug)]
pub(crate) struct Records {
    log: Log,
    last: Record,
    /// The step before the first of each chunk.
    starts: Vec<u64>,
    interrupt: Option<Arc<AtomicBool>>,
}

impl Records {
    pub(crate) fn new(bound: usize, interrupt: Option<Arc<AtomicBool>>) -> Self {
        Self { log: Log::new(bound), last: Record::default(), starts: vec![0], interrupt }
    }

    /// Fails when the user has stopped it.
    pub(crate) fn go_on(&self) -> Result<(), TraceError> {
        match self.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            true => Err(TraceError::Interrupted),
            false => Ok(()),
        }
    }

    pub(crate) fn push(&mut self, record: &Record) {
        let last = &self.last;
        let mut flags = 0;
        let mut flag = |holds: bool, bit: u8| flags |= if holds { bit } else { 0 };
        flag(record.frame == last.frame, SAME_FRAME);
        flag(record.function == last.function && record.pc == last.pc.wrapping_add(1), NEXT_PC);
        flag(record.control == last.control, SAME_CONTROL);
        flag(record.node.is_part(), PART);
        flag(record.taken.is_some(), TAKEN);
        flag(record.first, FIRST);
        flag(!record.data.is_empty() || !record.variables.is_empty(), DATA);
        flag(!record.cells.is_empty(), CELLS);
        let out = self.log.open();
        out.push(flags);
        if flags & SAME_FRAME == 0 {
            put(out, zigzag(i64::from(record.frame) - i64::from(last.frame)));
        }
        if flags & NEXT_PC == 0 {
            put(out, zigzag(i64::from(record.function) - i64::from(last.function)));
            put(out, record.pc.into());
        }
        if flags & PART != 0 {
            out.push((record.node.0 & (Node::MOST - 1)) as u8);
        }
        let back = |to: Node| if to == Node::NONE { 0 } else { record.node.0 - to.0 };
        if flags & SAME_CONTROL == 0 {
            put(out, back(record.control));
        }
        if let Some(taken) = record.taken {
            put(out, taken.into());
        }
        if flags & DATA != 0 {
            let places = u64::from(record.chooses_place());
            put(out, (record.data.len() as u64) << 4 | places << 3 | (record.variables.len() as u64).min(7));
            if places != 0 {
                put(out, u64::from(record.address.0) << 1 | u64::from(record.stores));
                put(out, record.address.1.into());
            }
            if record.variables.len() >= 7 {
                put(out, record.variables.len() as u64);
            }
            record.data.iter().for_each(|from| put(out, back(*from)));
            for (variable, from) in &record.variables {
                put(out, (*variable).into());
                put(out, back(*from));
            }
        }
        if flags & CELLS != 0 {
            put(out, record.cells.len() as u64);
            for (cell, from) in &record.cells {
                put(out, (*cell).into());
                put(out, back(*from));
            }
        }
        let Self { last, .. } = self;
        (last.frame, last.function, last.pc) = (record.frame, record.function, record.pc);
        (last.control, last.node) = (record.control, record.node);
        if self.log.settle() {
            self.starts.push(record.node.number());
            self.last = Record::default();
        }
    }

    pub(crate) fn finish(&mut self) -> Result<(), TraceError> {
        self.log.seal();
        match self.log.error() {
            Some(error) => Err(error.into()),
            None => Ok(()),
        }
    }

    /// Bytes in memory and in the file.
    pub(crate) fn len(&self) -> (usize, u64) {
        self.log.len()
    }

    pub(crate) fn chunks(&self) -> usize {
        self.log.chunks()
    }

    /// The records of a chunk, in order, into `out`, whose old content is used again.
    pub(crate) fn chunk(&self, index: usize, out: &mut Vec<Record>) -> io::Result<usize> {
        let bytes = self.log.chunk(index)?;
        let mut at = 0;
        let mut step = self.starts[index];
        let (mut frame, mut function, mut pc, mut control) = (0u32, 0u32, 0u32, Node::NONE);
        let mut count = 0;
        while at < bytes.len() {
            if out.len() == count {
                out.push(Record::default());
            }
            let record = &mut out[count];
            record.clear();
            count += 1;
            let flags = bytes[at];
            at += 1;
            if flags & SAME_FRAME == 0 {
                frame = (i64::from(frame) + unzigzag(take(&bytes, &mut at))) as u32;
            }
            if flags & NEXT_PC == 0 {
                function = (i64::from(function) + unzigzag(take(&bytes, &mut at))) as u32;
                pc = take(&bytes, &mut at) as u32;
            } else {
                pc += 1;
            }
            let node = if flags & PART != 0 {
                at += 1;
                Node::part(step, bytes.get(at - 1).copied().unwrap_or(0).into())
            } else {
                step += 1;
                Node::step(step)
            };
            let back = |by: u64| if by == 0 { Node::NONE } else { Node(node.0 - by) };
            if flags & SAME_CONTROL == 0 {
                control = back(take(&bytes, &mut at));
            }
            (record.node, record.frame, record.function, record.pc) = (node, frame, function, pc);
            (record.control, record.first) = (control, flags & FIRST != 0);
            if flags & TAKEN != 0 {
                record.taken = Some(take(&bytes, &mut at) as u32);
            }
            if flags & DATA != 0 {
                let counts = take(&bytes, &mut at);
                if counts & 8 != 0 {
                    let data = take(&bytes, &mut at);
                    (record.address.0, record.stores) = ((data >> 1) as u32, data & 1 != 0);
                    record.address.1 = take(&bytes, &mut at) as u32;
                }
                let variables = if counts & 7 == 7 { take(&bytes, &mut at) } else { counts & 7 };
                (0..counts >> 4).for_each(|_| record.data.push(back(take(&bytes, &mut at))));
                for _ in 0..variables {
                    let variable = take(&bytes, &mut at) as u32;
                    record.variables.push((variable, back(take(&bytes, &mut at))));
                }
            }
            if flags & CELLS != 0 {
                for _ in 0..take(&bytes, &mut at) {
                    let cell = take(&bytes, &mut at) as u32;
                    record.cells.push((cell, back(take(&bytes, &mut at))));
                }
            }
        }
        Ok(count)
    }

    /// Visits all records from the last to the first.
    pub(crate) fn backwards(&self, mut visit: impl FnMut(&Record)) -> Result<(), TraceError> {
        let mut records = Vec::new();
        for index in (0..self.chunks()).rev() {
            self.go_on()?;
            let count = self.chunk(index, &mut records)?;
            records[..count].iter().rev().for_each(&mut visit);
        }
        Ok(())
    }

    /// Visits all records from the first to the last.
    pub(crate) fn forwards(&self, mut visit: impl FnMut(&Record)) -> Result<(), TraceError> {
        let mut records = Vec::new();
        for index in 0..self.chunks() {
            self.go_on()?;
            let count = self.chunk(index, &mut records)?;
            records[..count].iter().for_each(&mut visit);
        }
        Ok(())
    }
}
