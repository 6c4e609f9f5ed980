//! Static dependence between the statements of a program, from its source alone.
//!
//! Everything that is not known is assumed: all memory behind pointers, arrays and members is one place, and so is each
//! global variable in all functions, set and read in the order in which control may come to them; a variable whose address is taken is part of that memory; a call through a pointer may
//! reach every function that is mentioned without being called; a macro uses, and if it assigns also changes, whatever its
//! definition names. So dependence is never missed for these reasons, and often assumed where there is none. What is not
//! followed: calls that end the program inside of other functions, and code that is not part of the program.

mod access;
mod order;
mod program;
mod uses;

pub use access::{Access, Location};
pub use program::{Dependence, StatementId};
pub(crate) use uses::{KEYWORDS, uses};

use hydrogen_flow::Successors;

impl Dependence {
    /// Everything that depends on these statements, themselves included (the forward slice).
    pub fn forward(&self, from: impl IntoIterator<Item = StatementId>) -> Vec<bool> {
        self.reach(from, false)
    }

    /// Everything that these statements depend on, themselves included (the backward slice).
    pub fn backward(&self, from: impl IntoIterator<Item = StatementId>) -> Vec<bool> {
        self.reach(from, true)
    }

    fn reach(&self, from: impl IntoIterator<Item = StatementId>, back: bool) -> Vec<bool> {
        let graph = self.graph();
        let mut seen = vec![false; graph.node_count()];
        let mut waiting: Vec<usize> = from.into_iter().map(|it| it.0 as usize).collect();
        while let Some(node) = waiting.pop() {
            if std::mem::replace(&mut seen[node], true) {
                continue;
            }
            if back {
                waiting.extend(graph.entering(node).map(|edge| edge.from));
            } else {
                waiting.extend(graph.successors(node));
            }
        }
        seen
    }
}
