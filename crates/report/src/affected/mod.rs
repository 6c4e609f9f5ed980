//! What a change affects: text and JSON.

mod text;

pub use text::{branches_text, text};

use crate::envelope;
use serde::Serialize;

/// What a change, or both sides of a merge, affect, as `affects/1`.
pub fn json(all: &impl Serialize) -> String {
    // Evidence is data alone, which JSON can always hold.
    envelope::json("affects/1", &serde_json::to_value(all).unwrap_or_default())
}
