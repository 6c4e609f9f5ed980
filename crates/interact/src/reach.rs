//! Which changes may follow each other (Definition 14), for whole programs.
//!
//! Control goes from a change to another one by climbing first, out of the functions that are being executed, and then
//! descending, into functions that are called. So two sets per function are enough: `first`, the changes that are met
//! first when the function is called, and `after`, those that are met first when it has returned. Both refer to sets of
//! other functions, and to sets of places behind calls.

use crate::Reading;
use crate::csg::{Csg, END, START, TooLarge, Vertex};
use crate::program::{ENTRY, EXIT, Flow, FunctionNumber, Program, Routine};
use crate::reference::{Found, References};
use crate::skeleton::Whole;
use crate::walk::{Met, Place, Walker};

/// More edges than this are not listed: the graph would take gigabytes, and its number says nothing more.
const MOST_EDGES: usize = 20_000_000;

/// The change sequence graph of a program, statement by statement.
pub fn change_sequences(program: &Program, reading: Reading) -> Result<Csg, TooLarge> {
    let mut search = Search::new(program, reading);
    let live = search.live();
    search.passes = search.fixpoint(false);
    let (numbers, references) = search.references(&live);
    let mut sets = Found::new(&references);
    let mut successors: Vec<Vec<u32>> = vec![Vec::new(); search.vertices.len()];
    let mut edges = 0;
    let mut starts: Vec<u32> = Vec::new();
    for &entry in &live.entries {
        starts.extend(sets.get(entry).iter().filter(|&&vertex| vertex != END));
    }
    successors[START as usize] = unique(starts);
    for (number, slot) in successors.iter_mut().enumerate().skip(2) {
        let Vertex { function, node } = search.vertices[number];
        let met = search.walk(function, Place { node, calls: 0 }, false);
        let mut row = unique(search.direct(function, &met));
        if reading == Reading::Thesis && met.exit {
            row = union(row, &[END]);
        }
        for target in search.targets(function, &met) {
            row = union(row, sets.get(target));
        }
        if reading == Reading::Full && met.exit {
            row = union(row, sets.get(numbers.after(function)));
        }
        *slot = row;
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

/// Joins two sorted lists. Most are short, or have all that the other one has.
fn union(mut row: Vec<u32>, other: &[u32]) -> Vec<u32> {
    if row.is_empty() || row == other {
        return other.to_vec();
    }
    if other.iter().all(|it| row.binary_search(it).is_ok()) {
        return row;
    }
    row.extend_from_slice(other);
    // Two runs that are sorted: this merges them.
    row.sort();
    row.dedup();
    row
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
    /// Per function, which of its calls can be made; nothing for all of them.
    calls: Vec<Option<Vec<bool>>>,
}

/// How the sets are numbered: `first` of all functions; what is behind each call, by function; `after` of all functions.
struct Numbers {
    /// Per function, what is behind its first call.
    calls: Vec<u32>,
    after: u32,
}

impl Numbers {
    fn of(program: &Program) -> Self {
        let mut next = program.functions.len() as u32;
        let mut calls = Vec::with_capacity(program.functions.len());
        for routine in &program.functions {
            calls.push(next);
            next += routine.calls.len() as u32;
        }
        Self { calls, after: next }
    }

    /// What is met first behind a call, by its position, after the function has returned too.
    fn behind(&self, function: FunctionNumber, call: usize) -> u32 {
        self.calls[function as usize] + call as u32
    }

    /// What is met first when a function has returned.
    fn after(&self, function: FunctionNumber) -> u32 {
        self.after + function
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

    fn routine(&self, function: FunctionNumber) -> &'a Routine {
        &self.program.functions[function as usize]
    }

    /// Whether a call may come back without a change in between.
    fn is_passed(&self, routine: &Routine, call: usize) -> bool {
        let call = &routine.calls[call];
        call.elsewhere || call.targets.iter().any(|&target| self.passes[target as usize])
    }

    fn walk(&mut self, function: FunctionNumber, start: Place, through: bool) -> Met {
        let routine = self.routine(function);
        let mut walker = std::mem::take(&mut self.walker);
        let met = walker.walk(routine, start, self.reading, through, |call| self.is_passed(routine, call));
        self.walker = walker;
        met
    }

    /// What control comes to in a function without changes of which all calls come back: most are such, and need no walk.
    fn whole(&self, function: FunctionNumber) -> Option<Whole> {
        let routine = self.routine(function);
        let Flow::Between(skeleton) = &routine.successors else { return None };
        let all = (0..routine.calls.len()).all(|call| self.is_passed(routine, call));
        all.then(|| skeleton.whole())
    }

    /// Per function, whether it may return; with `through`, whatever changes it meets. The least solution: what only
    /// returns if it returns, does not.
    fn fixpoint(&mut self, through: bool) -> Vec<bool> {
        let count = self.program.functions.len();
        if self.reading == Reading::Thesis {
            return vec![true; count];
        }
        self.passes = vec![false; count];
        self.walker.only_exit = true;
        // Most is known of whom a function calls when it is looked at; few are looked at again.
        let mut waiting = self.callees_first.clone();
        loop {
            let before = waiting.len();
            waiting.retain(|&function| {
                let returns = match self.whole(function) {
                    Some(whole) => whole.exit,
                    None => self.walk(function, Place { node: ENTRY, calls: 0 }, through).exit,
                };
                self.passes[function as usize] = returns;
                !returns
            });
            if waiting.len() == before || waiting.is_empty() {
                break;
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
        let mut live = Live { entries: Vec::new(), functions: vec![false; count], calls: vec![None; count] };
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
            for &target in routine.calls.iter().flat_map(|call| call.targets.iter()) {
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
            let routine = self.routine(function);
            if self.whole(function).is_some_and(|whole| whole.calls) {
                let targets = routine.calls.iter().flat_map(|call| call.targets.iter().copied());
                waiting.extend(targets.filter(|&target| !live.functions[target as usize]));
                continue;
            }
            let met = self.walk(function, Place { node: ENTRY, calls: 0 }, true);
            let mut calls = vec![false; routine.calls.len()];
            met.calls.iter().for_each(|&call| calls[call] = true);
            live.calls[function as usize] = Some(calls);
            waiting.extend(self.targets(function, &met));
        }
    }

    /// The functions that may be called.
    fn targets(&self, function: FunctionNumber, met: &Met) -> Vec<FunctionNumber> {
        let routine = self.routine(function);
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

    /// What the sets of all functions, and those behind calls, are made of.
    fn references(&mut self, live: &Live) -> (Numbers, References) {
        let count = self.program.functions.len() as FunctionNumber;
        let numbers = Numbers::of(self.program);
        let mut references = References::default();
        for function in 0..count {
            if live.functions[function as usize] {
                self.refer_first(function, &mut references);
            }
            references.add();
        }
        if self.reading == Reading::Thesis {
            return (numbers, references);
        }
        // What is behind the calls that can be made, by whom they may reach.
        let mut behind: Vec<(FunctionNumber, u32)> = Vec::new();
        for function in 0..count {
            let routine = self.routine(function);
            let is_live = |call: usize| {
                let calls = live.calls[function as usize].as_ref();
                live.functions[function as usize] && calls.is_none_or(|calls| calls[call])
            };
            let whole = self.whole(function).is_some();
            for (number, call) in routine.calls.iter().enumerate() {
                if is_live(number) {
                    self.refer_behind(function, number, whole, &numbers, &mut references);
                    let place = numbers.behind(function, number);
                    behind.extend(call.targets.iter().map(|&target| (target, place)));
                }
                references.add();
            }
        }
        debug_assert_eq!(references.len(), numbers.after, "every set has its number");
        behind.sort_unstable();
        let mut behind = behind.into_iter().peekable();
        let mut entries = live.entries.iter().copied().peekable();
        for function in 0..count {
            while let Some((_, place)) = behind.next_if(|(target, _)| *target == function) {
                references.refer(place);
            }
            if entries.next_if_eq(&function).is_some() {
                references.element(END);
            }
            references.add();
        }
        (numbers, references)
    }

    /// What is met first when a function is called.
    fn refer_first(&mut self, function: FunctionNumber, references: &mut References) {
        let routine = self.routine(function);
        let is_full = self.reading == Reading::Full;
        if let Some(whole) = self.whole(function).filter(|whole| whole.calls) {
            let targets = routine.calls.iter().flat_map(|call| call.targets.iter());
            targets.for_each(|&target| references.refer(target));
            if whole.end && is_full {
                references.element(END);
            }
            return;
        }
        let met = self.walk(function, Place { node: ENTRY, calls: 0 }, false);
        let direct = self.direct(function, &met);
        direct.into_iter().filter(|&it| it != END || is_full).for_each(|it| references.element(it));
        self.targets(function, &met).into_iter().for_each(|target| references.refer(target));
    }

    /// What is met first behind a call, after the function has returned too; `whole` says that the function has no changes and
    /// that all its calls come back.
    fn refer_behind(
        &mut self,
        function: FunctionNumber,
        call: usize,
        whole: bool,
        numbers: &Numbers,
        references: &mut References,
    ) {
        let routine = self.routine(function);
        let node = routine.calls[call].node;
        let known = match &routine.successors {
            Flow::Between(skeleton) if whole => skeleton.behind(node),
            _ => None,
        };
        if let Some(known) = known {
            for (number, other) in routine.calls.iter().enumerate() {
                if other.node == node && number > call || known.reaches(other.node) {
                    other.targets.iter().for_each(|&target| references.refer(target));
                }
            }
            if known.ends() {
                references.element(END);
            }
            if known.reaches(EXIT) {
                references.refer(numbers.after(function));
            }
            return;
        }
        let done = call + 1 - routine.calls_of(node).start;
        let met = self.walk(function, Place { node, calls: done }, false);
        self.direct(function, &met).into_iter().for_each(|it| references.element(it));
        self.targets(function, &met).into_iter().for_each(|target| references.refer(target));
        if met.exit {
            references.refer(numbers.after(function));
        }
    }
}
