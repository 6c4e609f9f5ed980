//! From a module to constraints.

mod body;
mod call;
mod constant;
mod layout;

use super::calls::{Formal, Target};
use super::memory::ObjectState;
use super::object::ObjectKind;
use super::options::Options;
use super::shape::{Offset, Shape};
use super::solver::{ESCAPED, Loc, Obj, Solver, Var};
use hydrogen_ir::{ConstId, Function, FunctionId, GlobalId, InstructionId, Linkage, Module, Type, TypeId};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What an operand can point to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Value {
    /// Nothing: it is a number.
    #[default]
    Nothing,
    /// Exactly this location.
    Loc(Loc),
    /// What the variable holds.
    Var(Var),
}

/// The constraints of a module, and where to find what in them.
pub(crate) struct Generator<'m> {
    pub module: &'m Module,
    pub options: &'m Options,
    pub solver: Solver,
    pub kinds: Vec<ObjectKind>,
    /// By function: what its instructions and parameters can point to.
    pub values: Vec<Vec<Value>>,
    pub parameters: Vec<Vec<Value>>,
    pub sites: FxHashMap<(FunctionId, InstructionId), u32>,
    globals: Vec<Obj>,
    pub functions: Vec<Obj>,
    pub constants: FxHashMap<ConstId, Value>,
    pointers: FxHashMap<Loc, Var>,
    shapes: FxHashMap<TypeId, Option<Arc<Shape>>>,
    leaves: FxHashMap<TypeId, Arc<[u32]>>,
}

impl<'m> Generator<'m> {
    pub fn new(module: &'m Module, options: &'m Options) -> Self {
        let mut generator = Self {
            module,
            options,
            solver: Solver::new(),
            kinds: vec![ObjectKind::Unknown],
            values: vec![Vec::new(); module.functions.len()],
            parameters: vec![Vec::new(); module.functions.len()],
            sites: FxHashMap::default(),
            globals: Vec::new(),
            functions: Vec::new(),
            constants: FxHashMap::default(),
            pointers: FxHashMap::default(),
            shapes: FxHashMap::default(),
            leaves: FxHashMap::default(),
        };
        for index in 0..module.globals.len() {
            generator.declare_global(GlobalId::at(index));
        }
        for index in 0..module.functions.len() {
            generator.declare_function(FunctionId::at(index));
        }
        for index in 0..module.globals.len() {
            generator.define_global(GlobalId::at(index));
        }
        for index in 0..module.functions.len() {
            generator.define_function(FunctionId::at(index));
        }
        generator
    }

    fn object(&mut self, kind: ObjectKind, state: ObjectState) -> Obj {
        self.kinds.push(kind);
        self.solver.add_object(state)
    }

    fn declare_global(&mut self, id: GlobalId) {
        let global = self.module.global(id);
        let state =
            ObjectState { shape: self.shape(global.ty), constant: global.constant, ..Default::default() };
        let object = self.object(ObjectKind::Global(id), state);
        self.globals.push(object);
    }

    fn declare_function(&mut self, id: FunctionId) {
        let function = self.module.function(id);
        let state = ObjectState { opaque: true, ..Default::default() };
        let object = self.object(ObjectKind::Function(id), state);
        self.functions.push(object);
        let target = if function.body.is_some() {
            self.defined(id, function)
        } else if let Some(effects) = self.options.library.effects(&function.name) {
            let own = effects.contains(&super::Effect::Static).then(|| self.library_memory(id));
            Target::Known { function: id, effects: effects.to_vec(), own }
        } else {
            Target::External { function: id }
        };
        self.solver.targets.insert(object, target);
    }

    /// The memory of a library function: pointers in it stay in it.
    fn library_memory(&mut self, id: FunctionId) -> Obj {
        let own = self.object(ObjectKind::Library(id), ObjectState { modulus: 1, ..Default::default() });
        let cell = self.solver.locate(own, Offset::At(0));
        let content = self.solver.locations[cell as usize].into;
        self.solver.insert(content, cell);
        own
    }

    fn defined(&mut self, id: FunctionId, function: &Function) -> Target {
        let mut formals = Vec::new();
        for (index, parameter) in function.parameters.iter().enumerate() {
            let (formal, value) = match (parameter.attributes.by_value, parameter.ty) {
                (Some(ty), _) => {
                    let state = ObjectState { shape: self.shape(ty), ..Default::default() };
                    let kind = ObjectKind::Copy { function: id, parameter: index as u32 };
                    let object = self.object(kind, state);
                    let size = self.module.types.layout(ty).map(|layout| layout.alloc_bytes);
                    (Formal::Copy(object, size), Value::Loc(self.solver.locate(object, Offset::At(0))))
                }
                (None, Some(ty)) if !self.leaves(ty).is_empty() => {
                    let var = self.solver.fresh();
                    (Formal::Value(var), Value::Var(var))
                }
                _ => (Formal::Number, Value::Nothing),
            };
            formals.push(formal);
            self.parameters[id.index()].push(value);
        }
        let (result, varargs) = match function.ty.map(|ty| self.module.types.get(ty)) {
            Some(Type::Function { result, varargs, .. }) => (Some(*result), *varargs),
            _ => (None, false),
        };
        let result = result.filter(|&ty| !self.leaves(ty).is_empty()).map(|_| self.solver.fresh());
        let rest = varargs.then(|| {
            // Arguments of all types and places share it, so fields would say nothing.
            self.object(ObjectKind::Rest(id), ObjectState { modulus: 1, ..Default::default() })
        });
        let effects = self.options.wrappers.effects(&function.name).map(<[_]>::to_vec);
        Target::Defined { function: id, formals, result, rest, effects }
    }

    fn define_global(&mut self, id: GlobalId) {
        let global = self.module.global(id);
        if global.alias_of.is_some() {
            return;
        }
        let object = self.globals[id.index()];
        match global.initializer {
            Some(initializer) => self.initialize(object, initializer),
            // Someone else defines it.
            None => self.expose(object),
        }
        if visible(global.linkage) && !self.options.closed {
            self.expose(object);
        }
    }

    fn define_function(&mut self, id: FunctionId) {
        let function = self.module.function(id);
        let named = |names: &[String]| names.contains(&function.name);
        let root = if self.options.closed { function.name == "main" } else { visible(function.linkage) };
        if function.body.is_some() && (root || named(&self.options.roots)) {
            self.expose(self.functions[id.index()]);
        }
        self.generate_body(id);
    }

    /// Unknown code knows this object by name.
    fn expose(&mut self, object: Obj) {
        let start = self.solver.locate(object, Offset::At(0));
        self.solver.insert(ESCAPED, start);
    }

    /// A variable that holds a value; `None` when it holds nothing.
    pub fn var(&mut self, value: Value) -> Option<Var> {
        match value {
            Value::Nothing => None,
            Value::Var(var) => Some(var),
            Value::Loc(loc) => {
                if let Some(&var) = self.pointers.get(&loc) {
                    return Some(var);
                }
                let var = self.solver.pointer_to(loc);
                self.pointers.insert(loc, var);
                Some(var)
            }
        }
    }

    /// The value flows to the variable.
    fn flow(&mut self, value: Value, to: Var) {
        match value {
            Value::Nothing => {}
            Value::Loc(loc) => self.solver.insert(to, loc),
            Value::Var(var) => self.solver.copy(var, to),
        }
    }

    /// A value that is one of several.
    fn any_of(&mut self, values: &[Value]) -> Value {
        let mut some: Vec<Value> = values.iter().copied().filter(|&value| value != Value::Nothing).collect();
        some.dedup();
        match some[..] {
            [] => Value::Nothing,
            [one] => one,
            _ => {
                let var = self.solver.fresh();
                for value in some {
                    self.flow(value, var);
                }
                Value::Var(var)
            }
        }
    }
}

/// Whether other units can name a symbol of this linkage.
fn visible(linkage: Linkage) -> bool {
    linkage != Linkage::Internal
}
