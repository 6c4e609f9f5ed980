//! Symbolic execution of concrete runs, and exploration of a program's paths.
//!
//! [`Concolic`] watches a run of the machine and keeps, beside each concrete value that depends on the input, a term
//! that says how. The branches that such values decide are the run's path condition. An [`Explorer`] turns one condition
//! after the other around, solves, and runs again; what it turns around is up to an [`Observer`].

mod address;
mod assigned;
mod borders;
mod calls;
mod complex;
mod concolic;
mod conditions;
mod copies;
mod counted;
mod coverage;
mod cut;
mod digits;
mod explain;
mod few;
mod focus;
mod forward;
mod frames;
mod given;
mod goal;
mod groups;
mod input;
mod kept;
mod left;
mod loops;
#[cfg(test)]
mod meant;
mod memory;
mod numerals;
mod observe;
mod ops;
mod outputs;
mod outside;
mod path;
mod priority;
mod reorder;
mod risk;
mod rsc;
mod rsc_observe;
mod search;
mod seed;
mod shape;
mod show;
mod sizes;
mod streams;
mod strings;
mod summary;
mod surroundings;
mod symbolic;
mod table;
mod texts;
mod unknown;
mod watch;

pub use assigned::{Assigned, Whose, assigned};
pub use concolic::{Concolic, NamedOutput};
pub use coverage::Coverage;
pub use explain::{Explained, Explanation, Row, explain};
pub use focus::Focus;
pub use forward::{Forward, ForwardRow, forward};
pub use goal::{Distances, Sides};
pub use groups::groups;
pub use input::Assignment;
pub use kept::{Kept, Valued};
pub use left::{ByteTerms, LeftTerms};
pub use observe::{ByPath, Observation, Observer, Setting, conclude, holds};
pub use outputs::Logs;
pub use outside::{Outside, Risk, risks};
pub use path::{Conjunct, Kind};
pub use reorder::reorder;
pub use rsc::{Name, Relevant, RelevantBranch, relevant};
pub use rsc_observe::ByRsc;
pub use search::{
    Alarm, Answered, Answers, Exploration, Explorer, MakeSolver, Missing, Options, Search, Test, Wrong, ask,
    explore,
};
pub use shape::FunctionEntry;
pub use show::{Piece, pieces, show};
pub use surroundings::{Globals, Surroundings};
pub use symbolic::{Number, Symbolic};
