//! The model of every version, from cache where nothing changed.
