//! Whether texts in the program's own variables always end: every array of characters in them begins with a zero in its last byte, and nothing
//! that the program does puts anything else there. Functions of the library that end what they write keep it so, whatever they write; so do
//! zeros, and what stays away from the last byte.

use crate::judge::characters::{Left, is_closed, left_at, left_behind, number};
use crate::meaning::operand::global_name;
use crate::walk::Analyst;
use hydrogen_evidence::Entry;
use hydrogen_evidence::ledger::Callee;
use hydrogen_graph::VersionId;
use hydrogen_ir::{
    Body, Const, ConstExpr, ConstId, FunctionId, Global, InstructionId, Module, Op, Operand, Reference, Type,
    TypeId,
};
use hydrogen_library::{Clause, Contract, Factor, Library, Result, Sum};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The variables that a version defines: `None` where texts in them always end, else what may leave one without an end.
pub(crate) type OwnTexts = BTreeMap<String, Option<Entry>>;

/// What an address leads into.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Root {
    Variable(String),
    Parameter(u32),
}

/// What an operand may be an address in, and where.
type Roots = BTreeMap<Root, Left>;

/// What a function may leave without an end.
type Opened = BTreeMap<Root, Entry>;

impl Analyst<'_> {
    /// Which variables of a version hold texts that always end.
    pub(crate) fn own_texts(&mut self, version: VersionId) -> Arc<OwnTexts> {
        if let Some(known) = self.store.own_texts.get(&version) {
            return Arc::clone(known);
        }
        let modules = self.modules(version);
        let found = Arc::new(Search::new(&modules, &self.subject.library).texts());
        self.store.own_texts.insert(version, Arc::clone(&found));
        found
    }
}

struct Search<'m> {
    modules: &'m [Arc<Module>],
    library: &'m Library,
    /// The functions that other units may call, by name.
    defined: BTreeMap<&'m str, (usize, FunctionId)>,
    /// What functions leave open; none while that is looked for.
    functions: FxHashMap<(usize, FunctionId), Option<Opened>>,
}

impl<'m> Search<'m> {
    fn new(modules: &'m [Arc<Module>], library: &'m Library) -> Self {
        let mut defined = BTreeMap::new();
        for (unit, module) in modules.iter().enumerate() {
            for (at, function) in module.functions.iter().enumerate().filter(|(_, one)| one.is_defined()) {
                defined.insert(function.name.as_str(), (unit, FunctionId::at(at)));
            }
        }
        Self { modules, library, defined, functions: FxHashMap::default() }
    }

    fn texts(mut self) -> OwnTexts {
        let mut texts = OwnTexts::new();
        for module in self.modules {
            for global in &module.globals {
                let Some(initializer) = global.initializer else { continue };
                let begins = (!is_closed(module, initializer)).then_some(Entry::ConstantTable);
                // The address of what each thread has its own of is not a constant.
                let begins = begins.or(global.thread_local.then_some(Entry::NotFollowed));
                let known = texts.entry(global_name(module, global)).or_default();
                *known = known.take().or(begins);
            }
        }
        for unit in 0..self.modules.len() {
            let module = &self.modules[unit];
            for (name, why) in kept_elsewhere(module) {
                open(&mut texts, &name, why);
            }
            for at in 0..module.functions.len() {
                let Some(opened) = self.opened(unit, FunctionId::at(at)) else { continue };
                for (root, why) in opened {
                    if let Root::Variable(name) = root {
                        open(&mut texts, &name, why);
                    }
                }
            }
        }
        texts
    }

    /// What a function may leave without an end; none while it is looked at, for then nothing is known yet.
    fn opened(&mut self, unit: usize, function: FunctionId) -> Option<Opened> {
        if let Some(known) = self.functions.get(&(unit, function)) {
            return known.clone();
        }
        self.functions.insert((unit, function), None);
        let mut opened = Opened::new();
        let modules = self.modules;
        if let Some(body) = &modules[unit].function(function).body {
            let addresses = Addresses::of(&modules[unit], body, self);
            for (at, instruction) in body.instructions.iter().enumerate() {
                self.done(unit, &addresses, (InstructionId::at(at), &instruction.op), &mut opened);
            }
        }
        self.functions.insert((unit, function), Some(opened.clone()));
        Some(opened)
    }

    /// What an instruction may leave without an end.
    fn done(
        &mut self,
        unit: usize,
        addresses: &Addresses<'m>,
        (_, op): (InstructionId, &Op),
        opened: &mut Opened,
    ) {
        let mut lose = |roots: Roots, why: &Entry| {
            for root in roots.into_keys() {
                opened.entry(root).or_insert_with(|| why.clone());
            }
        };
        match op {
            // What is read of them, and where they lead, changes nothing.
            Op::Load { .. }
            | Op::IntCompare { .. }
            | Op::ElementAddress { .. }
            | Op::Phi { .. }
            | Op::Select { .. }
            | Op::Cast { .. }
            | Op::Binary { .. }
            | Op::Freeze { .. } => {}
            Op::Store { value, pointer, .. } => {
                if !addresses.is_slot(pointer) {
                    lose(addresses.roots(value), &Entry::NotFollowed);
                }
                if addresses.is_byte(value) && number(addresses.module, value) != Some(0) {
                    let last = addresses.roots(pointer).into_iter();
                    let last = last.filter(|(_, left)| left.is_none_or(|left| left <= 1)).collect();
                    lose(last, &Entry::NotFollowed);
                }
            }
            Op::Call { callee, arguments, .. } => {
                for (at, argument) in arguments.iter().enumerate() {
                    let roots = addresses.roots(argument);
                    if roots.is_empty() {
                        continue;
                    }
                    for (root, left) in roots {
                        if let Some(why) = self.given(unit, addresses.module, callee, arguments, (at, left)) {
                            opened.entry(root).or_insert(why);
                        }
                    }
                }
            }
            _ => op.references(|reference| {
                if let Reference::Operand(operand) = reference {
                    lose(addresses.roots(operand), &Entry::NotFollowed);
                }
            }),
        }
    }

    /// Why a call may leave a text without an end that it is given the address of.
    fn given(
        &mut self,
        unit: usize,
        module: &Module,
        callee: &Operand,
        arguments: &[Operand],
        (at, left): (usize, Left),
    ) -> Option<Entry> {
        let Some(function) = called(module, callee) else {
            return Some(Entry::LeftBehind { callee: Callee::Pointer });
        };
        let name = &module.function(function).name;
        if let Some((unit, function)) = self.body_of(unit, function) {
            let opened = self.opened(unit, function);
            let root = Root::Parameter(u32::try_from(at).ok()?);
            let left = Entry::LeftBehind { callee: Callee::Named(name.clone()) };
            return match opened {
                None => Some(left),
                Some(opened) => opened.contains_key(&root).then_some(left),
            };
        }
        // What code does that nobody sees is taken to end.
        let contract = self.library.contract(name)?;
        leaves_open(module, contract, arguments, at, left)
            .then(|| Entry::Written { callee: Callee::Named(name.clone()) })
    }

    /// The body of a function that is called in a unit.
    fn body_of(&self, unit: usize, function: FunctionId) -> Option<(usize, FunctionId)> {
        let called = self.modules[unit].function(function);
        match called.is_defined() {
            true => Some((unit, function)),
            false => self.defined.get(called.name.as_str()).copied(),
        }
    }
}

fn open(texts: &mut OwnTexts, name: &str, why: Entry) {
    if let Some(known) = texts.get_mut(name) {
        *known = known.take().or(Some(why));
    }
}

/// Whether a contract may leave something else than a zero in the last byte of an array that one of the arguments leads to.
pub(crate) fn leaves_open(
    module: &Module,
    contract: &Contract,
    arguments: &[Operand],
    at: usize,
    left: Left,
) -> bool {
    let ends = contract.clauses.iter().any(|clause| match clause {
        Clause::Length(text, _, None) | Clause::Ends(text, _) => *text == at,
        _ => false,
    });
    let reaches_the_last = |bytes: &Sum| match (total(module, bytes, arguments), left) {
        (Some(bytes), Some(left)) => bytes >= left,
        _ => true,
    };
    !ends
        && contract.clauses.iter().any(|clause| match clause {
            Clause::Writes(to, bytes) | Clause::Sets(to, bytes) | Clause::Copies(to, _, bytes) => {
                *to == at && reaches_the_last(bytes)
            }
            Clause::Fills(to, bytes, byte) => {
                *to == at && total(module, byte, arguments) != Some(0) && reaches_the_last(bytes)
            }
            Clause::Keeps(kept) => *kept == at,
            _ => false,
        })
}

/// A sum of a contract, where all of it are numbers.
pub(crate) fn total(module: &Module, sum: &Sum, arguments: &[Operand]) -> Option<u64> {
    let mut total: u64 = 0;
    for product in sum {
        let mut whole: u64 = 1;
        for factor in product {
            let one = match factor {
                Factor::Number(number) => u64::try_from(*number).ok()?,
                Factor::Parameter(at) => number(module, arguments.get(*at)?)?,
                Factor::Any | Factor::Length(_) => return None,
            };
            whole = whole.checked_mul(one)?;
        }
        total = total.checked_add(whole)?;
    }
    Some(total)
}

/// The addresses that a function computes of variables and of what its parameters lead to.
struct Addresses<'m> {
    module: &'m Module,
    body: &'m Body,
    /// By instruction.
    made: FxHashMap<InstructionId, Roots>,
    /// What variables of the function hold.
    held: FxHashMap<InstructionId, Roots>,
}

impl<'m> Addresses<'m> {
    fn of(module: &'m Module, body: &'m Body, search: &Search<'_>) -> Self {
        let mut found = Self { module, body, made: FxHashMap::default(), held: FxHashMap::default() };
        loop {
            let before = found.count();
            for (at, instruction) in body.instructions.iter().enumerate() {
                found.follow(InstructionId::at(at), &instruction.op, search);
            }
            if found.count() == before {
                return found;
            }
        }
    }

    fn count(&self) -> usize {
        self.made.values().chain(self.held.values()).map(Roots::len).sum()
    }

    fn follow(&mut self, id: InstructionId, op: &Op, search: &Search<'_>) {
        let (mut roots, mut slot) = (Roots::new(), None);
        match op {
            Op::Load { pointer: Operand::Instruction(pointer), .. } => {
                roots = self.held.get(pointer).cloned().unwrap_or_default();
            }
            Op::Store { value, pointer: pointer @ Operand::Instruction(id), .. } if self.is_slot(pointer) => {
                (roots, slot) = (anywhere(self.roots(value)), Some(*id));
            }
            Op::ElementAddress { source, base, indices, .. } => {
                for (root, left) in self.roots(base) {
                    roots.insert(root, self.element(*source, indices, left));
                }
            }
            Op::Phi { incoming } => {
                incoming.iter().for_each(|(_, value)| roots.extend(anywhere(self.roots(value))));
            }
            Op::Select { then, otherwise, .. } => {
                roots.extend(anywhere(self.roots(then)));
                roots.extend(anywhere(self.roots(otherwise)));
            }
            Op::Cast { value, .. } | Op::Freeze { value } => roots = anywhere(self.roots(value)),
            Op::Call { callee, arguments, .. } => {
                for argument in returned(self.module, callee, arguments, search) {
                    roots.extend(anywhere(self.roots(argument)));
                }
            }
            _ => {}
        }
        if !roots.is_empty() {
            let of = match slot {
                Some(slot) => self.held.entry(slot).or_default(),
                None => self.made.entry(id).or_default(),
            };
            of.extend(roots);
        }
    }

    /// Where an element lies in its array.
    fn element(&self, source: TypeId, indices: &[Operand], left: Left) -> Left {
        if let (Type::Int(8), [index]) = (self.module.types.get(source), indices) {
            return left?.checked_sub(number(self.module, index)?);
        }
        let indices: Vec<Left> = indices.iter().map(|index| number(self.module, index)).collect();
        left_behind(self.module, source, indices.get(1..)?)
    }

    /// What an operand may be an address in.
    fn roots(&self, operand: &Operand) -> Roots {
        match operand {
            Operand::Instruction(id) => self.made.get(id).cloned().unwrap_or_default(),
            Operand::Parameter(n) => Roots::from([(Root::Parameter(*n), None)]),
            Operand::Const(id) => {
                let root = |(global, left): (&Global, Left)| {
                    (Root::Variable(global_name(self.module, global)), left)
                };
                address(self.module, *id).map(root).into_iter().collect()
            }
            Operand::Metadata(_) => Roots::new(),
        }
    }

    /// Whether an address is that of a variable of the function that holds a pointer.
    fn is_slot(&self, pointer: &Operand) -> bool {
        let Operand::Instruction(id) = pointer else { return false };
        let Op::Alloca { ty, .. } = self.body.instruction(*id).op else { return false };
        matches!(self.module.types.get(ty), Type::Pointer(_))
    }

    /// Whether what is stored is one character, or may be.
    fn is_byte(&self, value: &Operand) -> bool {
        let ty = match value {
            Operand::Instruction(id) => Some(self.body.instruction(*id).ty),
            Operand::Const(id) => self.module.constant(*id).ty(),
            _ => None,
        };
        ty.is_none_or(|ty| matches!(self.module.types.get(ty), Type::Int(8)))
    }
}

/// The same, wherever in the array.
fn anywhere(roots: Roots) -> Roots {
    roots.into_keys().map(|root| (root, None)).collect()
}

/// The arguments that a call may give back: what functions of the program return may be any of them.
fn returned<'o>(
    module: &Module,
    callee: &Operand,
    arguments: &'o [Operand],
    search: &Search<'_>,
) -> Vec<&'o Operand> {
    let Some(name) = called(module, callee).map(|function| &module.function(function).name) else {
        return arguments.iter().collect();
    };
    if search.defined.contains_key(name.as_str()) {
        return arguments.iter().collect();
    }
    let clauses = search.library.contract(name).map_or(&[][..], |contract| &contract.clauses);
    let given = clauses.iter().filter_map(|clause| match clause {
        Clause::Returns(Result::Pointer { parameter, .. }) => arguments.get(*parameter),
        Clause::Returns(Result::Is(sum)) => match sum.first().map(Vec::as_slice) {
            Some([Factor::Parameter(at)]) => arguments.get(*at),
            _ => None,
        },
        _ => None,
    });
    given.collect()
}

fn called(module: &Module, callee: &Operand) -> Option<FunctionId> {
    let Operand::Const(id) = callee else { return None };
    match module.constant(*id) {
        Const::Function(function) => Some(*function),
        _ => None,
    }
}

/// The variable that a constant is an address in, and how much of an array lies behind it.
fn address(module: &Module, id: ConstId) -> Option<(&Global, Left)> {
    match module.constant(id) {
        Const::Global(global) => {
            let global = module.global(*global);
            Some((global, left_behind(module, global.ty, &[])))
        }
        Const::Expr { expr: ConstExpr::ElementAddress { source, base, indices, .. }, .. } => {
            let (global, _) = address(module, *base)?;
            let indices: Vec<Left> =
                indices.iter().map(|index| number(module, &Operand::Const(*index))).collect();
            let left = match (module.types.get(*source), indices.as_slice()) {
                (Type::Int(8), [Some(offset)]) if matches!(module.constant(*base), Const::Global(_)) => {
                    left_at(module, global.ty, *offset)
                }
                (Type::Int(8), _) | (_, []) => None,
                (_, indices) => left_behind(module, *source, &indices[1..]),
            };
            Some((global, left))
        }
        Const::Expr { expr: ConstExpr::Cast(_, inner), .. } => {
            address(module, *inner).map(|(global, _)| (global, None))
        }
        _ => None,
    }
}

/// The variables whose addresses other variables begin with: whoever reads them there may write there.
fn kept_elsewhere(module: &Module) -> Vec<(String, Entry)> {
    let mut found = Vec::new();
    let mut keep = |id: ConstId| {
        if let Some((global, _)) = address(module, id).filter(|(global, _)| !global.constant) {
            found.push((global_name(module, global), Entry::NotFollowed));
        }
    };
    for constant in &module.constants {
        if let Const::Aggregate { elements, .. } = constant {
            elements.iter().for_each(|element| keep(*element));
        }
    }
    for global in &module.globals {
        global.alias_of.into_iter().chain(global.initializer).for_each(&mut keep);
    }
    found
}
