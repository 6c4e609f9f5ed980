//! Bytes, and which of their bits have been written.

use rustc_hash::FxHashMap;

/// A run of memory. `defined` has a bit per bit of `bytes`: set when the program gave it a value.
#[derive(Debug, Clone, Default)]
pub(crate) struct Arena {
    pub(crate) bytes: Vec<u8>,
    pub(crate) defined: Vec<u8>,
    free: FxHashMap<u64, Vec<u64>>,
}

macro_rules! plain_access {
    ($($load:ident $store:ident $ty:ty),*) => {$(
        /// The value at `at`, or `None` when a bit of it is undefined. The caller has checked the bounds.
        #[inline(always)]
        pub(crate) fn $load(&self, at: usize) -> Option<u64> {
            const N: usize = size_of::<$ty>();
            let defined = <$ty>::from_le_bytes(*self.defined[at..at + N].first_chunk()?);
            let value = <$ty>::from_le_bytes(*self.bytes[at..at + N].first_chunk()?);
            if defined == <$ty>::MAX { Some(u64::from(value)) } else { None }
        }

        /// Writes a value, all of it defined.
        #[inline(always)]
        pub(crate) fn $store(&mut self, at: usize, value: u64) {
            const N: usize = size_of::<$ty>();
            self.bytes[at..at + N].copy_from_slice(&(value as $ty).to_le_bytes());
            self.defined[at..at + N].copy_from_slice(&<$ty>::MAX.to_le_bytes());
        }
    )*};
}

impl Arena {
    plain_access!(load8 store8 u8, load16 store16 u16, load32 store32 u32, load64 store64 u64);

    /// Up to 16 bytes as a number, and its defined bits.
    pub(crate) fn read(&self, at: usize, bytes: usize) -> (u128, u128) {
        let mut value = [0; 16];
        let mut defined = [0; 16];
        value[..bytes].copy_from_slice(&self.bytes[at..at + bytes]);
        defined[..bytes].copy_from_slice(&self.defined[at..at + bytes]);
        (u128::from_le_bytes(value), u128::from_le_bytes(defined))
    }

    /// Writes up to 16 bytes and their defined bits.
    pub(crate) fn write(&mut self, at: usize, bytes: usize, value: u128, defined: u128) {
        self.bytes[at..at + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
        self.defined[at..at + bytes].copy_from_slice(&defined.to_le_bytes()[..bytes]);
    }

    /// Makes sure that the first `len` bytes exist.
    pub(crate) fn reach(&mut self, len: usize) {
        if self.bytes.len() < len {
            self.bytes.resize(len, 0);
            self.defined.resize(len, 0);
        }
    }

    /// A place for `size` bytes, undefined; `None` where the host has no room.
    pub(crate) fn allocate(&mut self, size: u64) -> Option<u64> {
        let class = class(size)?;
        if let Some(start) = self.free.get_mut(&class).and_then(Vec::pop) {
            self.defined[start as usize..(start + size) as usize].fill(0);
            return Some(start);
        }
        let start = self.bytes.len();
        let end = usize::try_from((start as u64).checked_add(class)?).ok()?;
        // A program may ask for more than there is: that is its own affair, not the end of ours.
        self.bytes.try_reserve(end - start).ok()?;
        self.defined.try_reserve(end - start).ok()?;
        self.reach(end);
        Some(start as u64)
    }

    /// Gives a place back.
    pub(crate) fn release(&mut self, start: u64, size: u64) {
        if let Some(class) = class(size) {
            self.free.entry(class).or_default().push(start);
        }
    }
}

/// Places are handed out in a few sizes, so that they can be used again: multiples of 16, then eighths of powers of two.
fn class(size: u64) -> Option<u64> {
    let grain = match size {
        0..=1024 => 16,
        _ => size.checked_next_power_of_two()? / 8,
    };
    size.max(1).checked_next_multiple_of(grain.max(16))
}
