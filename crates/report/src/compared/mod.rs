//! Two versions compared: function by function, or for which inputs they do the same.

mod deltas;
mod json;
mod page;
mod parts;
mod parts_json;
mod picture;
mod text;

pub use deltas::{deltas_json, deltas_text};
pub use json::json;
pub use page::{html, markdown};
pub use parts::{baseline_text, confirmed_words, outcome, text as parts_text};
pub use parts_json::{baseline_json, json as parts_json};
pub use picture::picture;
pub use text::text;
