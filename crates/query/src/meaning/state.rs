//! What conditions are made of: values, objects, memory, and the events that change memory in unknown ways.
//!
//! A pointer is an object and an offset. Memory is a family of uninterpreted functions from addresses to numbers (`mem8` … `mem64`) and to
//! pointers (`memo`, `memf`): an application stands for what is stored *now*, at the point of the program where the condition stands.
//! An event (a loop left out, a call without a body) replaces memory by another one, `mem32@7`, that nothing is known about and that
//! never changes again.

use hydrogen_evidence::Entry;
use hydrogen_term::{Function, Pool, Sort, Term};
use rustc_hash::{FxHashMap, FxHashSet};

pub(crate) const WORD: Sort = Sort::Bits(64);
/// Globals and functions are numbered from here; below are the objects of callers that have no name.
const NAMED: u64 = 1 << 31;
/// Objects that the analysed functions made themselves are numbered from here; no input points to them.
pub(crate) const OWN: u64 = 1 << 32;
/// No object or string is larger.
pub(crate) const LARGEST: u128 = 1 << 62;

/// A machine value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Value {
    /// A number, or the bits of a floating-point number.
    Int(Term),
    /// Object (0 for null) and offset.
    Pointer(Term, Term),
    /// Not followed: vectors, structures.
    Opaque,
}

/// How a value lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Cell {
    Int(u32),
    Pointer,
}

impl Cell {
    pub fn bytes(self) -> u64 {
        match self {
            Cell::Int(width) => u64::from(width.div_ceil(8)),
            Cell::Pointer => 8,
        }
    }
}

/// What an uninterpreted function is to us.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Role {
    /// The memory of now.
    Memory(Cell, Part),
    /// The length of the string that lies at an address now.
    Length,
    /// Whether the byte at an address has never been given a value.
    Unset,
    /// Whether an object is freed now.
    Freed,
    /// Whether an object's address is known outside the function by now.
    Escaped,
    /// Whether an object's address is known elsewhere than in another object, its container, by now.
    Elsewhere,
    /// Whether an object was made by now.
    Made,
    /// The size of an object: never changes.
    Size,
    /// Whether an object is no allocator's, so that it cannot be freed: never changes.
    Rooted,
    /// The address of an object as a number: never changes.
    Address,
    /// Whether a pointer that comes in points to so many bytes at least, as its type says: never changes.
    Whole(u64),
    /// The object or the offset of a number that is read as a pointer.
    OfNumber(Part),
    /// Memory as an event left it, or another function that says nothing.
    Fixed,
}

/// Which number of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Part {
    Number,
    Object,
    Offset,
}

/// What an object is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Object {
    Global { name: String, bytes: Option<u64>, contents: Contents },
    Function(String),
    Stack { name: String, bytes: Option<u64>, escapes: bool, held: bool, closed: bool },
    Heap(String),
}

impl Object {
    /// Whether the analysed functions make it themselves, so that nothing comes in with it.
    pub fn is_own(&self) -> bool {
        matches!(self, Object::Stack { .. } | Object::Heap(_))
    }
}

/// What is known of a global's contents.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Contents {
    /// The program may write it.
    Variable,
    /// Never written, but not made of numbers alone; whether an address in it is null.
    Constant { nulls: bool },
    /// Never written.
    Bytes(std::sync::Arc<[u8]>),
}

/// A change of memory that is not followed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Event {
    /// What happened, for the reader.
    pub why: Entry,
    /// Whether the outside world decides (a file's contents), so that any outcome may be taken as an input.
    pub input: bool,
}

/// Terms and the tables of what they mean.
pub(crate) struct Terms {
    pub pool: Pool,
    objects: Vec<Object>,
    numbers: FxHashMap<Object, u64>,
    events: Vec<Event>,
    event_numbers: FxHashMap<(Event, String), u32>,
    roles: FxHashMap<Function, Role>,
    events_of: FxHashMap<Function, u32>,
    /// Members at the same offset in all versions, whatever the layouts are: for comparing states of versions.
    pub layouts: Option<hydrogen_align::Layouts>,
    /// What came into the functions that conditions speak of.
    pub came_in: crate::meaning::came_in::CameIn,
    /// Unknown calls as functions of what they saw: for comparing states of versions, too.
    pub shared: Option<crate::meaning::shared::Shared>,
    /// The events that stand for what code leaves behind that nobody sees: its texts are taken to end.
    pub unseen: FxHashSet<u32>,
}

impl Terms {
    pub fn new() -> Self {
        Self {
            pool: Pool::new(),
            objects: Vec::new(),
            numbers: FxHashMap::default(),
            events: Vec::new(),
            event_numbers: FxHashMap::default(),
            roles: FxHashMap::default(),
            events_of: FxHashMap::default(),
            layouts: None,
            came_in: Default::default(),
            shared: None,
            unseen: FxHashSet::default(),
        }
    }

    pub fn word(&mut self, value: u64) -> Term {
        self.pool.bits(64, value.into())
    }

    pub fn null(&mut self) -> Value {
        let zero = self.word(0);
        Value::Pointer(zero, zero)
    }

    /// The number of an object.
    pub fn object(&mut self, object: Object) -> Term {
        let number = match self.numbers.get(&object) {
            Some(&number) => number,
            None => {
                let base = match object {
                    Object::Global { .. } | Object::Function(_) => NAMED,
                    Object::Stack { .. } | Object::Heap(_) => OWN,
                };
                let number = base + self.objects.len() as u64;
                self.numbers.insert(object.clone(), number);
                self.objects.push(object);
                number
            }
        };
        self.word(number)
    }

    /// The object that a term names.
    pub fn known(&self, object: Term) -> Option<&Object> {
        let number = u64::try_from(self.pool.as_bits(object)?).ok()?;
        let index = number.checked_sub(if number >= OWN { OWN } else { NAMED })?;
        self.objects.get(usize::try_from(index).ok()?)
    }

    pub fn is_const(&self, term: Term) -> bool {
        self.pool.as_bits(term).is_some()
    }

    /// The event of this cause at this place; the same place gives the same event.
    pub fn event(&mut self, why: Entry, input: bool, place: &str) -> u32 {
        let event = Event { why, input };
        let next = self.events.len() as u32;
        let events = &mut self.events;
        *self.event_numbers.entry((event.clone(), place.to_owned())).or_insert_with(|| {
            events.push(event);
            next
        })
    }

    pub fn event_of(&self, function: Function) -> Option<(u32, &Event)> {
        let number = *self.events_of.get(&function)?;
        Some((number, &self.events[number as usize]))
    }

    /// Events in which variables take part are named by their number; see [`Terms::changed`].
    pub fn event_by_number(&self, number: u32) -> &Event {
        &self.events[number as usize]
    }

    /// The place of an event.
    pub fn place_of_event(&self, number: u32) -> Option<&str> {
        let mut all = self.event_numbers.iter();
        all.find(|(_, other)| **other == number).map(|((_, place), _)| place.as_str())
    }

    pub fn role(&self, function: Function) -> Role {
        self.roles.get(&function).copied().unwrap_or(Role::Fixed)
    }

    /// Notes the event that a function is what is left of.
    pub(crate) fn mark_event(&mut self, function: Function, event: u32) {
        self.roles.insert(function, Role::Fixed);
        self.events_of.insert(function, event);
    }

    pub(super) fn function(&mut self, name: &str, arguments: usize, result: Sort, role: Role) -> Function {
        let words = [WORD, WORD];
        let function = self.pool.function(name, &words[..arguments], result);
        self.roles.insert(function, role);
        function
    }

    /// Whether an object's contents never change.
    pub fn is_constant(&self, object: Term) -> bool {
        matches!(
            self.known(object),
            Some(Object::Global { contents: Contents::Constant { .. } | Contents::Bytes(_), .. })
        )
    }

    /// Whether an object never changes and holds no address that is null.
    pub fn is_without_nulls(&self, object: Term) -> bool {
        matches!(
            self.known(object),
            Some(Object::Global { contents: Contents::Constant { nulls: false }, .. })
        )
    }

    /// The bytes from an address to the end of its object, where they are known and never change.
    fn constant_bytes(&self, object: Term, offset: Term) -> Option<&[u8]> {
        let Some(Object::Global { contents: Contents::Bytes(bytes), .. }) = self.known(object) else {
            return None;
        };
        bytes.get(usize::try_from(self.pool.as_bits(offset)?).ok()?..)
    }

    /// What lies at an address: now, or after an event.
    pub fn memory(&mut self, cell: Cell, object: Term, offset: Term, event: Option<u32>) -> Value {
        match cell {
            Cell::Int(width) if width % 8 == 0 && event.is_none() && self.is_constant(object) => {
                let known =
                    self.constant_bytes(object, offset).and_then(|bytes| bytes.get(..width as usize / 8));
                match known
                    .map(|bytes| bytes.iter().rev().fold(0_u128, |all, &byte| all << 8 | u128::from(byte)))
                {
                    Some(bits) => Value::Int(self.pool.bits(width, bits)),
                    None => Value::Int(self.part(
                        &format!("mem{width}"),
                        cell,
                        Part::Number,
                        Sort::Bits(width),
                        object,
                        offset,
                        None,
                    )),
                }
            }
            Cell::Int(width) => {
                let name = format!("mem{width}");
                Value::Int(self.part(&name, cell, Part::Number, Sort::Bits(width), object, offset, event))
            }
            Cell::Pointer => {
                let object_there = self.part("memo", cell, Part::Object, WORD, object, offset, event);
                let offset_there = self.part("memf", cell, Part::Offset, WORD, object, offset, event);
                Value::Pointer(object_there, offset_there)
            }
        }
    }

    #[allow(clippy::too_many_arguments)] // The parts of one name.
    fn part(
        &mut self,
        name: &str,
        cell: Cell,
        part: Part,
        sort: Sort,
        object: Term,
        offset: Term,
        event: Option<u32>,
    ) -> Term {
        if let Some(left) = event.and_then(|event| self.left_by_call(name, &[object, offset], sort, event)) {
            return left;
        }
        let function = match event {
            None => self.function(name, 2, sort, Role::Memory(cell, part)),
            Some(event) => {
                let function = self.function(&format!("{name}@{event}"), 2, sort, Role::Fixed);
                self.events_of.insert(function, event);
                function
            }
        };
        self.pool.apply(function, &[object, offset])
    }

    /// The length of the string at an address.
    pub fn length(&mut self, object: Term, offset: Term, event: Option<u32>) -> Term {
        // A constant without an end is read to its own end at least: that is the fault, whatever lies behind it.
        let known = self.constant_bytes(object, offset);
        let known = known.map(|bytes| bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len()));
        if let Some(length) = known {
            return self.word(length as u64);
        }
        if let Some(left) =
            event.and_then(|event| self.left_by_call("strlen", &[object, offset], WORD, event))
        {
            return left;
        }
        let function = match event {
            None => self.function("strlen", 2, WORD, Role::Length),
            Some(event) => {
                let function = self.function(&format!("strlen@{event}"), 2, WORD, Role::Fixed);
                self.events_of.insert(function, event);
                function
            }
        };
        self.pool.apply(function, &[object, offset])
    }

    /// Whether an object is freed (or made, or its address known outside).
    pub fn flag(&mut self, role: Role, object: Term, event: Option<u32>) -> Term {
        // Nobody can free a variable or a function; who tries makes a fault of its own.
        let variable = |object: &Object| !matches!(object, Object::Heap(_));
        if role == Role::Freed && self.known(object).is_some_and(variable) {
            return self.pool.bool(false);
        }
        let name = match role {
            Role::Freed => "freed",
            Role::Made => "made",
            _ => "escaped",
        };
        if let Some(left) = event.and_then(|event| self.left_by_call(name, &[object], Sort::Bool, event)) {
            return left;
        }
        self.flag_of(role, name, &[object], event)
    }

    /// A flag of an object or of a byte, now or after an event.
    pub(super) fn flag_of(&mut self, role: Role, name: &str, of: &[Term], event: Option<u32>) -> Term {
        let function = match event {
            None => self.function(name, of.len(), Sort::Bool, role),
            Some(event) => {
                let function = self.function(&format!("{name}@{event}"), of.len(), Sort::Bool, Role::Fixed);
                self.events_of.insert(function, event);
                function
            }
        };
        self.pool.apply(function, of)
    }

    /// Whether an object's address is known elsewhere than in a container.
    pub fn elsewhere(&mut self, object: Term, container: Term) -> Term {
        let function = self.function("elsewhere", 2, Sort::Bool, Role::Elsewhere);
        self.pool.apply(function, &[object, container])
    }

    /// A function that nothing is known about: floating point and the like.
    pub fn opaque(&mut self, name: &str, arguments: &[Term], result: Sort) -> Term {
        let sorts: Vec<Sort> = arguments.iter().map(|&one| self.pool.sort(one)).collect();
        let event = self.event(Entry::FloatingPoint, false, "");
        let function = self.pool.function(&format!("{name}@"), &sorts, result);
        self.roles.insert(function, Role::Fixed);
        self.events_of.insert(function, event);
        self.pool.apply(function, arguments)
    }

    /// A variable of the state.
    pub fn variable(&mut self, name: &str, cell: Cell) -> Value {
        match cell {
            Cell::Int(width) => Value::Int(self.pool.var(name, Sort::Bits(width))),
            Cell::Pointer => Value::Pointer(
                self.pool.var(&format!("{name}.object"), WORD),
                self.pool.var(&format!("{name}.offset"), WORD),
            ),
        }
    }

    /// The value of a variable after an event. `?7?x` is `x` after event 7.
    pub fn changed(&mut self, event: u32, name: &str, cell: Cell) -> Value {
        self.variable(&format!("?{event}?{name}"), cell)
    }

    /// The event that gave a variable its value.
    pub fn event_of_variable(&self, variable: Term) -> Option<u32> {
        self.pool.as_var(variable)?.strip_prefix('?')?.split('?').next()?.parse().ok()
    }

    /// Whether two values are equal; none if that is not understood.
    pub fn same(&mut self, left: Value, right: Value) -> Option<Term> {
        match (left, right) {
            (Value::Int(left), Value::Int(right)) if self.pool.sort(left) == self.pool.sort(right) => {
                Some(self.pool.eq(left, right))
            }
            (Value::Pointer(object, offset), Value::Pointer(other, at)) => {
                let zero = self.word(0);
                let objects = self.pool.eq(object, other);
                if object == zero || other == zero {
                    return Some(objects);
                }
                let offsets = self.pool.eq(offset, at);
                Some(self.pool.and(objects, offsets))
            }
            _ => None,
        }
    }

    /// If-then-else on values.
    pub fn choose(&mut self, condition: Term, then: Value, otherwise: Value) -> Value {
        match (then, otherwise) {
            (Value::Int(then), Value::Int(otherwise))
                if self.pool.sort(then) == self.pool.sort(otherwise) =>
            {
                Value::Int(self.pool.ite(condition, then, otherwise))
            }
            (Value::Pointer(object, offset), Value::Pointer(other, at)) => {
                Value::Pointer(self.pool.ite(condition, object, other), self.pool.ite(condition, offset, at))
            }
            _ => Value::Opaque,
        }
    }
}
