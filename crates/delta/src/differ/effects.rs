//! Effects that differ: what fails, calls, where control goes, what is returned, what variables and memory hold.

use super::{Case, Differ, Difference, Exit, MOST_EFFECTS, MOST_SPLITS, Places, Told, calls::Slot};
use hydrogen_evidence::Class;
use hydrogen_sym::{
    code::Var,
    segment::{Did, End, Segment, Target},
    state::Value,
};
use hydrogen_term::{Answer, Op, Sort, Term};
use std::collections::{BTreeMap, BTreeSet};

/// A way out of a side.
struct Way<'s> {
    exit: Exit,
    guard: Term,
    end: &'s End,
}

/// Two values that differ, and when.
struct Leaf {
    when: Term,
    old: Option<Term>,
    new: Option<Term>,
}

impl<P: Places> Differ<'_, P> {
    /// Everything that differs.
    pub fn told(&mut self) -> Told {
        let slots = self.same_answers();
        let (old, new) = (self.both.old.clone(), self.both.new.clone());
        let mut told =
            Told { cases: Vec::new(), ignored: Vec::new(), is_complete: true, rests_on_stand_ins: false };
        let (a, b) = (self.failing(&old), self.failing(&new));
        let (fails, failing) = (self.any(&a), self.any(&b));
        let pool = self.pool();
        let both_fail = pool.and(fails, failing);
        let null = b.get(&Class::Null).copied().unwrap_or_else(|| pool.bool(false));
        told.ignored =
            [both_fail, null].into_iter().filter(|&one| pool.as_bool(one) != Some(false)).collect();
        self.leave_out(&told.ignored.clone());
        let (ways, others) = (self.ways(&old), self.ways(&new));
        let out = &mut told.cases;
        for (&class, &guard) in &a {
            for way in &others {
                let here = self.pool().and(guard, way.guard);
                self.leaves(here, None, returned(way), &mut |one, leaf| {
                    let differences = parting(Exit::Faults(class), way.exit, &leaf);
                    one.add(leaf.when, differences, out);
                });
            }
        }
        for (&class, &guard) in b.iter().filter(|(class, _)| **class != Class::Null) {
            for way in &ways {
                let here = self.pool().and(guard, way.guard);
                self.leaves(here, returned(way), None, &mut |one, leaf| {
                    let differences = parting(way.exit, Exit::Faults(class), &leaf);
                    one.add(leaf.when, differences, out);
                });
            }
        }
        // What follows is about states in which nothing fails.
        self.leave_out(&[fails, failing]);
        self.calls(&slots, (&old, &new), out);
        for a in &ways {
            for b in &others {
                let here = self.pool().and(a.guard, b.guard);
                if self.may_hold(&[here]) {
                    self.exits(here, (a, b), (&old, &new), out);
                }
            }
        }
        told.is_complete = told.cases.len() < MOST_EFFECTS;
        told.rests_on_stand_ins = self.rests_on_stand_ins(&slots, &told.cases);
        told
    }

    /// Whether anything but the calls themselves differs by the answers of calls that stand for each other.
    fn rests_on_stand_ins(&mut self, slots: &[Slot], cases: &[Case]) -> bool {
        let answers = |segment: &Segment, steps: &[usize]| -> Vec<Term> {
            let all = steps.iter().filter_map(|&at| match &segment.steps[at].did {
                Did::Asks { results, .. } => Some(results.clone()),
                _ => None,
            });
            all.flatten().collect()
        };
        let standing = slots.iter().filter(|slot| slot.stands_in);
        let answers: BTreeSet<Term> = standing
            .flat_map(|slot| {
                [answers(&self.both.old, &slot.old), answers(&self.both.new, &slot.new)].concat()
            })
            .collect();
        let is_call = |one: &Difference| {
            matches!(one, Difference::OldCall(_) | Difference::NewCall(_) | Difference::Call(..))
        };
        let pool = &self.both.context.pool;
        !answers.is_empty()
            && cases.iter().any(|case| {
                !case.differences.iter().all(is_call)
                    && pool.variables(&[case.condition]).iter().any(|one| answers.contains(one))
            })
    }

    /// Adds an effect if it can be.
    pub(super) fn add(&mut self, condition: Term, differences: Vec<Difference>, out: &mut Vec<Case>) {
        self.add_within(condition, condition, differences, out);
    }

    /// Adds an effect if it can be; one of what both versions do wherever they come there.
    pub(super) fn add_within(
        &mut self,
        reached: Term,
        condition: Term,
        differences: Vec<Difference>,
        out: &mut Vec<Case>,
    ) {
        if self.pool().as_bool(condition) == Some(false) || out.len() >= MOST_EFFECTS {
            return;
        }
        let is_possible = match self.check(&[condition]) {
            Answer::Unsat => return,
            Answer::Unknown(_) => true,
            Answer::Sat(_) => false,
        };
        let is_certain = reached == condition || self.follows(&[reached], condition);
        out.push(Case { condition, reached, is_certain, is_possible, differences });
    }

    /// When a side fails, by what goes wrong.
    fn failing(&mut self, side: &Segment) -> BTreeMap<Class, Term> {
        let mut found: BTreeMap<Class, Term> = BTreeMap::new();
        for fault in &side.faults {
            let before = found.get(&fault.class).copied();
            let pool = self.pool();
            let guard = before.map_or(fault.guard, |before| pool.or(before, fault.guard));
            found.insert(fault.class, guard);
        }
        found
    }

    fn any(&mut self, all: &BTreeMap<Class, Term>) -> Term {
        let all: Vec<Term> = all.values().copied().collect();
        self.pool().or_all(all)
    }

    /// The ways out of a side. One that ends in a call is one for each call that it can end in.
    fn ways<'s>(&mut self, side: &'s Segment) -> Vec<Way<'s>> {
        let mut found = Vec::new();
        for end in &side.ends {
            let exit = match end.target {
                Target::Head(node) => Exit::To(node),
                Target::Return | Target::Entry => Exit::Returns,
                Target::Stop => {
                    let mut rest = end.guard;
                    let asks = side.steps.iter().enumerate().rev();
                    for (at, step) in asks.filter(|(_, step)| matches!(step.did, Did::Asks { .. })) {
                        if !self.may_hold(&[rest]) {
                            break;
                        }
                        let guard = self.pool().and(rest, step.when);
                        if self.may_hold(&[guard]) {
                            found.push(Way { exit: Exit::Stops(Some(at)), guard, end });
                            let not = self.pool().not(step.when);
                            rest = self.pool().and(rest, not);
                        }
                    }
                    continue;
                }
            };
            found.push(Way { exit, guard: end.guard, end });
        }
        found
    }

    /// What differs where both sides are left in these ways.
    fn exits(
        &mut self,
        here: Term,
        (a, b): (&Way, &Way),
        (old, new): (&Segment, &Segment),
        out: &mut Vec<Case>,
    ) {
        let is_same = match (a.exit, b.exit) {
            (Exit::To(old), Exit::To(new)) => self.places.are_same(old, new),
            (Exit::Stops(_), Exit::Stops(_)) => true,
            (from, to) => from == to,
        };
        let (was, is) = (returned(a), returned(b));
        if !is_same {
            self.leaves(here, was, is, &mut |one, leaf| {
                one.add(leaf.when, parting(a.exit, b.exit, &leaf), out);
            });
        }
        match (was, is) {
            _ if !is_same => {}
            (Some(p), Some(q)) if self.pool().sort(p) == self.pool().sort(q) => {
                self.values(here, (p, q), out, &|old, new| Difference::Result(Some(old), Some(new)));
            }
            (Some(_), None) | (None, Some(_)) => self.leaves(here, was, is, &mut |one, leaf| {
                one.add(leaf.when, vec![Difference::Result(leaf.old, leaf.new)], out);
            }),
            _ => {}
        }
        if let (Exit::To(x), Exit::To(y)) = (a.exit, b.exit) {
            for (name, x, y) in self.places.shared(x, y) {
                let (Some(p), Some(q)) = (value(a.end, x), value(b.end, y)) else { continue };
                let (p, q) = self.alike(p, q, x, y);
                self.values(here, (p, q), out, &|old, new| Difference::Value {
                    name: name.clone(),
                    old,
                    new,
                });
            }
        }
        let mut pairs = vec![(None, a.end.state.public, b.end.state.public)];
        let addresses = self.both.addresses.clone();
        // Variables of a function that has returned are gone.
        if matches!(a.exit, Exit::To(_)) {
            for (x, address) in addresses.0.iter().enumerate() {
                if let Some(y) = addresses.1.iter().position(|one| one == address) {
                    pairs.push((Some((x, y)), a.end.state.objects[x], b.end.state.objects[y]));
                }
            }
        }
        self.memory(here, (&old.steps, &new.steps), pairs, out);
    }

    /// Two values of one thing, where they differ.
    pub(super) fn values(
        &mut self,
        here: Term,
        (old, new): (Term, Term),
        out: &mut Vec<Case>,
        difference: &dyn Fn(Term, Term) -> Difference,
    ) {
        if old == new || self.pool().sort(old) != self.pool().sort(new) {
            return;
        }
        let differs = self.pool().ne(old, new);
        let differs = self.pool().and(here, differs);
        if !self.may_hold(&[differs]) {
            return;
        }
        self.leaves(here, Some(old), Some(new), &mut |one, leaf| {
            let (Some(old), Some(new)) = (leaf.old, leaf.new) else { return };
            let differs = one.pool().ne(old, new);
            let differs = one.pool().and(leaf.when, differs);
            one.add_within(leaf.when, differs, vec![difference(old, new)], out);
        });
    }

    /// The values that choices come to, each with its condition.
    fn leaves(
        &mut self,
        here: Term,
        old: Option<Term>,
        new: Option<Term>,
        tell: &mut dyn FnMut(&mut Self, Leaf),
    ) {
        let mut open = vec![(Leaf { when: here, old, new }, MOST_SPLITS)];
        while let Some((leaf, splits)) = open.pop() {
            if self.pool().as_bool(leaf.when) == Some(false) {
                continue;
            }
            let mut simple = |term: Option<Term>| term.map(|term| self.simplified(leaf.when, term));
            let (old, new) = (simple(leaf.old), simple(leaf.new));
            let pool = self.pool();
            let choice = [new, old].into_iter().flatten().find(|&term| pool.op(term) == Op::Ite);
            let Some(choice) = choice.filter(|_| splits > 0) else {
                tell(self, Leaf { when: leaf.when, old, new });
                continue;
            };
            let condition = pool.args(choice)[0];
            let denied = pool.not(condition);
            for half in [denied, condition] {
                let when = self.pool().and(leaf.when, half);
                if self.may_hold(&[when]) {
                    open.push((Leaf { when, old, new }, splits - 1));
                }
            }
        }
    }

    /// Two values of a variable that became wider or narrower, as the wider.
    fn alike(&mut self, p: Term, q: Term, x: Var, y: Var) -> (Term, Term) {
        let (Sort::Bits(a), Sort::Bits(b)) = (self.pool().sort(p), self.pool().sort(q)) else {
            return (p, q);
        };
        if a == b {
            return (p, q);
        }
        let signed = self.places.is_signed(if a < b { x } else { y });
        let width = a.max(b);
        let pool = self.pool();
        let mut wide = |one: Term| match signed {
            true => pool.resize_signed(one, width),
            false => pool.resize_unsigned(one, width),
        };
        (wide(p), wide(q))
    }
}

/// Two ways to go on, with what is returned in one of them.
fn parting(old: Exit, new: Exit, leaf: &Leaf) -> Vec<Difference> {
    let mut found = vec![Difference::Exit(old, new)];
    if leaf.old.is_some() || leaf.new.is_some() {
        found.push(Difference::Result(leaf.old, leaf.new));
    }
    found
}

fn returned(way: &Way) -> Option<Term> {
    match (way.end.target, &way.end.result) {
        (Target::Return, Some(Value::Bits(term, _))) => Some(*term),
        _ => None,
    }
}

fn value(end: &End, var: Var) -> Option<Term> {
    match end.state.values.get(&var) {
        Some(Value::Bits(term, _)) => Some(*term),
        _ => None,
    }
}
