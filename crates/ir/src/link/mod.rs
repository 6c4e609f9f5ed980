//! Several units become one program.
//!
//! Symbols meet by name as in a linker: declarations resolve to definitions, mergeable definitions (`inline`, weak,
//! tentative) fold into the first, bodies for inlining give way to real ones, statics stay apart. Unlike in a
//! linker nothing is lost: a second external definition becomes private to its unit, and is reported.
//!
//! The result depends on the order of the units alone: the first of equals is kept.

mod remap;
mod symbols;

use crate::{ConstId, Function, FunctionId, Global, GlobalId, Linkage, Module, summarize};
use remap::Remap;
use std::collections::HashMap;
use symbols::{Choice, Rank, Symbol};

/// A program, and what did not fit together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Linked {
    /// The program. It has the name and target of the first unit.
    pub module: Module,
    /// Symbols with several definitions that are not the same.
    pub conflicts: Vec<Conflict>,
    /// Names that are used and defined nowhere, sorted; without the compiler's own (`llvm.…`).
    pub undefined: Vec<String>,
    /// By unit, where its symbols went.
    pub units: Vec<LinkedUnit>,
}

/// Where the symbols of one unit are in the program; what was dropped has the place of what counts instead. `None`
/// for a function that became a variable (an alias defined elsewhere), and the other way.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkedUnit {
    /// By function of the unit.
    pub functions: Vec<Option<FunctionId>>,
    /// By global of the unit.
    pub globals: Vec<Option<GlobalId>>,
}

/// A symbol with two definitions.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Conflict {
    /// Its name.
    pub symbol: String,
    /// How they clash.
    pub kind: ConflictKind,
    /// The unit whose definition the program uses.
    pub kept_in: String,
    /// The unit of the other definition.
    pub dropped_in: String,
}

impl std::fmt::Display for Conflict {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Conflict { symbol, kind, kept_in, dropped_in } = self;
        match kind {
            ConflictKind::Duplicate => {
                write!(out, "`{symbol}` is defined twice: {kept_in} counts, not {dropped_in}")
            }
            ConflictKind::Different => {
                write!(out, "`{symbol}` differs between {kept_in}, which counts, and {dropped_in}")
            }
        }
    }
}

/// How two definitions clash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConflictKind {
    /// Both are external. The second is kept as private to its unit.
    Duplicate,
    /// They should be the same (`inline`, weak, tentative) and differ. The second is dropped.
    Different,
}

/// Links modules that [`crate::verify`] accepts into a program that it accepts as well.
pub fn link(modules: Vec<Module>) -> Linked {
    let mut linker = Linker::default();
    if let Some(first) = modules.first() {
        linker.module.name.clone_from(&first.name);
    }
    let found = modules.iter().find(|module| !module.target.is_empty());
    linker.module.target = found.map(|module| module.target.clone()).unwrap_or_default();
    let plan = symbols::resolve(&modules);
    let conflicts = conflicts(&modules, &plan);
    linker.place(&plan);
    let units = linker.places.iter().map(Places::linked).collect();
    for (unit, module) in modules.into_iter().enumerate() {
        linker.add(unit, module, &plan);
    }
    linker.settle();
    linker.repair_labels();
    let undefined = undefined(&linker.module);
    Linked { module: linker.module, conflicts, undefined, units }
}

/// Where the symbols of one unit go.
#[derive(Default)]
struct Places {
    functions: Vec<Place>,
    globals: Vec<Place>,
}

impl Places {
    fn linked(&self) -> LinkedUnit {
        let function = |place: &Place| match place {
            Place::Function(id) => Some(*id),
            Place::Global(_) => None,
        };
        let global = |place: &Place| match place {
            Place::Global(id) => Some(*id),
            Place::Function(_) => None,
        };
        LinkedUnit {
            functions: self.functions.iter().map(function).collect(),
            globals: self.globals.iter().map(global).collect(),
        }
    }
}

/// A symbol's place in the program. A function can resolve to a global (an alias defined elsewhere) and the other way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Function(FunctionId),
    Global(GlobalId),
}

#[derive(Default)]
struct Linker {
    module: Module,
    functions: Vec<Option<Function>>,
    globals: Vec<Option<Global>>,
    places: Vec<Places>,
    files: HashMap<String, crate::FileId>,
    constants: HashMap<crate::Const, ConstId>,
}

impl Linker {
    /// Gives every symbol that stays an id, in the order of its first mention.
    fn place(&mut self, plan: &symbols::Plan) {
        let mut shared: Vec<Option<Place>> = vec![None; plan.shared.len()];
        for unit in &plan.units {
            let mut place = |choice: Choice, is_function: bool| match choice {
                Choice::Own | Choice::Demoted => self.reserve(is_function),
                Choice::Shared(symbol) => *shared[symbol]
                    .get_or_insert_with(|| self.reserve(plan.shared[symbol].winner_is_function)),
            };
            let functions = unit.functions.iter().map(|&choice| place(choice, true)).collect();
            let globals = unit.globals.iter().map(|&choice| place(choice, false)).collect();
            self.places.push(Places { functions, globals });
        }
    }

    fn reserve(&mut self, is_function: bool) -> Place {
        if is_function {
            self.functions.push(None);
            Place::Function(FunctionId::at(self.functions.len() - 1))
        } else {
            self.globals.push(None);
            Place::Global(GlobalId::at(self.globals.len() - 1))
        }
    }

    /// Moves one unit into the program.
    fn add(&mut self, unit: usize, module: Module, plan: &symbols::Plan) {
        let places = std::mem::take(&mut self.places[unit]);
        let remap = Remap::new(self, &module, &places);
        for (index, mut function) in module.functions.into_iter().enumerate() {
            let choice = plan.units[unit].functions[index];
            let Place::Function(place) = places.functions[index] else { continue };
            if plan.keeps(choice, Symbol { unit, index }, true) {
                remap.function(&mut function);
                if choice == Choice::Demoted {
                    function.linkage = Linkage::Internal;
                }
                self.functions[place.index()] = Some(function);
            }
        }
        for (index, mut global) in module.globals.into_iter().enumerate() {
            let choice = plan.units[unit].globals[index];
            let Place::Global(place) = places.globals[index] else { continue };
            if plan.keeps(choice, Symbol { unit, index }, false) {
                remap.global(&mut global);
                if choice == Choice::Demoted {
                    global.linkage = Linkage::Internal;
                }
                self.globals[place.index()] = Some(global);
            }
        }
        self.module.ctypes.extend(remap.ctypes);
        if !module.assembly.is_empty() {
            self.module.assembly.push_str(&module.assembly);
            self.module.assembly.push('\n');
        }
    }

    /// All units are in: every place has its winner.
    fn settle(&mut self) {
        let functions = std::mem::take(&mut self.functions).into_iter();
        self.module.functions = functions.map(|each| each.expect("every place has a winner")).collect();
        let globals = std::mem::take(&mut self.globals).into_iter();
        self.module.globals = globals.map(|each| each.expect("every place has a winner")).collect();
    }

    /// The address of a label in a dropped body can point past the blocks of the kept one.
    fn repair_labels(&mut self) {
        let pointer = crate::Type::Pointer(0);
        let mut ty = None;
        for constant in &mut self.module.constants {
            let crate::Const::BlockAddress { function, block } = constant else { continue };
            let body = self.module.functions[function.index()].body.as_ref();
            if body.is_some_and(|body| block.index() >= body.blocks.len()) {
                let ty = *ty.get_or_insert_with(|| self.module.types.intern(pointer.clone()));
                *constant = crate::Const::Poison(ty);
            }
        }
    }
}

fn conflicts(modules: &[Module], plan: &symbols::Plan) -> Vec<Conflict> {
    let mut summaries: Vec<Option<crate::ModuleSummary>> = vec![None; modules.len()];
    let mut conflicts = Vec::new();
    for shared in &plan.shared {
        let mut content = |symbol: Symbol, is_function: bool| {
            let module = &modules[symbol.unit];
            let summary = summaries[symbol.unit].get_or_insert_with(|| summarize(module));
            content(module, summary, symbol, is_function)
        };
        for &(loser, is_function, rank) in &shared.losers {
            let kind = match (rank, shared.rank) {
                (Rank::External, _) => ConflictKind::Duplicate,
                (Rank::Mergeable, Rank::Mergeable)
                    if content(loser, is_function) != content(shared.winner, shared.winner_is_function) =>
                {
                    ConflictKind::Different
                }
                _ => continue,
            };
            conflicts.push(Conflict {
                symbol: shared.name.clone(),
                kind,
                kept_in: modules[shared.winner.unit].name.clone(),
                dropped_in: modules[loser.unit].name.clone(),
            });
        }
    }
    conflicts.sort();
    conflicts
}

/// What two definitions of one symbol must have in common.
fn content(
    module: &Module,
    summary: &crate::ModuleSummary,
    symbol: Symbol,
    is_function: bool,
) -> Option<crate::ContentHash> {
    // Summaries list definitions alone, in the order of the module.
    if is_function {
        let position = module.functions[..symbol.index].iter().filter(|f| f.is_defined()).count();
        return summary.functions.get(position).map(|function| function.code.unwrap_or(function.print.text));
    }
    let listed = |global: &&crate::Global| {
        !global.private && (global.initializer.is_some() || global.alias_of.is_some())
    };
    let position = module.globals[..symbol.index].iter().filter(listed).count();
    summary.globals.get(position).map(|global| global.hash)
}

fn undefined(module: &Module) -> Vec<String> {
    let functions = module.functions.iter().filter(|function| !function.is_defined()).map(|f| &f.name);
    let is_declared = |global: &&crate::Global| global.initializer.is_none() && global.alias_of.is_none();
    let globals = module.globals.iter().filter(is_declared).map(|global| &global.name);
    let mut names: Vec<String> =
        functions.chain(globals).filter(|name| !name.starts_with("llvm.")).cloned().collect();
    names.sort_unstable();
    names.dedup();
    names
}
