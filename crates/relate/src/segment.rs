//! Evaluating a function from one place to the next cuts and ends, all paths at once.

use crate::{
    Obstacle,
    code::{Code, Exit, Var},
    context::{Context, Side},
    fold::gathered,
    homes::Home,
    state::{State, Value, Way, meet},
};
use hydrogen_evidence::Class;
use hydrogen_ir::{Const, InstructionId, Op, Operand};
use hydrogen_term::{Sort, Term};
use std::collections::BTreeMap;

/// Where a path arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub(crate) enum Target {
    /// The beginning of the function.
    Entry,
    /// The head of a loop, by its node.
    Head(usize),
    /// The caller.
    Return,
    /// Nowhere: a call that does not come back.
    Stop,
}

/// Whether the claims of a proof can be about a pair of places: loops, or a loop of one version while the other has returned and waits.
pub(crate) fn is_cut(places: (Target, Target)) -> bool {
    let goes_on = |target| matches!(target, Target::Head(_) | Target::Entry);
    match places {
        (Target::Stop, _) | (_, Target::Stop) => false,
        (old, new) => goes_on(old) || goes_on(new),
    }
}

/// All paths to one target as one.
#[derive(Debug, Clone)]
pub(crate) struct End {
    pub target: Target,
    pub guard: Term,
    pub state: State,
    pub result: Option<Value>,
}

/// A fault on the way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FaultAt {
    pub class: Class,
    pub guard: Term,
    /// The same, whether or not something went wrong before.
    pub bare: Term,
    /// What the outside had seen by then.
    pub world: Term,
}

/// What can happen from a place on.
#[derive(Debug, Clone, Default)]
pub(crate) struct Segment {
    pub ends: Vec<End>,
    pub faults: Vec<FaultAt>,
    /// What is taken for granted: pointers do not wrap around the address space.
    pub assumptions: Vec<Term>,
    /// What must hold so that it is all as said here.
    pub required: Vec<Term>,
}

/// One version's function, ready to be evaluated.
pub(crate) struct Runner<'c, 'm> {
    pub code: &'c Code<'m>,
    pub side: Side,
    /// The address of each local object.
    pub addresses: Vec<u64>,
    /// What is done where a loop begins.
    pub loops: Loops,
    /// A certificate is checked: by code of the checker's own.
    pub again: bool,
}

/// What is done where a loop begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Loops {
    /// The segment ends.
    Cut,
    /// What the loop leaves behind is an unknown function of what it begins with.
    Closed,
}

/// Everything that a walk found, before paths to one place are one end.
pub(crate) struct Walk {
    pub segment: Segment,
    /// Arrivals at heads of loops.
    pub heads: BTreeMap<usize, (Way, State)>,
    /// Arrivals at nodes that the walk was not to enter.
    pub outside: BTreeMap<usize, (Way, State)>,
    pub returns: Option<(Way, State)>,
    pub stops: Option<(Way, State)>,
}

/// The loop that a walk is to stay inside of: its head, and its nodes.
pub(crate) type Inside<'i> = Option<(usize, &'i std::collections::BTreeSet<usize>)>;

/// An evaluation in progress.
pub(crate) struct Evaluation<'r, 'c, 'm> {
    pub runner: &'r Runner<'c, 'm>,
    pub context: &'r mut Context,
    pub frame: u32,
    pub way: Way,
    pub state: State,
    pub segment: Segment,
    /// The frame whose return is the end.
    pub within: Option<u32>,
}

impl Runner<'_, '_> {
    /// Everything that can happen from a place on within this number of visits of cuts; ends stay where they are.
    pub fn advance(
        &self,
        context: &mut Context,
        from: Target,
        state: State,
        steps: usize,
    ) -> Result<Segment, Obstacle> {
        if self.again {
            return crate::again::advance(self, context, from, state, steps);
        }
        let guard = context.pool.bool(true);
        let result = state.values.get(&RESULT).cloned();
        let mut total =
            Segment { ends: vec![End { target: from, guard, state, result }], ..Segment::default() };
        for _ in 0..steps {
            let mut next: Vec<End> = Vec::new();
            for end in std::mem::take(&mut total.ends) {
                let node = match end.target {
                    Target::Entry => 0,
                    Target::Head(node) => node,
                    Target::Return | Target::Stop => {
                        join(context, &mut next, end);
                        continue;
                    }
                };
                let way = Way { branches: vec![end.guard], sound: context.pool.bool(true) };
                let segment = self.segment(context, node, way, end.state)?;
                total.faults.extend(segment.faults);
                total.assumptions.extend(segment.assumptions);
                total.required.extend(segment.required);
                for end in segment.ends {
                    join(context, &mut next, end);
                }
            }
            total.ends = next;
        }
        Ok(total)
    }

    /// Everything that can happen from a node on.
    pub fn segment(
        &self,
        context: &mut Context,
        start: usize,
        way: Way,
        state: State,
    ) -> Result<Segment, Obstacle> {
        self.segment_within(context, start, way, state, None)
    }

    /// The same, up to the return of a frame.
    pub fn segment_within(
        &self,
        context: &mut Context,
        start: usize,
        way: Way,
        state: State,
        within: Option<u32>,
    ) -> Result<Segment, Obstacle> {
        let walk = self.walk(context, start, way, state, within, None)?;
        let Walk { mut segment, heads, returns, stops, .. } = walk;
        for (node, one) in heads {
            segment.ends.push(end(context, Target::Head(node), one));
        }
        for (target, one) in [(Target::Return, returns), (Target::Stop, stops)] {
            if let Some(one) = one {
                segment.ends.push(end(context, target, one));
            }
        }
        segment.ends.retain(|end| context.pool.as_bool(end.guard) != Some(false));
        Ok(segment)
    }

    /// Everything that can happen from a node on, up to heads of loops, the end, or the nodes around a loop.
    pub fn walk(
        &self,
        context: &mut Context,
        start: usize,
        way: Way,
        state: State,
        within: Option<u32>,
        inside: Inside,
    ) -> Result<Walk, Obstacle> {
        let mut pending: BTreeMap<(usize, usize), (Way, State)> = BTreeMap::new();
        pending.insert((self.code.position[start], start), (way, state));
        let mut walk = Walk {
            segment: Segment::default(),
            heads: BTreeMap::new(),
            outside: BTreeMap::new(),
            returns: None,
            stops: None,
        };
        let (own, mut is_first) = (inside.map(|(head, _)| head), true);
        while let Some(((position, node), (way, state))) = pending.pop_first() {
            let is_body = is_first && (self.loops == Loops::Cut || own == Some(node));
            is_first = false;
            let frame = self.code.nodes[node].frame;
            let segment = std::mem::take(&mut walk.segment);
            let mut evaluation = Evaluation { runner: self, context, frame, way, state, segment, within };
            let next = match self.code.heads.contains(&node) && !is_body {
                true => evaluation.closed_loop(node)?,
                false => evaluation.node(node)?,
            };
            walk.segment = evaluation.segment;
            for (to, way, state) in next {
                let place = match to {
                    Target::Head(node) if inside.is_some_and(|(_, nodes)| !nodes.contains(&node)) => {
                        let before = walk.outside.remove(&node);
                        add(context, before, (way, state), |one| drop(walk.outside.insert(node, one)));
                        continue;
                    }
                    Target::Head(node)
                        if self.code.heads.contains(&node)
                            && (self.loops == Loops::Cut || own == Some(node)) =>
                    {
                        let before = walk.heads.remove(&node);
                        add(context, before, (way, state), |one| drop(walk.heads.insert(node, one)));
                        continue;
                    }
                    Target::Head(node) => {
                        let key = (self.code.position[node], node);
                        if key.0 <= position {
                            return Err(Obstacle::new("a loop with several ways in"));
                        }
                        add(context, pending.remove(&key), (way, state), |one| {
                            drop(pending.insert(key, one))
                        });
                        continue;
                    }
                    Target::Return | Target::Entry => &mut walk.returns,
                    Target::Stop => &mut walk.stops,
                };
                let before = place.take();
                add(context, before, (way, state), |one| *place = Some(one));
            }
        }
        Ok(walk)
    }
}

fn add(
    context: &mut Context,
    before: Option<(Way, State)>,
    new: (Way, State),
    put: impl FnOnce((Way, State)),
) {
    match before {
        Some(before) => put(meet(context, before, new)),
        None => put(new),
    }
}

/// Adds an end to those found, as one with that of the same target.
fn join(context: &mut Context, ends: &mut Vec<End>, new: End) {
    let Some(at) = ends.iter().position(|end| end.target == new.target) else { return ends.push(new) };
    let old = ends.remove(at);
    let target = old.target;
    let mut pack = |end: End| {
        let mut state = end.state;
        state.values.extend(end.result.map(|value| (RESULT, value)));
        (Way { branches: vec![end.guard], sound: context.pool.bool(true) }, state)
    };
    let (old, new) = (pack(old), pack(new));
    let met = meet(context, old, new);
    ends.push(end(context, target, met));
}

/// The result is kept in the state under a name that no instruction has.
pub(crate) const RESULT: Var = Var::Parameter(u32::MAX, 0);

fn end(context: &mut Context, target: Target, (way, state): (Way, State)) -> End {
    let result = state.values.get(&RESULT).cloned();
    End { target, guard: way.guard(context), state, result }
}

impl Evaluation<'_, '_, '_> {
    /// Evaluates a node and says where it leads.
    fn node(&mut self, at: usize) -> Result<Vec<(Target, Way, State)>, Obstacle> {
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
    fn entering(&mut self, to: usize, from: hydrogen_ir::BlockId) -> Result<State, Obstacle> {
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
