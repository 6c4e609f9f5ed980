//! Memory of callers that are not here.
//!
//! The analysis of pointers follows the programs of a repository. Functions that none of them reaches are called by others, with
//! pointers of which it knows nothing. What they point to is told apart by type: a member of a structure is not another one, and a
//! number of one width not one of another. That is what compilers assume, too, except for bytes, by which they expect any memory to
//! be written; here bytes are bytes, unless a function of the library copies them.

use super::cells::Shared;
use super::compiled::Compiled;
use hydrogen_flow::Effect;
use hydrogen_ir::{Body, Const, Instruction, InstructionId, Op, Operand, TypeId};
use hydrogen_library::Trait;
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};

/// What is accessed, by its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tag {
    /// Memory of any type.
    Any,
    /// Bytes, as in texts.
    Text,
    /// A value of a type, and if it is known, which member of which structure it is.
    Typed(TypeId, Option<(TypeId, Member)>),
}

/// The constant indices that lead to a member; behind the fourth it is not told from others.
type Member = [Option<i64>; 4];

/// What a statement does to such memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Outside {
    pub reads: BTreeSet<Tag>,
    pub sets: BTreeSet<Tag>,
}

impl Outside {
    pub fn add(&mut self, other: Outside) {
        self.reads.extend(other.reads);
        self.sets.extend(other.sets);
    }
}

/// Who touches it.
#[derive(Default)]
pub(crate) struct Touching(BTreeMap<Tag, Shared>);

impl Touching {
    pub fn add(&mut self, node: usize, outside: Outside) {
        for tag in outside.reads {
            self.0.entry(tag).or_default().reads.push(node);
        }
        for tag in outside.sets {
            self.0.entry(tag).or_default().sets.push(node);
        }
    }

    /// Per kind of memory that is set, its setters and all who may read some of it.
    pub fn joined(&self, is_byte: impl Fn(TypeId) -> bool) -> Vec<Shared> {
        let overlap = |a: &Tag, b: &Tag| match (a, b) {
            (Tag::Any, _) | (_, Tag::Any) | (Tag::Text, Tag::Text) => true,
            (Tag::Text, Tag::Typed(ty, _)) | (Tag::Typed(ty, _), Tag::Text) => is_byte(*ty),
            (Tag::Typed(a, Some(one)), Tag::Typed(b, Some(other))) => a == b && one == other,
            (Tag::Typed(a, _), Tag::Typed(b, _)) => a == b,
        };
        let set = self.0.iter().filter(|(_, shared)| !shared.sets.is_empty());
        let one = |(tag, shared): (&Tag, &Shared)| {
            let readers = self.0.iter().filter(|(other, _)| overlap(tag, other));
            let mut reads: Vec<usize> = readers.flat_map(|(_, it)| it.reads.iter().copied()).collect();
            reads.sort_unstable();
            reads.dedup();
            Shared { sets: shared.sets.clone(), reads }
        };
        set.map(one).collect()
    }
}

impl Compiled<'_> {
    /// What an instruction may do to memory that callers gave.
    pub fn touched_outside(
        &self,
        body: &Body,
        instruction: &Instruction,
        slots: &FxHashSet<InstructionId>,
        found: &mut Outside,
    ) {
        let tag = |pointer: &Operand, ty: Option<TypeId>| {
            let ty = ty.filter(|_| !is_own(body, slots, pointer))?;
            Some(Tag::Typed(ty, self.member(body, pointer)))
        };
        match &instruction.op {
            Op::Load { pointer, .. } => found.reads.extend(tag(pointer, Some(instruction.ty))),
            Op::Store { pointer, value, .. } => {
                let ty = match value {
                    Operand::Instruction(id) => Some(body.instruction(*id).ty),
                    Operand::Const(id) => self.module.constant(*id).ty(),
                    _ => None,
                };
                let any = || (!is_own(body, slots, pointer)).then_some(Tag::Any);
                found.sets.extend(if ty.is_some() { tag(pointer, ty) } else { any() });
            }
            Op::AtomicRmw { .. } | Op::CompareExchange { .. } | Op::VaArg { .. } | Op::Asm { .. } => {
                found.reads.insert(Tag::Any);
                found.sets.insert(Tag::Any);
            }
            Op::Call { callee, arguments, .. } => self.called_outside(body, slots, callee, arguments, found),
            _ => {}
        }
    }

    fn called_outside(
        &self,
        body: &Body,
        slots: &FxHashSet<InstructionId>,
        callee: &Operand,
        arguments: &[Operand],
        found: &mut Outside,
    ) {
        let direct = match callee {
            Operand::Const(id) => match self.module.constant(*id) {
                Const::Function(id) => Some(self.module.function(*id)),
                _ => None,
            },
            _ => None,
        };
        if direct.is_some_and(|it| it.body.is_some()) {
            return;
        }
        let effects = direct.and_then(|it| self.options.library.effects(&it.name));
        let Some((function, effects)) = direct.zip(effects) else {
            // Whoever is called may do anything.
            found.reads.insert(Tag::Any);
            found.sets.insert(Tag::Any);
            return;
        };
        let any = self.options.library.is(&function.name, Trait::AnyType);
        let tag = if any { Tag::Any } else { Tag::Text };
        let given = |at: Option<usize>| {
            let all = arguments.iter().enumerate().filter(|(number, _)| at.is_none_or(|at| at == *number));
            all.filter(|(_, it)| matches!(it, Operand::Instruction(_) | Operand::Parameter(_)))
                .any(|(_, it)| !is_own(body, slots, it))
        };
        for effect in effects {
            let (reads, sets) = match *effect {
                Effect::Reads(at) => (given(at), false),
                Effect::Writes(at) => (false, given(at)),
                Effect::Copy { to, from } => (given(Some(from)), given(Some(to))),
                Effect::Put { into, .. } | Effect::PutForeign(into) => (false, given(Some(into))),
                _ => (false, false),
            };
            found.reads.extend(reads.then_some(tag));
            found.sets.extend(sets.then_some(tag));
        }
    }

    /// The member that an address leads to.
    fn member(&self, body: &Body, pointer: &Operand) -> Option<(TypeId, Member)> {
        let Operand::Instruction(id) = pointer else { return None };
        let Op::ElementAddress { source, indices, .. } = &body.instruction(*id).op else { return None };
        if indices.len() < 2 || indices.len() > 5 {
            return None;
        }
        let number = |operand: &Operand| match operand {
            Operand::Const(id) => match self.module.constant(*id) {
                Const::Int { bits, .. } => i64::try_from(*bits).ok(),
                _ => None,
            },
            _ => None,
        };
        let mut member = [None; 4];
        for (at, index) in member.iter_mut().zip(&indices[1..]) {
            *at = number(index);
        }
        Some((*source, member))
    }
}

/// Whether an address is that of a variable of the function or of the program.
fn is_own(body: &Body, slots: &FxHashSet<InstructionId>, pointer: &Operand) -> bool {
    let mut pointer = pointer;
    loop {
        match pointer {
            Operand::Const(_) | Operand::Metadata(_) => return true,
            Operand::Parameter(_) => return false,
            Operand::Instruction(id) if slots.contains(id) => return true,
            Operand::Instruction(id) => match &body.instruction(*id).op {
                Op::Alloca { .. } => return true,
                Op::ElementAddress { base, .. } => pointer = base,
                _ => return false,
            },
        }
    }
}
