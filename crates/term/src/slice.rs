//! Independence: constraints that share no unknown can be solved apart. An array that is read at constant indices only, such as the bytes of
//! an input, counts as that many unknowns.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    pool::Pool,
    term::{Function, Op, Term},
};

/// Something that a constraint depends on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Unknown {
    /// A variable; of an array, all of it.
    Variable(Term),
    /// One element of an array variable.
    Element(Term, u64),
    /// An uninterpreted function.
    Function(Function),
}

/// Remembers what constraints depend on.
#[derive(Default)]
pub(crate) struct Supports {
    known: FxHashMap<Term, Rc<[Unknown]>>,
}

impl Supports {
    /// What a term depends on, in a fixed order.
    pub fn of(&mut self, pool: &Pool, term: Term) -> Rc<[Unknown]> {
        if let Some(known) = self.known.get(&term) {
            return known.clone();
        }
        let (mut found, mut seen, mut open) = (Vec::new(), FxHashSet::default(), vec![term]);
        while let Some(term) = open.pop() {
            if !seen.insert(term) {
                continue;
            }
            match (pool.op(term), pool.args(term)) {
                (Op::Var(_), _) => found.push(Unknown::Variable(term)),
                (Op::Select, &[array, index]) if matches!(pool.op(array), Op::Var(_)) => {
                    match pool.as_bits(index) {
                        Some(at) => {
                            found.push(Unknown::Element(
                                array,
                                u64::try_from(at).expect("indices have at most 64 bits"),
                            ));
                        }
                        None => open.extend([array, index]),
                    }
                }
                (op, args) => {
                    if let Op::Apply(function) = op {
                        found.push(Unknown::Function(function));
                    }
                    open.extend(args);
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        let found: Rc<[Unknown]> = found.into();
        self.known.insert(term, found.clone());
        found
    }

    /// Groups of constraints that share no unknown; groups and their members in the order given.
    pub fn components(&mut self, pool: &Pool, constraints: &[Term]) -> Vec<Vec<Term>> {
        let mut groups = Groups::new(constraints.len());
        let mut owners: FxHashMap<Unknown, usize> = FxHashMap::default();
        // Arrays used as a whole touch all of their elements.
        let mut elements: FxHashMap<Term, Vec<usize>> = FxHashMap::default();
        let mut wholes: FxHashMap<Term, usize> = FxHashMap::default();
        for (position, &constraint) in constraints.iter().enumerate() {
            for &unknown in self.of(pool, constraint).iter() {
                groups.join(*owners.entry(unknown).or_insert(position), position);
                match unknown {
                    Unknown::Element(array, _) => elements.entry(array).or_default().push(position),
                    Unknown::Variable(array) => {
                        wholes.entry(array).or_insert(position);
                    }
                    Unknown::Function(_) => {}
                }
            }
        }
        for (array, users) in elements {
            if let Some(&whole) = wholes.get(&array) {
                users.into_iter().for_each(|user| groups.join(whole, user));
            }
        }
        let mut result: Vec<Vec<Term>> = Vec::new();
        let mut places: FxHashMap<usize, usize> = FxHashMap::default();
        for (position, &constraint) in constraints.iter().enumerate() {
            let place = *places.entry(groups.root(position)).or_insert_with(|| {
                result.push(Vec::new());
                result.len() - 1
            });
            result[place].push(constraint);
        }
        result
    }
}

/// Disjoint sets of positions.
struct Groups {
    parents: Vec<usize>,
}

impl Groups {
    fn new(count: usize) -> Self {
        Self { parents: (0..count).collect() }
    }

    fn root(&mut self, mut position: usize) -> usize {
        while self.parents[position] != position {
            self.parents[position] = self.parents[self.parents[position]];
            position = self.parents[position];
        }
        position
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parents[a.max(b)] = a.min(b);
    }
}

/// Splits constraints into groups that share no variable, array element or function; in the order given.
pub fn components(pool: &Pool, constraints: &[Term]) -> Vec<Vec<Term>> {
    Supports::default().components(pool, constraints)
}

/// Those of the constraints that the query depends on, directly or through others; in the order given.
pub fn slice(pool: &Pool, constraints: &[Term], query: Term) -> Vec<Term> {
    let with_query: Vec<Term> = constraints.iter().copied().chain([query]).collect();
    let groups = components(pool, &with_query);
    let mut own = groups.into_iter().find(|group| group.last() == Some(&query)).unwrap_or_default();
    own.pop();
    own
}
