//! The way into a single function: its memory is made, it is called, and what it leaves behind is kept.

use super::Machine;
use super::call::Passed;
use crate::code::{Part, Scalar};
use crate::fault::Trouble;
use crate::memory::ObjectKind;
use crate::monitor::{Extent, Leaving, Monitor, View};
use crate::program::{FuncId, FuncKind, Passing, convention_of, stream_for};
use hydrogen_evidence::{Call, Cell, Value};
use hydrogen_ir::GlobalId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// A call that is to be made, or is under way.
pub(super) struct Calling {
    pub(super) call: Arc<Call>,
    pub(super) function: FuncId,
    /// The addresses of the call's objects, once they are made.
    pub(super) objects: Vec<u64>,
    /// The address of the structure that becomes the result, where the caller makes room for it.
    result: Option<u64>,
    /// The call's frame, once it is there.
    pub(super) serial: u64,
    /// How many answers of each function are used up.
    pub(super) answered: BTreeMap<String, usize>,
    /// The bytes of the global variables that the call sets, before the function is entered.
    globals: BTreeMap<String, Vec<u8>>,
}

/// What a call left behind. Pointers are objects and distances, never addresses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct After {
    /// The words of the result; none where the function gives nothing. Of a structure that is too large for words, the object it is in.
    pub result: Vec<Value>,
    /// By number: the objects of the call first, then what can be reached from them and from the result. `None` once it is freed.
    pub objects: Vec<Option<Left>>,
    /// Global variables of the program; of large ones those that have changed.
    pub globals: BTreeMap<String, Left>,
    /// The names of those that have changed.
    pub changed: BTreeSet<String>,
    /// What pointers lead to besides: constants, and variables of the C library, by the names that pointers give them. Not what is in a
    /// stream, and not large variables that are as they were.
    pub reached: BTreeMap<String, Left>,
    /// The user's own of all these variables and constants, by their names here: several may have one name in C.
    pub users: BTreeMap<String, GlobalId>,
    /// Whether pointers lead to more than is listed.
    pub is_cut: bool,
}

/// The bytes of an object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Left {
    /// Its bytes; those of a pointer are an address, which means nothing outside.
    pub bytes: Vec<u8>,
    /// Where pointers lie, and to what they lead. Two small numbers side by side can look like one: types tell them apart.
    pub pointers: BTreeMap<u64, Value>,
    /// The bytes that nobody has given a value.
    pub undefined: Vec<Range<u64>>,
    /// Of a variable, the bytes that are not as they were before the call.
    pub changed: Vec<Range<u64>>,
    /// Whether nobody can write to it.
    pub is_constant: bool,
}

impl Left {
    /// Whether any of these bytes is not as it was before the call.
    pub fn is_changed(&self, range: Range<u64>) -> bool {
        self.changed.iter().any(|one| one.start < range.end && range.start < one.end)
    }

    /// Whether none of these bytes has a value.
    pub fn is_undefined(&self, range: Range<u64>) -> bool {
        let inside = |one: &Range<u64>| one.start <= range.start && range.end <= one.end;
        !range.is_empty() && self.undefined.iter().any(inside)
    }
}

/// What pointers lead to, in the order in which it is met.
#[derive(Default)]
struct Met {
    /// The upper halves of addresses: first the objects of the call, then new ones.
    objects: Vec<u64>,
    /// Where each is in the list.
    places: FxHashMap<u64, usize>,
    /// The addresses of variables and constants.
    globals: Vec<u64>,
    known: FxHashSet<u64>,
    /// Whether variables and constants are listed. What a variable leads to that is as it was is as it was.
    follows: bool,
}

impl Met {
    fn new(objects: Vec<u64>) -> Self {
        let places = objects.iter().enumerate().rev().map(|(at, number)| (*number, at)).collect();
        Self { objects, places, follows: true, ..Self::default() }
    }

    fn object(&mut self, number: u64) -> usize {
        let next = self.objects.len();
        let at = *self.places.entry(number).or_insert(next);
        if at == next {
            self.objects.push(number);
        }
        at
    }

    fn global(&mut self, address: u64) {
        if self.follows && self.known.insert(address) {
            self.globals.push(address);
        }
    }
}

impl<M: Monitor> Machine<'_, M> {
    /// The function that is to be called.
    pub(super) fn prepare(&mut self, call: &Arc<Call>) -> Result<FuncId, Trouble> {
        let function = self.program.named(&call.function, call.unit.as_deref());
        let function = function.ok_or_else(|| Trouble::Undefined(call.function.clone()))?;
        self.calling = Some(Calling {
            call: Arc::clone(call),
            function,
            objects: Vec::new(),
            result: None,
            serial: 0,
            answered: BTreeMap::new(),
            globals: BTreeMap::new(),
        });
        Ok(function)
    }

    /// Makes the memory of the call and enters the function.
    pub(super) fn begin_call(&mut self, dst: u32) -> Result<(), Trouble> {
        let Some(mut calling) = self.calling.take() else { return Ok(()) };
        let (program, call) = (self.program, Arc::clone(&calling.call));
        let full = || Trouble::Unsupported("the objects of the call do not fit in memory".into());
        for (at, object) in call.objects.iter().enumerate() {
            if let Some(stream) = self.stream_of(&calling, at) {
                calling.objects.push(stream);
                continue;
            }
            let bytes = usize::try_from(object.size).ok().filter(|size| *size < 1 << 30).ok_or_else(full)?;
            let address = self.make(ObjectKind::Heap, &vec![0; bytes]).ok_or_else(full)?;
            calling.objects.push(address);
        }
        let given = call.objects.iter().zip(&calling.objects);
        for (object, &address) in given.filter(|(object, _)| !object.is_stream()) {
            self.fill_cells(address, object.size, &object.cells, &calling.objects)?;
        }
        for global in &call.globals {
            let Some((address, size)) = self.global_named(&global.name) else { continue };
            self.fill_cells(address, size, &global.cells, &calling.objects)?;
            if let Some((region, at)) = self.memory.range(address, size, false) {
                let bytes = self.memory.arenas[region].bytes[at..at + size as usize].to_vec();
                calling.globals.insert(global.name.clone(), bytes);
            }
        }
        let code = program.code(calling.function).ok_or_else(|| Trouble::Unsupported("no code".into()))?;
        let mut args: Vec<Passed> = code
            .parameter_parts
            .iter()
            .map(|parts| Passed { parts: parts.clone(), ..Passed::word(0) })
            .collect();
        let model = program.model(calling.function);
        let known = model.and_then(|(module, function)| convention_of(module, function, &call));
        let direct = || (0..args.len()).map(Passing::Direct).collect();
        let ways = known.as_ref().map_or_else(direct, |known| known.arguments.clone());
        for (way, argument) in ways.iter().zip(&call.arguments) {
            let word = self.word_of(&argument.value, &calling.objects)?;
            match way {
                Passing::Direct(at) => {
                    let [part] = code.parameter_parts[*at].as_slice() else {
                        return Err(Trouble::Unsupported("a parameter of several parts".into()));
                    };
                    if !matches!(part.scalar, Scalar::Pointer) && part.scalar.registers() > 1 {
                        return Err(Trouble::Unsupported("a parameter of more than 64 bits".into()));
                    }
                    // A number may be given wider than its parameter is.
                    let unused = 64 - part.scalar.width().clamp(1, 64);
                    args[*at].words = vec![word << unused >> unused];
                }
                // The object is made for this call alone, so it is the callee's copy.
                Passing::Copy(at) => args[*at].words = vec![word],
                Passing::Pieces(pieces) => {
                    for (at, offset) in pieces {
                        args[*at].words = self.piece(word + offset, &code.parameter_parts[*at])?;
                    }
                }
                Passing::Nothing => {}
            }
        }
        if let Some((at, size)) = known.and_then(|known| known.result) {
            let room =
                usize::try_from(size).ok().and_then(|size| self.make(ObjectKind::Heap, &vec![0; size]));
            calling.result = Some(room.ok_or_else(full)?);
            args[at].words = calling.result.into_iter().collect();
        }
        self.enter(calling.function, &args, dst, 0)?;
        calling.serial = self.serial;
        if M::ACTIVE {
            let view = View(&self.memory);
            let extents: Vec<Extent> = calling.objects.iter().filter_map(|one| view.object(*one)).collect();
            self.monitor.called(calling.function, &call, &extents, view);
        }
        self.calling = Some(calling);
        Ok(())
    }

    fn fill_cells(
        &mut self,
        address: u64,
        size: u64,
        cells: &[Cell],
        objects: &[u64],
    ) -> Result<(), Trouble> {
        for cell in cells {
            let bytes = cell.value.bytes();
            let outside = || Trouble::Unsupported(format!("`{}` lies outside of its object", cell.path));
            if cell.at.checked_add(bytes).is_none_or(|end| end > size) {
                return Err(outside());
            }
            let word = self.word_of(&cell.value, objects)?.to_le_bytes();
            let place = self.memory.range(address + cell.at, bytes, false).ok_or_else(outside)?;
            self.memory.fill(place, &word[..bytes as usize]);
        }
        Ok(())
    }

    /// The words of a parameter that takes some bytes of a structure.
    fn piece(&self, address: u64, parts: &[Part]) -> Result<Vec<u64>, Trouble> {
        let mut words = Vec::new();
        for part in parts {
            let (from, bytes) =
                (address + u64::from(part.offset), u64::from(part.scalar.width().div_ceil(8)));
            let access = || Trouble::Access { address: from, bytes, write: false };
            if bytes > 8 {
                return Err(Trouble::Unsupported("a structure with a part of more than 64 bits".into()));
            }
            let (region, at) = self.memory.range(from, bytes, false).ok_or_else(access)?;
            let mut word = [0; 8];
            word[..bytes as usize]
                .copy_from_slice(&self.memory.arenas[region].bytes[at..at + bytes as usize]);
            words.push(u64::from_le_bytes(word));
        }
        Ok(words)
    }

    pub(super) fn word_of(&self, value: &Value, objects: &[u64]) -> Result<u64, Trouble> {
        let missing = |name: &str| Trouble::Undefined(name.to_owned());
        Ok(match value {
            Value::Number(number) => number.bits,
            Value::Null => 0,
            Value::Object(at, offset) => {
                let address = objects.get(*at).ok_or_else(|| missing("an object of the call"))?;
                address.wrapping_add_signed(*offset)
            }
            Value::Global(name, offset) => {
                self.global_named(name).ok_or_else(|| missing(name))?.0.wrapping_add_signed(*offset)
            }
            Value::Function(name) => {
                let function = self.program.named(name, None).or_else(|| self.program.stranger(name));
                let function = function.ok_or_else(|| missing(name))?;
                self.program.function(function).address
            }
        })
    }

    /// The address of the stream that stands for an object of a call, if it is one and the program has streams.
    fn stream_of(&self, calling: &Calling, at: usize) -> Option<u64> {
        let (module, function) = self.program.model(calling.function)?;
        let stream = stream_for(module, function, &calling.call, at)?;
        self.memory.each().find_map(|(_, object, info)| match info.kind {
            ObjectKind::Global(unit, id) if self.program.global_name(unit, id) == stream.variable() => {
                Some(object.base)
            }
            _ => None,
        })
    }

    /// A global variable of the user's program: its address and size.
    fn global_named(&self, name: &str) -> Option<(u64, u64)> {
        self.memory.each().find_map(|(_, object, info)| match info.kind {
            ObjectKind::Global(0, id) if self.program.global_name(0, id) == name => {
                Some((object.base, object.size))
            }
            _ => None,
        })
    }

    /// The call returns: keeps what it leaves behind.
    pub(super) fn end_call(&mut self, first: usize, words: u32) {
        let Some(calling) = self.calling.take() else { return };
        let objects: Vec<u64> = calling.objects.iter().map(|address| self.number_of(*address)).collect();
        let given = objects.len();
        let mut met = Met::new(objects);
        let mut after = After::default();
        let words: Vec<u64> = match calling.result {
            Some(result) => vec![result],
            None => self.registers[first..first + words as usize].to_vec(),
        };
        for word in &words {
            after.result.push(self.canonical(*word, &mut met).unwrap_or(Value::number(64, *word)));
        }
        let mut extents: Vec<(String, Extent)> = Vec::new();
        self.keep_variables(&calling, &mut after, &mut met, &mut extents);
        // Both lists grow while new things come into sight.
        let (mut at, mut next) = (0, 0);
        loop {
            if at < met.objects.len() && at < given + MOST {
                let number = met.objects[at];
                let live = self.memory.info(number as usize).is_some_and(|info| !info.freed);
                let object = self.memory.numbered(number as usize).copied().filter(|_| live);
                // What is in a stream is the library's affair.
                let is_stream = calling.call.objects.get(at).is_some_and(|object| object.is_stream());
                after.objects.push(object.map(|object| match is_stream {
                    true => Left::default(),
                    false => self.left(object.base, object.size, &mut met),
                }));
                at += 1;
            } else if next < met.globals.len() && next < MOST {
                self.keep_reached(met.globals[next], &mut after, &mut met, &mut extents);
                next += 1;
            } else {
                break;
            }
        }
        after.is_cut = at < met.objects.len() || next < met.globals.len();
        if M::ACTIVE {
            let view = View(&self.memory);
            let extent = |(number, left): (&u64, &Option<Left>)| {
                let (_, object) = (left.as_ref()?, self.memory.numbered(*number as usize)?);
                view.object(object.base)
            };
            let objects: Vec<Option<Extent>> = met.objects.iter().zip(&after.objects).map(extent).collect();
            self.monitor.returned(&Leaving { objects: &objects, globals: &extents }, view);
        }
        self.after = Some(after);
        // Whatever the caller gave is the caller's to free.
        self.given = calling.objects;
        self.given.extend(calling.result);
        self.results = words;
    }

    /// Keeps the variables of the user's program; of large ones those that the call changed.
    fn keep_variables(
        &self,
        calling: &Calling,
        after: &mut After,
        met: &mut Met,
        extents: &mut Vec<(String, Extent)>,
    ) {
        let users = self.memory.each().filter_map(|(_, object, info)| match info.kind {
            ObjectKind::Global(0, id) if object.writable > 0 => Some((object.base, object.size, id)),
            _ => None,
        });
        for (address, size, id) in users {
            let name = self.program.known_as(0, id);
            let Some((region, at)) = self.memory.range(address, size, false) else { continue };
            let now = &self.memory.arenas[region].bytes[at..at + size as usize];
            let image = &self.program.image;
            let before: &[u8] = match (calling.globals.get(&name), image.range(address, size, false)) {
                (Some(before), _) => before,
                (None, Some((region, at))) => &image.arenas[region].bytes[at..at + size as usize],
                (None, None) => &[],
            };
            let same = before == now;
            if same && size > LARGE {
                continue;
            }
            if !same {
                after.changed.insert(name.clone());
            }
            extents.extend(View(&self.memory).object(address).map(|extent| (name.clone(), extent)));
            met.follows = !same;
            let mut left = self.left(address, size, met);
            left.changed = ranges(now.iter().enumerate().map(|(at, byte)| before.get(at) != Some(byte)));
            after.users.insert(name.clone(), id);
            after.globals.insert(name, left);
        }
        met.follows = true;
    }

    /// Keeps a variable or constant that a pointer leads to.
    fn keep_reached(
        &self,
        address: u64,
        after: &mut After,
        met: &mut Met,
        extents: &mut Vec<(String, Extent)>,
    ) {
        let number = self.memory.number(address);
        let (Some(object), Some(ObjectKind::Global(unit, id))) = (
            self.memory.object(address),
            number.and_then(|number| self.memory.info(number)).map(|info| info.kind),
        ) else {
            return;
        };
        let name = self.program.known_as(unit, id);
        // The user's variables are listed already, but for large ones that are as they were.
        let is_variable = unit == 0 && object.writable > 0;
        if is_variable || STREAMS.contains(&self.program.global_name(unit, id)) {
            return;
        }
        extents.extend(View(&self.memory).object(address).map(|extent| (name.clone(), extent)));
        let left = self.left(address, object.size, met);
        if unit == 0 {
            after.users.insert(name.clone(), id);
        }
        after.reached.insert(name, left);
    }

    fn left(&self, address: u64, size: u64, met: &mut Met) -> Left {
        let Some((region, at)) = self.memory.range(address, size, false) else { return Left::default() };
        let arena = &self.memory.arenas[region];
        let mut left = Left { bytes: arena.bytes[at..at + size as usize].to_vec(), ..Left::default() };
        left.is_constant = self.memory.object(address).is_some_and(|object| object.writable == 0);
        let defined = arena.defined.get(at..at + size as usize).unwrap_or_default();
        left.undefined = ranges(defined.iter().map(|bits| *bits != u8::MAX));
        for offset in (0..left.bytes.len().saturating_sub(7)).step_by(8) {
            let word: [u8; 8] = left.bytes[offset..offset + 8].try_into().expect("eight bytes");
            if let Some(value) = self.canonical(u64::from_le_bytes(word), met) {
                left.pointers.insert(offset as u64, value);
            }
        }
        left
    }

    /// A word as a pointer into what the call was given or to something of the program's, if it is one.
    pub(super) fn known(&self, word: u64, objects: &[u64]) -> Option<Value> {
        let mut met = Met::new(objects.to_vec());
        match self.canonical(word, &mut met)? {
            Value::Object(at, _) if at >= objects.len() => None,
            value => Some(value),
        }
    }

    /// The number of an object that is not of the stack.
    pub(super) fn number_of(&self, address: u64) -> u64 {
        self.memory.number(address).unwrap_or_default() as u64
    }

    /// A word as a pointer, if it is one.
    fn canonical(&self, word: u64, met: &mut Met) -> Option<Value> {
        let number = self.memory.number(word)?;
        let (object, info) = (self.memory.object(word)?, self.memory.info(number)?);
        let offset = word.wrapping_sub(object.base).cast_signed();
        match info.kind {
            ObjectKind::Function(function) if offset == 0 => {
                Some(Value::Function(self.program.function(function).name.clone()))
            }
            _ if !(0..=info.size.cast_signed()).contains(&offset) => None,
            ObjectKind::Global(unit, id) => {
                met.global(word.wrapping_sub_signed(offset));
                Some(Value::Global(self.program.known_as(unit, id), offset))
            }
            ObjectKind::Heap | ObjectKind::Start | ObjectKind::Mapped => {
                Some(Value::Object(met.object(number as u64), offset))
            }
            _ => None,
        }
    }
}

/// Where something holds of bytes.
fn ranges(bytes: impl Iterator<Item = bool>) -> Vec<Range<u64>> {
    let mut found: Vec<Range<u64>> = Vec::new();
    for (at, _) in (0u64..).zip(bytes).filter(|(_, holds)| *holds) {
        match found.last_mut().filter(|last| last.end == at) {
            Some(last) => last.end = at + 1,
            None => found.push(at..at + 1),
        }
    }
    found
}

/// The streams that every program begins with.
const STREAMS: [&str; 3] = ["__stdin_FILE", "__stdout_FILE", "__stderr_FILE"];
/// So many new objects are listed, and so many variables and constants.
const MOST: usize = 1000;
/// A global variable of more bytes is listed only when it has changed.
const LARGE: u64 = 4096;

impl crate::Program {
    /// The function of this name that stands for whatever a pointer from outside leads to.
    fn stranger(&self, name: &str) -> Option<FuncId> {
        self.ids()
            .find(|id| self.function(*id).kind == FuncKind::Undefined && self.function(*id).name == name)
    }

    /// A function with a body of the user's program, also one that only its own unit sees; of several the one of this file.
    pub fn named(&self, name: &str, unit: Option<&str>) -> Option<FuncId> {
        let defined = |id: FuncId| matches!(self.function(id).kind, FuncKind::Defined(..));
        if unit.is_none()
            && let Some(found) = self.find(name).filter(|id| defined(*id))
        {
            return Some(found);
        }
        self.ids().filter(|id| self.is_users(*id) && self.function(*id).name == name).find(|id| {
            unit.is_none_or(|unit| {
                self.model(*id).is_some_and(|(module, function)| {
                    function.file().is_some_and(|file| module.files[file.index()].ends_with(unit))
                })
            })
        })
    }
}
