//! The way into a single function: its memory is made, it is called, and what it leaves behind is kept.

use super::Machine;
use super::call::Passed;
use crate::code::{Part, Scalar};
use crate::fault::Trouble;
use crate::memory::{HEAP, ObjectKind, take_apart};
use crate::monitor::{Extent, Leaving, Monitor, View};
use crate::program::{FuncId, FuncKind, Passing, convention_of, stream_for};
use hydrogen_evidence::{Call, Cell, Value};
use std::collections::{BTreeMap, BTreeSet};
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
}

/// The bytes of an object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Left {
    /// Its bytes; those of a pointer are zero.
    pub bytes: Vec<u8>,
    /// Where pointers lie, and to what they lead.
    pub pointers: BTreeMap<u64, Value>,
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
        self.memory.each().find_map(|(index, object, info)| match info.kind {
            ObjectKind::Global(unit, id) if self.program.global_name(unit, id) == stream.variable() => {
                Some((index as u64) << 32 | u64::from(object.base))
            }
            _ => None,
        })
    }

    /// A global variable of the user's program: its address and size.
    fn global_named(&self, name: &str) -> Option<(u64, u64)> {
        self.memory.each().find_map(|(index, object, info)| match info.kind {
            ObjectKind::Global(0, id) if self.program.global_name(0, id) == name => {
                Some(((index as u64) << 32 | u64::from(object.base), u64::from(object.size)))
            }
            _ => None,
        })
    }

    /// The call returns: keeps what it leaves behind.
    pub(super) fn end_call(&mut self, first: usize, words: u32) {
        let Some(calling) = self.calling.take() else { return };
        let mut numbers: Vec<u64> = calling.objects.iter().map(|address| address >> 32).collect();
        let given = numbers.len();
        let mut after = After::default();
        let words: Vec<u64> = match calling.result {
            Some(result) => vec![result],
            None => self.registers[first..first + words as usize].to_vec(),
        };
        for word in &words {
            after.result.push(self.canonical(*word, &mut numbers).unwrap_or(Value::number(64, *word)));
        }
        let globals: Vec<(usize, u64, u64)> = self
            .memory
            .each()
            .filter_map(|(index, object, info)| match info.kind {
                ObjectKind::Global(0, _) if object.writable > 0 => {
                    Some((index, u64::from(object.base), u64::from(object.size)))
                }
                _ => None,
            })
            .collect();
        let mut extents: Vec<(String, Extent)> = Vec::new();
        for (index, base, size) in globals {
            let address = (index as u64) << 32 | base;
            let Some(ObjectKind::Global(unit, id)) = self.memory.info(index).map(|info| info.kind) else {
                continue;
            };
            let name = self.program.global_name(unit, id).to_owned();
            let Some((region, at)) = self.memory.range(address, size, false) else { continue };
            let now = &self.memory.arenas[region].bytes[at..at + size as usize];
            let image = &self.program.image;
            let same = match (calling.globals.get(&name), image.range(address, size, false)) {
                (Some(before), _) => before == now,
                (None, Some((region, at))) => image.arenas[region].bytes[at..at + size as usize] == *now,
                (None, None) => false,
            };
            if same && size > LARGE {
                continue;
            }
            if !same {
                after.changed.insert(name.clone());
            }
            extents.extend(View(&self.memory).object(address).map(|extent| (name.clone(), extent)));
            let left = self.left(address, size, &mut numbers);
            after.globals.insert(name, left);
        }
        // The list grows while new objects come into sight.
        let mut at = 0;
        while at < numbers.len() && at < given + MOST {
            let index = numbers[at] as usize;
            let parts = take_apart(numbers[at] << 32);
            let live = self.memory.info(index).is_some_and(|info| !info.freed);
            let object = self.memory.object(parts).copied().filter(|_| live);
            // What is in a stream is the library's affair.
            let is_stream = calling.call.objects.get(at).is_some_and(|object| object.is_stream());
            after.objects.push(object.map(|object| {
                if is_stream {
                    return Left::default();
                }
                let address = (index as u64) << 32 | u64::from(object.base);
                self.left(address, u64::from(object.size), &mut numbers)
            }));
            at += 1;
        }
        if M::ACTIVE {
            let view = View(&self.memory);
            let extent = |(number, left): (&u64, &Option<Left>)| {
                let (_, object) = (left.as_ref()?, self.memory.object(take_apart(number << 32))?);
                view.object(number << 32 | u64::from(object.base))
            };
            let objects: Vec<Option<Extent>> = numbers.iter().zip(&after.objects).map(extent).collect();
            self.monitor.returned(&Leaving { objects: &objects, globals: &extents }, view);
        }
        self.after = Some(after);
        // Whatever the caller gave is the caller's to free.
        self.given = calling.objects;
        self.given.extend(calling.result);
        self.results = words;
    }

    fn left(&self, address: u64, size: u64, numbers: &mut Vec<u64>) -> Left {
        let Some((region, at)) = self.memory.range(address, size, false) else { return Left::default() };
        let mut left = Left {
            bytes: self.memory.arenas[region].bytes[at..at + size as usize].to_vec(),
            ..Left::default()
        };
        for offset in (0..left.bytes.len().saturating_sub(7)).step_by(8) {
            let word: [u8; 8] = left.bytes[offset..offset + 8].try_into().expect("eight bytes");
            if let Some(value) = self.canonical(u64::from_le_bytes(word), numbers) {
                left.pointers.insert(offset as u64, value);
                left.bytes[offset..offset + 8].fill(0);
            }
        }
        left
    }

    /// A word as a pointer, if it is one.
    pub(super) fn canonical(&self, word: u64, numbers: &mut Vec<u64>) -> Option<Value> {
        let parts = take_apart(word);
        if parts.region != HEAP || parts.index == 0 {
            return None;
        }
        let (object, info) = (self.memory.object(parts)?, self.memory.info(parts.index)?);
        let offset = i64::from(parts.low) - i64::from(object.base);
        match info.kind {
            ObjectKind::Function(function) if offset == 0 => {
                Some(Value::Function(self.program.function(function).name.clone()))
            }
            _ if !(0..=i64::from(info.size)).contains(&offset) => None,
            ObjectKind::Global(unit, id) => {
                Some(Value::Global(self.program.global_name(unit, id).to_owned(), offset))
            }
            ObjectKind::Heap => {
                let number = parts.index as u64;
                let at = numbers.iter().position(|known| *known == number).unwrap_or_else(|| {
                    numbers.push(number);
                    numbers.len() - 1
                });
                Some(Value::Object(at, offset))
            }
            _ => None,
        }
    }
}

/// So many new objects are listed.
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
