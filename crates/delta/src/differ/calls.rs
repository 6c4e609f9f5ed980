//! Which calls of both versions are the same call.
//!
//! Calls are aligned in the order in which they can be made. Calls that go together give the same answer and leave the same memory behind, where both
//! versions make them; what only one version calls leaves everything as it was, as far as the rest is compared: that it is called is told.

use super::{Case, Differ, Difference, Places, known};
use crate::evaluate::Both;
use hydrogen_sym::{
    calls::{Question, Reach},
    segment::{Did, Segment, Step},
    state::Value,
};
use hydrogen_term::{Pool, Sort, Substitution, Term};
use std::collections::{BTreeMap, BTreeSet};

/// More pairs of calls than this are aligned by their names alone.
const MOST_PAIRS: usize = 20_000;

/// Functions of the library that do nothing when they are given a null pointer.
const NOTHING_OF_NULL: [&str; 1] = ["free"];

/// Calls that go together, by their steps: of each version those of which a run makes one at most.
#[derive(Debug, Clone, Default)]
pub(super) struct Slot {
    pub old: Vec<usize>,
    pub new: Vec<usize>,
    /// Whether one function is called in the place of another one.
    pub stands_in: bool,
}

/// What is taken of a call that one version makes in the place of another function's call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OtherCalls {
    /// Both give the same answer, so that what follows from it is no second difference.
    SameAnswer,
    /// Each gives its own answer: nothing is known of the two together.
    OwnAnswers,
}

/// A call of one side.
struct Asked {
    at: usize,
    name: u32,
    when: Term,
    question: Question,
    results: Vec<Term>,
    reach: Reach,
}

impl<P: Places> Differ<'_, P> {
    /// Aligns the calls of both sides, and gives those that go together one answer, in all that follows from it.
    pub(super) fn same_answers(&mut self) -> Vec<Slot> {
        let (old, new) = asked(self.both);
        let slots = slots(&self.both.context.pool, &old, &new);
        // What both ask in the same words has one answer anyway.
        let olds: BTreeSet<Term> = old.iter().flat_map(|one| one.results.iter().copied()).collect();
        let shared: BTreeSet<Term> =
            new.iter().flat_map(|one| &one.results).copied().filter(|one| olds.contains(one)).collect();
        let mut put = Substitution::default();
        // States in which one version fails are told as such: whether both make a call is asked of the others.
        let faults: Vec<Term> =
            self.both.old.faults.iter().chain(&self.both.new.faults).map(|one| one.guard).collect();
        let fails = self.pool().or_all(faults);
        let find = |all: &[Asked], at: usize| all.iter().position(|one| one.at == at);
        for slot in &self.one_answer_each(&slots) {
            let pool = &mut self.both.context.pool;
            let fails = pool.substitute(fails, &put);
            let a: Vec<&Asked> = slot.old.iter().filter_map(|&at| Some(&old[find(&old, at)?])).collect();
            let b: Vec<&Asked> = slot.new.iter().filter_map(|&at| Some(&new[find(&new, at)?])).collect();
            let either = |pool: &mut Pool, all: &[&Asked], put: &Substitution| {
                let whens: Vec<Term> = all.iter().map(|one| pool.substitute(one.when, put)).collect();
                pool.or_all(whens)
            };
            let (was, is) = (either(pool, &a, &put), either(pool, &b, &put));
            let calm = pool.not(fails);
            let same = pool.eq(was, is);
            let are_same = was == is || !a.is_empty() && !b.is_empty() && self.follows(&[calm], same);
            let pool = &mut self.both.context.pool;
            // The answer has the name that the first of them gave it.
            let names: BTreeMap<Given, Term> = a.first().or(b.first()).map_or_else(BTreeMap::new, |one| {
                given(pool, &one.question, &one.results).into_iter().collect()
            });
            let makes_both = !a.is_empty() && !b.is_empty();
            let mut found = Vec::new();
            for (all, other, other_makes) in [(&a, is, !b.is_empty()), (&b, was, !a.is_empty())] {
                for one in all.iter() {
                    let left = left(pool, &one.question, &one.results);
                    for (what, result) in given(pool, &one.question, &one.results) {
                        let before = left.iter().find(|pair| pair.1 == result).map(|pair| pair.0);
                        let name = names.get(&what).copied();
                        let told = match (before, name) {
                            // What is left behind: what the other call leaves, where there is another one.
                            (Some(before), name) => {
                                let before = pool.substitute(before, &put);
                                match name.filter(|_| other_makes) {
                                    Some(name) if pool.sort(name) == pool.sort(result) => match are_same {
                                        true => name,
                                        false => pool.ite(other, name, before),
                                    },
                                    _ => before,
                                }
                            }
                            (None, Some(name)) if makes_both || all.len() > 1 => {
                                match (pool.sort(name), pool.sort(result)) {
                                    (x, y) if x == y => name,
                                    // Declared otherwise, it gives more or fewer of the same bits.
                                    (Sort::Bits(x), Sort::Bits(y)) if x > y => pool.truncate(name, y),
                                    (Sort::Bits(_), Sort::Bits(y)) => pool.resize_signed(name, y),
                                    _ => result,
                                }
                            }
                            _ => result,
                        };
                        let keeps = before.is_none() && shared.contains(&result);
                        if told != result && !keeps {
                            found.push((result, told));
                        }
                    }
                }
            }
            put.extend(found);
        }
        if !put.is_empty() {
            replace(self.both, put);
            self.base = known(self.both);
        }
        slots
    }

    /// The calls that have one answer: all that go together, or none of those that only stand for each other.
    fn one_answer_each(&self, slots: &[Slot]) -> Vec<Slot> {
        let apart = |slot: &Slot| -> Vec<Slot> {
            if !slot.stands_in || self.other_calls == OtherCalls::SameAnswer {
                return vec![slot.clone()];
            }
            let (old, new) = (slot.old.clone(), slot.new.clone());
            vec![Slot { old, ..Slot::default() }, Slot { new, ..Slot::default() }]
        };
        slots.iter().flat_map(apart).collect()
    }

    /// Calls that one version alone makes, and those that are given something else.
    pub(super) fn calls(&mut self, slots: &[Slot], (old, new): (&Segment, &Segment), out: &mut Vec<Case>) {
        for slot in slots {
            let whens = |side: &Segment, all: &[usize]| -> Vec<Term> {
                all.iter().map(|&at| side.steps[at].when).collect()
            };
            let (a, b) = (whens(old, &slot.old), whens(new, &slot.new));
            let pool = self.pool();
            let (was, is) = (pool.or_all(a.clone()), pool.or_all(b.clone()));
            let (not_was, not_is) = (pool.not(was), pool.not(is));
            for (&at, &when) in slot.old.iter().zip(&a) {
                let only = self.pool().and(when, not_is);
                if matters(&old.steps[at]) && self.acts(only, &old.steps[at]) {
                    self.add(only, vec![Difference::OldCall(at)], out);
                }
            }
            for (&at, &when) in slot.new.iter().zip(&b) {
                let only = self.pool().and(when, not_was);
                if matters(&new.steps[at]) && self.acts(only, &new.steps[at]) {
                    self.add(only, vec![Difference::NewCall(at)], out);
                }
            }
            for (&at, &when) in slot.old.iter().zip(&a) {
                for (&instead, &then) in slot.new.iter().zip(&b) {
                    let here = self.pool().and(when, then);
                    self.paired(here, (old, at), (new, instead), out);
                }
            }
        }
    }

    /// Whether a call does anything in some of these states: the library does nothing about some null pointers.
    fn acts(&mut self, when: Term, step: &Step) -> bool {
        let Did::Asks { question, .. } = &step.did else { return true };
        let Some(&given) = question.arguments.first() else { return true };
        if !NOTHING_OF_NULL.contains(&question.name.as_str()) || self.pool().sort(given) != Sort::Bits(64) {
            return true;
        }
        let pool = self.pool();
        let null = pool.bits(64, 0);
        let some = pool.ne(given, null);
        self.may_hold(&[when, some])
    }

    /// What a call is given that both versions make.
    fn paired(
        &mut self,
        here: Term,
        (old, at): (&Segment, usize),
        (new, instead): (&Segment, usize),
        out: &mut Vec<Case>,
    ) {
        let (Did::Asks { question: a, reach, .. }, Did::Asks { question: b, .. }) =
            (&old.steps[at].did, &new.steps[instead].did)
        else {
            return;
        };
        if self.pool().as_bool(here) == Some(false) {
            return;
        }
        if a.name != b.name {
            return self.add(here, vec![Difference::OldCall(at), Difference::NewCall(instead)], out);
        }
        let mut differs = Vec::new();
        if a.arguments.len() != b.arguments.len() {
            let yes = self.pool().bool(true);
            differs.push(yes);
        }
        for (&p, &q) in a.arguments.iter().zip(&b.arguments) {
            let pool = self.pool();
            match pool.sort(p) == pool.sort(q) {
                true => differs.push(pool.ne(p, q)),
                // What became wider or narrower is the same number, as the wider.
                false => differs.push(match (pool.sort(p), pool.sort(q)) {
                    (Sort::Bits(x), Sort::Bits(y)) => {
                        let width = x.max(y);
                        let (p, q) = (pool.resize_signed(p, width), pool.resize_signed(q, width));
                        pool.ne(p, q)
                    }
                    _ => pool.bool(true),
                }),
            }
        }
        let differs = self.pool().or_all(differs);
        let differs = self.pool().and(here, differs);
        self.add_within(here, differs, vec![Difference::Call(at, instead)], out);
        if *reach == Reach::Values {
            return;
        }
        let objects = self.both.addresses.clone();
        let mut pairs = Vec::new();
        for ((key, p), (other, q)) in a.memory.iter().zip(&b.memory) {
            if key != other || p == q || matches!(self.pool().sort(*p), Sort::Bits(_)) {
                continue;
            }
            let object = (*key > 2).then(|| {
                let find = |all: &[u64]| all.iter().position(|one| one == key);
                Some((find(&objects.0)?, find(&objects.1)?))
            });
            match object {
                None => pairs.push((None, *p, *q)),
                Some(Some(both)) => pairs.push((Some(both), *p, *q)),
                Some(None) => {}
            }
        }
        self.memory(here, (&old.steps[..at], &new.steps[..instead]), pairs, out);
    }
}

/// The calls of both sides; functions of one name have one number.
fn asked(both: &Both) -> (Vec<Asked>, Vec<Asked>) {
    let mut names: BTreeMap<String, u32> = BTreeMap::new();
    let mut of = |side: &Segment| -> Vec<Asked> {
        let all = side.steps.iter().enumerate().filter_map(|(at, step)| match &step.did {
            Did::Asks { question, results, reach } => {
                let next = u32::try_from(names.len()).expect("calls are few");
                let name = *names.entry(question.name.clone()).or_insert(next);
                let (question, results) = (question.clone(), results.clone());
                Some(Asked { at, name, when: step.when, question, results, reach: *reach })
            }
            _ => None,
        });
        all.collect()
    };
    let old = of(&both.old);
    (old, of(&both.new))
}

/// Which calls go together: in order, of one function, those that are the same question before those that are not.
fn slots(pool: &Pool, old: &[Asked], new: &[Asked]) -> Vec<Slot> {
    let pairs = match old.len() * new.len() <= MOST_PAIRS {
        true => aligned(old, new),
        false => {
            let names = |all: &[Asked]| -> Vec<u32> { all.iter().map(|one| one.name).collect() };
            hydrogen_align::lcs(&names(old), &names(new))
        }
    };
    let mut found: Vec<Slot> = Vec::new();
    let (mut i, mut j) = (0, 0);
    for (x, y) in pairs.into_iter().chain([(old.len(), new.len())]) {
        let gap = found.len();
        // Runs of other calls, as many on both sides, that are made in the same states, stand for each other in order.
        let stand = x - i == y - j
            && (i..x).zip(j..y).all(|(p, q)| {
                old[p].when == new[q].when && old[p].reach == Reach::All && new[q].reach == Reach::All
            });
        for at in i..x {
            let instead = if stand { vec![new[j + at - i].at] } else { Vec::new() };
            found.push(Slot { old: vec![old[at].at], stands_in: stand, new: instead });
        }
        if !stand {
            found.extend((j..y).map(|at| Slot { new: vec![new[at].at], ..Slot::default() }));
        }
        let end = found.len();
        if x < old.len() && y < new.len() {
            found.push(Slot { old: vec![old[x].at], new: vec![new[y].at], stands_in: false });
        }
        // A call that only one side has may be the other way to make one beside it.
        for at in gap..end {
            let near = [gap.checked_sub(1), (end < found.len()).then_some(end)];
            for near in near.into_iter().flatten() {
                if merge(pool, (old, new), &mut found, at, near) {
                    break;
                }
            }
        }
        (i, j) = (x + 1, y + 1);
    }
    found.retain(|slot| !slot.old.is_empty() || !slot.new.is_empty());
    found
}

/// Puts a call of one side into a slot of the same function, if no run makes it and what that side has there already.
fn merge(
    pool: &Pool,
    (old, new): (&[Asked], &[Asked]),
    slots: &mut [Slot],
    from: usize,
    into: usize,
) -> bool {
    let (one, other) = (slots[from].clone(), slots[into].clone());
    let is_old = one.new.is_empty();
    if is_old == one.old.is_empty() || other.old.is_empty() || other.new.is_empty() {
        return false;
    }
    let find = |all: &[Asked], at: usize| all.iter().position(|one| one.at == at);
    let (all, own, theirs) = match is_old {
        true => (old, one.old[0], &other.old),
        false => (new, one.new[0], &other.new),
    };
    let Some(mine) = find(all, own) else { return false };
    let fits = theirs.iter().all(|&at| {
        find(all, at)
            .is_some_and(|at| all[at].name == all[mine].name && are_apart(pool, all[at].when, all[mine].when))
    });
    if !fits {
        return false;
    }
    if is_old {
        slots[into].old.push(own);
    } else {
        slots[into].new.push(own);
    }
    slots[from] = Slot::default();
    true
}

/// Whether two conditions deny each other in plain sight.
fn are_apart(pool: &Pool, a: Term, b: Term) -> bool {
    let denies =
        |one: Term, other: Term| pool.op(one) == hydrogen_term::Op::Not && pool.args(one)[0] == other;
    let (a, b) = (pool.conjuncts(a), pool.conjuncts(b));
    a.iter().any(|&one| b.iter().any(|&other| denies(one, other) || denies(other, one)))
}

/// The best alignment of calls of the same functions.
fn aligned(old: &[Asked], new: &[Asked]) -> Vec<(usize, usize)> {
    let worth = |a: &Asked, b: &Asked| -> u32 {
        if a.name != b.name {
            return 0;
        }
        let same = |yes: bool, worth: u32| if yes { worth } else { 0 };
        8 + same(a.results == b.results, 8)
            + same(a.question.arguments == b.question.arguments, 4)
            + same(a.when == b.when, 2)
    };
    let width = new.len() + 1;
    let mut best = vec![0u32; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            let skip = best[(i + 1) * width + j].max(best[i * width + j + 1]);
            let pair = worth(&old[i], &new[j]);
            let both = if pair > 0 { pair + best[(i + 1) * width + j + 1] } else { 0 };
            best[i * width + j] = skip.max(both);
        }
    }
    let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
    while i < old.len() && j < new.len() {
        let here = best[i * width + j];
        let pair = worth(&old[i], &new[j]);
        if pair > 0 && here == pair + best[(i + 1) * width + j + 1] {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if here == best[(i + 1) * width + j] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

/// Replaces terms in everything that was evaluated.
fn replace(both: &mut Both, mut put: Substitution) {
    let pool = &mut both.context.pool;
    for side in [&mut both.old, &mut both.new] {
        let mut change = |term: &mut Term| *term = pool.substitute_with(*term, &mut put);
        for end in &mut side.ends {
            change(&mut end.guard);
            end.state.values.values_mut().for_each(|value| each(value, &mut change));
            end.result.iter_mut().for_each(|value| each(value, &mut change));
            end.state.objects.iter_mut().for_each(&mut change);
            [&mut end.state.public, &mut end.state.world, &mut end.state.epoch]
                .into_iter()
                .for_each(&mut change);
        }
        for fault in &mut side.faults {
            [&mut fault.guard, &mut fault.bare].into_iter().for_each(&mut change);
        }
        side.wraps.iter_mut().for_each(&mut change);
        side.assumptions.iter_mut().chain(&mut side.required).for_each(&mut change);
        for step in &mut side.steps {
            change(&mut step.when);
            match &mut step.did {
                Did::Gives(term) => change(term),
                Did::Writes { address, value, .. } => [address, value].into_iter().for_each(&mut change),
                Did::Asks { question, results, .. } => {
                    question.arguments.iter_mut().for_each(&mut change);
                    question.memory.iter_mut().for_each(|(_, term)| change(term));
                    results.iter_mut().for_each(&mut change);
                }
            }
        }
    }
}

fn each(value: &mut Value, change: &mut impl FnMut(&mut Term)) {
    match value {
        Value::Bits(term, _) => change(term),
        Value::Parts(parts) => parts.iter_mut().for_each(|part| each(part, change)),
    }
}

/// Whether making a call or not makes a difference by itself: one that only gives a number does not.
fn matters(step: &Step) -> bool {
    matches!(step.did, Did::Asks { reach: Reach::All, .. })
}

/// What a call gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Given {
    /// Its result, in parts.
    Result(usize),
    /// What memory holds then: public memory, world, epoch, and objects by their addresses.
    Memory(u64),
}

/// All that a call gives, by what it is: functions that give nothing have fewer results, and versions have other objects.
fn given(pool: &Pool, question: &Question, results: &[Term]) -> Vec<(Given, Term)> {
    let first = results.iter().position(|&one| pool.sort(one) == Sort::MEMORY).unwrap_or(results.len());
    let objects = question.memory.iter().map(|(key, _)| *key).filter(|key| *key > 2);
    let keys: Vec<u64> = [0, 1, 2].into_iter().chain(objects).collect();
    let what = |nth: usize| match nth.checked_sub(first) {
        None => Some(Given::Result(nth)),
        Some(at) => keys.get(at).copied().map(Given::Memory),
    };
    (0..results.len()).filter_map(|nth| Some((what(nth)?, results[nth]))).collect()
}

/// The memory before a call beside the memory after it.
fn left(pool: &Pool, question: &Question, results: &[Term]) -> Vec<(Term, Term)> {
    let find = |key: u64| question.memory.iter().find(|(one, _)| *one == key).map(|(_, term)| *term);
    let arrays: Vec<usize> =
        (0..results.len()).filter(|&at| pool.sort(results[at]) == Sort::MEMORY).collect();
    let Some(&first) = arrays.first() else { return Vec::new() };
    let mut pairs = Vec::new();
    for (key, at) in [(0, first), (1, first + 1), (2, first + 2)] {
        if let (Some(before), Some(&after)) = (find(key), results.get(at)) {
            pairs.push((before, after));
        }
    }
    let objects = question.memory.iter().filter(|(key, _)| *key > 2).map(|(_, term)| *term);
    pairs.extend(objects.zip(results.iter().skip(first + 3).copied()));
    pairs
}
