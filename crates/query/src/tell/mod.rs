//! A witness for the reader: its path, its values, its words.

pub(crate) mod chosen;
pub(crate) mod path;
pub(crate) mod witness;
pub(crate) mod words;
