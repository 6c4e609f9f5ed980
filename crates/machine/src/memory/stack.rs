//! Objects of the stack: variables of calls that have an address.
//!
//! Programs look at addresses of scalars, and at `__builtin_frame_address`, to see how deep they are. So these lie at the stack pointer, which
//! falls as calls get deeper, by about as much as natively. A call that returns gives its addresses back; the next one begins a little lower,
//! and its scalars lie elsewhere in their places, so that old pointers lead nowhere. Arrays and structures have much room around them, so that
//! wrong indices do too.

use super::space::{ARRAY_PLACES, CELL_SHIFT, CELLS_END, array_address, cell_place};
use super::{ARRAYS_END, Memory, Object, array_place};

/// Where in its place an array lies: the first byte, and the last one that a small one begins at.
const LOWEST: u64 = 1 << 16;
const HIGHEST: u64 = 1 << 23;
/// Behind an array there are at least so many bytes that belong to nothing.
const GAP: u64 = 1 << 16;
/// Between the arrays of two calls that have a place one after the other.
pub(crate) const FRAME_GAP: u64 = 4096;
/// The stack of a further thread begins so far below that of the one before, that of the first one so far above the second.
const THREAD_ROOM: u64 = 4 << 20;
const FIRST_ROOM: u64 = 16 << 20;

/// How many objects the calls below have.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Depth {
    pub(crate) arrays: u32,
    pub(crate) cells: u32,
}

/// Where the scalars of a call lie: the first place, and which turn it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Laid {
    /// The lowest address that the call has.
    pub(crate) pointer: u64,
    turn: u64,
}

#[derive(Debug, Clone)]
pub(super) struct Stack {
    /// By place. Those that live are the first, until there are several threads.
    arrays: Vec<Object>,
    /// Scalars, by place.
    cells: Vec<Object>,
    /// The places of the running thread's live scalars, the newest last.
    live: Vec<u32>,
    /// Where in its place the next array lies.
    low: u64,
    turn: u64,
    top: u64,
    /// The end of the running thread's arrays, once there are several threads.
    running_end: Option<usize>,
}

/// What a thread has of the stack while another one runs.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ends {
    arrays: usize,
    live: Vec<u32>,
}

impl Ends {
    /// Of a thread that has no variables yet.
    pub(crate) fn fresh(arrays: usize) -> Self {
        Self { arrays, live: Vec::new() }
    }
}

impl Default for Stack {
    fn default() -> Self {
        Self {
            arrays: Vec::new(),
            cells: Vec::new(),
            live: Vec::new(),
            low: LOWEST,
            turn: 0,
            top: CELLS_END,
            running_end: None,
        }
    }
}

impl Stack {
    #[inline(always)]
    pub(super) fn at(&self, address: u64) -> Option<&Object> {
        match address < ARRAYS_END {
            true => self.arrays.get(array_place(address)),
            false => self.cells.get(cell_place(address)),
        }
        .filter(|object| object.base != 0)
    }

    pub(super) fn shift(&mut self, bytes: u64) {
        self.low += bytes;
        self.top -= bytes.next_multiple_of(1 << CELL_SHIFT);
    }
}

impl Memory {
    /// How many arrays the stack has.
    pub(crate) fn stack_arrays(&self) -> usize {
        self.stack.running_end.unwrap_or(self.stack.arrays.len())
    }

    /// What the running thread has of the stack.
    #[inline]
    pub(crate) fn stack_depth(&self) -> Depth {
        Depth { arrays: self.stack_arrays() as u32, cells: self.stack.live.len() as u32 }
    }

    /// The stack pointer before the first call of a thread.
    pub(crate) fn stack_top(&self, thread: u32) -> u64 {
        match thread {
            0 => self.stack.top,
            number => self.stack.top - FIRST_ROOM - u64::from(number - 1) * THREAD_ROOM,
        }
    }

    /// How far the stack pointer of a thread may fall, once there are several.
    pub(crate) fn stack_room(thread: u32) -> u64 {
        if thread == 0 { FIRST_ROOM } else { THREAD_ROOM }
    }

    /// From now on several threads have objects of the stack.
    pub(crate) fn share_stack(&mut self) {
        self.stack.running_end = Some(self.stack.arrays.len());
    }

    /// Another thread's objects are those of the running one from now on; gives what that had.
    pub(crate) fn exchange_stack(&mut self, new: Ends) -> Ends {
        Ends {
            arrays: self.stack.running_end.replace(new.arrays).unwrap_or_default(),
            live: std::mem::replace(&mut self.stack.live, new.live),
        }
    }

    /// Keeps the arrays of one call far from those of the call before, so that an old pointer is far from whatever has its place now.
    pub(crate) fn separate_frames(&mut self) {
        self.stack.low += FRAME_GAP;
    }

    /// Makes room for so many scalars of a call that has `extent` bytes of other variables, below the caller's `pointer`.
    pub(crate) fn lay_frame(&mut self, thread: u32, pointer: u64, extent: u64, cells: u64) -> Laid {
        let pointer = pointer - extent;
        if cells == 0 {
            return Laid { pointer, turn: 0 };
        }
        self.stack.turn = self.stack.turn.wrapping_add(1);
        // The deeper the calls are, the more it matters how far they are apart.
        let drifts = match self.stack_top(thread).wrapping_sub(pointer) {
            0..0x4000 => 64,
            0x4000..0x40000 => 8,
            _ => 1,
        };
        let turn = self.stack.turn;
        let pointer = (pointer >> CELL_SHIFT << CELL_SHIFT) - ((turn % drifts + cells) << CELL_SHIFT);
        Laid { pointer, turn }
    }

    /// A new scalar of a call, the n-th.
    pub(crate) fn push_cell(&mut self, laid: Laid, nth: u64, start: u32, size: u32) -> u64 {
        let turn = laid.turn.wrapping_add(nth);
        // There is room on both sides, for those who go one further.
        let inside = if size <= 8 { 16 + 8 * (turn % 11) } else { 16 + 16 * (turn % 5) };
        let base = laid.pointer + (nth << CELL_SHIFT) + inside;
        let place = cell_place(base);
        let size = u64::from(size);
        if self.stack.cells.len() <= place {
            self.stack.cells.resize(place + 1, Object::default());
        }
        self.stack.cells[place] = Object { base, size, writable: size, start: start.into() };
        self.stack.live.push(place as u32);
        base
    }

    /// A new array or structure of a call.
    pub(crate) fn push_array(&mut self, start: u32, size: u64, align: u32) -> u64 {
        let align = u64::from(align.max(16).next_power_of_two()).min(1 << 20);
        let mut low = self.stack.low.next_multiple_of(align);
        if low > HIGHEST {
            low = LOWEST.next_multiple_of(align);
        }
        self.stack.low = (low + size.min(HIGHEST) + 32) & !15;
        let count = (low + size + GAP).div_ceil(array_address(0) - array_address(1)) as usize;
        let first = self.stack_arrays();
        // Addresses fall with the number of the place, so the last of several is the lowest.
        let base = array_address(first + count - 1) + low;
        let object = Object { base, size, writable: size, start: start.into() };
        let end = first + count;
        let arrays = &mut self.stack.arrays;
        match &mut self.stack.running_end {
            None => arrays.resize(end, object),
            Some(running) => {
                *running = end;
                if arrays.len() < end {
                    arrays.resize(end, Object::default());
                }
                arrays[first..end].fill(object);
            }
        }
        base
    }

    /// Whether the stack has no place for so many arrays more.
    pub(crate) fn is_stack_full(&self, more: usize) -> bool {
        self.stack_arrays() + more > ARRAY_PLACES
    }

    /// A variable of a call has so many bytes from now on: all of them while its block is executed, none else.
    pub(crate) fn set_life(&mut self, address: u64, size: u64) {
        let (objects, place) = match address < ARRAYS_END {
            true => (&mut self.stack.arrays, array_place(address)),
            false => (&mut self.stack.cells, cell_place(address)),
        };
        // One that is larger than its place has several, the last of which is the lowest.
        for object in objects[..=place].iter_mut().rev().take_while(|object| object.base == address) {
            (object.size, object.writable) = (size, size);
        }
    }

    /// Ends the newest objects of the stack.
    #[inline]
    pub(crate) fn pop_locals(&mut self, depth: Depth) {
        let stack = &mut self.stack;
        match &mut stack.running_end {
            None => stack.arrays.truncate(depth.arrays as usize),
            Some(end) => {
                // A thread that has no variables yet has no places among the objects either.
                let known = stack.arrays.len();
                stack.arrays[(depth.arrays as usize).min(known)..(*end).min(known)].fill(Object::default());
                *end = depth.arrays as usize;
            }
        }
        while stack.live.len() > depth.cells as usize
            && let Some(place) = stack.live.pop()
        {
            let object = &mut stack.cells[place as usize];
            (object.size, object.writable) = (0, 0);
        }
    }
}
