//! Who calls whom, by name and through pointers.

use super::super::compiled::Compiled;
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
            self.edges.extend(returns(code).map(|piece| (entry as usize + piece, hub, Via::Return)));
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
    pub(super) fn pointer_targets(&mut self) {
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
        let functions: Vec<u32> = functions.flatten().copied().collect();
        functions.into_iter().for_each(|function| self.called_through(function));
    }

    pub(super) fn calls(&mut self, unit: u32, function: &Function, entry: usize) {
        for call in &function.calls {
            let name = match &call.callee {
                Callee::Direct(name) => name,
                Callee::Indirect(callee) => {
                    let text = &function.pieces[call.piece.index()].text;
                    let is_list = |it: &Token<'_>| {
                        self.macros.get(NameHash::of(it.text().as_bytes())).is_some_and(|it| it.is_list)
                    };
                    let lists = tokens(text).iter().any(is_list);
                    let given = arguments(text, callee).filter(|_| !lists);
                    self.calls_through(function, entry, call.piece.index(), given);
                    continue;
                }
            };
            let candidates = self.by_name.get(&NameHash::of(name.as_bytes())).cloned().unwrap_or_default();
            // A file may be included by another one, so that its `static` functions are not hidden for certain.
            let sight = |&it: &u32| match self.functions[it as usize].0 == unit {
                true => Sight::Own,
                false => Sight::Everywhere,
            };
            for callee in reached(candidates, sight) {
                self.call(function, entry, call.piece.index(), callee, Via::Call);
            }
        }
    }

    /// A statement of a function calls another function.
    pub(super) fn call(&mut self, function: &Function, entry: usize, piece: usize, callee: u32, via: Via) {
        let node = entry + piece;
        let (unit, at, callee_entry) = self.functions[callee as usize];
        let callee_entry = callee_entry as usize;
        self.edges.push((node, callee_entry, via));
        self.flow.push((node, callee_entry));
        let next = function.flow.iter().filter(|edge| edge.from.index() == piece);
        self.flow.extend(next.map(|edge| (callee_entry + 1, entry + edge.to.index())));
        let code = &self.units[unit as usize].module.functions[at as usize];
        self.edges.extend(returns(code).map(|piece| (callee_entry + piece, node, Via::Return)));
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
