//! Content hashes: what a function or global *is*, without what may change around it.
//!
//! Two versions of a function with one [`FunctionSummary::code`] compute the same from the same callees and global
//! values. The hash ignores names of temporaries and labels, debug variables, pieces, places, and the order of
//! every table. Types count by what the code sees of them: the places of the members that it uses, and sizes where it
//! makes, copies or steps over something (a renamed tag changes nothing, nor does what stands behind a member). Private globals (string
//! literals) count by content, named globals by name and by what is seen of their type: their values are in [`GlobalSummary::seen`],
//! and whoever compares versions combines the two through [`FunctionSummary::globals`].
//!
//! **`__LINE__`.** `assert` passes its line to the C library, so a comment added above would change every later
//! function that asserts. An integer operand of a call or store that equals a line of its own statement is therefore
//! hashed as "this line", unless the statement's text has that number as a literal: then it is a number that
//! happens to equal its line. The same holds for a number in a string literal (`__FILE__ ":" TEXT(__LINE__)`).

mod code;
mod constants;
mod exact;
mod fingerprint;
mod line;
mod names;
mod pieces;
mod sight;
mod sink;
mod summary;
mod types;

pub use exact::exact_hash;
pub use fingerprint::Fingerprint;
pub use line::relative_line;
pub use pieces::piece_hashes;
pub use summary::{FunctionSummary, GlobalSummary, ModuleSummary, summarize};

use serde::{Deserialize, Serialize};
use std::fmt;

/// 128 bits of BLAKE3.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ContentHash(pub [u8; 16]);

impl ContentHash {
    /// The hash of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let hash = blake3::hash(bytes);
        let (half, _) = hash.as_bytes().split_first_chunk().expect("BLAKE3 gives 32 bytes");
        ContentHash(*half)
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
