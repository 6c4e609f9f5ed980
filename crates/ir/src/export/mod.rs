//! Models for other tools: Graphviz and JSON.

mod dot;
mod json;

pub use dot::to_dot;
pub use json::to_json;
