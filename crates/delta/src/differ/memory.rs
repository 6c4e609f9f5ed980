//! What memory holds otherwise, place by place.

use super::{Case, Differ, Difference, Places};
use hydrogen_sym::{
    segment::{Did, Step},
    state::Origin,
};
use hydrogen_term::{Op, Sort, Term};
use std::collections::{BTreeMap, BTreeSet};

/// Places that are compared one by one.
const MOST_PLACES: usize = 64;

/// Where both versions write: the steps, with their conditions.
#[derive(Default)]
struct Written {
    old: Vec<(usize, Term)>,
    new: Vec<(usize, Term)>,
}

/// A local object of both versions, or what everybody sees; and what both versions hold there.
type Held = (Option<(usize, usize)>, Term, Term);

impl<P: Places> Differ<'_, P> {
    /// Compares memory after these steps, where both versions come.
    pub(super) fn memory(
        &mut self,
        here: Term,
        (old, new): (&[Step], &[Step]),
        pairs: Vec<Held>,
        out: &mut Vec<Case>,
    ) {
        let pairs: Vec<Held> = pairs.into_iter().filter(|(_, p, q)| p != q).collect();
        for (object, p, q) in pairs {
            let places = self.places_of(object, old, new);
            let is_explained = !places.is_empty();
            for ((address, bytes), written) in places.into_iter().take(MOST_PLACES) {
                self.place(here, (p, q), (address, bytes), &written, (old, new), out);
            }
            // Something else made them different: what that is, nobody here can say.
            if !is_explained && !self.same_memory(here, p, q) {
                let unknown = Difference::Memory { old_step: None, new_step: None, old: p, new: q };
                self.add(here, vec![unknown], out);
            }
        }
    }

    /// One place: what both leave there, and what only one of them writes.
    fn place(
        &mut self,
        here: Term,
        (p, q): (Term, Term),
        (address, bytes): (Term, u32),
        written: &Written,
        (old, new): (&[Step], &[Step]),
        out: &mut Vec<Case>,
    ) {
        let (x, y) = (self.held(p, address, bytes), self.held(q, address, bytes));
        let differs = self.pool().ne(x, y);
        let somewhere = self.pool().and(here, differs);
        if !self.may_hold(&[somewhere]) {
            return;
        }
        let any = |one: &mut Self, all: &[(usize, Term)]| {
            let whens: Vec<Term> = all.iter().map(|(_, when)| *when).collect();
            one.pool().or_all(whens)
        };
        let (was, is) = (any(self, &written.old), any(self, &written.new));
        let pool = self.pool();
        let (not_was, not_is) = (pool.not(was), pool.not(is));
        let both = pool.and_all([here, was, is]);
        let last = |all: &[(usize, Term)]| all.last().map(|(at, _)| *at);
        let (a, b) = (last(&written.old), last(&written.new));
        let (x, y) =
            (self.as_written(both, x, &written.old, old), self.as_written(both, y, &written.new, new));
        self.values(both, (x, y), out, &|old, new| Difference::Memory { old_step: a, new_step: b, old, new });
        // What one version alone writes is written, whatever was there: unless it cannot be anything else.
        for (is_old, all, steps, other) in
            [(true, &written.old, old, not_is), (false, &written.new, new, not_was)]
        {
            for &(at, when) in all {
                let alone = self.pool().and_all([here, when, other]);
                let seen = self.pool().and(alone, differs);
                if !self.may_hold(&[seen]) {
                    continue;
                }
                let Did::Writes { value, .. } = steps[at].did else { continue };
                let (before, now) = if is_old { (value, y) } else { (x, value) };
                let value = self.simplified(alone, if is_old { before } else { now });
                let (old, new) = if is_old { (value, now) } else { (before, value) };
                let difference = Difference::Memory {
                    old_step: is_old.then_some(at),
                    new_step: (!is_old).then_some(at),
                    old,
                    new,
                };
                self.add(alone, vec![difference], out);
            }
        }
    }

    /// What a step wrote, if that is what the place holds in the end: it has a name more often.
    fn as_written(&mut self, here: Term, held: Term, written: &[(usize, Term)], steps: &[Step]) -> Term {
        let [(at, _)] = *written else { return held };
        let Did::Writes { value, .. } = steps[at].did else { return held };
        if value == held || self.pool().sort(value) != self.pool().sort(held) {
            return held;
        }
        let same = self.pool().eq(value, held);
        if self.follows(&[here], same) { value } else { held }
    }

    /// Where these steps write in an object, or outside of all.
    fn places_of(
        &mut self,
        object: Option<(usize, usize)>,
        old: &[Step],
        new: &[Step],
    ) -> BTreeMap<(Term, u32), Written> {
        let pool = &self.both.context.pool;
        let mut found: BTreeMap<(Term, u32), Written> = BTreeMap::new();
        for (is_old, steps) in [(true, old), (false, new)] {
            for (at, step) in steps.iter().enumerate() {
                let Did::Writes { address, origin, value } = &step.did else { continue };
                let Sort::Bits(width) = pool.sort(*value) else { continue };
                let leads_here = match (object, origin) {
                    (None, None | Some(Origin::Table(_))) => true,
                    (Some((x, y)), Some(Origin::Local(local))) => {
                        *local as usize == if is_old { x } else { y }
                    }
                    (Some(_), None) => true,
                    _ => false,
                };
                if leads_here && width >= 8 {
                    let written = found.entry((*address, width / 8)).or_default();
                    match is_old {
                        true => written.old.push((at, step.when)),
                        false => written.new.push((at, step.when)),
                    }
                }
            }
        }
        found
    }

    /// What memory holds at a place, as a choice between what its ways left there.
    fn held(&mut self, array: Term, address: Term, bytes: u32) -> Term {
        let pool = self.pool();
        let choice = |one: Term, pool: &hydrogen_term::Pool| match pool.op(one) {
            Op::Select => Some(pool.args(one)[0]).filter(|&below| pool.op(below) == Op::Ite),
            _ => None,
        };
        let first = pool.select(array, address);
        let Some(below) = choice(first, pool) else { return pool.read_le(array, address, bytes) };
        for offset in 1..bytes {
            let step = pool.bits(64, u128::from(offset));
            let at = pool.add(address, step);
            let byte = pool.select(array, at);
            if choice(byte, pool) != Some(below) {
                return pool.read_le(array, address, bytes);
            }
        }
        let [condition, one, other] = *pool.args(below) else { return first };
        let (one, other) = (self.held(one, address, bytes), self.held(other, address, bytes));
        self.pool().ite(condition, one, other)
    }

    /// Whether two memories hold the same wherever one of them was written.
    fn same_memory(&mut self, here: Term, p: Term, q: Term) -> bool {
        let mut places: BTreeSet<Term> = BTreeSet::new();
        for term in self.both.context.pool.postorder(&[p, q]) {
            let pool = &self.both.context.pool;
            if pool.op(term) == Op::Store && pool.sort(term) == pool.sort(p) {
                places.insert(pool.args(term)[1]);
            }
        }
        if places.len() > MOST_PLACES || self.roots(p) != self.roots(q) {
            return false;
        }
        places.into_iter().all(|at| {
            let (x, y) = (self.held(p, at, 1), self.held(q, at, 1));
            let same = self.pool().eq(x, y);
            self.follows(&[here], same)
        })
    }

    /// The memories that one was made of.
    fn roots(&self, memory: Term) -> BTreeSet<Term> {
        let pool = &self.both.context.pool;
        let (mut open, mut seen, mut found) = (vec![memory], BTreeSet::new(), BTreeSet::new());
        while let Some(one) = open.pop() {
            if !seen.insert(one) {
                continue;
            }
            match pool.op(one) {
                Op::Store => open.push(pool.args(one)[0]),
                Op::Ite => open.extend(&pool.args(one)[1..]),
                _ => drop(found.insert(one)),
            }
        }
        found
    }
}
