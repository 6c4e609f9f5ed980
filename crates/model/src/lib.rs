//! The model of every version, compiled only where something changed.
//!
//! [`Modeller::model`] takes a version to its units' summaries and models. It looks from the cheapest answer to
//! the dearest: a record of the whole version; a recorded build whose inputs are the same; per unit, the files
//! it read last time; its preprocessed text; and only then the compiler. Every level is keyed by content, so
//! versions share whatever they have in common, and a run that is stopped resumes where it was.

mod commands;
mod common;
mod compare;
mod flight;
mod item_table;
mod items;
mod key;
mod modeller;
mod opaque;
mod outline;
mod plan;
mod programs;
mod progress;
mod record;
mod rulings;
pub mod sources;
mod syntax;
mod unit;
mod version;
mod walk;

pub use commands::UnitCommand;
pub use common::{differing, in_common};
pub use compare::{Change, Comparison, FunctionChange, Status, compare};
pub use hydrogen_syntax::OUR_BUG;
pub use item_table::ItemChange;
pub use items::VersionItem;
pub use modeller::{CachedModel, Error, Modeller, Settings, State};
pub use outline::{Outline, OutlineFunction};
pub use plan::NOT_REACHED;
pub use programs::LinkedProgram;
pub use progress::{Progress, Quiet};
pub use syntax::BUILD_FREE;
pub use version::{Failure, Origin, UnitModel, VersionModel};
pub use walk::Arrival;
