//! What is prepared once per program: pointers, effects of functions, and what the side of a branch that was not
//! taken might have written.
//!
//! Everything here is an over-approximation: a branch that is said to matter and does not makes slices larger and
//! conditions finer, never wrong.

use crate::effects::{self, Effects, Missed};
use crate::places::{Cell, NAMES, STOPPED};
use crate::shape::{Called, Shape};
use crate::syscalls;
use hydrogen_flow::{CallGraph, ObjectId, ObjectKind, Options, PointsTo, Summaries};
use hydrogen_ir::{FunctionId, GlobalId, InstructionId, LinkedUnit, Module};
use hydrogen_machine::code::{Code, Instr, Target};
use hydrogen_machine::{Builtin, FuncId, FuncKind, Program};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, OnceLock};

/// What the functions that the machine adds do with pointers.
const OURS: &str = "hydrogen_symbolic: writes 0\nklee_make_symbolic: writes 0\nhydrogen_assume:\nklee_assume:\n\
    hydrogen_output: reads 0\n__clone: writes 4, calls 0 3, escape 3\n";
/// Code that the library starts from.
const STARTS: [&str; 2] = ["__libc_start_main", "exit"];

/// Facts about a program that hold for every run.
pub struct Static<'p> {
    pub(crate) program: &'p Program,
    pub(crate) module: Module,
    units: Vec<LinkedUnit>,
    pub(crate) options: Options,
    pub(crate) points_to: PointsTo,
    pub(crate) summaries: Summaries,
    objects: FxHashMap<ObjectKind, ObjectId>,
    /// By function, what a call of it may do beside writing memory.
    pub(crate) doings: Vec<u8>,
    names: FxHashMap<String, Vec<FuncId>>,
    shapes: Vec<OnceLock<Box<Shape>>>,
    pub(crate) missed: Mutex<FxHashMap<(FuncId, u32), Arc<Missed>>>,
    pub(crate) effects: Mutex<Effects>,
    /// Whether jump statements count as branches.
    jumps: bool,
}

impl<'p> Static<'p> {
    /// Prepares a program that is started at one of these functions.
    pub fn new(program: &'p Program, entries: &[&str]) -> Self {
        Self::with_budget(program, entries, Options::default().budget)
    }

    /// The same where the analysis of pointers may do only so much work; without any, every pointer may point everywhere.
    pub fn with_budget(program: &'p Program, entries: &[&str], budget: u64) -> Self {
        let mut units: Vec<Module> = program.units().cloned().collect();
        // What the machine does itself has no body here either.
        for module in units.iter_mut().skip(1) {
            for function in &mut module.functions {
                if Builtin::named(&function.name).is_some() {
                    function.body = None;
                }
            }
            syscalls::name(module);
        }
        let linked = hydrogen_ir::link(units);
        let mut library = hydrogen_flow::Library::default();
        for table in [OURS, syscalls::TABLE] {
            library.extend(table).expect("the tables are well formed");
        }
        let around = program.around().map(|id| program.function(id).name.clone());
        let roots = entries.iter().chain(&STARTS).map(|name| (*name).to_owned()).chain(around).collect();
        let options = Options { library, closed: true, roots, budget, ..Options::default() };
        let points_to = PointsTo::new(&linked.module, &options);
        let calls = CallGraph::new(&linked.module, &points_to);
        let summaries = Summaries::new(&linked.module, &options, &points_to, &calls);
        let objects = points_to.objects().map(|(id, kind)| (kind, id)).collect();
        let count = program.function_count();
        let mut names: FxHashMap<String, Vec<FuncId>> = FxHashMap::default();
        for id in (0..count as u32).map(FuncId) {
            names.entry(program.function(id).name.clone()).or_default().push(id);
        }
        let mut statics = Self {
            program,
            module: linked.module,
            units: linked.units,
            options,
            points_to,
            summaries,
            objects,
            doings: vec![0; count],
            names,
            shapes: (0..count).map(|_| OnceLock::new()).collect(),
            missed: Mutex::default(),
            effects: Mutex::default(),
            jumps: false,
        };
        statics.find_doings();
        statics
    }

    /// From now on slices hold the jump statements (`break`, `continue`, `goto`, `return`) without which something else would
    /// be executed. Conditions do not need them: no input changes where a jump goes.
    pub fn with_jumps(mut self) -> Self {
        self.jumps = true;
        self.shapes.iter_mut().for_each(|shape| *shape = OnceLock::new());
        self
    }

    /// The program.
    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// Whether the analysis of pointers ended within its budget; without, every pointer may point everywhere.
    pub fn is_precise(&self) -> bool {
        self.points_to.is_complete()
    }

    /// Functions that may end the run or jump away, do system calls, or name outputs, themselves or by their callees.
    fn find_doings(&mut self) {
        let bodies: Vec<(FuncId, &Code)> = (0..self.doings.len() as u32)
            .filter_map(|id| self.program.code(FuncId(id)).map(|code| (FuncId(id), code)))
            .collect();
        let mut callees: Vec<(usize, FuncId)> = Vec::new();
        for id in (0..self.doings.len() as u32).map(FuncId) {
            let doings = match self.program.function(id).kind {
                FuncKind::Builtin(Builtin::LongJmp | Builtin::Assume) | FuncKind::Undefined => STOPPED,
                FuncKind::Builtin(Builtin::NamedOutput) => NAMES,
                _ => continue,
            };
            self.doings[id.0 as usize] |= 1 << doings;
        }
        for (id, code) in bodies {
            if self.program.model(id).is_some_and(|(_, function)| function.no_return) {
                self.doings[id.0 as usize] |= 1 << STOPPED;
            }
            for (pc, instr) in code.instrs.iter().enumerate() {
                self.doings[id.0 as usize] |= effects::of_instr(code, instr);
                if matches!(instr, Instr::Call { .. }) {
                    callees.extend(
                        self.callees(id, code, pc as u32).into_iter().map(|callee| (id.0 as usize, callee)),
                    );
                }
            }
        }
        callees.sort_unstable();
        callees.dedup();
        let mut changed = true;
        while changed {
            changed = false;
            for (caller, callee) in &callees {
                let both = self.doings[*caller] | self.doings[callee.0 as usize];
                changed |= both != self.doings[*caller];
                self.doings[*caller] = both;
            }
        }
    }

    /// Whom a call may reach.
    pub(crate) fn callees(&self, function: FuncId, code: &Code, pc: u32) -> Vec<FuncId> {
        let Some(Instr::Call { site }) = code.instrs.get(pc as usize) else { return Vec::new() };
        let direct = match code.calls[*site as usize].target {
            // What a thread begins with is called by whoever makes the thread.
            Target::Direct(callee)
                if self.program.function(callee).kind == FuncKind::Builtin(Builtin::Clone) =>
            {
                Some(callee)
            }
            Target::Direct(callee) => return vec![callee],
            Target::Indirect(_) => None,
        };
        let Some(id) = self.linked(function) else { return direct.into_iter().collect() };
        let found = self.points_to.callees(id, code.origin[pc as usize]);
        let mut functions = found.functions;
        if found.unknown || functions.is_empty() {
            functions.extend(self.points_to.address_taken());
        }
        let named = functions.iter().map(|id| self.module.function(*id).name.as_str());
        // Names are enough to ask what a function does; statics of the same name all count.
        let mut all: Vec<FuncId> =
            named.flat_map(|name| self.names.get(name).into_iter().flatten().copied()).collect();
        all.extend(direct);
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The function in the linked module, if it is there with the same body.
    pub(crate) fn linked(&self, function: FuncId) -> Option<FunctionId> {
        let FuncKind::Defined(unit, id) = self.program.function(function).kind else { return None };
        let linked = (*self.units.get(unit as usize)?.functions.get(id.index())?)?;
        let same = self.module.function(linked).body.as_ref()?.instructions.len();
        let (_, model) = self.program.model(function)?;
        (model.body.as_ref()?.instructions.len() == same).then_some(linked)
    }

    /// Whether a call may not come back, or may come back twice.
    fn is_gate(&self, function: FuncId, code: &Code, pc: u32) -> bool {
        let gate = |callee: FuncId| {
            self.doings[callee.0 as usize] & 1 << STOPPED != 0
                || matches!(self.program.function(callee).kind, FuncKind::Builtin(Builtin::SetJmp))
        };
        self.callees(function, code, pc).into_iter().any(gate)
    }

    /// The blocks and variables of a function.
    pub(crate) fn shape(&self, function: FuncId) -> Option<&Shape> {
        let code = self.program.code(function)?;
        let builtin = |pc: u32| match code.instrs[pc as usize] {
            Instr::Call { site } => match code.calls[site as usize].target {
                Target::Direct(callee) => match self.program.function(callee).kind {
                    FuncKind::Defined(..) => None,
                    kind => Some(Called { at_addresses: at_addresses(kind) }),
                },
                Target::Indirect(_) => None,
            },
            _ => None,
        };
        let make = || {
            let model = self.program.model(function).filter(|_| self.jumps);
            let falls = model.map_or(Vec::new(), |(_, model)| crate::jumps::falls(model, code));
            Box::new(Shape::new(code, &|pc| self.is_gate(function, code, pc), &builtin, &falls))
        };
        Some(self.shapes[function.0 as usize].get_or_init(make))
    }

    /// The object of the analysis for a global variable.
    pub(crate) fn global(&self, unit: u32, id: GlobalId) -> ObjectId {
        let linked = self.units.get(unit as usize).and_then(|unit| unit.globals.get(id.index()).copied()?);
        linked.map_or(ObjectId::UNKNOWN, |id| self.object(ObjectKind::Global(id)))
    }

    /// The object of the analysis that an instruction makes, on the heap or on the stack.
    pub(crate) fn made_at(&self, function: FuncId, instruction: InstructionId, heap: bool) -> ObjectId {
        let Some(function) = self.linked(function) else { return ObjectId::UNKNOWN };
        self.object(match heap {
            true => ObjectKind::Heap { function, instruction },
            false => ObjectKind::Stack { function, instruction },
        })
    }

    /// The copy of a structure that a function is given, or its variable arguments.
    pub(crate) fn passed(&self, function: FuncId, parameter: Option<u32>) -> ObjectId {
        let Some(function) = self.linked(function) else { return ObjectId::UNKNOWN };
        self.object(match parameter {
            Some(parameter) => ObjectKind::Copy { function, parameter },
            None => ObjectKind::Rest(function),
        })
    }

    fn object(&self, kind: ObjectKind) -> ObjectId {
        self.objects.get(&kind).copied().unwrap_or(ObjectId::UNKNOWN)
    }

    /// The cell of some bytes of an object.
    pub(crate) fn cell(&self, object: ObjectId, offset: u64, size: u64) -> Cell {
        Cell { place: self.points_to.place_at(object, offset), size }
    }
}

/// Whether a function without a body reads or writes memory where its arguments say.
fn at_addresses(kind: FuncKind) -> bool {
    use Builtin::*;
    matches!(
        kind,
        FuncKind::Builtin(Realloc | PosixMemalign | MemCpy | MemMove | MemSet | SetJmp | LongJmp | Symbolic)
    )
}
