//! Who calls whom, by name and through pointers.

use super::super::compiled::Compiled;
use super::super::slice::Via;
use super::super::uses::uses;
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

    /// A function may be called by the node that stands for calls through pointers.
    pub(super) fn called_through(&mut self, function: u32) {
        let hub = self.statements.len();
        let (unit, at, entry) = self.functions[function as usize];
        self.edges.push((hub, entry as usize, Via::Call));
        self.flow.extend([(hub, entry as usize), (entry as usize + 1, hub)]);
        let code = &self.units[unit as usize].module.functions[at as usize];
        let returns = returns(code);
        self.edges.extend(returns.map(|piece| (entry as usize + piece, hub, Via::Return)));
    }

    /// A statement calls what the node for calls through pointers leads to.
    pub(super) fn calls_through(&mut self, function: &Function, entry: usize, piece: usize) {
        let (hub, node) = (self.statements.len(), entry + piece);
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
            let Callee::Direct(name) = &call.callee else {
                self.calls_through(function, entry, call.piece.index());
                continue;
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

/// The pieces that return a value.
fn returns(function: &Function) -> impl Iterator<Item = usize> + '_ {
    let all = function.pieces.iter().enumerate();
    let value =
        |piece: &Piece| piece.role == Role::Return && piece.text.trim_end_matches(';').trim() != "return";
    all.filter(move |(_, piece)| value(piece)).map(|(at, _)| at)
}
