//! All bytes of an object as values: what its type names, and what is behind that.

use hydrogen_ir::CTypeId;
use hydrogen_ir::layout::{Slot, SlotKind};
use hydrogen_machine::Left;

/// No more values of one object are told one by one; of the rest it counts whether it is the same.
pub(crate) const MOST: usize = 4096;

/// The values of an object: those that its type names, which end where it says, and every byte from there on. What is larger than eight
/// bytes is taken apart.
pub(crate) fn cover(left: &Left, name: &str, typed: Vec<Slot>, end: u64) -> Vec<Slot> {
    let end = match typed.last() {
        None => 0,
        Some(last) if typed.len() >= MOST => last.at + last.bytes,
        Some(_) => end,
    };
    let mut found: Vec<Slot> = Vec::new();
    let mut typed = typed.into_iter().peekable();
    while let Some(slot) = typed.next() {
        match slot.bytes {
            // Another member of a union is a pointer: bytes that the first one does not cover have a name with a colon.
            1..8 if left.pointers.contains_key(&slot.at)
                && typed.peek().is_some_and(|next| next.path.contains(':') && next.at < slot.at + 8) =>
            {
                let end = slot.at + 8;
                found.push(Slot { bytes: 8, kind: SlotKind::Pointer, ..slot });
                while typed.next_if(|next| next.at < end).is_some() {}
            }
            0..=8 => found.push(slot),
            bytes => {
                // Of a `long double` ten bytes mean something.
                let high = if slot.kind == SlotKind::Float { 2 } else { bytes - 8 };
                found.push(number(&format!("{}, low", slot.path), slot.at, 8));
                found.push(number(&format!("{}, high", slot.path), slot.at + 8, high.min(8)));
            }
        }
    }
    let (mut at, size) = (end, left.bytes.len() as u64);
    while at < size && found.len() < MOST {
        let path = format!("{name}[{at}]");
        // The type says nothing of it, so that a pointer is where one is.
        if left.pointers.contains_key(&at) {
            found.push(Slot { kind: SlotKind::Pointer, ..number(&path, at, 8) });
            at += 8;
        } else {
            found.push(number(&path, at, 1));
            at += 1;
        }
    }
    if at < size {
        found.push(number(&format!("{name}[{at}…]"), at, size - at));
    }
    found
}

/// A number without a type of its own.
pub(crate) fn number(path: &str, at: u64, bytes: u64) -> Slot {
    Slot { at, bytes, path: path.to_owned(), kind: SlotKind::Number { signed: false }, ctype: CTypeId(0) }
}

/// What is not told one by one: a text that is equal for equal bytes and pointers.
pub(crate) fn rest(left: &Left, slot: &Slot) -> String {
    let from = slot.at as usize;
    let mut bytes = left.bytes.get(from..).unwrap_or_default().to_vec();
    for (at, _) in left.pointers.range(slot.at..) {
        let at = *at as usize - from;
        bytes[at..at + 8].fill(0);
    }
    let mut sum = crate::string::sum(&bytes);
    for (at, pointer) in left.pointers.range(slot.at..) {
        sum = crate::string::sum(format!("{sum} {at} {pointer:?}").as_bytes());
    }
    for range in left.undefined.iter().filter(|range| range.end > slot.at) {
        sum = crate::string::sum(format!("{sum} {range:?}").as_bytes());
    }
    format!("{} bytes, checksum {sum:016x}", slot.bytes)
}
