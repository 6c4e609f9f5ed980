//! Sets that are made of elements and of other sets, found when they are asked for.
//!
//! Sets that refer to each other in a circle are the same set, so they are found by components (Tarjan), those that are referred to
//! first. Most sets are the same as the only other one that they refer to, and share it.

/// What marks an element in a list of references.
const ELEMENT: u32 = 1 << 31;

/// Which sets each set refers to, and its own elements; sets are numbered as they are added.
#[derive(Debug, Default)]
pub(crate) struct References {
    ends: Vec<u32>,
    all: Vec<u32>,
}

impl References {
    /// How many sets there are.
    pub fn len(&self) -> u32 {
        self.ends.len() as u32
    }

    /// Adds a reference to the set that is added next.
    pub fn refer(&mut self, set: u32) {
        self.all.push(set);
    }

    /// Adds an element to the set that is added next.
    pub fn element(&mut self, element: u32) {
        self.all.push(element | ELEMENT);
    }

    /// Adds a set of what was said since the last one.
    pub fn add(&mut self) {
        self.ends.push(self.all.len() as u32);
    }

    fn begin(&self, set: u32) -> u32 {
        if set == 0 { 0 } else { self.ends[set as usize - 1] }
    }
}

/// The sets that were found.
pub(crate) struct Found<'a> {
    references: &'a References,
    /// The different sets that were found, each sorted; the first one is empty.
    different: Vec<Vec<u32>>,
    /// Per set, its position among the different ones.
    position: Vec<u32>,
    /// Per set, when it was entered, and the earliest entered one that it leads to and that is open.
    entered: Vec<u32>,
    low: Vec<u32>,
    next: u32,
    open: Vec<u32>,
}

const UNKNOWN: u32 = u32::MAX;

impl<'a> Found<'a> {
    pub fn new(references: &'a References) -> Self {
        let count = references.ends.len();
        Self {
            references,
            different: vec![Vec::new()],
            position: vec![UNKNOWN; count],
            entered: vec![UNKNOWN; count],
            low: vec![0; count],
            next: 0,
            open: Vec::new(),
        }
    }

    /// The elements of a set, sorted.
    pub fn get(&mut self, set: u32) -> &[u32] {
        if self.position[set as usize] == UNKNOWN {
            self.find(set);
        }
        &self.different[self.position[set as usize] as usize]
    }

    fn enter(&mut self, set: u32) -> (u32, u32) {
        self.entered[set as usize] = self.next;
        self.low[set as usize] = self.next;
        self.next += 1;
        self.open.push(set);
        (set, self.references.begin(set))
    }

    fn find(&mut self, root: u32) {
        let mut way = vec![self.enter(root)];
        while let Some((set, at)) = way.last_mut() {
            let set = *set;
            if *at == self.references.ends[set as usize] {
                way.pop();
                let low = self.low[set as usize];
                if let Some((above, _)) = way.last() {
                    let above = &mut self.low[*above as usize];
                    *above = low.min(*above);
                }
                if low == self.entered[set as usize] {
                    self.close(set);
                }
                continue;
            }
            let other = self.references.all[*at as usize];
            *at += 1;
            if other & ELEMENT != 0 {
                continue;
            }
            if self.entered[other as usize] == UNKNOWN {
                way.push(self.enter(other));
            } else if self.position[other as usize] == UNKNOWN {
                let low = &mut self.low[set as usize];
                *low = self.entered[other as usize].min(*low);
            }
        }
    }

    /// All that was entered since `first` and is open is one set.
    fn close(&mut self, first: u32) {
        let start = self.open.iter().rposition(|&set| set == first).expect("it is open");
        let mut own: Vec<u32> = Vec::new();
        let mut below: Vec<u32> = Vec::new();
        for &set in &self.open[start..] {
            let range = self.references.begin(set) as usize..self.references.ends[set as usize] as usize;
            for &other in &self.references.all[range] {
                match other & ELEMENT != 0 {
                    true => own.push(other & !ELEMENT),
                    false => {
                        let position = self.position[other as usize];
                        // What is of the same component is not known yet; the empty set adds nothing.
                        if position != UNKNOWN && position != 0 && below.last() != Some(&position) {
                            below.push(position);
                        }
                    }
                }
            }
        }
        below.sort_unstable();
        below.dedup();
        let position = match below[..] {
            [] if own.is_empty() => 0,
            [only] if own.is_empty() => only,
            _ => self.joined(own, &below),
        };
        for set in self.open.drain(start..) {
            self.position[set as usize] = position;
        }
    }

    fn joined(&mut self, mut own: Vec<u32>, below: &[u32]) -> u32 {
        below.iter().for_each(|&other| own.extend_from_slice(&self.different[other as usize]));
        own.sort_unstable();
        own.dedup();
        let same = below.iter().copied().find(|&other| self.different[other as usize] == own);
        same.unwrap_or_else(|| {
            self.different.push(own);
            self.different.len() as u32 - 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Found, References};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

        /// A set has the elements of all sets that it leads to, in whatever order sets are asked for.
        #[test]
        fn sets_are_what_they_lead_to(
            drawn in prop::collection::vec(
                (prop::collection::vec(0u32..10, 0..3), prop::collection::vec(0u32..6, 0..2)),
                10,
            ),
            asked in prop::collection::vec(0u32..10, 1..6),
        ) {
            let mut references = References::default();
            for (others, elements) in &drawn {
                others.iter().for_each(|&other| references.refer(other));
                elements.iter().for_each(|&element| references.element(element));
                references.add();
            }
            let mut found = Found::new(&references);
            for set in asked {
                let mut seen = BTreeSet::from([set]);
                let mut waiting = vec![set];
                while let Some(set) = waiting.pop() {
                    waiting.extend(drawn[set as usize].0.iter().filter(|&&other| seen.insert(other)));
                }
                let expect: BTreeSet<u32> =
                    seen.iter().flat_map(|&set| drawn[set as usize].1.iter().copied()).collect();
                prop_assert_eq!(found.get(set).to_vec(), expect.into_iter().collect::<Vec<u32>>());
            }
        }
    }
}
