//! From a structured statement tree to statement pieces and the control flow between them.
//!
//! Compiled mode (libclang) and build-free mode (tree-sitter) both describe a function body as a [`Stmt`] tree;
//! [`build`] turns either into the same pieces and edges, so the two modes differ only where they read the
//! source differently. `docs/statements.md` states the rules.

mod agree;
mod build;
mod condition;
mod tree;

pub use agree::{Cause, Disagreement, disagreement};
pub use build::{StatementGraph, build, build_all};
pub use hydrogen_ir::{canonical, canonical_of, fold};
pub use tree::{CaseLabel, ConfigBranch, Expr, Form, Stmt};
