//! Which computations end up as the size of an allocation or a copy, or as an index.

use crate::meaning::shape::Shape;
use hydrogen_ir::{BinaryOp, InstructionId, Op, Operand, Type};
use hydrogen_library::{Clause, Contract, Factor};
use rustc_hash::{FxHashMap, FxHashSet};

/// What becomes of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum Becomes {
    /// No size.
    #[default]
    Nothing,
    /// It goes where it is not followed: into memory, to a caller, or to code that is not seen.
    Unsure,
    /// An index: where it leads outside, that is a fault of its own.
    Index,
    /// A size.
    Size,
}

/// How a number leaves a function.
pub(crate) enum Leaves<'a> {
    /// As this argument of a call of this callee.
    Given(&'a Operand, usize),
    /// Into memory, at this address.
    Stored(&'a Operand),
    /// As its result.
    Returned,
}

/// What becomes of the numbers of a function.
#[derive(Default)]
pub(crate) struct Sizes {
    results: FxHashMap<InstructionId, Becomes>,
    parameters: FxHashMap<u32, Becomes>,
    /// What becomes of all others.
    others: Becomes,
}

impl Sizes {
    /// Of a function that is not known yet.
    pub fn unknown() -> Self {
        Self { others: Becomes::Unsure, ..Self::default() }
    }

    /// What becomes of numbers that leave the function is for others to say; see [`Leaves`].
    pub fn of(shape: &Shape, elsewhere: &mut dyn FnMut(Leaves<'_>) -> Becomes) -> Self {
        let body = shape.body();
        let (mut sizes, mut indices_of, mut unsure): (Vec<Operand>, Vec<Operand>, Vec<Operand>) =
            Default::default();
        let number = |operand: &Operand| {
            let ty = shape.operand_type(operand).map(|ty| shape.module.types.get(ty));
            matches!(ty, Some(Type::Int(_)))
        };
        for instruction in &body.instructions {
            match &instruction.op {
                Op::Call { callee, arguments, .. } => {
                    for (at, given) in arguments.iter().enumerate().filter(|(_, given)| number(given)) {
                        match elsewhere(Leaves::Given(callee, at)) {
                            Becomes::Nothing => {}
                            Becomes::Unsure => unsure.push(given.clone()),
                            Becomes::Index => indices_of.push(given.clone()),
                            Becomes::Size => sizes.push(given.clone()),
                        }
                    }
                }
                Op::ElementAddress { indices, .. } => indices_of.extend(indices.iter().cloned()),
                Op::Store { value, pointer, .. } if number(value) => {
                    let plain =
                        matches!(pointer, Operand::Instruction(slot) if shape.plain.contains_key(slot));
                    if !plain {
                        match elsewhere(Leaves::Stored(pointer)) {
                            Becomes::Size => sizes.push(value.clone()),
                            Becomes::Index => indices_of.push(value.clone()),
                            _ => unsure.push(value.clone()),
                        }
                    }
                }
                Op::Return { value: Some(value) } if number(value) => match elsewhere(Leaves::Returned) {
                    Becomes::Size => sizes.push(value.clone()),
                    Becomes::Index => indices_of.push(value.clone()),
                    _ => unsure.push(value.clone()),
                },
                // What wraps on its way to a test passes it.
                Op::IntCompare { left, right, .. } => {
                    unsure.extend([left, right].into_iter().filter(|one| is_computed(shape, one)).cloned());
                }
                _ => {}
            }
        }
        let mut found = Self::default();
        found.trace(shape, sizes, Becomes::Size);
        found.trace(shape, indices_of, Becomes::Index);
        found.trace(shape, unsure, Becomes::Unsure);
        found
    }

    /// Notes all that the operands are made of.
    fn trace(&mut self, shape: &Shape, mut open: Vec<Operand>, becomes: Becomes) {
        let mut stored: FxHashMap<InstructionId, Vec<&Operand>> = FxHashMap::default();
        for instruction in &shape.body().instructions {
            if let Op::Store { value, pointer: Operand::Instruction(slot), .. } = &instruction.op {
                stored.entry(*slot).or_default().push(value);
            }
        }
        let mut seen = FxHashSet::default();
        while let Some(operand) = open.pop() {
            let id = match operand {
                Operand::Parameter(at) => {
                    self.parameters.entry(at).or_insert(becomes);
                    continue;
                }
                Operand::Instruction(id) => id,
                _ => continue,
            };
            if !seen.insert(id) {
                continue;
            }
            self.results.entry(id).or_insert(becomes);
            match shape.op(id) {
                Op::Binary { op, left, right, .. } => open.extend(makers(shape, *op, left, right)),
                Op::Cast { value, .. } | Op::Freeze { value } => open.push(value.clone()),
                Op::Select { then, otherwise, .. } => open.extend([then.clone(), otherwise.clone()]),
                Op::Phi { incoming } => open.extend(incoming.iter().map(|(_, value)| value.clone())),
                Op::Load { pointer: Operand::Instruction(slot), .. } if shape.plain.contains_key(slot) => {
                    // Each slot's values are of interest once.
                    open.extend(stored.remove(slot).into_iter().flatten().cloned());
                }
                _ => {}
            }
        }
    }

    /// What becomes of the result of an instruction.
    pub fn result(&self, id: InstructionId) -> Becomes {
        self.results.get(&id).copied().unwrap_or(self.others)
    }

    /// What becomes of a parameter.
    pub fn parameter(&self, at: usize) -> Becomes {
        let known = u32::try_from(at).ok().and_then(|at| self.parameters.get(&at));
        known.copied().unwrap_or(self.others)
    }
}

/// The operands that the size of a result comes from: what a remainder or a mask makes small may be anything before.
fn makers(shape: &Shape, op: BinaryOp, left: &Operand, right: &Operand) -> Vec<Operand> {
    match op {
        BinaryOp::URem | BinaryOp::SRem => vec![right.clone()],
        BinaryOp::And => {
            let pairs = [(left, right), (right, left)].into_iter();
            pairs.filter(|(_, mask)| keeps_high_bits(shape, mask)).map(|(one, _)| one.clone()).collect()
        }
        _ => vec![left.clone(), right.clone()],
    }
}

/// Whether a mask only rounds down: `~7`, `-align`.
fn keeps_high_bits(shape: &Shape, mask: &Operand) -> bool {
    match mask {
        Operand::Const(_) => shape.constant(mask).is_some_and(|(bits, width)| bits >> (width - 1) & 1 == 1),
        Operand::Instruction(id) => match shape.op(*id) {
            Op::Binary { op: BinaryOp::Xor, right, .. } => {
                shape.constant(right).is_some_and(|(bits, width)| bits.count_ones() == width)
            }
            Op::Binary { op: BinaryOp::Sub, left, .. } => {
                shape.constant(left).is_some_and(|(bits, _)| bits == 0)
            }
            Op::Cast { value, .. } => keeps_high_bits(shape, value),
            _ => false,
        },
        _ => false,
    }
}

/// Whether an operand is a sum, a difference or a product.
fn is_computed(shape: &Shape, operand: &Operand) -> bool {
    let Operand::Instruction(id) = operand else { return false };
    match shape.op(*id) {
        Op::Binary { op, .. } => matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul),
        Op::Cast { value, .. } => is_computed(shape, value),
        _ => false,
    }
}

/// What a function makes of an argument by its contract.
pub(crate) fn by_contract(contract: &Contract, argument: usize) -> Becomes {
    let sizes = contract.clauses.iter().filter_map(|clause| match clause {
        Clause::Size(sum) => Some(sum),
        _ => None,
    });
    let takes = |factor: &Factor| *factor == Factor::Parameter(argument);
    match sizes.flatten().flatten().any(takes) {
        true => Becomes::Size,
        false => Becomes::Nothing,
    }
}
