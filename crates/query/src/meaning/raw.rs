//! Bytes that are stored where something else than bytes lies: structures that are cleared or copied one byte at a time.

use crate::meaning::shape::Shape;
use crate::meaning::unions::member;
use hydrogen_ir::layout::{parameter_type, plain, pointee, size_of};
use hydrogen_ir::{CType, CTypeId, Const, InstructionId, Op, Operand, Type};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// What else than bytes a stored byte may be a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Raw {
    /// A variable of the function.
    Own(InstructionId),
    /// Anything that the pointer may lead to.
    Anything,
}

/// The stores of bytes that may be a part of something else.
pub(super) fn raw_stores(shape: &Shape) -> FxHashMap<InstructionId, BTreeSet<Raw>> {
    let is_byte = |value: &Operand| {
        let ty = shape.operand_type(value).map(|ty| shape.module.types.get(ty));
        matches!(ty, Some(Type::Int(8)))
    };
    let mut found = FxHashMap::default();
    for (at, instruction) in shape.body().instructions.iter().enumerate() {
        if let Op::Store { value, pointer, .. } = &instruction.op
            && is_byte(value)
        {
            let raw = raw(shape, pointer);
            if !raw.is_empty() {
                found.insert(InstructionId::at(at), raw);
            }
        }
    }
    found
}

/// What a byte that is stored through a pointer may be a part of: what the pointer was made of, if that was no pointer to bytes.
pub(crate) fn raw(shape: &Shape, pointer: &Operand) -> BTreeSet<Raw> {
    let mut search = Search { shape, seen: BTreeSet::new(), found: BTreeSet::new() };
    search.address(pointer);
    search.found
}

struct Search<'a> {
    shape: &'a Shape,
    seen: BTreeSet<InstructionId>,
    found: BTreeSet<Raw>,
}

impl Search<'_> {
    /// Where an address comes from that bytes are stored at.
    fn address(&mut self, operand: &Operand) {
        let module = &self.shape.module;
        let id = match operand {
            Operand::Instruction(id) => *id,
            Operand::Parameter(at) => {
                let ctype = parameter_type(module, self.shape.function(), *at as usize);
                return self.is_of(ctype);
            }
            Operand::Const(id) => {
                if let Const::Global(global) = module.constant(*id) {
                    let ctype = module.global(*global).ctype;
                    if ctype.is_some_and(|ctype| !self.is_bytes(ctype)) {
                        self.found.insert(Raw::Anything);
                    }
                }
                return;
            }
            _ => return,
        };
        if !self.seen.insert(id) {
            return;
        }
        match self.shape.op(id) {
            Op::ElementAddress { source, base, indices, .. } => {
                let reached = member(self.shape, *source, indices).unwrap_or(*source);
                match module.types.get(reached) {
                    // A step over bytes: where they lie says what is stepped from.
                    Type::Int(8) if reached == *source => self.address(base),
                    Type::Int(8) => {}
                    Type::Array { element, .. } if matches!(module.types.get(*element), Type::Int(8)) => {}
                    _ => self.made_of(base),
                }
            }
            Op::Load { pointer: Operand::Instruction(slot), .. } if self.shape.plain.contains_key(slot) => {
                let variables = &self.shape.body().variables;
                let variable = variables.iter().find(|one| one.slot == Some(*slot));
                match variable.and_then(|one| one.ctype).and_then(|ctype| pointee(module, ctype)) {
                    Some(target) if size_of(module, target).is_some_and(|size| size > 1) => {
                        self.found.insert(Raw::Anything);
                    }
                    // Of bytes, or of nothing known: what it was set to says more.
                    _ => self.values_of(*slot),
                }
            }
            Op::Alloca { .. } => self.made_of(operand),
            Op::Select { then, otherwise, .. } => {
                self.address(then);
                self.address(otherwise);
            }
            Op::Phi { incoming } => incoming.iter().for_each(|(_, value)| self.address(value)),
            Op::Freeze { value } => self.address(value),
            _ => {}
        }
    }

    /// What is stored to a variable.
    fn values_of(&mut self, slot: InstructionId) {
        let shape = self.shape;
        for instruction in &shape.body().instructions {
            if let Op::Store { value, pointer: Operand::Instruction(into), .. } = &instruction.op
                && *into == slot
            {
                self.address(value);
            }
        }
    }

    /// An address of something that is no byte: in a variable of the function, or elsewhere.
    fn made_of(&mut self, base: &Operand) {
        let mut current = base;
        while let Operand::Instruction(id) = current
            && let Op::ElementAddress { base, .. } = self.shape.op(*id)
        {
            current = base;
        }
        let own = match current {
            Operand::Instruction(id) => matches!(self.shape.op(*id), Op::Alloca { .. }).then_some(*id),
            _ => None,
        };
        let variables = &self.shape.body().variables;
        let ctype = own.and_then(|own| variables.iter().find(|one| one.slot == Some(own))?.ctype);
        if ctype.is_some_and(|ctype| self.is_bytes(ctype)) {
            return;
        }
        self.found.insert(own.map_or(Raw::Anything, Raw::Own));
    }

    /// A pointer that comes in: of bytes, or of anything.
    fn is_of(&mut self, ctype: Option<CTypeId>) {
        let module = &self.shape.module;
        let target = ctype.and_then(|ctype| pointee(module, ctype));
        if target.and_then(|target| size_of(module, target)) != Some(1) {
            self.found.insert(Raw::Anything);
        }
    }

    fn is_bytes(&self, ctype: CTypeId) -> bool {
        let module = &self.shape.module;
        match module.ctype(plain(module, ctype)) {
            CType::Array { element, .. } => self.is_bytes(*element),
            _ => size_of(module, ctype) == Some(1),
        }
    }
}
