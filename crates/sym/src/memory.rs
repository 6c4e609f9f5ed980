//! Addresses, loads and stores.
//!
//! Memory that others see is one array of bytes, and every local object with an address has one of its own. Whether an address may be
//! accessed is an unknown predicate, the same in both versions; for local objects and constant tables it is known.

use crate::{
    Obstacle,
    check::Asks,
    context::{ADDRESSES, FIRST_PAGE},
    homes::scalar_width,
    segment::{Did, Evaluation},
    state::{Origin, Value},
};
use hydrogen_evidence::Class;
use hydrogen_ir::{Type, TypeId};
use hydrogen_term::{Sort, Term};

/// Copies of more bytes are calls.
pub const MOST_COPIED: u64 = 256;
/// Objects that are taken to be small have fewer bytes: even one behind the last element, a signed counter of 32 bits can go on.
pub const SMALL: i128 = (1 << 31) - 1;

impl Evaluation<'_, '_, '_> {
    /// An address moved through a type.
    pub(crate) fn element(
        &mut self,
        base: Value,
        source: TypeId,
        indices: &[Term],
        inbounds: bool,
    ) -> Result<Value, Obstacle> {
        let Value::Bits(base, origin) = base else {
            return Err(Obstacle::new("an address of several parts"));
        };
        let types = &self.module().types;
        let unsized_type = || Obstacle::new("an index into something without a size");
        let (mut ty, mut moved) = (source, self.context.word(0));
        for (at, &index) in indices.iter().enumerate() {
            let inner = if at == 0 {
                ty
            } else {
                match types.get(ty) {
                    Type::Array { element, .. } | Type::Vector { element, .. } => *element,
                    Type::Struct(body) => {
                        let field =
                            self.context.pool.as_bits(index).and_then(|bits| usize::try_from(bits).ok());
                        let field = field.ok_or_else(unsized_type)?;
                        let layout = types.layout(ty).ok_or_else(unsized_type)?;
                        let offset = *layout.field_offsets.get(field).ok_or_else(unsized_type)?;
                        let fields = body.fields.as_ref().ok_or_else(unsized_type)?;
                        ty = *fields.get(field).ok_or_else(unsized_type)?;
                        let offset = self.context.word(offset);
                        moved = self.context.pool.add(moved, offset);
                        continue;
                    }
                    _ => return Err(unsized_type()),
                }
            };
            ty = inner;
            let step = types.layout(ty).ok_or_else(unsized_type)?.alloc_bytes;
            let is_wide = self.context.pool.width(index) >= 64;
            let index = self.context.pool.resize_signed(index, 64);
            if inbounds && is_wide && step > 1 && self.context.pool.as_bits(index).is_none() {
                let limit = i128::from(i64::MAX / i64::try_from(step).unwrap_or(i64::MAX).max(1));
                let pool = &mut self.context.pool;
                let (low, high) = (pool.signed_bits(64, -limit), pool.signed_bits(64, limit));
                let (above, below) = (pool.sge(index, low), pool.sle(index, high));
                let fits = pool.and(above, below);
                self.assume(fits);
            }
            let step = self.context.word(step);
            let by = self.context.pool.mul(index, step);
            moved = self.context.pool.add(moved, by);
        }
        let result = self.context.pool.add(base, moved);
        let pool = &mut self.context.pool;
        let first_moves = indices.first().is_some_and(|&first| pool.as_bits(first) != Some(0));
        let moves = first_moves || pool.as_bits(moved).is_none();
        if inbounds && origin.is_none() && pool.as_bits(result).is_none() && moves {
            // An address inside of an object, or just behind it, is one that a program can have.
            let end = pool.bits(64, ADDRESSES);
            let (before, after) = (pool.ult(base, end), pool.ult(result, end));
            let mut fits = pool.and(before, after);
            if self.context.small_objects {
                let pool = &mut self.context.pool;
                let (low, high) = (pool.signed_bits(64, -SMALL), pool.signed_bits(64, SMALL));
                let (above, below) = (pool.slt(low, moved), pool.slt(moved, high));
                let near = pool.and(above, below);
                fits = pool.and(fits, near);
            }
            self.assume(fits);
        }
        Ok(Value::Bits(result, origin))
    }

    /// The local objects that an address of unknown origin may lead into: number, address, bytes.
    fn reachable(&self) -> Vec<(usize, u64, u64)> {
        let objects = self.runner.code.homes.objects.iter().enumerate();
        let escaping = objects.filter(|(_, object)| object.escapes);
        escaping.map(|(at, object)| (at, self.runner.addresses[at], object.bytes)).collect()
    }

    /// Whether some bytes lie inside of an object.
    fn inside(&mut self, address: Term, bytes: u64, begin: u64, size: u64) -> Term {
        let Some(last) = size.checked_sub(bytes) else { return self.context.pool.bool(false) };
        let begin = self.context.word(begin);
        let offset = self.context.pool.sub(address, begin);
        let last = self.context.word(last);
        self.context.pool.ule(offset, last)
    }

    /// Whether the bytes are known to lie in a variable that can be written: it exists, whatever else does.
    fn is_variable(&self, address: Term, bytes: u64) -> bool {
        let Some(at) = self.context.pool.as_bits(address).and_then(|bits| u64::try_from(bits).ok()) else {
            return false;
        };
        let holds = |(begin, size): &(u64, u64)| {
            at >= *begin && at - begin <= size.saturating_sub(bytes) && bytes <= *size
        };
        self.context.variables.iter().any(holds)
    }

    /// Faults unless the bytes at the address may be accessed.
    pub(crate) fn access(&mut self, pointer: &Value, bytes: u64, writes: bool) -> Result<(), Obstacle> {
        let Value::Bits(address, origin) = *pointer else {
            return Err(Obstacle::new("an address of several parts"));
        };
        self.check(|| Asks::Accesses { address: pointer.clone(), bytes, writes });
        let valid = match origin {
            Some(Origin::Local(object)) => {
                let (begin, size) = (
                    self.runner.addresses[object as usize],
                    self.runner.code.homes.objects[object as usize].bytes,
                );
                self.inside(address, bytes, begin, size)
            }
            Some(Origin::Table(table)) => {
                let table = &self.context.tables[table as usize];
                let (begin, size) = (table.address, if writes { 0 } else { table.bytes });
                self.inside(address, bytes, begin, size)
            }
            // A variable of the program is there.
            None if self.is_variable(address, bytes) => self.context.pool.bool(true),
            None if self.context.trusting => {
                let first = self.context.pool.bits(64, FIRST_PAGE);
                let null = self.context.pool.ult(address, first);
                self.fault(Class::Null, null);
                return Ok(());
            }
            None => {
                let first = self.context.pool.bits(64, FIRST_PAGE);
                let mut valid = self.context.pool.uge(address, first);
                if let Some(buffers) = self.context.buffers.clone() {
                    let all: Vec<(u64, u64)> =
                        buffers.into_iter().chain(self.context.globals.iter().copied()).collect();
                    let inside: Vec<Term> =
                        all.iter().map(|&(begin, size)| self.inside(address, bytes, begin, size)).collect();
                    valid = self.context.pool.or_all(inside);
                } else if !self.context.concrete {
                    let size = self.context.word(bytes);
                    let epoch = self.state.epoch;
                    let exists = self.context.unknown("valid", &[address, size, epoch], Sort::Bool);
                    valid = self.context.pool.and(valid, exists);
                    if writes {
                        let writable = self.context.unknown("writable", &[address, size, epoch], Sort::Bool);
                        valid = self.context.pool.and(valid, writable);
                    }
                }
                for (_, begin, size) in self.reachable() {
                    let inside = self.inside(address, bytes, begin, size);
                    valid = self.context.pool.or(valid, inside);
                }
                valid
            }
        };
        let invalid = self.context.pool.not(valid);
        self.fault(Class::Overflow, invalid);
        Ok(())
    }

    /// The bytes at an address as a number.
    pub(crate) fn bytes_at(&mut self, pointer: &Value, bytes: u32) -> Result<Term, Obstacle> {
        let Value::Bits(address, origin) = *pointer else {
            return Err(Obstacle::new("an address of several parts"));
        };
        Ok(match origin {
            Some(Origin::Local(object)) => {
                let array = self.state.objects[object as usize];
                self.context.pool.read_le(array, address, bytes)
            }
            Some(Origin::Table(table)) => {
                let array = self.context.tables[table as usize].array;
                self.context.pool.read_le(array, address, bytes)
            }
            None => {
                let mut value = self.context.pool.read_le(self.state.public, address, bytes);
                for (object, begin, size) in self.reachable() {
                    let inside = self.inside(address, u64::from(bytes), begin, size);
                    if self.context.pool.as_bool(inside) == Some(false) {
                        continue;
                    }
                    let own = self.context.pool.read_le(self.state.objects[object], address, bytes);
                    value = self.context.pool.ite(inside, own, value);
                }
                value
            }
        })
    }

    /// Replaces the bytes at an address.
    pub(crate) fn put_bytes(&mut self, pointer: &Value, value: Term) -> Result<(), Obstacle> {
        let Value::Bits(address, origin) = *pointer else {
            return Err(Obstacle::new("an address of several parts"));
        };
        let bytes = u64::from(self.context.pool.width(value) / 8);
        self.note(|| Did::Writes { address, origin, value });
        match origin {
            Some(Origin::Local(object)) => {
                let array = self.state.objects[object as usize];
                self.state.objects[object as usize] = self.context.pool.write_le(array, address, value);
            }
            // A write to a constant has faulted.
            Some(Origin::Table(_)) => {}
            None => {
                let mut elsewhere = self.context.pool.bool(true);
                for (object, begin, size) in self.reachable() {
                    let inside = self.inside(address, bytes, begin, size);
                    if self.context.pool.as_bool(inside) == Some(false) {
                        continue;
                    }
                    let old = self.state.objects[object];
                    let new = self.context.pool.write_le(old, address, value);
                    self.state.objects[object] = self.context.pool.ite(inside, new, old);
                    let outside = self.context.pool.not(inside);
                    elsewhere = self.context.pool.and(elsewhere, outside);
                }
                let old = self.state.public;
                let new = self.context.pool.write_le(old, address, value);
                self.state.public = self.context.pool.ite(elsewhere, new, old);
            }
        }
        Ok(())
    }

    pub(crate) fn load(&mut self, pointer: &Value, ty: TypeId) -> Result<Value, Obstacle> {
        let bytes = self.size(ty)?;
        self.access(pointer, bytes, false)?;
        self.value_at(pointer, ty)
    }

    pub(crate) fn store(
        &mut self,
        pointer: &Value,
        value: &Value,
        ty: Option<TypeId>,
    ) -> Result<(), Obstacle> {
        let bytes = match ty {
            Some(ty) => self.size(ty)?,
            None => 8,
        };
        self.access(pointer, bytes, true)?;
        self.put_value(pointer, value, ty)
    }

    /// Faults unless a value of a type may be accessed.
    pub(crate) fn accessible(&mut self, pointer: &Value, ty: TypeId, writes: bool) -> Result<(), Obstacle> {
        let bytes = self.size(ty)?;
        self.access(pointer, bytes, writes)
    }

    fn size(&self, ty: TypeId) -> Result<u64, Obstacle> {
        let layout = self.module().types.layout(ty).ok_or_else(|| Obstacle::new("a value without a size"))?;
        Ok(layout.size_bits.div_ceil(8))
    }

    fn moved(&mut self, pointer: &Value, by: u64) -> Result<Value, Obstacle> {
        let Value::Bits(address, origin) = *pointer else {
            return Err(Obstacle::new("an address of several parts"));
        };
        let by = self.context.word(by);
        Ok(Value::Bits(self.context.pool.add(address, by), origin))
    }

    /// The types and offsets of a structure's or array's parts.
    fn parts(&self, ty: TypeId) -> Result<Vec<(TypeId, u64)>, Obstacle> {
        let types = &self.module().types;
        let layout = types.layout(ty).ok_or_else(|| Obstacle::new("a value without a size"))?;
        match types.get(ty) {
            Type::Struct(body) => {
                let fields = body.fields.as_ref().ok_or_else(|| Obstacle::new("a value without a size"))?;
                Ok(fields.iter().copied().zip(layout.field_offsets.iter().copied()).collect())
            }
            Type::Array { element, len } if *len <= 64 => {
                let step = types.layout(*element).map_or(0, |layout| layout.alloc_bytes);
                Ok((0..*len).map(|at| (*element, at * step)).collect())
            }
            _ => Err(Obstacle::new("a value of many parts")),
        }
    }

    fn value_at(&mut self, pointer: &Value, ty: TypeId) -> Result<Value, Obstacle> {
        if let Some(width) = scalar_width(self.module(), ty) {
            let whole = self.bytes_at(pointer, width.div_ceil(8))?;
            return Ok(Value::Bits(self.context.pool.truncate(whole, width), None));
        }
        let mut parts = Vec::new();
        for (part, offset) in self.parts(ty)? {
            let at = self.moved(pointer, offset)?;
            parts.push(self.value_at(&at, part)?);
        }
        Ok(Value::Parts(parts))
    }

    fn put_value(&mut self, pointer: &Value, value: &Value, ty: Option<TypeId>) -> Result<(), Obstacle> {
        match value {
            Value::Bits(term, _) => {
                let width = self.context.pool.width(*term).div_ceil(8) * 8;
                let term = self.context.pool.zext(*term, width);
                self.put_bytes(pointer, term)
            }
            Value::Parts(values) => {
                let parts = self.parts(ty.ok_or_else(|| Obstacle::new("a value of unknown shape"))?)?;
                for (value, (part, offset)) in values.iter().zip(parts) {
                    let at = self.moved(pointer, offset)?;
                    self.put_value(&at, value, Some(part))?;
                }
                Ok(())
            }
        }
    }
}
