//! Variables in registers.
//!
//! A variable whose address nobody takes, that is always accessed as a whole, and that is written before it is read on
//! every path, needs no memory: it gets a register. A load of it is then the register itself where nothing is stored
//! between the load and its uses, and a result that goes straight into it is computed there.

use super::locals::{Locals, is_plain};
use super::scalar;
use super::scopes::predecessors;
use hydrogen_ir::{BlockId, Body, Function, InstructionId, Module, Op, Operand, Variable};
use rustc_hash::FxHashMap;

/// What becomes of variables and of the instructions that access them.
#[derive(Debug, Clone, Default)]
pub(super) struct Promotion {
    /// By slot: whether it lives in a register.
    pub(super) promoted: Vec<bool>,
    /// By slot: the parameter whose register it takes over.
    pub(super) parameter: Vec<Option<u32>>,
    /// By instruction: the slot whose register is the loaded value itself.
    pub(super) alias: Vec<Option<u32>>,
    /// By instruction: the slot that the result goes into.
    pub(super) target: Vec<Option<u32>>,
    /// By instruction: a store that is done already.
    pub(super) skip: Vec<bool>,
}

/// An access to a whole variable.
#[derive(Clone, Copy)]
enum Access {
    Load(u32),
    Store(u32),
}

pub(super) fn analyse(
    module: &Module,
    function: &Function,
    body: &Body,
    locals: &Locals,
    inner: &[Option<&Variable>],
) -> Promotion {
    let count = body.instructions.len();
    let mut promotion = Promotion {
        promoted: locals.slots.iter().map(|slot| !slot.escapes).collect(),
        parameter: vec![None; locals.slots.len()],
        alias: vec![None; count],
        target: vec![None; count],
        skip: vec![false; count],
    };
    let accesses = accesses(module, function, body, locals, &mut promotion.promoted);
    definitely_assigned(body, &accesses, inner, &mut promotion.promoted);
    let uses = Uses::of(body);
    for block in 0..body.blocks.len() {
        block_aliases(body, BlockId::at(block), &accesses, &uses, &mut promotion);
    }
    for index in 0..count {
        fold_store(module, body, index, &accesses, &uses, &mut promotion);
    }
    take_parameters(body, &accesses, &uses, &mut promotion);
    promotion
}

/// Finds the accesses to each variable; one that is not of the whole rules the variable out.
fn accesses(
    module: &Module,
    function: &Function,
    body: &Body,
    locals: &Locals,
    promoted: &mut [bool],
) -> Vec<Option<Access>> {
    let find = |instruction: &hydrogen_ir::Instruction, promoted: &mut [bool]| {
        let (pointer, ty, access) = match &instruction.op {
            Op::Load { pointer, access } => (pointer, Some(instruction.ty), access),
            Op::Store { pointer, value, access } => {
                (pointer, super::locals::operand_type(module, function, body, value), access)
            }
            _ => return None,
        };
        let Operand::Instruction(id) = pointer else { return None };
        let (slot, offset) = locals.places[id.index()]?;
        let parts = ty.and_then(|ty| scalar::parts(&module.types, ty));
        let whole = match parts.as_deref() {
            Some([part]) => is_plain(part.scalar) && part.scalar.bytes() == locals.slots[slot as usize].size,
            _ => false,
        };
        if !whole || offset != 0 || access.volatile {
            promoted[slot as usize] = false;
        }
        Some(match &instruction.op {
            Op::Load { .. } => Access::Load(slot),
            _ => Access::Store(slot),
        })
    };
    body.instructions.iter().map(|instruction| find(instruction, promoted)).collect()
}

/// Rules out variables that some path reads before it writes them.
fn definitely_assigned(
    body: &Body,
    accesses: &[Option<Access>],
    inner: &[Option<&Variable>],
    promoted: &mut [bool],
) {
    let words = promoted.len().div_ceil(64);
    let blocks = body.blocks.len();
    let predecessors = predecessors(body);
    // At its declaration a variable of a block has no value any more.
    let mut begins: FxHashMap<InstructionId, Vec<usize>> = FxHashMap::default();
    for (slot, variable) in inner.iter().enumerate() {
        if let Some(begin) = variable.and_then(|variable| variable.begins) {
            begins.entry(begin).or_default().push(slot);
        }
    }
    let begin = |id: InstructionId, bits: &mut [u64]| {
        for slot in begins.get(&id).into_iter().flatten() {
            bits[slot / 64] &= !(1 << (slot % 64));
        }
    };
    // Everything is assigned until a path shows otherwise; the entry starts with nothing.
    let mut before = vec![vec![u64::MAX; words]; blocks];
    if let Some(entry) = before.first_mut() {
        entry.fill(0);
    }
    // What is assigned behind a block if nothing is before it, and if everything is.
    let behind = |block: usize, start: u64| {
        let mut bits = vec![start; words];
        for id in body.instructions_of(BlockId::at(block)) {
            begin(id, &mut bits);
            if let Some(Access::Store(slot)) = accesses[id.index()] {
                bits[slot as usize / 64] |= 1 << (slot % 64);
            }
        }
        bits
    };
    let written: Vec<(Vec<u64>, Vec<u64>)> =
        (0..blocks).map(|block| (behind(block, 0), behind(block, u64::MAX))).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for block in 1..blocks {
            for word in 0..words {
                let meet = |bits: u64, from: &usize| {
                    let (least, most) = &written[*from];
                    bits & (before[*from][word] & most[word] | least[word])
                };
                let bits = predecessors[block].iter().fold(u64::MAX, meet);
                if bits != before[block][word] {
                    before[block][word] = bits;
                    changed = true;
                }
            }
        }
    }
    for (block, bits) in before.iter_mut().enumerate() {
        for id in body.instructions_of(BlockId::at(block)) {
            begin(id, bits);
            match accesses[id.index()] {
                Some(Access::Store(slot)) => bits[slot as usize / 64] |= 1 << (slot % 64),
                Some(Access::Load(slot)) if bits[slot as usize / 64] >> (slot % 64) & 1 == 0 => {
                    promoted[slot as usize] = false;
                }
                _ => {}
            }
        }
    }
}

/// Who uses each instruction's result: how often, the last user, whether all are in its own block.
struct Uses {
    count: Vec<u32>,
    last: Vec<usize>,
    inside: Vec<bool>,
    parameters: Vec<u32>,
}

impl Uses {
    fn of(body: &Body) -> Self {
        let count = body.instructions.len();
        let mut block_of = vec![0; count];
        for block in 0..body.blocks.len() {
            body.instructions_of(BlockId::at(block)).for_each(|id| block_of[id.index()] = block);
        }
        let mut uses = Self {
            count: vec![0; count],
            last: vec![0; count],
            inside: vec![true; count],
            parameters: Vec::new(),
        };
        for (user, instruction) in body.instructions.iter().enumerate() {
            let is_phi = matches!(instruction.op, Op::Phi { .. });
            super::operands::of_op(&instruction.op, &mut |operand| match operand {
                Operand::Instruction(id) => {
                    let used = id.index();
                    uses.count[used] += 1;
                    uses.last[used] = uses.last[used].max(user);
                    uses.inside[used] &= !is_phi && block_of[used] == block_of[user] && user > used;
                }
                Operand::Parameter(index) => {
                    let index = *index as usize;
                    if uses.parameters.len() <= index {
                        uses.parameters.resize(index + 1, 0);
                    }
                    uses.parameters[index] += 1;
                }
                _ => {}
            });
        }
        uses
    }
}

/// Loads whose value is still in the variable at every use.
fn block_aliases(
    body: &Body,
    block: BlockId,
    accesses: &[Option<Access>],
    uses: &Uses,
    promotion: &mut Promotion,
) {
    // From the end: where each variable is stored next.
    let mut next_store: rustc_hash::FxHashMap<u32, usize> = rustc_hash::FxHashMap::default();
    for id in body.instructions_of(block).rev() {
        let index = id.index();
        match accesses[index] {
            Some(Access::Store(slot)) => {
                next_store.insert(slot, index);
            }
            Some(Access::Load(slot)) if promotion.promoted[slot as usize] => {
                let until = next_store.get(&slot).copied().unwrap_or(usize::MAX);
                if uses.inside[index] && uses.last[index] <= until {
                    promotion.alias[index] = Some(slot);
                }
            }
            _ => {}
        }
    }
}

/// A result that the next instruction stores, and nobody else uses, is computed in the variable.
fn fold_store(
    module: &Module,
    body: &Body,
    index: usize,
    accesses: &[Option<Access>],
    uses: &Uses,
    promotion: &mut Promotion,
) {
    let Some(Access::Store(slot)) = accesses[index] else { return };
    let Op::Store { value: Operand::Instruction(value), .. } = &body.instructions[index].op else { return };
    let made = value.index();
    if !promotion.promoted[slot as usize] || made + 1 != index || uses.count[made] != 1 {
        return;
    }
    // Only what is one instruction here, or reads everything before it writes.
    let simple = match &body.instructions[made].op {
        Op::Binary { .. } | Op::Cast { .. } | Op::IntCompare { .. } | Op::FloatCompare { .. } => true,
        Op::Load { .. } => promotion.alias[made].is_none(),
        Op::ElementAddress { indices, .. } => {
            indices.iter().filter(|index| !matches!(index, Operand::Const(_))).count() <= 1
        }
        Op::Call { callee, .. } => match callee {
            // The compiler's own functions may be many instructions.
            Operand::Const(id) => match module.constant(*id) {
                hydrogen_ir::Const::Function(function) => {
                    !module.function(*function).name.starts_with("llvm.")
                }
                _ => true,
            },
            _ => true,
        },
        _ => false,
    };
    if simple {
        promotion.target[made] = Some(slot);
        promotion.skip[index] = true;
    }
}

/// A parameter that is only stored into its variable, once and first of all, already is the variable.
fn take_parameters(body: &Body, accesses: &[Option<Access>], uses: &Uses, promotion: &mut Promotion) {
    let mut written = vec![false; promotion.promoted.len()];
    for id in body.instructions_of(BlockId(0)) {
        let index = id.index();
        let Some(Access::Store(slot)) = accesses[index] else { continue };
        if let Op::Store { value: Operand::Parameter(parameter), .. } = &body.instructions[index].op
            && promotion.promoted[slot as usize]
            && !written[slot as usize]
            && uses.parameters.get(*parameter as usize) == Some(&1)
        {
            promotion.parameter[slot as usize] = Some(*parameter);
            promotion.skip[index] = true;
        }
        written[slot as usize] = true;
    }
}
