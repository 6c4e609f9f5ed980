//! The constraint solver: inclusion constraints, solved in waves (Pereira and Berlin, "Wave propagation and deep
//! propagation for pointer analysis").
//!
//! A wave collapses the cycles of the copy graph, passes what is new along copies and moves in topological
//! order, and then lets loads, stores, copies of memory and calls add new edges. It ends when a wave adds nothing.

use super::address::Move;
use super::calls::{Site, Target};
use super::copies::MemoryCopy;
use super::memory::{Location, ObjectState};
use super::set::Set;
use crate::{Components, Successors};
use rustc_hash::{FxHashMap, FxHashSet};

/// A set of locations to be found.
pub(crate) type Var = u32;
/// A place in memory: an object and an offset.
pub(crate) type Loc = u32;
/// An object.
pub(crate) type Obj = u32;

/// What unknown code can get at: every location that flows here escapes.
pub(crate) const ESCAPED: Var = 0;
/// What unknown code hands out: always exactly [`UNKNOWN`].
pub(crate) const FOREIGN: Var = 1;
/// Takes what is stored where nothing can be stored. Never read.
pub(crate) const SINK: Var = 2;
/// Never holds anything.
pub(crate) const EMPTY: Var = 3;
/// The location of all unknown memory. A pointer to it may point anywhere into any escaped object.
pub(crate) const UNKNOWN: Loc = 0;

/// Cycles through address arithmetic are widened from this wave on: most sets are stable by then, and what still
/// grows is a pointer that walks.
const PATIENCE: usize = 12;

/// What happens to each new pointee of a variable.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Complex {
    /// What is stored `at` bytes behind the pointee flows to `to`.
    Load { to: Var, at: u32 },
    /// `value` flows to what is stored `at` bytes behind the pointee.
    Store { value: Var, at: u32 },
    /// The pointee is a destination or a source of this copy of memory.
    Copy(u32),
    /// The pointee is called here.
    Call(u32),
    /// The pointee escapes.
    Escape,
}

/// Which variables have something new to pass on.
#[derive(Debug, Clone, Copy, Default)]
struct Dirty {
    edges: bool,
    complex: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Solver {
    parents: Vec<Var>,
    sets: Vec<Set>,
    passed: Vec<Set>,
    seen: Vec<Set>,
    dirty: Vec<Dirty>,
    copies: Vec<Vec<Var>>,
    moves: Vec<Vec<(Var, u32)>>,
    complex: Vec<Vec<Complex>>,
    known_copies: FxHashSet<(Var, Var)>,
    move_table: Vec<Move>,
    move_ids: FxHashMap<Move, u32>,
    moved: FxHashMap<(Loc, u32), Loc>,
    pub(super) objects: Vec<ObjectState>,
    pub(super) locations: Vec<Location>,
    pub(super) memory_copies: Vec<MemoryCopy>,
    /// Locations whose object has rules to be applied to them.
    pub(super) new_cells: Vec<Loc>,
    /// The locations of escaped objects, the unknown memory excepted.
    pub(super) escaped: Set,
    pub(super) sites: Vec<Site>,
    pub(super) targets: FxHashMap<Obj, Target>,
    changed: bool,
    grown: bool,
    unified: usize,
    pub(super) work: u64,
    pub(super) waves: usize,
}

impl Solver {
    pub fn new() -> Self {
        let mut solver = Self::default();
        for _ in [ESCAPED, FOREIGN, SINK, EMPTY] {
            solver.fresh();
        }
        solver.add_unknown();
        solver.insert(FOREIGN, UNKNOWN);
        solver.when(ESCAPED, Complex::Escape);
        solver
    }

    pub fn fresh(&mut self) -> Var {
        let var = Var::try_from(self.parents.len()).expect("fewer than 2^32 variables");
        self.parents.push(var);
        self.sets.push(Set::default());
        self.passed.push(Set::default());
        self.seen.push(Set::default());
        self.dirty.push(Dirty::default());
        self.copies.push(Vec::new());
        self.moves.push(Vec::new());
        self.complex.push(Vec::new());
        var
    }

    pub fn variables(&self) -> usize {
        self.parents.len()
    }

    /// The variable that stands for `var` since cycles were collapsed.
    pub fn find(&self, mut var: Var) -> Var {
        while self.parents[var as usize] != var {
            var = self.parents[var as usize];
        }
        var
    }

    pub fn set(&self, var: Var) -> &Set {
        &self.sets[self.find(var) as usize]
    }

    pub fn insert(&mut self, var: Var, loc: Loc) {
        self.grow(var, &Set::from_iter([loc]));
    }

    /// Adds locations to a variable.
    ///
    /// A set with [`UNKNOWN`] need not list escaped locations: what is stored there escapes, what is loaded from
    /// there is unknown anyway. Leaving them out keeps the sets of programs with unknown parts small.
    fn grow(&mut self, var: Var, by: &Set) {
        let var = self.find(var) as usize;
        self.work += by.weight() as u64;
        // What escapes must be listed where escaping is found out.
        if var == SINK as usize || by.is_empty() {
            return;
        }
        let listed = var == ESCAPED as usize;
        if !listed && self.sets[var].contains(UNKNOWN) {
            let new = by.difference(&self.escaped);
            if self.sets[var].union(&new) {
                self.mark(var);
            }
        } else if self.sets[var].union(by) {
            if !listed && by.contains(UNKNOWN) {
                self.sets[var] = self.sets[var].difference(&self.escaped);
            }
            self.mark(var);
        }
    }

    fn mark(&mut self, var: usize) {
        self.dirty[var] = Dirty { edges: true, complex: true };
        self.changed = true;
    }

    /// Everything in `from` is also in `to`.
    pub fn copy(&mut self, from: Var, to: Var) {
        let (from, to) = (self.find(from), self.find(to));
        if from == to || to == SINK || from == EMPTY || from == SINK || !self.known_copies.insert((from, to))
        {
            return;
        }
        self.copies[from as usize].push(to);
        self.grown = true;
        let set = std::mem::take(&mut self.sets[from as usize]);
        self.grow(to, &set);
        self.sets[from as usize] = set;
    }

    /// Everything in `from`, moved, is also in `to`.
    pub fn displace(&mut self, from: Var, to: Var, by: Move) {
        if by == Move::STAY {
            return self.copy(from, to);
        }
        let id = self.intern(by);
        let from = self.find(from);
        self.moves[from as usize].push((to, id));
        self.grown = true;
        let set = self.sets[from as usize].clone();
        self.pass_move(&set, to, id);
    }

    fn intern(&mut self, by: Move) -> u32 {
        let next = self.move_table.len() as u32;
        let id = *self.move_ids.entry(by.clone()).or_insert(next);
        if id == next {
            self.move_table.push(by);
        }
        id
    }

    pub fn when(&mut self, var: Var, complex: Complex) {
        let var = self.find(var) as usize;
        self.complex[var].push(complex);
        // Rare after generation, so the variable simply starts again.
        self.seen[var] = Set::default();
        if !self.sets[var].is_empty() {
            self.dirty[var].complex = true;
            self.changed = true;
        }
    }

    fn pass_move(&mut self, set: &Set, to: Var, id: u32) {
        let by = self.move_table[id as usize].clone();
        let mut out = Vec::new();
        for loc in set.iter() {
            // A result stays right when cells are unified later: its location is then unified too.
            if let Some(&known) = self.moved.get(&(loc, id)) {
                out.push(known);
                continue;
            }
            let before = out.len();
            self.moved(loc, &by, &mut out);
            if let [only] = out[before..] {
                self.moved.insert((loc, id), only);
            }
        }
        self.work += set.len() as u64;
        out.sort_unstable();
        out.dedup();
        let results: Set = out.into_iter().collect();
        self.grow(to, &results);
    }

    /// Solves all constraints; false when that took more than `budget` units of work.
    pub fn run(&mut self, budget: u64) -> bool {
        let mut order = Vec::new();
        self.changed = true;
        self.grown = true;
        while std::mem::take(&mut self.changed) {
            self.waves += 1;
            if std::mem::take(&mut self.grown) {
                self.collapse_cycles();
                order = self.order();
            }
            for &var in &order {
                self.pass(var);
            }
            for var in 0..self.parents.len() as Var {
                self.react(var);
                if self.work > budget {
                    return false;
                }
            }
        }
        true
    }

    /// Passes what is new in `var` along its copies and moves.
    fn pass(&mut self, var: Var) {
        let at = var as usize;
        if self.parents[at] != var || !std::mem::take(&mut self.dirty[at].edges) {
            return;
        }
        let new = self.sets[at].difference(&self.passed[at]);
        let unified = self.unified;
        for index in 0..self.copies[at].len() {
            let to = self.copies[at][index];
            self.grow(to, &new);
        }
        let mut index = 0;
        while index < self.moves[at].len() {
            let (to, id) = self.moves[at][index];
            self.pass_move(&new, to, id);
            index += 1;
        }
        // A move can unify cells, and this variable with another, whose edges then miss what was passed here.
        if self.unified == unified {
            self.passed[at].union(&new);
        } else {
            self.mark(at);
        }
    }

    /// Lets the constraints on `var` see what is new in it.
    fn react(&mut self, var: Var) {
        let at = var as usize;
        if self.parents[at] != var || !std::mem::take(&mut self.dirty[at].complex) {
            return;
        }
        if self.complex[at].is_empty() {
            return;
        }
        let new = self.sets[at].difference(&self.seen[at]);
        self.seen[at].union(&new);
        for complex in self.complex[at].clone() {
            self.work += new.len() as u64;
            match complex {
                Complex::Load { to, at } => self.load(&new, at, to),
                Complex::Store { value, at } => self.store(&new, at, value),
                Complex::Copy(index) => self.copy_memory(index),
                Complex::Call(site) => new.iter().for_each(|loc| self.call(site, loc)),
                Complex::Escape => new.iter().for_each(|loc| self.escape(loc)),
            }
            self.settle();
        }
    }

    fn collapse_cycles(&mut self) {
        let components = Components::of(&View { solver: self, moves: false });
        for members in components.bottom_up().filter(|members| members.len() > 1) {
            for &member in &members[1..] {
                self.unify(members[0] as Var, member as Var);
            }
        }
    }

    /// Makes two variables one.
    pub fn unify(&mut self, a: Var, b: Var) {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return;
        }
        let (keep, gone) = (a.min(b) as usize, a.max(b) as usize);
        self.parents[gone] = keep as Var;
        self.unified += 1;
        let set = std::mem::take(&mut self.sets[gone]);
        self.grow(keep as Var, &set);
        let passed = std::mem::take(&mut self.passed[gone]);
        self.passed[keep] = self.passed[keep].intersection(&passed);
        let seen = std::mem::take(&mut self.seen[gone]);
        self.seen[keep] = match (self.complex[keep].is_empty(), self.complex[gone].is_empty()) {
            (false, false) => self.seen[keep].intersection(&seen),
            (true, _) => seen,
            (false, true) => std::mem::take(&mut self.seen[keep]),
        };
        let copies = std::mem::take(&mut self.copies[gone]);
        self.copies[keep].extend(copies);
        let moves = std::mem::take(&mut self.moves[gone]);
        self.moves[keep].extend(moves);
        let complex = std::mem::take(&mut self.complex[gone]);
        self.complex[keep].extend(complex);
        self.mark(keep);
        self.grown = true;
    }

    /// The variables in topological order; what still walks in a circle after some waves is widened.
    fn order(&mut self) -> Vec<Var> {
        self.tidy();
        let components = Components::of(&View { solver: self, moves: true });
        let mut wider = Vec::new();
        if self.waves >= PATIENCE {
            for var in 0..self.parents.len() {
                for (index, &(to, id)) in self.moves[var].iter().enumerate() {
                    let circular =
                        components.component_of(var) == components.component_of(self.find(to) as usize);
                    if let Move::By { distance, strides } = &self.move_table[id as usize]
                        && circular
                        && *distance != 0
                    {
                        let strides = strides.iter().copied().chain([distance.unsigned_abs()]).collect();
                        wider.push((var, index, Move::By { distance: 0, strides }));
                    }
                }
            }
        }
        let order = components
            .bottom_up()
            .rev()
            .flatten()
            .map(|&var| var as Var)
            .filter(|&var| self.parents[var as usize] == var)
            .collect();
        for (var, index, by) in wider {
            let id = self.intern(by);
            self.moves[var][index].1 = id;
            self.passed[var] = Set::default();
            if !self.sets[var].is_empty() {
                self.mark(var);
            }
        }
        order
    }

    /// Renames the ends of edges after unification, and drops doubles.
    fn tidy(&mut self) {
        for var in 0..self.parents.len() {
            let mut copies = std::mem::take(&mut self.copies[var]);
            for to in &mut copies {
                *to = self.find(*to);
            }
            copies.sort_unstable();
            copies.dedup();
            copies.retain(|&to| to as usize != var);
            self.copies[var] = copies;
            let mut moves = std::mem::take(&mut self.moves[var]);
            for (to, _) in &mut moves {
                *to = self.find(*to);
            }
            moves.sort_unstable();
            moves.dedup();
            self.moves[var] = moves;
        }
    }
}

/// The graph of copies, and of moves where asked for.
struct View<'a> {
    solver: &'a Solver,
    moves: bool,
}

impl Successors for View<'_> {
    fn node_count(&self) -> usize {
        self.solver.parents.len()
    }

    fn successors(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        let moves = self.solver.moves[node].iter().filter(|_| self.moves).map(|&(to, _)| to);
        let copies = self.solver.copies[node].iter().copied();
        copies.chain(moves).map(|to| self.solver.find(to) as usize)
    }
}
