//! The dependence graph of all functions.

mod calls;
mod ends;
mod jumps;
mod places;
mod texts;
mod touched;

use super::access::{Access, Location};
use super::cells::{Cells, Shared};
use super::compiled::Compiled;
use super::kinds::Kinds;
use super::macros::Macros;
use super::order::Reach;
use super::outside::Touching;
use super::slice::Via;
use super::uses::{Uses, uses};
use super::variables::{Variables, inside};
use hydrogen_flow::{Components, Digraph, Edge};
use hydrogen_ir::{Function, FunctionId, Module, Role};
use hydrogen_library::{Library, Trait};
use hydrogen_syntax::{ItemKind, NameHash, Unit};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::Arc;
use touched::Scope;

/// A statement of the program: a piece of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StatementId(pub u32);

/// Which statements depend on which. Edges lead from what is depended on to what depends.
#[derive(Debug)]
pub struct Dependence {
    units: Vec<Arc<Unit>>,
    /// Unit and function of each function, and the statement of its entry.
    functions: Vec<(u32, u32, u32)>,
    /// Per statement, its function and piece; behind them stand the places that statements share.
    statements: Vec<(u32, u32)>,
    accesses: Vec<Access>,
    /// Per function, whether it is part of the program.
    followed: Vec<bool>,
    graph: Digraph<Via>,
    groups: Vec<Members>,
    /// The places behind which code that is not here stands, among the nodes.
    outside: Vec<bool>,
    /// The statements that end the program.
    ends: FxHashSet<StatementId>,
}

/// So many programs are followed one by one.
const FOLLOWED_APART: usize = 8;

/// Functions that run in one process, by number; all of them where there is no list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Members {
    functions: Option<Vec<bool>>,
    /// Whether code that is not here calls some of them.
    outside: bool,
}

impl Dependence {
    /// The dependence graph of a program's files.
    pub fn of(units: Vec<Arc<Unit>>) -> Self {
        Builder::new(&units, None).build()
    }

    /// The same, by what the compiled program does to memory and whom it calls. Functions that were not compiled are not part
    /// of it: nothing leads from or to them.
    pub fn with_code(units: Vec<Arc<Unit>>, program: &Module) -> Self {
        Builder::new(&units, Some(Compiled::new(program))).build()
    }

    /// Whether a statement's function is part of the program; if not, its dependences end at its exit.
    pub fn is_followed(&self, statement: StatementId) -> bool {
        self.followed[self.statements[statement.0 as usize].0 as usize]
    }

    /// The programs that some of the statements belong to, each for itself; as one where they are many, as for a library with
    /// dozens of examples: what starts in all of them comes to all of them.
    pub(crate) fn groups_of(&self, statements: impl Iterator<Item = StatementId> + Clone) -> Vec<Members> {
        let has_one = |group: &&Members| statements.clone().any(|at| self.is_in(at.0 as usize, group));
        let own: Vec<&Members> = self.groups.iter().filter(has_one).collect();
        if own.len() <= FOLLOWED_APART {
            return own.into_iter().cloned().collect();
        }
        let mut functions = vec![false; self.functions.len()];
        for group in &own {
            match &group.functions {
                Some(all) => functions.iter_mut().zip(all).for_each(|(known, own)| *known |= own),
                None => functions.fill(true),
            }
        }
        vec![Members { functions: Some(functions), outside: own.iter().any(|group| group.outside) }]
    }

    /// Whether a node is part of a program.
    pub(crate) fn is_in(&self, node: usize, group: &Members) -> bool {
        match self.statements.get(node) {
            Some((function, _)) => group.functions.as_ref().is_none_or(|all| all[*function as usize]),
            None => group.outside || !self.outside[node - self.statements.len()],
        }
    }

    /// The graph; nodes are statements, and behind them places that statements share.
    pub fn graph(&self) -> &Digraph<Via> {
        &self.graph
    }

    /// How many statements there are.
    pub fn len(&self) -> usize {
        self.statements.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.statements.is_empty()
    }

    /// The statement of a piece, by the file's path, the function's position in it, and the piece.
    pub fn statement(&self, path: &str, function: u32, piece: u32) -> Option<StatementId> {
        let unit = self.units.iter().position(|unit| unit.module.name == path)? as u32;
        let at = self.functions.binary_search_by_key(&(unit, function), |it| (it.0, it.1)).ok()?;
        Some(StatementId(self.functions[at].2 + piece))
    }

    /// The unit, function and piece of a statement.
    pub fn place(&self, statement: StatementId) -> (&Unit, &Function, u32) {
        let (function, piece) = self.statements[statement.0 as usize];
        let (unit, at, _) = self.functions[function as usize];
        let unit = &self.units[unit as usize];
        (unit, &unit.module.functions[at as usize], piece)
    }

    /// The piece of its function that a statement is.
    pub fn piece_of(&self, statement: StatementId) -> u32 {
        self.statements[statement.0 as usize].1
    }

    /// The statement of the entry of a statement's function.
    pub fn entry_of(&self, statement: StatementId) -> StatementId {
        StatementId(self.functions[self.statements[statement.0 as usize].0 as usize].2)
    }

    /// Whether a statement ends the program.
    pub fn ends(&self, statement: StatementId) -> bool {
        self.ends.contains(&statement)
    }

    /// What a statement reads and sets.
    pub fn access(&self, statement: StatementId) -> &Access {
        &self.accesses[statement.0 as usize]
    }

    /// The functions: unit number, position in the unit, and the statement of the entry.
    pub fn functions(&self) -> impl Iterator<Item = (u32, u32, StatementId)> {
        self.functions.iter().map(|&(unit, function, entry)| (unit, function, StatementId(entry)))
    }

    /// The files.
    pub fn units(&self) -> &[Arc<Unit>] {
        &self.units
    }
}

struct Builder<'a> {
    units: &'a [Arc<Unit>],
    functions: Vec<(u32, u32, u32)>,
    statements: Vec<(u32, u32)>,
    accesses: Vec<Access>,
    by_name: FxHashMap<NameHash, Vec<u32>>,
    macros: Macros,
    edges: Vec<(usize, usize, Via)>,
    /// Control flow between statements of all functions.
    flow: Vec<(usize, usize)>,
    /// Who sets and who reads globals and memory.
    shared: BTreeMap<Location, Shared>,
    /// The compiled program, if it is there, and the memory that its statements share.
    compiled: Option<Compiled<'a>>,
    cells: Cells,
    touching: Touching,
    /// Per function, what it is in the compiled program.
    twins: Vec<Vec<FunctionId>>,
    /// Per function, which of its statements may end the program.
    endings: Vec<ends::Ending>,
    /// Per function, the jumps inside of macros.
    jumps: Vec<jumps::Jumps>,
    /// Functions by file and first line.
    by_place: FxHashMap<(&'a str, u32), u32>,
    followed: Vec<bool>,
    printing: FxHashSet<NameHash>,
    /// Names whose address is taken anywhere.
    exposed: FxHashSet<NameHash>,
    /// Members whose address is taken anywhere, or whose place is also another's.
    exposed_members: FxHashSet<NameHash>,
    kinds: Kinds,
    variables: Variables,
}

impl<'a> Builder<'a> {
    fn new(units: &'a [Arc<Unit>], compiled: Option<Compiled<'a>>) -> Self {
        // Compiled code knows better than declarations.
        let compiled_is_absent = compiled.is_none();
        let mut builder = Self {
            units,
            functions: Vec::new(),
            statements: Vec::new(),
            accesses: Vec::new(),
            by_name: FxHashMap::default(),
            macros: Macros::of(units),
            edges: Vec::new(),
            flow: Vec::new(),
            shared: BTreeMap::new(),
            compiled,
            cells: Cells::default(),
            touching: Touching::default(),
            twins: Vec::new(),
            endings: Vec::new(),
            jumps: Vec::new(),
            by_place: FxHashMap::default(),
            followed: Vec::new(),
            printing: named(Trait::Prints),
            exposed: FxHashSet::default(),
            exposed_members: FxHashSet::default(),
            kinds: if compiled_is_absent { Kinds::of(units) } else { Kinds::default() },
            variables: Variables::default(),
        };
        for (number, unit) in units.iter().enumerate() {
            for (at, function) in unit.module.functions.iter().enumerate() {
                let own = builder.functions.len() as u32;
                let entry = builder.statements.len() as u32;
                builder.functions.push((number as u32, at as u32, entry));
                builder.by_place.insert((unit.module.name.as_str(), function.line().unwrap_or(0)), own);
                builder.statements.extend((0..function.pieces.len() as u32).map(|piece| (own, piece)));
                builder.by_name.entry(NameHash::of(function.name.as_bytes())).or_default().push(own);
            }
        }
        builder.expose();
        builder
    }

    /// Finds what has its address taken, in functions and by what variables begin with.
    fn expose(&mut self) {
        self.exposed_members.clone_from(&self.kinds.shared);
        let in_macros = self.macros.all().flat_map(|it| it.uses.reads.iter().copied()).collect();
        self.variables = Variables::of(self.units, &in_macros);
        let mut note = |uses: &Uses| {
            self.exposed.extend(&uses.spots.addresses);
            self.exposed_members.extend(&uses.spots.member_addresses);
        };
        let mut set: FxHashSet<NameHash> = FxHashSet::default();
        for unit in self.units {
            for function in &unit.module.functions {
                let mut own: FxHashSet<NameHash> =
                    function.parameters.iter().map(|it| NameHash::of(it.name.as_bytes())).collect();
                let mut assigned = Vec::new();
                for piece in &function.pieces {
                    let declares = piece.role == Role::Declaration;
                    let mut uses = uses(&piece.text, declares);
                    let exposing =
                        |name: &NameHash| self.macros.get(*name).is_some_and(|it| it.exposes_given);
                    if uses.reads.iter().any(exposing) {
                        uses.expose_all();
                    }
                    note(&uses);
                    match declares {
                        true => own.extend(uses.sets),
                        false => assigned.extend(uses.sets.into_iter().chain(uses.may_set)),
                    }
                }
                set.extend(assigned.into_iter().filter(|name| !own.contains(name)));
            }
            for item in unit.items.iter().filter(|item| item.kind == ItemKind::Global) {
                note(&uses(&item.text, true));
            }
        }
        self.macros.all().map(|it| &it.uses).for_each(note);
        self.variables.add(set);
    }

    fn build(mut self) -> Dependence {
        self.accesses = vec![Access::default(); self.statements.len()];
        self.followed = vec![true; self.functions.len()];
        self.twins = vec![Vec::new(); self.functions.len()];
        self.endings = self.endings();
        self.jumps = self.jumps();
        let compiled = self.compiled.take();
        for function in 0..self.functions.len() {
            self.function(function, compiled.as_ref());
        }
        match &compiled {
            Some(compiled) => self.called_back(compiled),
            None => self.pointer_targets().into_iter().for_each(|function| self.called_through(function)),
        }
        let groups = self.members(compiled.as_ref());
        let count = self.statements.len();
        let mut reach = Reach::new(Digraph::unlabelled(count + calls::HUBS, std::mem::take(&mut self.flow)));
        // Behind the statements stand the nodes for calls through pointers; behind them, a node for each place and group of statements that
        // set it and lead to each other, since they lead to the same reads.
        let mut outside = vec![false; calls::HUBS];
        let endings = std::mem::take(&mut self.endings);
        self.ending(&endings, &mut outside);
        let surely = self.functions.iter().zip(&endings);
        let surely =
            surely.flat_map(|(function, it)| it.surely.iter().map(|piece| function.2 + *piece as u32));
        let ends = surely.map(StatementId).collect();
        let cells = compiled.as_ref().map(|compiled| self.cells.joined(compiled)).unwrap_or_default();
        let shared = std::mem::take(&mut self.shared);
        for place in shared.values().chain(&cells) {
            let mut by_component: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
            for &set in &place.sets {
                by_component.entry(reach.components.component_of(set)).or_default().push(set);
            }
            for sets in by_component.values() {
                let reads: Vec<usize> =
                    place.reads.iter().copied().filter(|&read| reach.leads(sets[0], read)).collect();
                self.place(&mut outside, false, sets, &reads);
            }
            // Callers that are not here call in any order.
            for group in groups.iter().filter(|group| group.outside) {
                let own = |node: &usize| {
                    let function = self.statements[*node].0 as usize;
                    group.functions.as_ref().is_none_or(|all| all[function])
                };
                let sets: Vec<usize> = place.sets.iter().copied().filter(own).collect();
                let reads: Vec<usize> = place.reads.iter().copied().filter(own).collect();
                self.place(&mut outside, true, &sets, &reads);
            }
        }
        if let Some(compiled) = &compiled {
            let bytes = |ty| compiled.module.types.layout(ty).map(|layout| layout.alloc_bytes);
            for place in std::mem::take(&mut self.touching).joined(|ty| bytes(ty) == Some(1)) {
                self.place(&mut outside, true, &place.sets, &place.reads);
            }
        }
        let nodes = count + outside.len();
        self.edges.sort_unstable();
        self.edges.dedup();
        let edges = self.edges.into_iter().map(|(from, to, label)| Edge { from, to, label });
        let graph = Digraph::new(nodes, edges);
        Dependence {
            units: self.units.to_vec(),
            functions: self.functions,
            statements: self.statements,
            accesses: self.accesses,
            followed: self.followed,
            graph,
            groups,
            outside,
            ends,
        }
    }

    fn function(&mut self, number: usize, compiled: Option<&Compiled<'a>>) {
        let (unit, at, entry) = self.functions[number];
        let entry = entry as usize;
        let function = &self.units[unit as usize].module.functions[at as usize];
        if function.pieces.len() < 2 {
            return;
        }
        let mut all = self.uses_of(function);
        all[0].sets.extend(function.parameters.iter().map(|it| NameHash::of(it.name.as_bytes())));
        self.flow
            .extend(function.flow.iter().map(|edge| (entry + edge.from.index(), entry + edge.to.index())));
        self.flow.extend(self.jumps[number].edges.iter().map(|&(from, to)| (entry + from, entry + to)));
        self.control(number, function, entry);
        let mut locals: FxHashSet<NameHash> =
            function.parameters.iter().map(|it| NameHash::of(it.name.as_bytes())).collect();
        for (piece, uses) in function.pieces.iter().zip(&all) {
            if piece.role == Role::Declaration {
                locals.extend(&uses.sets);
            }
        }
        let exposed = all.iter().flat_map(|it| it.spots.addresses.iter().copied()).collect();
        let file = NameHash::of(self.units[unit as usize].module.name.as_bytes());
        let own = inside(NameHash::of(function.name.as_bytes()), file);
        // What is kept from one call to the next is no variable of a call.
        let mut kept: FxHashSet<NameHash> = FxHashSet::default();
        for (piece, uses) in function.pieces.iter().zip(&all) {
            if piece.role == Role::Declaration && piece.text.split_whitespace().any(|word| word == "static") {
                kept.extend(&uses.sets);
            }
        }
        locals.retain(|name| !kept.contains(name));
        let scope = Scope { locals, kept, exposed, kinds: Kinds::locals(function), file, own };
        for (piece, uses) in all.iter().enumerate() {
            self.accesses[entry + piece] = self.access(uses, &scope);
        }
        let Scope { locals, exposed, .. } = scope;
        let twins = compiled.map(|it| (it, it.twins(&self.units[unit as usize].module.name, function)));
        match twins {
            Some((compiled, twins)) if !twins.is_empty() => {
                self.compiled_function(function, entry, compiled, &twins);
                self.twins[number] = twins;
            }
            Some(_) => {
                self.followed[number] = false;
                self.reaching(function, entry, &all, &locals, &exposed);
            }
            None => {
                self.reaching(function, entry, &all, &locals, &exposed);
                (0..all.len()).for_each(|piece| self.shared_places(entry + piece));
                self.calls(unit, function, entry);
            }
        }
    }

    /// Data dependence and calls of a function, by its compiled twins.
    fn compiled_function(
        &mut self,
        function: &Function,
        entry: usize,
        compiled: &Compiled<'a>,
        twins: &[FunctionId],
    ) {
        let code = compiled.code(function, twins);
        let named = code.uses.iter().flat_map(|it| it.sets.iter().chain(&it.may_set));
        let locals: FxHashSet<NameHash> = named.copied().collect();
        self.reaching(function, entry, &code.uses, &locals, &FxHashSet::default());
        self.edges.extend(code.values.into_iter().map(|(from, to)| (entry + from, entry + to, Via::Data)));
        for (piece, (reads, writes)) in code.reads.into_iter().zip(code.writes).enumerate() {
            self.cells.read(entry + piece, reads);
            self.cells.set(entry + piece, writes);
        }
        for (piece, (files, outside)) in code.files.into_iter().zip(code.outside).enumerate() {
            let shared = self.shared.entry(Location::Files).or_default();
            shared.reads.extend(files.reads.then_some(entry + piece));
            shared.sets.extend(files.sets.then_some(entry + piece));
            self.touching.add(entry + piece, outside);
        }
        for piece in code.unknown.iter().enumerate().filter(|(_, unknown)| **unknown).map(|(piece, _)| piece)
        {
            self.calls_through(function, entry, piece, None);
        }
        for (piece, callees) in code.calls.into_iter().enumerate() {
            for (callee, fed) in callees {
                if let Some(&callee) = self.by_place.get(&compiled.place(callee)) {
                    let via = if fed { Via::Call } else { Via::CallApart };
                    self.call(function, entry, piece, callee, via);
                }
            }
        }
    }

    fn control(&mut self, number: usize, function: &Function, entry: usize) {
        let control = ends::flow_with(function, &self.jumps[number], &self.endings[number].surely, &[])
            .control_dependence();
        let count = function.pieces.len();
        let decided = |piece: usize| control.controls(piece).iter().map(move |it| (it.branch, piece));
        let branches = Digraph::unlabelled(count, (1..count).flat_map(decided));
        // The first branch of a loop decides about itself, and branches that leave it about each other: what nothing else
        // decides about runs whenever the function does.
        let circles = Components::of(&branches);
        let mut led_to = vec![false; circles.count()];
        for edge in branches.edges() {
            let to = circles.component_of(edge.to);
            led_to[to] |= circles.component_of(edge.from) != to;
        }
        for piece in 1..count {
            if !led_to[circles.component_of(piece)] {
                self.edges.push((entry, entry + piece, Via::Control));
            }
        }
        let decided = branches.edges().iter();
        self.edges.extend(decided.map(|edge| (entry + edge.from, entry + edge.to, Via::Control)));
        // The value of a statement depends on the conditions inside of it.
        for (at, piece) in function.pieces.iter().enumerate() {
            if matches!(piece.role, Role::Condition | Role::Arm) {
                let rest = function.pieces[at..].iter().take_while(|it| it.statement == piece.statement);
                let whole = rest.enumerate().find(|(_, it)| !matches!(it.role, Role::Condition | Role::Arm));
                self.edges.extend(whole.map(|(ahead, _)| (entry + at, entry + at + ahead, Via::Data)));
            }
        }
    }

    /// Data dependence through local variables whose address is not taken: a definition reaches a use on a way without
    /// another definition.
    fn reaching(
        &mut self,
        function: &Function,
        entry: usize,
        all: &[Uses],
        locals: &FxHashSet<NameHash>,
        exposed: &FxHashSet<NameHash>,
    ) {
        let count = function.pieces.len();
        let mut successors: Vec<Vec<u32>> = vec![Vec::new(); count];
        for edge in &function.flow {
            successors[edge.from.index()].push(edge.to.0);
        }
        let number = self.statements[entry].0 as usize;
        for &(from, to) in &self.jumps[number].edges {
            successors[from].push(to as u32);
        }
        let followed = |name: &NameHash| locals.contains(name) && !exposed.contains(name);
        let edges = &mut self.edges;
        super::chains::reaching(all, &successors, followed, |definer, user, _| {
            edges.push((entry + definer, entry + user, Via::Data));
        });
    }

    /// Data dependence through globals and memory, wherever in the program.
    fn shared_places(&mut self, node: usize) {
        let shared = |location: &&Location| !matches!(location, Location::Local(_));
        let access = &self.accesses[node];
        for location in access.reads.iter().filter(shared) {
            self.shared.entry(*location).or_default().reads.push(node);
        }
        for location in access.sets.iter().filter(shared) {
            self.shared.entry(*location).or_default().sets.push(node);
        }
    }
}

/// The functions of the library of which this is known.
fn named(what: Trait) -> FxHashSet<NameHash> {
    Library::standard().all(what).map(|name| NameHash::of(name.as_bytes())).collect()
}
