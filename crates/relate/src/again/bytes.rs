//! Memory: every place that an address may lead to is looked at.

use super::{operate::mixed, walk::Turn};
use crate::{
    Obstacle,
    context::{ADDRESSES, FIRST_PAGE},
    homes::scalar_width,
    memory::SMALL,
    state::{Origin, Value},
};
use hydrogen_evidence::Class;
use hydrogen_ir::{Type, TypeId};
use hydrogen_term::{Sort, Term};

/// Where bytes are.
#[derive(Clone, Copy)]
enum Place {
    /// In a local object.
    Object(usize),
    /// In a constant of the program.
    Table(usize),
    /// In memory that others see.
    Public,
}

impl Turn<'_, '_, '_, '_> {
    /// The places that some bytes may be at, each with when they are there; the last one is where they are otherwise.
    fn places(&mut self, address: Term, origin: Option<Origin>, bytes: u64) -> Vec<(Place, Term)> {
        let homes = &self.runner.code.homes.objects;
        match origin {
            Some(Origin::Local(object)) => {
                let object = object as usize;
                let lies = self.lies(address, bytes, self.runner.addresses[object], homes[object].bytes);
                vec![(Place::Object(object), lies)]
            }
            Some(Origin::Table(table)) => {
                let table = table as usize;
                let (begin, size) = (self.context.tables[table].address, self.context.tables[table].bytes);
                vec![(Place::Table(table), self.lies(address, bytes, begin, size))]
            }
            None => {
                let mut all = Vec::new();
                for (object, home) in homes.iter().enumerate().filter(|(_, home)| home.escapes) {
                    let lies = self.lies(address, bytes, self.runner.addresses[object], home.bytes);
                    if self.context.pool.as_bool(lies) != Some(false) {
                        all.push((Place::Object(object), lies));
                    }
                }
                all.push((Place::Public, self.exists(address, bytes)));
                all
            }
        }
    }

    /// Whether bytes lie inside of an object: not before it, and as many are left as there are to be.
    fn lies(&mut self, address: Term, bytes: u64, begin: u64, size: u64) -> Term {
        if bytes > size {
            return self.context.pool.bool(false);
        }
        let (begin, room) = (self.context.word(begin), self.context.word(size - bytes));
        let offset = self.context.pool.sub(address, begin);
        self.context.pool.ule(offset, room)
    }

    /// Whether public memory has these bytes: an unknown function of them and of which objects there are. The program's own variables are there.
    fn exists(&mut self, address: Term, bytes: u64) -> Term {
        let is_inside = |&(begin, size): &(u64, u64)| {
            let at = self.context.pool.as_bits(address).and_then(|at| u64::try_from(at).ok());
            at.and_then(|at| at.checked_sub(begin)).is_some_and(|offset| offset.saturating_add(bytes) <= size)
        };
        if self.context.variables.iter().any(is_inside) {
            return self.context.pool.bool(true);
        }
        let (size, epoch) = (self.context.word(bytes), self.lane.state.epoch);
        let there = self.context.unknown("valid", &[address, size, epoch], Sort::Bool);
        let first = self.context.pool.bits(64, FIRST_PAGE);
        let possible = self.context.pool.uge(address, first);
        self.context.pool.and(possible, there)
    }

    /// The run goes wrong unless the bytes can be read, or written.
    pub fn may_access(&mut self, pointer: &Value, bytes: u64, writes: bool) -> Result<(), Obstacle> {
        let Value::Bits(address, origin) = *pointer else { return Err(mixed()) };
        let mut any = self.context.pool.bool(false);
        for (place, mut lies) in self.places(address, origin, bytes) {
            match place {
                Place::Table(_) if writes => lies = self.context.pool.bool(false),
                Place::Public if writes && self.context.pool.as_bool(lies) != Some(true) => {
                    let (size, epoch) = (self.context.word(bytes), self.lane.state.epoch);
                    let can = self.context.unknown("writable", &[address, size, epoch], Sort::Bool);
                    lies = self.context.pool.and(lies, can);
                }
                _ => {}
            }
            any = self.context.pool.or(any, lies);
        }
        let none = self.context.pool.not(any);
        self.goes_wrong(Class::Overflow, none);
        Ok(())
    }

    pub fn read(&mut self, pointer: &Value, bytes: u32) -> Result<Term, Obstacle> {
        let Value::Bits(address, origin) = *pointer else { return Err(mixed()) };
        let mut value = None;
        for (place, lies) in self.places(address, origin, u64::from(bytes)).into_iter().rev() {
            let array = match place {
                Place::Object(object) => self.lane.state.objects[object],
                Place::Table(table) => self.context.tables[table].array,
                Place::Public => self.lane.state.public,
            };
            let here = self.context.pool.read_le(array, address, bytes);
            value = Some(value.map_or(here, |value| self.context.pool.ite(lies, here, value)));
        }
        value.ok_or_else(mixed)
    }

    pub fn write(&mut self, pointer: &Value, value: Term) -> Result<(), Obstacle> {
        let Value::Bits(address, origin) = *pointer else { return Err(mixed()) };
        let bytes = u64::from(self.context.pool.width(value) / 8);
        let places = self.places(address, origin, bytes);
        let count = places.len();
        let mut nowhere_yet = self.context.pool.bool(true);
        for (at, (place, lies)) in places.into_iter().enumerate() {
            // The last place has what no other one has.
            let here = match at + 1 == count {
                true => nowhere_yet,
                false => self.context.pool.and(nowhere_yet, lies),
            };
            let array = match place {
                Place::Object(object) => &mut self.lane.state.objects[object],
                Place::Public => &mut self.lane.state.public,
                Place::Table(_) => continue,
            };
            let written = self.context.pool.write_le(*array, address, value);
            *array = self.context.pool.ite(here, written, *array);
            let elsewhere = self.context.pool.not(lies);
            nowhere_yet = self.context.pool.and(nowhere_yet, elsewhere);
        }
        Ok(())
    }

    pub fn bytes_of(&self, ty: TypeId) -> Result<u64, Obstacle> {
        Ok(self.module().types.layout(ty).ok_or_else(mixed)?.size_bits.div_ceil(8))
    }

    /// The same pointer, some bytes further.
    pub fn further(&mut self, pointer: &Value, by: u64) -> Result<Value, Obstacle> {
        let Value::Bits(address, origin) = *pointer else { return Err(mixed()) };
        let by = self.context.word(by);
        Ok(Value::Bits(self.context.pool.add(address, by), origin))
    }

    pub fn loaded(&mut self, pointer: &Value, ty: TypeId) -> Result<Value, Obstacle> {
        if let Some(width) = scalar_width(self.module(), ty) {
            let bytes = self.read(pointer, width.div_ceil(8))?;
            return Ok(Value::Bits(self.context.pool.truncate(bytes, width), None));
        }
        let mut parts = Vec::new();
        for (part, offset) in self.parts_of(ty)? {
            let at = self.further(pointer, offset)?;
            parts.push(self.loaded(&at, part)?);
        }
        Ok(Value::Parts(parts))
    }

    pub fn stored(&mut self, pointer: &Value, value: &Value, ty: Option<TypeId>) -> Result<(), Obstacle> {
        let parts = match value {
            Value::Bits(term, _) => {
                let whole = self.context.pool.width(*term).div_ceil(8) * 8;
                let term = self.context.pool.zext(*term, whole);
                return self.write(pointer, term);
            }
            Value::Parts(parts) => parts,
        };
        for (value, (part, offset)) in parts.iter().zip(self.parts_of(ty.ok_or_else(mixed)?)?) {
            let at = self.further(pointer, offset)?;
            self.stored(&at, value, Some(part))?;
        }
        Ok(())
    }

    /// The address of an element. What moves inside of an object stays an address that a program can have.
    pub fn element_of(
        &mut self,
        base: Value,
        source: TypeId,
        indices: &[Term],
        inbounds: bool,
    ) -> Result<Value, Obstacle> {
        let Value::Bits(base, origin) = base else { return Err(mixed()) };
        let types = &self.module().types;
        let mut offset = self.context.word(0);
        let mut ty = source;
        for (depth, &index) in indices.iter().enumerate() {
            if let (Type::Struct(body), true) = (types.get(ty), depth > 0) {
                let field = self.context.pool.as_bits(index).and_then(|n| usize::try_from(n).ok());
                let field = field.ok_or_else(mixed)?;
                let at = *types.layout(ty).ok_or_else(mixed)?.field_offsets.get(field).ok_or_else(mixed)?;
                ty = *body.fields.as_ref().and_then(|all| all.get(field)).ok_or_else(mixed)?;
                let at = self.context.word(at);
                offset = self.context.pool.add(offset, at);
                continue;
            }
            if depth > 0 {
                let (Type::Array { element, .. } | Type::Vector { element, .. }) = types.get(ty) else {
                    return Err(mixed());
                };
                ty = *element;
            }
            let step = types.layout(ty).ok_or_else(mixed)?.alloc_bytes;
            // An index of 64 bits could be so large that the product wraps around; one of 32 bits cannot.
            let can_wrap = self.context.pool.width(index) >= 64 && step > 1;
            let index = self.context.pool.resize_signed(index, 64);
            if inbounds && can_wrap && self.context.pool.as_bits(index).is_none() {
                let most = i128::from(i64::MAX) / i128::from(step);
                self.between(index, -most - 1, most + 1);
            }
            let step = self.context.word(step);
            let by = self.context.pool.mul(index, step);
            offset = self.context.pool.add(offset, by);
        }
        let address = self.context.pool.add(base, offset);
        let is_known = |term: Term| self.context.pool.as_bits(term).is_some();
        let moves = !is_known(offset)
            || indices.first().is_some_and(|&one| self.context.pool.as_bits(one) != Some(0));
        if inbounds && moves && origin.is_none() && !is_known(address) {
            let end = self.context.pool.bits(64, ADDRESSES);
            for one in [base, address] {
                let fits = self.context.pool.ult(one, end);
                self.granted(fits);
            }
            if self.context.small_objects {
                self.between(offset, -SMALL, SMALL);
            }
        }
        Ok(Value::Bits(address, origin))
    }

    /// It is granted that a number lies strictly between two others.
    fn between(&mut self, number: Term, low: i128, high: i128) {
        let pool = &mut self.context.pool;
        let (low, high) = (pool.signed_bits(64, low), pool.signed_bits(64, high));
        let (above, below) = (pool.slt(low, number), pool.slt(number, high));
        let both = pool.and(above, below);
        self.granted(both);
    }
}
