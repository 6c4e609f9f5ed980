//! A function as the prover reads it: blocks, with the bodies of opened callees in place of their calls and a call of itself in tail position
//! as a jump to the beginning.

use crate::{Obstacle, fold::Fold, homes::Homes, segment::Loops};
use hydrogen_ir::{BlockId, Body, Const, FunctionId, InstructionId, Module, Op, Operand, Type};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// More nodes than this are not worth a proof attempt.
pub const MOST_NODES: usize = 2000;
/// Callees inside callees inside callees are opened up to this depth.
const MOST_DEPTH: u32 = 6;

/// One activation: the function itself, or a callee that was opened at one call.
pub struct Frame<'m> {
    /// What it executes.
    pub function: FunctionId,
    /// Its instructions.
    pub body: &'m Body,
    /// Where each block begins.
    blocks: Vec<usize>,
    /// The call that opened it and where it goes on; none for the function itself.
    pub caller: Option<Caller>,
    /// What is done with the results of its calls of itself, where these are jumps.
    pub fold: Option<Fold>,
    depth: u32,
}

/// Where an opened callee came from.
#[derive(Clone, Copy)]
pub struct Caller {
    /// The frame that called.
    pub frame: u32,
    /// The call.
    pub call: InstructionId,
    next: usize,
}

/// A run of instructions without a way in or out.
pub struct Node {
    /// Whose instructions these are.
    pub frame: u32,
    /// Their block.
    pub block: BlockId,
    /// The first of them.
    pub first: u32,
    /// Behind the last instruction; the one that leaves the node is not among them.
    pub end: u32,
    /// How control leaves.
    pub exit: Exit,
}

/// How a node is left.
#[derive(Clone, Copy)]
pub enum Exit {
    /// By the block's terminator.
    Terminator(InstructionId),
    /// Into an opened callee.
    Enter(InstructionId, u32),
    /// By calling itself, as the last thing it does or with the node behind the call.
    Again(InstructionId, Option<usize>),
    /// By going on with the next node, in the middle of a block.
    Next,
    /// By calling a function that has called this one, when nothing is left to do in between: to that frame's beginning.
    Up(InstructionId, u32),
}

/// What is kept in a state by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub enum Var {
    /// A local variable whose address nobody takes.
    Slot(u32),
    /// The result of an instruction.
    Register(u32, InstructionId),
    /// A parameter.
    Parameter(u32, u32),
}

/// A function prepared for evaluation.
pub struct Code<'m> {
    /// The module that the function is in.
    pub module: &'m Module,
    /// The function itself, then the callees that were opened.
    pub frames: Vec<Frame<'m>>,
    /// All runs of instructions.
    pub nodes: Vec<Node>,
    /// Nodes at which every cycle is cut, ascending.
    pub heads: BTreeSet<usize>,
    /// Position of each node in an order in which every edge that does not lead to a head goes forward.
    pub position: Vec<usize>,
    /// Where local variables live.
    pub homes: Homes,
    /// Per node: what may be read from it on before it is written.
    live: Vec<BTreeSet<Var>>,
}

/// How a function is to be prepared.
pub struct Plan<'a> {
    /// Callees to be opened.
    pub opens: &'a dyn Fn(FunctionId) -> bool,
    /// Which calls of itself become jumps.
    pub jumps: Jumps,
    /// Whether a node begins with an instruction of the function itself, in the middle of a block.
    pub splits: &'a dyn Fn(&Body, InstructionId) -> bool,
    /// Whether a variable of the function itself is an object with bytes, even if nobody takes its address.
    pub has_bytes: &'a dyn Fn(InstructionId) -> bool,
    /// How many nodes are read at most.
    pub most: usize,
}

impl<'a> Plan<'a> {
    /// Nodes as large as blocks and calls let them be.
    pub fn whole(opens: &'a dyn Fn(FunctionId) -> bool, jumps: Jumps) -> Self {
        Plan { opens, jumps, splits: &|_, _| false, has_bytes: &|_| false, most: MOST_NODES }
    }
}

/// Which calls of a function of itself become jumps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Jumps {
    /// None of the function's own; those of opened callees if they come last.
    Never,
    /// Those that come last.
    Last,
    /// All; what is done with their results is gathered.
    Folded(Fold),
}

/// How both functions are read, and what is taken for granted then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Reading {
    /// Which calls of itself become jumps.
    pub jumps: Jumps,
    /// What is done at loops.
    pub loops: Loops,
    /// No object has two gigabytes, or one byte less.
    pub small_objects: bool,
}

impl Reading {
    /// Loops are cut, objects may be large.
    pub fn plain(jumps: Jumps) -> Self {
        Self { jumps, loops: Loops::Cut, small_objects: false }
    }
}

impl<'m> Code<'m> {
    /// Reads a function, and the callees that the plan opens.
    pub fn new(module: &'m Module, function: FunctionId, plan: &Plan) -> Result<Self, Obstacle> {
        let body = body_of(module, function)?;
        let mut code = Code {
            module,
            frames: vec![Frame { function, body, blocks: Vec::new(), caller: None, fold: None, depth: 0 }],
            nodes: Vec::new(),
            heads: BTreeSet::new(),
            position: Vec::new(),
            homes: Homes::default(),
            live: Vec::new(),
        };
        let mut open = vec![0];
        while let Some(frame) = open.pop() {
            code.expand(frame, plan, &mut open)?;
        }
        code.cut();
        code.homes = Homes::of(&code, plan.has_bytes)?;
        code.live = crate::live::live(&code);
        Ok(code)
    }

    fn expand(&mut self, at: usize, plan: &Plan, open: &mut Vec<usize>) -> Result<(), Obstacle> {
        let (body, depth) = (self.frames[at].body, self.frames[at].depth);
        let frame = u32::try_from(at).expect("frames are few");
        for index in 0..body.blocks.len() {
            let block = BlockId::at(index);
            self.frames[at].blocks.push(self.nodes.len());
            let mut first = body.blocks[index].first.0;
            let end = first + body.blocks[index].count - 1;
            for id in body.instructions_of(block) {
                if at == 0 && id.0 > first && first != u32::MAX && (plan.splits)(body, id) {
                    self.nodes.push(Node { frame, block, first, end: id.0, exit: Exit::Next });
                    first = id.0;
                }
                let Some((callee, arguments)) = direct_call(self.module, body, id) else { continue };
                // An object with an address belongs to one activation: a jump would make it that of the next.
                let jumps = (plan.jumps != Jumps::Never || at != 0)
                    && callee == self.frames[at].function
                    && crate::homes::have_no_address(self.module, body);
                if jumps && is_last(body, block, id) {
                    self.nodes.push(Node { frame, block, first, end: id.0, exit: Exit::Again(id, None) });
                    first = u32::MAX;
                    break;
                }
                if let (true, Jumps::Folded(fold)) = (jumps, plan.jumps) {
                    let behind = Some(self.nodes.len() + 1);
                    self.nodes.push(Node { frame, block, first, end: id.0, exit: Exit::Again(id, behind) });
                    self.frames[at].fold = Some(fold);
                    first = id.0 + 1;
                    continue;
                }
                if let Some(up) = self.again_from_below(at, callee, plan).filter(|_| is_last(body, block, id))
                {
                    self.nodes.push(Node { frame, block, first, end: id.0, exit: Exit::Up(id, up) });
                    first = u32::MAX;
                    break;
                }
                let target = self.module.function(callee);
                let fits = target.body.is_some() && target.parameters.len() == arguments;
                if !fits || depth >= MOST_DEPTH || !(plan.opens)(callee) || self.is_active(at, callee) {
                    continue;
                }
                let inner = self.frames.len();
                let inner_frame = u32::try_from(inner).expect("frames are few");
                self.nodes.push(Node { frame, block, first, end: id.0, exit: Exit::Enter(id, inner_frame) });
                first = id.0 + 1;
                let caller = Some(Caller { frame, call: id, next: self.nodes.len() });
                let body = body_of(self.module, callee)?;
                self.frames.push(Frame {
                    function: callee,
                    body,
                    blocks: Vec::new(),
                    caller,
                    fold: None,
                    depth: depth + 1,
                });
                open.push(inner);
            }
            if first != u32::MAX {
                let exit = Exit::Terminator(InstructionId(end));
                self.nodes.push(Node { frame, block, first, end, exit });
            }
            if self.nodes.len() > plan.most {
                return Err(Obstacle::new(
                    "the function is too large with the callees that had to be opened",
                ));
            }
        }
        Ok(())
    }

    /// The frame above this one that executes a function, if all calls in between come last and nobody's variables have addresses: then calling it
    /// is a jump. (Functions that call each other in turn.)
    fn again_from_below(&self, frame: usize, function: FunctionId, plan: &Plan) -> Option<u32> {
        if matches!(plan.jumps, Jumps::Folded(_)) || function == self.frames[frame].function {
            return None;
        }
        let mut at = frame;
        while self.frames[at].function != function {
            let Frame { body, caller: Some(caller), .. } = &self.frames[at] else { return None };
            let above = self.frames[caller.frame as usize].body;
            let block = above
                .blocks
                .iter()
                .position(|block| (block.first.0..block.first.0 + block.count).contains(&caller.call.0))?;
            if !is_last(above, BlockId::at(block), caller.call)
                || !crate::homes::have_no_address(self.module, body)
                || !crate::homes::have_no_address(self.module, above)
            {
                return None;
            }
            at = caller.frame as usize;
        }
        (at != 0 || plan.jumps != Jumps::Never).then(|| u32::try_from(at).expect("frames are few"))
    }

    /// Whether the function is being executed in this frame or one that called it.
    fn is_active(&self, frame: usize, function: FunctionId) -> bool {
        let up = |at: &usize| self.frames[*at].caller.map(|caller| caller.frame as usize);
        std::iter::successors(Some(frame), up).any(|at| self.frames[at].function == function)
    }

    /// What an instruction of a frame does.
    pub fn op(&self, frame: u32, id: InstructionId) -> &'m Op {
        &self.frames[frame as usize].body.instruction(id).op
    }

    /// Where a jump of a frame leads.
    pub fn block(&self, frame: u32, block: BlockId) -> usize {
        self.frames[frame as usize].blocks[block.index()]
    }

    /// Where a return of this frame goes on.
    pub fn after(&self, frame: u32) -> Option<(Caller, usize)> {
        self.frames[frame as usize].caller.map(|caller| (caller, caller.next))
    }

    /// The nodes that may come next.
    pub fn successors(&self, node: usize) -> Vec<usize> {
        let Node { frame, exit, .. } = self.nodes[node];
        match exit {
            Exit::Enter(_, inner) => vec![self.block(inner, BlockId(0))],
            Exit::Next => vec![node + 1],
            Exit::Up(_, up) => vec![self.block(up, BlockId(0))],
            Exit::Again(_, behind) => [self.block(frame, BlockId(0))].into_iter().chain(behind).collect(),
            Exit::Terminator(id) => match self.op(frame, id) {
                Op::Return { .. } => self.after(frame).map(|(_, next)| next).into_iter().collect(),
                op => op.successors().into_iter().map(|block| self.block(frame, block)).collect(),
            },
        }
    }

    /// The φs at the beginning of a node.
    pub fn phis(&self, node: usize) -> impl Iterator<Item = InstructionId> + '_ {
        let Node { frame, first, end, .. } = self.nodes[node];
        let ids = (first..end).map(InstructionId);
        ids.take_while(move |&id| matches!(self.op(frame, id), Op::Phi { .. }))
    }

    /// What may be read from a node on before it is written.
    pub fn live(&self, node: usize) -> &BTreeSet<Var> {
        &self.live[node]
    }

    /// Cuts every cycle where a walk from the beginning meets a node that it is still inside of, and orders the rest.
    fn cut(&mut self) {
        let count = self.nodes.len();
        let (mut state, mut order) = (vec![0u8; count], Vec::new());
        let mut stack = vec![(0usize, self.successors(0), 0usize)];
        state[0] = 1;
        while let Some((node, next, at)) = stack.last_mut() {
            match next.get(*at) {
                Some(&to) => {
                    *at += 1;
                    match state[to] {
                        0 => {
                            state[to] = 1;
                            let next = self.successors(to);
                            stack.push((to, next, 0));
                        }
                        1 => drop(self.heads.insert(to)),
                        _ => {}
                    }
                }
                None => {
                    state[*node] = 2;
                    order.push(*node);
                    stack.pop();
                }
            }
        }
        self.position = vec![usize::MAX; count];
        for (position, node) in order.into_iter().rev().enumerate() {
            self.position[node] = position;
        }
    }
}

fn body_of(module: &Module, function: FunctionId) -> Result<&Body, Obstacle> {
    let function = module.function(function);
    function.body.as_ref().ok_or_else(|| Obstacle::new(format!("`{}` has no body", function.name)))
}

/// The function that an instruction calls by name, and the number of arguments.
pub fn direct_call(module: &Module, body: &Body, id: InstructionId) -> Option<(FunctionId, usize)> {
    let Op::Call { callee: Operand::Const(callee), arguments, ty, .. } = &body.instruction(id).op else {
        return None;
    };
    let Const::Function(function) = module.constant(*callee) else { return None };
    let is_variadic = matches!(module.types.get(*ty), Type::Function { varargs: true, .. });
    (!is_variadic).then_some((*function, arguments.len()))
}

/// Whether nothing happens after a call but returning its result.
fn is_last(body: &Body, block: BlockId, call: InstructionId) -> bool {
    let mut kept: FxHashMap<Operand, ()> = FxHashMap::default();
    kept.insert(Operand::Instruction(call), ());
    // The slot that the result was put into.
    let mut slot: Option<&Operand> = None;
    let mut ids: Vec<InstructionId> = body.instructions_of(block).filter(|id| *id > call).collect();
    let (mut from, mut at) = (block, block);
    for _ in 0..4 {
        let mut next = None;
        for id in &ids {
            match &body.instruction(*id).op {
                Op::Phi { incoming } => {
                    let mut here = incoming.iter().filter(|(block, _)| *block == from);
                    if here.any(|(_, value)| kept.contains_key(value)) {
                        kept.insert(Operand::Instruction(*id), ());
                    }
                }
                Op::Store { value, pointer, access } if kept.contains_key(value) && !access.volatile => {
                    slot = Some(pointer);
                }
                Op::Load { pointer, .. } if slot == Some(pointer) => {
                    kept.insert(Operand::Instruction(*id), ());
                }
                Op::Return { value: Some(value) } => return kept.contains_key(value),
                Op::Return { value: None } => return true,
                Op::Jump { target } => next = Some(*target),
                _ => return false,
            }
        }
        let Some(next) = next else { return false };
        (from, at) = (at, next);
        ids = body.instructions_of(next).collect();
    }
    false
}
