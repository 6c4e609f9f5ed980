//! Which dependences a step kept, ended and began (B5).

use crate::correspond::Correspondence;
use crate::depend::{Dependence, StatementId};
use hydrogen_flow::Successors;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A statement of one of two versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sided {
    /// One of the new version, whether or not the old one has it too or had another in its place.
    New(StatementId),
    /// One that only the old version has.
    Gone(StatementId),
}

/// A dependence between two statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dependency {
    /// What depends.
    pub dependent: Sided,
    /// On what.
    pub on: Sided,
}

/// How the direct dependences of two versions differ. The entry of a function stands for its head: its parameters, and whether
/// it runs at all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Evolution {
    /// How many both versions have.
    pub kept: usize,
    /// Those that only the new version has, sorted; at most [`MOST_DEPENDENCES`].
    pub begun: Vec<Dependency>,
    /// Those that only the old version has, sorted; at most [`MOST_DEPENDENCES`].
    pub ceased: Vec<Dependency>,
    /// How many begun and ceased dependences were counted and not listed.
    pub unlisted: usize,
}

/// More dependences than this are counted only. All memory is one place here, so that one new write to it may begin one
/// dependence for every read.
pub const MOST_DEPENDENCES: usize = 2_000_000;

/// What depends on a statement: directly, and by the lists of places that it shares with others.
#[derive(Default, PartialEq, Eq)]
struct Dependents {
    direct: Vec<Sided>,
    lists: Vec<u32>,
}

/// Several lists by number.
type Numbers = Vec<u32>;

/// Lists of dependents of both versions, equal ones once.
#[derive(Default)]
struct Lists {
    numbers: FxHashMap<Rc<[Sided]>, u32>,
    all: Vec<Rc<[Sided]>>,
    joined: FxHashMap<Numbers, Rc<[Sided]>>,
    /// What some have and others have not: most statements share the same few.
    differences: FxHashMap<(Numbers, Numbers), Rc<[Sided]>>,
}

impl Lists {
    fn intern(&mut self, list: Vec<Sided>) -> u32 {
        let list: Rc<[Sided]> = list.into();
        let next = self.all.len() as u32;
        let number = *self.numbers.entry(Rc::clone(&list)).or_insert(next);
        if number == next {
            self.all.push(list);
        }
        number
    }

    fn joined(&mut self, lists: &[u32]) -> Rc<[Sided]> {
        if let [only] = lists {
            return Rc::clone(&self.all[*only as usize]);
        }
        let all = &self.all;
        let join = || {
            let mut joined: Vec<Sided> = lists.iter().flat_map(|&at| all[at as usize].to_vec()).collect();
            unique(&mut joined);
            joined.into()
        };
        Rc::clone(self.joined.entry(lists.to_vec()).or_insert_with(join))
    }

    fn count(&mut self, dependents: &Dependents) -> usize {
        let joined = self.joined(&dependents.lists);
        let direct = dependents.direct.iter().filter(|it| joined.binary_search(it).is_err());
        joined.len() + direct.count()
    }

    /// What is in one list and not in the other.
    fn minus(&mut self, lists: &[u32], others: &[u32]) -> Rc<[Sided]> {
        let key = (lists.to_vec(), others.to_vec());
        if let Some(known) = self.differences.get(&key) {
            return Rc::clone(known);
        }
        let (these, those) = (self.joined(lists), self.joined(others));
        let only: Rc<[Sided]> = these.iter().copied().filter(|it| those.binary_search(it).is_err()).collect();
        self.differences.insert(key, Rc::clone(&only));
        only
    }

    /// The dependents of the first that are not of the second, sorted.
    fn only(&mut self, these: &Dependents, those: &Dependents) -> Vec<Sided> {
        let shared = self.minus(&these.lists, &those.lists);
        let joined = self.joined(&those.lists);
        let direct = these.direct.iter().filter(|it| joined.binary_search(it).is_err());
        let all = shared.iter().chain(direct);
        let mut only: Vec<Sided> =
            all.copied().filter(|it| those.direct.binary_search(it).is_err()).collect();
        unique(&mut only);
        only
    }
}

fn unique<T: Ord>(list: &mut Vec<T>) {
    list.sort_unstable();
    list.dedup();
}

impl Evolution {
    /// Compares the dependences of two versions.
    pub fn of(old: &Dependence, new: &Dependence, same: &Correspondence) -> Self {
        let mut lists = Lists::default();
        let sided =
            |at: u32| same.counterpart(StatementId(at)).map_or(Sided::Gone(StatementId(at)), Sided::New);
        let mut before: Vec<(Sided, Dependents)> = dependents(old, sided, &mut lists);
        let after = dependents(new, |at| Sided::New(StatementId(at)), &mut lists);
        before.sort_unstable_by_key(|it| it.0);
        let mut evolution = Self::default();
        let none = Dependents::default();
        let (mut i, mut j) = (0, 0);
        while i < before.len() || j < after.len() {
            let on = match (before.get(i), after.get(j)) {
                (Some(a), Some(b)) => a.0.min(b.0),
                (Some(only), None) | (None, Some(only)) => only.0,
                (None, None) => break,
            };
            let was = before.get(i).filter(|it| it.0 == on).map_or(&none, |it| &it.1);
            let is = after.get(j).filter(|it| it.0 == on).map_or(&none, |it| &it.1);
            (i, j) = (i + usize::from(!std::ptr::eq(was, &none)), j + usize::from(!std::ptr::eq(is, &none)));
            if was == is {
                evolution.kept += lists.count(is);
            } else {
                let (begun, ceased) = (lists.only(is, was), lists.only(was, is));
                evolution.kept += lists.count(is) - begun.len();
                put(&mut evolution.begun, &mut evolution.unlisted, on, begun);
                put(&mut evolution.ceased, &mut evolution.unlisted, on, ceased);
            }
        }
        evolution.begun.sort_unstable();
        evolution.ceased.sort_unstable();
        evolution
    }
}

/// Adds dependences to a list, as long as it may grow.
fn put(to: &mut Vec<Dependency>, unlisted: &mut usize, on: Sided, dependents: Vec<Sided>) {
    let room = MOST_DEPENDENCES - to.len();
    *unlisted += dependents.len().saturating_sub(room);
    to.extend(dependents.into_iter().take(room).map(|dependent| Dependency { dependent, on }));
}

/// Per statement, what depends on it; ways through places that statements share are taken as one step. Exits of functions are
/// no statements of anybody.
fn dependents(
    dependence: &Dependence,
    sided: impl Fn(u32) -> Sided,
    lists: &mut Lists,
) -> Vec<(Sided, Dependents)> {
    let (graph, count) = (dependence.graph(), dependence.len());
    let is_exit = |at: usize| dependence.piece_of(StatementId(at as u32)) == crate::program::EXIT;
    let mut shared: FxHashMap<usize, u32> = FxHashMap::default();
    let mut all = Vec::with_capacity(count);
    for at in (0..count).filter(|&at| !is_exit(at)) {
        let mut own = Dependents::default();
        for next in graph.successors(at) {
            if next < count {
                if !is_exit(next) {
                    own.direct.push(sided(next as u32));
                }
                continue;
            }
            let list = *shared.entry(next).or_insert_with(|| {
                let reads = graph.successors(next).filter(|&read| read < count && !is_exit(read));
                let mut list: Vec<Sided> = reads.map(|read| sided(read as u32)).collect();
                unique(&mut list);
                lists.intern(list)
            });
            own.lists.push(list);
        }
        unique(&mut own.direct);
        unique(&mut own.lists);
        all.push((sided(at as u32), own));
    }
    all
}
