//! What is the same in two versions: functions, the statements in them, whom a name means, which execution of a statement, types and their members,
//! variables.
//!
//! Everything that compares versions asks here, so that no two answers disagree about what changed. The crate works on
//! whatever the caller has for names and statements (interned numbers, hashes, lines of text), or on modules: it knows neither graphs
//! nor git, only what must be equal.
//!
//! - `lcs`: longest common subsequences. `matching`: two lists of statements. `weave`: a list against many older ones.
//! - `partners`: functions by key and name; `alike`: functions by what they say, wherever they moved.
//! - `names`: whom a name reaches from a file.
//! - `lines`: numbers that are lines of the source, as in the old version.
//! - `roster`: functions of two linked programs; `renamed`: variables and members by how they are used; `members`: by where they lie.
//! - `words`: types, members and constants in words that are the same in every version, with `records` (structures by name); `statement`: code that is the
//!   same but for layouts.
//! - `laid`: one layout of structures for two modules; `places`: for many; `otherwise`: types that lie in memory in another way.
//! - `variables`: variables of the program that changed.
//! - `regions`, `index`, `walk`: which instance of a statement is the same in another run.

mod alike;
mod index;
mod laid;
mod lcs;
mod lines;
mod matching;
mod members;
mod moved;
mod names;
mod otherwise;
mod partners;
mod places;
mod records;
mod regions;
mod renamed;
mod roster;
mod statement;
mod variables;
mod walk;
mod weave;
pub mod words;

pub use alike::Candidate;
pub use index::{IndexId, Indices, Level};
pub use laid::Laid;
pub use lcs::lcs;
pub use lines::lines_as_before;
pub use matching::{Hunk, Matching};
pub use members::name_members_alike;
pub use moved::alike;
pub use names::{Sight, is_included, reached};
pub use otherwise::laid_out_otherwise;
pub use partners::Partners;
pub use places::Layouts;
pub use regions::Regions;
pub use renamed::{Names, Renamed, renamed, without_names};
pub use roster::Roster;
pub use statement::{Piece, only_laid_out, same_but_for_layouts};
pub use variables::{Uses, affected_variables, changed_variables, first_contents, redefined};
pub use walk::Walk;
pub use weave::{Plan, Slot, Weave};
