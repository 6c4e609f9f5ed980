//! Whom a question is about.

use hydrogen_ir::{FunctionId, Module};

/// A function of a module.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'m> {
    /// The module, or the whole program.
    pub module: &'m Module,
    /// The function.
    pub function: FunctionId,
}
