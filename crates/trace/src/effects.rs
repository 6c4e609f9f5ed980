//! What the code that depends on a branch may write, and what a store may hit at another address.

use crate::places::{Cell, FILES, OUTPUT, PSEUDO, STOPPED};
use crate::shape::Shape;
use crate::statics::Static;
use hydrogen_flow::{At, ObjectId, Place};
use hydrogen_ir::{FunctionId, Op, Operand};
use hydrogen_machine::FuncId;
use hydrogen_machine::code::{Code, Complex, Instr};
use rustc_hash::FxHashMap;
use std::sync::{Arc, PoisonError};

/// A write of which only the place is known counts for so many bytes; larger ones count for the whole object.
const SMALL: u64 = 16;

/// What blocks write, each place by a number.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    places: Vec<(Place, u64)>,
    numbers: FxHashMap<(Place, u64), u32>,
    blocks: FxHashMap<(FuncId, u32), Arc<Effect>>,
}

/// What a block does.
#[derive(Debug, Default)]
pub(crate) struct Effect {
    variables: Vec<u32>,
    pseudo: u8,
    /// Numbers of places, as bits.
    written: Vec<u64>,
}

impl Effects {
    fn number(&mut self, place: (Place, u64)) -> u32 {
        *self.numbers.entry(place).or_insert_with(|| {
            self.places.push(place);
            self.places.len() as u32 - 1
        })
    }

    fn bits(&mut self, places: Vec<(Place, u64)>) -> Vec<u64> {
        let mut bits = Vec::new();
        for place in places {
            let number = self.number(place) as usize;
            if bits.len() <= number / 64 {
                bits.resize(number / 64 + 1, 0);
            }
            bits[number / 64] |= 1 << (number % 64);
        }
        bits
    }
}

fn unite(into: &mut Vec<u64>, other: &[u64]) {
    if into.len() < other.len() {
        into.resize(other.len(), 0);
    }
    into.iter_mut().zip(other).for_each(|(word, more)| *word |= more);
}

/// What a branch or a store may have to do with.
#[derive(Debug, Default)]
pub(crate) struct Missed {
    /// Variables of the activation, ascending.
    pub(crate) variables: Vec<u32>,
    /// Places in memory, by object: their numbers, and sizes.
    pub(crate) memory: FxHashMap<ObjectId, Vec<(u32, Place, u64)>>,
    /// Whether unknown memory, and with it every object that unknown code can see.
    pub(crate) unknown: bool,
    /// Whether an object that unknown code can see.
    pub(crate) escaped: bool,
    /// Cells that are no memory of the program, by bit.
    pub(crate) pseudo: u8,
}

impl Static<'_> {
    /// What may be written by whatever depends on a branch, or by a store itself had it another address.
    pub(crate) fn missed(&self, function: FuncId, pc: u32) -> Arc<Missed> {
        if let Some(known) = self.lock().get(&(function, pc)) {
            return Arc::clone(known);
        }
        let missed = Arc::new(self.find_missed(function, pc));
        Arc::clone(self.lock().entry((function, pc)).or_insert(missed))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, FxHashMap<(FuncId, u32), Arc<Missed>>> {
        self.missed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find_missed(&self, function: FuncId, pc: u32) -> Missed {
        let mut missed = Missed::default();
        let (Some(shape), Some(code)) = (self.shape(function), self.program.code(function)) else {
            return missed;
        };
        let mut bits = Vec::new();
        let block = shape.control.block_of[pc as usize];
        let is_end = pc + 1 == shape.control.instructions(block).end;
        if is_end && shape.control.branches(block) {
            for block in shape.control.region(block) {
                let effect = self.effect(function, code, shape, block);
                missed.variables.extend(&effect.variables);
                missed.pseudo |= effect.pseudo;
                unite(&mut bits, &effect.written);
            }
        } else {
            let mut written = Vec::new();
            self.written(function, code, pc, &mut written);
            bits = self.effects().bits(written);
        }
        missed.variables.sort_unstable();
        missed.variables.dedup();
        let effects = self.effects();
        for number in (0..bits.len() * 64).filter(|number| bits[number / 64] >> (number % 64) & 1 != 0) {
            let (place, size) = effects.places[number];
            missed.unknown |= place.object == ObjectId::UNKNOWN;
            missed.escaped |= self.points_to.is_escaped(place.object);
            missed.memory.entry(place.object).or_default().push((number as u32, place, size));
        }
        missed
    }

    fn effects(&self) -> std::sync::MutexGuard<'_, Effects> {
        self.effects.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a block does, callees included.
    fn effect(&self, function: FuncId, code: &Code, shape: &Shape, block: u32) -> Arc<Effect> {
        if let Some(known) = self.effects().blocks.get(&(function, block)) {
            return Arc::clone(known);
        }
        let mut effect = Effect::default();
        let mut written: Vec<(Place, u64)> = Vec::new();
        for pc in shape.control.instructions(block) {
            let instr = &code.instrs[pc as usize];
            effect.pseudo |= of_instr(code, instr);
            for callee in self.callees(function, code, pc) {
                effect.pseudo |= self.doings[callee.0 as usize];
            }
            effect.variables.extend(shape.writes(pc));
            match stored_locally(instr) {
                Some(offset) if shape.slot(offset).is_some() => effect.variables.extend(shape.slot(offset)),
                _ => self.written(function, code, pc, &mut written),
            }
        }
        let mut effects = self.effects();
        effect.written = effects.bits(written);
        Arc::clone(effects.blocks.entry((function, block)).or_insert_with(|| Arc::new(effect)))
    }

    /// Memory that an instruction may write, callees included.
    fn written(&self, function: FuncId, code: &Code, pc: u32, out: &mut Vec<(Place, u64)>) {
        let writes = match &code.instrs[pc as usize] {
            Instr::Call { .. } => true,
            Instr::Complex { index } => matches!(
                code.complex[*index as usize],
                Complex::Store { .. }
                    | Complex::Rmw { .. }
                    | Complex::CompareExchange { .. }
                    | Complex::Intrinsic { .. }
                    | Complex::Syscall { .. }
            ),
            instr => stored_locally(instr).is_some() || stored(instr),
        };
        if !writes {
            return;
        }
        let unknown = (Place { object: ObjectId::UNKNOWN, offset: hydrogen_flow::Offset::Anywhere }, SMALL);
        let Some(id) = self.linked(function) else { return out.push(unknown) };
        let Some(body) = self.module.function(id).body.as_ref() else { return out.push(unknown) };
        let instruction = code.origin[pc as usize];
        if let Op::Store { pointer, value, .. } = &body.instruction(instruction).op {
            let places = self.points_to.points_to(id, pointer);
            let size = self.size(id, body, value);
            if places.is_empty() {
                return out.push(unknown);
            }
            let whole = |place: Place| match size {
                Some(size) if size <= SMALL => (place, size),
                _ => (Place { offset: hydrogen_flow::Offset::Anywhere, ..place }, SMALL),
            };
            out.extend(places.into_iter().map(whole));
            return;
        }
        let at = At {
            module: &self.module,
            options: &self.options,
            points_to: &self.points_to,
            function: id,
            instruction,
        };
        out.extend(self.summaries.written_at(at).into_iter().map(|place| (place, SMALL)));
    }

    fn size(&self, function: FunctionId, body: &hydrogen_ir::Body, value: &Operand) -> Option<u64> {
        let ty = match value {
            Operand::Instruction(id) => body.instruction(*id).ty,
            Operand::Parameter(index) => self.module.function(function).parameters.get(*index as usize)?.ty?,
            Operand::Const(id) => match self.module.constant(*id).ty() {
                Some(ty) => ty,
                None => return Some(8),
            },
            Operand::Metadata(_) => return None,
        };
        self.module.types.layout(ty).map(|layout| layout.alloc_bytes)
    }

    /// Whether a branch that went elsewhere might have written the cell.
    pub(crate) fn may_write(&self, missed: &Missed, number: u32, cell: &Cell) -> bool {
        if number < PSEUDO {
            return missed.pseudo >> number & 1 != 0;
        }
        let object = cell.place.object;
        if object == ObjectId::UNKNOWN {
            return missed.unknown || missed.escaped;
        }
        (missed.unknown && self.points_to.is_escaped(object))
            || missed.memory.get(&object).is_some_and(|places| {
                places
                    .iter()
                    .any(|(_, place, size)| self.points_to.overlap(*place, *size, cell.place, cell.size))
            })
    }
}

/// What an instruction itself does beside writing memory.
pub(crate) fn of_instr(code: &Code, instr: &Instr) -> u8 {
    match instr {
        Instr::Unreachable => 1 << STOPPED,
        Instr::Complex { index } => match code.complex[*index as usize] {
            Complex::Syscall { .. } => 1 << OUTPUT | 1 << FILES,
            Complex::Unsupported { .. } => 1 << STOPPED,
            _ => 0,
        },
        _ => 0,
    }
}

fn stored_locally(instr: &Instr) -> Option<u32> {
    match *instr {
        Instr::StoreLocal8 { offset, .. }
        | Instr::StoreLocal16 { offset, .. }
        | Instr::StoreLocal32 { offset, .. }
        | Instr::StoreLocal64 { offset, .. } => Some(offset),
        _ => None,
    }
}

fn stored(instr: &Instr) -> bool {
    matches!(
        instr,
        Instr::Store8 { .. } | Instr::Store16 { .. } | Instr::Store32 { .. } | Instr::Store64 { .. }
    )
}
