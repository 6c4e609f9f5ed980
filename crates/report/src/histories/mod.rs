//! Versions side by side and one after the other: functions, statements, steps, and what became of a line.

mod calls;
mod diff;
mod functions;
mod lineage;
mod steps;

pub use calls::{calls_json, calls_text, reaching_json, reaching_text};
pub use diff::{json as diff_json, paths_text, text as diff_text};
pub use functions::{json as functions_json, text as functions_text};
pub use lineage::{json as lineage_json, text as lineage_text};
pub use steps::{csv as steps_csv, json as steps_json, text as steps_text};
