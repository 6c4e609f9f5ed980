//! Memory behind pointers: arrays, texts, structures that point to others.

use crate::{constants::Constants, dice::Dice};
use hydrogen_evidence::{Call, Cell, Known, Object, Value};
use hydrogen_ir::layout::{Slot, SlotKind, plain, pointee, size_of, target_slots};
use hydrogen_ir::stranger::{Word, signature, stranger};
use hydrogen_ir::{CType, CTypeId, Module};

/// Elements of an array.
const ELEMENTS: u64 = 9;
/// Numbers of the code that may be the size of a text.
const BOUNDS: std::ops::RangeInclusive<i64> = 9..=512;
/// Scalars that are set in one object.
const MOST_SLOTS: usize = 64;
/// Objects behind objects.
const DEEPEST: u32 = 4;
/// Objects of one call.
const MOST_OBJECTS: usize = 12;

/// Makes the memory of one call.
pub(crate) struct Builder<'b> {
    pub module: &'b Module,
    pub constants: &'b Constants,
    pub dice: &'b mut Dice,
    pub plain: bool,
    pub call: &'b mut Call,
    /// The type of each object.
    pub types: Vec<CTypeId>,
}

impl Builder<'_> {
    /// A value for a scalar.
    pub fn scalar(&mut self, slot: &Slot, depth: u32) -> Value {
        let width = (slot.bytes * 8).min(64) as u32;
        match slot.kind {
            SlotKind::Float => float(width, self.dice.float(self.constants, self.plain)),
            SlotKind::Truth => Value::number(width, self.dice.roll(2)),
            SlotKind::Number { .. } => {
                Value::number(width, self.dice.integer(self.constants, self.plain) as u64)
            }
            SlotKind::Pointer => self.pointer(&slot.path, slot.ctype, depth),
        }
    }

    /// A pointer of this type: mostly to new memory or to a function, sometimes null or what another pointer leads to.
    pub fn pointer(&mut self, name: &str, ctype: CTypeId, depth: u32) -> Value {
        let Some(target) = pointee(self.module, ctype).map(|target| plain(self.module, target)) else {
            return Value::Null;
        };
        if matches!(self.module.ctype(target), CType::Function { .. }) {
            return self.function(target);
        }
        let most = if depth == 0 { 16 } else { 3 };
        if self.dice.roll(most) == 0 || depth > DEEPEST || self.call.objects.len() >= MOST_OBJECTS {
            return Value::Null;
        }
        if self.dice.roll(10) == 0
            && let Some(other) = self.types.iter().position(|&one| one == target)
        {
            return Value::Object(other, 0);
        }
        match (self.module.ctype(target), size_of(self.module, target)) {
            (_, Some(1)) => self.text(name, target),
            (_, Some(size)) => {
                let is_record = matches!(self.module.ctype(target), CType::Record { .. });
                let elements = match is_record {
                    true if depth > 0 || self.dice.roll(3) > 0 => 1,
                    true => 4,
                    false => ELEMENTS,
                };
                self.typed(name, target, size, elements, depth)
            }
            _ => self.text(name, target),
        }
    }

    /// A function for a pointer to lead to: one that only the caller has, and that always answers the same. Who calls a function that calls
    /// back hands one over; those of the program may be others in the other version.
    fn function(&mut self, target: CTypeId) -> Value {
        let Some(name) = stranger(self.module, target) else { return Value::Null };
        let is_listed = self.call.known.iter().any(|known| known.function == name);
        if let (Some((gives, _)), false) = (signature(self.module, &name), is_listed) {
            let value = match gives {
                Word::Nothing => Value::number(64, 0),
                Word::Pointer => Value::Null,
                Word::Number(bits) => Value::number(bits, self.dice.roll(2)),
                Word::Float(bits) => float(bits, self.dice.float(self.constants, true)),
            };
            let function = name.clone();
            self.call.known.push(Known { function, arguments: None, value, sets: Vec::new() });
        }
        Value::Function(name)
    }

    fn typed(&mut self, name: &str, target: CTypeId, size: u64, elements: u64, depth: u32) -> Value {
        let at = self.call.objects.len();
        let of = self.module.ctype_name(target);
        self.call.objects.push(Object {
            name: name.to_owned(),
            of,
            size: size * elements,
            cells: Vec::new(),
        });
        self.types.push(target);
        let mut cells = Vec::new();
        for slot in target_slots(self.module, target, name, elements, MOST_SLOTS) {
            if slot.bytes <= 8 {
                let value = self.scalar(&slot, depth + 1);
                cells.push(Cell { at: slot.at, path: slot.path, value });
            }
        }
        self.call.objects[at].cells = cells;
        Value::Object(at, 0)
    }

    fn text(&mut self, name: &str, target: CTypeId) -> Value {
        let at = self.call.objects.len();
        // Code that compares with a hundred may have buffers of a hundred.
        let bounds = self.constants.integers.iter().copied().filter(|bound| BOUNDS.contains(bound));
        let bounds: Vec<u64> = bounds.map(i64::unsigned_abs).collect();
        let bound = |dice: &mut Dice| bounds.get(dice.roll(bounds.len() as u64) as usize).copied();
        let length = match self.dice.roll(12) {
            0 => bound(self.dice).map_or(0, |bound| bound - 1 + self.dice.roll(3)),
            _ => self.dice.roll(9),
        };
        let spare = match self.dice.roll(6) {
            0..=2 => 1,
            3 | 4 => 32,
            _ => bounds.iter().max().map_or(32, |bound| bound + 32),
        };
        let cells = (0..length)
            .map(|at| Cell {
                at,
                path: format!("{name}[{at}]"),
                value: Value::number(8, self.dice.character(self.constants).into()),
            })
            .collect();
        let of = self.module.ctype_name(target);
        self.call.objects.push(Object { name: name.to_owned(), of, size: length + spare, cells });
        self.types.push(target);
        Value::Object(at, 0)
    }
}

/// The bits of a floating-point number.
pub(crate) fn float(width: u32, number: f64) -> Value {
    match width {
        32 => Value::number(32, (number as f32).to_bits().into()),
        _ => Value::number(64, number.to_bits()),
    }
}
