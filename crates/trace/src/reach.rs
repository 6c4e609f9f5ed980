//! Who depends on whom among chosen instances, whatever the criterion.

use crate::dependences::Dependences;
use crate::labels::{Label, Labels};
use crate::node::Node;
use crate::record::TraceError;
use crate::slice::Closure;

/// Which dependences are followed from the instances that are asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edges {
    /// What their operands depend on, as in a relevant slice; not what decided that they were executed.
    Operands,
    /// What decided that they were executed, and over that, and so on.
    Control,
}

/// What instances depend on, among those that were watched.
#[derive(Debug)]
pub struct Reached {
    labels: Labels,
    watched: Vec<Label>,
}

impl Reached {
    /// Whether the instance with this number among those asked about depends on a watched one, by its number.
    pub fn depends(&self, from: usize, on: usize) -> bool {
        self.labels.contains(self.watched[on], from)
    }

    /// Whether it depends on any of them.
    pub fn depends_on_any(&self, from: usize) -> bool {
        self.watched.iter().any(|label| self.labels.contains(*label, from))
    }
}

/// An executed instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instance {
    /// Its number; the first is 1.
    pub step: u64,
    /// The instruction.
    pub site: hydrogen_machine::Site,
    /// Whether it decided where to go on.
    pub branches: bool,
}

impl Dependences<'_, '_> {
    /// What each of `from` depends on among `watched`, in one pass. Both are numbers of executed instructions, ascending.
    pub fn reach(&self, from: &[u64], watched: &[u64], edges: Edges) -> Result<Reached, TraceError> {
        let mut closure = Closure::new(self, edges == Edges::Operands, from.len());
        let mut found = vec![0; watched.len()];
        self.records.backwards(|record| {
            let (mut label, mut place) = closure.label(record);
            let (node, number) = (record.node, record.node.number());
            if !node.is_part()
                && let Ok(at) = watched.binary_search(&number)
            {
                found[at] = closure.labels.union(found[at], place);
            }
            let mut control = place;
            // The arguments of a call are operands too; that it came back is none.
            if node != Node::part(number, Node::RETURNED)
                && let Ok(at) = from.binary_search(&number)
            {
                let own = closure.labels.one(at);
                place = closure.labels.union(place, own);
                // Of an access, where it goes is asked about, not what is there.
                if !record.chooses_place() {
                    label = closure.labels.union(label, own);
                }
                if edges == Edges::Control {
                    control = place;
                }
            }
            match edges {
                Edges::Control => closure.need(record.control, control),
                Edges::Operands => closure.spread(record, label, place, control),
            }
            closure.passed(record);
        })?;
        Ok(Reached { labels: closure.labels, watched: found })
    }

    /// Visits all executed instructions in order.
    pub fn instances(&self, mut visit: impl FnMut(Instance)) -> Result<(), TraceError> {
        self.records.forwards(|record| {
            if !record.node.is_part() {
                let site = hydrogen_machine::Site { function: record.function(), pc: record.pc };
                visit(Instance { step: record.node.number(), site, branches: record.taken.is_some() });
            }
        })
    }
}
