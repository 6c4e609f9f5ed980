//! From C to the program model: statements from libclang, and the piece that every instruction belongs to.

pub mod clang;
