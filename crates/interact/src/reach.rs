//! Which changes may follow each other (Definition 14), for whole programs.
//!
//! Control goes from a change to another one by climbing first, out of the functions that are being executed, and then
//! descending, into functions that are called. So two sets per function are enough: `first`, the changes that are met
//! first when the function is called, and `after`, those that are met first when it has returned. They are computed from
//! walks inside single functions; recursion is solved by components.

use crate::Reading;
use crate::csg::{Csg, END, START, TooLarge, Vertex};
use crate::program::{ENTRY, FunctionNumber, Program};
use crate::walk::{Met, Place, Walker};
use hydrogen_flow::{Components, Digraph, Successors};
use std::sync::Arc;

/// More edges than this are not listed: the graph would take gigabytes, and its number says nothing more.
const MOST_EDGES: usize = 20_000_000;

/// The change sequence graph of a program, statement by statement.
pub fn change_sequences(program: &Program, reading: Reading) -> Result<Csg, TooLarge> {
    let mut search = Search::new(program, reading);
    let live = search.live();
    search.passes = search.fixpoint(false);
    let sets = search.sets(&live);
    let mut successors: Vec<Vec<u32>> = vec![Vec::new(); search.vertices.len()];
    let mut edges = 0;
    let mut starts: Vec<u32> = Vec::new();
    for &entry in &live.entries {
        starts.extend(sets.first(entry).iter().filter(|&&vertex| vertex != END));
    }
    successors[START as usize] = unique(starts);
    for (number, slot) in successors.iter_mut().enumerate().skip(2) {
        let Vertex { function, node } = search.vertices[number];
        let met = search.walk(function, Place { node, calls: 0 }, false);
        let mut row = search.direct(function, &met);
        if reading == Reading::Thesis && met.exit {
            row.push(END);
        }
        for target in search.targets(function, &met) {
            row.extend_from_slice(sets.first(target));
        }
        if reading == Reading::Full && met.exit {
            row.extend_from_slice(sets.after(function));
        }
        *slot = unique(row);
        edges += slot.len();
        if edges > MOST_EDGES {
            return Err(TooLarge { edges: MOST_EDGES });
        }
    }
    Ok(Csg::connected(search.vertices, successors))
}

/// The functions of a program, those that are called first.
fn callees_first(program: &Program) -> Vec<FunctionNumber> {
    let count = program.functions.len();
    let called = |function: FunctionNumber, at: usize| program.functions[function as usize].calls.get(at);
    let mut order = Vec::with_capacity(count);
    let mut seen = vec![false; count];
    // Functions with the next of their calls, and the next of its targets.
    let mut open: Vec<(FunctionNumber, usize, usize)> = Vec::new();
    for root in 0..count as FunctionNumber {
        if std::mem::replace(&mut seen[root as usize], true) {
            continue;
        }
        open.push((root, 0, 0));
        while let Some((function, call, target)) = open.pop() {
            let Some(next) = called(function, call) else {
                order.push(function);
                continue;
            };
            match next.targets.get(target) {
                Some(&callee) => {
                    open.push((function, call, target + 1));
                    if !std::mem::replace(&mut seen[callee as usize], true) {
                        open.push((callee, 0, 0));
                    }
                }
                None => open.push((function, call + 1, 0)),
            }
        }
    }
    order
}

fn unique(mut list: Vec<u32>) -> Vec<u32> {
    list.sort_unstable();
    list.dedup();
    list
}

struct Search<'a> {
    program: &'a Program,
    reading: Reading,
    /// Start, end, then the changed nodes by function and node.
    vertices: Vec<Vertex>,
    /// Per function, the vertex of its first change.
    offsets: Vec<u32>,
    /// All functions, those that are called before those that call them, as far as there is such an order.
    callees_first: Vec<FunctionNumber>,
    walker: Walker,
    /// Per function, whether a call may come back without meeting a change.
    passes: Vec<bool>,
}

/// What a run can come to.
struct Live {
    entries: Vec<FunctionNumber>,
    functions: Vec<bool>,
    /// Per function, which of its calls can be made.
    calls: Vec<Vec<bool>>,
}

/// The sets `first` of all functions, then `after` of all functions, by component.
struct Sets {
    functions: usize,
    components: Components,
    sets: Vec<Arc<[u32]>>,
}

impl Sets {
    fn first(&self, function: FunctionNumber) -> &[u32] {
        &self.sets[self.components.component_of(function as usize)]
    }

    fn after(&self, function: FunctionNumber) -> &[u32] {
        &self.sets[self.components.component_of(self.functions + function as usize)]
    }
}

impl<'a> Search<'a> {
    fn new(program: &'a Program, reading: Reading) -> Self {
        let mut vertices = vec![Vertex { function: 0, node: 0 }, Vertex { function: 0, node: 1 }];
        let mut offsets = Vec::with_capacity(program.functions.len());
        for (number, routine) in program.functions.iter().enumerate() {
            offsets.push(vertices.len() as u32);
            let function = number as FunctionNumber;
            vertices.extend(routine.changes().map(|node| Vertex { function, node }));
        }
        let callees_first = callees_first(program);
        let walker = Walker::default();
        Self { program, reading, vertices, offsets, callees_first, walker, passes: Vec::new() }
    }

    fn walk(&mut self, function: FunctionNumber, start: Place, through: bool) -> Met {
        let routine = &self.program.functions[function as usize];
        let passes = |call: usize| {
            let call = &routine.calls[call];
            call.elsewhere || call.targets.iter().any(|&target| self.passes[target as usize])
        };
        self.walker.walk(routine, start, self.reading, through, passes)
    }

    /// Per function, whether it may return; with `through`, whatever changes it meets. The least solution: what only
    /// returns if it returns, does not.
    fn fixpoint(&mut self, through: bool) -> Vec<bool> {
        let count = self.program.functions.len();
        if self.reading == Reading::Thesis {
            return vec![true; count];
        }
        let mut callers: Vec<Vec<u32>> = vec![Vec::new(); count];
        for (caller, routine) in self.program.functions.iter().enumerate() {
            for &target in routine.calls.iter().flat_map(|call| &call.targets) {
                callers[target as usize].push(caller as u32);
            }
        }
        self.passes = vec![false; count];
        self.walker.only_exit = true;
        // Most is known of whom a function calls when it is looked at.
        let mut waiting: Vec<u32> = self.callees_first.iter().rev().copied().collect();
        while let Some(function) = waiting.pop() {
            if self.passes[function as usize] {
                continue;
            }
            if self.walk(function, Place { node: ENTRY, calls: 0 }, through).exit {
                self.passes[function as usize] = true;
                waiting.extend(callers[function as usize].iter().filter(|&&it| !self.passes[it as usize]));
            }
        }
        self.walker.only_exit = false;
        std::mem::take(&mut self.passes)
    }

    /// What runs from the entries can come to. Functions with changes that no run comes to are entries too, so that no
    /// change is lost: they may be called in ways that cannot be seen.
    fn live(&mut self) -> Live {
        let count = self.program.functions.len();
        self.passes = self.fixpoint(true);
        let calls = self.program.functions.iter().map(|routine| vec![false; routine.calls.len()]).collect();
        let mut live = Live { entries: Vec::new(), functions: vec![false; count], calls };
        for &entry in &self.program.entries {
            self.enter(entry, &mut live);
        }
        let lost: Vec<usize> = (0..count)
            .filter(|&it| !live.functions[it] && self.program.functions[it].changes().next().is_some())
            .collect();
        // From above first: what calls them, and is called by nothing itself.
        for function in self.roots_above(&lost).into_iter().chain(lost) {
            if !live.functions[function] {
                self.enter(function as FunctionNumber, &mut live);
            }
        }
        live.entries.sort_unstable();
        live.entries.dedup();
        live
    }

    /// The functions that lead to these and are called by no other.
    fn roots_above(&self, functions: &[usize]) -> Vec<usize> {
        if functions.is_empty() {
            return Vec::new();
        }
        let mut callers: Vec<Vec<usize>> = vec![Vec::new(); self.program.functions.len()];
        for (caller, routine) in self.program.functions.iter().enumerate() {
            for &target in routine.calls.iter().flat_map(|call| &call.targets) {
                if target as usize != caller {
                    callers[target as usize].push(caller);
                }
            }
        }
        let mut above = vec![false; callers.len()];
        let mut waiting = functions.to_vec();
        while let Some(function) = waiting.pop() {
            if !std::mem::replace(&mut above[function], true) {
                waiting.extend(&callers[function]);
            }
        }
        (0..callers.len()).filter(|&it| above[it] && callers[it].is_empty()).collect()
    }

    fn enter(&mut self, entry: FunctionNumber, live: &mut Live) {
        live.entries.push(entry);
        let mut waiting = vec![entry];
        while let Some(function) = waiting.pop() {
            if std::mem::replace(&mut live.functions[function as usize], true) {
                continue;
            }
            let met = self.walk(function, Place { node: ENTRY, calls: 0 }, true);
            met.calls.iter().for_each(|&call| live.calls[function as usize][call] = true);
            waiting.extend(self.targets(function, &met));
        }
    }

    /// The functions that may be called.
    fn targets(&self, function: FunctionNumber, met: &Met) -> Vec<FunctionNumber> {
        let routine = &self.program.functions[function as usize];
        unique(met.calls.iter().flat_map(|&call| routine.calls[call].targets.iter().copied()).collect())
    }

    /// The vertices that were met in the function itself.
    fn direct(&self, function: FunctionNumber, met: &Met) -> Vec<u32> {
        let offset = self.offsets[function as usize];
        let next = self.offsets.get(function as usize + 1).map_or(self.vertices.len(), |&next| next as usize);
        let own = &self.vertices[offset as usize..next];
        let number = |node: &u32| {
            let place = own.binary_search_by_key(node, |vertex| vertex.node).expect("changes are vertices");
            offset + place as u32
        };
        let mut found: Vec<u32> = met.changes.iter().map(number).collect();
        if met.end {
            found.push(END);
        }
        found
    }

    fn sets(&mut self, live: &Live) -> Sets {
        let count = self.program.functions.len();
        let mut direct: Vec<Vec<u32>> = vec![Vec::new(); 2 * count];
        let mut references: Vec<(usize, usize)> = Vec::new();
        for function in (0..count as FunctionNumber).filter(|&it| live.functions[it as usize]) {
            let met = self.walk(function, Place { node: ENTRY, calls: 0 }, false);
            direct[function as usize] = self.direct(function, &met);
            if self.reading == Reading::Thesis {
                direct[function as usize].retain(|&vertex| vertex != END);
            }
            let targets = self.targets(function, &met);
            references.extend(targets.into_iter().map(|target| (function as usize, target as usize)));
            if self.reading == Reading::Full {
                self.after_calls(function, live, &mut direct, &mut references);
            }
        }
        for &entry in &live.entries {
            direct[count + entry as usize].push(END);
        }
        references.sort_unstable();
        references.dedup();
        let graph = Digraph::unlabelled(2 * count, references);
        let components = Components::of(&graph);
        let mut sets: Vec<Arc<[u32]>> = Vec::with_capacity(components.count());
        // What is referred to comes first.
        for component in 0..components.count() {
            let mut below: Vec<usize> = Vec::new();
            let mut own: Vec<u32> = Vec::new();
            for &member in components.members(component) {
                own.extend_from_slice(&direct[member]);
                below.extend(graph.successors(member).map(|other| components.component_of(other)));
            }
            below.sort_unstable();
            below.dedup();
            below.retain(|&other| other != component);
            sets.push(match below[..] {
                [only] if own.is_empty() => Arc::clone(&sets[only]),
                _ => {
                    below.iter().for_each(|&other| own.extend_from_slice(&sets[other]));
                    unique(own).into()
                }
            });
        }
        Sets { functions: count, components, sets }
    }

    /// What is met after each call that the function makes belongs to what is met after the called functions.
    fn after_calls(
        &mut self,
        caller: FunctionNumber,
        live: &Live,
        direct: &mut [Vec<u32>],
        references: &mut Vec<(usize, usize)>,
    ) {
        let program = self.program;
        let count = program.functions.len();
        let routine = &program.functions[caller as usize];
        for (number, call) in routine.calls.iter().enumerate() {
            if !live.calls[caller as usize][number] {
                continue;
            }
            let done = number + 1 - routine.calls_of(call.node).start;
            let met = self.walk(caller, Place { node: call.node, calls: done }, false);
            let found = self.direct(caller, &met);
            let next = self.targets(caller, &met);
            for &target in &call.targets {
                let after = count + target as usize;
                direct[after].extend_from_slice(&found);
                references.extend(next.iter().map(|&next| (after, next as usize)));
                if met.exit {
                    references.push((after, count + caller as usize));
                }
            }
        }
    }
}
