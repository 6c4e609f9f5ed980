//! Pictures and reports.
//!
//! [`html`] turns the JSON form of a multi-version graph into one HTML file that needs no server and no network.
//! [`verdicts`] turns the answer of an analysis into text, JSON, SARIF or Markdown, [`review`] the answers to all questions about a
//! change into one screen or page, and [`runs`] what runs, explorations and slices gave into text and JSON.

#![forbid(unsafe_code)]

mod beside;
mod columns;
mod envelope;
mod functions;
mod gaps;
mod listing;
mod model;
mod page;
pub mod review;
pub mod runs;
pub mod verdicts;
mod version_sets;

pub use beside::{beside, beside_with};
pub use columns::{csv_cell, plural, shortened, table};
pub use envelope::{headed, json, pretty};
pub use listing::{Excerpt, Mark, listing};
pub use page::html;
