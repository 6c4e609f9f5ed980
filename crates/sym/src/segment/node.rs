//! Evaluating one node: its instructions, and where it leads.

use super::{Did, Evaluation, FaultAt, RESULT, Step, Target};
use crate::{
    Obstacle,
    check::Asks,
    code::{Exit, Var},
    fold::gathered,
    homes::Home,
    state::{State, Value, Way},
};
use hydrogen_evidence::Class;
use hydrogen_ir::{Const, InstructionId, Op, Operand};
use hydrogen_term::{Sort, Term};
use std::collections::BTreeMap;

impl Evaluation<'_, '_, '_> {
    /// Evaluates a node and says where it leads.
    pub(super) fn node(&mut self, at: usize) -> Result<Vec<(Target, Way, State)>, Obstacle> {
        let node = &self.runner.code.nodes[at];
        for id in (node.first..node.end).map(InstructionId) {
            self.instruction(id)?;
            if self.context.pool.as_bool(self.way.sound) == Some(false) {
                return Ok(Vec::new());
            }
        }
        let mut next = Vec::new();
        match node.exit {
            Exit::Enter(call, inner) => {
                let arguments = self.arguments(call)?;
                for (n, value) in (0..).zip(arguments) {
                    self.state.values.insert(Var::Parameter(inner, n), value);
                }
                if let Some(neutral) = crate::fold::at_first(self.context, self.runner.code, inner) {
                    self.state.values.insert(gathered(inner), Value::Bits(neutral, None));
                }
                next.push((self.runner.code.block(inner, hydrogen_ir::BlockId(0)), None));
            }
            Exit::Again(call, behind) => {
                let arguments = self.arguments(call)?;
                let fold = self.runner.code.frames[self.frame as usize].fold;
                if let (Some(behind), Some(fold)) = (behind, fold) {
                    self.gather(fold, call, behind)?;
                }
                for (n, value) in (0..).zip(arguments) {
                    self.state.values.insert(Var::Parameter(self.frame, n), value);
                }
                next.push((self.runner.code.block(self.frame, hydrogen_ir::BlockId(0)), None));
            }
            Exit::Next => next.push((at + 1, None)),
            Exit::Up(call, up) => {
                for (n, value) in (0..).zip(self.arguments(call)?) {
                    self.state.values.insert(Var::Parameter(up, n), value);
                }
                next.push((self.runner.code.block(up, hydrogen_ir::BlockId(0)), None));
            }
            Exit::Terminator(id) => match self.runner.code.op(self.frame, id) {
                Op::Return { value } => {
                    let value = match value {
                        Some(value) => Some(self.operand(value)?),
                        None => None,
                    };
                    let value = self.returned(value)?;
                    let is_within = self.within == Some(self.frame);
                    let Some((caller, to)) = self.runner.code.after(self.frame).filter(|_| !is_within) else {
                        let mut state = self.state.clone();
                        state.values.clear();
                        state.values.extend(value.map(|value| (RESULT, value)));
                        return Ok(vec![(Target::Return, self.way.clone(), state)]);
                    };
                    if let Some(value) = value {
                        self.state.values.insert(Var::Register(caller.frame, caller.call), value);
                    }
                    next.push((to, None));
                }
                Op::Jump { target } => next.push((self.runner.code.block(self.frame, *target), None)),
                Op::Branch { condition, then, otherwise } => {
                    let bit = self.scalar(condition)?;
                    let truth = self.context.pool.bits_to_bool(bit);
                    let denied = self.context.pool.not(truth);
                    let (then, otherwise) = (
                        self.runner.code.block(self.frame, *then),
                        self.runner.code.block(self.frame, *otherwise),
                    );
                    if then == otherwise {
                        next.push((then, None));
                    } else {
                        next.push((then, Some(truth)));
                        next.push((otherwise, Some(denied)));
                    }
                }
                Op::Switch { value, default, cases } => {
                    let value = self.scalar(value)?;
                    let mut by_target: BTreeMap<usize, Vec<Term>> = BTreeMap::new();
                    let mut none = Vec::new();
                    for case in cases {
                        let wanted = self.constant_scalar(case.value)?;
                        let hit = self.context.pool.eq(value, wanted);
                        none.push(self.context.pool.not(hit));
                        by_target
                            .entry(self.runner.code.block(self.frame, case.target))
                            .or_default()
                            .push(hit);
                    }
                    let none = self.context.pool.and_all(none);
                    by_target.entry(self.runner.code.block(self.frame, *default)).or_default().push(none);
                    for (target, hits) in by_target {
                        let hit = self.context.pool.or_all(hits);
                        next.push((target, Some(hit)));
                    }
                }
                Op::Unreachable => {
                    if self.follows_a_stop(at) {
                        let mut state = self.state.clone();
                        state.values.clear();
                        return Ok(vec![(Target::Stop, self.way.clone(), state)]);
                    }
                    let always = self.context.pool.bool(true);
                    self.fault(Class::Control, always);
                    return Ok(Vec::new());
                }
                _ => return Err(Obstacle::new("a jump that is not followed (computed goto or assembly)")),
            },
        }
        let from = node.block;
        let mut found = Vec::new();
        for (to, condition) in next {
            if let Some(way) = self.extended(condition) {
                let state = self.entering(to, from)?;
                found.push((Target::Head(to), way, state));
            }
        }
        Ok(found)
    }

    fn extended(&mut self, condition: Option<Term>) -> Option<Way> {
        let mut way = self.way.clone();
        if let Some(condition) = condition {
            match self.context.pool.as_bool(condition) {
                Some(true) => {}
                Some(false) => return None,
                None => way.branches.push(condition),
            }
        }
        Some(way)
    }

    /// The state on entering a node: φs have their values, and what is not read any more is gone.
    pub(super) fn entering(&mut self, to: usize, from: hydrogen_ir::BlockId) -> Result<State, Obstacle> {
        let code = self.runner.code;
        let mut state = self.state.clone();
        if code.nodes[to].frame == self.frame {
            for id in code.phis(to) {
                let Op::Phi { incoming } = code.op(self.frame, id) else { continue };
                if let Some((_, operand)) = incoming.iter().find(|(block, _)| *block == from) {
                    let value = self.operand(operand)?;
                    state.values.insert(Var::Register(self.frame, id), value);
                }
            }
        }
        let live = code.live(to);
        state.values.retain(|var, _| live.contains(var));
        Ok(state)
    }

    /// Whether the call before the end of a node does not come back.
    fn follows_a_stop(&self, at: usize) -> bool {
        let node = &self.runner.code.nodes[at];
        let module = self.runner.code.module;
        (node.first..node.end).rev().map(InstructionId).any(|id| match self.runner.code.op(self.frame, id) {
            Op::Call { callee: Operand::Const(callee), .. } => match module.constant(*callee) {
                Const::Function(function) => module.function(*function).no_return,
                _ => false,
            },
            _ => false,
        })
    }

    /// From here on the condition does not hold: where it does, the run has faulted.
    pub fn fault(&mut self, class: Class, condition: Term) {
        self.check(|| Asks::Fails { class, condition });
        if self.context.trusting && class == Class::SignedOverflow {
            let guard = self.way.guard(self.context);
            let wraps = self.context.pool.and(guard, condition);
            if self.context.pool.as_bool(wraps) != Some(false) {
                self.segment.wraps.push(wraps);
            }
            return;
        }
        let pool = &mut self.context.pool;
        if pool.as_bool(condition) == Some(false) {
            return;
        }
        let branches = &self.way.branches;
        let bare = pool.and_all(branches.iter().copied().chain([condition]));
        let guard = pool.and_all(branches.iter().copied().chain([self.way.sound, condition]));
        if pool.as_bool(guard) != Some(false) {
            self.segment.faults.push(FaultAt { class, guard, bare, world: self.state.world });
        }
        let fine = pool.not(condition);
        self.way.sound = pool.and(self.way.sound, fine);
    }

    /// Notes what the instruction did, where that is asked for.
    pub(crate) fn note(&mut self, did: impl FnOnce() -> Did) {
        if self.context.notes {
            let when = self.way.guard(self.context);
            self.segment.steps.push(Step { frame: self.frame, id: self.at, when, did: did() });
        }
    }

    /// Something that is taken for granted on this way.
    pub fn assume(&mut self, condition: Term) {
        let guard = self.way.guard(self.context);
        let assumption = self.context.pool.implies(guard, condition);
        if self.context.pool.as_bool(assumption) != Some(true) {
            self.segment.assumptions.push(assumption);
        }
    }

    /// A value of which nothing is known, not even that it is the same in both versions.
    pub fn undefined(&mut self, width: u32) -> Value {
        if self.context.concrete {
            self.context.guessed = true;
            return Value::Bits(self.context.pool.bits(width, 0), None);
        }
        Value::Bits(self.context.pool.fresh("undefined", Sort::Bits(width)), None)
    }

    /// Sets the variable of a stack slot, or the bytes of an object, to what is left from before.
    pub fn allocate(&mut self, id: InstructionId) {
        match self.runner.code.homes.get(self.frame, id) {
            // In a run on one input, a read finds out that nothing is there.
            Some(Home::Slot(slot)) if self.context.concrete => {
                self.state.values.remove(&Var::Slot(slot));
            }
            Some(Home::Slot(slot)) => {
                let width = self.runner.code.homes.slots[slot as usize].width;
                let value = self.undefined(width);
                self.state.values.insert(Var::Slot(slot), value);
            }
            Some(Home::Object(_)) | None => {}
        }
    }
}
