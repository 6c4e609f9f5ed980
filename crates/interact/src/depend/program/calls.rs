//! Who calls whom, by name and through pointers.

use super::super::compiled::Compiled;
use super::super::kinds::Kinds;
use super::super::macros::Macro;
use super::super::slice::Via;
use super::super::uses::{Token, tokens, uses};
use super::Builder;
use hydrogen_align::{Sight, reached};
use hydrogen_ir::{Callee, Function, Piece, Role};
use hydrogen_model::sources::words;
use hydrogen_syntax::{ItemKind, NameHash};
use rustc_hash::{FxHashMap, FxHashSet};

impl<'a> Builder<'a> {
    /// Code of which nothing is known may call the functions whose address it was given.
    pub(super) fn called_back(&mut self, compiled: &Compiled<'a>) {
        for id in compiled.called_back() {
            if let Some(&function) = self.by_place.get(&compiled.place(id)) {
                self.called_through(function);
            }
        }
    }

    /// A function may be called by the nodes that stand for calls through pointers with as many arguments as it takes, or with
    /// an unknown number of them.
    pub(super) fn called_through(&mut self, function: u32) {
        let first = self.statements.len();
        let (unit, at, entry) = self.functions[function as usize];
        let code = &self.units[unit as usize].module.functions[at as usize];
        let taken = parameters(code);
        for hub in (0..HUBS).filter(|&hub| hub == ANY_NUMBER || taken.is_none_or(|taken| taken == hub)) {
            let hub = first + hub;
            self.edges.push((hub, entry as usize, Via::Call));
            self.flow.extend([(hub, entry as usize), (entry as usize + 1, hub)]);
            let returning = self.returning(function);
            self.edges.extend(returning.into_iter().map(|piece| (entry as usize + piece, hub, Via::Return)));
        }
    }

    /// A statement calls what the node for calls through pointers with so many arguments leads to.
    pub(super) fn calls_through(
        &mut self,
        function: &Function,
        entry: usize,
        piece: usize,
        given: Option<usize>,
    ) {
        let hub = given.filter(|&given| given < ANY_NUMBER).unwrap_or(ANY_NUMBER);
        let (hub, node) = (self.statements.len() + hub, entry + piece);
        self.edges.extend([(node, hub, Via::Call), (hub, node, Via::Return)]);
        self.flow.push((node, hub));
        let next = function.flow.iter().filter(|edge| edge.from.index() == piece);
        self.flow.extend(next.map(|edge| (hub, entry + edge.to.index())));
    }

    /// Functions that are mentioned other than by a call may be called through pointers.
    pub(super) fn pointer_targets(&self) -> Vec<u32> {
        let mut mentioned: FxHashSet<NameHash> = FxHashSet::default();
        for unit in self.units {
            for function in &unit.module.functions {
                let mut calls: FxHashMap<NameHash, i64> = FxHashMap::default();
                for piece in &function.pieces {
                    let uses = uses(&piece.text, false);
                    for name in &uses.reads {
                        *calls.entry(*name).or_default() += 1;
                    }
                    for (name, _) in &uses.calls {
                        *calls.entry(*name).or_default() -= 1;
                    }
                }
                mentioned.extend(calls.into_iter().filter(|(_, count)| *count > 0).map(|(name, _)| name));
            }
            for item in
                unit.items.iter().filter(|item| matches!(item.kind, ItemKind::Global | ItemKind::Macro))
            {
                mentioned.extend(words(&item.text));
            }
        }
        let functions = mentioned.into_iter().filter_map(|name| self.by_name.get(&name));
        let mut functions: Vec<u32> = functions.flatten().copied().collect();
        functions.sort_unstable();
        functions.dedup();
        functions
    }

    /// The statements of a function that call through pointers, with how many arguments where that is known: by a variable, by a
    /// member, or in a macro.
    pub(super) fn pointer_calls(&self, function: &Function) -> Vec<(usize, Option<usize>)> {
        let is_function = |name: &NameHash| self.by_name.contains_key(name);
        let mut found = Vec::new();
        for call in &function.calls {
            let (piece, text) = (call.piece.index(), &function.pieces[call.piece.index()].text);
            let callee = match &call.callee {
                Callee::Direct(name) => {
                    let hash = NameHash::of(name.as_bytes());
                    Some(name).filter(|_| !is_function(&hash) && self.variables.contains(hash))
                }
                Callee::Indirect(callee) => Some(callee),
            };
            let is_list = |it: &Token<'_>| {
                self.macros.get(NameHash::of(it.text().as_bytes())).is_some_and(|it| it.is_list)
            };
            if let Some(callee) = callee {
                let lists = tokens(text).iter().any(is_list);
                found.push((piece, arguments(text, callee).filter(|_| !lists)));
            }
        }
        let own: FxHashSet<NameHash> = Kinds::locals(function).into_keys().collect();
        let is_variable =
            |name: &NameHash| !is_function(name) && (own.contains(name) || self.variables.contains(*name));
        for (at, piece) in function.pieces.iter().enumerate() {
            let through = |known: &&Macro| {
                known.calls_pointers || known.uses.calls.iter().any(|(name, _)| is_variable(name))
            };
            found.extend(self.macros.in_text(&piece.text).iter().any(through).then_some((at, None)));
        }
        found
    }

    pub(super) fn calls(&mut self, unit: u32, function: &Function, entry: usize) {
        for call in &function.calls {
            let Callee::Direct(name) = &call.callee else { continue };
            let candidates = self.by_name.get(&NameHash::of(name.as_bytes())).cloned().unwrap_or_default();
            for callee in reached(candidates, |&it| self.sight(unit, it)) {
                self.call(function, entry, call.piece.index(), callee, Via::Call);
            }
        }
        self.other_calls(unit, function, entry);
    }

    /// The functions that macros call, by the statements that mention these.
    pub(super) fn called_in_macros(&self, function: &Function) -> Vec<(usize, NameHash)> {
        let mut found = Vec::new();
        for (at, piece) in function.pieces.iter().enumerate() {
            let calls = self.macros.in_text(&piece.text).into_iter().flat_map(|known| &known.uses.calls);
            found.extend(calls.map(|(name, _)| (at, *name)));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// What macros in the statements of a function call, and what is called through pointers.
    fn other_calls(&mut self, unit: u32, function: &Function, entry: usize) {
        for (piece, name) in self.called_in_macros(function) {
            let candidates = self.by_name.get(&name).cloned().unwrap_or_default();
            for callee in reached(candidates, |&it| self.sight(unit, it)) {
                self.call(function, entry, piece, callee, Via::Call);
            }
        }
        for (piece, given) in self.pointer_calls(function) {
            self.calls_through(function, entry, piece, given);
        }
    }

    /// A file may be included by another one, so that its `static` functions are not hidden for certain.
    fn sight(&self, unit: u32, function: u32) -> Sight {
        match self.functions[function as usize].0 == unit {
            true => Sight::Own,
            false => Sight::Everywhere,
        }
    }

    /// A statement of a function calls another function.
    pub(super) fn call(&mut self, function: &Function, entry: usize, piece: usize, callee: u32, via: Via) {
        let node = entry + piece;
        let callee_entry = self.functions[callee as usize].2 as usize;
        self.edges.push((node, callee_entry, via));
        self.flow.push((node, callee_entry));
        let next = function.flow.iter().filter(|edge| edge.from.index() == piece);
        self.flow.extend(next.map(|edge| (callee_entry + 1, entry + edge.to.index())));
        let returning = self.returning(callee).into_iter();
        self.edges.extend(returning.map(|piece| (callee_entry + piece, node, Via::Return)));
    }

    /// The pieces of a function that return a value, by a macro too.
    fn returning(&self, function: u32) -> Vec<usize> {
        let (unit, at, _) = self.functions[function as usize];
        let code = &self.units[unit as usize].module.functions[at as usize];
        returns(code).chain(self.jumps[function as usize].returns.iter().copied()).collect()
    }
}

/// The nodes that stand for calls through pointers: one for each number of arguments, and the last for calls with more of them or
/// an unknown number.
pub(super) const HUBS: usize = 10;
const ANY_NUMBER: usize = HUBS - 1;

/// How many arguments a function takes; nothing where its head does not say so.
fn parameters(function: &Function) -> Option<usize> {
    let head = &function.signature;
    let listed = head.get(head.find('(')? + 1..head.rfind(')')?)?.trim();
    let named = function.parameters.len();
    match listed {
        "void" => Some(0),
        _ if listed.is_empty() || listed.contains("...") || listed.contains('(') => None,
        _ => Some(named).filter(|&named| {
            listed.split(',').count() == named && listed.contains(' ') && named < ANY_NUMBER
        }),
    }
}

/// How many arguments the only call of something in a text has.
fn arguments(text: &str, callee: &str) -> Option<usize> {
    let spelled = |text: &str| tokens(text).iter().map(|it| it.text().to_owned()).collect::<Vec<String>>();
    let (all, callee) = (spelled(text), spelled(callee));
    let mut calls = (0..all.len()).filter(|&at| {
        all[at..].starts_with(&callee) && all.get(at + callee.len()).is_some_and(|next| next == "(")
    });
    let open = calls.next().filter(|_| calls.next().is_none())? + callee.len();
    let (mut depth, mut commas) = (0usize, 0);
    for (at, token) in all.iter().enumerate().skip(open) {
        match token.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" if depth == 1 => return Some(if at == open + 1 { 0 } else { commas + 1 }),
            ")" | "]" | "}" => depth -= 1,
            "," if depth == 1 => commas += 1,
            _ => {}
        }
    }
    None
}

/// The pieces that return a value.
fn returns(function: &Function) -> impl Iterator<Item = usize> + '_ {
    let all = function.pieces.iter().enumerate();
    let value =
        |piece: &Piece| piece.role == Role::Return && piece.text.trim_end_matches(';').trim() != "return";
    all.filter(move |(_, piece)| value(piece)).map(|(at, _)| at)
}
