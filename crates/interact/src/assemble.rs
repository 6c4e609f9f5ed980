//! From changed functions to the program that their change sequence graph is made of.

use crate::change::{FunctionChange, Why};
use crate::changes::Changes;
use crate::facts::{FunctionFacts, Site};
use crate::index::{FunctionKey, Index};
use crate::program::{Call, ENTRY, EXIT, Flow, FunctionNumber, Node, Program, Routine};
use hydrogen_syntax::NameHash;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

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
///
/// Calls are found from those who are called: of what calls something else nothing is looked at.
pub(crate) fn assemble(index: &Index, changes: &Changes) -> Assembled {
    let mut members = Members::default();
    let mut waiting: Vec<FunctionKey> = changes.functions.keys().copied().collect();
    for &function in &waiting {
        members.insert(index, function);
    }
    // Whoever calls a name in a file calls the same functions.
    let mut called: FxHashSet<(u32, NameHash)> = FxHashSet::default();
    let mut groups: Vec<Group<'_>> = Vec::new();
    while let Some(function) = waiting.pop() {
        let name = index.function(function).id;
        for file in index.calling_files(function) {
            if !called.insert((file, name)) {
                continue;
            }
            let sites = index.file(file).map_or(&[][..], |facts| facts.sites_of(name));
            let callers = sites.iter().map(|site| FunctionKey { file, function: site.function });
            waiting.extend(callers.filter(|&caller| members.insert(index, caller)));
            groups.push(Group { file, name, sites });
        }
    }
    let members = members.numbered(index);
    let mut assembled = Assembled {
        program: Program::default(),
        functions: Vec::with_capacity(members.all.len()),
        places: Vec::with_capacity(members.all.len()),
        blocks: Vec::with_capacity(members.all.len()),
    };
    for &key in &members.all {
        let facts = index.function(key);
        let change = changes.functions.get(&key);
        let Builder { routine, places } =
            change.map_or_else(|| Builder::unchanged(facts), |change| Builder::new(facts, change));
        // Only changes are joined by blocks.
        assembled.blocks.push(if change.is_some() { blocks(&routine) } else { Vec::new() });
        assembled.program.functions.push(routine);
        assembled.places.push(places);
        assembled.functions.push(What::Function(key));
    }
    let mut targets: Vec<(Arc<[FunctionNumber]>, bool)> = Vec::with_capacity(groups.len());
    let mut calls: Vec<(FunctionNumber, u32, Node, usize)> = Vec::new();
    for (number, group) in groups.iter().enumerate() {
        let all = index.targets(group.file, group.name);
        let inside: Arc<[FunctionNumber]> = all.iter().filter_map(|&it| members.number(it)).collect();
        let elsewhere = inside.len() < all.len();
        targets.push((inside, elsewhere));
        for site in group.sites {
            let key = FunctionKey { file: group.file, function: site.function };
            let caller = members.number(key).expect("who calls a member is one");
            calls.push((caller, site.call, site.node, number));
        }
    }
    calls.sort_unstable();
    for own in calls.chunk_by(|a, b| a.0 == b.0) {
        let caller = own[0].0 as usize;
        let What::Function(key) = assembled.functions[caller] else { continue };
        let is_changed = changes.functions.contains_key(&key);
        let facts = index.function(key);
        let call = |&(_, call, node, group): &(FunctionNumber, u32, Node, usize)| {
            let node = if is_changed { facts.calls[call as usize].0 } else { node };
            let (targets, elsewhere) = &targets[group];
            Call { node, targets: Arc::clone(targets), elsewhere: *elsewhere }
        };
        assembled.program.functions[caller].calls = own.iter().map(call).collect();
    }
    assembled.program.entries = entries(index, &members.all, &assembled.program);
    for gone in 0..changes.gone.len() {
        let number = assembled.program.functions.len() as FunctionNumber;
        let successors = vec![vec![2], Vec::new(), vec![EXIT]].into();
        let changed = vec![false, false, true];
        assembled.program.functions.push(Routine { successors, calls: Vec::new(), changed });
        assembled.program.entries.push(number);
        assembled.places.push([(2, Standing::Gone)].into_iter().collect());
        assembled.functions.push(What::Gone(gone));
        assembled.blocks.push(vec![0, 1, 2]);
    }
    assembled
}

/// The calls of a name in a file.
struct Group<'a> {
    file: u32,
    name: NameHash,
    sites: &'a [Site],
}

/// Functions of the tree: per file, which of its functions are among them.
#[derive(Default)]
struct Members(Vec<Vec<bool>>);

impl Members {
    /// Puts a function in; whether it was not there.
    fn insert(&mut self, index: &Index, key: FunctionKey) -> bool {
        let file = key.file as usize;
        if self.0.len() <= file {
            self.0.resize_with(file + 1, Vec::new);
        }
        let own = &mut self.0[file];
        if own.is_empty() {
            own.resize(index.file(key.file).map_or(0, |facts| facts.functions.len()), false);
        }
        !std::mem::replace(&mut own[key.function as usize], true)
    }

    /// Numbers them by path: the numbers of files depend on where a walk began.
    fn numbered(self, index: &Index) -> Numbered {
        let mut files: Vec<u32> =
            (0..self.0.len() as u32).filter(|&file| !self.0[file as usize].is_empty()).collect();
        files.sort_by_key(|&file| index.position(FunctionKey { file, function: 0 }));
        let mut numbered = Numbered { all: Vec::new(), numbers: vec![Vec::new(); self.0.len()] };
        for file in files {
            let own = &self.0[file as usize];
            let mut numbers = vec![None; own.len()];
            for function in (0..own.len()).filter(|&function| own[function]) {
                numbers[function] = Some(numbered.all.len() as FunctionNumber);
                numbered.all.push(FunctionKey { file, function: function as u32 });
            }
            numbered.numbers[file as usize] = numbers;
        }
        numbered
    }
}

/// Functions of the tree with their numbers in a program.
struct Numbered {
    all: Vec<FunctionKey>,
    numbers: Vec<Vec<Option<FunctionNumber>>>,
}

impl Numbered {
    fn number(&self, key: FunctionKey) -> Option<FunctionNumber> {
        *self.numbers.get(key.file as usize)?.get(key.function as usize)?
    }
}

/// `main`; without one, what other programs can call, and what nothing calls.
fn entries(index: &Index, members: &[FunctionKey], program: &Program) -> Vec<FunctionNumber> {
    let id = NameHash::of(b"main");
    let is_main = |number: &usize| {
        let facts = index.function(members[*number]);
        facts.id == id && &*facts.name == "main"
    };
    let mains: Vec<FunctionNumber> =
        (0..members.len()).filter(is_main).map(|number| number as FunctionNumber).collect();
    if !mains.is_empty() {
        return mains;
    }
    let mut called = vec![false; members.len()];
    for (caller, routine) in program.functions.iter().enumerate() {
        for &target in routine.calls.iter().flat_map(|call| call.targets.iter()) {
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
        let successors = Flow::Between(Arc::clone(&facts.skeleton));
        let routine = Routine { successors, calls: Vec::new(), changed: Vec::new() };
        Self { routine, places: FxHashMap::default() }
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
        let mut lists = Lists { successors, changed, places };
        for (number, deletion) in change.deletions.iter().enumerate() {
            lists.insert(&deletion.edges, Standing::Deletion(number));
        }
        if change.head {
            let edges: Vec<(Node, Node)> =
                lists.successors[ENTRY as usize].iter().map(|&to| (ENTRY, to)).collect();
            lists.insert(&edges, Standing::Head);
        }
        let Lists { successors, changed, places } = lists;
        Self { routine: Routine { successors: successors.into(), calls: Vec::new(), changed }, places }
    }
}

/// A changed function while nodes are put in.
struct Lists {
    successors: Vec<Vec<Node>>,
    changed: Vec<bool>,
    places: FxHashMap<Node, Standing>,
}

impl Lists {
    /// Puts a changed node on some edges; where they lead to different places, it branches.
    fn insert(&mut self, edges: &[(Node, Node)], standing: Standing) {
        let routine = self;
        let node = routine.successors.len() as Node;
        routine.successors.push(Vec::new());
        routine.changed.push(true);
        routine.places.insert(node, standing);
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
}

/// The basic block of each node: a node belongs to that of the only one before it, if that leads nowhere else.
fn blocks(routine: &Routine) -> Vec<u32> {
    let count = routine.len();
    let mut before: Vec<Option<Node>> = vec![None; count];
    let mut entering = vec![0u32; count];
    for from in 0..count as Node {
        for &to in routine.successors.of(from) {
            entering[to as usize] += 1;
            before[to as usize] = Some(from);
        }
    }
    let joins = |node: usize| {
        let from = before[node]?;
        let single = entering[node] == 1 && routine.successors.of(from).len() == 1;
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
