//! Loops that a certificate leaves closed: one turn is walked with symbols, and what the loop leaves is named by that turn (see `slices`).

use super::{
    Lane,
    walk::{Arrivals, Turn, Walk},
};
use crate::{
    Obstacle,
    closed::natural_loop,
    code::Var,
    segment::{FaultAt, Segment, Target},
    slices::{Looped, Slices},
    state::{Origin, State, Value},
};
use hydrogen_term::{Sort, Term};
use std::collections::{BTreeMap, BTreeSet};

/// Turns that are walked to find out which pointers stay in their object.
const MOST_TURNS: usize = 4;

impl Turn<'_, '_, '_, '_> {
    /// Where a loop leads, with what it leaves behind.
    pub fn whole_loop(&mut self, head: usize) -> Result<Vec<(Target, Lane)>, Obstacle> {
        let nodes = natural_loop(self.runner.code, head);
        let before = self.at_head(head);
        let mut origins: BTreeMap<Var, Option<Origin>> = BTreeMap::new();
        for (&var, value) in &before.values {
            let Value::Bits(_, origin) = value else {
                return Err(Obstacle::new("a structure as a value at the head of a loop"));
            };
            origins.insert(var, *origin);
        }
        for _ in 0..MOST_TURNS {
            let now = self.any(&before, &origins);
            let (arrived, turn) = self.turn(head, &nodes, now.clone())?;
            let Some(lanes) = arrived.get(&Target::Head(head)) else {
                return Err(Obstacle::new("a loop that is none"));
            };
            let next = super::merged(self.context, lanes.clone());
            if (next.state.world, next.state.epoch) != (now.world, now.epoch) || !turn.required.is_empty() {
                return Err(Obstacle::new("a loop that calls what may do anything"));
            }
            let mut stays = true;
            for (var, origin) in origins.iter_mut().filter(|(_, origin)| origin.is_some()) {
                let after = match next.state.values.get(var) {
                    Some(Value::Bits(_, after)) => *after,
                    _ => None,
                };
                if after != *origin {
                    (*origin, stays) = (None, false);
                }
            }
            if stays {
                return self.behind(head, &nodes, &before, &now, &next, &turn.faults);
            }
        }
        Err(Obstacle::new("pointers in a loop that lead into several objects"))
    }

    /// What is read from the head on.
    fn at_head(&self, head: usize) -> State {
        let live = self.runner.code.live(head);
        let mut state = self.lane.state.clone();
        state.values.retain(|var, _| live.contains(var));
        state
    }

    /// A state at the head of which nothing is known but where pointers lead.
    fn any(&mut self, before: &State, origins: &BTreeMap<Var, Option<Origin>>) -> State {
        let pool = &mut self.context.pool;
        let mut state = before.clone();
        for (var, value) in &mut state.values {
            if let Value::Bits(term, _) = value {
                *value = Value::Bits(pool.fresh("turn", pool.sort(*term)), origins[var]);
            }
        }
        state.public = pool.fresh("turn", Sort::MEMORY);
        state.objects.iter_mut().for_each(|object| *object = pool.fresh("turn", Sort::MEMORY));
        state
    }

    fn turn(
        &mut self,
        head: usize,
        nodes: &BTreeSet<usize>,
        state: State,
    ) -> Result<(Arrivals, Segment), Obstacle> {
        let lane = Lane::new(self.context, Vec::new(), state);
        let mut segment = Segment::default();
        let mut walk =
            Walk { runner: self.runner, context: self.context, until: None, around: Some((head, nodes)) };
        let arrived = walk.from(head, lane, &mut segment)?;
        Ok((arrived, segment))
    }

    fn behind(
        &mut self,
        head: usize,
        nodes: &BTreeSet<usize>,
        before: &State,
        now: &State,
        next: &Lane,
        faults: &[FaultAt],
    ) -> Result<Vec<(Target, Lane)>, Obstacle> {
        let goes_on = self.context.pool.and_all(next.taken.iter().copied());
        let (symbols, steps, firsts) = (terms(now), terms(&next.state), terms(before));
        let mut variables = Vec::new();
        for (key, &symbol) in &symbols {
            let (Some(&step), Some(&first)) = (steps.get(key), firsts.get(key)) else {
                return Err(Obstacle::new("a variable that a loop does not always write"));
            };
            if self.context.pool.sort(symbol) != self.context.pool.sort(step) {
                return Err(Obstacle::new("a variable that a loop makes another"));
            }
            variables.push(Looped { symbol, step, first });
        }
        let slices = Slices::new(self.context, goes_on, variables)?;
        let mut last = now.clone();
        for (n, key) in symbols.keys().enumerate() {
            let value = slices.last(self.context, n)?;
            match *key {
                Key::Value(var) => {
                    if let Some(Value::Bits(term, _)) = last.values.get_mut(&var) {
                        *term = value;
                    }
                }
                Key::Public => last.public = value,
                Key::Object(object) => last.objects[object] = value,
            }
        }
        for fault in faults {
            let happened = slices.ever(self.context, fault.bare)?;
            self.goes_wrong(fault.class, happened);
        }
        // The turn in which the loop is left.
        let (arrived, turn) = self.turn(head, nodes, last)?;
        turn.faults.iter().for_each(|fault| self.goes_wrong(fault.class, fault.bare));
        turn.assumptions.iter().for_each(|&one| self.granted(one));
        let mut found = Vec::new();
        for (target, lanes) in arrived {
            let lane = super::merged(self.context, lanes);
            let condition = self.context.pool.and_all(lane.taken.iter().copied());
            if target == Target::Head(head) {
                let is_over = self.context.pool.not(condition);
                self.granted(is_over);
                continue;
            }
            found.push((target, condition, lane.state));
        }
        let lane = |(target, condition, state): (Target, Term, State)| {
            let mut lane = self.lane.clone();
            lane.state = state;
            lane.taken.push(condition);
            (target, lane)
        };
        Ok(found.into_iter().map(lane).collect())
    }
}

/// A part of a state that a loop may change.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Value(Var),
    Public,
    Object(usize),
}

fn terms(state: &State) -> BTreeMap<Key, Term> {
    let values = state.values.iter().filter_map(|(&var, value)| Some((Key::Value(var), value.term()?)));
    let objects = state.objects.iter().enumerate().map(|(n, &term)| (Key::Object(n), term));
    values.chain(objects).chain([(Key::Public, state.public)]).collect()
}
