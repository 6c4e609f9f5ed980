//! Where calls are, as the program itself can ask.

use super::Machine;
use crate::monitor::Monitor;

/// A frame pointer lies so far below the caller's stack pointer: behind the return address.
const BELOW: u64 = 16;

impl<M: Monitor> Machine<'_, M> {
    /// `__builtin_frame_address`: the address of a call's frame. Level 0 is the running call, level 1 its caller; beyond `main` it is 0.
    pub(super) fn frame_address(&self, level: u64) -> u64 {
        let frames = self.frames.len() as u64;
        match frames.checked_sub(level.saturating_add(1)) {
            None => 0,
            Some(0) => self.memory.stack_top(self.threads.number()) - BELOW,
            Some(at) => self.frames[at as usize - 1].pointer - BELOW,
        }
    }

    /// `__builtin_return_address`: behind the call that the running call, or one so many calls above, will return to.
    pub(super) fn return_address(&self, level: u64) -> u64 {
        let caller = (self.frames.len() as u64).checked_sub(level.saturating_add(2));
        caller.map_or(0, |at| {
            let frame = &self.frames[at as usize];
            self.program.function(frame.function).address + 1 + u64::from(frame.pc)
        })
    }
}
