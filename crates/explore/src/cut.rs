//! A monitor that follows a run from assignment to assignment: every variable that the user's code sets becomes a symbol of its own,
//! and what it was set to is kept. Putting values for symbols again, from the last to the first, is symbolic execution backwards.

use crate::assigned::{Assigned, Whose};
use crate::concolic::{Concolic, Pending};
use hydrogen_ir::{Body, InstructionId, Module, Op, Operand, Type, TypeId};
use hydrogen_machine::code::{Code, Instr, Reg, Role};
use hydrogen_machine::{
    Builtin, FuncId, MemoryEvent, Monitor, Place, Program, Site, Step, Stream, StreamEvent, View, World,
};
use hydrogen_term::{Sort, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// A variable of one activation, or one for all.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Name {
    pub(crate) name: String,
    pub(crate) function: String,
    /// The activation; 0 for globals and the heap.
    pub(crate) activation: u64,
}

/// A variable was set.
#[derive(Debug, Clone)]
pub(crate) struct Definition {
    pub(crate) step: u64,
    pub(crate) site: Site,
    pub(crate) name: Rc<Name>,
    pub(crate) symbol: Term,
    pub(crate) value: Term,
}

/// An object that has a name.
#[derive(Debug, Clone)]
struct Object {
    name: Rc<Name>,
    shape: Shape,
    /// Whether it is the user's, and not of the library.
    own: bool,
}

/// What an object is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Integer,
    Array,
    Other,
}

impl Shape {
    fn of(module: &Module, ty: TypeId) -> Self {
        match module.types.get(ty) {
            Type::Int(_) => Shape::Integer,
            Type::Array { .. } => Shape::Array,
            _ => Shape::Other,
        }
    }

    fn of_slot(module: &Module, body: &Body, slot: InstructionId) -> Self {
        match &body.instruction(slot).op {
            Op::Alloca { ty, .. } => Self::of(module, *ty),
            _ => Shape::Other,
        }
    }
}

#[derive(Debug, Default)]
struct Frame {
    function: Option<FuncId>,
    activation: u64,
    /// Registers of variables that the last instruction set, with its number and place.
    set: Vec<(Reg, u64, Site)>,
    begun: bool,
}

/// What of a function's registers are variables: name and width.
type Variables = FxHashMap<Reg, (String, u32)>;

pub(crate) struct Cut<'p> {
    pub(crate) concolic: Concolic<'p>,
    program: &'p Program,
    pub(crate) definitions: Vec<Definition>,
    /// What the criterion reads, by the executed instructions that it is made of.
    criterion: FxHashSet<u64>,
    pub(crate) read: Vec<Term>,
    /// Where the last of these is.
    pub(crate) at: Option<Site>,
    frames: Vec<Frame>,
    activations: u64,
    step: u64,
    site: Site,
    /// The last instruction of the user's.
    users: Site,
    variables: FxHashMap<FuncId, Rc<Variables>>,
    objects: FxHashMap<Place, Object>,
    locals: FxHashMap<u64, Object>,
    /// For each condition of the path, the last instruction of the user's before it.
    pub(crate) asked: Vec<Site>,
    /// Whether variables keep what they were set to, instead of getting a symbol; then also what the library sets is told.
    forwards: bool,
    /// What functions of the user's returned, where a look forwards is wanted.
    pub(crate) returned: Vec<Assigned>,
}

impl<'p> Cut<'p> {
    pub(crate) fn new(program: &'p Program, concolic: Concolic<'p>, criterion: FxHashSet<u64>) -> Self {
        let nowhere = Site { function: FuncId(0), pc: 0 };
        let units: Vec<&Module> = program.units().collect();
        let mut objects = FxHashMap::default();
        for (unit, id, place, _) in program.globals() {
            let Some(module) = units.get(unit as usize) else { continue };
            let global = module.global(id);
            let name = Name { name: global.name.clone(), function: String::new(), activation: 0 };
            let (name, shape) = (Rc::new(name), Shape::of(module, global.ty));
            objects.insert(place, Object { name, shape, own: unit == 0 });
        }
        Self {
            concolic,
            program,
            definitions: Vec::new(),
            criterion,
            read: Vec::new(),
            at: None,
            frames: Vec::new(),
            activations: 0,
            step: 0,
            site: nowhere,
            users: nowhere,
            variables: FxHashMap::default(),
            objects,
            locals: FxHashMap::default(),
            asked: Vec::new(),
            forwards: false,
            returned: Vec::new(),
        }
    }

    /// The same for a look forwards: variables keep what they were set to.
    pub(crate) fn forwards(mut self) -> Self {
        self.forwards = true;
        self
    }

    fn name(&self, function: FuncId, activation: u64, name: &str) -> Rc<Name> {
        let function = self.program.function(function).name.clone();
        Rc::new(Name { name: name.to_owned(), function, activation })
    }

    /// The integers among a function's variables that live in registers.
    fn variables(&mut self, function: FuncId) -> Rc<Variables> {
        let program = self.program;
        let find = || {
            let mut found = Variables::default();
            let (Some(code), Some((module, body))) = (program.code(function), body_of(program, function))
            else {
                return Rc::new(found);
            };
            for slot in &code.variables {
                if let (Some(register), Some(name), Some(width)) =
                    (slot.register, variable(body, slot.origin), width_of_slot(module, body, slot.origin))
                {
                    found.insert(register, (name.to_owned(), width));
                }
            }
            Rc::new(found)
        };
        Rc::clone(self.variables.entry(function).or_insert_with(find))
    }

    /// A variable gets a symbol; what it was set to is kept.
    fn define(&mut self, step: u64, site: Site, name: Rc<Name>, value: Term) -> Term {
        let pool = &mut self.concolic.pool;
        let symbol =
            pool.var(&format!("{}@{}", name.name, self.definitions.len()), Sort::Bits(pool.width(value)));
        self.definitions.push(Definition { step, site, name, symbol, value });
        symbol
    }

    /// Takes in what the last instruction of this activation set.
    fn settle(&mut self, registers: &[u64]) {
        let Some(frame) = self.frames.last_mut() else { return };
        let (Some(function), activation) = (frame.function, frame.activation) else { return };
        let set = std::mem::take(&mut frame.set);
        if set.is_empty() {
            return;
        }
        let variables = self.variables(function);
        for (register, step, site) in set {
            let Some((name, width)) = variables.get(&register) else { continue };
            let value = match self.concolic.term(register) {
                Some(term) => self.concolic.pool.resize_unsigned(term, *width),
                None => {
                    let value = registers.get(register as usize).copied().unwrap_or(0);
                    self.concolic.pool.bits(*width, u128::from(value) & (u128::MAX >> (128 - width)))
                }
            };
            let name = self.name(function, activation, name);
            let symbol = self.define(step, site, name, value);
            if !self.forwards {
                self.concolic.set(register, Some(symbol));
            }
        }
    }

    /// Takes down what the current function returns, if that is an integer or a pointer.
    fn returns(&mut self, src: Reg, registers: &[u64]) {
        let Some((module, function)) = self.program.model(self.site.function) else { return };
        let result = match function.ty.map(|ty| module.types.get(ty)) {
            Some(Type::Function { result, .. }) => module.types.get(*result),
            _ => return,
        };
        let (width, pointer) = match result {
            Type::Int(width) if *width > 1 && *width <= 64 => (*width, false),
            Type::Pointer(0) => (64, true),
            _ => return,
        };
        let pool = &mut self.concolic.pool;
        let value = match self.concolic.frames.last().and_then(|frame| frame.get(src)) {
            Some(term) => pool.resize_unsigned(term, width),
            None => pool.bits(width, u128::from(registers[src as usize]) & (u128::MAX >> (128 - width))),
        };
        let whose = Whose::Result { pointer };
        self.returned.push(Assigned { step: self.step, site: self.site, whose, value });
    }

    /// Variables in memory get their names when their function begins.
    fn begin(&mut self, code: &Code, registers: &[u64]) {
        let Some(frame) = self.frames.last_mut() else { return };
        let (Some(function), activation, false) = (frame.function, frame.activation, frame.begun) else {
            return;
        };
        frame.begun = true;
        let Some((module, body)) = body_of(self.program, function) else { return };
        for local in &code.locals {
            let Some(name) = variable(body, local.origin) else { continue };
            let shape = Shape::of_slot(module, body, local.origin);
            let address = registers.get(local.address as usize).copied().unwrap_or(0);
            let object = Object { name: self.name(function, activation, name), shape, own: true };
            self.locals.insert(address, object);
        }
    }

    /// The name of bytes that the current instruction writes.
    fn stored(&self, address: u64, place: Place, len: u64, view: View<'_>) -> Option<Rc<Name>> {
        if address == 0 {
            let frame = self.frames.last()?;
            let function = frame.function?;
            let code = self.program.code(function)?;
            let (Instr::StoreLocal8 { offset, .. }
            | Instr::StoreLocal16 { offset, .. }
            | Instr::StoreLocal32 { offset, .. }
            | Instr::StoreLocal64 { offset, .. }) = *code.instrs.get(self.site.pc as usize)?
            else {
                return None;
            };
            let inside = |slot: &&hydrogen_machine::code::Slot| {
                slot.register.is_none() && (slot.offset..slot.offset + slot.size).contains(&offset)
            };
            let slot = code.variables.iter().find(inside)?;
            let (module, body) = body_of(self.program, function)?;
            let shape = Shape::of_slot(module, body, slot.origin);
            let name = element(variable(body, slot.origin)?, shape, u64::from(offset - slot.offset), len);
            return Some(self.name(function, frame.activation, &name));
        }
        let extent = view.object(address)?;
        let object = self.locals.get(&extent.address).or_else(|| self.objects.get(&extent.place))?;
        if !object.own && !self.is_users() {
            return None;
        }
        let offset = (place.at - extent.place.at) as u64;
        let name = element(&object.name.name, object.shape, offset, len);
        Some(Rc::new(Name { name, ..(*object.name).clone() }))
    }

    fn is_users(&self) -> bool {
        self.program.is_users(self.site.function)
    }

    /// Whether the current instruction stores an integer.
    fn stores_integer(&self) -> bool {
        let Some((module, body)) = body_of(self.program, self.site.function) else { return false };
        let code = self.program.code(self.site.function);
        let origin = code.and_then(|code| code.origin.get(self.site.pc as usize));
        let Some(Op::Store { value, .. }) = origin.map(|id| &body.instruction(*id).op) else { return false };
        let ty: Option<TypeId> = match value {
            Operand::Instruction(id) => Some(body.instruction(*id).ty),
            Operand::Const(id) => module.constant(*id).ty(),
            Operand::Parameter(index) => self
                .program
                .model(self.site.function)
                .and_then(|(_, model)| model.parameters.get(*index as usize)?.ty),
            Operand::Metadata(_) => None,
        };
        ty.is_some_and(|ty| matches!(module.types.get(ty), Type::Int(_)))
    }
}

fn body_of(program: &Program, function: FuncId) -> Option<(&Module, &Body)> {
    let (module, model) = program.model(function)?;
    Some((module, model.body.as_ref()?))
}

/// The variable of the source that lives in a slot.
fn variable(body: &Body, slot: InstructionId) -> Option<&str> {
    body.variables.iter().find(|one| one.slot == Some(slot)).map(|one| one.name.as_str())
}

/// The width of the integer in a slot; `None` for everything else.
fn width_of_slot(module: &Module, body: &Body, slot: InstructionId) -> Option<u32> {
    let Op::Alloca { ty, .. } = &body.instruction(slot).op else { return None };
    match module.types.get(*ty) {
        Type::Int(width) if *width <= 64 => Some(*width),
        _ => None,
    }
}

/// A part of an object: the n-th of its size, or how many bytes behind the start.
fn element(object: &str, shape: Shape, offset: u64, len: u64) -> String {
    match shape {
        Shape::Integer if offset == 0 => object.to_owned(),
        Shape::Array if offset.is_multiple_of(len.max(1)) => format!("{object}[{}]", offset / len.max(1)),
        _ => format!("{object}+{offset}"),
    }
}

impl Monitor for Cut<'_> {
    fn step(&mut self, step: Step<'_>) {
        self.step += 1;
        self.asked.resize(self.concolic.path.len(), self.users);
        self.site = step.site;
        if self.is_users() {
            self.users = self.site;
        }
        self.settle(step.registers);
        self.begin(step.code, step.registers);
        if self.criterion.contains(&self.step) {
            let read = Concolic::reads(&step).into_iter().filter_map(|reg| self.concolic.term(reg));
            self.read.extend(read);
            self.at = Some(step.site);
        }
        if let (true, Instr::Return { src, count: 1 }) = (self.forwards && self.is_users(), *step.instr) {
            self.returns(src, step.registers);
        }
        let (code, instr) = (step.code, *step.instr);
        self.concolic.step(step);
        if !self.is_users() {
            return;
        }
        let variables = self.variables(self.site.function);
        let (number, site) = (self.step, self.site);
        let Some(frame) = self.frames.last_mut() else { return };
        code.accesses(&instr, &mut |access| {
            if access.role == Role::Result {
                let registers = access.first..access.first + access.count;
                let named = registers.filter(|register| variables.contains_key(register));
                frame.set.extend(named.map(|register| (register, number, site)));
            }
        });
    }

    fn memory(&mut self, address: u64, event: MemoryEvent, view: View<'_>) {
        if let MemoryEvent::Fresh(place, _) = event
            && place.region == 0
        {
            let line = self.program.place(self.users).line;
            let name = Name { name: format!("heap:{line}"), function: String::new(), activation: 0 };
            self.objects.insert(place, Object { name: Rc::new(name), shape: Shape::Array, own: true });
        }
        let stored = match (&event, &self.concolic.pending) {
            (MemoryEvent::Store(place, len), Pending::Store(term, value))
                if (self.is_users() || self.forwards && address != 0)
                    && *len <= 8
                    && self.stores_integer() =>
            {
                Some((*place, *len, *term, *value))
            }
            _ => None,
        };
        let pointer = self.concolic.pointer;
        self.concolic.memory(address, event, view);
        // Where the address has a symbol itself, every place that it may reach was changed: no name fits.
        if let (Some((place, len, term, value)), None) = (stored, pointer)
            && let Some(name) = self.stored(address, place, len, view)
        {
            let width = len as u32 * 8;
            let pool = &mut self.concolic.pool;
            let value = match term {
                Some(term) => pool.resize_unsigned(term, width),
                None => pool.bits(width, u128::from(value) & (u128::MAX >> (128 - width))),
            };
            let site = if self.is_users() { self.site } else { self.users };
            let symbol = self.define(self.step, site, name, value);
            if !self.forwards {
                self.concolic.bytes.store(&mut self.concolic.pool, place, len, Some(symbol));
            }
        }
    }

    fn denied(&mut self, address: u64, bytes: u64, write: bool, view: View<'_>) {
        self.concolic.denied(address, bytes, write, view);
    }

    fn stream(&mut self, stream: Stream, event: StreamEvent, world: &World) {
        self.concolic.stream(stream, event, world);
    }

    fn named(&mut self, what: Builtin, name: &[u8], memory: Option<(Place, u64)>) {
        self.concolic.named(what, name, memory);
    }

    fn enter(&mut self, function: FuncId, depth: usize) {
        self.concolic.enter(function, depth);
        self.activations += 1;
        let mut frame = Frame { activation: self.activations, ..Frame::default() };
        if self.program.is_users(function) {
            frame.function = Some(function);
            let parameters = self.program.code(function).map_or(0, |code| code.parameters);
            let variables = self.variables(function);
            let mut set: Vec<Reg> = variables.keys().copied().filter(|reg| *reg < parameters).collect();
            set.sort_unstable();
            frame.set = set.into_iter().map(|register| (register, self.step, self.site)).collect();
        }
        self.frames.push(frame);
    }

    fn leave(&mut self, depth: usize) {
        self.concolic.leave(depth);
        self.frames.pop();
    }
}
