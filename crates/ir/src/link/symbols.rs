//! Who wins each name.

use crate::{Function, Global, Linkage, Module};
use std::collections::HashMap;

/// A function or global of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Symbol {
    pub(super) unit: usize,
    pub(super) index: usize,
}

/// How strongly something claims its name; the greatest wins, and of equals the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    Declaration,
    ForInlining,
    Mergeable,
    External,
}

/// What becomes of a symbol of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    /// It has a place of its own.
    Own,
    /// The same, but it was visible to all: a second external definition.
    Demoted,
    /// It shares the place of this name.
    Shared(usize),
}

/// A name that units share.
pub(super) struct Shared {
    pub(super) name: String,
    pub(super) winner: Symbol,
    pub(super) winner_is_function: bool,
    pub(super) rank: Rank,
    /// Definitions that lost; whether they are functions.
    pub(super) losers: Vec<(Symbol, bool, Rank)>,
}

#[derive(Default)]
pub(super) struct Unit {
    pub(super) functions: Vec<Choice>,
    pub(super) globals: Vec<Choice>,
}

#[derive(Default)]
pub(super) struct Plan {
    pub(super) units: Vec<Unit>,
    pub(super) shared: Vec<Shared>,
}

impl Plan {
    /// Whether this symbol is what stands at its place.
    pub(super) fn keeps(&self, choice: Choice, symbol: Symbol, is_function: bool) -> bool {
        match choice {
            Choice::Own | Choice::Demoted => true,
            Choice::Shared(shared) => {
                let shared = &self.shared[shared];
                shared.winner == symbol && shared.winner_is_function == is_function
            }
        }
    }
}

/// Decides for every symbol of every unit.
pub(super) fn resolve(modules: &[Module]) -> Plan {
    let mut plan = Plan::default();
    let mut names: HashMap<&str, usize> = HashMap::new();
    for (unit, module) in modules.iter().enumerate() {
        for (index, function) in module.functions.iter().enumerate() {
            if let Some(rank) = function_rank(function) {
                claim(&mut plan, &mut names, &function.name, Symbol { unit, index }, true, rank);
            }
        }
        for (index, global) in module.globals.iter().enumerate() {
            if let Some(rank) = global_rank(global) {
                claim(&mut plan, &mut names, &global.name, Symbol { unit, index }, false, rank);
            }
        }
    }
    for (unit, module) in modules.iter().enumerate() {
        let choose = |rank: Option<Rank>, name: &str, index: usize, is_function: bool| {
            let Some(rank) = rank else { return Choice::Own };
            let shared = names[name];
            let winner = &plan.shared[shared];
            let won = winner.winner == Symbol { unit, index } && winner.winner_is_function == is_function;
            match rank == Rank::External && !won {
                true => Choice::Demoted,
                false => Choice::Shared(shared),
            }
        };
        let functions = module.functions.iter().enumerate();
        let functions = functions.map(|(index, f)| choose(function_rank(f), &f.name, index, true)).collect();
        let globals = module.globals.iter().enumerate();
        let globals = globals.map(|(index, g)| choose(global_rank(g), &g.name, index, false)).collect();
        plan.units.push(Unit { functions, globals });
    }
    plan
}

fn claim<'m>(
    plan: &mut Plan,
    names: &mut HashMap<&'m str, usize>,
    name: &'m str,
    symbol: Symbol,
    is_function: bool,
    rank: Rank,
) {
    let Some(&shared) = names.get(name) else {
        names.insert(name, plan.shared.len());
        let name = name.to_string();
        plan.shared.push(Shared {
            name,
            winner: symbol,
            winner_is_function: is_function,
            rank,
            losers: vec![],
        });
        return;
    };
    let shared = &mut plan.shared[shared];
    let mut loser = (symbol, is_function, rank);
    if rank > shared.rank {
        loser = (shared.winner, shared.winner_is_function, shared.rank);
        (shared.winner, shared.winner_is_function, shared.rank) = (symbol, is_function, rank);
    }
    if loser.2 > Rank::Declaration {
        shared.losers.push(loser);
    }
}

/// How a function claims its name; `None` when the name is its unit's own.
fn function_rank(function: &Function) -> Option<Rank> {
    rank(function.linkage, function.is_defined())
}

fn global_rank(global: &Global) -> Option<Rank> {
    match global.private {
        true => None,
        false => rank(global.linkage, global.initializer.is_some() || global.alias_of.is_some()),
    }
}

fn rank(linkage: Linkage, defined: bool) -> Option<Rank> {
    match (linkage, defined) {
        (Linkage::Internal, _) => None,
        (_, false) => Some(Rank::Declaration),
        (Linkage::AvailableExternally, true) => Some(Rank::ForInlining),
        (Linkage::Mergeable, true) => Some(Rank::Mergeable),
        (Linkage::External, true) => Some(Rank::External),
    }
}
