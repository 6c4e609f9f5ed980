//! What runs gave: one run, an exploration of many, a slice of one.

mod depended;
mod end;
mod explored;
mod input;
mod run;
mod sliced;
mod symbolic;
mod warnings;

pub use depended::{json as depends_json, text as depends_text};
pub use end::{bytes, describe as describe_end, json as end_json, natively, natively_json};
pub use explored::{json as explored_json, text as explored_text, value as explored_value};
pub use input::input;
pub use run::{json as run_json, text as run_text};
pub use sliced::{json as slice_json, text as slice_text};

/// Where the text of source files is to be had.
pub trait Sources {
    /// The lines of a file; `None` where its text is not there.
    fn lines(&self, file: &str) -> Option<Vec<String>>;
}
