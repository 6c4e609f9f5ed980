//! Whether changes interact, and where: text, JSON, Graphviz, and a page.

mod page;
mod text;

pub use page::html;
pub use text::{alone, dot, json, text};
