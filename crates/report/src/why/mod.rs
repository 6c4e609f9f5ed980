//! Why a test fails since a change: text, Markdown, JSON, and both sources side by side.

mod beyond;
mod finding;
mod json;
mod page;
mod rest;
mod text;
mod words;

pub use beyond::{beyond, late};
pub use finding::{place as finding_place, text as finding_text};
pub use json::json;
pub use page::html;
pub use text::{markdown, text};
pub use words::{answer_of, place};
