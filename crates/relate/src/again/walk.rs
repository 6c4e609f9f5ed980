//! From node to node: what lanes do at the end of each, and where they arrive.

use super::{Lane, merged};
use crate::{
    Obstacle,
    code::{Exit, Var},
    context::Context,
    fold::gathered,
    segment::{FaultAt, Loops, RESULT, Runner, Segment, Target},
    state::{State, Value},
};
use hydrogen_evidence::Class;
use hydrogen_ir::{BlockId, Const, InstructionId, Op, Operand};
use hydrogen_term::Term;
use std::collections::{BTreeMap, BTreeSet};

/// Who arrives where.
pub(super) type Arrivals = BTreeMap<Target, Vec<Lane>>;

/// A walk through nodes in their order.
pub(super) struct Walk<'w, 'c, 'm> {
    pub runner: &'w Runner<'c, 'm>,
    pub context: &'w mut Context,
    /// The frame whose return ends the walk; the function's own where there is none.
    pub until: Option<u32>,
    /// The loop that the walk must not leave.
    pub around: Option<(usize, &'w BTreeSet<usize>)>,
}

/// One node being executed by one lane.
pub(super) struct Turn<'t, 'w, 'c, 'm> {
    pub runner: &'w Runner<'c, 'm>,
    pub context: &'t mut Context,
    pub segment: &'t mut Segment,
    pub until: Option<u32>,
    pub frame: u32,
    pub lane: Lane,
}

impl<'w, 'c, 'm> Walk<'w, 'c, 'm> {
    pub fn new(runner: &'w Runner<'c, 'm>, context: &'w mut Context) -> Self {
        Self { runner, context, until: None, around: None }
    }

    /// Everything that can happen from a node on. Faults, assumptions and requirements are added to the segment's.
    pub fn from(&mut self, start: usize, lane: Lane, segment: &mut Segment) -> Result<Arrivals, Obstacle> {
        let code = self.runner.code;
        let mut waiting = BTreeMap::from([((code.position[start], start), vec![lane])]);
        let mut arrived = Arrivals::new();
        let mut enters = true;
        while let Some(((position, node), lanes)) = waiting.pop_first() {
            let lane = merged(self.context, lanes);
            let is_own = self.around.is_some_and(|(head, _)| head == node);
            let opens = enters && (self.runner.loops == Loops::Cut || is_own);
            enters = false;
            let mut turn = Turn {
                runner: self.runner,
                context: self.context,
                segment,
                until: self.until,
                frame: code.nodes[node].frame,
                lane,
            };
            let ways = match code.heads.contains(&node) && !opens {
                true => turn.whole_loop(node)?,
                false => turn.node(node)?,
            };
            for (target, lane) in ways {
                let Target::Head(to) = target else {
                    arrived.entry(target).or_default().push(lane);
                    continue;
                };
                let leaves = self.around.is_some_and(|(head, nodes)| head == to || !nodes.contains(&to));
                let is_cut = self.runner.loops == Loops::Cut && code.heads.contains(&to);
                if leaves || is_cut {
                    arrived.entry(target).or_default().push(lane);
                } else if code.position[to] > position {
                    waiting.entry((code.position[to], to)).or_default().push(lane);
                } else {
                    return Err(Obstacle::new("a way back that no cut is on"));
                }
            }
        }
        Ok(arrived)
    }
}

impl Turn<'_, '_, '_, '_> {
    /// Executes a node: where each way out of it leads.
    fn node(&mut self, at: usize) -> Result<Vec<(Target, Lane)>, Obstacle> {
        let code = self.runner.code;
        let node = &code.nodes[at];
        for id in (node.first..node.end).map(InstructionId) {
            self.execute(id)?;
            if self.context.pool.as_bool(self.lane.safe) == Some(false) {
                return Ok(Vec::new());
            }
        }
        let yes = self.context.pool.bool(true);
        let ways: Vec<(usize, Term)> = match node.exit {
            Exit::Enter(call, inner) => {
                self.pass(call, inner)?;
                if let Some(neutral) = crate::fold::at_first(self.context, code, inner) {
                    self.lane.state.values.insert(gathered(inner), Value::Bits(neutral, None));
                }
                vec![(code.block(inner, BlockId(0)), yes)]
            }
            Exit::Again(call, behind) => {
                if let (Some(behind), Some(fold)) = (behind, code.frames[self.frame as usize].fold) {
                    self.take_in(fold, call, behind)?;
                }
                self.pass(call, self.frame)?;
                vec![(code.block(self.frame, BlockId(0)), yes)]
            }
            Exit::Next => vec![(at + 1, yes)],
            Exit::Up(call, up) => {
                self.pass(call, up)?;
                vec![(code.block(up, BlockId(0)), yes)]
            }
            Exit::Terminator(id) => match code.op(self.frame, id) {
                Op::Return { value } => {
                    let value = value.as_ref().map(|value| self.value(value)).transpose()?;
                    let value = self.given_back(value)?;
                    let caller = code.after(self.frame).filter(|_| self.until != Some(self.frame));
                    let Some((caller, next)) = caller else {
                        return Ok(vec![(Target::Return, self.bare(value))]);
                    };
                    let register = Var::Register(caller.frame, caller.call);
                    self.lane.state.values.extend(value.map(|value| (register, value)));
                    vec![(next, yes)]
                }
                Op::Jump { target } => vec![(code.block(self.frame, *target), yes)],
                Op::Branch { condition, then, otherwise } => {
                    let bit = self.number(condition)?;
                    let holds = self.context.pool.bits_to_bool(bit);
                    let fails = self.context.pool.not(holds);
                    vec![(code.block(self.frame, *then), holds), (code.block(self.frame, *otherwise), fails)]
                }
                Op::Switch { value, default, cases } => {
                    let value = self.number(value)?;
                    let mut ways = Vec::new();
                    let mut rest = yes;
                    for case in cases {
                        let label = self.known(case.value)?;
                        let hit = self.context.pool.eq(value, label);
                        let here = self.context.pool.and(rest, hit);
                        ways.push((code.block(self.frame, case.target), here));
                        let other = self.context.pool.not(hit);
                        rest = self.context.pool.and(rest, other);
                    }
                    ways.push((code.block(self.frame, *default), rest));
                    ways
                }
                Op::Unreachable if self.has_stopped(at) => {
                    return Ok(vec![(Target::Stop, self.bare(None))]);
                }
                Op::Unreachable => {
                    self.goes_wrong(Class::Control, yes);
                    return Ok(Vec::new());
                }
                _ => return Err(Obstacle::new("a jump that the checker does not follow")),
            },
        };
        // Several labels for one place are one way there.
        let mut by_place: Vec<(usize, Term)> = Vec::new();
        for (to, condition) in ways {
            match by_place.iter_mut().find(|(other, _)| *other == to) {
                Some((_, all)) => *all = self.context.pool.or(*all, condition),
                None => by_place.push((to, condition)),
            }
        }
        let mut found = Vec::new();
        for (to, condition) in by_place {
            let mut lane = self.lane.clone();
            match self.context.pool.as_bool(condition) {
                Some(false) => continue,
                Some(true) => {}
                None => lane.taken.push(condition),
            }
            lane.state = self.entered(to, node.block)?;
            found.push((Target::Head(to), lane));
        }
        Ok(found)
    }

    /// The arguments of a call become the parameters of a frame.
    fn pass(&mut self, call: InstructionId, frame: u32) -> Result<(), Obstacle> {
        let arguments = self.given(call)?;
        let parameters = (0..).zip(arguments).map(|(n, value)| (Var::Parameter(frame, n), value));
        self.lane.state.values.extend(parameters);
        Ok(())
    }

    /// The lane with nothing left but a result.
    fn bare(&self, result: Option<Value>) -> Lane {
        let mut lane = self.lane.clone();
        lane.state.values = result.into_iter().map(|value| (RESULT, value)).collect();
        lane
    }

    /// The state behind the way into a node: φs have the values of that way.
    fn entered(&mut self, to: usize, from: BlockId) -> Result<State, Obstacle> {
        let code = self.runner.code;
        let mut state = self.lane.state.clone();
        if code.nodes[to].frame == self.frame {
            for id in code.phis(to) {
                let Op::Phi { incoming } = code.op(self.frame, id) else { continue };
                for (_, operand) in incoming.iter().filter(|(block, _)| *block == from).take(1) {
                    // All φs read what was there before any of them.
                    let value = self.value(operand)?;
                    state.values.insert(Var::Register(self.frame, id), value);
                }
            }
        }
        let live = code.live(to);
        state.values.retain(|var, _| live.contains(var));
        Ok(state)
    }

    /// Whether the node has called a function that does not come back.
    fn has_stopped(&self, at: usize) -> bool {
        let (code, node) = (self.runner.code, &self.runner.code.nodes[at]);
        (node.first..node.end).any(|id| {
            let Op::Call { callee: Operand::Const(callee), .. } = code.op(self.frame, InstructionId(id))
            else {
                return false;
            };
            let Const::Function(function) = code.module.constant(*callee) else { return false };
            code.module.function(*function).no_return
        })
    }

    /// Runs of this lane in which the condition holds end here.
    pub fn goes_wrong(&mut self, class: Class, condition: Term) {
        let pool = &mut self.context.pool;
        if pool.as_bool(condition) == Some(false) {
            return;
        }
        let here = pool.and_all(self.lane.taken.iter().copied());
        let bare = pool.and(here, condition);
        let guard = pool.and(bare, self.lane.safe);
        if pool.as_bool(guard) != Some(false) {
            let world = self.lane.state.world;
            self.segment.faults.push(FaultAt { class, guard, bare, world });
        }
        let fine = pool.not(condition);
        self.lane.safe = pool.and(self.lane.safe, fine);
    }

    /// What the comparison takes for granted of this lane's runs.
    pub fn granted(&mut self, condition: Term) {
        let when = self.lane.when(self.context);
        let granted = self.context.pool.implies(when, condition);
        if self.context.pool.as_bool(granted) != Some(true) {
            self.segment.assumptions.push(granted);
        }
    }
}
