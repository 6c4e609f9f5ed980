//! Evaluating a function from one place to the next cuts and ends, all paths at once.

mod node;

use crate::{
    Obstacle,
    calls::{Question, Reach},
    check::Check,
    code::{Code, Var},
    context::{Context, Side},
    state::{Origin, State, Value, Way, meet},
};
use hydrogen_evidence::Class;
use hydrogen_ir::InstructionId;
use hydrogen_term::Term;
use std::collections::BTreeMap;

/// Where a path arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub enum Target {
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
pub fn is_cut(places: (Target, Target)) -> bool {
    let goes_on = |target| matches!(target, Target::Head(_) | Target::Entry);
    match places {
        (Target::Stop, _) | (_, Target::Stop) => false,
        (old, new) => goes_on(old) || goes_on(new),
    }
}

/// All paths to one target as one.
#[derive(Debug, Clone)]
pub struct End {
    /// Where.
    pub target: Target,
    /// When.
    pub guard: Term,
    /// What the state is then.
    pub state: State,
    /// What is returned, where it is a return.
    pub result: Option<Value>,
}

/// A fault on the way.
#[derive(Debug, Clone, Copy)]
pub struct FaultAt {
    /// What kind of fault.
    pub class: Class,
    /// When it happens, and none before it.
    pub guard: Term,
    /// The same, whether or not something went wrong before.
    pub bare: Term,
    /// What the outside had seen by then.
    pub world: Term,
}

/// Something that an instruction did, for whoever wants to tell what a run does on the way.
#[derive(Debug, Clone)]
pub struct Step {
    /// The frame of the instruction.
    pub frame: u32,
    /// The instruction.
    pub id: InstructionId,
    /// When it is executed, and nothing went wrong before.
    pub when: Term,
    /// What it did.
    pub did: Did,
}

/// What an instruction did.
#[derive(Debug, Clone)]
pub enum Did {
    /// It gave a number.
    Gives(Term),
    /// It asked a closed function, or what lies outside of the program.
    Asks {
        /// What it asked.
        question: Question,
        /// What it may have seen and changed.
        reach: Reach,
        /// What came back, the memory that it left included.
        results: Vec<Term>,
    },
    /// It wrote bytes.
    Writes {
        /// Where.
        address: Term,
        /// The object that the address leads into, where that is known.
        origin: Option<Origin>,
        /// What.
        value: Term,
    },
}

/// What can happen from a place on.
#[derive(Debug, Clone, Default)]
pub struct Segment {
    /// Where control arrives.
    pub ends: Vec<End>,
    /// What may go wrong.
    pub faults: Vec<FaultAt>,
    /// What is taken for granted: pointers do not wrap around the address space.
    pub assumptions: Vec<Term>,
    /// What must hold so that it is all as said here.
    pub required: Vec<Term>,
    /// When signed numbers run over, for a context that is trusting: elsewhere that is a fault.
    pub wraps: Vec<Term>,
    /// What was done on the way, in an order that agrees with every path; empty unless the context asks for it.
    pub steps: Vec<Step>,
    /// What instructions ask of the state; empty unless the context asks for it.
    pub checks: Vec<Check>,
}

/// One version's function, ready to be evaluated.
pub struct Runner<'c, 'm> {
    /// The code.
    pub code: &'c Code<'m>,
    /// Which version it is.
    pub side: Side,
    /// The address of each local object.
    pub addresses: Vec<u64>,
    /// What is done where a loop begins.
    pub loops: Loops,
    /// Who reads the code instead, where a certificate is checked: code of the checker's own.
    pub reader: Option<Reader>,
}

/// Another reading of code, with the same contract as [`Runner::advance`].
pub type Reader = fn(&Runner, &mut Context, Target, State, usize) -> Result<Segment, Obstacle>;

/// What is done where a loop begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loops {
    /// The segment ends.
    Cut,
    /// What the loop leaves behind is an unknown function of what it begins with.
    Closed,
}

/// Everything that a walk found, before paths to one place are one end.
pub struct Walk {
    /// Faults, assumptions and what is required.
    pub segment: Segment,
    /// Arrivals at heads of loops.
    pub heads: BTreeMap<usize, (Way, State)>,
    /// Arrivals at nodes that the walk was not to enter.
    pub outside: BTreeMap<usize, (Way, State)>,
    /// Returns.
    pub returns: Option<(Way, State)>,
    /// Calls that do not come back.
    pub stops: Option<(Way, State)>,
}

/// The loop that a walk is to stay inside of: its head, and its nodes.
pub type Inside<'i> = Option<(usize, &'i std::collections::BTreeSet<usize>)>;

/// An evaluation in progress.
pub struct Evaluation<'r, 'c, 'm> {
    /// Whose code it is.
    pub runner: &'r Runner<'c, 'm>,
    /// What all code shares.
    pub context: &'r mut Context,
    /// The frame whose instructions are next.
    pub frame: u32,
    /// The instruction that is being evaluated.
    pub at: InstructionId,
    /// The way so far.
    pub way: Way,
    /// The state here.
    pub state: State,
    /// What was found so far.
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
        if let Some(reader) = self.reader {
            return reader(self, context, from, state, steps);
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
                total.steps.extend(segment.steps);
                total.checks.extend(segment.checks);
                total.wraps.extend(segment.wraps);
                for end in segment.ends {
                    join(context, &mut next, end);
                }
            }
            total.ends = next;
        }
        Ok(total)
    }

    /// The state behind an edge: φs have their values, and what is not read any more is gone.
    pub fn enter(
        &self,
        context: &mut Context,
        from: usize,
        to: usize,
        state: State,
    ) -> Result<State, Obstacle> {
        let node = &self.code.nodes[from];
        let (frame, block, at) = (node.frame, node.block, InstructionId(node.first));
        let way = Way { branches: Vec::new(), sound: context.pool.bool(true) };
        let segment = Segment::default();
        let mut evaluation =
            Evaluation { runner: self, context, frame, at, way, state, segment, within: None };
        evaluation.entering(to, block)
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
            context.in_time()?;
            let is_body = is_first && (self.loops == Loops::Cut || own == Some(node));
            is_first = false;
            let frame = self.code.nodes[node].frame;
            let segment = std::mem::take(&mut walk.segment);
            let at = InstructionId(self.code.nodes[node].first);
            let mut evaluation = Evaluation { runner: self, context, frame, at, way, state, segment, within };
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
pub const RESULT: Var = Var::Parameter(u32::MAX, 0);

fn end(context: &mut Context, target: Target, (way, state): (Way, State)) -> End {
    let result = state.values.get(&RESULT).cloned();
    End { target, guard: way.guard(context), state, result }
}
