//! Which object of the static analysis each byte of memory belongs to.

use hydrogen_flow::ObjectId;

/// Bytes that might have been written by code that was not executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Cell {
    pub(crate) place: hydrogen_flow::Place,
    pub(crate) size: u64,
}

/// The first cells are no memory of the program: whether the run was ended, …
pub(crate) const STOPPED: u32 = 0;
/// … what was written so far, …
pub(crate) const OUTPUT: u32 = 1;
/// … the state of files and of everything else behind system calls, …
pub(crate) const FILES: u32 = 2;
/// … and the outputs that the program named.
pub(crate) const NAMES: u32 = 3;
/// How many cells are no memory.
pub(crate) const PSEUDO: u32 = 4;

/// An object that a run made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Owner {
    pub(crate) start: usize,
    pub(crate) len: u64,
    pub(crate) object: ObjectId,
}

/// Objects begin at multiples of this.
const GRAIN: usize = 16;

/// Objects outside of the stack, by place.
#[derive(Debug, Default)]
pub(crate) struct Objects {
    owners: Vec<Owner>,
    /// By grain, the number of the owner and one; 0 for nobody.
    grains: Vec<u32>,
}

impl Objects {
    /// From now on these bytes are an object.
    pub(crate) fn add(&mut self, start: usize, len: u64, object: ObjectId) {
        let (first, end) = (start / GRAIN, (start + len as usize).div_ceil(GRAIN));
        if self.grains.len() < end {
            self.grains.resize(end, 0);
        }
        self.owners.push(Owner { start, len, object });
        self.grains[first..end].fill(self.owners.len() as u32);
    }

    pub(crate) fn get(&self, at: usize) -> Option<&Owner> {
        let owner = self.grains.get(at / GRAIN).copied().unwrap_or(0);
        self.owners.get((owner as usize).checked_sub(1)?)
    }
}
