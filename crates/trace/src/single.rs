//! The slice of a single criterion: who is needed is a bit per executed instruction.

use crate::criterion::Seeds;
use crate::dependences::Dependences;
use crate::node::Node;
use crate::page::Record;
use crate::record::TraceError;
use crate::slice::Slice;
use crate::wanted::Wanted;
use rustc_hash::FxHashSet;

/// What is needed while going backwards.
struct Single<'d, 's, 'p> {
    dependences: &'d Dependences<'s, 'p>,
    slice: Slice,
    /// Instructions before the current one that are needed so far, and parts of such.
    needed: Slice,
    parts: FxHashSet<Node>,
    /// For a relevant slice.
    wanted: Option<Wanted>,
    /// Whether what decides that an instruction is executed is needed with it.
    control: bool,
}

impl Single<'_, '_, '_> {
    fn need(&mut self, node: Node) {
        if node.is_part() {
            self.parts.insert(node);
        } else if node != Node::NONE {
            self.needed.insert(node.number());
        }
    }

    fn visit(&mut self, record: &Record<'_>) {
        let node = record.node;
        let needed = match node.is_part() {
            true => self.parts.remove(&node),
            false => self.needed.contains(node.number()),
        };
        // A branch or a store matters also where it might have changed what others read.
        let asks = record.taken.is_some() || record.stores && record.chooses_place();
        let matches = !needed
            && asks
            && self.wanted.as_mut().is_some_and(|wanted| wanted.matches(self.dependences, record));
        if needed || matches {
            // A part other than "came back" stands for the call itself in what people see.
            if node != Node::part(node.number(), Node::RETURNED) {
                self.slice.insert(node.number());
            }
            self.spread(record, needed || record.taken.is_some());
        }
        if record.first
            && let Some(wanted) = &mut self.wanted
        {
            wanted.forget(record.frame);
        }
    }

    /// Needs what the instance depends on; of a store that is there only because it might have gone elsewhere, what decides where
    /// it goes.
    fn spread(&mut self, record: &Record<'_>, whole: bool) {
        if self.control {
            self.need(record.control);
        }
        let (data, variables) = match whole {
            true => (record.data, record.variables),
            false => {
                (&record.data[..record.address.0 as usize], &record.variables[..record.address.1 as usize])
            }
        };
        data.iter().for_each(|from| self.need(*from));
        for (variable, from) in variables {
            self.need(*from);
            if let Some(wanted) = &mut self.wanted {
                wanted.variable(record.frame, *variable, *from);
            }
        }
        for (cell, from) in record.cells.iter().filter(|_| whole) {
            self.need(*from);
            if let Some(wanted) = &mut self.wanted {
                wanted.cell(*cell, *from, record.node);
            }
        }
    }
}

impl Dependences<'_, '_> {
    /// The slice of a criterion.
    pub(crate) fn single(&self, seeds: &Seeds, relevant: bool) -> Result<Slice, TraceError> {
        let wanted = (relevant && self.potential).then(|| Wanted::new(self));
        self.backwards(seeds, wanted, true)
    }

    /// Where values come from: the instructions that computed them and handed them on, whatever decided that they are executed.
    pub fn data_slice(&self, seeds: &Seeds) -> Result<Slice, TraceError> {
        self.backwards(seeds, None, false)
    }

    fn backwards(&self, seeds: &Seeds, wanted: Option<Wanted>, control: bool) -> Result<Slice, TraceError> {
        let (slice, needed) = (Slice::new(self.steps), Slice::new(self.steps));
        let parts = FxHashSet::default();
        let mut single = Single { dependences: self, slice, needed, parts, wanted, control };
        seeds.nodes.iter().for_each(|node| single.need(*node));
        if let Some(wanted) = &mut single.wanted {
            seeds.cells.iter().for_each(|(cell, since)| wanted.cell(*cell, *since, Node::LAST));
        }
        self.records.backwards(|record| single.visit(record))?;
        Ok(single.slice)
    }
}
