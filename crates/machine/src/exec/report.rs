//! From what the machine knows to what people read.

use super::{End, Machine, Run, crossing};
use crate::code::{Complex, Instr};
use crate::fault::{Fault, FaultKind, FrameInfo, ObjectInfo, Trouble};
use crate::memory::{ARRAYS_END, FRAME_GAP, ObjectKind, STACK, Site};
use crate::monitor::Monitor;

/// Accesses this near to null are accesses through the null pointer: a member of a structure, an element.
pub(super) const NEAR_NULL: u64 = 1 << 16;
/// The last address that anything can have.
const LAST: u64 = (1 << 47) - 1;
/// An access so near to a scalar of a call is taken for one of it.
const BESIDE: i64 = 16;
/// A pointer further than this from an object is not taken for one of it.
const FAR: i64 = 1 << 24;
/// A stack is shown from both ends when it is deeper.
const SHOWN: usize = 40;

impl<M: Monitor> Machine<'_, M> {
    pub(super) fn finish(self, trouble: Trouble) -> Run<M> {
        let end = self.end_of(&trouble);
        let finished = matches!(end, End::Exit(_));
        // Who has no body may have kept what it was given.
        let known = finished && self.closed.is_none();
        let (leaks, reachable) = if known { self.leaks() } else { (Vec::new(), 0) };
        let Self { statistics, world, monitor, after, .. } = self;
        Run { end, leaks, reachable, statistics, world, after, monitor }
    }

    /// What the machine found, with names and lines.
    pub(super) fn end_of(&self, trouble: &Trouble) -> End {
        let stack = || self.stack();
        match trouble {
            Trouble::Exit(status) => End::Exit(*status),
            Trouble::Signal(signal) => End::Signal(*signal),
            Trouble::Limit(limit) => End::Limit(*limit, stack()),
            Trouble::Assumption => End::Assumption(stack()),
            Trouble::Unsupported(what) => End::Unsupported(what.clone(), stack()),
            Trouble::Undefined(name) => match &self.closed {
                // Where it was called, not where what it gave decided.
                Some((closed, sites)) if closed == name => {
                    End::Unresolved(name.clone(), self.describe(sites))
                }
                _ => End::Unresolved(name.clone(), stack()),
            },
            Trouble::Fault(kind, message) => {
                let object = self.freed_object(*kind);
                let message = message.clone();
                let fault = Fault { kind: *kind, message, stack: stack(), object, instead: None };
                End::Fault(Box::new(fault))
            }
            Trouble::Access { address, bytes, write } => self.bad_access(*address, *bytes, *write),
            Trouble::Elsewhere { from, address, bytes, write } => {
                self.elsewhere(*from, *address, *bytes, *write)
            }
        }
    }

    /// Every function on the stack, innermost first.
    fn stack(&self) -> Vec<FrameInfo> {
        let sites: Vec<Site> =
            self.frames.iter().rev().map(|frame| Site { function: frame.function, pc: frame.pc }).collect();
        if sites.len() <= SHOWN {
            return self.describe(&sites);
        }
        let mut shown = self.describe(&sites[..SHOWN / 2]);
        let left_out = format!("… {} calls …", sites.len() - SHOWN);
        shown.push(FrameInfo { function: left_out, file: String::new(), line: 0, column: 0, users: false });
        shown.extend(self.describe(&sites[sites.len() - SHOWN / 2..]));
        shown
    }

    pub(super) fn describe(&self, sites: &[Site]) -> Vec<FrameInfo> {
        sites.iter().map(|site| self.program.place(*site)).collect()
    }

    /// An access through a pointer that arithmetic took from the object at `from` to somewhere else.
    fn elsewhere(&self, from: u64, address: u64, bytes: u64, write: bool) -> End {
        if from < NEAR_NULL {
            return self.bad_access(from, bytes, write);
        }
        let (_, _, object) = self.explain(from, write);
        let (_, _, there) = self.explain(address, write);
        let instead = there.filter(|there| (0..there.size as i64).contains(&there.offset));
        let kind = if write { FaultKind::OutOfBoundsWrite } else { FaultKind::OutOfBoundsRead };
        let mut about = "outside of its object".to_owned();
        let object = object.map(|object| {
            let offset = object.offset.wrapping_add(address.wrapping_sub(from) as i64);
            about = format!("{} of {}", relative(offset, object.size), object.description);
            ObjectInfo { offset, ..object }
        });
        if let Some(instead) = &instead {
            about.push_str(&format!(", in {}", instead.description));
        }
        let message = format!("{} {about}", verb(bytes, write));
        End::Fault(Box::new(Fault { kind, message, stack: self.stack(), object, instead }))
    }

    fn bad_access(&self, address: u64, bytes: u64, write: bool) -> End {
        let number = self.memory.number(address);
        if let Some(ObjectKind::Global(unit, id)) =
            number.and_then(|number| self.memory.info(number)).map(|info| info.kind)
            && self.program.is_missing(unit, id)
        {
            return End::Unresolved(self.program.global_name(unit, id).to_owned(), self.stack());
        }
        let (kind, about, object) = self.explain(address, write);
        if object.is_none()
            && kind != FaultKind::NullDereference
            && let Some(from) = self.origin(address)
        {
            return self.elsewhere(from, address, bytes, write);
        }
        let kind = match kind {
            FaultKind::OutOfBoundsRead if self.is_loading() && self.is_over_read(address, bytes) => {
                FaultKind::OverRead
            }
            kind => kind,
        };
        let message = format!("{} {about}", verb(bytes, write));
        End::Fault(Box::new(Fault { kind, message, stack: self.stack(), object, instead: None }))
    }

    /// The pointer into a live object, or to null, that the current instruction's address was computed from.
    fn origin(&self, address: u64) -> Option<u64> {
        let frame = self.frames.last()?;
        let code = self.program.code(frame.function)?;
        let window = self.registers.get(frame.base as usize..frame.end as usize)?;
        let is_known = |address: u64| address < NEAR_NULL || self.memory.is_alive(address);
        crossing::origin(code, frame.pc as usize, address, window, is_known)
    }

    /// What is wrong with an address.
    fn explain(&self, address: u64, write: bool) -> (FaultKind, String, Option<ObjectInfo>) {
        let outside = if write { FaultKind::OutOfBoundsWrite } else { FaultKind::OutOfBoundsRead };
        if !(NEAR_NULL..=u64::MAX - NEAR_NULL).contains(&address) {
            return (FaultKind::NullDereference, "through the null pointer".into(), None);
        }
        let Some(object) = self.memory.object(address) else {
            return match address {
                STACK..=LAST => {
                    let about = "of a local variable of a function that has returned".into();
                    (FaultKind::UseAfterReturn, about, None)
                }
                _ => (outside, format!("at {address:#x}, where no object is"), None),
            };
        };
        let offset = address.wrapping_sub(object.base).cast_signed();
        if address >= STACK {
            if let Some(name) = self.is_given_to(object.base) {
                let about = format!("of a variable argument that `{name}` was not given");
                return (FaultKind::BadCall, about, None);
            }
            // Far from the variable that has this place now: an earlier one had it.
            let is_earlier = match address < ARRAYS_END {
                true => offset < -(FRAME_GAP.cast_signed() / 2),
                false => !(-BESIDE..object.size.cast_signed() + BESIDE).contains(&offset),
            };
            if object.size == 0
                && let Some((description, _)) = self.local(object.base, 0)
            {
                let about = format!("of {description}, whose block has ended");
                return (FaultKind::UseAfterReturn, about, None);
            }
            if is_earlier || object.size == 0 {
                let about = "of a local variable of a function that has returned".into();
                return (FaultKind::UseAfterReturn, about, None);
            }
            let unknown = || (format!("a local object of {} bytes", object.size), object.size);
            let (description, size) = self.local(object.base, object.size).unwrap_or_else(unknown);
            let about = format!("{} of {description}", relative(offset, size));
            let object = ObjectInfo {
                heap: false,
                description,
                size,
                offset,
                allocated: Vec::new(),
                freed: Vec::new(),
            };
            return (outside, about, Some(object));
        }
        let number = self.memory.number(address);
        let Some(info) = number.and_then(|number| self.memory.info(number)) else {
            return (outside, "nowhere".into(), None);
        };
        let size = info.size;
        let sites = |sites: &Option<Box<[Site]>>| self.describe(sites.as_deref().unwrap_or(&[]));
        let description = match info.kind {
            ObjectKind::Null => "the null pointer".to_owned(),
            ObjectKind::Function(id) => format!("the function `{}`", self.program.function(id).name),
            ObjectKind::Global(unit, id) => format!("the variable `{}`", self.program.global_name(unit, id)),
            ObjectKind::Start => "the program's arguments and environment".to_owned(),
            ObjectKind::Heap => format!("a heap object of {size} bytes"),
            ObjectKind::Mapped => format!("a mapping of {size} bytes"),
        };
        let report = ObjectInfo {
            heap: info.kind == ObjectKind::Heap,
            description: description.clone(),
            size,
            offset,
            allocated: sites(&info.allocated),
            freed: sites(&info.released),
        };
        // Nothing says that a pointer so far away, or to where a function is, belongs to the object whose number it has.
        let far = offset < -FAR || offset > size as i64 + FAR;
        let beside = match info.kind {
            ObjectKind::Function(_) => !(0..16).contains(&offset),
            ObjectKind::Null => true,
            _ => far && !info.freed,
        };
        if beside {
            return (outside, format!("at {address:#x}, where no object is"), None);
        }
        let inside = offset >= 0 && (offset as u64) < size;
        let kind = match () {
            () if info.freed => FaultKind::UseAfterFree,
            () if inside && write && object.writable == 0 && object.size > 0 => FaultKind::ReadOnlyWrite,
            () => outside,
        };
        let about = match kind {
            FaultKind::UseAfterFree => format!("in {description} that is freed"),
            FaultKind::ReadOnlyWrite => format!("in {description}, which is constant"),
            _ => format!("{} of {description}", relative(offset, size)),
        };
        (kind, about, Some(report))
    }

    /// The function that has its variable arguments here.
    fn is_given_to(&self, address: u64) -> Option<&str> {
        let frame = self.frames.iter().rev().find(|frame| frame.varargs == address)?;
        Some(&self.program.function(frame.function).name)
    }

    /// Whether the current instruction reads a word for the program.
    fn is_loading(&self) -> bool {
        let instr = self.frames.last().and_then(|frame| {
            let code = self.program.code(frame.function)?;
            Some((code, code.instrs.get(frame.pc as usize)?))
        });
        instr.is_some_and(|(code, instr)| match instr {
            Instr::Complex { index } => matches!(code.complex[*index as usize], Complex::Load { .. }),
            instr => matches!(instr, Instr::Load16 { .. } | Instr::Load32 { .. } | Instr::Load64 { .. }),
        })
    }

    /// Whether a read of so many bytes is one of an aligned word that begins inside of a live object and reaches over its end.
    pub(super) fn is_over_read(&self, address: u64, bytes: u64) -> bool {
        let is_given = |base: u64| self.frames.iter().any(|frame| frame.varargs == base);
        bytes.is_power_of_two()
            && bytes <= 16
            && address.is_multiple_of(bytes)
            && self.memory.object(address).is_some_and(|object| {
                address.wrapping_sub(object.base) < object.size && !is_given(object.base)
            })
    }

    /// The name and size of a live local variable.
    fn local(&self, address: u64, size: u64) -> Option<(String, u64)> {
        // Of another thread's variables nobody knows the names here.
        let owner = self.frames.iter().rev().find_map(|frame| {
            let locals = &self.program.code(frame.function)?.locals;
            let has_it =
                |register: u32| self.registers.get((frame.base + register) as usize) == Some(&address);
            Some((frame.function, locals.iter().find(|local| has_it(local.address))?))
        });
        let (function, local) = owner?;
        let (_, model) = self.program.model(function)?;
        let variables = model.body.iter().flat_map(|body| &body.variables);
        let name = variables.into_iter().find(|one| one.slot == Some(local.origin)).map(|one| &one.name);
        name.map(|name| (format!("the variable `{name}` of `{}`", model.name), size))
    }

    /// For a wrong `free`: the object that it names.
    fn freed_object(&self, kind: FaultKind) -> Option<ObjectInfo> {
        if !matches!(kind, FaultKind::DoubleFree | FaultKind::InvalidFree) {
            return None;
        }
        let frame = self.frames.last()?;
        let code = self.program.code(frame.function)?;
        let Some(crate::code::Instr::Call { site }) = code.instrs.get(frame.pc as usize) else { return None };
        let arg = code.calls[*site as usize].args.first()?;
        self.explain(self.get(arg.src), false).2
    }
}

/// What is done, in words.
fn verb(bytes: u64, write: bool) -> String {
    let (verb, plural) = (if write { "write" } else { "read" }, if bytes == 1 { "" } else { "s" });
    format!("{verb} of {bytes} byte{plural}")
}

/// Where an access is, in words.
fn relative(offset: i64, size: u64) -> String {
    let bytes = |n: u64| if n == 1 { "1 byte".to_owned() } else { format!("{n} bytes") };
    match u64::try_from(offset) {
        Err(_) => format!("{} before the start", bytes(offset.unsigned_abs())),
        Ok(offset) if offset >= size => format!("{} behind the end", bytes(offset - size)),
        Ok(offset) => format!("at offset {offset}, reaching over the end,"),
    }
}

impl crate::program::Program {
    /// The source place of an instruction.
    pub fn place(&self, site: Site) -> FrameInfo {
        let name = self.function(site.function).name.clone();
        let mut info = FrameInfo {
            function: name,
            file: String::new(),
            line: 0,
            column: 0,
            users: self.is_users(site.function),
        };
        let Some((module, model)) = self.model(site.function) else { return info };
        let origin = self.code(site.function).and_then(|code| code.origin.get(site.pc as usize));
        let body = model.body.as_ref();
        let location = origin.zip(body).and_then(|(origin, body)| body.instruction(*origin).location);
        if let Some(file) = location.map(|location| location.file).or(model.file()) {
            info.file = module.files.get(file.index()).cloned().unwrap_or_default();
        }
        match location {
            Some(location) => {
                info.line = location.position.line;
                info.column = location.position.column;
            }
            None => info.line = model.line().unwrap_or(0),
        }
        info
    }

    pub(crate) fn is_missing(&self, unit: u32, global: hydrogen_ir::GlobalId) -> bool {
        let global = self.module(unit as usize).global(global);
        global.initializer.is_none() && global.alias_of.is_none()
    }
}
