//! Symbols meet their definitions, as in a static linker: the user's program first, then what the machine does itself,
//! then the members of the library that are still needed.

use super::archive::{Archive, symbols};
use super::builtin::{builtin, builtins, is_edge};
use super::stream::Standard;
use super::{Func, FuncId, FuncKind, Program, Unit};
use crate::memory::{Memory, ObjectKind, heap_place};
use hydrogen_ir::stranger::strangers;
use hydrogen_ir::{FunctionId, GlobalId, Linkage, Module, has_streams};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

/// A definition that all units see.
#[derive(Debug, Clone, Copy)]
enum Definition {
    Function(usize, FunctionId),
    Global(usize, GlobalId),
}

/// What the start of a program needs of the library besides what the program itself asks for.
const START: &[&str] = &["__libc_start_main", "exit"];

impl Program {
    /// Links the units, adds what they need of the library, and lays out memory.
    pub fn load(modules: Vec<Module>, library: Option<&Archive>) -> Self {
        let linked = hydrogen_ir::link(modules);
        let conflicts = linked.conflicts.iter().map(ToString::to_string).collect();
        let mut binder = Binder::default();
        binder.add(Arc::new(linked.module));
        if let Some(library) = library {
            binder.pull(library);
        }
        let mut program = binder.lay_out();
        program.conflicts = conflicts;
        program.has_library = library.is_some();
        program.fill_image();
        program
    }
}

#[derive(Default)]
struct Binder {
    modules: Vec<Arc<Module>>,
    /// Whether the definition gives way to a stronger one.
    names: FxHashMap<String, (Definition, bool)>,
    wanted: Vec<String>,
}

impl Binder {
    fn add(&mut self, module: Arc<Module>) {
        let unit = self.modules.len();
        let mut define = |name: &str, linkage: Linkage, definition: Definition| {
            // What the machine does itself counts more than the library's way, and less than the user's.
            if unit > 0 && builtin(name).is_some() {
                return;
            }
            let weak = match linkage {
                Linkage::Internal | Linkage::AvailableExternally => return,
                Linkage::External => false,
                Linkage::Mergeable => true,
            };
            let known = self.names.get(name);
            if known.is_none_or(|(_, known_weak)| *known_weak && !weak) {
                self.names.insert(name.to_owned(), (definition, weak));
            }
        };
        for (index, function) in module.functions.iter().enumerate() {
            if function.body.is_some() {
                define(&function.name, function.linkage, Definition::Function(unit, FunctionId::at(index)));
            }
        }
        for (index, global) in module.globals.iter().enumerate() {
            let defined = global.initializer.is_some() || global.alias_of.is_some();
            if defined && !global.private {
                define(&global.name, global.linkage, Definition::Global(unit, GlobalId::at(index)));
            }
        }
        self.wanted.extend(symbols(&module).1);
        self.modules.push(module);
    }

    /// Adds members of the library until nothing more is needed.
    fn pull(&mut self, library: &Archive) {
        let mut taken: FxHashSet<usize> = FxHashSet::default();
        self.wanted.extend(START.iter().map(|name| (*name).to_owned()));
        // Whoever calls a function of the user's may hand it a stream.
        if self.modules.first().is_some_and(|module| has_streams(module)) {
            self.wanted.extend(Standard::ALL.iter().map(|stream| stream.name().to_owned()));
        }
        while let Some(name) = self.wanted.pop() {
            if self.names.contains_key(&name) || builtin(&name).is_some() {
                continue;
            }
            if let Some(member) = library.find(&name)
                && taken.insert(member)
                && let Some(module) = library.module(member)
            {
                self.add(Arc::new(module));
            }
        }
    }

    fn lay_out(self) -> Program {
        let mut memory = Memory::default();
        let mut functions: Vec<Func> = Vec::new();
        let mut add = |memory: &mut Memory, name: &str, kind: FuncKind| {
            let id = FuncId(functions.len() as u32);
            let address = memory.add_function(ObjectKind::Function(id));
            functions.push(Func { name: name.to_owned(), kind, address, code: OnceLock::new() });
            address
        };
        // Bodies first, in order; then what is only called by name.
        let mut own: Vec<Vec<Option<u64>>> = Vec::new();
        for (unit, module) in self.modules.iter().enumerate() {
            let place = |(index, function): (usize, &hydrogen_ir::Function)| {
                let id = FunctionId::at(index);
                function.body.as_ref()?;
                Some(add(&mut memory, &function.name, FuncKind::Defined(unit as u32, id)))
            };
            own.push(module.functions.iter().enumerate().map(place).collect());
        }
        let mut others: FxHashMap<&str, u64> = FxHashMap::default();
        for (name, what) in builtins() {
            others.insert(name, add(&mut memory, name, FuncKind::Builtin(what)));
        }
        let mut undefined: BTreeSet<String> = BTreeSet::new();
        let mut units: Vec<Unit> = Vec::new();
        let mut pending: Vec<(usize, FunctionId, GlobalId, usize)> = Vec::new();
        for (unit, module) in self.modules.iter().enumerate() {
            let mut addresses = Vec::with_capacity(module.functions.len());
            for (index, function) in module.functions.iter().enumerate() {
                let name = function.name.as_str();
                let shared = (function.linkage != Linkage::Internal).then(|| self.names.get(name)).flatten();
                addresses.push(match (shared, own[unit][index]) {
                    (Some((Definition::Function(unit, id), _)), _) => own[*unit][id.index()].unwrap_or(0),
                    (Some((Definition::Global(to, id), _)), _) => {
                        pending.push((unit, FunctionId::at(index), *id, *to));
                        0
                    }
                    (None, Some(address)) if function.linkage == Linkage::Internal => address,
                    (None, None) if name.starts_with("llvm.") => 0,
                    (None, _) if builtin(name).is_some() => others[name],
                    (None, Some(address)) => address,
                    (None, None) if function.linkage == Linkage::Mergeable => 0,
                    (None, None) => {
                        undefined.insert(name.to_owned());
                        *others.entry(name).or_insert_with(|| add(&mut memory, name, FuncKind::Undefined))
                    }
                });
            }
            units.push(Unit { module: Arc::clone(module), functions: addresses, globals: Vec::new() });
        }
        // Whoever calls a function of the user's may hand it functions of which nothing is known.
        let handed: BTreeSet<String> = self
            .modules
            .first()
            .map(|module| strangers(module).map(|(name, _)| name).collect())
            .unwrap_or_default();
        for name in handed
            .iter()
            .filter(|name| !self.names.contains_key(*name) && !others.contains_key(name.as_str()))
        {
            add(&mut memory, name, FuncKind::Undefined);
        }
        self.lay_out_globals(&mut units, &mut memory, &others, &mut undefined);
        let mut names = FxHashMap::default();
        for (name, (definition, _)) in &self.names {
            if let Definition::Function(unit, id) = definition
                && let Some(address) = own[*unit][id.index()]
            {
                names.insert(name.clone(), FuncId(heap_place(address) as u32 - 1));
            }
        }
        let mut program = Program {
            units,
            functions,
            names,
            image: memory,
            thread_locals: Vec::new(),
            constructors: Vec::new(),
            destructors: Vec::new(),
            undefined: undefined.into_iter().collect(),
            conflicts: Vec::new(),
            has_library: false,
            namesakes: self.modules.first().map_or_else(FxHashMap::default, |module| namesakes(module)),
        };
        // Functions that are another name of something can be found only now that everything has its place.
        for (unit, function, global, to) in pending {
            let address = program.global_address(to, global, 0).unwrap_or(0);
            program.units[unit].functions[function.index()] = address;
        }
        program.name_aliases(&self.names);
        program
    }

    fn lay_out_globals(
        &self,
        units: &mut [Unit],
        memory: &mut Memory,
        functions: &FxHashMap<&str, u64>,
        undefined: &mut BTreeSet<String>,
    ) {
        let mut own: Vec<Vec<Option<u64>>> = Vec::new();
        for (unit, module) in self.modules.iter().enumerate() {
            let place = |(index, global): (usize, &hydrogen_ir::Global)| {
                if global.initializer.is_none() || global.name.starts_with("llvm.") {
                    return None;
                }
                let layout = module.types.layout(global.ty)?;
                let id = GlobalId::at(index);
                let align = global.align.max(layout.align_bytes);
                memory.allocate(ObjectKind::Global(unit as u32, id), layout.alloc_bytes, align)
            };
            own.push(module.globals.iter().enumerate().map(place).collect());
        }
        let edge = memory.allocate(ObjectKind::Start, 0, 16).unwrap_or(0);
        let mut missing: FxHashMap<String, u64> = FxHashMap::default();
        // Another name of something in another unit: the address comes from there.
        for (unit, module) in self.modules.iter().enumerate() {
            let mut addresses = Vec::with_capacity(module.globals.len());
            for (index, global) in module.globals.iter().enumerate() {
                let shared = !global.private && global.linkage != Linkage::Internal;
                let shared = shared.then(|| self.names.get(&global.name)).flatten();
                addresses.push(match (shared, own[unit][index]) {
                    (Some((Definition::Global(to, id), _)), _) => match own[*to][id.index()] {
                        Some(address) => Some(address),
                        None if *to == unit && id.index() == index => None,
                        None => units.get(*to).and_then(|_| self.alias_target(*to, *id, &own, units)),
                    },
                    (Some((Definition::Function(to, id), _)), _) => Some(units[*to].functions[id.index()]),
                    (None, Some(address)) => Some(address),
                    (None, None) if unit > 0 && builtin(&global.name).is_some() => {
                        functions.get(global.name.as_str()).copied()
                    }
                    (None, None) if global.alias_of.is_some() => None,
                    (None, None) if is_edge(&global.name) => Some(edge),
                    (None, None) if global.linkage == Linkage::Mergeable => Some(0),
                    (None, None) => {
                        undefined.insert(global.name.clone());
                        let kind = ObjectKind::Global(unit as u32, GlobalId::at(index));
                        let place = || memory.add_function(kind);
                        Some(*missing.entry(global.name.clone()).or_insert_with(place))
                    }
                });
            }
            units[unit].globals = addresses;
        }
    }

    /// What an alias of another unit stands for; aliases of C name a symbol of their own unit.
    fn alias_target(
        &self,
        unit: usize,
        id: GlobalId,
        own: &[Vec<Option<u64>>],
        units: &[Unit],
    ) -> Option<u64> {
        let module = &self.modules[unit];
        match module.constant(module.global(id).alias_of?) {
            hydrogen_ir::Const::Global(target) => own[unit][target.index()],
            hydrogen_ir::Const::Function(target) => Some(units[unit].functions[target.index()]),
            _ => None,
        }
    }
}

impl Program {
    /// Functions can be asked for by their other names too.
    fn name_aliases(&mut self, names: &FxHashMap<String, (Definition, bool)>) {
        let mut found = Vec::new();
        for (name, (definition, _)) in names {
            if let Definition::Global(unit, id) = definition
                && let Some(address) = self.global_address(*unit, *id, 0)
                && let Some(function) = self.function_at(address)
            {
                found.push((name.clone(), function));
            }
        }
        self.names.extend(found);
    }
}

/// The variables and constants of a program whose name another one has that comes before: statics and literals of several files.
fn namesakes(module: &Module) -> FxHashMap<GlobalId, u32> {
    let mut seen: FxHashMap<&str, u32> = FxHashMap::default();
    let mut found = FxHashMap::default();
    for (at, global) in module.globals.iter().enumerate() {
        let count = seen.entry(&global.name).or_default();
        *count += 1;
        if *count > 1 {
            found.insert(GlobalId::at(at), *count);
        }
    }
    found
}
