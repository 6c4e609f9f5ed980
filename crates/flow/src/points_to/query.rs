//! The answers.

use super::generate::{Generator, Value};
use super::object::{ObjectId, ObjectKind, Place};
use super::options::Options;
use super::set::Set;
use super::shape::Offset;
use super::solver::{Loc, Solver, UNKNOWN};
use hydrogen_ir::{Const, ConstId, FunctionId, InstructionId, Module, Op, Operand};
use rustc_hash::FxHashMap;

/// Whom a call may reach.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Callees {
    /// Functions of the module, declared ones included, ascending. For a callee that may be unknown, these include
    /// the escaped functions that take as many arguments and whose address the module itself takes.
    pub functions: Vec<FunctionId>,
    /// Whether the callee may also be unknown code, or any other escaped function.
    pub unknown: bool,
}

/// How the analysis went.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Objects.
    pub objects: usize,
    /// Places in them that pointers have.
    pub places: usize,
    /// Variables of the constraint system.
    pub variables: usize,
    /// Waves until nothing changed.
    pub waves: usize,
    /// Units of work, in the measure of [`Options::budget`].
    pub work: u64,
}

/// The result of the points-to analysis of a module.
#[derive(Debug)]
pub struct PointsTo {
    pub(crate) solver: Solver,
    kinds: Vec<ObjectKind>,
    values: Vec<Vec<Value>>,
    parameters: Vec<Vec<Value>>,
    constants: FxHashMap<ConstId, Value>,
    calls: FxHashMap<(FunctionId, InstructionId), Callees>,
    known: Vec<bool>,
    complete: bool,
    address_taken: Vec<FunctionId>,
}

impl PointsTo {
    /// Analyses a module.
    pub fn new(module: &Module, options: &Options) -> Self {
        let mut generator = Generator::new(module, options);
        // Aggregates are looked at where instructions use them; most are initial values only.
        for id in (0..module.constants.len()).map(ConstId::at) {
            if !matches!(module.constant(id), Const::Aggregate { .. }) {
                generator.constant(id);
            }
        }
        generator.solver.settle();
        let complete = generator.solver.run(options.budget);
        let Generator { solver, kinds, values, parameters, constants, sites, functions, .. } = generator;
        let address_taken = crate::call_graph::address_taken(module);
        let mut calls: FxHashMap<_, _> = FxHashMap::default();
        let mut found: Vec<Callees> = solver
            .sites
            .iter()
            .map(|site| Callees { functions: site.callees.clone(), unknown: site.unknown })
            .collect();
        // What a library function calls back counts as called by the call of that function.
        for (index, site) in solver.sites.iter().enumerate().rev() {
            if let Some(parent) = site.parent {
                let Callees { functions, unknown } = std::mem::take(&mut found[index]);
                found[parent as usize].functions.extend(functions);
                found[parent as usize].unknown |= unknown;
            }
        }
        for (key, index) in sites {
            let mut callees = std::mem::take(&mut found[index as usize]);
            if !complete && is_indirect(module, key) {
                callees.functions.extend(&address_taken);
                callees.unknown = true;
            } else if callees.unknown {
                // Sets with the unknown do not list what escaped; the functions that fit are worth naming.
                let passed = solver.sites[index as usize].arguments.len();
                let named = address_taken.iter().filter(|id| {
                    let target = module.function(**id);
                    target.parameters.len() == passed
                        && solver.objects[functions[id.index()] as usize].escaped
                });
                callees.functions.extend(named);
            }
            callees.functions.sort_unstable();
            callees.functions.dedup();
            calls.insert(key, callees);
        }
        let known = module
            .functions
            .iter()
            .map(|function| function.body.is_some() || options.library.effects(&function.name).is_some())
            .collect();
        Self { solver, kinds, values, parameters, constants, calls, known, complete, address_taken }
    }

    /// Whether the analysis ended within its budget. If not, the answers are the coarsest sound ones: every
    /// pointer may point to everything, and calls through pointers reach every function whose address is taken.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// What an operand of a function may point to, ascending. Empty for numbers, and in code that never runs.
    ///
    /// The unknown memory stands for every escaped object ([`PointsTo::is_escaped`]), listed or not.
    pub fn points_to(&self, function: FunctionId, operand: &Operand) -> Vec<Place> {
        self.all_places(&self.locations(function, operand))
    }

    fn all_places(&self, set: &Set) -> Vec<Place> {
        let mut places: Vec<_> = set.iter().map(|loc| self.place(loc)).collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    /// Whether two operands may point to the same byte of one object. Take care: accesses of several bytes may
    /// overlap all the same; [`PointsTo::may_overlap`] knows sizes.
    pub fn may_alias(&self, a: (FunctionId, &Operand), b: (FunctionId, &Operand)) -> bool {
        self.may_overlap((a.0, a.1, 1), (b.0, b.1, 1))
    }

    /// Whether accesses of the given numbers of bytes through two operands may touch a common byte.
    pub fn may_overlap(&self, a: (FunctionId, &Operand, u64), b: (FunctionId, &Operand, u64)) -> bool {
        let (left, right) = (self.locations(a.0, a.1), self.locations(b.0, b.1));
        let (left, right) = (self.all_places(&left), self.all_places(&right));
        left.iter().any(|&x| right.iter().any(|&y| self.overlap(x, a.2, y, b.2)))
    }

    /// Whom a call instruction may reach; nobody where there is no call or it never runs.
    pub fn callees(&self, function: FunctionId, call: InstructionId) -> Callees {
        self.calls.get(&(function, call)).cloned().unwrap_or_default()
    }

    /// What an object is.
    pub fn object(&self, id: ObjectId) -> ObjectKind {
        self.kinds[id.0 as usize]
    }

    /// The object of a kind, if the program has it.
    pub fn object_of(&self, kind: ObjectKind) -> Option<ObjectId> {
        self.kinds.iter().position(|&known| known == kind).map(|index| ObjectId(index as u32))
    }

    /// All objects.
    pub fn objects(&self) -> impl Iterator<Item = (ObjectId, ObjectKind)> {
        self.kinds.iter().enumerate().map(|(index, &kind)| (ObjectId(index as u32), kind))
    }

    /// Whether unknown code may have a pointer to an object.
    pub fn is_escaped(&self, id: ObjectId) -> bool {
        !self.complete || self.solver.objects[id.0 as usize].escaped
    }

    /// Whether the analysis knows what a function does: it has a body, or the table describes it.
    pub fn is_known(&self, function: FunctionId) -> bool {
        self.known[function.index()]
    }

    /// Functions whose address is used other than by calling them.
    pub fn address_taken(&self) -> &[FunctionId] {
        &self.address_taken
    }

    /// How the analysis went.
    pub fn statistics(&self) -> Statistics {
        Statistics {
            objects: self.kinds.len(),
            places: self.solver.locations.len(),
            variables: self.solver.variables(),
            waves: self.solver.waves,
            work: self.solver.work,
        }
    }

    pub(crate) fn locations(&self, function: FunctionId, operand: &Operand) -> Set {
        let value = match operand {
            Operand::Instruction(id) => {
                self.values[function.index()].get(id.index()).copied().unwrap_or_default()
            }
            Operand::Parameter(index) => {
                self.parameters[function.index()].get(*index as usize).copied().unwrap_or_default()
            }
            Operand::Const(id) => self.constants.get(id).copied().unwrap_or_default(),
            Operand::Metadata(_) => Value::Nothing,
        };
        match value {
            Value::Nothing => Set::default(),
            // Where the address itself is known, it stays known without the rest.
            Value::Loc(loc) => Set::from_iter([loc]),
            Value::Var(_) if !self.complete => Set::from_iter([UNKNOWN]),
            Value::Var(var) => self.solver.set(var).clone(),
        }
    }

    pub(crate) fn place(&self, loc: Loc) -> Place {
        let location = &self.solver.locations[loc as usize];
        Place { object: ObjectId(location.object), offset: location.offset }
    }

    /// The place at a byte of an object, in the normal form that answers use.
    pub fn place_at(&self, object: ObjectId, byte: u64) -> Place {
        let state = &self.solver.objects[object.0 as usize];
        let offset = match &state.shape {
            _ if state.opaque => Offset::Anywhere,
            _ if state.modulus > 0 => Offset::At(byte % state.modulus),
            Some(shape) if byte > shape.size => Offset::Anywhere,
            Some(shape) => Offset::At(shape.normal(byte)),
            None => Offset::At(byte),
        };
        Place { object, offset }
    }

    pub(crate) fn location_count(&self) -> usize {
        self.solver.locations.len()
    }

    /// Whether accesses of the given numbers of bytes at two places may touch a common byte.
    pub fn overlap(&self, x: Place, a_size: u64, y: Place, b_size: u64) -> bool {
        if x.object != y.object {
            return (x.object == ObjectId::UNKNOWN && self.is_escaped(y.object))
                || (y.object == ObjectId::UNKNOWN && self.is_escaped(x.object));
        }
        let (Offset::At(left), Offset::At(right)) = (x.offset, y.offset) else { return true };
        let touch = |left: u64, right: u64| {
            left < right.saturating_add(b_size) && right < left.saturating_add(a_size)
        };
        let state = &self.solver.objects[x.object.0 as usize];
        let strides: Vec<u64> = match &state.shape {
            _ if state.modulus > 0 => vec![state.modulus],
            Some(shape) => {
                shape.around(left).chain(shape.around(right)).map(|region| region.stride).collect()
            }
            None => Vec::new(),
        };
        // In an array, both stand for the same byte of any element, so neighbours may touch too.
        touch(left, right)
            || strides.iter().any(|&stride| {
                a_size.max(b_size) > stride
                    || touch(left + stride, right)
                    || touch(left, right.saturating_add(stride))
            })
    }
}

fn is_indirect(module: &Module, (function, call): (FunctionId, InstructionId)) -> bool {
    let body = module.function(function).body.as_ref();
    match body.map(|body| &body.instruction(call).op) {
        Some(Op::Call { callee: Operand::Const(id), .. }) => {
            !matches!(module.constant(*id), Const::Function(_))
        }
        _ => true,
    }
}
