//! How complex changes are: text, JSON, CSV, and a plot.

mod json;
mod page;
mod text;

pub use json::{csv, json};
pub use page::html;
pub use text::text;
