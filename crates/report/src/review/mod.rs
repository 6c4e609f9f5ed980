//! A review as text, Markdown, SARIF and one page.

mod markdown;
mod page;
mod sarif;
mod text;

pub use markdown::markdown;
pub(crate) use page::html;
pub use page::page;
pub use sarif::sarif;
pub use text::{explained, text};

use hydrogen_evidence::Item;

/// So many items of a question are shown where space is short.
const SHOWN: usize = 8;

/// Where an item is: `file:line`, or nothing.
fn place(item: &Item) -> Option<String> {
    let file = item.file.as_ref()?;
    Some(match item.line {
        Some(line) => format!("{file}:{line}"),
        None => file.clone(),
    })
}
