//! Whether control leads from one statement to another.

use hydrogen_flow::{Components, Digraph, Successors};
use rustc_hash::FxHashMap;

/// Whether control leads from one statement to another: a definition is of no use before it is made.
pub(crate) struct Reach {
    graph: Digraph,
    pub components: Components,
    /// Per component, the components that it leads to, itself only if it is a circle; computed when asked for.
    known: FxHashMap<usize, Vec<u64>>,
}

impl Reach {
    pub fn new(graph: Digraph) -> Self {
        let components = Components::of(&graph);
        Self { graph, components, known: FxHashMap::default() }
    }

    pub fn leads(&mut self, from: usize, to: usize) -> bool {
        let (from, to) = (self.components.component_of(from), self.components.component_of(to));
        let bits = self.known.entry(from).or_insert_with(|| {
            let mut bits = vec![0u64; self.components.count().div_ceil(64)];
            let mut waiting = vec![from];
            let mut first = true;
            while let Some(component) = waiting.pop() {
                let (word, bit) = (component / 64, 1 << (component % 64));
                if !std::mem::take(&mut first) || self.components.is_cyclic(component) {
                    if bits[word] & bit != 0 {
                        continue;
                    }
                    bits[word] |= bit;
                }
                for &member in self.components.members(component) {
                    let next = self.graph.successors(member).map(|it| self.components.component_of(it));
                    waiting
                        .extend(next.filter(|&it| it != component && bits[it / 64] & (1 << (it % 64)) == 0));
                }
            }
            bits
        });
        bits[to / 64] & (1 << (to % 64)) != 0
    }
}
