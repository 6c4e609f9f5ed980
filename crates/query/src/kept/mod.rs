//! Rulings kept between runs (F55).
//!
//! What is said of a statement in a version rests on code: functions that conditions went through, callees that were skipped or entered, callers,
//! types, globals. All of that is recorded with the ruling, by content. In a later run, and in any version, the ruling holds again where all
//! of it is the same; nothing is walked then. A question that time cut short is not kept, nor is one that the solver left open.
//! What a run confirmed is run again before it is used, and what it did not confirm is asked anew.

mod consulted;
mod content;
mod entry;
mod recall;

pub(crate) use consulted::Kept;
pub(crate) use recall::{Fresh, Recalled};

/// The number of the analysis: counted up by hand with every change that can change a ruling. Rulings of other numbers are not used.
pub const REVISION: u32 = 26;

/// Where rulings are kept. Whatever goes wrong there costs time and nothing else: what is not found, or damaged, is computed again.
pub trait Shelf {
    /// What was stored under a key last.
    fn load(&self, key: &[u8; 32]) -> Option<Vec<u8>>;
    /// Stores a value in the place of an earlier one.
    fn store(&self, key: &[u8; 32], value: &[u8]);
}
