//! Numbers that are read as pointers, and pointers that are read as numbers: what the wrong member of a union gives.
//!
//! A number that the program wrote itself is no address: an access through it goes nowhere. That is known once the number is; of one that
//! comes in from outside nobody knows whether it was an address before.

use crate::meaning::state::{Cell, Object, Part, Role, Terms, Value, WORD};
use hydrogen_term::Term;

/// Addresses so near to null are taken for it when they are accessed, as the machine does it.
const NEAR_NULL: u64 = 4096;

impl Terms {
    /// What a cell gives whose bytes were written as another cell; none where that is not followed.
    pub(super) fn punned(&mut self, read: Cell, written: Value) -> Option<Value> {
        match (read, written) {
            (Cell::Pointer, Value::Int(number)) if self.pool.width(number) == 64 => {
                let object = self.of_number(Part::Object, number);
                Some(Value::Pointer(object, self.of_number(Part::Offset, number)))
            }
            (Cell::Int(64), Value::Pointer(object, offset)) => Some(Value::Int(self.address(object, offset))),
            _ => None,
        }
    }

    /// The object, or the offset, of a number that is read as a pointer.
    pub(super) fn of_number(&mut self, part: Part, number: Term) -> Term {
        let Some(known) = self.pool.as_bits(number) else {
            let name = if part == Part::Object { "object of" } else { "offset of" };
            let function = self.function(name, 1, WORD, Role::OfNumber(part));
            return self.pool.apply(function, &[number]);
        };
        let near = known < NEAR_NULL.into() || known > u128::from(u64::MAX - NEAR_NULL);
        match part {
            Part::Object if known == 0 => self.word(0),
            Part::Object if near => self.near_null(),
            Part::Object => self.no_object(),
            _ => number,
        }
    }

    /// What addresses next to null belong to: they are not null, and no access through them goes well either.
    fn near_null(&mut self) -> Term {
        self.nowhere("next to null")
    }

    fn no_object(&mut self) -> Term {
        self.nowhere("no object")
    }

    /// Whether a pointer is a number that no object has for its address.
    pub fn is_no_object(&mut self, object: Term) -> Term {
        let nowhere = self.no_object();
        self.pool.eq(object, nowhere)
    }

    fn nowhere(&mut self, name: &str) -> Term {
        self.object(Object::Stack {
            name: name.to_owned(),
            bytes: Some(0),
            escapes: false,
            held: false,
            closed: false,
        })
    }

    /// Whether an access to the object is one through null, or next to it.
    pub fn is_null_access(&mut self, object: Term) -> Term {
        let (zero, near) = (self.word(0), self.near_null());
        let null = self.pool.eq(object, zero);
        let next_to_it = self.pool.eq(object, near);
        self.pool.or(null, next_to_it)
    }
}
