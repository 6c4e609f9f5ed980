//! How far it is from a branch's side to a place: counted in branches that decide, not in instructions.

use super::blocks::{Blocks, blocks};
use crate::path::{Conjunct, Kind};
use hydrogen_machine::{FuncId, FuncKind, Program, Site};
use rustc_hash::FxHashMap;

/// Branches of the C library may lead anywhere; they come after those whose distance is known.
const LIBRARY: u64 = 1 << 20;
/// Nothing decides directly about the place, but it can be reached.
const FAR: u64 = 1 << 30;

/// The sides of a branch by their first instructions, each with how far the place is; `None` where it cannot be reached.
pub type Sides = Vec<(Site, Option<u64>)>;

/// Distances to a place.
#[derive(Debug)]
pub struct Distances {
    targets: Vec<Site>,
    functions: FxHashMap<FuncId, Blocks>,
    /// Functions that may be called by whoever calls through a pointer, the C library among them.
    callbacks: Vec<FuncId>,
    /// Whether control may come back to where it was kept (`setjmp`): then any place may lead anywhere.
    jumps: bool,
}

impl Distances {
    /// Distances to a line of the user's program; `None` when it has no code.
    pub fn to_line(program: &Program, file: &str, line: u32) -> Option<Self> {
        let mut targets = Vec::new();
        for id in program.ids().filter(|id| program.is_users(*id)) {
            let Some(code) = program.code(id) else { continue };
            for pc in 0..code.instrs.len() as u32 {
                let site = Site { function: id, pc };
                let place = program.place(site);
                if place.line == line && is_file(&place.file, file) {
                    targets.push(site);
                }
            }
        }
        (!targets.is_empty()).then(|| Self::to_sites(program, targets))
    }

    /// Distances to the nearest of some instructions of the user's program; without any, nothing leads there.
    pub fn to_sites(program: &Program, targets: Vec<Site>) -> Self {
        let users = program.ids().filter(|id| program.is_users(*id));
        let functions = users.filter_map(|id| Some((id, blocks(program, program.code(id)?)))).collect();
        let taken = program.units().next().map_or(Vec::new(), hydrogen_flow::address_taken);
        let is_taken = |id: &FuncId| match program.function(*id).kind {
            FuncKind::Defined(0, number) => taken.contains(&number),
            _ => false,
        };
        let callbacks = program.ids().filter(is_taken).collect();
        let keeps = |name: &str| matches!(name, "setjmp" | "_setjmp" | "sigsetjmp" | "__sigsetjmp");
        let jumps =
            program.units().next().is_some_and(|module| module.functions.iter().any(|one| keeps(&one.name)));
        let mut distances = Self { targets, functions, callbacks, jumps };
        distances.settle();
        distances
    }

    /// The instructions of the place.
    pub fn targets(&self) -> impl Iterator<Item = Site> + '_ {
        self.targets.iter().copied()
    }

    /// Repeats until nothing changes: functions call each other in circles.
    fn settle(&mut self) {
        let mut order: Vec<FuncId> = self.functions.keys().copied().collect();
        order.sort_unstable();
        loop {
            let mut changed = false;
            // Where functions go on after they return.
            let mut returns: FxHashMap<FuncId, bool> = FxHashMap::default();
            for blocks in order.iter().map(|id| &self.functions[id]) {
                for (block, called) in blocks.calls.iter().enumerate() {
                    for function in called {
                        *returns.entry(*function).or_insert(false) |= blocks.reaches[block];
                    }
                }
            }
            let entries: FxHashMap<FuncId, (Option<u64>, bool)> = order
                .iter()
                .map(|id| {
                    let blocks = &self.functions[id];
                    let near = blocks.free.iter().filter_map(|block| blocks.distance[*block]).min();
                    (*id, (near, blocks.reaches.first().copied().unwrap_or(false)))
                })
                .collect();
            let anyone = self.callbacks.iter().filter_map(|id| entries.get(id)).any(|entry| entry.1);
            let after_anyone = self.functions.values().any(Blocks::goes_on_behind_anyone);
            for id in &order {
                let here: Vec<usize> = {
                    let blocks = &self.functions[id];
                    self.targets
                        .iter()
                        .filter(|site| site.function == *id)
                        .map(|site| blocks.of(site.pc))
                        .collect()
                };
                // Behind the program's own end there may be functions that were registered for it; a callback returns to anyone.
                let is_callback = self.callbacks.contains(id);
                let goes_on = returns.get(id).copied().unwrap_or(anyone) || is_callback && after_anyone;
                let Some(blocks) = self.functions.get_mut(id) else { continue };
                for block in (0..blocks.next.len()).rev() {
                    let is_target = here.contains(&block);
                    let called = blocks.calls[block].iter().filter_map(|function| entries.get(function));
                    let mut near = called.clone().filter_map(|entry| entry.0).min();
                    let sides = blocks.decides[block].iter();
                    let decided = sides.filter_map(|(_, other)| Some(blocks.distance[*other]? + 1)).min();
                    near = near.into_iter().chain(decided).chain(is_target.then_some(0)).min();
                    let reaches = is_target
                        || called.clone().any(|entry| entry.1)
                        || blocks.anyone[block] && anyone
                        || blocks.next[block].iter().any(|next| blocks.reaches[*next])
                        || blocks.returns[block] && goes_on;
                    changed |= (near, reaches) != (blocks.distance[block], blocks.reaches[block]);
                    (blocks.distance[block], blocks.reaches[block]) = (near, reaches);
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// Whether the place can be reached in a run that starts with a function, callbacks and what runs before and behind it included.
    pub fn leads_from(&self, entry: FuncId) -> bool {
        let leads = |id: &FuncId| {
            self.functions.get(id).is_some_and(|blocks| blocks.reaches.first().copied().unwrap_or(false))
        };
        leads(&entry) || self.callbacks.iter().any(leads)
    }

    /// Every branch of the user's program with how far the place is on each of its sides, by the side's first instruction; `None` for a
    /// side from which the place cannot be reached.
    pub fn branches(&self) -> Vec<(Site, Sides)> {
        let mut found = Vec::new();
        let mut order: Vec<FuncId> = self.functions.keys().copied().collect();
        order.sort_unstable();
        for function in order {
            let blocks = &self.functions[&function];
            for (block, next) in blocks.next.iter().enumerate().filter(|(_, next)| next.len() > 1) {
                let pc = blocks.starts[block + 1] - 1;
                let side = |side: &usize| {
                    let near = blocks.side(block, *side).filter(|_| blocks.reaches[*side]);
                    (Site { function, pc: blocks.starts[*side] }, near)
                };
                found.push((Site { function, pc }, next.iter().map(side).collect()));
            }
        }
        found
    }

    /// How far it is when a condition is turned around; `None` when the place cannot be reached on the other side.
    pub fn other_side(&self, conjunct: &Conjunct) -> Option<u64> {
        self.known(conjunct).or(self.jumps.then_some(FAR))
    }

    fn known(&self, conjunct: &Conjunct) -> Option<u64> {
        let Some(blocks) = self.functions.get(&conjunct.site.function) else { return Some(LIBRARY) };
        let block = blocks.of(conjunct.site.pc);
        // A choice that is no jump, as whom a pointer calls, may lead anywhere.
        let jumps = conjunct.site.pc + 1 == blocks.starts[block + 1];
        if conjunct.kind != Kind::Branch || blocks.next[block].len() < 2 || !jumps {
            return Some(LIBRARY);
        }
        let taken = conjunct.taken.map(|pc| blocks.of(pc));
        let sides =
            blocks.next[block].iter().filter(|side| taken != Some(**side) || blocks.next[block].len() > 2);
        let mut best = None;
        for side in sides.filter(|side| blocks.reaches[**side]) {
            let near = blocks.side(block, *side).unwrap_or(FAR);
            best = Some(best.map_or(near, |best: u64| best.min(near)));
        }
        best
    }
}

impl Blocks {
    /// How far it is on one side of a branch, by what this side decides about.
    fn side(&self, block: usize, side: usize) -> Option<u64> {
        let decided = self.decides[block].iter().filter(|(label, _)| *label == side);
        decided.filter_map(|(_, other)| self.distance[*other]).min().map(|near| near + 1)
    }
}

/// Whether a file of the program is meant: the whole path or its end.
fn is_file(path: &str, wanted: &str) -> bool {
    path == wanted || path.strip_suffix(wanted).is_some_and(|rest| rest.ends_with('/'))
}
