//! What is the same in two versions: functions, the statements in them, whom a name means, and which execution of a statement.
//!
//! Everything that compares versions asks here, so that no two answers disagree about what changed. The crate works on
//! whatever the caller has for names and statements (interned numbers, hashes, lines of text): it knows neither graphs
//! nor git, only what must be equal.
//!
//! - `lcs`: longest common subsequences. `matching`: two lists of statements. `weave`: a list against many older ones.
//! - `partners`: functions by key and name; `alike`: functions by what they say, wherever they moved.
//! - `names`: whom a name reaches from a file.
//! - `lines`: numbers that are lines of the source, as in the old version.
//! - `regions`, `index`, `walk`: which instance of a statement is the same in another run.

mod alike;
mod index;
mod lcs;
mod lines;
mod matching;
mod moved;
mod names;
mod partners;
mod regions;
mod walk;
mod weave;

pub use alike::Candidate;
pub use index::{IndexId, Indices, Level};
pub use lcs::lcs;
pub use lines::lines_as_before;
pub use matching::{Hunk, Matching};
pub use moved::alike;
pub use names::{Sight, is_included, reached};
pub use partners::Partners;
pub use regions::Regions;
pub use walk::Walk;
pub use weave::{Plan, Slot, Weave};
