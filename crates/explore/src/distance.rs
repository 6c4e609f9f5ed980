//! How far it is from a branch's side to a place: counted in branches that decide, not in instructions.

use crate::path::{Conjunct, Kind};
use hydrogen_flow::{ControlDependence, Digraph, Edge, PostDominators};
use hydrogen_machine::code::{Code, Instr, Pc, Target};
use hydrogen_machine::{FuncId, FuncKind, Program, Site};
use rustc_hash::FxHashMap;

/// Branches of the C library may lead anywhere; they come after those whose distance is known.
const LIBRARY: u64 = 1 << 20;
/// Nothing decides directly about the place, but it can be reached.
const FAR: u64 = 1 << 30;

/// The blocks of one function of the user's.
#[derive(Debug)]
struct Blocks {
    /// The first instruction of each block; the last entry is the end of the code.
    starts: Vec<Pc>,
    /// The blocks that follow.
    next: Vec<Vec<usize>>,
    /// Per block, the functions that it calls.
    calls: Vec<Vec<FuncId>>,
    returns: Vec<bool>,
    /// Per block and side of its end, the blocks that this side decides about.
    decides: Vec<Vec<(usize, usize)>>,
    /// Blocks that nothing decides about.
    free: Vec<usize>,
    /// Distances by block.
    distance: Vec<Option<u64>>,
    /// Whether the place can be reached from the block at all.
    reaches: Vec<bool>,
}

/// Distances to a place.
#[derive(Debug)]
pub struct Distances {
    targets: Vec<Site>,
    functions: FxHashMap<FuncId, Blocks>,
}

fn blocks(program: &Program, code: &Code) -> Blocks {
    let mut starts: Vec<Pc> = code.blocks.clone();
    starts.push(0);
    // Jumps into the middle of the model's blocks do not exist, but moves at edges have blocks of their own.
    for instr in &code.instrs {
        match *instr {
            Instr::Branch { then, otherwise, .. } => starts.extend([then, otherwise]),
            Instr::Jump { target } => starts.push(target),
            Instr::Switch { table, .. } => {
                let table = &code.switches[table as usize];
                starts.push(table.default_target());
                starts.extend(table.arms().iter().map(|arm| arm.1));
            }
            _ => {}
        }
    }
    starts.sort_unstable();
    starts.dedup();
    let count = starts.len();
    starts.push(code.instrs.len() as Pc);
    let block_of = |pc: Pc| starts.partition_point(|start| *start <= pc) - 1;
    let (mut next, mut calls, mut returns) =
        (vec![Vec::new(); count], vec![Vec::new(); count], vec![false; count]);
    for block in 0..count {
        let mut falls = true;
        for pc in starts[block]..starts[block + 1] {
            match code.instrs[pc as usize] {
                Instr::Call { site } => {
                    if let Target::Direct(function) = code.calls[site as usize].target
                        && matches!(program.function(function).kind, FuncKind::Defined(..))
                    {
                        calls[block].push(function);
                    }
                }
                Instr::Jump { target } => {
                    next[block] = vec![block_of(target)];
                    falls = false;
                }
                Instr::Branch { then, otherwise, .. } => {
                    next[block] = vec![block_of(then), block_of(otherwise)];
                    falls = false;
                }
                Instr::Switch { table, .. } => {
                    let table = &code.switches[table as usize];
                    next[block] = table.arms().iter().map(|arm| block_of(arm.1)).collect();
                    next[block].push(block_of(table.default_target()));
                    next[block].sort_unstable();
                    next[block].dedup();
                    falls = false;
                }
                Instr::Return { .. } | Instr::Unreachable => {
                    returns[block] = matches!(code.instrs[pc as usize], Instr::Return { .. });
                    falls = false;
                }
                _ => {}
            }
        }
        if falls && block + 1 < count {
            next[block] = vec![block + 1];
        }
    }
    let edges =
        (0..count).flat_map(|from| next[from].iter().map(move |to| Edge { from, to: *to, label: *to }));
    let graph: Digraph<usize> = Digraph::new(count, edges);
    let exits: Vec<usize> = (0..count).filter(|block| next[*block].is_empty()).collect();
    let post = PostDominators::new(&graph, 0, exits);
    let control = ControlDependence::new(&graph, &post);
    let decides = (0..count).map(|block| control.dependents(block).to_vec()).collect();
    let free = (0..count).filter(|block| control.controls(*block).is_empty()).collect();
    let (distance, reaches) = (vec![None; count], vec![false; count]);
    Blocks { starts, next, calls, returns, decides, free, distance, reaches }
}

impl Blocks {
    fn of(&self, pc: Pc) -> usize {
        self.starts.partition_point(|start| *start <= pc).saturating_sub(1)
    }
}

impl Distances {
    /// Distances to a line of the user's program; `None` when it has no code.
    pub fn to_line(program: &Program, file: &str, line: u32) -> Option<Self> {
        let mut functions = FxHashMap::default();
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
            functions.insert(id, blocks(program, code));
        }
        if targets.is_empty() {
            return None;
        }
        let mut distances = Self { targets, functions };
        distances.settle();
        Some(distances)
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
            for id in &order {
                let here: Vec<usize> = {
                    let blocks = &self.functions[id];
                    self.targets
                        .iter()
                        .filter(|site| site.function == *id)
                        .map(|site| blocks.of(site.pc))
                        .collect()
                };
                let goes_on = returns.get(id).copied().unwrap_or(false);
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

    /// How far it is when a condition is turned around; `None` when the place cannot be reached on the other side.
    pub fn other_side(&self, conjunct: &Conjunct) -> Option<u64> {
        let Some(blocks) = self.functions.get(&conjunct.site.function) else { return Some(LIBRARY) };
        let block = blocks.of(conjunct.site.pc);
        if conjunct.kind != Kind::Branch || blocks.next[block].len() < 2 {
            return Some(LIBRARY);
        }
        let taken = conjunct.taken.map(|pc| blocks.of(pc));
        let sides =
            blocks.next[block].iter().filter(|side| taken != Some(**side) || blocks.next[block].len() > 2);
        let mut best = None;
        for side in sides.filter(|side| blocks.reaches[**side]) {
            let decided = blocks.decides[block].iter().filter(|(label, _)| label == side);
            let near = decided.filter_map(|(_, other)| blocks.distance[*other]).min();
            let near = near.map_or(FAR, |near| near + 1);
            best = Some(best.map_or(near, |best: u64| best.min(near)));
        }
        best
    }
}

/// Whether a file of the program is meant: the whole path or its end.
fn is_file(path: &str, wanted: &str) -> bool {
    path == wanted || path.strip_suffix(wanted).is_some_and(|rest| rest.ends_with('/'))
}
