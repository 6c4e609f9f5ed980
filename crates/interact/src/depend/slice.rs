//! Slices: everything that a statement affects, or that it depends on, by ways that a run can go.
//!
//! Two things are kept apart on the way. *How* a statement is affected: one that computes something else hands other arguments to
//! the functions it calls, and only what uses them is affected there; one that runs more or less often affects all that these
//! functions do, but is told apart: what such a function computes in a call that comes or goes as a whole is nothing that it computed
//! otherwise before. *Where* an effect may go: what came into a function by a call need not leave it to other callers, because the call
//! it came by is affected already. What goes through a global variable or memory may come out anywhere.
//!
//! What is only affected because the program may end before it, or no longer does, is told apart as well: in a run that comes to it
//! before and after the change nothing ended, so it does as before, and so does all that reads what it sets.

use super::program::{Dependence, StatementId};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Why one statement depends on another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Via {
    /// It decides whether the other runs.
    Control,
    /// It sets what the other reads, in the same function.
    Data,
    /// It calls the function whose entry the other is.
    Call,
    /// The same, and no result of a call in it goes into what the function is given.
    CallApart,
    /// It may end the program before the other, or is a step on the way from such a statement to what stands behind.
    Ends,
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

/// What an effect does to a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reached {
    /// Nothing.
    Not,
    /// The function may be called more or less often, or the program ends before it or no longer does; what it does otherwise
    /// stays.
    Called,
    /// It may compute something else, or run or not in a call that is made as before.
    Affected,
}

/// How an effect came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// The statement may compute something else.
    Value,
    /// The same, because of what a function returned to it.
    Result,
    /// It may run or not.
    Run,
    /// The whole call of its function may be made or not.
    Called,
    /// The program may end before it, or no longer does.
    Ended,
}

/// A node on a way, and what the way knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct State {
    way: Way,
    /// Whether the effect may leave the function to any of its callers.
    open: bool,
}

const WAYS: [Way; 5] = [Way::Value, Way::Result, Way::Run, Way::Called, Way::Ended];

/// A set of states.
pub(crate) type States = u16;

/// The states with [`Way::Called`] and [`Way::Ended`].
const CALLED: States = 0b11_1100_0000;

impl State {
    fn of(effect: Effect) -> Self {
        let way = match effect {
            Effect::Value => Way::Value,
            Effect::Run => Way::Run,
        };
        Self { way, open: true }
    }

    fn all() -> impl Iterator<Item = State> {
        WAYS.into_iter().flat_map(|way| [false, true].map(|open| State { way, open }))
    }

    fn number(self) -> usize {
        self.way as usize * 2 + usize::from(self.open)
    }

    fn bit(self) -> States {
        1 << self.number()
    }
}

/// A node on a way with the way's weight, the largest first.
struct Weighed(f64, usize, State);

impl Ord for Weighed {
    fn cmp(&self, other: &Self) -> Ordering {
        let place = |it: &Self| (it.1, it.2.bit());
        self.0.total_cmp(&other.0).then(place(other).cmp(&place(self)))
    }
}

impl PartialOrd for Weighed {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Weighed {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Weighed {}

impl Dependence {
    /// Everything that depends on these statements, themselves included (the forward slice).
    pub fn forward<S: Into<Start>>(&self, from: impl IntoIterator<Item = S>) -> Vec<bool> {
        self.reached(from).into_iter().map(|it| it != Reached::Not).collect()
    }

    /// How everything is affected, in each program for itself: an effect does not go from one to another.
    pub fn reached<S: Into<Start>>(&self, from: impl IntoIterator<Item = S>) -> Vec<Reached> {
        let starts: Vec<Start> = from.into_iter().map(Into::into).collect();
        let mut seen = vec![0; self.len()];
        for group in &self.groups_of(starts.iter().map(|start| start.at)) {
            let own = starts.iter().filter(|start| self.is_in(start.at.0 as usize, group));
            let waiting: Vec<_> = own.map(|start| (start.at.0 as usize, State::of(start.effect))).collect();
            if waiting.is_empty() {
                continue;
            }
            let found = self.closure(waiting, |node, state, next| {
                for edge in self.graph().leaving(node).iter().filter(|edge| self.is_in(edge.to, group)) {
                    if let Some(then) = self.passed(node, state, edge.label) {
                        next.push((edge.to, then));
                    }
                }
            });
            seen.iter_mut().zip(found).for_each(|(known, found)| *known |= found);
        }
        let how = |states: States| match (states, states & !CALLED) {
            (0, _) => Reached::Not,
            (_, 0) => Reached::Called,
            _ => Reached::Affected,
        };
        seen.into_iter().map(how).collect()
    }

    /// Everything that these statements depend on, themselves included (the backward slice): whatever has them in its forward
    /// slice.
    pub fn backward(&self, from: impl IntoIterator<Item = StatementId>) -> Vec<bool> {
        self.affecting(from).into_iter().map(|states| states & State::of(Effect::Run).bit() != 0).collect()
    }

    /// Whether an effect that starts so comes to one of the statements that a backward slice was made of.
    pub(crate) fn affecting(&self, from: impl IntoIterator<Item = StatementId>) -> Vec<States> {
        let all = |at: StatementId| State::all().map(move |state| (at.0 as usize, state));
        let waiting = from.into_iter().flat_map(all).collect();
        self.closure(waiting, |node, state, next| {
            for edge in self.graph().entering(node) {
                let leads =
                    State::all().filter(|before| self.passed(edge.from, *before, edge.label) == Some(state));
                next.extend(leads.map(|before| (edge.from, before)));
            }
        })
    }

    /// Whether an effect that starts here is among those that [`Dependence::affecting`] found.
    pub(crate) fn is_among(found: &[States], start: Start) -> bool {
        found[start.at.0 as usize] & State::of(start.effect).bit() != 0
    }

    /// Per statement, the best of the ways that lead to it, along which a run can go; 0 where none does. A start has a
    /// weight, and so has each edge.
    pub(crate) fn best_ways(
        &self,
        starts: &[(Start, f64)],
        weight: impl Fn(&hydrogen_flow::Edge<Via>) -> f64,
    ) -> Vec<f64> {
        use hydrogen_flow::Successors;
        let mut best = vec![0.0f64; self.len()];
        for group in &self.groups_of(starts.iter().map(|(start, _)| start.at)) {
            let own = starts.iter().filter(|(start, _)| self.is_in(start.at.0 as usize, group));
            let mut waiting: BinaryHeap<Weighed> = own
                .map(|(start, weight)| Weighed(*weight, start.at.0 as usize, State::of(start.effect)))
                .collect();
            if waiting.is_empty() {
                continue;
            }
            let mut known = vec![[0.0f64; 2 * WAYS.len()]; self.graph().node_count()];
            while let Some(Weighed(now, node, state)) = waiting.pop() {
                let slot = &mut known[node][state.number()];
                if now <= *slot {
                    continue;
                }
                *slot = now;
                for edge in self.graph().leaving(node).iter().filter(|edge| self.is_in(edge.to, group)) {
                    if let Some(then) = self.passed(node, state, edge.label) {
                        let next = now * weight(edge);
                        if next > known[edge.to][then.number()] {
                            waiting.push(Weighed(next, edge.to, then));
                        }
                    }
                }
            }
            for (all, own) in best.iter_mut().zip(known) {
                *all = own.into_iter().fold(*all, f64::max);
            }
        }
        best
    }

    /// What an effect is behind an edge, if it goes there.
    fn passed(&self, from: usize, state: State, via: Via) -> Option<State> {
        let State { way, open } = state;
        let is_statement = from < self.len();
        // A call that comes or goes as a whole does so with all that happens in it.
        let inside = |then: Way| State { way: if way == Way::Called { way } else { then }, open };
        if way == Way::Ended {
            return self.behind_an_end(from, state, via);
        }
        match via {
            // The entry of a function that was called with something else runs as before.
            Via::Control if matches!(way, Way::Value | Way::Result) && self.is_entry(from) => None,
            Via::Control => Some(inside(Way::Run)),
            Via::Data => Some(inside(Way::Value)),
            // What a call gave back says nothing about whether it comes back.
            Via::Ends if way == Way::Result => None,
            Via::Ends => Some(State { way: Way::Ended, open }),
            // What came back through the node of calls through pointers is at the callers next.
            Via::Call | Via::CallApart if !is_statement && open => None,
            Via::CallApart if way == Way::Result => None,
            Via::Call | Via::CallApart => Some(State {
                way: match way {
                    Way::Value | Way::Result => Way::Value,
                    Way::Run | Way::Called | Way::Ended => Way::Called,
                },
                open: false,
            }),
            Via::Return if open => Some(State { way: Way::Result, open: true }),
            Via::Return => None,
            Via::Place => Some(State { way: Way::Value, open: true }),
        }
    }

    /// What stands behind a statement that the program may end before, or no longer does: what it decides about and calls, and
    /// what its callers do next. What it sets is read in the same runs only.
    fn behind_an_end(&self, from: usize, state: State, via: Via) -> Option<State> {
        match via {
            Via::Control | Via::Ends => Some(state),
            Via::Call | Via::CallApart if from >= self.len() && state.open => None,
            Via::Call | Via::CallApart => Some(State { open: false, ..state }),
            // From a function that may end the program to its calls.
            Via::Return if from >= self.len() && state.open => Some(state),
            Via::Data | Via::Place | Via::Return => None,
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
    ) -> Vec<States> {
        use hydrogen_flow::Successors;
        let mut seen: Vec<States> = vec![0; self.graph().node_count()];
        while let Some((node, state)) = waiting.pop() {
            if seen[node] & state.bit() == 0 {
                seen[node] |= state.bit();
                follow(node, state, &mut waiting);
            }
        }
        seen
    }
}
