//! The address space: which objects may be where, and which of them an address is counted to.
//!
//! All addresses fit in 47 bits, as those of a real process do, so that programs may keep something of their own in the upper bits of a
//! pointer. Every object has a place of its own that is much larger than it, so that finding an object costs a shift and an index, and that
//! what lies beside an object is nothing.
//!
//! - Functions, variables of the program and the heap have places of 2 MiB; a larger object has several in a row. They begin at 1 TiB: natively
//!   as here, an `int` too small or too large as an index does not come out at the other end of the address space.
//! - Arrays and structures of calls have places of 16 MiB, at falling addresses.
//! - Scalars of calls, which is what programs look at to see how deep they are, lie at the stack pointer: places of 128 bytes, at falling
//!   addresses that are as far apart as natively, more or less.

/// The first place of functions, variables and the heap.
pub(crate) const HEAP_FROM: u64 = 1 << 40;
pub(crate) const HEAP_SHIFT: u32 = 21;
/// So many places there are.
pub(crate) const HEAP_PLACES: usize = ((STACK - HEAP_FROM) >> HEAP_SHIFT) as usize;
/// What calls have is here and above.
pub(crate) const STACK: u64 = 1 << 46;
/// Arrays and structures of calls end here, and scalars begin.
pub(crate) const ARRAYS_END: u64 = 0x6000_0000_0000;
pub(crate) const ARRAY_SHIFT: u32 = 24;
/// So many places of arrays there are.
pub(crate) const ARRAY_PLACES: usize = ((ARRAYS_END - STACK) >> ARRAY_SHIFT) as usize;
/// The top of the stack.
pub(crate) const CELLS_END: u64 = 0x7fff_ffff_f000;
pub(crate) const CELL_SHIFT: u32 = 7;

/// The number of the place on the heap that an address is in; too large for every table where it is in none.
#[inline(always)]
pub(crate) fn heap_place(address: u64) -> usize {
    (address.wrapping_sub(HEAP_FROM) >> HEAP_SHIFT) as usize
}

/// The number of the place of an array, from the top.
#[inline(always)]
pub(crate) fn array_place(address: u64) -> usize {
    (ARRAYS_END.wrapping_sub(address).wrapping_sub(1) >> ARRAY_SHIFT) as usize
}

/// The number of the place of a scalar, from the top; too large for every table where the address is in none.
#[inline(always)]
pub(crate) fn cell_place(address: u64) -> usize {
    (CELLS_END.wrapping_sub(address).wrapping_sub(1) >> CELL_SHIFT) as usize
}

/// The first address of a place on the heap.
pub(crate) fn heap_address(place: usize) -> u64 {
    HEAP_FROM + ((place as u64) << HEAP_SHIFT)
}

/// The first address of the place of an array.
pub(crate) fn array_address(place: usize) -> u64 {
    ARRAYS_END - ((place as u64 + 1) << ARRAY_SHIFT)
}

/// The place that an address is in: two objects that live at the same time share none.
pub fn place_of(address: u64) -> u64 {
    let shift = match address {
        0..STACK => HEAP_SHIFT,
        STACK..ARRAYS_END => ARRAY_SHIFT,
        _ => CELL_SHIFT,
    };
    address >> shift << shift
}

/// As far inside of the place so many further on; what a program is started with lies one behind the other.
pub fn next_places(address: u64, count: usize) -> u64 {
    address + ((count as u64) << HEAP_SHIFT)
}

/// The places that an object takes.
pub fn places_of(address: u64, size: u64) -> impl Iterator<Item = u64> {
    let step = match address {
        0..STACK => 1 << HEAP_SHIFT,
        STACK..ARRAYS_END => 1 << ARRAY_SHIFT,
        _ => 1 << CELL_SHIFT,
    };
    let end = address.saturating_add(size.max(1));
    std::iter::successors(Some(place_of(address)), move |place| place.checked_add(step))
        .take_while(move |place| *place < end)
}

/// Whether an address is inside of an object, or so near to it that no other one can be there.
pub fn is_near(object: u64, size: u64, address: u64) -> bool {
    (place_of(object)..=place_of(object.saturating_add(size))).contains(&place_of(address))
}

/// Whether a number can be an address of something.
pub fn is_address(number: u64) -> bool {
    (HEAP_FROM..CELLS_END).contains(&number)
}
