//! What the table of the C library says of functions that are not looked into: how far they reach, and which come back twice.

use crate::calls::Reach;
use hydrogen_library::{Library, Trait};

/// What a function without a body can see and change. Functions of `math.h` may set `errno`, which is said in the ledger.
pub fn library(name: &str) -> Reach {
    let table = Library::standard();
    if table.is(name, Trait::Values) || table.is_of_maths(name) {
        Reach::Values
    } else if table.is(name, Trait::Looks) {
        Reach::Reads
    } else {
        Reach::All
    }
}

/// Whether the locale decides about what a function gives, which any call of something unknown may change.
pub fn is_of_locale(name: &str) -> bool {
    Library::standard().is(name, Trait::Locale)
}

/// Whether the same code may run again after a call of a function.
pub fn comes_back_twice(name: &str) -> bool {
    Library::standard().is(name, Trait::Twice)
}
