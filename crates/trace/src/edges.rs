//! Dependences one by one, for those who draw them.

use crate::dependences::Dependences;
use crate::node::Node;
use crate::record::TraceError;

/// Why an executed instruction depends on another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Because {
    /// It uses what the other one computed or wrote.
    Data,
    /// The other one decided that it was executed.
    Control,
}

impl Dependences<'_, '_> {
    /// Visits every dependence between two executed instructions, in the order of execution: who, on whom, and why. Parts of an instruction stand for
    /// the whole.
    pub fn each(&self, mut visit: impl FnMut(u64, u64, Because)) -> Result<(), TraceError> {
        self.records.forwards(|record| {
            let who = record.node.number();
            let mut on = |node: Node, because: Because| {
                if node != Node::NONE && node.number() != who {
                    visit(who, node.number(), because);
                }
            };
            on(record.control, Because::Control);
            record.data.iter().for_each(|from| on(*from, Because::Data));
            record.variables.iter().chain(record.cells).for_each(|(_, from)| on(*from, Because::Data));
        })
    }
}
