//! Where variables of blocks begin and end.
//!
//! Each time their declaration is reached they have no value, whatever the last round of a loop left in them; and those that have an address
//! are there only while their block is executed. What a variable held is kept where control leaves a block and comes back without passing the
//! declaration, for instructions of a block need not follow each other.

use super::locals::Locals;
use hydrogen_ir::{BlockId, Body, InstructionId, Operand, Variable, VariableKind};
use rustc_hash::FxHashMap;

/// What happens to a variable, by its number among the slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Event {
    /// Its block is left.
    Leave(u32),
    /// Its block is entered.
    Enter(u32),
    /// Its declaration is reached.
    Begin(u32),
}

/// What happens before each instruction.
#[derive(Debug, Clone, Default)]
pub(super) struct Scopes {
    events: FxHashMap<InstructionId, Vec<Event>>,
}

impl Scopes {
    pub(super) fn before(&self, id: InstructionId) -> Vec<Event> {
        self.events.get(&id).cloned().unwrap_or_default()
    }

    fn add(&mut self, id: InstructionId, event: Event) {
        let events = self.events.entry(id).or_default();
        if let Err(at) = events.binary_search(&event) {
            events.insert(at, event);
        }
    }
}

/// By slot: the variable of a block that lives in it.
pub(super) fn inner<'b>(body: &'b Body, locals: &Locals) -> Vec<Option<&'b Variable>> {
    let of_block = |variable: &&Variable| variable.kind == VariableKind::Inner;
    let mut by_origin: FxHashMap<InstructionId, Option<&Variable>> = FxHashMap::default();
    for variable in body.variables.iter().filter(of_block) {
        let Some(slot) = variable.slot else { continue };
        by_origin.entry(slot).and_modify(|known| *known = None).or_insert(Some(variable));
    }
    // A variable that a function returns lives in the place of its result, which is there before and behind the block.
    for (index, instruction) in body.instructions.iter().enumerate() {
        super::operands::of_op(&instruction.op, &mut |operand| {
            if let Operand::Instruction(slot) = operand
                && let Some(variable) = by_origin.get_mut(slot)
                && variable.is_some_and(|variable| !is_inside(variable, InstructionId::at(index)))
            {
                *variable = None;
            }
        });
    }
    locals.slots.iter().map(|slot| by_origin.get(&slot.origin).copied().flatten()).collect()
}

/// Whether an instruction belongs to the block of a variable.
fn is_inside(variable: &Variable, id: InstructionId) -> bool {
    let after = variable.block.partition_point(|run| run.first <= id);
    after.checked_sub(1).is_some_and(|at| variable.block[at].contains(id))
}

/// What happens to the variables that are in memory.
pub(super) fn analyse(
    body: &Body,
    locals: &Locals,
    inner: &[Option<&Variable>],
    promoted: &[bool],
) -> Scopes {
    let mut scopes = Scopes::default();
    let in_memory = (0u32..).zip(inner).zip(promoted).filter(|(_, promoted)| !**promoted);
    let variables: Vec<(u32, &Variable)> =
        in_memory.filter_map(|((slot, variable), _)| Some((slot, (*variable)?))).collect();
    if variables.is_empty() {
        return scopes;
    }
    let predecessors = predecessors(body);
    let mut block_of = vec![BlockId(0); body.instructions.len()];
    for block in 0..body.blocks.len() {
        body.instructions_of(BlockId::at(block)).for_each(|id| block_of[id.index()] = BlockId::at(block));
    }
    let mut rounds: FxHashMap<BlockId, bool> = FxHashMap::default();
    for (slot, variable) in variables {
        // Where it is reached once, nothing was there before.
        if let Some(begins) = variable.begins
            && let block = block_of[begins.index()]
            && *rounds.entry(block).or_insert_with(|| comes_back(body, block))
        {
            scopes.add(begins, Event::Begin(slot));
        }
        if locals.slots[slot as usize].escapes {
            borders(body, &predecessors, variable, slot, &mut scopes);
        }
    }
    scopes
}

pub(super) fn predecessors(body: &Body) -> Vec<Vec<usize>> {
    let mut predecessors: Vec<Vec<usize>> = vec![Vec::new(); body.blocks.len()];
    for block in 0..body.blocks.len() {
        for next in body.terminator(BlockId::at(block)).op.successors() {
            predecessors[next.index()].push(block);
        }
    }
    predecessors
}

/// Whether control can come back to a block.
fn comes_back(body: &Body, block: BlockId) -> bool {
    let mut seen = vec![false; body.blocks.len()];
    let mut work = vec![block];
    while let Some(at) = work.pop() {
        for next in body.terminator(at).op.successors() {
            if next == block {
                return true;
            }
            if !std::mem::replace(&mut seen[next.index()], true) {
                work.push(next);
            }
        }
    }
    false
}

/// Where control enters and leaves the block of a variable.
fn borders(body: &Body, predecessors: &[Vec<usize>], variable: &Variable, slot: u32, scopes: &mut Scopes) {
    let inside = |id: InstructionId| is_inside(variable, id);
    // Only where the runs begin and end, and where blocks do, can it change.
    for run in &variable.block {
        scopes.add(run.first, Event::Enter(slot));
        let behind = InstructionId(run.first.0 + run.count);
        if behind.index() < body.instructions.len() {
            scopes.add(behind, Event::Leave(slot));
        }
    }
    for (block, from) in predecessors.iter().enumerate() {
        let first = body.blocks[block].first;
        let last = |from: &usize| {
            let block = &body.blocks[*from];
            InstructionId(block.first.0 + block.count - 1)
        };
        let is_inside = inside(first);
        if from.iter().any(|from| inside(last(from)) != is_inside) {
            scopes.add(first, if is_inside { Event::Enter(slot) } else { Event::Leave(slot) });
        }
    }
}
