//! Why a test that passed in the old version fails in the new one (DARWIN, with what it lacks).
//!
//! Both versions run the failing input over one pool of terms. Then:
//!
//! - `told`, `wrong`: what the wrong output is, and the conditions and statements that it depends on in each run.
//! - `decompose`, `independent`, `nearest`, `simplified`: which conditions of one run those of the other do not imply, each with an input close to
//!   the failing one on which that branch goes the other way first. Both directions: a missing check is a branch of the
//!   old version alone.
//! - `look`: both directions, and what came of them. `predicate`: conditions that no branch asks.
//! - `validate`, `branches`: every such input is run in both versions; what does not go where it should is set apart.
//! - `compare`: the traces of two inputs side by side, where conditions are asked about each alone.
//! - `origin`: the first value that differs, and the changed statements it comes from. This finds errors that decide no branch; `chain`: which of them make it, which hand it on; `did`: which decide as before; `variables`: initial values.
//! - `changed`: the executed statements that are part of the change; `laid`: those that only find their members elsewhere are not. `spot`, `suspect`: all evidence by statement, and the order in which to look at it.
//! - `precondition`: the conditions under which each run gives what it gave, where the user wants them.
//! - `explain`: the whole of it; `runs`: both runs side by side; `long`: runs that are too long for terms of all that they compute; `alarm`, `late`: what is said where the time is over before. `dataflow`: how the wrong output is computed in both, where they go the same way.

mod alarm;
mod ask;
mod branches;
mod chain;
mod changed;
mod compare;
mod dataflow;
mod decompose;
mod did;
mod explain;
mod independent;
mod late;
mod long;
mod look;
mod nearest;
mod origin;
mod precondition;
mod predicate;
mod runs;
mod simplified;
mod size;
mod spot;
mod suspect;
mod told;
mod validate;
mod variables;
mod wrong;

pub use ask::{Ask, Metric, Mode, Oracle, WhyError};
pub use changed::changed_statements;
pub use explain::explain;
pub use hydrogen_evidence::why::{
    Alternate, Change, Counterpart, Defined, Explanation, Expressions, Further, Numbers, Precondition, Side,
    Sizes, Spot, Suspect, Times, Told,
};
pub use late::executed_changes;
pub use long::LONG;
