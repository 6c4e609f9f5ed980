//! Symbolic execution of concrete runs, and exploration of a program's paths.
//!
//! [`Concolic`] watches a run of the machine and keeps, beside each concrete value that depends on the input, a term
//! that says how. The branches that such values decide are the run's path condition. [`explore`] turns one condition
//! after the other around, solves, and runs again.

mod concolic;
mod explore;
mod input;
mod memory;
mod ops;
mod path;
mod reorder;
mod rsc;
mod rsc_explore;

pub use concolic::{Concolic, NamedOutput};
pub use explore::{Alarm, Exploration, Options, Test, explore};
pub use input::{Input, Symbolic};
pub use path::{Conjunct, Kind};
pub use reorder::reorder;
pub use rsc::{Relevant, RelevantBranch, relevant};
pub use rsc_explore::{RscExploration, RscTest, explore_rsc};
