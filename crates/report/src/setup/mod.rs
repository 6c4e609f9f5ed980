//! What a user has: versions, a cache, and the parts that are needed.

mod cache;
mod files;
mod parts;
mod versions;

pub use cache::{freed, json as cache_json, removed, text as cache_text};
pub use files::{json as files_json, text as files_text};
pub use parts::{json as parts_json, text as parts_text};
pub use versions::{json as versions_json, text as versions_text};
