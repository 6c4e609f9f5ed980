//! Following control inside one function, from a place to the next changes.

use crate::Reading;
use crate::program::{EXIT, Node, Routine};

/// A place in a function: a node, and how many of its calls are done. A changed node is passed before its calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub node: Node,
    pub calls: usize,
}

/// What is met first, on the ways from a place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Met {
    /// Changed nodes.
    pub changes: Vec<Node>,
    /// Calls that are made, as positions in [`Routine::calls`].
    pub calls: Vec<usize>,
    /// Whether the function's exit is met.
    pub exit: bool,
    /// Whether a node that ends the program is met.
    pub end: bool,
}

/// Walks functions; keeps its marks to save allocation.
#[derive(Debug, Default)]
pub(crate) struct Walker {
    seen: Vec<u32>,
    round: u32,
    stack: Vec<Place>,
    /// Whether only the exit is asked for: then a walk ends with it.
    pub only_exit: bool,
}

impl Walker {
    /// What is met first from `start` on. `passes` says whether a call may come back without a change in between.
    /// With `through`, changed nodes do not stop the walk: then it is all that can be reached.
    pub fn walk(
        &mut self,
        routine: &Routine,
        start: Place,
        reading: Reading,
        through: bool,
        passes: impl Fn(usize) -> bool,
    ) -> Met {
        self.seen.resize(self.seen.len().max(routine.len()), 0);
        self.round += 1;
        self.stack.clear();
        self.stack.push(start);
        let mut met = Met::default();
        while let Some(place) = self.stack.pop() {
            let own = routine.calls_of(place.node);
            let mut blocked = false;
            for call in own.skip(place.calls) {
                met.calls.push(call);
                // Without return flow, a call is entered and also stepped over.
                if reading == Reading::Full && !passes(call) {
                    blocked = true;
                    break;
                }
            }
            if blocked {
                continue;
            }
            met.end |= routine.is_end(place.node);
            for &next in routine.successors.of(place.node) {
                if std::mem::replace(&mut self.seen[next as usize], self.round) == self.round {
                    continue;
                }
                if next == EXIT {
                    met.exit = true;
                    if self.only_exit {
                        return met;
                    }
                } else if routine.is_changed(next) {
                    met.changes.push(next);
                    if through {
                        self.stack.push(Place { node: next, calls: 0 });
                    }
                } else {
                    self.stack.push(Place { node: next, calls: 0 });
                }
            }
        }
        met.changes.sort_unstable();
        met.calls.sort_unstable();
        met.calls.dedup();
        met
    }
}
