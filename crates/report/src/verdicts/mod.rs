//! The answer to a question about faults, for people and for programs.
//!
//! Everything is made of the evidence model of `hydrogen-evidence` alone. [`text`] reads like a review comment, [`json`] has everything,
//! [`sarif`] is for code hosts and editors, [`markdown`] for a comment on a change, [`csv`] the table of releases.

mod csv;
mod documented;
mod excerpt;
mod fingerprint;
mod history;
mod hunks;
mod json;
mod markdown;
mod matrix;
mod path;
mod sarif;
mod style;
mod text;
mod words;

pub use csv::csv;
pub use documented::{Agreement, Comparison, Row, compare};
pub use history::{Turn, TurnKind, history};
pub use json::json;
pub use markdown::markdown;
pub use sarif::sarif;
pub use style::Looks;
pub use text::text;

/// Where the text of source files comes from.
pub trait Sources {
    /// A file of a version, by the version's name.
    fn file(&self, version: &str, file: &str) -> Option<String>;
}

/// No source is at hand.
impl Sources for () {
    fn file(&self, _: &str, _: &str) -> Option<String> {
        None
    }
}
