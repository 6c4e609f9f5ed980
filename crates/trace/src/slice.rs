//! Slices: everything that a criterion depends on, found in one pass from the end of the run to its beginning.

use crate::criterion::Seeds;
use crate::dependences::Dependences;
use crate::labels::{Label, Labels};
use crate::node::Node;
use crate::page::Record;
use crate::record::TraceError;
use crate::wants::Wants;
use rustc_hash::FxHashMap;

/// Executed instructions that a criterion depends on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Slice {
    bits: Vec<u64>,
    /// How many.
    pub count: u64,
}

impl Slice {
    pub(crate) fn new(steps: u64) -> Self {
        Self { bits: vec![0; steps as usize / 64 + 1], count: 0 }
    }

    pub(crate) fn insert(&mut self, step: u64) {
        let (word, bit) = (step as usize / 64, 1 << (step % 64));
        if self.bits[word] & bit == 0 {
            self.bits[word] |= bit;
            self.count += 1;
        }
    }

    /// Whether the executed instruction with this number is in the slice; the first is 1.
    pub fn contains(&self, step: u64) -> bool {
        self.bits.get(step as usize / 64).is_some_and(|word| word >> (step % 64) & 1 != 0)
    }

    /// The executed instructions of the slice from one on, in order.
    pub fn steps(&self, from: u64) -> impl Iterator<Item = u64> + '_ {
        let (first, below) = (from as usize / 64, from % 64);
        let words = self.bits.iter().enumerate().skip(first);
        words.flat_map(move |(at, word)| {
            let mut left = if at == first { *word >> below << below } else { *word };
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros())?;
                left &= left - 1;
                Some(at as u64 * 64 + u64::from(bit))
            })
        })
    }
}

/// The slices of a criterion and of members of its slice, among each other.
#[derive(Debug)]
pub struct Slices {
    /// The slice of the criterion.
    pub slice: Slice,
    labels: Labels,
    members: Vec<Label>,
}

impl Slices {
    /// Whether a member is in the slice of the criterion.
    pub fn is_relevant(&self, member: usize) -> bool {
        self.members[member] != 0 && self.labels.contains(self.members[member], 0)
    }

    /// Whether a member is in the slice of another member (or its own); both must be in the slice of the criterion.
    pub fn contains(&self, member: usize, of: usize) -> bool {
        self.labels.contains(self.members[member], of + 1)
    }
}

pub(crate) struct Closure<'d, 's, 'p> {
    dependences: &'d Dependences<'s, 'p>,
    relevant: bool,
    pub(crate) labels: Labels,
    pending: FxHashMap<Node, Label>,
    wants: Wants,
}

impl<'d, 's, 'p> Closure<'d, 's, 'p> {
    pub(crate) fn new(dependences: &'d Dependences<'s, 'p>, relevant: bool, criteria: usize) -> Self {
        Self {
            dependences,
            relevant,
            labels: Labels::new(criteria),
            pending: FxHashMap::default(),
            wants: Wants::default(),
        }
    }

    pub(crate) fn need(&mut self, node: Node, label: Label) {
        if node != Node::NONE && label != 0 {
            let known = self.pending.entry(node).or_insert(0);
            *known = self.labels.union(*known, label);
        }
    }

    /// Who depends on this instance, and who on where it goes: a branch or a store matters also where it might have
    /// changed what others read.
    pub(crate) fn label(&mut self, record: &Record<'_>) -> (Label, Label) {
        let label = self.pending.remove(&record.node).unwrap_or(0);
        if !self.relevant || !(record.taken.is_some() || record.stores && record.chooses_place()) {
            return (label, label);
        }
        let wanted = self.wants.matched(self.dependences, &mut self.labels, record);
        let both = self.labels.union(label, wanted);
        if record.taken.is_some() { (both, both) } else { (label, both) }
    }

    /// Hands labels on to what the instance depends on: those of whoever depends on where it goes to what decides that, the
    /// others to the rest. `control` are those who depend on its being executed.
    pub(crate) fn spread(&mut self, record: &Record<'_>, label: Label, place: Label, control: Label) {
        self.need(record.control, control);
        let of = |number: usize, places: u32| if number < places as usize { place } else { label };
        for (number, from) in record.data.iter().enumerate() {
            self.need(*from, of(number, record.address.0));
        }
        for (number, (variable, from)) in record.variables.iter().enumerate() {
            let label = of(number, record.address.1);
            self.need(*from, label);
            if self.relevant && label != 0 {
                self.wants.variable(record.frame, *variable, *from, label);
            }
        }
        if label == 0 {
            return;
        }
        for (cell, from) in record.cells {
            self.need(*from, label);
            if self.relevant {
                self.want(*cell, *from, label);
            }
        }
    }

    /// Behind the first instruction of an activation nothing is of it.
    pub(crate) fn passed(&mut self, record: &Record<'_>) {
        if record.first {
            self.wants.forget(record.frame);
        }
    }

    /// Somebody reads a cell that nobody wrote since.
    fn want(&mut self, cell: u32, since: Node, label: Label) {
        self.wants.cell(cell, &self.dependences.cells[cell as usize], since, label);
    }
}

impl Dependences<'_, '_> {
    /// The dynamic slice of a criterion: what its values come from, and what decided that they were computed.
    pub fn dynamic_slice(&self, seeds: &Seeds) -> Result<Slice, TraceError> {
        self.single(seeds, false)
    }

    /// The relevant slice: also the branches that might have changed something had they gone the other way, and everything
    /// that these depend on (D-6.16).
    pub fn relevant_slice(&self, seeds: &Seeds) -> Result<Slice, TraceError> {
        self.single(seeds, true)
    }

    /// The relevant slice of a criterion, and in the same pass those of `members` of it: executed instructions by number,
    /// ascending.
    pub fn slices(&self, seeds: &Seeds, members: &[u64]) -> Result<Slices, TraceError> {
        let relevant = self.potential;
        let mut closure = Closure::new(self, relevant, members.len() + 1);
        let criterion = closure.labels.one(0);
        seeds.nodes.iter().for_each(|node| closure.need(*node, criterion));
        if relevant {
            for (cell, since) in &seeds.cells {
                closure.want(*cell, *since, criterion);
            }
        }
        let mut slice = Slice::new(self.steps);
        let mut found = vec![0; members.len()];
        self.records.backwards(|record| {
            let (mut label, mut place) = closure.label(record);
            if place != 0 {
                // A part other than "came back" stands for the call itself in what people see.
                let relevant = closure.labels.contains(place, 0);
                if record.node != Node::part(record.node.number(), Node::RETURNED) && relevant {
                    slice.insert(record.node.number());
                }
                if relevant
                    && !record.node.is_part()
                    && let Ok(member) = members.binary_search(&record.node.number())
                {
                    // Of a branch everything decides where it goes.
                    let own = closure.labels.one(member + 1);
                    place = closure.labels.union(place, own);
                    found[member] = place;
                    if !record.chooses_place() {
                        label = place;
                    }
                }
                closure.spread(record, label, place, place);
            }
            closure.passed(record);
        })?;
        Ok(Slices { slice, labels: closure.labels, members: found })
    }
}

#[cfg(test)]
mod tests {
    use super::Slice;

    #[test]
    fn steps_come_in_order_from_any_one_on() {
        let mut slice = Slice::new(300);
        let all = [1, 2, 63, 64, 65, 127, 128, 255, 300];
        all.iter().for_each(|step| slice.insert(*step));
        for from in 0..=310 {
            let expected: Vec<u64> = all.iter().copied().filter(|step| *step >= from).collect();
            assert_eq!(slice.steps(from).collect::<Vec<_>>(), expected, "from {from}");
        }
    }
}
