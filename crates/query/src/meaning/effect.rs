//! What a run does to the state, and the condition before it from the condition behind it.

use crate::meaning::state::{Cell, Object, Part, Role, Terms, Value};
use hydrogen_term::{Op, Term};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A change of memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Write {
    /// One value.
    Cell { object: Term, offset: Term, cell: Cell, value: Value, over: Over },
    /// Any bytes, `bytes` of them or unknown many, of an object.
    Region { object: Term, offset: Term, bytes: Option<Term>, event: u32 },
    /// Whatever strangers can reach; only cells of these kinds, if given.
    All { event: u32, cells: Option<Vec<Cell>>, frees: bool },
    /// Bytes of another place.
    Copy { object: Term, offset: Term, from: (Term, Term), bytes: Term, event: u32 },
    /// One byte, many times.
    Fill { object: Term, offset: Term, byte: Term, bytes: Term, event: u32 },
    /// A new object.
    New { object: Term, bytes: Option<Term>, zero: bool, made: Term, event: u32 },
    /// An object ends.
    Free { object: Term },
    /// An object's address gets known outside of variables: in another object, or to whoever is called.
    Escape { object: Term, into: Option<Term> },
    /// A string gets a length. Where it is not less than `within`, so many characters are there, and no end behind them.
    Length { object: Term, offset: Term, length: Term, within: Option<Term> },
}

/// What a value is written over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Over {
    /// Values of its own type.
    OwnType,
    /// A member of a union, which may be read as another one.
    Union,
    /// A byte of anything.
    Anything,
}

/// A run's effect: simultaneous assignments, and changes of memory in order. All terms speak of the state before.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub(crate) struct Effect {
    /// Variables (one term each) and what they become.
    pub assign: Vec<(Term, Term)>,
    pub writes: Vec<Write>,
    /// What must hold before, for control to get behind.
    pub guard: Option<Term>,
    /// The event that stands for what this run does to strings.
    pub event: u32,
}

impl Effect {
    pub fn set(&mut self, target: Value, value: Value) {
        match (target, value) {
            (Value::Int(target), Value::Int(value)) => self.put(target, value),
            (Value::Pointer(object, offset), Value::Pointer(to, at)) => {
                self.put(object, to);
                self.put(offset, at);
            }
            _ => {}
        }
    }

    pub fn put(&mut self, target: Term, value: Term) {
        match self.assign.iter_mut().find(|(other, _)| *other == target) {
            Some(pair) => pair.1 = value,
            None => self.assign.push((target, value)),
        }
    }
}

/// How two accesses lie to each other.
enum Relation {
    Apart,
    Same,
    /// They overlap, but are not the same cell.
    Across,
    Maybe,
}

impl Terms {
    /// The condition before a run.
    pub fn before(&mut self, condition: Term, effect: &Effect) -> Term {
        let mut done: FxHashMap<Term, Term> = effect.assign.iter().copied().collect();
        let condition = self.rewrite(condition, &effect.writes, effect.event, &mut done);
        match effect.guard {
            Some(guard) => self.pool.and(guard, condition),
            None => condition,
        }
    }

    fn rewrite(
        &mut self,
        term: Term,
        writes: &[Write],
        event: u32,
        done: &mut FxHashMap<Term, Term>,
    ) -> Term {
        let mut open = vec![term];
        while let Some(&current) = open.last() {
            if done.contains_key(&current) {
                open.pop();
                continue;
            }
            let before = open.len();
            open.extend(self.pool.args(current).iter().filter(|one| !done.contains_key(one)));
            if open.len() > before {
                continue;
            }
            let args: SmallVec<[Term; 3]> = self.pool.args(current).iter().map(|one| done[one]).collect();
            let op = self.pool.op(current);
            let result = match op {
                Op::Apply(function) => match self.role(function) {
                    Role::Memory(cell, part) => {
                        match (part, self.read(writes, event, cell, args[0], args[1])) {
                            (Part::Number, Value::Int(value)) => value,
                            (Part::Object, Value::Pointer(object, _)) => object,
                            (Part::Offset, Value::Pointer(_, offset)) => offset,
                            _ => unreachable!("a cell is read as what it is"),
                        }
                    }
                    Role::Length => self.string(writes, event, args[0], args[1]),
                    Role::Unset => self.unset_now(writes, args[0], args[1]),
                    role @ (Role::Freed | Role::Escaped | Role::Made) => {
                        self.read_flag(writes, role, args[0])
                    }
                    Role::Elsewhere => self.read_elsewhere(writes, args[0], args[1]),
                    Role::Size => self.size_through(writes, args[0]),
                    Role::Rooted => self.rooted(args[0]),
                    Role::OfNumber(part) => self.of_number(part, args[0]),
                    Role::Address | Role::Whole(_) | Role::Fixed if args[..] != *self.pool.args(current) => {
                        self.pool.make(op, &args)
                    }
                    Role::Address | Role::Whole(_) | Role::Fixed => current,
                },
                _ if args[..] == *self.pool.args(current) => current,
                _ => self.pool.make(op, &args),
            };
            done.insert(current, result);
            open.pop();
        }
        done[&term]
    }

    /// What a cell holds after the writes, in terms of the state before them.
    pub fn read(&mut self, writes: &[Write], event: u32, cell: Cell, object: Term, offset: Term) -> Value {
        if let Op::Ite = self.pool.op(object)
            && let [condition, then, otherwise] = self.pool.args(object)[..]
        {
            let split = |one: &mut Self, left: bool| one.branch_of(offset, condition, left);
            let (then_at, otherwise_at) = (split(self, true), split(self, false));
            let then = self.read(writes, event, cell, then, then_at);
            let otherwise = self.read(writes, event, cell, otherwise, otherwise_at);
            return self.choose(condition, then, otherwise);
        }
        // What is never written has no history.
        let writes = if self.is_constant(object) { &[] } else { writes };
        let Some((last, rest)) = writes.split_last() else { return self.memory(cell, object, offset, None) };
        match *last {
            Write::Cell { object: other, offset: at, cell: kind, value, over } => {
                match self.relation((object, offset, cell), (other, at, kind)) {
                    Relation::Same => value,
                    Relation::Apart => self.read(rest, event, cell, object, offset),
                    Relation::Across => {
                        let punned = if offset == at { self.punned(cell, value) } else { None };
                        punned.unwrap_or_else(|| self.memory(cell, object, offset, Some(event)))
                    }
                    Relation::Maybe if kind == cell => {
                        let same = self.same(Value::Pointer(object, offset), Value::Pointer(other, at));
                        let same = same.expect("addresses are pointers");
                        let kept = self.read(rest, event, cell, object, offset);
                        self.choose(same, value, kept)
                    }
                    // Members of a union overlap; in one object that can be told.
                    Relation::Maybe if object == other => {
                        let overlap = self.overlap((offset, cell), (at, kind));
                        let mixed = self.memory(cell, object, offset, Some(event));
                        let kept = self.read(rest, event, cell, object, offset);
                        self.choose(overlap, mixed, kept)
                    }
                    Relation::Maybe if over == Over::Union => {
                        let same = self.same(Value::Pointer(object, offset), Value::Pointer(other, at));
                        let same = same.expect("addresses are pointers");
                        let punned = self.punned(cell, value);
                        let other = punned.unwrap_or_else(|| self.memory(cell, object, offset, Some(event)));
                        let kept = self.read(rest, event, cell, object, offset);
                        self.choose(same, other, kept)
                    }
                    // A byte of anything, wherever the pointer leads.
                    Relation::Maybe if over == Over::Anything => {
                        let near = self.overlap((offset, cell), (at, kind));
                        let objects = self.pool.eq(object, other);
                        let overlap = self.pool.and(objects, near);
                        let mixed = self.memory(cell, object, offset, Some(event));
                        let kept = self.read(rest, event, cell, object, offset);
                        self.choose(overlap, mixed, kept)
                    }
                    // Objects are accessed by their own type (C11 6.5p7); see docs/soundness.md.
                    Relation::Maybe => self.read(rest, event, cell, object, offset),
                }
            }
            Write::Region { object: other, offset: at, bytes, event: changed } => {
                let kept = self.read(rest, event, cell, object, offset);
                let Some(inside) = self.inside((object, offset), (other, at), bytes) else { return kept };
                let new = self.memory(cell, object, offset, Some(changed));
                self.choose(inside, new, kept)
            }
            Write::All { event: changed, ref cells, .. } => {
                let hit = cells.as_ref().is_none_or(|cells| cells.contains(&cell));
                if hit && !self.is_private(object) {
                    self.memory(cell, object, offset, Some(changed))
                } else {
                    self.read(rest, event, cell, object, offset)
                }
            }
            Write::Copy { object: other, offset: at, bytes, .. }
            | Write::Fill { object: other, offset: at, bytes, .. }
                if self.begins_within(cell, (object, offset), (other, at)) =>
            {
                let kept = self.read(rest, event, cell, object, offset);
                let zero = self.word(0);
                let nothing = self.pool.eq(bytes, zero);
                let mixed = self.memory(cell, object, offset, Some(event));
                self.choose(nothing, kept, mixed)
            }
            Write::Copy { object: other, offset: at, from, bytes, .. } => {
                let kept = self.read(rest, event, cell, object, offset);
                let Some(inside) = self.inside((object, offset), (other, at), Some(bytes)) else {
                    return kept;
                };
                let distance = self.pool.sub(offset, at);
                let source = self.pool.add(from.1, distance);
                let new = self.read(rest, event, cell, from.0, source);
                let new = self.if_whole(cell, (object, offset), at, bytes, new, event);
                self.choose(inside, new, kept)
            }
            Write::Fill { object: other, offset: at, byte, bytes, event: changed } => {
                let kept = self.read(rest, event, cell, object, offset);
                let Some(inside) = self.inside((object, offset), (other, at), Some(bytes)) else {
                    return kept;
                };
                let new = self.filled(cell, byte, object, offset, changed);
                let new = self.if_whole(cell, (object, offset), at, bytes, new, changed);
                self.choose(inside, new, kept)
            }
            Write::New { object: other, zero, event: changed, .. } if object == other => {
                if zero {
                    let byte = self.pool.bits(8, 0);
                    self.filled(cell, byte, object, offset, changed)
                } else {
                    self.memory(cell, object, offset, Some(changed))
                }
            }
            Write::New { .. } | Write::Free { .. } | Write::Escape { .. } | Write::Length { .. } => {
                self.read(rest, event, cell, object, offset)
            }
        }
    }

    /// Whether two cells of one object have bytes in common.
    fn overlap(&mut self, (offset, cell): (Term, Cell), (at, kind): (Term, Cell)) -> Term {
        let (behind, before) = (self.pool.sub(offset, at), self.pool.sub(at, offset));
        let (here, there) = (self.word(kind.bytes()), self.word(cell.bytes()));
        let (behind, before) = (self.pool.ult(behind, here), self.pool.ult(before, there));
        self.pool.or(behind, before)
    }

    /// Whether a region certainly begins in the middle of a cell: what the cell holds then is of both.
    fn begins_within(&mut self, cell: Cell, address: (Term, Term), region: (Term, Term)) -> bool {
        let distance = self.pool.sub(region.1, address.1);
        let inside = self.pool.as_signed(distance).is_some_and(|at| at > 0 && at < i128::from(cell.bytes()));
        inside && address.0 == region.0
    }

    /// The new value of a cell that begins in a region of so many bytes, if it ends there as well; otherwise any value.
    fn if_whole(
        &mut self,
        cell: Cell,
        (object, offset): (Term, Term),
        begin: Term,
        bytes: Term,
        new: Value,
        event: u32,
    ) -> Value {
        // Whole cells of an array are filled where the size is a multiple of theirs: cells lie at multiples of their size.
        let multiple = self.pool.as_bits(bytes).is_some_and(|bytes| bytes % u128::from(cell.bytes()) == 0);
        if cell.bytes() == 1 || multiple {
            return new;
        }
        let distance = self.pool.sub(offset, begin);
        let (room, needed) = (self.pool.sub(bytes, distance), self.word(cell.bytes()));
        let fits = self.pool.ule(needed, room);
        let mixed = self.memory(cell, object, offset, Some(event));
        self.choose(fits, new, mixed)
    }

    /// A term under an assumption about a condition that it may be split by.
    pub(super) fn branch_of(&mut self, term: Term, condition: Term, holds: bool) -> Term {
        match (self.pool.op(term), self.pool.args(term)) {
            (Op::Ite, &[other, then, otherwise]) if other == condition => {
                if holds {
                    then
                } else {
                    otherwise
                }
            }
            _ => term,
        }
    }

    fn filled(&mut self, cell: Cell, byte: Term, object: Term, offset: Term, event: u32) -> Value {
        match cell {
            Cell::Int(width) if width % 8 == 0 => {
                let mut all = byte;
                for _ in 1..width / 8 {
                    all = self.pool.concat(byte, all);
                }
                Value::Int(all)
            }
            Cell::Pointer if self.pool.as_bits(byte) == Some(0) => self.null(),
            _ => self.memory(cell, object, offset, Some(event)),
        }
    }

    /// Whether an address lies in a region; none if it cannot.
    pub(super) fn inside(
        &mut self,
        address: (Term, Term),
        region: (Term, Term),
        bytes: Option<Term>,
    ) -> Option<Term> {
        if self.is_apart(address.0, region.0) {
            return None;
        }
        let objects = self.pool.eq(address.0, region.0);
        let inside = match bytes {
            None => objects,
            Some(bytes) => {
                let distance = self.pool.sub(address.1, region.1);
                let near = self.pool.ult(distance, bytes);
                self.pool.and(objects, near)
            }
        };
        (self.pool.as_bool(inside) != Some(false)).then_some(inside)
    }

    /// Whether two objects are certainly not the same.
    pub(super) fn is_apart(&self, left: Term, right: Term) -> bool {
        if left == right {
            return false;
        }
        match (self.is_const(left), self.is_const(right)) {
            (true, true) => true,
            (true, false) => self.is_private(left) || self.came_before(right, left, 0),
            (false, true) => self.is_private(right) || self.came_before(left, right, 0),
            (false, false) => self.came_before(left, right, 0) || self.came_before(right, left, 0),
        }
    }

    /// Whether nobody but the function itself knows the object's address.
    pub fn is_private(&self, object: Term) -> bool {
        matches!(self.known(object), Some(Object::Stack { escapes: false, .. }))
    }

    fn relation(&mut self, one: (Term, Term, Cell), other: (Term, Term, Cell)) -> Relation {
        if self.is_apart(one.0, other.0) {
            return Relation::Apart;
        }
        let distance = self.pool.sub(one.1, other.1);
        let known = self.pool.as_signed(distance);
        if let Some(distance) = known
            && (distance >= i128::from(other.2.bytes()) || -distance >= i128::from(one.2.bytes()))
            && one.0 == other.0
        {
            return Relation::Apart;
        }
        match (one.0 == other.0, known) {
            (true, Some(0)) if one.2 == other.2 => Relation::Same,
            (true, Some(_)) => Relation::Across,
            _ => Relation::Maybe,
        }
    }

    /// The size of an object after the writes.
    pub fn size_now(&mut self, writes: &[Write], object: Term) -> Term {
        self.size_through(writes, object)
    }

    /// Whether an object is freed after the writes.
    pub fn flag_now(&mut self, writes: &[Write], role: Role, object: Term) -> Term {
        self.read_flag(writes, role, object)
    }

    fn read_flag(&mut self, writes: &[Write], role: Role, object: Term) -> Term {
        if let Op::Ite = self.pool.op(object)
            && let [condition, then, otherwise] = self.pool.args(object)[..]
        {
            let (then, otherwise) =
                (self.read_flag(writes, role, then), self.read_flag(writes, role, otherwise));
            return self.pool.ite(condition, then, otherwise);
        }
        let Some((last, rest)) = writes.split_last() else { return self.flag(role, object, None) };
        match *last {
            Write::Free { object: other } if role == Role::Freed => self.flagged(rest, role, object, other),
            Write::Escape { object: other, .. } if role == Role::Escaped => {
                self.flagged(rest, role, object, other)
            }
            Write::New { object: other, made, .. } if object == other && role == Role::Made => made,
            Write::New { object: other, .. } if object == other => self.pool.bool(false),
            Write::All { event, frees: true, .. } if role == Role::Freed && !self.is_private(object) => {
                self.flag(role, object, Some(event))
            }
            _ => self.read_flag(rest, role, object),
        }
    }

    fn flagged(&mut self, rest: &[Write], role: Role, object: Term, other: Term) -> Term {
        let kept = self.read_flag(rest, role, object);
        if self.is_apart(object, other) {
            return kept;
        }
        let same = self.pool.eq(object, other);
        self.pool.or(same, kept)
    }

    /// Whether an object's address is known elsewhere than in a container after the writes. Whoever copies from the container may have got it.
    fn read_elsewhere(&mut self, writes: &[Write], object: Term, container: Term) -> Term {
        let Some((last, rest)) = writes.split_last() else { return self.elsewhere(object, container) };
        let gets_out = match *last {
            Write::New { object: other, .. } if object == other => return self.pool.bool(false),
            Write::Escape { object: other, into } => {
                let same = self.pool.eq(object, other);
                match into {
                    Some(into) => {
                        let out = self.pool.ne(into, container);
                        self.pool.and(same, out)
                    }
                    None => same,
                }
            }
            Write::Copy { from: (from, _), .. } => self.pool.eq(from, container),
            _ => return self.read_elsewhere(rest, object, container),
        };
        let kept = self.read_elsewhere(rest, object, container);
        self.pool.or(gets_out, kept)
    }

    fn size_through(&mut self, writes: &[Write], object: Term) -> Term {
        if let Op::Ite = self.pool.op(object)
            && let [condition, then, otherwise] = self.pool.args(object)[..]
        {
            let (then, otherwise) = (self.size_through(writes, then), self.size_through(writes, otherwise));
            return self.pool.ite(condition, then, otherwise);
        }
        let made = writes.iter().find_map(|write| match write {
            Write::New { object: other, bytes: Some(bytes), .. } if *other == object => Some(*bytes),
            _ => None,
        });
        made.unwrap_or_else(|| self.size(object))
    }
}
