//! Slices: everything that a statement affects, or that it depends on, by ways that a run can go.
//!
//! Two things are kept apart on the way. *How* a statement is affected: one that computes something else hands other arguments to
//! the functions it calls, and only what uses them is affected there; one that runs more or less often affects all that these
//! functions do. *Where* an effect may go: what came into a function by a call need not leave it to other callers, because the call
//! it came by is affected already. What goes through a global variable or memory may come out anywhere.

use super::program::{Dependence, StatementId};

/// Why one statement depends on another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Via {
    /// It decides whether the other runs.
    Control,
    /// It sets what the other reads, in the same function.
    Data,
    /// It calls the function whose entry the other is.
    Call,
    /// It returns a value to the other.
    Return,
    /// It sets a place that functions share, or reads it.
    Place,
}

/// How a statement is affected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// It may compute something else.
    Value,
    /// It may also run when it did not, or not run when it did.
    Run,
}

/// A statement at which an effect starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Start {
    /// The statement.
    pub at: StatementId,
    /// How it is affected.
    pub effect: Effect,
}

impl From<StatementId> for Start {
    /// The widest: it may run or not.
    fn from(at: StatementId) -> Self {
        Self { at, effect: Effect::Run }
    }
}

/// A node on a way, and what the way knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct State {
    effect: Effect,
    /// Whether the effect may leave the function to any of its callers.
    open: bool,
}

const STATES: [State; 4] = [
    State { effect: Effect::Value, open: false },
    State { effect: Effect::Value, open: true },
    State { effect: Effect::Run, open: false },
    State { effect: Effect::Run, open: true },
];

impl State {
    fn of(effect: Effect) -> Self {
        Self { effect, open: true }
    }

    fn bit(self) -> u8 {
        1 << (usize::from(self.effect == Effect::Run) * 2 + usize::from(self.open))
    }
}

impl Dependence {
    /// Everything that depends on these statements, themselves included (the forward slice).
    pub fn forward<S: Into<Start>>(&self, from: impl IntoIterator<Item = S>) -> Vec<bool> {
        let starts = from.into_iter().map(Into::into);
        let waiting = starts.map(|start| (start.at.0 as usize, State::of(start.effect))).collect();
        let seen = self.closure(waiting, |node, state, next| {
            for edge in self.graph().leaving(node) {
                if let Some(then) = self.passed(node, state, edge.label) {
                    next.push((edge.to, then));
                }
            }
        });
        seen.into_iter().map(|states| states != 0).collect()
    }

    /// Everything that these statements depend on, themselves included (the backward slice): whatever has them in its forward
    /// slice.
    pub fn backward(&self, from: impl IntoIterator<Item = StatementId>) -> Vec<bool> {
        self.affecting(from).into_iter().map(|states| states & State::of(Effect::Run).bit() != 0).collect()
    }

    /// Whether an effect that starts so comes to one of the statements that a backward slice was made of.
    pub(crate) fn affecting(&self, from: impl IntoIterator<Item = StatementId>) -> Vec<u8> {
        let all = |at: StatementId| STATES.map(|state| (at.0 as usize, state));
        let waiting = from.into_iter().flat_map(all).collect();
        self.closure(waiting, |node, state, next| {
            for edge in self.graph().entering(node) {
                let before = STATES.into_iter();
                let leads =
                    before.filter(|before| self.passed(edge.from, *before, edge.label) == Some(state));
                next.extend(leads.map(|before| (edge.from, before)));
            }
        })
    }

    /// Whether an effect that starts here is among those that [`Dependence::affecting`] found.
    pub(crate) fn is_among(found: &[u8], start: Start) -> bool {
        found[start.at.0 as usize] & State::of(start.effect).bit() != 0
    }

    /// What an effect is behind an edge, if it goes there.
    fn passed(&self, from: usize, state: State, via: Via) -> Option<State> {
        let State { effect, open } = state;
        let is_statement = from < self.len();
        match via {
            // The entry of a function that was called with something else runs as before.
            Via::Control if effect == Effect::Value && self.is_entry(from) => None,
            Via::Control => Some(State { effect: Effect::Run, open }),
            Via::Data => Some(State { effect: Effect::Value, open }),
            // What came back through the node of calls through pointers is at the callers next.
            Via::Call if !is_statement && open => None,
            Via::Call => Some(State { effect, open: false }),
            Via::Return if open => Some(State { effect: Effect::Value, open: true }),
            Via::Return => None,
            Via::Place => Some(State { effect: Effect::Value, open: true }),
        }
    }

    fn is_entry(&self, node: usize) -> bool {
        node < self.len() && self.piece_of(StatementId(node as u32)) == crate::program::ENTRY
    }

    /// Per node, the states that are reached.
    fn closure(
        &self,
        mut waiting: Vec<(usize, State)>,
        mut follow: impl FnMut(usize, State, &mut Vec<(usize, State)>),
    ) -> Vec<u8> {
        use hydrogen_flow::Successors;
        let mut seen = vec![0u8; self.graph().node_count()];
        while let Some((node, state)) = waiting.pop() {
            if seen[node] & state.bit() == 0 {
                seen[node] |= state.bit();
                follow(node, state, &mut waiting);
            }
        }
        seen
    }
}
