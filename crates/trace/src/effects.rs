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
    /// The places of each object, by number.
    of_object: FxHashMap<ObjectId, Vec<u32>>,
    blocks: FxHashMap<(FuncId, u32), Arc<Effect>>,
    /// Sets of places that were met: thousands of branches write one of few.
    sets: FxHashMap<Arc<[u64]>, Arc<Written>>,
}

/// A set of places that something may write.
#[derive(Debug)]
pub(crate) struct Written {
    /// Which set it is: equal sets have equal numbers.
    pub(crate) number: u32,
    /// Numbers of places, as bits.
    bits: Arc<[u64]>,
    /// The objects that they are in.
    pub(crate) objects: Box<[ObjectId]>,
    /// Whether unknown memory, and with it every object that unknown code can see.
    pub(crate) unknown: bool,
    /// Whether an object that unknown code can see.
    pub(crate) escaped: bool,
}

impl Written {
    fn has(&self, place: u32) -> bool {
        self.bits.get(place as usize / 64).is_some_and(|word| word >> (place % 64) & 1 != 0)
    }

    /// The places, by number.
    pub(crate) fn places(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.bits.len() as u32 * 64).filter(|place| self.has(*place))
    }
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
            let number = self.places.len() as u32 - 1;
            self.of_object.entry(place.0.object).or_default().push(number);
            number
        })
    }

    /// The set of these places.
    fn set(&mut self, bits: Vec<u64>, is_escaped: impl Fn(ObjectId) -> bool) -> Arc<Written> {
        if let Some(known) = self.sets.get(bits.as_slice()) {
            return Arc::clone(known);
        }
        let bits: Arc<[u64]> = bits.into();
        let number = self.sets.len() as u32;
        let mut set = Written {
            number,
            bits: Arc::clone(&bits),
            objects: Box::default(),
            unknown: false,
            escaped: false,
        };
        let mut objects: Vec<ObjectId> =
            set.places().map(|place| self.places[place as usize].0.object).collect();
        objects.sort_unstable();
        objects.dedup();
        set.unknown = objects.contains(&ObjectId::UNKNOWN);
        set.escaped = objects.iter().any(|object| is_escaped(*object));
        set.objects = objects.into();
        let set = Arc::new(set);
        self.sets.insert(bits, Arc::clone(&set));
        set
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
#[derive(Debug)]
pub(crate) struct Missed {
    /// Variables of the activation, ascending.
    pub(crate) variables: Vec<u32>,
    /// Places in memory.
    pub(crate) memory: Arc<Written>,
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
        let (mut variables, mut pseudo, mut bits) = (Vec::new(), 0, Vec::new());
        if let (Some(shape), Some(code)) = (self.shape(function), self.program.code(function)) {
            let block = shape.control.block_of[pc as usize];
            let is_end = pc + 1 == shape.control.instructions(block).end;
            if is_end && shape.control.branches(block) {
                for block in shape.control.region(block) {
                    let effect = self.effect(function, code, shape, block);
                    variables.extend(&effect.variables);
                    pseudo |= effect.pseudo;
                    unite(&mut bits, &effect.written);
                }
            } else {
                let mut written = Vec::new();
                self.written(function, code, pc, &mut written);
                bits = self.effects().bits(written);
            }
        }
        variables.sort_unstable();
        variables.dedup();
        let memory = self.effects().set(bits, |object| self.points_to.is_escaped(object));
        Missed { variables, memory, pseudo }
    }

    /// The places of a set, each with its number and how many bytes are written there.
    pub(crate) fn places_of(&self, set: &Written) -> Vec<(u32, Place, u64)> {
        let effects = self.effects();
        let place = |number: u32| {
            let (place, size) = effects.places[number as usize];
            (number, place, size)
        };
        set.places().map(place).collect()
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
            return missed.memory.unknown || missed.memory.escaped;
        }
        if missed.memory.unknown && self.points_to.is_escaped(object) {
            return true;
        }
        let effects = self.effects();
        let mut of_object = effects.of_object.get(&object).into_iter().flatten();
        of_object.any(|number| {
            let (place, size) = effects.places[*number as usize];
            missed.memory.has(*number) && self.points_to.overlap(place, size, cell.place, cell.size)
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
