//! What each instance depends on, kept as few bytes; [`crate::page`] reads them.

use crate::encode::{put, zigzag};
use crate::log::Log;
use crate::node::Node;
use crate::page::{Page, Record};
use crate::record::TraceError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// An instance and what it depends on, while it is found.
#[derive(Debug, Clone, Default)]
pub(crate) struct Draft {
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

impl Draft {
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
}

pub(crate) const SAME_FRAME: u8 = 1;
pub(crate) const NEXT_PC: u8 = 2;
pub(crate) const SAME_CONTROL: u8 = 4;
pub(crate) const PART: u8 = 8;
pub(crate) const TAKEN: u8 = 16;
pub(crate) const FIRST: u8 = 32;
pub(crate) const DATA: u8 = 64;
pub(crate) const CELLS: u8 = 128;

/// All records of a run.
#[derive(Debug)]
pub(crate) struct Records {
    log: Log,
    last: Draft,
    /// The step before the first of each chunk.
    starts: Vec<u64>,
    interrupt: Option<Arc<AtomicBool>>,
}

impl Records {
    pub(crate) fn new(bound: usize, interrupt: Option<Arc<AtomicBool>>) -> Self {
        Self { log: Log::new(bound), last: Draft::default(), starts: vec![0], interrupt }
    }

    /// Fails when the user has stopped it.
    pub(crate) fn go_on(&self) -> Result<(), TraceError> {
        match self.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            true => Err(TraceError::Interrupted),
            false => Ok(()),
        }
    }

    pub(crate) fn push(&mut self, record: &Draft) {
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
            self.last = Draft::default();
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

    /// Visits all records from the last to the first.
    pub(crate) fn backwards(&self, mut visit: impl FnMut(&Record<'_>)) -> Result<(), TraceError> {
        let mut page = Page::default();
        for index in (0..self.log.chunks()).rev() {
            self.go_on()?;
            page.read(&self.log.chunk(index)?, self.starts[index]);
            (0..page.len()).rev().for_each(|number| visit(&page.record(number)));
        }
        Ok(())
    }

    /// Visits all records from the first to the last.
    pub(crate) fn forwards(&self, mut visit: impl FnMut(&Record<'_>)) -> Result<(), TraceError> {
        let mut page = Page::default();
        for index in 0..self.log.chunks() {
            self.go_on()?;
            page.read(&self.log.chunk(index)?, self.starts[index]);
            (0..page.len()).for_each(|number| visit(&page.record(number)));
        }
        Ok(())
    }
}
