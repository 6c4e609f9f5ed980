//! Calls that end the program: what stands behind them depends on whether they do.

use super::super::slice::Via;
use super::jumps::Jumps;
use super::{Builder, named};
use hydrogen_flow::{Digraph, Edge, Flow};
use hydrogen_ir::{Callee, EdgeKind, Function};
use hydrogen_library::Trait;
use hydrogen_syntax::NameHash;
use std::collections::BTreeMap;

/// What the calls of a function may do to the program.
#[derive(Debug, Clone, Default)]
pub(super) struct Ending {
    /// Statements that end it.
    pub surely: Vec<usize>,
    /// Statements that call functions that may, and these.
    calls: BTreeMap<usize, Vec<u32>>,
}

impl Ending {
    fn is_empty(&self) -> bool {
        self.surely.is_empty() && self.calls.is_empty()
    }
}

/// The control flow in which statements that end the program lead to the exit, and with `maybe` those that may as well.
pub(super) fn flow_with(function: &Function, jumps: &Jumps, surely: &[usize], maybe: &[usize]) -> Flow {
    let exit = Function::EXIT.index();
    let kept = function.flow.iter().filter(|edge| !surely.contains(&edge.from.index()));
    let kept =
        kept.map(|edge| Edge { from: edge.from.index(), to: edge.to.index(), label: edge.kind.clone() });
    let ends = surely.iter().chain(maybe).map(|&from| (from, exit));
    let jumps = jumps.edges.iter().copied();
    let further = jumps.chain(ends).map(|(from, to)| Edge { from, to, label: EdgeKind::Next });
    let graph = Digraph::new(function.pieces.len(), kept.chain(further));
    Flow { graph, entry: Function::ENTRY.index(), exits: vec![exit] }
}

impl Builder<'_> {
    /// Per function, the statements that may end the program; assertions are taken to hold. The last one is no function: it stands
    /// for all that are called through pointers.
    pub(super) fn endings(&self) -> Vec<Ending> {
        let ends = named(Trait::Ends);
        let pointers = self.functions.len();
        let mut all = vec![Ending::default(); pointers + 1];
        let mut callees: Vec<Vec<(usize, u32)>> = vec![Vec::new(); pointers + 1];
        let mut callers: Vec<Vec<u32>> = vec![Vec::new(); pointers + 1];
        for function in self.pointer_targets() {
            callees[pointers].push((0, function));
            callers[function as usize].push(pointers as u32);
        }
        for (number, &(unit, at, _)) in self.functions.iter().enumerate() {
            let function = &self.units[unit as usize].module.functions[at as usize];
            for call in &function.calls {
                let Callee::Direct(name) = &call.callee else { continue };
                let (name, piece) = (NameHash::of(name.as_bytes()), call.piece.index());
                match self.by_name.get(&name) {
                    Some(own) => {
                        callees[number].extend(own.iter().map(|&callee| (piece, callee)));
                        own.iter().for_each(|&callee| callers[callee as usize].push(number as u32));
                    }
                    None if ends.contains(&name) => all[number].surely.push(piece),
                    None => {}
                }
            }
        }
        for (number, &(unit, at, _)) in self.functions.iter().enumerate() {
            let function = &self.units[unit as usize].module.functions[at as usize];
            for (piece, _) in self.pointer_calls(function) {
                callees[number].push((piece, pointers as u32));
                callers[pointers].push(number as u32);
            }
            for (piece, name) in self.called_in_macros(function) {
                match self.by_name.get(&name) {
                    Some(own) => {
                        callees[number].extend(own.iter().map(|&callee| (piece, callee)));
                        own.iter().for_each(|&callee| callers[callee as usize].push(number as u32));
                    }
                    // A macro may ask before it ends the program.
                    None if ends.contains(&name) => drop(all[number].calls.entry(piece).or_default()),
                    None => {}
                }
            }
        }
        let mut may: Vec<bool> = all.iter().map(|it| !it.is_empty()).collect();
        let mut waiting: Vec<u32> = (0..may.len() as u32).filter(|&it| may[it as usize]).collect();
        while let Some(function) = waiting.pop() {
            for &caller in &callers[function as usize] {
                if !std::mem::replace(&mut may[caller as usize], true) {
                    waiting.push(caller);
                }
            }
        }
        for (ending, callees) in all.iter_mut().zip(callees) {
            for (piece, callee) in callees.into_iter().filter(|it| may[it.1 as usize]) {
                ending.calls.entry(piece).or_default().push(callee);
            }
        }
        all
    }

    /// What stands behind a call depends on whether the called function ends the program: a node stands for that, and one for each
    /// call that may not come back.
    pub(super) fn ending(&mut self, endings: &[Ending], nodes: &mut Vec<bool>) {
        let count = self.statements.len();
        let mut fresh = || {
            nodes.push(false);
            count + nodes.len() - 1
        };
        let ends: Vec<Option<usize>> = endings.iter().map(|it| (!it.is_empty()).then(&mut fresh)).collect();
        for (number, ending) in endings.iter().enumerate() {
            let Some(own) = ends[number] else { continue };
            let Some(&(unit, at, entry)) = self.functions.get(number) else {
                let behind = ending.calls.values().flatten().filter_map(|&callee| ends[callee as usize]);
                self.edges.extend(behind.map(|from| (from, own, Via::Ends)));
                continue;
            };
            let (function, entry) =
                (&self.units[unit as usize].module.functions[at as usize], entry as usize);
            let direct = ending.surely.iter();
            self.edges.extend(direct.map(|&piece| (entry + piece, own, Via::Ends)));
            let calls = ending.calls.keys().filter(|piece| !ending.surely.contains(piece));
            let maybe: Vec<usize> = calls.copied().collect();
            let control =
                flow_with(function, &self.jumps[number], &ending.surely, &maybe).control_dependence();
            let mut behind: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
            for piece in 1..function.pieces.len() {
                for decided in control.controls(piece).iter().filter(|it| maybe.contains(&it.branch)) {
                    behind.entry(decided.branch).or_default().push(piece);
                }
            }
            for &call in &maybe {
                let after = behind.get(&call).map_or(&[][..], Vec::as_slice);
                self.edges.extend(after.iter().map(|&piece| (entry + call, entry + piece, Via::Ends)));
                let Some(callees) = ending.calls.get(&call) else { continue };
                let back = fresh();
                self.edges.push((entry + call, own, Via::Ends));
                self.edges.push((back, own, Via::Ends));
                self.edges.extend(after.iter().map(|&piece| (back, entry + piece, Via::Ends)));
                let theirs = callees.iter().filter_map(|&callee| ends[callee as usize]);
                self.edges.extend(theirs.map(|from| (from, back, Via::Return)));
            }
        }
    }
}
