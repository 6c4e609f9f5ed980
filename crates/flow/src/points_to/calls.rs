//! Calls: direct, through pointers, to the C library and to the unknown.

use super::address::Move;
use super::memory::Location;
use super::shape::Offset;
use super::solver::{Complex, ESCAPED, FOREIGN, Loc, Obj, Solver, UNKNOWN, Var};
use hydrogen_ir::FunctionId;
use hydrogen_library::Effect;

/// A call instruction.
#[derive(Debug, Clone, Default)]
pub(crate) struct Site {
    /// What is passed; `None` where it cannot hold a pointer.
    pub arguments: Vec<Option<Var>>,
    /// Takes what is returned.
    pub result: Option<Var>,
    /// The memory that a call of an allocator here gives out.
    pub heap: Option<Obj>,
    /// The functions that are called, in the order found.
    pub callees: Vec<FunctionId>,
    /// Whether unknown code may be called.
    pub unknown: bool,
    /// For a call that a library function makes: the call of that function.
    pub parent: Option<u32>,
}

/// How a parameter receives its argument.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Formal {
    /// It cannot hold a pointer.
    Number,
    /// The argument flows here.
    Value(Var),
    /// The argument points to a structure that is copied into this object.
    Copy(Obj, Option<u64>),
}

/// What calling a function does.
#[derive(Debug, Clone)]
pub(crate) enum Target {
    /// It has a body.
    Defined {
        function: FunctionId,
        formals: Vec<Formal>,
        result: Option<Var>,
        /// What `...` holds.
        rest: Option<Obj>,
        /// Replaces what it returns: effects that the caller of the analysis knows better.
        effects: Option<Vec<Effect>>,
    },
    /// The table of known functions describes it. `own` is the memory that belongs to it alone.
    Known { function: FunctionId, effects: Vec<Effect>, own: Option<Obj> },
    /// Nothing is known about it.
    External { function: FunctionId },
}

impl Target {
    pub fn function(&self) -> FunctionId {
        match self {
            Target::Defined { function, .. }
            | Target::Known { function, .. }
            | Target::External { function } => *function,
        }
    }
}

impl Solver {
    /// The function at this location is called.
    pub(super) fn call(&mut self, site: u32, loc: Loc) {
        if loc == UNKNOWN {
            return self.call_unknown(site);
        }
        let Some(target) = self.targets.get(&self.locations[loc as usize].object).cloned() else {
            // Calling data is undefined.
            return;
        };
        let function = target.function();
        if self.sites[site as usize].callees.contains(&function) {
            return;
        }
        let arguments = self.sites[site as usize].arguments.clone();
        match target {
            Target::Defined { formals, result, rest, effects, .. } => {
                if arguments.len() < formals.len() {
                    // A parameter without argument holds garbage: no run gets further.
                    return;
                }
                for (formal, &argument) in formals.iter().zip(&arguments) {
                    self.bind(*formal, argument);
                }
                if let Some(rest) = rest {
                    let whole = self.locate(rest, Offset::Anywhere);
                    for &extra in arguments[formals.len()..].iter().flatten() {
                        self.copy(extra, self.locations[whole as usize].into);
                    }
                }
                if let Some(effects) = effects {
                    self.affect_all(site, effects, None);
                } else if let (Some(from), Some(to)) = (result, self.sites[site as usize].result) {
                    self.copy(from, to);
                }
            }
            Target::Known { effects, own, .. } => self.affect_all(site, effects, own),
            Target::External { .. } => self.give_away(site),
        }
        self.sites[site as usize].callees.push(function);
    }

    /// Code of which nothing is known is called.
    pub(super) fn call_unknown(&mut self, site: u32) {
        if !std::mem::replace(&mut self.sites[site as usize].unknown, true) {
            self.give_away(site);
        }
    }

    fn give_away(&mut self, site: u32) {
        for argument in self.sites[site as usize].arguments.clone().into_iter().flatten() {
            self.copy(argument, ESCAPED);
        }
        if let Some(result) = self.sites[site as usize].result {
            self.copy(FOREIGN, result);
        }
    }

    fn bind(&mut self, formal: Formal, argument: Option<Var>) {
        match (formal, argument) {
            (Formal::Value(formal), Some(argument)) => self.copy(argument, formal),
            (Formal::Copy(object, size), Some(argument)) => {
                let start = self.locate(object, Offset::At(0));
                let to = self.pointer_to(start);
                self.add_memory_copy(to, argument, size);
            }
            _ => {}
        }
    }

    /// A new variable that holds just this location.
    pub(super) fn pointer_to(&mut self, loc: Loc) -> Var {
        let var = self.fresh();
        self.insert(var, loc);
        var
    }

    fn affect_all(&mut self, site: u32, effects: Vec<Effect>, own: Option<Obj>) {
        for effect in effects {
            self.affect(site, effect, own);
        }
    }

    fn affect(&mut self, site: u32, effect: Effect, own: Option<Obj>) {
        let Site { arguments, result, heap, .. } = self.sites[site as usize].clone();
        let argument = |index: usize| arguments.get(index).copied().flatten();
        match effect {
            Effect::Fresh => {
                if let (Some(heap), Some(result)) = (heap, result) {
                    let start = self.locate(heap, Offset::At(0));
                    self.insert(result, start);
                }
            }
            Effect::Same(index) => {
                if let (Some(from), Some(to)) = (argument(index), result) {
                    self.copy(from, to);
                }
            }
            Effect::Inside(index) => {
                if let (Some(from), Some(to)) = (argument(index), result) {
                    self.displace(from, to, Move::Smear);
                }
            }
            Effect::Static => {
                if let (Some(own), Some(result)) = (own, result) {
                    let whole = self.locate(own, Offset::Anywhere);
                    self.insert(result, whole);
                }
            }
            Effect::Foreign => {
                if let Some(result) = result {
                    self.copy(FOREIGN, result);
                }
            }
            Effect::Copy { to, from } => {
                if let (Some(to), Some(from)) = (argument(to), argument(from)) {
                    self.add_memory_copy(to, from, None);
                }
            }
            Effect::Put { into, value } => {
                if let (Some(into), Some(value)) = (argument(into), argument(value)) {
                    let inside = self.fresh();
                    self.displace(value, inside, Move::Smear);
                    self.when(into, Complex::Store { value: inside, at: 0 });
                }
            }
            Effect::PutForeign(into) => {
                if let Some(into) = argument(into) {
                    let anywhere = self.fresh();
                    self.displace(into, anywhere, Move::Smear);
                    self.when(anywhere, Complex::Store { value: FOREIGN, at: 0 });
                }
            }
            Effect::Escape(index) => {
                if let Some(argument) = argument(index) {
                    self.copy(argument, ESCAPED);
                }
            }
            Effect::Calls { callee, arguments: given } => {
                let Some(callee) = argument(callee) else { return };
                let mut passed = Vec::new();
                for given in given {
                    let inside = argument(given).map(|from| {
                        let inside = self.fresh();
                        self.displace(from, inside, Move::Smear);
                        inside
                    });
                    passed.push(inside);
                }
                let index = self.sites.len() as u32;
                self.sites.push(Site { arguments: passed, parent: Some(site), ..Default::default() });
                self.when(callee, Complex::Call(index));
            }
            Effect::Reads(_) | Effect::Writes(_) => {}
        }
    }

    /// Unknown code can call this function, with anything, and keep what it returns.
    pub(super) fn escape_function(&mut self, object: Obj) {
        let Some(Target::Defined { formals, result, rest, .. }) = self.targets.get(&object).cloned() else {
            return;
        };
        let copies = formals.iter().filter_map(|formal| match formal {
            Formal::Copy(object, _) => Some(*object),
            _ => None,
        });
        for object in copies.chain(rest) {
            let whole = self.locate(object, Offset::Anywhere);
            let Location { into, .. } = self.locations[whole as usize];
            self.insert(into, UNKNOWN);
        }
        for formal in formals {
            if let Formal::Value(var) = formal {
                self.insert(var, UNKNOWN);
            }
        }
        if let Some(result) = result {
            self.copy(result, ESCAPED);
        }
    }
}
