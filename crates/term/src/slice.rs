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

/// Constraints of which nothing is known yet, up to which each is looked at on its own. Of more, such as those of a long run, each is often made of the
/// one before, and looking at all of them apart would take their number squared.
const APART: usize = 64;

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
            hydrogen_stop::look();
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
        if constraints.iter().filter(|one| !self.known.contains_key(one)).count() > APART {
            return components_at_once(pool, constraints);
        }
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
        groups.of(constraints)
    }
}

/// The same by going through every term once: one that an earlier constraint has, too, joins both.
fn components_at_once(pool: &Pool, constraints: &[Term]) -> Vec<Vec<Term>> {
    let mut groups = Groups::new(constraints.len());
    // The constraint that a term was first found in; none for terms without an unknown.
    let mut owners: FxHashMap<Term, Option<usize>> = FxHashMap::default();
    let mut functions: FxHashMap<Function, usize> = FxHashMap::default();
    let mut elements: Vec<(Term, usize)> = Vec::new();
    for (position, &constraint) in constraints.iter().enumerate() {
        let mut open = vec![(constraint, false)];
        while let Some((term, is_done)) = open.pop() {
            hydrogen_stop::look();
            if let (false, Some(owner)) = (is_done, owners.get(&term)) {
                owner.iter().for_each(|&owner| groups.join(owner, position));
                continue;
            }
            let (op, args) = (pool.op(term), pool.args(term));
            let element = match (op, args) {
                (Op::Select, &[array, index])
                    if matches!(pool.op(array), Op::Var(_)) && pool.as_bits(index).is_some() =>
                {
                    Some(array)
                }
                _ => None,
            };
            if let Some(array) = element {
                elements.push((array, position));
                owners.insert(term, Some(position));
            } else if is_done {
                let has_unknown = matches!(op, Op::Var(_) | Op::Apply(_))
                    || args.iter().any(|arg| owners.get(arg).is_some_and(Option::is_some));
                owners.insert(term, has_unknown.then_some(position));
            } else {
                if let Op::Apply(function) = op {
                    groups.join(*functions.entry(function).or_insert(position), position);
                }
                open.push((term, true));
                open.extend(args.iter().map(|&arg| (arg, false)));
            }
        }
    }
    // Arrays used as a whole touch all of their elements.
    for (array, user) in elements {
        if let Some(&Some(whole)) = owners.get(&array) {
            groups.join(whole, user);
        }
    }
    groups.of(constraints)
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

    /// The constraints of each set, sets and members in the order given.
    fn of(mut self, constraints: &[Term]) -> Vec<Vec<Term>> {
        let mut result: Vec<Vec<Term>> = Vec::new();
        let mut places: FxHashMap<usize, usize> = FxHashMap::default();
        for (position, &constraint) in constraints.iter().enumerate() {
            let place = *places.entry(self.root(position)).or_insert_with(|| {
                result.push(Vec::new());
                result.len() - 1
            });
            result[place].push(constraint);
        }
        result
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sort::Sort;

    /// Both ways to find groups are one: sums that go on from each other, elements and whole arrays, functions, constants.
    #[test]
    fn groups_are_the_same_at_once_and_apart() {
        let mut pool = Pool::new();
        let bytes = pool.var("bytes", Sort::MEMORY);
        let others = pool.var("others", Sort::MEMORY);
        let function = pool.function("f", &[Sort::Bits(8)], Sort::Bits(8));
        let mut constraints = Vec::new();
        let mut sum = pool.var("x", Sort::Bits(8));
        for n in 0..40u32 {
            let number = pool.bits(8, u128::from(n));
            let at = pool.bits(64, u128::from(n));
            let one = pool.select(if n % 3 == 0 { bytes } else { others }, at);
            let y = pool.var(&format!("y{}", n / 4), Sort::Bits(8));
            let value = match n % 5 {
                0 => pool.apply(function, &[one]),
                1 => pool.bitxor(one, y),
                2 => y,
                3 => {
                    sum = pool.mul(sum, sum);
                    sum
                }
                _ => one,
            };
            constraints.push(pool.ult(number, value));
        }
        let index = pool.var("i", Sort::Bits(64));
        let any = pool.select(others, index);
        let zero = pool.bits(8, 0);
        for last in [None, Some(pool.ne(any, zero))] {
            constraints.extend(last);
            let apart = Supports::default().components(&pool, &constraints);
            assert!(apart.len() > 3);
            assert_eq!(apart, components_at_once(&pool, &constraints));
        }
    }
}
