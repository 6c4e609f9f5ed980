//! A C-like form for people.
