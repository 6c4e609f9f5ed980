//! Pictures and reports.
//!
//! [`html`] turns the JSON form of a multi-version graph into one HTML file that needs no server and no network.
//! [`verdicts`] turns the answer of an analysis into text, JSON, SARIF or Markdown, [`review`] the answers to all questions about a
//! change into one screen or page, [`runs`] what runs, explorations and slices gave into text and JSON, and [`why`] why a test fails.

#![forbid(unsafe_code)]

pub mod affected;
mod beside;
mod columns;
pub mod compared;
pub mod complexity;
pub mod delta;
mod envelope;
pub mod environment;
pub mod exposed;
mod functions;
mod gaps;
pub mod histories;
pub mod interaction;
mod listing;
mod md;
pub mod mined;
mod model;
mod page;
pub mod replay;
pub mod review;
pub mod runs;
pub mod setup;
pub mod verdicts;
mod version_sets;
pub mod why;

pub use beside::{beside, beside_with};
pub use columns::{csv_cell, plural, shortened, table};
pub use envelope::{headed, json, pretty};
pub use listing::{Excerpt, Mark, listing};
pub use page::html;
