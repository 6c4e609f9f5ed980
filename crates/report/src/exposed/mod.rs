//! Inputs on which versions differ, and which tests a change can affect.

mod json;
mod page;
mod reached;
mod selected;
mod sequences;
mod text;

pub use json::json;
pub use page::html;
pub use selected::{json as selected_json, text as selected_text};
pub use text::{command, ending, markdown, place, text};
