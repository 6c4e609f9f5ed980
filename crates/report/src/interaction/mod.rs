//! Whether changes interact, and where: text, JSON, Graphviz, and a page.

mod in_run;
mod page;
mod text;

pub use in_run::{json as in_run_json, text as in_run};
pub use page::html;
pub use text::{alone, dot, json, text};
