//! Recursive calls that a certificate reads as jumps: what follows the call is evaluated for any answer, and must be joining it with something that does
//! not depend on it.

use super::{
    Lane,
    walk::{Turn, Walk},
};
use crate::{
    Obstacle,
    code::Var,
    fold::{Fold, gathered},
    segment::{RESULT, Segment, Target},
    state::Value,
};
use hydrogen_ir::InstructionId;
use hydrogen_term::{Sort, Term};

fn more() -> Obstacle {
    Obstacle::new("what follows the recursive call is more than joining its result")
}

impl Turn<'_, '_, '_, '_> {
    /// Joins what follows a recursive call with what has been gathered.
    pub fn take_in(&mut self, fold: Fold, call: InstructionId, behind: usize) -> Result<(), Obstacle> {
        let frame = self.frame;
        let width = crate::variables::width_of(self.runner.code, gathered(frame)).ok_or_else(more)?;
        let pool = &mut self.context.pool;
        let answer = pool.fresh("any answer", Sort::Bits(width));
        let memory = pool.fresh("any memory", Sort::MEMORY);
        let (world, epoch) =
            (pool.fresh("any world", Sort::Bits(64)), pool.fresh("any epoch", Sort::Bits(64)));
        let mut state = self.lane.state.clone();
        (state.public, state.world, state.epoch) = (memory, world, epoch);
        state.objects.fill(memory);
        state.values.insert(Var::Register(frame, call), Value::Bits(answer, None));
        let lane = Lane::new(self.context, Vec::new(), state);
        let mut rest = Segment::default();
        let mut walk = Walk { runner: self.runner, context: self.context, until: Some(frame), around: None };
        let arrived = walk.from(behind, lane, &mut rest)?;
        let lane = match arrived.into_iter().collect::<Vec<_>>().as_slice() {
            [(Target::Return, lanes)] => super::merged(self.context, lanes.clone()),
            _ => return Err(more()),
        };
        let comes_back = lane.when(self.context);
        let left = [lane.state.public, lane.state.world, lane.state.epoch] == [memory, world, epoch];
        let Some(result) = lane.state.values.get(&RESULT).and_then(Value::term) else { return Err(more()) };
        let pool = &mut self.context.pool;
        if !left
            || !rest.faults.is_empty()
            || !rest.assumptions.is_empty()
            || pool.sort(result) != Sort::Bits(width)
        {
            return Err(more());
        }
        let neutral = fold.neutral(pool, width);
        let alone = pool.substitute(result, &[(answer, neutral)].into_iter().collect());
        let seen = pool.variables(&[alone, result, comes_back]);
        if [memory, world, epoch].iter().any(|one| seen.contains(one)) {
            return Err(more());
        }
        let joined = fold.join(pool, alone, answer);
        let same = pool.eq(joined, result);
        let as_said: Term = pool.and(same, comes_back);
        let when = self.lane.when(self.context);
        let required = self.context.pool.implies(when, as_said);
        self.segment.required.extend(rest.required);
        self.segment.required.push(required);
        if fold != Fold::Plain {
            let before =
                self.lane.state.values.get(&gathered(frame)).and_then(Value::term).ok_or_else(more)?;
            let now = fold.join(&mut self.context.pool, before, alone);
            self.lane.state.values.insert(gathered(frame), Value::Bits(now, None));
        }
        Ok(())
    }

    /// What a frame gives back: its own value joined with what it gathered before.
    pub fn given_back(&mut self, value: Option<Value>) -> Result<Option<Value>, Obstacle> {
        let fold = self.runner.code.frames[self.frame as usize].fold;
        let fold = match fold {
            Some(fold) if fold != Fold::Plain && self.until != Some(self.frame) => fold,
            _ => return Ok(value),
        };
        let before = self.lane.state.values.get(&gathered(self.frame)).and_then(Value::term);
        let (Some(Value::Bits(own, None)), Some(before)) = (value, before) else { return Err(more()) };
        Ok(Some(Value::Bits(fold.join(&mut self.context.pool, before, own), None)))
    }
}
