//! Pictures and reports.
//!
//! [`html`] turns the JSON form of a multi-version graph into one HTML file that needs no server and no network.
//! [`verdicts`] turns the answer of an analysis into text, JSON, SARIF or Markdown, [`review`] the answers to all questions about a
//! change into one screen or page.

#![forbid(unsafe_code)]

mod beside;
mod functions;
mod gaps;
mod listing;
mod model;
mod page;
pub mod review;
pub mod verdicts;
mod version_sets;

pub use beside::{beside, beside_with};
pub use listing::{Excerpt, Mark, listing};
pub use page::html;
