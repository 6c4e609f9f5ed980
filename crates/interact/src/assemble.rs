//! From changed functions to the program that their change sequence graph is made of.

use crate::change::{FunctionChange, Why};
use crate::changes::Changes;
use crate::facts::FunctionFacts;
use crate::index::{FunctionKey, Index};
use crate::program::{Call, ENTRY, EXIT, FunctionNumber, Node, Program, Routine};
use hydrogen_syntax::NameHash;
use rustc_hash::{FxHashMap, FxHashSet};

/// The program, and what its nodes stand for.
#[derive(Debug)]
pub(crate) struct Assembled {
    pub program: Program,
    /// What each function is.
    pub functions: Vec<What>,
    /// Per function, the piece or place that each changed node stands for.
    pub places: Vec<FxHashMap<Node, Standing>>,
    /// Per function, the basic block of each node.
    pub blocks: Vec<Vec<u32>>,
}

/// A function of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    /// One of the new tree.
    Function(FunctionKey),
    /// One that is gone, by its position in [`Changes::gone`].
    Gone(usize),
}

/// What a changed node stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// A changed piece.
    Piece(u32, Why),
    /// A deletion, by position.
    Deletion(usize),
    /// The head of the function.
    Head,
    /// A whole function that is gone.
    Gone,
}

/// Puts together the changed functions and everything that may lead to one.
pub(crate) fn assemble(index: &Index, changes: &Changes) -> Assembled {
    let mut members: FxHashSet<FunctionKey> = changes.functions.keys().copied().collect();
    let mut waiting: Vec<FunctionKey> = changes.functions.keys().copied().collect();
    while let Some(function) = waiting.pop() {
        for caller in index.callers(function) {
            if members.insert(caller) {
                waiting.push(caller);
            }
        }
    }
    // By path: the numbers of files depend on where a walk began.
    let mut members: Vec<FunctionKey> = members.into_iter().collect();
    members.sort_unstable();
    let mut files: Vec<&[FunctionKey]> = members.chunk_by(|a, b| a.file == b.file).collect();
    files.sort_by_key(|own| index.position(own[0]));
    let members = files.concat();
    let numbers: FxHashMap<FunctionKey, FunctionNumber> =
        members.iter().enumerate().map(|(number, key)| (*key, number as FunctionNumber)).collect();
    let mut assembled = Assembled {
        program: Program::default(),
        functions: Vec::new(),
        places: Vec::new(),
        blocks: Vec::new(),
    };
    // Most calls are of functions that no change can be met in.
    let names: FxHashSet<NameHash> = members.iter().map(|&key| index.function(key).id).collect();
    let mut known: FxHashMap<(u32, NameHash), (Vec<FunctionNumber>, bool)> = FxHashMap::default();
    for &key in &members {
        let facts = index.function(key);
        let change = changes.functions.get(&key);
        let mut routine =
            change.map_or_else(|| Builder::unchanged(facts), |change| Builder::new(facts, change));
        routine.calls(facts, change.is_none(), |name| {
            if !names.contains(&name) {
                return (Vec::new(), true);
            }
            let found = known.entry((key.file, name)).or_insert_with(|| {
                let all = index.targets(key.file, name);
                let inside: Vec<FunctionNumber> =
                    all.iter().filter_map(|it| numbers.get(it).copied()).collect();
                let elsewhere = inside.len() < all.len();
                (inside, elsewhere)
            });
            found.clone()
        });
        // Only changes are joined by blocks.
        assembled.blocks.push(if change.is_some() { blocks(&routine.routine) } else { Vec::new() });
        assembled.program.functions.push(routine.routine);
        assembled.places.push(routine.places);
        assembled.functions.push(What::Function(key));
    }
    assembled.program.entries = entries(index, &members, &assembled.program);
    for gone in 0..changes.gone.len() {
        let number = assembled.program.functions.len() as FunctionNumber;
        let successors = vec![vec![2], Vec::new(), vec![EXIT]];
        let changed = vec![false, false, true];
        assembled.program.functions.push(Routine { successors, calls: Vec::new(), changed });
        assembled.program.entries.push(number);
        assembled.places.push([(2, Standing::Gone)].into_iter().collect());
        assembled.functions.push(What::Gone(gone));
        assembled.blocks.push(vec![0, 1, 2]);
    }
    assembled
}

/// `main`; without one, what other programs can call, and what nothing calls.
fn entries(index: &Index, members: &[FunctionKey], program: &Program) -> Vec<FunctionNumber> {
    let is_main = |number: &usize| &*index.function(members[*number]).name == "main";
    let mains: Vec<FunctionNumber> =
        (0..members.len()).filter(is_main).map(|number| number as FunctionNumber).collect();
    if !mains.is_empty() {
        return mains;
    }
    let mut called = vec![false; members.len()];
    for (caller, routine) in program.functions.iter().enumerate() {
        for &target in routine.calls.iter().flat_map(|call| &call.targets) {
            called[target as usize] |= target as usize != caller;
        }
    }
    let open = |number: &usize| !called[*number] || !index.function(members[*number]).internal;
    (0..members.len()).filter(open).map(|number| number as FunctionNumber).collect()
}

struct Builder {
    routine: Routine,
    places: FxHashMap<Node, Standing>,
}

impl Builder {
    /// A function without changes: what matters are its calls.
    fn unchanged(facts: &FunctionFacts) -> Self {
        let successors = facts.skeleton.graph();
        let changed = vec![false; successors.len()];
        Self { routine: Routine { successors, calls: Vec::new(), changed }, places: FxHashMap::default() }
    }

    fn new(facts: &FunctionFacts, change: &FunctionChange) -> Self {
        let mut successors: Vec<Vec<Node>> = vec![Vec::new(); facts.pieces.len().max(2)];
        for &(from, to, _) in &facts.flow {
            let targets = &mut successors[from as usize];
            if !targets.contains(&to) {
                targets.push(to);
            }
        }
        let mut changed = vec![false; successors.len()];
        let mut places = FxHashMap::default();
        for (&piece, &why) in &change.pieces {
            changed[piece as usize] = true;
            places.insert(piece, Standing::Piece(piece, why));
        }
        let mut builder = Self { routine: Routine { successors, calls: Vec::new(), changed }, places };
        for (number, deletion) in change.deletions.iter().enumerate() {
            builder.insert(&deletion.edges, Standing::Deletion(number));
        }
        if change.head {
            let edges: Vec<(Node, Node)> =
                builder.routine.successors[ENTRY as usize].iter().map(|&to| (ENTRY, to)).collect();
            builder.insert(&edges, Standing::Head);
        }
        builder
    }

    /// Puts a changed node on some edges; where they lead to different places, it branches.
    fn insert(&mut self, edges: &[(Node, Node)], standing: Standing) {
        let routine = &mut self.routine;
        let node = routine.successors.len() as Node;
        routine.successors.push(Vec::new());
        routine.changed.push(true);
        self.places.insert(node, standing);
        for &(from, to) in edges {
            let targets = &mut routine.successors[from as usize];
            // The edge may have been divided by another deletion; then this one stands before that.
            match targets.iter().position(|&it| it == to) {
                Some(at) if targets.contains(&node) => drop(targets.remove(at)),
                Some(at) => targets[at] = node,
                None => continue,
            }
            if !routine.successors[node as usize].contains(&to) {
                routine.successors[node as usize].push(to);
            }
        }
        if routine.successors[node as usize].is_empty() {
            // No edge is left that it could stand on: it stands before the first statement.
            let first = std::mem::replace(&mut routine.successors[ENTRY as usize], vec![node]);
            routine.successors[node as usize] = if first.is_empty() { vec![EXIT] } else { first };
        }
    }

    fn calls(
        &mut self,
        facts: &FunctionFacts,
        unchanged: bool,
        mut targets: impl FnMut(NameHash) -> (Vec<FunctionNumber>, bool),
    ) {
        for &(piece, name) in &facts.calls {
            let (targets, elsewhere) = targets(name);
            let node = if unchanged { facts.skeleton.node_of(piece) } else { Some(piece) };
            if let Some(node) = node.filter(|_| !targets.is_empty()) {
                self.routine.calls.push(Call { node, targets, elsewhere });
            }
        }
    }
}

/// The basic block of each node: a node belongs to that of the only one before it, if that leads nowhere else.
fn blocks(routine: &Routine) -> Vec<u32> {
    let count = routine.len();
    let mut before: Vec<Option<Node>> = vec![None; count];
    let mut entering = vec![0u32; count];
    for (from, targets) in routine.successors.iter().enumerate() {
        for &to in targets {
            entering[to as usize] += 1;
            before[to as usize] = Some(from as Node);
        }
    }
    let joins = |node: usize| {
        let from = before[node]?;
        let single = entering[node] == 1 && routine.successors[from as usize].len() == 1;
        (single && node as Node != EXIT && from != ENTRY && from as usize != node).then_some(from)
    };
    let mut blocks = vec![u32::MAX; count];
    for node in 0..count {
        let mut way = Vec::new();
        let mut at = node;
        while blocks[at] == u32::MAX {
            way.push(at);
            match joins(at) {
                Some(from) if !way.contains(&(from as usize)) => at = from as usize,
                _ => {
                    blocks[at] = at as u32;
                    break;
                }
            }
        }
        let block = blocks[at];
        way.into_iter().for_each(|node| blocks[node] = block);
    }
    blocks
}
